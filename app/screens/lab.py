"""The Lab: a prompt, two models, and every number that decides what is committed."""

import streamlit as st

from jobs.job import State, View
from jobs.worker import worker
from recordings.presets import Preset, presets
from recordings.trace_files import recorded, recorded_presets
from speculation.settings import Settings
from speculation.trace import Trace, departure, digest
from widgets import state
from widgets.lab import address, one_screen
from widgets.lab.controls import handles, presets_row, read_settings
from widgets.lab.exchange import exchange
from widgets.lab.kept_controls import kept_controls
from widgets.lab.run_view import run_view
from widgets.lab.speed_view import speed_view
from widgets.markdown_text import plain
from widgets.notices import notice, noting
from widgets.state import Key

SETTLE_SECONDS = 0.2


def ask(settings: Settings, fresh: bool = False) -> None:
    """Hand a run to the worker; the run on the page stays until there is a new one.

    fresh  make every pass and look nothing up: the Run button, where the passes are the point
    """
    st.session_state[Key.TAKEN] = None
    with noting(Key.NOTICE):
        worker().submit(state.visitor(), settings, fresh=fresh)


def changed() -> None:
    """A slider was moved: derive the run again under the same dice."""
    st.session_state[Key.LINK_COMPLAINTS] = {}
    settings, _ = read_settings()
    if settings is not None and worker().unavailable() is None:
        ask(settings)


def chose(preset: Preset) -> None:
    """A preset was chosen: its recording is there at once."""
    worker().leave(state.visitor())
    st.session_state[Key.LINK_COMPLAINTS] = {}
    st.session_state[Key.NOTICE] = None
    trace = recorded(preset.name)
    if trace is not None:
        state.show(trace, "recorded")
    elif worker().unavailable() is None:
        ask(preset.settings)
    else:
        st.session_state[Key.NOTICE] = (
            f"{preset.title} is not recorded, and live models are not at hand."
        )


def recording_of(settings: Settings) -> Trace | None:
    """The shipped recording with exactly these settings, if there is one."""
    return next((trace for _, trace in recorded_presets() if trace.settings == settings), None)


def open_page() -> None:
    """What a visitor sees first: the run their link names, or the default one, recorded."""
    linked = address.open_link()
    if linked is None and state.shown() is not None:
        return
    if linked is None and Key.SYNCED not in st.session_state:
        state.fill_controls(presets()[0].settings)
        linked = presets()[0].settings
    if linked is None:
        return
    trace = recording_of(linked)
    if trace is not None:
        state.show(trace, "recorded")
        _compare_with_link(trace)
    elif worker().unavailable() is None:
        ask(linked)
    else:
        fallback = recorded(presets()[0].name)
        if fallback is not None:
            state.show(fallback, "recorded")
        st.session_state[Key.NOTICE] = (
            "The run in this link is not recorded, and live models are not at hand. "
            "The default run is shown instead."
        )


def collect(view: View | None) -> None:
    """Take over what the worker has finished since the last look."""
    if view is None or not view.final:
        return
    if view.state is State.FAILED:
        if st.session_state.get(Key.TAKEN) != view.error:
            st.session_state[Key.TAKEN] = st.session_state[Key.NOTICE] = view.error
        default = recorded(presets()[0].name)
        if state.shown() is None and default is not None:  # a link whose run cannot be run
            state.show(default, "recorded")
    elif view.trace is not None:
        shown = state.shown()
        taken = st.session_state.get(Key.TAKEN)
        if taken is not view.trace and (shown is None or shown.trace is not view.trace):
            st.session_state[Key.TAKEN] = view.trace
            state.show(view.trace, "live")
            _compare_with_link(view.trace)


def _compare_with_link(trace: Trace) -> None:
    """Say where this machine's arithmetic parts from the one that made the link."""
    linked = st.session_state.pop(Key.WANTED_DIGEST, None)
    if linked is None or linked[0] != trace.settings or trace.finish == "stopped":
        return
    place = departure(digest(trace.tokens), linked[1])
    if place is not None:
        st.session_state[Key.NOTICE] = (
            f"The link was made by a run that parts from this one at token {place + 1}. The "
            "settings are the same, so the arithmetic is not: another processor, thread count, "
            "precision or version rounds differently, and one near-tie is enough. Both are runs "
            f"of the same distribution. Here: {trace.arithmetic.dtype} on {trace.timings.machine}."
        )


def badge(trace: Trace, source: state.Source) -> None:
    """Where the run on the page comes from."""
    when = trace.timings.recorded_at[:10]
    if source == "live":
        st.badge("live: computed here", color="green")
    elif source == "uploaded":
        st.badge("uploaded trace", color="violet")
    else:
        live = "" if worker().unavailable() else "; Run makes it live"
        st.badge(f"recorded {when}{live}", color="gray")


def look_for(settings: Settings) -> None:
    """What to look for in a preset, while it is the one on the page."""
    for preset in presets():
        if preset.settings.prompt == settings.prompt:
            st.caption(preset.look_for)


def controls(view: View | None) -> None:
    """Prompt and handles, Run and Stop, in one line."""
    settings, problems = read_settings()
    running = view is not None and not view.final
    unavailable = worker().unavailable()
    with one_screen.line("handles"):
        handles(problems, changed)
        with st.container(key="run-stop", width=72, gap=None):
            if st.button(
                "Run",
                type="primary",
                disabled=settings is None or unavailable is not None,
                width="stretch",
            ):
                st.session_state[Key.LINK_COMPLAINTS] = {}
                ask(settings, fresh=True)  # type: ignore[arg-type]
                st.rerun()
            if st.button("Stop", disabled=not running, width="stretch"):
                worker().stop(state.visitor())
                st.rerun()
    if unavailable:
        st.info(unavailable)


def messages() -> None:
    """What the person should know about the link or the last run."""
    for name, problem in st.session_state.get(Key.LINK_COMPLAINTS, {}).items():
        st.warning(plain(f"The link's {name} {problem}; the default is used."))
    notice(Key.NOTICE)


def page() -> None:
    open_page()
    # One look for the whole page: a run that ends meanwhile is drawn as running, and the next tick
    # takes it over.
    worker().settle(state.visitor(), SETTLE_SECONDS)
    view = worker().look(state.visitor())
    collect(view)
    present = bool(st.session_state.get(Key.PRESENT))
    if present or st.session_state.get(Key.WAS_PRESENT):
        state.keep_controls()
    one_screen.style(present)
    if not present:
        with one_screen.line("lab-top"):
            one_screen.title()
            presets_row(chose)
        controls(view)
    messages()
    shown = state.shown()
    if shown is not None and (view is None or view.final):
        if not present:
            with one_screen.line("status"):
                badge(shown.trace, shown.source)
                look_for(shown.trace.settings)
        address.write(shown.trace)  # an address that asked for a run stays until there is one
    run_view(view)
    if shown is not None and not present:
        speed_view(shown.trace.settings)
        exchange(shown.trace)
    if not present:
        kept_controls()
    st.session_state[Key.WAS_PRESENT] = present


page()
