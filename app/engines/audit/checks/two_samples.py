"""Two endpoints, one with speculation and one without: do their texts follow one law?

`checks_promises.baseline` compares beginnings. Here are the rest of the text, place by place, and
the lengths. All are permutation tests: if the two are alike, it does not matter which text came
from which, so the texts' labels are shuffled, whole texts at a time, since the tokens of one text
depend on each other. The p-value is exact for any number of texts.

Source: Pitman (1937), permutation tests; Pearson's chi-square for homogeneity as the statistic.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from engines.audit.evidence import Check, Evidence
from engines.base import Continuation
from speculation.exactness.counts import rank_p_value
from speculation.exactness.finding import Finding

Outcomes = npt.NDArray[np.int64]

LEAST = 20  # texts of each endpoint
OFTEN = 10  # times an outcome must come in both together to be counted by itself
SHUFFLES = 999
ENDED = -1


def baseline_places(evidence: Evidence) -> Check:
    """The tokens at each place after the beginnings, all places in one test."""
    question = "Do tokens further on come as often as from the plain engine?"
    check, own, other = _begin(evidence, Check("baseline places", question))
    if check.why_not:
        return check
    texts = [*own, *other]
    longest = max(len(text.tokens) for text in texts)
    places = range(min(evidence.plan.depth, longest - 1), longest)
    columns = np.array([pooled([_at(text, place) for text in texts]) for place in places])
    rng = np.random.default_rng([evidence.plan.seed, 6])
    return replace(check, finding=shuffled(check.name, columns, len(own), rng))


def baseline_lengths(evidence: Evidence) -> Check:
    """How long the texts are, where they end by themselves."""
    check = Check("baseline lengths", "Are texts as long as from the plain engine?")
    check, own, other = _begin(evidence, check)
    if check.why_not:
        return check
    lengths = [len(text.tokens) if text.finish == "end" else 0 for text in (*own, *other)]
    if not any(lengths):
        return replace(check, why_not="No text ended before it was cut.")
    rng = np.random.default_rng([evidence.plan.seed, 7])
    return replace(check, finding=shuffled(check.name, pooled(lengths)[None], len(own), rng))


def _begin(
    evidence: Evidence, check: Check
) -> tuple[Check, list[Continuation], list[Continuation]]:
    """The check, with a reason if it cannot run, and the two samples."""
    if "baseline" not in evidence.parts:
        return replace(check, why_not="There is no second engine to compare with."), [], []
    own, other = evidence.texts("main"), evidence.texts("baseline")
    if min(len(own), len(other)) < LEAST:
        check = replace(check, why_not=f"It takes {LEAST} continuations of each.")
    return check, own, other


def _at(text: Continuation, place: int) -> int:
    return text.tokens[place] if place < len(text.tokens) else ENDED


def pooled(values: list[int]) -> Outcomes:
    """Values numbered from 0; the rare ones share a number, with the rarest of the others if they
    are still too few.

    >>> pooled([7] * 12 + [8] * 12 + [1] * 6 + [2] * 5)[[0, 12, 24, -1]]
    array([1, 2, 0, 0])
    """
    counts = Counter(values)
    order = sorted(counts, key=lambda value: (counts[value], value))
    rare = sum(counts[value] < OFTEN for value in order)
    if 0 < rare < len(order) and sum(counts[value] for value in order[:rare]) < OFTEN:
        rare += 1
    often = sorted(order[rare:])
    numbers = dict.fromkeys(order[:rare], 0)
    numbers |= {value: i + (rare > 0) for i, value in enumerate(often)}
    return np.array([numbers[value] for value in values])


def shuffled(name: str, columns: Outcomes, first: int, rng: np.random.Generator) -> Finding:
    """Are the first so many texts, and the others, draws from one law?

    columns  [places, texts], the outcome of each text at each place

    The statistic is chi-square, summed over the places. The effect is half the root of the mean
    chi-square distance of a place, an upper bound of its total variation; how far the statistic
    scatters is read off the shuffles.
    """
    places, runs = columns.shape
    share = first / runs
    sizes = columns.max(axis=1) + 1
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    flat = columns + starts[:, None]
    expected = np.bincount(flat.ravel(), minlength=int(sizes.sum())) * share

    def statistic(chosen: Outcomes) -> float:
        counts = np.bincount(flat[:, chosen].ravel(), minlength=len(expected))
        return float(((counts - expected) ** 2 / (expected * (1.0 - share))).sum())

    found = statistic(np.arange(first))
    null = np.array([statistic(rng.permutation(runs)[:first]) for _ in range(SHUFFLES)])
    p_value = rank_p_value(found, null, rng)
    scale = share * (1.0 - share) * runs * places
    mean, spread = float(null.mean()), float(null.std())
    half = 1.96 * float(np.sqrt(spread**2 + 4.0 * max(0.0, found - mean)))
    effect, low, high = (
        min(1.0, 0.5 * float(np.sqrt(max(0.0, x) / scale)))
        for x in (found - mean, found - mean - half, found - mean + half)
    )
    # Seen with 90% power: what lifts the statistic 1.28 spreads above the shuffles' top 5%.
    sees = min(1.0, 0.5 * float(np.sqrt((1.645 + 1.28) * max(spread, 1e-9) / scale)))
    unit = "total variation a place, at most"
    return Finding(name, found, p_value, effect, low, high, unit, runs, sees)
