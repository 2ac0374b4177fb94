"""An engine's printed numbers, read backwards: alpha, what each k should earn, and what to suspect.

Engines print an acceptance number, and not all mean the same by it. Whatever it is, it says alpha
under the textbook's assumption (each draft accepted with the same chance); from alpha follows tau;
and tau over the measured speed-up is what a cycle really cost.
"""

from dataclasses import dataclass
from typing import Literal

from speculation.theory import (
    accepted_over_drafted,
    alpha_from_rate,
    alpha_from_tau,
    best_k,
    cycle_cost,
    expected_speedup,
    expected_tau,
)

Definition = Literal["drafted", "checked", "tau", "accepted"]
DEFINITIONS: dict[Definition, str] = {
    "drafted": "accepted / drafted: the usual “acceptance rate”",
    "tau": "tokens a step, the target's own token counted: the usual “acceptance length”",
    "accepted": "accepted drafts a step, the target's own token not counted",
    "checked": "accepted / checked: its expectation is alpha",
}
NOTICEABLE = 0.05


@dataclass(frozen=True)
class Printed:
    """What an engine prints, and what is known of its costs.

    value     the acceptance number, by `definition`; a share is from 0 to 1
    speed, plain_speed   tokens/s with speculation and without; None if unknown
    batch     how many requests are decoded together
    c         one draft step over one target step
    per_row   what each further row adds to a target pass: v(k) = 1 + per_row * k
    """

    k: int
    value: float
    definition: Definition
    speed: float | None = None
    plain_speed: float | None = None
    batch: int = 1
    c: float = 0.0
    per_row: float = 0.0

    def block_cost(self, k: int) -> float:
        return 1.0 + self.per_row * k


@dataclass(frozen=True)
class Suspect:
    """One explanation of a gain that is smaller than forecast: its name, and what it would take."""

    name: str
    finding: str


@dataclass(frozen=True)
class Reading:
    """What follows from the printed numbers; costs are in plain target steps."""

    alpha: float
    tau: float
    printed_rate: float
    forecast: dict[int, float]
    best: int
    expected: float
    measured: float | None
    cost: float | None
    suspects: tuple[Suspect, ...]


def invert(printed: Printed) -> float:
    """Alpha from the printed number (`scipy.optimize.brentq`).

    Raises ValueError for a number that its definition cannot give.

    >>> round(invert(Printed(5, 0.54, "drafted")), 2), round(invert(Printed(5, 3.69, "tau")), 2)
    (0.8, 0.8)
    """
    if printed.k < 1:
        raise ValueError(f"k is {printed.k}, expected at least 1")
    if printed.definition == "drafted":
        return alpha_from_rate(printed.value, printed.k)
    if printed.definition == "tau":
        return alpha_from_tau(printed.value, printed.k)
    if printed.definition == "accepted":
        return alpha_from_tau(printed.value + 1.0, printed.k)
    if not 0.0 <= printed.value <= 1.0:
        raise ValueError(f"accepted / checked is {printed.value}, expected a number from 0 to 1")
    return printed.value


def read(printed: Printed, most: int = 16) -> Reading:
    """Alpha, the forecast for every k up to `most`, and suspects where the gain falls short.

    Raises ValueError for numbers that cannot be.
    """
    alpha, k = invert(printed), printed.k
    tau = expected_tau(alpha, k)
    forecast = {
        n: expected_speedup(alpha, n, printed.c, printed.block_cost(n))
        for n in range(1, max(most, k) + 1)
    }
    measured = cost = None
    if printed.speed and printed.plain_speed:
        measured = printed.speed / printed.plain_speed
        cost = cycle_cost(tau, measured)
    return Reading(
        alpha=alpha,
        tau=tau,
        printed_rate=accepted_over_drafted(alpha, k),
        forecast=forecast,
        best=best_k(alpha, printed.c, printed.block_cost, max(most, k)),
        expected=forecast[k],
        measured=measured,
        cost=cost,
        suspects=_suspects(printed, cost, forecast[k], measured),
    )


def _suspects(
    printed: Printed, cost: float | None, expected: float, measured: float | None
) -> tuple[Suspect, ...]:
    """What each cost would have to be, if it alone explained the difference."""
    if cost is None or measured is None or measured >= expected * (1.0 - NOTICEABLE):
        return ()
    k, block = printed.k, printed.block_cost(printed.k)
    c, v = (cost - block) / k, cost - printed.c * k
    excess = cost - block - printed.c * k
    found = [
        Suspect(
            "Draft cost",
            f"c would have to be {c:.2f}, not {printed.c:.2f}: time one draft step against one "
            "target step. A small model is often bound by launches and layers of software, not by "
            "its size.",
        ),
        Suspect(
            "Block cost",
            f"the target's pass over {k + 1} rows would have to cost {v:.2f} plain steps, not "
            f"{block:.2f}. "
            + (
                f"That is no less than {k + 1} separate steps: it cannot be this alone."
                if v >= k + 1
                else "The textbook takes it as 1, which holds while reading the weights is what "
                "takes the time."
            ),
        ),
    ]
    if printed.batch > 1:
        rows = printed.batch * (k + 1)
        found.append(
            Suspect(
                "Batch",
                f"{printed.batch} requests make {rows} rows in one pass. The more rows, the more "
                "a pass is bound by arithmetic, and the block cost rises toward k + 1: measure "
                "with one request, and compare.",
            )
        )
    overhead = f"{excess:.2f} plain steps a cycle"
    if printed.plain_speed:
        overhead += f", {1000.0 * printed.batch * excess / printed.plain_speed:.1f} ms"
    found.append(
        Suspect(
            "Fixed overhead",
            f"sampling, scheduling and copies would have to take {overhead}. It weighs less where "
            "the target is larger.",
        )
    )
    found.append(
        Suspect(
            "Another definition",
            "the printed number may count something else, or an average over other requests than "
            "those that were timed: see the table below.",
        )
    )
    return tuple(found)
