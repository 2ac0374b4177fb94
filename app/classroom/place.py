"""Where a class is: an item of the plan, and a stop in its run.

Stops are the stepper's: draft, verify, decide (once for each position that the rule looked at),
replace. Everything is counted from 0.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from components.stepper import Cursor, Stage, clamp
from speculation.trace import Cycle, Trace

Count = Annotated[int, Field(ge=0, le=10_000)]
Rank = tuple[int, int]
"""What puts the stops of one run in order: the cycle, and which of its stops."""


class Spot(BaseModel):
    """A stop in one run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cycle: Count = 0
    stage: Stage = "draft"
    position: Count = 0


class Place(Spot):
    """A stop in the run of one item of the plan."""

    item: Count = 0

    @property
    def spot(self) -> Spot:
        """The stop, without the item."""
        return Spot(cycle=self.cycle, stage=self.stage, position=self.position)

    @classmethod
    def at(cls, item: int, spot: Spot) -> "Place":
        """The stop of one item."""
        return cls(item=item, **spot.model_dump())


def settle(spot: Spot, trace: Trace) -> Spot:
    """The nearest stop that exists in the run; the first one in a run without cycles."""
    found = clamp(Cursor(**spot.model_dump(include={"cycle", "stage", "position"})), trace)
    return Spot() if found is None else Spot(**found.model_dump())


def rank(spot: Spot) -> Rank:
    """The order of stops: a later stop shows more. In draft and verify the position only selects.

    >>> rank(Spot(stage="verify", position=3)) < rank(Spot(stage="decide")) < rank(Spot(cycle=1))
    True
    """
    stop = {"draft": 0, "verify": 1, "decide": 2 + spot.position, "replace": 1_000_000}
    return spot.cycle, stop[spot.stage]


def last_decision(cycle: Cycle) -> Spot:
    """The stop at which the last verdict of a cycle is seen; without any, the target's pass."""
    checked = len(cycle.checked)
    if checked == 0:
        return Spot(cycle=cycle.index, stage="verify")
    return Spot(cycle=cycle.index, stage="decide", position=checked - 1)


def before_decision(cycle: Cycle, position: int) -> Spot:
    """The stop just before the verdict at `position`."""
    if position == 0:
        return Spot(cycle=cycle.index, stage="verify")
    return Spot(cycle=cycle.index, stage="decide", position=position - 1)
