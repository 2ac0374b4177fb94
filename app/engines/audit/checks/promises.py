"""Are promises kept: seeds, ends of text, biases, penalties, greedy text?"""

from collections import Counter
from dataclasses import replace

import numpy as np

from engines.audit.checks.law import GREEDY, NO_LAW, events, why_not
from engines.audit.evidence import Check, Evidence, counted
from engines.audit.plan import FORBIDDING, PRESENCE, REPETITION
from engines.base import Continuation
from speculation.exactness.counts import rank_p_value
from speculation.exactness.finding import Finding
from speculation.exactness.long_runs import pit_test

NO_PENALTY = "The engine has no such penalty."
LATER = "The samples for it were not reached."
NO_IDS = "Which ids the engine gives its tokens is not known without its tokenizer."


def seeds(evidence: Evidence) -> Check:
    """The same request with the same seed gives the same text.

    That two seeds differ is asked by `duplicates`: neighboring seeds that gave one text would show.
    """
    check = Check("seeds", "Does a request with a seed repeat?", certain=True)
    if not evidence.able.seeded:
        return replace(check, why_not="The engine takes no seeds.")
    if evidence.plan.sampling.temperature == 0.0:
        return replace(check, why_not=GREEDY)
    first = evidence.samples.get("main", {})
    again = [x for x in evidence.texts("repeat") if x.number in first]
    if not again:
        return replace(check, why_not=LATER)
    wrong = sum(x.tokens != first[x.number].tokens for x in again)
    return replace(check, finding=counted(check.name, wrong, len(again), "of the seeds"))


def ends(evidence: Evidence) -> Check:
    """Nothing follows an end of text, and what is called an end is one."""
    check = Check("end of text", "Does a text end at its end token, and only there?", certain=True)
    if not evidence.able.token_ids:
        return replace(check, why_not="The engine gives texts, not the tokens that were drawn.")
    wrong, ended = 0, 0
    for name, part in evidence.parts.items():
        for text in () if part.request.stop else evidence.texts(name):
            bad = ends_badly(text, part.request.end, part.request.length)
            ended += bad or not part.request.end.isdisjoint(text.tokens)
            wrong += bad
    if not ended:
        return replace(check, why_not="No text came to its end within its length.")
    finding = counted(check.name, wrong, ended, "of the texts that ended")
    words = ""
    if "ends" in evidence.parts:
        words = f"In one part, token {evidence.parts['ends'].token} was made an end of text."
    return replace(check, finding=finding, words=words)


def ends_badly(text: Continuation, end: frozenset[int], length: int) -> bool:
    """Whether something follows an end token, or the text stops without one before its length.

    >>> ends_badly(Continuation(0, (5, 9, 5), "length"), frozenset({9}), 3)
    True
    """
    *before, last = text.tokens or (None,)
    if not end.isdisjoint(before):
        return True
    if last in end:
        return text.finish != "end"
    return text.finish == "end" or len(text.tokens) != length


def early_ends(evidence: Evidence) -> Check:
    """The law holds in texts that end early, too."""
    return _law_of_part(
        evidence,
        Check("early ends", "Does the distribution hold in texts that end after a few tokens?"),
        "ends",
        evidence.able.end_tokens,
        "The engine takes no end tokens of one's own.",
    )


def forbidden(evidence: Evidence) -> Check:
    """A token with a bias of -100 is never emitted."""
    question = f"Does a token with a bias of {FORBIDDING:.0f} never come?"
    check = Check("forbidden token", question, certain=True)
    if not evidence.able.ids_known:
        return replace(check, why_not=NO_IDS)
    if reason := _cannot(evidence, "bias", evidence.able.logit_bias, "The engine has no biases."):
        return replace(check, why_not=reason)
    token = evidence.parts["bias"].token
    texts = evidence.texts("bias")
    wrong = sum(token in text.tokens for text in texts)
    words = f"Token {token}, with which most texts begin, was forbidden."
    finding = counted(check.name, wrong, len(texts), "of the texts")
    return replace(check, finding=finding, words=words)


def bias_law(evidence: Evidence) -> Check:
    """And the other tokens follow the law that is left."""
    check = Check(
        "distribution with a bias", "Do the other tokens follow the distribution that is left?"
    )
    return _law_of_part(
        evidence, check, "bias", evidence.able.logit_bias, "The engine has no biases."
    )


def repetition(evidence: Evidence) -> Check:
    """A repetition penalty is applied."""
    question = f"Is a repetition penalty of {REPETITION} applied?"
    able = evidence.able.repetition_penalty
    return _applied(evidence, Check("repetition penalty", question), "repetition", able)


def repetition_law(evidence: Evidence) -> Check:
    """And the tokens follow the law with it."""
    check = Check(
        "distribution with repetition", "Do texts with it follow the penalized distribution?"
    )
    able = evidence.able.repetition_penalty
    return _law_of_part(evidence, check, "repetition", able, NO_PENALTY)


def presence(evidence: Evidence) -> Check:
    """A presence penalty is applied."""
    question = f"Is a presence penalty of {PRESENCE} applied?"
    able = evidence.able.presence_penalty
    return _applied(evidence, Check("presence penalty", question), "presence", able)


def presence_law(evidence: Evidence) -> Check:
    """And the tokens follow the law with it."""
    check = Check(
        "distribution with presence", "Do texts with it follow the penalized distribution?"
    )
    able = evidence.able.presence_penalty
    return _law_of_part(evidence, check, "presence", able, NO_PENALTY)


def _applied(evidence: Evidence, check: Check, part: str, able: bool) -> Check:
    """Do tokens that the penalty makes rarer come as rarely as they should? If it were forgotten,
    they would come too often."""
    if reason := _cannot(evidence, part, able, NO_PENALTY) or why_not(evidence, part):
        return replace(check, why_not=reason)
    texts = [scored for _, scored in evidence.pairs(part) if len(scored.rarer)]
    chances = np.concatenate([x.rarer_chance for x in texts])
    came = int(sum(x.rarer.sum() for x in texts))
    unit = "of the tokens, above what is expected"
    words = f"{came} tokens came that it makes rarer; {chances.sum():.1f} are expected."
    return replace(check, finding=events(check.name, chances, came, unit), words=words)


def greedy(evidence: Evidence) -> Check:
    """At temperature 0 each token is the target's first choice, near-ties allowed for."""
    question = "Is every greedy token the target's first choice, or tied with it up to rounding?"
    check = Check("greedy text", question, certain=True)
    if not evidence.law_at_hand:
        return replace(check, why_not=NO_LAW)
    if evidence.greedy is None or not evidence.greedy.tokens:
        return replace(check, why_not=LATER)
    twin = next((x.tokens for x in evidence.texts("greedy twin")), ())
    found = replace(evidence.greedy, spread=evidence.arithmetic.spread, twin=twin)
    finding = counted(check.name, len(found.unexplained), len(found.tokens), "of the tokens")
    words = (
        f"Largest gap to the first choice {max(found.gaps):.2g}; reading one row or "
        f"{evidence.plan.k + 1} moves a logit by up to {found.moved:.2g}, so gaps of up to "
        f"{found.allowed:.2g} are ties. There were {len(found.near_ties)}."
    )
    if found.spread:
        words += f" A tie cannot be told from a bug below {found.allowed:.2g}."
    if found.shared:
        words += f" {len(found.shared)} wider ones are the plain engine's own choice, too."
    return replace(check, finding=finding, words=words)


def baseline(evidence: Evidence) -> Check:
    """Two samples, of the engine and of a plain one, have one law: chi-square over beginnings,
    with the p-value of a permutation test (the texts' labels shuffled), so that beginnings may be
    chosen from both samples together."""
    check = Check("baseline", "Do beginnings come as often as from the plain engine?")
    if "baseline" not in evidence.parts:
        return replace(check, why_not="There is no second engine to compare with.")
    own, other = evidence.texts("main"), evidence.texts("baseline")
    if min(len(own), len(other)) < 20:
        return replace(check, why_not="It takes 20 continuations of each.")
    rng = np.random.default_rng([evidence.plan.seed, 4])
    outcomes = pooled_beginnings([x.tokens for x in (*own, *other)], evidence.plan.depth)
    return replace(check, finding=homogeneity(outcomes, len(own), rng))


def pooled_beginnings(texts: list[tuple[int, ...]], depth: int, least: int = 10) -> np.ndarray:
    """The number of each text's longest beginning, up to `depth`, that `least` texts share."""
    sizes = range(depth, 0, -1)
    shared = Counter((size, text[:size]) for text in texts for size in sizes)
    names = [
        next((text[:size] for size in sizes if shared[size, text[:size]] >= least), ())
        for text in texts
    ]
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names])


def homogeneity(outcomes: np.ndarray, first: int, rng: np.random.Generator) -> Finding:
    """Are the outcomes [n] of the first so many, and of the others, draws from one law?"""
    size, runs = int(outcomes.max()) + 1, len(outcomes)
    share = first / runs
    expected = np.bincount(outcomes, minlength=size) * share

    def statistic(order: np.ndarray) -> float:
        counts = np.bincount(order[:first], minlength=size)
        return float(((counts - expected) ** 2 / (expected * (1.0 - share))).sum())

    found = statistic(outcomes)
    shuffled = np.array([statistic(rng.permutation(outcomes)) for _ in range(999)])
    p_value = rank_p_value(found, shuffled, rng)
    # Half the root of the chi-square distance between the two, as for one sample against a law.
    scale = share * (1.0 - share) * runs
    effect, low, high = (
        0.5 * float(np.sqrt(max(0.0, x - (size - 1)) / scale))
        for x in (found, found - 2.0 * np.sqrt(2.0 * found), found + 2.0 * np.sqrt(2.0 * found))
    )
    sees = float(0.5 * np.sqrt(10.5 * np.sqrt(max(1, size - 1)) / scale))
    unit = "total variation, at most"
    return Finding("baseline", found, p_value, effect, low, high, unit, runs, min(1.0, sees))


def _cannot(evidence: Evidence, part: str, able: bool, lacks: str) -> str:
    if evidence.plan.sampling.temperature == 0.0:
        return GREEDY
    if not able:
        return lacks
    return "" if evidence.texts(part) else LATER


def _law_of_part(evidence: Evidence, check: Check, part: str, able: bool, lacks: str) -> Check:
    """Heights of a part's tokens in the law with the part's settings."""
    if reason := _cannot(evidence, part, able, lacks) or why_not(evidence, part):
        return replace(check, why_not=reason)
    rng = np.random.default_rng([evidence.plan.seed, 5, len(part)])
    return replace(check, finding=pit_test(evidence.joined(part), rng))
