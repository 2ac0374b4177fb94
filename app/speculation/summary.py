"""The numbers of a run, computed from its trace.

Three rates are easily mixed up, and are kept apart here:

alpha             the mean overlap, sum of min(p, q), over the checked positions
accepted/checked  what happened there; its expectation is alpha
accepted/drafted  what engines print; lower, since it also divides by drafts nobody looked at
"""

from dataclasses import dataclass

from speculation.trace import Trace


@dataclass(frozen=True)
class Summary:
    """The numbers of one run; a rate is None where nothing was drafted."""

    cycles: int
    tokens: int
    drafted: int
    checked: int
    accepted: int
    tau: float | None
    alpha: float | None
    accepted_of_checked: float | None
    accepted_of_drafted: float | None
    draft_ms: float
    target_ms: float
    total_ms: float
    tokens_per_second: float | None
    timed_cycles: int

    @property
    def unchecked(self) -> int:
        """Drafted after a rejection, and thrown away unread."""
        return self.drafted - self.checked


def summarize(trace: Trace) -> Summary:
    """Count one run. Times are over the cycles whose passes were all made, not looked up."""
    checked = [x for cycle in trace.cycles for x in cycle.checked]
    drafted = sum(len(cycle.drafted) for cycle in trace.cycles)
    accepted = sum(cycle.n_accepted for cycle in trace.cycles)
    # A cycle that was cut by the length limit still decided n + 1; tau counts what was committed.
    tokens = len(trace.tokens)
    timed = [
        (cycle, timing)
        for cycle, timing in zip(trace.cycles, trace.timings.cycles, strict=True)
        if not timing.reused
    ]
    total_ms = sum(timing.total_ms for _, timing in timed)
    timed_tokens = sum(len(cycle.committed) for cycle, _ in timed)
    return Summary(
        cycles=len(trace.cycles),
        tokens=tokens,
        drafted=drafted,
        checked=len(checked),
        accepted=accepted,
        tau=_ratio(tokens, len(trace.cycles)),
        alpha=_ratio(sum(x.overlap or 0.0 for x in checked), len(checked)),
        accepted_of_checked=_ratio(accepted, len(checked)),
        accepted_of_drafted=_ratio(accepted, drafted),
        draft_ms=sum(timing.draft_ms for _, timing in timed),
        target_ms=sum(timing.target_ms for _, timing in timed),
        total_ms=total_ms,
        tokens_per_second=_ratio(1000.0 * timed_tokens, total_ms),
        timed_cycles=len(timed),
    )


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
