"""What the worker does besides runs: work that publishes one state after another."""

from collections.abc import Iterator

from speculation.catalog import Pair
from speculation.compare import side_by_side
from speculation.measure import measure
from speculation.passes import PassStore
from speculation.scored import score_place

from jobs.job import Job


def states_of(job: Job, pair: Pair, store: PassStore) -> tuple[str, Iterator[object]]:
    """The name under which a job keeps its state, and the states."""
    if job.work is not None:
        return "published", job.work.states(pair, store)
    if job.kind == "compare":
        return "comparison", side_by_side(pair, job.settings)
    if job.kind == "score":
        return "scored", score_place(pair, job.settings, store)
    return "measurement", measure(pair, job.settings.precision)
