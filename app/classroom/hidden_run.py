"""A run as a class may see it: everything after the furthest stop shown is taken out.

What is hidden is not sent, so that nobody finds it in the browser. Numbers that are not shown yet
are null; a whole cycle has the fields of the trace, its laws packed as the stepper draws them. Of a
cycle that goes on no laws are sent: their rows would name a replacement before it is drawn. The
seed stays here too: with it anybody could run the models and read on.
"""

from collections.abc import Iterable
from typing import Any

from classroom.place import Spot
from components.run_payload import pack_laws
from speculation.trace import Cycle, Piece, Position, Table, Trace

Json = dict[str, Any]


def cut_run(trace: Trace, upto: Spot | None) -> Json:
    """The cycles shown so far -> {settings, cycles, pieces}; the last one may be in part.

    upto  the furthest stop shown; None shows the run whole
    """
    shown = trace.cycles if upto is None else trace.cycles[: upto.cycle + 1]
    cycles = [_cut(cycle, upto) for cycle in shown]
    return {
        "settings": {
            "k": trace.settings.k,
            "prompt": trace.settings.prompt,
            "temperature": trace.settings.temperature,
        },
        "cycles": cycles,
        "pieces": _pieces(cycles, trace.pieces),
    }


def cut_step(trace: Trace, upto: Spot) -> Json | None:
    """The furthest cycle shown -> {index, cycle, pieces}; None in a run without cycles."""
    if not trace.cycles:
        return None
    cycle = _cut(trace.cycles[upto.cycle], upto)
    return {"index": upto.cycle, "cycle": cycle, "pieces": _pieces([cycle], trace.pieces)}


def _cut(cycle: Cycle, upto: Spot | None) -> Json:
    if upto is None or cycle.index < upto.cycle or upto.stage == "replace":
        return _whole(cycle)
    decided = upto.position + 1 if upto.stage == "decide" else 0
    over = decided > 0 and decided >= len(cycle.checked)
    accepted = sum(x.verdict == "accepted" for x in cycle.drafted[:decided])
    return {
        "index": cycle.index,
        "start": cycle.start,
        "drafted": [
            _position(x, upto.stage != "draft", i < decided, over)
            for i, x in enumerate(cycle.drafted)
        ],
        "n_accepted": accepted,
        "replacement": None,
        "committed": cycle.committed[:accepted],
        "cut": None,
        "until": {"stage": upto.stage, "position": upto.position if decided else 0},
    }


def _position(x: Position, verified: bool, decided: bool, over: bool) -> Json:
    """A drafted position. `over`: the last verdict is out, so the rest is known to be unread."""
    unread = over and x.verdict == "unchecked"
    return {
        "index": x.index,
        "token": x.token,
        "q": x.q,
        "p": x.p if verified else None,
        "a": x.a if decided else None,
        "u": x.u if decided else None,
        "verdict": x.verdict if decided or unread else None,
        "laws": None,
    }


def _whole(cycle: Cycle) -> Json:
    found = cycle.model_dump(
        mode="json",
        exclude={
            "drafted": {"__all__": {"table", "overlap"}},
            "replacement": {"table"},
        },
    )
    for sent, x in zip(found["drafted"], cycle.drafted, strict=True):
        sent["laws"] = _laws(x.table, x.overlap)
    if cycle.replacement is not None:
        found["replacement"]["laws"] = _laws(cycle.replacement.table, None)
    return found


def _laws(table: Table | None, overlap: float | None) -> Json | None:
    return None if table is None else pack_laws(table, overlap).model_dump(mode="json")


def _pieces(cycles: Iterable[Json], pieces: dict[int, Piece]) -> dict[str, Piece]:
    """The text of the tokens that these cycles name, and of no other."""
    used: set[int] = set()
    for cycle in cycles:
        used.update(x["token"] for x in cycle["drafted"])
        used.update(cycle["committed"])
        ends = [] if cycle["replacement"] is None else [cycle["replacement"]]
        used.update(end["token"] for end in ends)
        for laws in (x["laws"] for x in [*cycle["drafted"], *ends] if x["laws"]):
            used.update(laws["tokens"])
    return {str(token): pieces[token] for token in sorted(used)}
