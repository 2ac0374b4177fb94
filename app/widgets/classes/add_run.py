"""Runs for a plan: a recording that ships, the one in the Lab, a file, or a new one, run here."""

import streamlit as st
from pydantic import ValidationError

from classroom.plans.plan import Item
from jobs.job import View
from jobs.worker import worker
from recordings.presets import presets
from recordings.trace_files import BadTrace, parse
from speculation.pairs.assets import ASSETS
from speculation.pairs.catalog import pairs
from speculation.settings import Settings, complaints
from speculation.trace import Trace
from widgets import state
from widgets.classes import state as mine
from widgets.markdown_text import one_line, plain, shortened
from widgets.notices import notice, noting
from widgets.watch import run_progress, watch

_NOTICE, _TAKEN, _PART = "class-run-notice", "class-run-taken", "class"


def add_a_part() -> None:
    """Four ways to a run."""
    ready, record, lab, file = st.tabs(["Recorded", "Record a run", "From the Lab", "From a file"])
    with ready:
        _ready()
    with record:
        _record()
    with lab:
        _from_lab()
    with file:
        _from_file()


def _add(title: str, trace: Trace | None = None, recording: str | None = None) -> None:
    settings = trace.settings if trace is not None else None
    item = Item(title=title[:120], recording=recording, trace=trace, settings=settings)
    mine.edit(mine.draft().with_item(item))


def _title(settings: Settings) -> str:
    return shortened(one_line(settings.prompt)) or "A run"


# A recording ------------------------------------------------------------------------------------


def _ready() -> None:
    titles = {preset.name: preset.title for preset in presets()}
    names = [file.name.split(".")[0] for file in sorted((ASSETS / "traces").glob("*.json.gz"))]
    name = st.selectbox(
        "Recording",
        sorted(names, key=lambda name: (name not in titles, name)),
        format_func=lambda name: titles.get(name) or _EXTRA.get(name, name),
        key="class-recording",
    )
    if name:
        label = titles.get(name) or _EXTRA.get(name, name)
        st.button(
            "Add it", key="class-add-recording", on_click=_add, args=(label,),
            kwargs={"recording": name},
        )  # fmt: skip


_EXTRA = {
    "code-greedy": "Code, temperature 0",
    "code-same": "Code, the draft is the target",
    "code-greedy-same": "Code, temperature 0, the draft is the target",
}


# A new run --------------------------------------------------------------------------------------


def _record() -> None:
    why = worker().unavailable()
    if why is not None:
        st.info(plain(why))
        return
    with st.form("class-record", border=False):
        prompt = st.text_area("Prompt", "Name three uses of a paper clip.", height=80)
        first, second, third, fourth = st.columns(4)
        k = first.number_input("k, draft length", 1, 12, 4)
        temperature = second.number_input("Temperature", 0.0, 2.0, 0.7, 0.05)
        seed = third.number_input("Seed", 0, 2**53 - 1, 1)
        length = fourth.number_input("Length, in tokens", 1, 200, 60)
        known = pairs()
        pair = st.selectbox("Draft model", list(known), format_func=lambda id: known[id].title)
        asked = st.form_submit_button("Record it", type="primary")
    if asked:
        _submit(prompt=prompt, k=k, temperature=temperature, seed=seed, length=length, pair=pair)
    _follow()


def _submit(**values: object) -> None:
    with noting(_NOTICE):
        try:
            settings = Settings.model_validate(values)
        except ValidationError as error:
            st.session_state[_NOTICE] = "; ".join(f"{k} {v}" for k, v in complaints(error).items())
            return
        worker().submit(state.visitor(_PART), settings)


def _follow() -> None:
    with st.container():
        notice(_NOTICE)
    if worker().look(state.visitor(_PART)) is not None:
        watch(lambda: worker().look(state.visitor(_PART)), _tick, also_finished=True)


def _tick(view: View) -> None:
    """One look at the run."""
    if not view.final:
        run_progress(view)
    elif view.error:
        st.warning(plain(view.error))
    elif view.trace is not None and view.trace.cycles:
        _done(view.trace)
    else:
        st.markdown("The run was stopped before its first cycle. Record it again.")


def _done(trace: Trace) -> None:
    """The finished run, to be added once."""
    pieces = (trace.pieces[token] for token in trace.tokens)
    committed = one_line("".join(piece for piece in pieces if isinstance(piece, str)))
    st.markdown(
        plain(f"{len(trace.cycles)} cycles, {len(trace.tokens)} tokens: {committed[:160]}…")
    )
    if st.session_state.get(_TAKEN) is trace:
        st.markdown("It is in the plan.")
    elif st.button("Add this run", key="class-add-run"):
        st.session_state[_TAKEN] = trace
        _add(_title(trace.settings), trace)
        st.rerun()  # the whole page: the plan stands outside this fragment


# From elsewhere ---------------------------------------------------------------------------------


def _from_lab() -> None:
    shown = state.shown()
    if shown is None or not shown.trace.cycles:
        st.markdown("Open the Lab first: the run on its page can be taken from there.")
        return
    st.markdown(plain(f"On the Lab's page: {_title(shown.trace.settings)}"))
    st.button(
        "Add it", key="class-add-lab", on_click=_add,
        args=(_title(shown.trace.settings), shown.trace),
    )  # fmt: skip


def _from_file() -> None:
    file = st.file_uploader("A trace.json or trace.json.gz", type=["json", "gz"], key="class-trace")
    if file is None:
        return
    try:
        trace = parse(file.getvalue())
    except BadTrace as bad:
        st.error(plain(str(bad)))
        return
    if not trace.cycles:
        st.error("This run has no cycle to be shown.")
        return
    st.button(
        "Add it", key="class-add-file", on_click=_add, args=(_title(trace.settings), trace)
    )  # fmt: skip
