"""Do the texts follow the target's law, and do they leave each other alone?"""

from dataclasses import replace

import numpy as np

from engines.audit.evidence import Check, Evidence
from engines.audit.scoring import Numbers
from speculation.exactness.counts import pearson_of
from speculation.exactness.finding import Finding, z_finding
from speculation.exactness.long_runs import pit_test, serial_test, z_test

NO_LAW = "The target is not at hand, so its distribution is not known."
GREEDY = "At temperature 0 nothing is drawn."
ENOUGH = 10.0
"""The variance of a sum of terms of size 1 from which on it is nearly normal."""
NO_COUNTS = "The engine does not say how many drafts it kept."
NOTHING = "No continuation has come yet."


def why_not(evidence: Evidence, part: str = "main") -> str:
    """What keeps the checks of the law from running, if anything does."""
    if evidence.plan.sampling.temperature == 0.0:
        return GREEDY
    if not evidence.law_at_hand:
        return NO_LAW
    return "" if any(len(text.low) for _, text in evidence.pairs(part)) else NOTHING


def why_no_cycles(evidence: Evidence) -> str:
    """Why a check that reads how an engine drafted cannot run; empty if it can."""
    return why_not(evidence) or ("" if evidence.able.counts else NO_COUNTS)


def first_tokens(evidence: Evidence) -> Check:
    """The joint law of the first tokens, by chi-square over the tree's outcomes."""
    check = Check("first tokens", "Do beginnings come as often as the target's distribution says?")
    if reason := why_not(evidence):
        return replace(check, why_not=reason)
    if evidence.tree is None:
        return replace(check, why_not="Stopped before the target was asked for its beginnings.")
    texts = [text for text, _ in evidence.pairs("main")]
    if len(texts) < 20:
        return replace(check, why_not="Fewer than 20 continuations: too few to count.")
    rng = np.random.default_rng([evidence.plan.seed, 1])
    counts = evidence.tree.counts(texts)
    finding = pearson_of(counts, evidence.tree.law, rng, check.name)
    depth = max(len(prefix) for prefix, _ in evidence.tree.law)
    words = f"{len(evidence.tree.law)} beginnings of up to {depth} tokens."
    return replace(check, finding=finding, words=words)


def every_token(evidence: Evidence) -> Check:
    """The height of each token in its law is uniform."""
    check = Check("every token", "Does each token follow the distribution at its place?")
    if reason := why_not(evidence):
        return replace(check, why_not=reason)
    scored = evidence.joined("main")
    finding = pit_test(scored, np.random.default_rng([evidence.plan.seed, 2]))
    words = (
        f"{scored.impossible} tokens came that the distribution forbids."
        if scored.impossible
        else ""
    )
    return replace(check, finding=finding, words=words)


def surprise(evidence: Evidence) -> Check:
    """Each token is as surprising as the target's own would be."""
    check = Check("surprise", "Are the tokens as likely as the target's own?")
    if reason := why_not(evidence):
        return replace(check, why_not=reason)
    return replace(check, finding=z_test(evidence.joined("main")))


def within_texts(evidence: Evidence) -> Check:
    """A token's height says nothing about the next one's."""
    check = Check("within a text", "Is each token independent of the draw before it?")
    if reason := why_not(evidence):
        return replace(check, why_not=reason)
    return replace(check, finding=serial_test(evidence.joined("main")))


def between_texts(evidence: Evidence) -> Check:
    """Neighboring requests do not resemble each other: heights at the same place, lag 1."""
    check = Check("between requests", "Is each continuation independent of the one before it?")
    if reason := why_not(evidence):
        return replace(check, why_not=reason)
    scored = evidence.joined("main")
    numbers = [text.number for text, _ in evidence.pairs("main")]
    rows = [scored.heights[scored.text == i] for i in range(len(numbers))]
    products = [
        12.0 * (rows[i][:size] - 0.5) * (rows[i + 1][:size] - 0.5)
        for i in range(len(numbers) - 1)
        if numbers[i + 1] == numbers[i] + 1
        for size in [min(len(rows[i]), len(rows[i + 1]))]
    ]
    terms = np.concatenate(products) if products else np.array([])
    if not len(terms):
        return replace(check, why_not="It takes two continuations in a row.")
    total, count = float(terms.sum()), len(terms)
    return replace(check, finding=z_finding(check.name, total, count, count, "correlation"))


def duplicates(evidence: Evidence) -> Check:
    """As many texts come twice as should.

    The next text is one of those seen with a probability that is known: the sum of theirs. So the
    number of repetitions is a sum of events of known probability, each given what came before.
    """
    check = Check("duplicates", "Do equal continuations come as often as they should?")
    if reason := why_not(evidence):
        return replace(check, why_not=reason)
    chances, repeated = chances_of_repeating(evidence)
    finding = events(check.name, chances, repeated, "of the continuations")
    words = f"{repeated} of {len(chances)} came before; {chances.sum():.2f} are expected."
    return replace(check, finding=finding, words=words)


def chances_of_repeating(evidence: Evidence) -> tuple[Numbers, int]:
    """For each text of the main part, the chance that it is one seen before; and how many were."""
    chances, repeated, mass, seen = [], 0, 0.0, set[tuple[int, ...]]()
    for text, scored in evidence.pairs("main"):
        chances.append(min(1.0, mass))
        if text.tokens in seen:
            repeated += 1
        else:
            mass += scored.probability
            seen.add(text.tokens)
    return np.array(chances), repeated


def events(name: str, chances: Numbers, came: int, unit: str, u: float | None = None) -> Finding:
    """So many events came, of these chances, against the exact law of their number.

    The chance of each may depend on what came before it.

    u  a random number that breaks ties: then the p-value is uniform. Without it, as in an audit,
       it is the exact one, never too small: nobody is to be flagged by a coin.
    """
    law = np.array([1.0])
    for chance in chances[chances > 0.0]:
        law = np.append(law, 0.0) * (1.0 - chance) + np.append(0.0, law) * chance
    runs = len(chances)
    law = np.append(law, np.zeros(max(0, came + 1 - len(law))))
    below, there = float(law[:came].sum()), float(law[came])
    low, high = (
        (below + there, 1.0 - below) if u is None else (below + u * there, 1.0 - below - u * there)
    )
    p_value = max(0.0, min(1.0, 2.0 * min(low, high)))
    variance = float((chances * (1.0 - chances)).sum())
    excess = came - float(chances.sum())
    by_z = z_finding(name, excess, max(variance, 1e-300), runs, unit)
    least = 2.3 / runs  # what shows at least once with 90% power
    half = max(by_z.high - by_z.effect, 3.7 / runs if variance < 1.0 else 0.0)
    return replace(
        by_z,
        statistic=float(came),
        p_value=p_value,
        low=by_z.effect - half,
        high=by_z.effect + half,
        sees=max(by_z.sees, least),
    )


def toward_draft(evidence: Evidence) -> Check:
    """Tokens that the draft favors come no more often than p says.

    Most mistakes push the text toward the draft: a replacement drawn from p, for one, commits
    p(x) (1 + min(1, q/p) - overlap), so the mean of min(1, q/p) is the very direction to look in.
    """
    check = Check(
        "toward the draft", "Do the draft's favorites come no more often than they should?"
    )
    if reason := why_not(evidence):
        return replace(check, why_not=reason)
    texts = [scored for _, scored in evidence.pairs("main") if len(scored.lean)]
    if not texts:
        return replace(check, why_not="The draft's distribution is not at hand.")
    lean = np.concatenate([x.lean for x in texts])
    variance = float(np.concatenate([x.lean_variance for x in texts]).sum())
    return replace(check, finding=bounded_sum(check.name, lean, variance))


def bounded_sum(name: str, terms: Numbers, variance: float) -> Finding:
    """A sum of terms within [-1, 1], of mean 0 and known variance if the claim is true.

    Where p and q are so alike that few terms are far from 0, their sum is not nearly normal; then
    the p-value is a bound that always holds: Freedman's inequality (1975), for both tails.
    """
    unit = "of min(1, q/p), above the overlap"
    total = float(terms.sum())
    found = z_finding(name, total, variance, len(terms), unit, float((terms**2).sum()))
    if variance >= ENOUGH:
        return found
    bound = 2.0 * float(np.exp(-(total**2) / (2.0 * (variance + abs(total) / 3.0) + 1e-12)))
    return replace(found, p_value=min(1.0, bound))
