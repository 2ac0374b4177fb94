"""As fast as it should be? What an exact engine may still lose."""

from dataclasses import replace

from engines.audit.checks.law import why_no_cycles
from engines.audit.evidence import Check, Evidence, counted
from engines.audit.scoring import checked_overlaps
from speculation.exactness.cycles import Tally, slower_test


def drafts_kept(evidence: Evidence) -> Check:
    """Accepted over checked against the mean overlap, for slowness alone: a rule that judges
    drafts together may keep more, and that is no fault."""
    check = Check("drafts kept", "Are drafts kept as often as p and q overlap?", "speed")
    if reason := why_no_cycles(evidence):
        return replace(check, why_not=reason)
    tally = Tally()
    for text, scored in evidence.pairs("main"):
        if not len(scored.overlaps):
            continue
        for shares, accepted in checked_overlaps(
            text, scored, evidence.plan.k, evidence.plan.length
        ):
            tally.add(shares, accepted)
    if not tally.checked:
        return replace(check, why_not="The draft's distribution is not at hand.")
    share, overlap = tally.accepted / tally.checked, tally.expected / tally.checked
    words = f"Accepted of checked {share:.3f}, mean overlap {overlap:.3f}."
    return replace(check, finding=slower_test(tally), words=words)


def bonus(evidence: Evidence) -> Check:
    """Every cycle ends with a token of the target's, unless the text ends or is cut."""
    question = "Does every cycle end with a token of the target's?"
    check = Check("bonus", question, "speed", certain=True)
    if reason := why_no_cycles(evidence):
        return replace(check, why_not=reason)
    plan, cycles, bare = evidence.plan, 0, 0
    for text in evidence.texts("main"):
        start = 0
        for cycle in text.cycles or ():
            if start + plan.k + 1 > plan.length:
                break
            start += cycle.committed
            ended = text.tokens[start - 1] in plan.end
            cycles += 1
            bare += cycle.committed <= cycle.accepted and not ended
    if not cycles:
        return replace(check, why_not="No whole cycle has come yet.")
    return replace(check, finding=counted(check.name, bare, cycles, "of the cycles"))
