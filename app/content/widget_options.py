"""The figures that a lesson can ask for, and what each one may be told.

A lesson is checked against a registry, name -> the model of its body. WIDGETS is the registry of
this app; a test or another app may hand in its own.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from content.quiz import Body, Prose, Slug

Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Logit = Annotated[float, Field(ge=-30.0, le=30.0)]
Precision = Literal["float32", "bfloat16"]
Rule = Literal["exact", "replace-from-p", "threshold", "softmax-residual"]


def _sums_to_one(law: tuple[float, ...]) -> tuple[float, ...]:
    if abs(sum(law) - 1.0) > 1e-9:
        raise ValueError(f"sums to {sum(law):.6g}, not to 1")
    return law


Law = Annotated[
    tuple[Probability, ...], Field(min_length=2, max_length=6), AfterValidator(_sums_to_one)
]


class WidgetOptions(Body):
    """What every figure has: the sentence under it that says what to see."""

    see: Prose


class CommittedBars(WidgetOptions):
    """Tokens committed by each cycle: `given` numbers, or a run; `twin` puts a live run beside."""

    k: Annotated[int, Field(ge=1, le=12)] = 4
    given: tuple[Annotated[int, Field(ge=1, le=13)], ...] | None = None
    preset: Slug = "code"
    twin: bool = False


class CycleStepper(WidgetOptions):
    """One run, cycle by cycle, stage by stage."""

    preset: Slug = "code"


class TwoLaws(WidgetOptions):
    """A figure about one position, with both laws given by hand or taken from a run's position."""

    p: Law | None = None
    q: Law | None = None
    names: tuple[str, ...] = ("A", "B", "C", "D", "E", "F")
    preset: Slug = "code"
    rule: Rule = "exact"


class OnePositionRule(WidgetOptions):
    """Sliders for p(x) and q(x), and a button that draws u."""

    p: Probability = 0.1
    q: Annotated[float, Field(gt=0.0, le=1.0)] = 0.5


class PQResidual(TwoLaws):
    """p, q and the residual on the same tokens."""


class TwoDoors(TwoLaws):
    """For every token: what door one and door two deliver, stacked.

    draws  with more than 0, a button draws that many tokens under `rule` and tests the counts
           against p
    """

    draws: Annotated[int, Field(ge=0, le=100_000)] = 0


class ClassicalRejection(TwoLaws):
    """Tries until something is accepted, against one shot."""

    draws: Annotated[int, Field(ge=10, le=100_000)] = 1000


class GreedyAndSame(WidgetOptions):
    """A run with two switches: temperature 0, and the target as its own draft."""

    preset: Slug = "code"
    start: Literal["sampling", "greedy", "same"] = "sampling"


class TemperatureAcceptance(WidgetOptions):
    """Overlap against temperature: for given logits, and for the pair's own positions."""

    target_logits: tuple[Logit, ...] | None = None
    draft_logits: tuple[Logit, ...] | None = None
    temperatures: tuple[Annotated[float, Field(ge=0.0, le=10.0)], ...] = (0.25, 0.5, 1.0, 2.0)


class Rounding(WidgetOptions):
    """One position scored alone and inside a block of k + 1."""

    k: Annotated[int, Field(ge=1, le=12)] = 4
    precisions: tuple[Precision, ...] = ("float32", "bfloat16")


class PassCost(WidgetOptions):
    """Time of one target pass over 1 to `largest` tokens, measured on this machine."""

    largest: Annotated[int, Field(ge=2, le=33)] = 17
    precisions: tuple[Precision, ...] = ("float32", "bfloat16")


Registry = Mapping[str, type[WidgetOptions]]

WIDGETS: Registry = {
    "committed-bars": CommittedBars,
    "cycle-stepper": CycleStepper,
    "one-position-rule": OnePositionRule,
    "p-q-residual": PQResidual,
    "two-doors": TwoDoors,
    "classical-rejection": ClassicalRejection,
    "greedy-and-same": GreedyAndSame,
    "temperature-acceptance": TemperatureAcceptance,
    "rounding": Rounding,
    "pass-cost": PassCost,
}
