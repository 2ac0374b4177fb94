"""What the worker does besides runs: work that publishes one state after another."""

from collections.abc import Iterator

from jobs.job import Job
from measuring.block_cost import measure
from speculation.compare import side_by_side
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.scored_place import score_place


def states_of(job: Job, pair: Pair, store: PassStore) -> tuple[str, Iterator[object]]:
    """The name under which a job keeps its state, and the states."""
    if job.work is not None:
        return "published", job.work.states(pair, store)
    if job.kind == "compare":
        return "comparison", side_by_side(pair, job.settings)
    if job.kind == "score":
        return "scored", score_place(pair, job.settings, store)
    return "measurement", measure(pair, job.settings.precision)
