"""What the worker does besides runs: work that publishes one state after another."""

from collections.abc import Iterator

from settings import Settings
from speculation.catalog import Pair
from speculation.compare import side_by_side
from speculation.measure import measure
from speculation.passes import PassStore
from speculation.scored import score_place

from jobs.job import Kind


def states_of(
    kind: Kind, pair: Pair, settings: Settings, store: PassStore
) -> tuple[str, Iterator[object]]:
    """The name under which a job keeps its state, and the states."""
    if kind == "compare":
        return "comparison", side_by_side(pair, settings)
    if kind == "score":
        return "scored", score_place(pair, settings, store)
    return "measurement", measure(pair, settings.precision)
