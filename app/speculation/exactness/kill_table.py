"""Every scheme against every check: the runs that catch it with 90% power, predicted.

Nothing is sampled here. A scheme's texts are enumerated on a small pair of models, and each check
is asked how many of them it would need. Two columns of verdicts: *exact?* (do the tokens follow
the target?) and *as fast as it should be?* (are drafts kept as often as p and q overlap, and does
every cycle end with a token of the target's?). An exact scheme has nothing in the first column.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from speculation.dice import interval_of
from speculation.exactness.finding import POWER
from speculation.exactness.long_runs import height_bins, surprise_moments
from speculation.exactness.power import (
    NEVER,
    chi_square_power,
    first_reaching,
    runs_needed_by_z,
    runs_needed_for,
    runs_needed_to_see_once,
)
from speculation.sampling import Sampling
from speculation.schemes import SCHEMES, Scheme
from speculation.schemes.known_laws import (
    CycleOutcome,
    KnownPair,
    Text,
    cycle_law,
    cycles_of_texts,
    target_law,
    text_law,
)

WORDS = 4
EXEMPT_ABOVE = 100_000
PIT_BINS = 20
EXACT_CHECKS = ("token", "text", "cycle", "PIT", "surprise")
SPEED_CHECKS = ("overlap", "bonus")


@dataclass(frozen=True)
class Stage:
    """Where schemes are put to the test: a pair, its draft length, and lengths of texts."""

    pair: KnownPair
    k: int
    text: int
    long: int


@lru_cache(maxsize=8)
def default_stage(seed: int = 6) -> Stage:
    """Four tokens, one of them an end of text; laws that depend on the last two tokens.

    A temperature and a top-k, so that a setting left out shows; the draft is a blur of the target.
    """
    scores: dict[tuple[int, Text], np.ndarray] = {}

    def tree(which: int, text: Text) -> np.ndarray:
        if (which, text) not in scores:
            rng = np.random.default_rng([seed, which, len(text), *text])
            own = rng.normal(size=WORDS)
            scores[which, text] = own if which == 0 else tree(0, text) + 0.5 * own
        return scores[which, text]

    pair = KnownPair(
        lambda text: tree(0, text),
        lambda text: tree(1, text),
        Sampling(temperature=0.8, top_k=3),
        frozenset({WORDS - 1}),
        memory=2,
    )
    return Stage(pair, k=2, text=4, long=6)


@lru_cache(maxsize=1)
def thirds_stage() -> Stage:
    """Two tokens, p = (1/3, 2/3) and q = (2/3, 1/3), k = 3: for numbers shared between cycles."""
    thirds = np.array([1.0, 2.0]) / 3.0
    return Stage(KnownPair.constant(thirds, thirds[::-1]), k=3, text=4, long=4)


def stage_for(scheme: Scheme) -> Stage:
    """A scheme that shares numbers between cycles is enumerated whole, so on a smaller stage."""
    return thirds_stage() if scheme.reuses_numbers else default_stage()


@dataclass(frozen=True)
class Row:
    """One scheme: the runs (texts) each check needs; None where it will never see anything."""

    scheme: Scheme
    runs: dict[str, int | None]

    def fewest(self, checks: Sequence[str]) -> int | None:
        found = [n for n in (self.runs[check] for check in checks) if n is not None]
        return min(found, default=None)

    @property
    def caught_with(self) -> int | None:
        """The fewest runs in which some check sees that the text is not the target's."""
        return self.fewest(EXACT_CHECKS)

    @property
    def slow_with(self) -> int | None:
        """The fewest runs in which some check sees that it is slower than it should be."""
        return self.fewest(SPEED_CHECKS)

    @property
    def exempt(self) -> bool:
        """Whether the bias is too small for the runs anybody would make."""
        return self.caught_with is not None and self.caught_with > EXEMPT_ABOVE


def kill_table(
    schemes: Iterable[Scheme] = tuple(SCHEMES.values()), stage: Stage | None = None
) -> list[Row]:
    """One row a scheme."""
    return [kill_row(scheme, stage or stage_for(scheme)) for scheme in schemes]


def as_records(rows: Iterable[Row]) -> list[dict[str, object]]:
    """The table as plain values, to be committed as JSON and compared with a new one."""
    return [
        {
            "scheme": row.scheme.name,
            "exact": row.scheme.exact,
            "as_fast": row.scheme.as_fast,
            "caught_with": row.caught_with,
            "slow_with": row.slow_with,
            "exempt": row.exempt,
            "runs": row.runs,
        }
        for row in rows
    ]


def kill_row(scheme: Scheme, stage: Stage) -> Row:
    """What each check needs. All schemes claim the target's text; an exact one claims its own
    cycles, a broken one those of the scheme it means to be."""
    pair, k = stage.pair, stage.k
    claim = scheme if scheme.exact else SCHEMES[scheme.claims]
    actual, claimed = (joint_of(cycle_law(x, pair, k)) for x in (scheme, claim))
    long = text_law(scheme, pair, k, stage.long)
    texts, first = _beginnings(long, stage.text), _beginnings(long, 1)
    return Row(
        scheme,
        {
            "token": runs_needed_for(first, target_law(pair, 1)),
            "text": runs_needed_for(texts, target_law(pair, stage.text)),
            "cycle": runs_needed_for(actual, claimed),
            "PIT": _runs_by_pit(long, pair),
            "surprise": _runs_by_surprise(long, pair),
            **_runs_by_speed(scheme, stage),
        },
    )


def _beginnings(texts: dict[Text, float], length: int) -> dict[Text, float]:
    """The law of the first tokens."""
    shorter: defaultdict[Text, float] = defaultdict(float)
    for text, chance in texts.items():
        shorter[text[:length]] += chance
    return dict(shorter)


def joint_of(cycles: dict[CycleOutcome, float]) -> dict[tuple[int, Text], float]:
    """The law of accepted count and tokens."""
    joint: defaultdict[tuple[int, Text], float] = defaultdict(float)
    for cycle, chance in cycles.items():
        joint[cycle.n_accepted, cycle.tokens] += chance
    return dict(joint)


def _runs_by_pit(texts: dict[Text, float], pair: KnownPair) -> int | None:
    """From the law of the heights of all tokens, pooled over bins."""
    edges = np.linspace(0.0, 1.0, PIT_BINS + 1)
    heights = np.zeros(PIT_BINS)
    tokens = forbidden = 0.0
    for text, chance in texts.items():
        allowed = True
        for i, token in enumerate(text):
            interval = interval_of(pair.law_after(text[:i]), token)
            tokens += chance
            if interval is None:
                allowed = False
                continue
            low, high = interval
            inside = np.maximum(np.minimum(edges[1:], high) - np.maximum(edges[:-1], low), 0.0)
            heights += chance * inside / (high - low)
        forbidden += 0.0 if allowed else chance
    mean_length = tokens / sum(texts.values())
    heights /= heights.sum()
    if np.abs(heights - 1.0 / PIT_BINS).max() < NEVER:
        return runs_needed_to_see_once(forbidden)

    def power_at(texts: int) -> float:
        seen = int(texts * mean_length)
        size = height_bins(seen)
        merged = heights.reshape(size, -1).sum(axis=1)
        return chi_square_power(merged, np.full(size, 1.0 / size), seen)

    return _fewer(first_reaching(power_at, POWER), runs_needed_to_see_once(forbidden))


def _runs_by_surprise(texts: dict[Text, float], pair: KnownPair) -> int | None:
    """From mean and variance of a text's excess surprise."""
    mean = square = claimed = forbidden = 0.0
    for text, chance in texts.items():
        excess = variance = 0.0
        for i, token in enumerate(text):
            p = pair.law_after(text[:i])
            if p[token] <= 0.0:
                forbidden += chance
                break
            entropy, spread = surprise_moments(p)
            excess += -float(np.log(p[token])) - entropy
            variance += spread
        mean += chance * excess
        square += chance * excess**2
        claimed += chance * variance
    by_z = runs_needed_by_z(mean, square - mean**2, claimed)
    return _fewer(by_z, runs_needed_to_see_once(forbidden))


def _runs_by_speed(scheme: Scheme, stage: Stage) -> dict[str, int | None]:
    """From the drafts each cycle of a text accepts, against the overlap of the two models there
    (a draft that has read what it should), and from cycles that end without a token of p's."""
    pair, k = stage.pair, stage.k
    mean = variance = bare = 0.0
    for text, cycle, chance in cycles_of_texts(scheme, pair, k, stage.long):
        places = [pair.overlap_after(text + cycle.tokens[:i]) for i in range(cycle.checked)]
        mean += chance * (cycle.n_accepted - sum(places))
        variance += chance * sum(o * (1.0 - o) for o in places)
        ended = (text + cycle.tokens)[-1] in pair.end
        bare += chance * (len(cycle.tokens) == cycle.n_accepted and not ended)
    return {
        "overlap": runs_needed_by_z(mean, variance, variance) if mean < 0.0 else None,
        "bonus": runs_needed_to_see_once(min(1.0, bare)),
    }


def _fewer(one: int | None, other: int | None) -> int | None:
    return min((n for n in (one, other) if n is not None), default=None)
