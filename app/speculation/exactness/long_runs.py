"""Texts of any length, over any vocabulary, from any engine: what teacher forcing can tell.

The target reads the finished text once and gives its law at every place. If the text follows the
target, then

    the height of each token in its law, at a random point within the token's own interval
    (randomized probability integral transform, PIT), is uniform and independent of the others;
    its surprise -log p exceeds the entropy H by nothing on average, so that
    z = sum(-log p - H) / sqrt(sum Var) is about normal.

Nothing is enumerated, and the engine need not say how it drafted. A sequence should hold at least
2k + 2 tokens: then every place in a cycle occurs, and two cycles meet.

Source: randomized PIT: Smith, "Diagnostic checks of non-standard time series models" (1985);
Dawid's prequential principle (1984).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from speculation.dice import interval_of
from speculation.exactness.counts import pearson
from speculation.exactness.finding import Finding, holm, z_finding
from speculation.rule import Law

Numbers = npt.NDArray[np.float64]


def pit(law: Law, token: int, u: float) -> float:
    """Where a token lies in its law: a point of its interval in `draw_intervals`, u of the way.

    A token that the law forbids has no interval; it gets 0, and is counted by `impossible`.

    >>> round(pit(np.array([0.25, 0.5, 0.25]), 0, 0.5), 3)      # its interval is [.5, .75)
    0.625
    """
    low, high = interval_of(law, token) or (0.0, 0.0)
    return low + u * (high - low)


@dataclass(frozen=True)
class Scored:
    """Texts, scored token by token; all arrays [T].

    heights   PIT
    surprise  -log p(x), infinite for a token that the law forbids
    entropy   the mean of the surprise under the law
    variance  its variance
    text      which text the token belongs to
    place     its place in the cycle, from 0; -1 where the engine does not say
    """

    heights: Numbers
    surprise: Numbers
    entropy: Numbers
    variance: Numbers
    text: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]

    @property
    def impossible(self) -> int:
        """How many tokens their law forbids."""
        return int(np.isinf(self.surprise).sum())


def score(
    laws: Law,
    tokens: Sequence[int],
    rng: np.random.Generator,
    places: Sequence[int] | None = None,
) -> Scored:
    """One text: the target's laws [T, V] after every prefix, and the tokens that came."""
    rows = np.arange(len(tokens))
    with np.errstate(divide="ignore"):
        surprise = -np.log(laws[rows, np.asarray(tokens)])
    moments = np.array([surprise_moments(row) for row in laws]).reshape(-1, 2)
    heights = [pit(law, x, rng.random()) for law, x in zip(laws, tokens, strict=True)]
    place = np.full(len(tokens), -1) if places is None else np.asarray(places)
    return Scored(
        np.array(heights), surprise, moments[:, 0], moments[:, 1], np.zeros_like(rows), place
    )


def surprise_moments(law: Law) -> tuple[float, float]:
    """Mean and variance of -log p(x) for x drawn from p."""
    p = law[law > 0.0]
    surprise = -np.log(p)
    entropy = float(p @ surprise)
    return entropy, float(p @ (surprise - entropy) ** 2)


def join(texts: Sequence[Scored]) -> Scored:
    """Several texts as one."""

    def all_of(name: str) -> Any:
        return np.concatenate([getattr(x, name) for x in texts])

    numbered = [np.full(len(x.heights), i) for i, x in enumerate(texts)]
    columns = (all_of(name) for name in ("heights", "surprise", "entropy", "variance"))
    heights, surprise, entropy, variance = columns
    text = np.concatenate(numbered)
    return Scored(heights, surprise, entropy, variance, text, all_of("place"))


def uniformity(
    heights: Numbers, check: str = "PIT", rng: np.random.Generator | None = None
) -> Finding:
    """Are the heights uniform? Chi-square over 20 equal bins, fewer where there are few heights."""
    size = height_bins(len(heights))
    counts = np.bincount(np.minimum((heights * size).astype(int), size - 1), minlength=size)
    return pearson(counts, np.full(size, 1.0 / size), rng, check)


def height_bins(heights: int) -> int:
    """20, 10, 5 or 2 bins: as many as leave five heights to each."""
    return next((size for size in (20, 10, 5) if heights >= 5 * size), 2)


def pit_test(scored: Scored, rng: np.random.Generator | None = None) -> Finding:
    """Do the tokens follow their laws? A forbidden token refutes it by itself."""
    finding = uniformity(scored.heights, "PIT", rng)
    return finding if not scored.impossible else _refuted(finding)


def serial_test(scored: Scored) -> Finding:
    """Is each token's height independent of the one before it? Lag-1 correlation within texts."""
    same = scored.text[1:] == scored.text[:-1]
    before, after = scored.heights[:-1][same], scored.heights[1:][same]
    products = 12.0 * (before - 0.5) * (after - 0.5)  # mean 0 and variance 1 if independent
    return z_finding(
        "serial correlation",
        float(products.sum()),
        float(len(products)),
        len(products),
        "correlation",
    )


def z_test(scored: Scored, check: str = "surprise") -> Finding:
    """Are the tokens as surprising as the target's own? In nats a token; above 0: less likely."""
    excess = scored.surprise - scored.entropy
    if scored.impossible:
        return Finding(check, np.inf, 0.0, np.inf, np.inf, np.inf, "nats", len(excess), 0.0)
    total, spread = float(excess.sum()), float((excess**2).sum())
    return z_finding(check, total, float(scored.variance.sum()), len(excess), "nats", spread)


def z_by_place(scored: Scored) -> dict[int, Finding]:
    """The same for each place in the cycle: an error in the bonus shows at the last one only.

    The p-values are corrected (Holm) for the number of places.
    """
    findings = {}
    for place in np.unique(scored.place[scored.place >= 0]):
        marked = scored.place == place
        part = Scored(*(getattr(scored, name)[marked] for name in scored.__dataclass_fields__))
        findings[int(place)] = z_test(part, f"surprise at place {place}")
    corrected = holm([x.p_value for x in findings.values()])
    return {
        place: Finding(**{**vars(finding), "p_value": p})
        for (place, finding), p in zip(findings.items(), corrected, strict=True)
    }


@dataclass(frozen=True)
class Quality:
    """Mean log-probability of the text's tokens under the target, and where it should lie.

    measured        the mean of log p(x)
    expected        minus the mean entropy: what the target's own texts have at these places
    low, high       95% of what chance allows around it
    """

    measured: float
    expected: float
    low: float
    high: float

    @property
    def inside(self) -> bool:
        return self.low <= self.measured <= self.high


def quality(scored: Scored) -> Quality:
    """The quality meter: a broken rule leaves the interval, upwards too (a text that is too
    likely is not the target's either); an exact one stays within."""
    expected = -float(scored.entropy.mean())
    half = 1.96 * float(np.sqrt(scored.variance.sum())) / len(scored.entropy)
    return Quality(-float(scored.surprise.mean()), expected, expected - half, expected + half)


def _refuted(finding: Finding) -> Finding:
    return Finding(**{**vars(finding), "statistic": np.inf, "p_value": 0.0})
