"""The figures by the name that lessons call them by. Each is a function of its options and a key,
and can stand in a lesson, in a page or in the Lab."""

from collections.abc import Callable, Mapping
from typing import Any

from widgets.lessons.figures.classical_rejection import classical_rejection
from widgets.lessons.figures.committed_bars import committed_bars
from widgets.lessons.figures.cycle_stepper import cycle_stepper
from widgets.lessons.figures.greedy_and_same import greedy_and_same
from widgets.lessons.figures.one_position_rule import one_position_rule
from widgets.lessons.figures.p_q_residual import p_q_residual
from widgets.lessons.figures.pass_cost import pass_cost
from widgets.lessons.figures.rounding import rounding
from widgets.lessons.figures.temperature_acceptance import temperature_acceptance
from widgets.lessons.figures.two_doors import two_doors

FIGURES: Mapping[str, Callable[[Any, str], None]] = {
    "committed-bars": committed_bars,
    "cycle-stepper": cycle_stepper,
    "one-position-rule": one_position_rule,
    "p-q-residual": p_q_residual,
    "two-doors": two_doors,
    "classical-rejection": classical_rejection,
    "greedy-and-same": greedy_and_same,
    "temperature-acceptance": temperature_acceptance,
    "rounding": rounding,
    "pass-cost": pass_cost,
}
