"""What a visitor's session holds: every key of st.session_state, named in one place."""

import uuid
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from speculation.settings import Settings
from speculation.trace import Trace

Source = Literal["recorded", "live", "uploaded"]


@dataclass(frozen=True)
class Shown:
    """The run on the page, and where it came from."""

    trace: Trace
    source: Source


class Key:
    """Names of what is kept between reruns; the controls' keys are Settings' field names."""

    VISITOR = "visitor"
    SHOWN = "shown"
    TAKEN = "taken"
    PREVIOUS = "previous"
    WANTED_DIGEST = "wanted_digest"  # of the link that was opened, with its settings
    LINK_COMPLAINTS = "link_complaints"
    SYNCED = "synced"
    NOTICE = "notice"
    STEPPER = "stepper"
    PLACE_CHART = "place_chart"
    REMEMBERED = "remembered"
    PRESENT = "present"
    WAS_PRESENT = "was_present"
    UPLOAD = "upload"
    PRESET = "preset"


def visitor(part: str = "") -> str:
    """A random name for this session, so that the worker can tell visitors apart.

    part  another part of the page than the Lab: with a name of its own, work there does not end
          the run in the Lab
    """
    if Key.VISITOR not in st.session_state:
        st.session_state[Key.VISITOR] = uuid.uuid4().hex
    name = str(st.session_state[Key.VISITOR])
    return f"{name}-{part}" if part else name


def shown() -> Shown | None:
    """The run on the page."""
    return st.session_state.get(Key.SHOWN)


def show(trace: Trace, source: Source) -> None:
    """Put a run on the page; the one before it is kept for comparison if its prompt is the same."""
    before = shown()
    if before is not None and before.trace is not trace:
        same = (before.trace.settings.prompt, before.trace.settings.mode) == (
            trace.settings.prompt,
            trace.settings.mode,
        )
        st.session_state[Key.PREVIOUS] = before.trace if same else None
    st.session_state[Key.SHOWN] = Shown(trace, source)


def previous() -> Trace | None:
    """The run that was on the page before, if it had the same prompt."""
    return st.session_state.get(Key.PREVIOUS)


def fill_controls(settings: Settings) -> None:
    """Set every control to what `settings` says."""
    for name, value in settings.model_dump().items():
        st.session_state[name] = value


def keep_controls() -> None:
    """Streamlit forgets a control that is not drawn. Said again, its value stays.

    It is also said again when the controls come back, or the browser would show their least values.
    """
    for name in Settings.model_fields:
        if name in st.session_state:
            st.session_state[name] = st.session_state[name]


def from_controls() -> dict[str, object]:
    """What the controls say now, by field; a control that has not been drawn says its default."""
    return {
        name: st.session_state.get(name, field.default)
        for name, field in Settings.model_fields.items()
    }
