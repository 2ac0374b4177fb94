"""The stepper for Streamlit: one run, cycle by cycle, stepped through in the browser.

The drawing lives in `stepper/*.js`, plain modules that a page without Streamlit can load as they
are. The browser gets a run once, with the distributions of all its places (`run_payload.py`), and
steps by itself; Python hears where it went when the person rests, if it wants to.

    cursor = stepper(trace, key="stepper", follow=True)   # in a fragment: only that reruns
    st.plotly_chart(chart(trace, cursor))
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

import streamlit as st
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from components.browser_code import registered, unheard
from components.run_payload import payload_of
from speculation.trace import Cycle, Piece, Trace

FOLDER = Path(__file__).with_suffix("")
"""The modules and the style sheets; a page without Streamlit loads `stepper.js` from here."""

STYLES = ("stepper.css", "distributions.css")

Stage = Literal["draft", "verify", "decide", "replace"]


class Cursor(BaseModel):
    """Where one is in a run, counted from 0.

    position  the index within the cycle of the drafted position looked at: the one being decided
              in "decide", the place that the replacement fills in "replace" (k for a bonus), the
              selected row in "draft" and "verify"
    """

    model_config = ConfigDict(frozen=True)

    cycle: NonNegativeInt = 0
    stage: Stage = "draft"
    position: NonNegativeInt = 0


class StreamedCycle(BaseModel):
    """As much of a cycle as the text and the bars need."""

    model_config = ConfigDict(frozen=True)

    n_accepted: NonNegativeInt
    bonus: bool
    committed: list[int]
    cut: Literal["end", "length"] | None = None


class Progress(BaseModel):
    """A run that is still streaming.

    pieces  the text of the committed tokens, by id
    length  how many tokens the run may write at most
    """

    model_config = ConfigDict(frozen=True)

    cycles: list[StreamedCycle]
    k: int = Field(ge=0)
    pieces: dict[int, Piece]
    length: int = Field(ge=1)

    @classmethod
    def of(cls, cycles: Iterable[Cycle], pieces: dict[int, Piece], k: int, length: int) -> Self:
        """The cycles done so far; `pieces` may hold more tokens than they use."""
        done = [
            StreamedCycle(
                n_accepted=cycle.n_accepted,
                bonus=cycle.replacement is not None and cycle.replacement.bonus,
                committed=cycle.committed,
                cut=cycle.cut,
            )
            for cycle in cycles
        ]
        used = {token for cycle in done for token in cycle.committed}
        return cls(cycles=done, k=k, pieces={t: pieces[t] for t in sorted(used)}, length=length)


def clamp(cursor: Cursor, trace: Trace) -> Cursor | None:
    """The nearest cursor that exists in the trace; None in a trace without cycles.

    The browser does the same (`clamp` in model.js), and a test holds the two together.
    """
    if not trace.cycles:
        return None
    index = min(cursor.cycle, len(trace.cycles) - 1)
    cycle, stage = trace.cycles[index], cursor.stage
    if stage == "decide" and not cycle.checked:
        stage = "verify"
    if stage == "replace":
        # Without a replacement: the accepted token that ended the text.
        position = cycle.n_accepted if cycle.replacement else max(cycle.n_accepted - 1, 0)
        return Cursor(cycle=index, stage=stage, position=position)
    last = len(cycle.checked if stage == "decide" else cycle.drafted) - 1
    return Cursor(cycle=index, stage=stage, position=min(cursor.position, max(last, 0)))


def stepper(
    trace: Trace | None,
    *,
    key: str,
    progress: Progress | None = None,
    cursor: Cursor | None = None,
    jump: int = 0,
    present: bool = False,
    address: bool = True,
    screen: bool = False,
    follow: bool = False,
    on_move: Callable[[], None] | None = None,
    on_present: Callable[[], None] | None = None,
) -> Cursor | None:
    """Draw the stepper; return where it stands, or None without a trace to stand in.

    progress  a run that still streams: text and bars follow it, and nothing can be stepped
    cursor    where to start, and where to go when `jump` changes: the browser obeys only a
              counter that moved, so an old cursor that comes back never fights with the person.
              Without a command the address, and then the person, decides
    jump      counts the commands, from 1; 0 gives none, and takes none back
    present   large type; the person can toggle it with a key, see `presenting`
    address   whether cycle, stage and position are kept in the page's address
    screen    the page is about this run: fit all of it into one window
    follow    whether Python hears of moves: at rest, since each is a run of the page's script
    """
    # The cursor is sent only with its command. Sent on every run, it would make the data differ
    # after each step, and the whole run would travel again.
    command_key = f"{key}-command"
    command: tuple[int, Cursor | None] | None = st.session_state.get(command_key)
    if command is None or jump not in (0, command[0]):
        command = (jump, cursor)
        st.session_state[command_key] = command
    order, told = command
    data = {
        "trace": None if trace is None else payload_of(trace).model_dump(mode="json"),
        "progress": None if progress is None else progress.model_dump(mode="json"),
        "cursor": None if told is None else told.model_dump(),
        "jump": order,
        "present": present,
        "address": address,
        "screen": screen,
        "follow": follow,
    }
    state = _component()(
        key=key,
        data=data,
        on_cursor_change=on_move or unheard,
        on_present_change=on_present or unheard,
    )
    if trace is None:
        return None
    here = _reported(state.get("cursor"), order) or told or Cursor()
    return clamp(here, trace)


def presenting(key: str) -> bool:
    """Whether the person has asked the stepper with this key for large type."""
    state = st.session_state.get(key)
    return bool(state.get("present")) if isinstance(state, dict) else False


def _reported(value: object, jump: int) -> Cursor | None:
    """What the browser last said, unless that was before the latest command."""
    if not isinstance(value, dict) or value.get("jump") != jump:
        return None
    try:
        return Cursor.model_validate(value)
    except ValidationError:
        return None


def styles() -> str:
    """The style sheets in one text."""
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in STYLES)


@cache
def _component() -> Any:
    return registered("stepper", FOLDER / "streamlit.js", styles())
