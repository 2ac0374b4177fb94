"""Audit an engine: many continuations, the target's law, and what they say about each other."""

import streamlit as st

from engines.audit.audit import AuditState
from jobs.job import State
from widgets import places
from widgets.audit import jobs
from widgets.audit.audit_form import PAGE, audit_form, stopped
from widgets.audit.on_record import engines_on_record
from widgets.audit.page_frame import choose, live_part
from widgets.audit.recorded_audits import recorded_audits
from widgets.audit.report_view import minutes, report_view
from widgets.audit.style import audit_style
from widgets.markdown_text import plain


def page() -> None:
    audit_style()
    with st.container(key="audit-body"):
        st.title("Audit an engine", anchor=False)
        st.markdown(
            "An engine claims that its texts follow the target's distribution. It is asked for "
            "many continuations of one prompt; the target reads them all, and a dozen checks "
            "compare them with its distribution. The report says what was found, how large it "
            "is, and **how small a bias could have stayed hidden**."
        )
        engines_on_record()
        st.header("An audit of your own", anchor="your-own")
        needs = "An audit of your own needs the models live"
        live_part(PAGE, audit_form, _words, needs, "Stop, and report on what there is")
        if not _own_report():
            _recorded()
        _elsewhere()


def _words(published: object) -> tuple[float, str]:
    if not isinstance(published, AuditState):
        return 0.0, "Starting"
    left = "" if published.left is None else f", about {minutes(published.left)} left"
    share = published.done / max(1, published.total)
    return share, f"{published.done} of {published.total}: {published.doing}{left}"


def _own_report() -> bool:
    """The report of one's own audit, also of one that was stopped; whether there is one."""
    view = jobs.look(PAGE)
    if view is None or not view.final or not isinstance(view.published, AuditState):
        return False
    state = stopped(view.published) if view.state is State.STOPPED else view.published
    st.header("The report", anchor="report")
    st.markdown(":green-badge[live: sampled here]")
    report_view(state.report, "own")
    return True


def _recorded() -> None:
    """Shipped reports, so that the page shows what an audit says before one is run."""
    found = recorded_audits()
    if not found:
        st.info(
            "No audit was recorded: `python -m engines audit own --json "
            "assets/measurements/audits/own.json` makes one."
        )
        return
    st.header("Recorded reports", anchor="recorded")
    one = found[choose("Report", [one.title for one in found], "audit-recorded")]
    machine = one.report.about.get("machine", "another machine")
    st.markdown(f":gray-badge[recorded]  \n{plain(machine)}")
    report_view(one.report, f"recorded-{one.name}", timed=False)


def _elsewhere() -> None:
    st.header("From the command line", anchor="command")
    st.markdown(
        "The same audit runs in a CI; exit status 0: no deviation found, 1: found, 2: could not "
        "run."
    )
    st.code(
        "python -m engines audit own\n"
        "python -m engines audit transformers --json report.json --junit report.xml\n"
        "python -m engines audit openai --base-url http://localhost:8000/v1 \\\n"
        "    --baseline-url http://localhost:8001/v1 --pair none",
        language="bash",
    )
    places.link(places.ROUNDING, "Greedy texts differ? Rounding or bug?", ":material/difference:")


page()
