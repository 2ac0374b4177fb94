"""The Lab: a prompt, two models, and every number that decides what is committed."""

import streamlit as st
from jobs.job import State
from jobs.worker import Full, worker
from presets import Preset, presets
from recordings import recorded
from settings import Settings
from speculation.trace import Trace, departure, digest
from widgets import address, state
from widgets.controls import prompt_controls, read_settings, run_controls
from widgets.exchange import exchange
from widgets.plain import plain
from widgets.run_view import run_view
from widgets.speed_view import speed_view
from widgets.state import Key


def ask(settings: Settings) -> None:
    """Hand a run to the worker; the run on the page stays until there is a new one."""
    st.session_state[Key.NOTICE] = None
    try:
        worker().submit(state.visitor(), settings)
    except Full as full:
        st.session_state[Key.NOTICE] = str(full)


def changed() -> None:
    """A slider was moved: derive the run again under the same dice."""
    settings, _ = read_settings()
    if settings is not None and worker().unavailable() is None:
        ask(settings)


def chose(preset: Preset) -> None:
    """A preset was chosen: its recording is there at once."""
    worker().stop(state.visitor())
    trace = recorded(preset.name)
    if trace is not None:
        state.show(trace, "recorded")
    else:
        changed()


def recording_of(settings: Settings) -> Trace | None:
    """The shipped recording with exactly these settings, if there is one."""
    for preset in presets():
        trace = recorded(preset.name)
        if trace is not None and trace.settings == settings:
            return trace
    return None


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


def collect() -> None:
    """Take over what the worker has finished since the last look."""
    view = worker().look(state.visitor())
    if view is None or not view.final:
        return
    if view.state is State.FAILED:
        st.session_state[Key.NOTICE] = view.error
    elif view.trace is not None:
        shown = state.shown()
        taken = st.session_state.get(Key.TAKEN)
        if taken is not view.trace and (shown is None or shown.trace is not view.trace):
            st.session_state[Key.TAKEN] = view.trace
            state.show(view.trace, "live")
            _compare_with_link(view.trace)


def _compare_with_link(trace: Trace) -> None:
    """Say where this machine's arithmetic parts from the one that made the link."""
    wanted = st.session_state.pop(Key.WANTED_DIGEST, None)
    if not wanted:
        return
    place = departure(digest(trace.tokens), wanted)
    if place is not None:
        st.session_state[Key.NOTICE] = (
            f"The link was made by a run that parts from this one at token {place + 1}. The "
            "settings are the same, so the arithmetic is not: another processor, thread count, "
            "precision or version rounds differently, and one near-tie is enough. Both are runs "
            f"of the same law. Here: {trace.arithmetic.dtype} on {trace.timings.machine}."
        )


def badge(trace: Trace, source: state.Source) -> None:
    """Where the run on the page comes from."""
    when = trace.timings.recorded_at[:10]
    if source == "live":
        st.badge("live: computed just now", color="green")
    elif source == "uploaded":
        st.badge("uploaded trace", color="violet")
    else:
        st.badge(f"recorded {when} by the same code: press Run to make it live", color="gray")


def header(present: bool) -> None:
    """Run, Stop, and the badge, in one row."""
    settings, problems = read_settings()
    if not present:
        prompt_controls(problems, chose)
    sliders, buttons = st.columns([5, 1.4], vertical_alignment="bottom")
    with sliders:
        if not present:
            run_controls(problems, changed)
    view = worker().look(state.visitor())
    running = view is not None and not view.final
    unavailable = worker().unavailable()
    with buttons, st.container(horizontal=True):
        if st.button("Run", type="primary", disabled=settings is None or unavailable is not None):
            ask(settings)  # type: ignore[arg-type]
            st.rerun()
        if st.button("Stop", disabled=not running):
            worker().stop(state.visitor())
            st.rerun()
    if unavailable:
        st.info(unavailable)
    for name, problem in st.session_state.get(Key.LINK_COMPLAINTS, {}).items():
        st.warning(plain(f"The link's {name} {problem}; the default is used."))
    if st.session_state.get(Key.NOTICE):
        st.warning(plain(st.session_state[Key.NOTICE]))


def page() -> None:
    open_page()
    collect()
    present = bool(st.session_state.get(Key.PRESENT))
    header(present)
    shown = state.shown()
    if shown is not None:
        badge(shown.trace, shown.source)
        address.write(shown.trace)
    run_view()
    if shown is not None and not present:
        speed_view(shown.trace.settings)
        exchange(shown.trace)


page()
