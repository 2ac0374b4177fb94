"""Choosing a plan and starting a class with it."""

import streamlit as st
from pydantic import ValidationError

from classroom.errors import BadPlan, Refused
from classroom.plans.plan import MAX_PLAN_BYTES, Plan, parse_plan, shipped
from classroom.service import classes
from widgets.classes import state
from widgets.classes.plan_draft import Draft
from widgets.classes.state import Running
from widgets.markdown_text import plain

OWN, FILE = "own", "file"
_FILE_PLAN = "class-file-plan"


def choose_and_start() -> None:
    """The plans on offer, a file, and one's own; then one button."""
    chosen = st.radio(
        "Plan",
        [*shipped(), FILE, OWN],
        format_func=_label,
        captions=[*(plan.about for plan in shipped().values()), *_CAPTIONS],
        key="class-plan",
    )
    with st.container():  # whatever is in it, the buttons under it keep their place
        plan = _from_file() if chosen == FILE else _own() if chosen == OWN else shipped()[chosen]
        _contents(plan)
    with st.container(horizontal=True):
        if st.button("Start the class", type="primary", disabled=plan is None, key="class-start"):
            _start(plan)  # type: ignore[arg-type]
        if (
            plan is not None
            and chosen != OWN
            and st.button("Change a copy of it", key="class-copy")
        ):
            state.edit(Draft.of(plan))
            st.session_state["class-plan-wanted"] = OWN
            st.rerun()
    problem = st.session_state.pop("class-problem", None)
    if problem:
        st.error(plain(problem))


_CAPTIONS = ["One that you or a colleague saved.", "The one under “Make a plan”, below."]


def _label(name: str) -> str:
    return {OWN: "My own plan", FILE: "A plan from a file"}.get(name) or shipped()[name].title


def _own() -> Plan | None:
    try:
        return state.draft().plan()
    except ValidationError:
        st.markdown("Your plan has no part yet. Make it below.")
        return None


def _from_file() -> Plan | None:
    """A plan that was saved; what is wrong with it is said with its place."""
    file = st.file_uploader(
        "A plan.json or plan.json.gz", type=["json", "gz"], key="class-file",
        max_upload_size=max(1, MAX_PLAN_BYTES // 1_000_000),
    )  # fmt: skip
    if file is None:
        return None
    kept = st.session_state.get(_FILE_PLAN)
    if kept is not None and kept[0] == file.file_id:
        return kept[1]  # type: ignore[no-any-return]
    try:
        plan = parse_plan(file.getvalue())
    except BadPlan as bad:
        st.error(plain(str(bad)))
        return None
    st.session_state[_FILE_PLAN] = (file.file_id, plan)
    return plan


def _contents(plan: Plan | None) -> None:
    if plan is None:
        return
    parts = [
        f"{i + 1}. {plain(item.title)}: {len(item.questions)} "
        f"question{'' if len(item.questions) == 1 else 's'}"
        for i, item in enumerate(plan.items)
    ]
    st.markdown("\n".join(parts))


def _start(plan: Plan) -> None:
    try:
        started = classes().start(plan)
    except (Refused, BadPlan) as refused:
        st.session_state["class-problem"] = str(refused)
    else:
        state.add_running(Running(started.code, started.token, plan.title))
    st.rerun()
