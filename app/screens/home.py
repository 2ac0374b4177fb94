"""Home: what this is, a run that is alive, the path through the lessons, and the other doors."""

import streamlit as st

from components.replay import replay
from components.stepper import Progress, StreamedCycle
from content.blocks import Lesson
from content.library import Library
from content.minutes import minutes_of
from recordings.home_runs import home_runs
from recordings.presets import presets
from recordings.trace_files import recorded
from speculation.settings import Settings
from store.learners import store
from widgets import places
from widgets.lessons.my_answers import my_answers
from widgets.lessons.progress import Standing, standings
from widgets.markdown_text import plain

_STYLE = """
<style>
.stMainBlockContainer { padding-top: 3rem; max-width: 1240px; }
.st-key-home-top h1 { font-size: 2.3rem; padding: 0 0 .4rem; text-wrap: balance; }
.st-key-home-top p { font-size: 1.0625rem; line-height: 1.55; max-width: 33.5rem; }
[class*="st-key-home-lesson-"] { border-top: 3px solid var(--st-primary-color, #0072B2);
  padding-top: .6rem; }
.stMainBlockContainer h2 { font-size: 1.45rem; padding: 1.2rem 0 .2rem; }
[class*="st-key-home-lesson-"] [data-testid="stPageLink"] p { font-size: 1.0625rem; }
[class*="st-key-home-lesson-"] li { font-size: .95rem; }
.st-key-home-run-about p { font-size: .9rem; max-width: none; }
.st-key-home-doors { border-top: 1px solid rgba(128, 128, 128, .3); padding-top: .8rem; }
@media (max-width: 900px) { .stMainBlockContainer { padding-top: 4.4rem; } }
@media (max-width: 640px) {
  .st-key-home-top h1 { font-size: 1.8rem; }
}
</style>
"""

_LEAD = """
A large language model writes one token at a time, and each costs a pass over all of its weights.
In **speculative decoding** a small model, the draft, proposes a few tokens, and the large one, the
target, checks them all in one pass. The text comes sooner, and its distribution is exactly the
target's.

Here two real models do it in front of you, and every number that decides is on the page.
"""


def home_screen(library: Library) -> None:
    """One screen; a link to a run, which once began here, is handed on to the Lab."""
    lab = places.place(places.LAB)
    if lab is not None and any(name in st.query_params for name in Settings.model_fields):
        st.switch_page(lab, query_params=dict(st.query_params))
    st.html(_STYLE)
    if store().notice:
        st.warning(store().notice)
    with st.container(key="home-top"):
        words, run = st.columns([1, 1.15], gap="large")
        with words:
            st.title("Speculative decoding, step by step", anchor=False)
            st.markdown(_LEAD)
        with run:
            _alive()
    _path(library)
    _doors(library)
    my_answers(library)


def _alive() -> None:
    """A run, replayed; at the draft length that the visitor chooses."""
    runs, k, prompt = _replayed()
    if not runs:
        return
    replay(runs, k, key="home-run")
    more = " Move k: the same dice, other cycles." if len(runs) > 1 else ""
    with st.container(key="home-run-about"):
        st.markdown(
            plain(
                f"Recorded from two real models, on the prompt “{prompt}” Each bar is one cycle: "
                f"one pass of the target.{more}"
            )
        )


def _replayed() -> tuple[dict[int, Progress], int, str]:
    """The recorded runs by draft length, the one to begin with, and their prompt."""
    default = presets()[0]
    found, k = home_runs(), default.settings.k
    if found is not None and k in found.runs:
        runs = {
            n: Progress(
                cycles=[StreamedCycle(**cycle.model_dump()) for cycle in run.cycles],
                k=n,
                pieces=run.pieces,
                length=run.settings.length,
            )
            for n, run in found.runs.items()
        }
        return runs, k, found.runs[k].settings.prompt
    trace = recorded(default.name)
    if trace is None:
        return {}, k, ""
    whole = Progress.of(trace.cycles, trace.pieces, k, trace.settings.length)
    return {k: whole}, k, trace.settings.prompt


def _path(library: Library) -> None:
    """The lessons, side by side."""
    if not library.lessons:
        return
    stands = standings(library.lessons)
    total = sum(map(minutes_of, library.lessons))
    st.header(f"{len(library.lessons)} lessons, {total} minutes", anchor=False)
    for start in range(0, len(library.lessons), 3):
        row = library.lessons[start : start + 3]
        for column, lesson in zip(st.columns(3, gap="large"), row, strict=False):
            with column:
                _lesson(lesson, stands[lesson.slug])


def _lesson(lesson: Lesson, standing: Standing) -> None:
    with st.container(key=f"home-lesson-{lesson.slug}", gap="small"):
        icon = ":material/check_circle:" if standing.done else ":material/arrow_forward:"
        places.link(lesson.slug, f"**{lesson.number}. {lesson.front.title}**", icon=icon)
        st.markdown(f"{minutes_of(lesson)} min, {standing.words}")
        st.markdown("\n".join(f"- {outcome}" for outcome in lesson.front.outcomes))


def _doors(library: Library) -> None:
    with st.container(key="home-doors", horizontal=True, gap="medium"):
        places.link(places.PAYS, "When it pays: speed, measured", icon=":material/speed:")
        places.link(places.LAB, "Lab: your own prompt, every number", icon=":material/science:")
        places.link(places.TEST, "Test it yourself: break the rule", icon=":material/fact_check:")
        places.link(places.CLASSES, "Class: show it to a room", icon=":material/groups:")
        for page in library.pages:
            places.link(page.slug, page.front.title, icon=":material/article:")
