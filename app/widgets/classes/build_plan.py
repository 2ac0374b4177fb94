"""Making a plan: parts in order, each a run with notes and questions; saved as a file."""

import streamlit as st
from pydantic import ValidationError

from classroom.errors import BadPlan
from classroom.plans.plan import Item, pack_plan
from classroom.plans.question import Question
from classroom.plans.questions import put
from speculation.settings import complaints
from widgets.classes import state
from widgets.classes.add_question import add_question
from widgets.classes.add_run import add_a_part
from widgets.markdown_text import plain


def build_plan() -> None:
    """The whole editor."""
    draft = state.draft()
    turn = state.turn()
    title = st.text_input("Title", draft.title, max_chars=120, key=f"class-title-{turn}")
    about = st.text_area("About it", draft.about, 80, max_chars=2000, key=f"class-about-{turn}")
    state.edit(draft.named(title.strip() or "My class", about), typed=True)
    with st.container():
        for index, item in enumerate(draft.items):
            _part(index, item, len(draft.items), turn)
        if not draft.items:
            st.markdown("No part yet. A part is one run, with what you want to say and ask.")
    with st.container(border=True):
        st.markdown("**Add a part**")
        add_a_part()
    with st.container(horizontal=True):
        st.button(
            "Undo", on_click=state.undo, disabled=not state.can_undo(), key="class-undo-button"
        )
        _save()


def _save() -> None:
    try:
        plan = state.draft().plan()
    except ValidationError:
        return
    st.download_button(
        "Save the plan", lambda: pack_plan(plan), "plan.json.gz", "application/gzip",
        on_click="ignore", key="class-save",
        help="Runs, notes and questions in one file. It opens here again, and on any other copy of "
        "this app.",
    )  # fmt: skip


def _part(index: int, item: Item, count: int, turn: int) -> None:
    with st.expander(f"{index + 1}. {plain(item.title)}", expanded=index == count - 1):
        title = st.text_input(
            "Title of the part", item.title, max_chars=120, key=f"class-{turn}-t{index}"
        )
        notes = st.text_area(
            "Notes, for you alone", item.notes, height=110, max_chars=4000,
            key=f"class-{turn}-n{index}",
        )  # fmt: skip
        if (title.strip() or item.title, notes) != (item.title, item.notes):
            try:
                changed = state.draft().with_texts(index, title.strip() or item.title, notes)
                state.edit(changed, typed=True)
            except ValidationError as error:
                st.error(plain("; ".join(complaints(error).values())))
        run = item.run()
        st.caption(
            plain(f"{len(run.cycles)} cycles, k = {run.settings.k}: {run.settings.prompt[:120]}")
        )
        for which, question in enumerate(item.questions):
            _question(index, which, item, question)
        add_question(index, item)
        with st.container(horizontal=True):
            st.button(
                "Up", key=f"class-up-{index}", disabled=index == 0, on_click=_move, args=(index, -1)
            )
            st.button(
                "Down", key=f"class-down-{index}", disabled=index == count - 1, on_click=_move,
                args=(index, 1),
            )  # fmt: skip
            st.button(
                "Remove this part", key=f"class-remove-{index}", on_click=_remove, args=(index,)
            )


def _question(index: int, which: int, item: Item, question: Question) -> None:
    """What it will read like, and its answer: this page is the teacher's."""
    words, button = st.columns([6, 1], vertical_alignment="center")
    with words:
        try:
            asked = put(question, item.run())
        except BadPlan as bad:
            st.error(plain(str(bad)))
        else:
            right = next(c.text for c in asked.choices if c.key == asked.correct)
            where = "" if asked.cycle is None else f"Cycle {asked.cycle + 1}. "
            st.markdown(f"{which + 1}. {plain(where + asked.text)} **{plain(right)}**")
    with button:
        st.button(
            "Remove", key=f"class-q-{index}-{which}", on_click=_drop_question, args=(index, which)
        )  # fmt: skip


def _move(index: int, by: int) -> None:
    state.edit(state.draft().moved(index, by))


def _remove(index: int) -> None:
    state.edit(state.draft().without_item(index))


def _drop_question(index: int, which: int) -> None:
    state.edit(state.draft().without_question(index, which))
