"""From records of runs to the numbers that are shown, each with an interval.

Two ways to draw again, both bootstraps of 95% (Efron 1979). Agreement varies from prompt to
prompt, so alpha's interval draws prompts again. A speed is measured on few prompts, and varies from
cycle to cycle: its interval draws cycles again within each prompt, and says nothing about others.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from measuring.run_record import PLAIN, RunRecord

DRAWS = 1000
Floats = npt.NDArray[np.float64]


class Estimate(BaseModel):
    """A number and its 95% interval, from `count` of what was drawn again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mean: float
    low: float
    high: float
    count: int

    @property
    def text(self) -> str:
        return f"{self.mean:.2f} ({self.low:.2f} to {self.high:.2f})"


def ratio_of_sums(top: Sequence[float], bottom: Sequence[float], seed: int = 0) -> Estimate:
    """sum(top) / sum(bottom), pairs drawn again together.

    >>> ratio_of_sums([1.0, 2.0], [2.0, 4.0])
    Estimate(mean=0.5, low=0.5, high=0.5, count=2)
    """
    over, under = np.asarray(top, dtype=np.float64), np.asarray(bottom, dtype=np.float64)
    if len(over) == 0 or under.sum() <= 0.0:
        raise ValueError("nothing was measured: there is no ratio")
    picks = np.random.default_rng(seed).integers(0, len(over), (DRAWS, len(over)))
    sums = under[picks].sum(axis=1)
    again = over[picks].sum(axis=1)[sums > 0] / sums[sums > 0]
    return _estimate(float(over.sum() / under.sum()), again, len(over))


def alpha_of(records: Sequence[RunRecord]) -> Estimate | None:
    """The mean overlap over checked positions; the interval draws prompts again.

    None where nothing was drafted.
    """
    sums: defaultdict[tuple[str, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for record in records:
        sums[record.kind, record.prompt][0] += sum(record.overlap)
        sums[record.kind, record.prompt][1] += sum(record.reached)
    some = [pair for pair in sums.values() if pair[1]]
    if not some:
        return None
    return ratio_of_sums([top for top, _ in some], [bottom for _, bottom in some])


def by_position(records: Sequence[RunRecord]) -> tuple[list[float | None], list[int]]:
    """Overlap at each position of the cycle (None where it was never checked), and how often."""
    most = max((len(record.reached) for record in records), default=0)
    sums, reached = np.zeros(most), np.zeros(most, dtype=int)
    for record in records:
        sums[: len(record.overlap)] += record.overlap
        reached[: len(record.reached)] += record.reached
    means = [float(s / n) if n else None for s, n in zip(sums, reached, strict=True)]
    return means, reached.tolist()


def beside(record: RunRecord, plain: Iterable[RunRecord]) -> list[RunRecord]:
    """The turns of plain decoding before and after a run, on the same prompt and settings."""
    return [
        turn
        for turn in plain
        if turn.rung == PLAIN
        and turn.key[1:5] == record.key[1:5]
        and turn.turn in (record.turn, record.turn + 1)
    ]


def speedup_of(records: Sequence[RunRecord], plain: Sequence[RunRecord]) -> Estimate | None:
    """Tokens/s over plain decoding's beside it; the interval draws cycles again.

    Each run is compared with the two turns of plain decoding around it; prompts weigh equally.
    """
    rng = np.random.default_rng(0)
    means, draws = [], []
    for record in records:
        turns = beside(record, plain)
        if not turns:
            continue
        steps = np.concatenate([turn.cycle_ms for turn in turns])
        rows = np.array([record.committed, record.cycle_ms], dtype=np.float64)
        means.append(rows[0].sum() / rows[1].sum() * steps.mean())
        picks = rng.integers(0, rows.shape[1], (DRAWS, rows.shape[1]))
        other = rng.integers(0, len(steps), (DRAWS, len(steps)))
        speed = rows[0][picks].sum(axis=1) / rows[1][picks].sum(axis=1)
        draws.append(speed * steps[other].mean(axis=1))
    if not means:
        return None
    return _estimate(float(np.mean(means)), np.mean(draws, axis=0), len(means))


def by_precision(
    records: Sequence[RunRecord], of: Callable[[Sequence[RunRecord]], float]
) -> dict[str, float]:
    """One number for the records of each precision."""
    return {
        precision: of([x for x in records if x.precision == precision])
        for precision in sorted({x.precision for x in records})
    }


def step_ms(plain: Sequence[RunRecord]) -> float:
    """One target pass over one row, inside its call."""
    return sum(x.target_ms for x in plain) / sum(len(x.cycle_ms) for x in plain)


def unrest(plain: Sequence[RunRecord]) -> float:
    """How unsteady the machine was: plain decoding's slow turns over its fast ones (90% over 10%).

    Close to 1 on a quiet machine. Where it is much larger, other work took the processor, and no
    time measured then deserves trust.
    """
    paces = [x.total_ms / x.tokens for x in plain]
    slow, fast = np.percentile(paces, [90, 10])
    return five_digits(float(slow / fast))


def draft_cost(records: Sequence[RunRecord], step: float) -> float | None:
    """c: one draft step over one target step; None where nothing was drafted."""
    drafted = sum(x.drafted for x in records)
    return sum(x.draft_ms for x in records) / drafted / step if drafted else None


def block_cost(records: Sequence[RunRecord], step: float) -> float | None:
    """v(k): one target pass over k + 1 rows over one row; None where no block was ever full."""
    full = sum(x.full for x in records)
    return sum(x.full_target_ms for x in records) / full / step if full else None


def log_prob_of(records: Sequence[RunRecord]) -> Estimate:
    """Mean log p(x) a committed token, prompts weighing equally: runs are drawn again within each.

    Two ways of decoding are compared on the same prompts, so the prompts stay.
    """
    return _by_prompt(records, lambda x: x.log_prob, lambda x: x.scored)


def tpot_of(records: Sequence[RunRecord]) -> Estimate:
    """Milliseconds a committed token, weighed and drawn again in the same way."""
    return _by_prompt(records, lambda x: x.total_ms, lambda x: x.tokens)


def _by_prompt(
    records: Sequence[RunRecord],
    top: Callable[[RunRecord], float],
    bottom: Callable[[RunRecord], float],
) -> Estimate:
    groups: defaultdict[tuple[str, int], list[RunRecord]] = defaultdict(list)
    for record in records:
        groups[record.kind, record.prompt].append(record)
    rng = np.random.default_rng(0)
    means, draws = [], []
    for group in groups.values():
        over, under = np.array([top(x) for x in group]), np.array([bottom(x) for x in group])
        picks = rng.integers(0, len(group), (DRAWS, len(group)))
        means.append(over.sum() / under.sum())
        draws.append(over[picks].sum(axis=1) / under[picks].sum(axis=1))
    return _estimate(float(np.mean(means)), np.mean(draws, axis=0), len(records))


def _estimate(mean: float, again: Floats, count: int) -> Estimate:
    low, high = np.percentile(again, [2.5, 97.5])
    return Estimate(
        mean=five_digits(mean),
        low=five_digits(float(low)),
        high=five_digits(float(high)),
        count=count,
    )


def five_digits(value: float) -> float:
    """Five digits are more than any of these numbers deserve."""
    return float(f"{value:.5g}")
