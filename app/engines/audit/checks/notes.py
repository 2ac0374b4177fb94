"""For information: where in a cycle a deviation sits. Hints, and no part of the verdict.

Both read the cycles that an engine reports. An exact rule that is not the ratio rule may show
differences here and still commit the target's law.
"""

from dataclasses import replace

import numpy as np

from engines.audit.checks.law import NO_COUNTS, why_no_cycles
from engines.audit.evidence import Check, Evidence
from engines.audit.scoring import Numbers, ScoredText
from engines.base import Continuation
from speculation.exactness.cycles import STRATA, Stratum
from speculation.exactness.long_runs import uniformity, z_by_place


def drafts(evidence: Evidence) -> Check:
    """Accepted over drafted, as the engine counts: what its own meters show."""
    check = Check("drafts, as counted", "How many of its drafts does the engine keep?", "note")
    told = [text.told for text in evidence.texts("main")]
    known = [x for x in told if x.drafted is not None and x.accepted is not None]
    drafted, accepted = (sum(getattr(x, y) or 0 for x in known) for y in ("drafted", "accepted"))
    if not known:
        if not evidence.able.counts:
            return replace(check, why_not=NO_COUNTS)
        cycles = [x for text in evidence.texts("main") for x in text.cycles or ()]
        drafted, accepted = sum(x.drafted for x in cycles), sum(x.accepted for x in cycles)
    if not drafted:
        return replace(check, words="It drafted nothing.")
    share = f"Accepted/drafted {accepted / drafted:.2f} ({accepted} of {drafted})."
    return replace(check, words=share)


def by_place(evidence: Evidence) -> Check:
    """Where in the cycle a deviation sits. Under a rule that judges a block as a whole, which place
    a token takes depends on later ones, and an exact rule shows differences."""
    check = Check("by place", "At which place of a cycle does the surprise differ?", "note")
    if reason := why_no_cycles(evidence):
        return replace(check, why_not=reason)
    found = z_by_place(evidence.joined("main"))
    parts = [
        f"place {place}: {x.effect:+.2f} ({x.low:+.2f} to {x.high:+.2f}, {x.runs} tokens)"
        for place, x in found.items()
    ]
    return replace(check, words="Excess surprise in nats, " + "; ".join(parts) + ".")


def by_door(evidence: Evidence) -> Check:
    """Each token against the law of the door it came through (see `exactness.cycles`): an accepted
    one follows min(p, q) / overlap, a replacement the residual, a bonus p. Any vocabulary."""
    question = (
        "Do accepted tokens, replacements and bonuses each follow the distribution of their own "
        "door?"
    )
    check = Check("by door", question, "note")
    if reason := why_no_cycles(evidence):
        return replace(check, why_not=reason)
    pairs = [(text, scored) for text, scored in evidence.pairs("main") if len(scored.overlaps)]
    if not pairs:
        return replace(check, why_not="The draft's distribution is not at hand.")
    rng = np.random.default_rng(evidence.plan.seed)
    parts = []
    for door in STRATA:
        rows = [scored_at(door, text, scored) for text, scored in pairs]
        low, high = np.concatenate(rows).T
        if not len(low):
            continue
        forbidden = int((high <= low).sum())
        heights = low + rng.random(len(low)) * (high - low)
        chance = 0.0 if forbidden else uniformity(heights, door).p_value
        never = f", {forbidden} of them impossible there" if forbidden else ""
        parts.append(f"{door}: p {_in_words(chance)} ({len(low)} tokens{never})")
    words = "Heights in the distributions of the ratio rule, flat if it is at work; not corrected. "
    return replace(check, words=words + "; ".join(parts) + ".")


def doors_of(text: Continuation) -> list[Stratum]:
    """The door of each token of a text that says how it was drafted."""
    doors: list[Stratum] = []
    for cycle in text.cycles or ():
        kept: list[Stratum] = ["accepted"] * min(cycle.accepted, cycle.committed)
        last: Stratum = "replaced" if cycle.accepted < cycle.drafted else "bonus"
        doors += [*kept, *[last] * (cycle.committed - len(kept))]
    return doors


def scored_at(door: Stratum, text: Continuation, scored: ScoredText) -> Numbers:
    """The intervals [n, 2] that the tokens of one door take in its law."""
    here = [i for i, name in enumerate(doors_of(text)) if name == door and i < len(scored.low)]
    columns = {
        "accepted": scored.accepted,
        "replaced": scored.replaced,
        "bonus": np.column_stack([scored.low, scored.high]),
    }
    found: Numbers = columns[door][here]
    return found


def _in_words(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
