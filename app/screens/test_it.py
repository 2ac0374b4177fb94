"""Test it yourself: one position, exactly and by sampling; sabotage; a blind round; the table."""

import streamlit as st

from widgets import places
from widgets.markdown_text import plain
from widgets.reading_style import body_style, lesson_style
from widgets.testing.blind_round import blind_round
from widgets.testing.cases import Case, offered
from widgets.testing.kill_table_view import kill_table_view
from widgets.testing.position_by_sampling import by_sampling
from widgets.testing.position_exactly import exactly_figure, exactly_numbers
from widgets.testing.real_position import real_case, real_controls
from widgets.testing.sabotage import sabotage
from widgets.testing.whole_texts import whole_texts

_RULES = """
.st-key-test-body h2 { padding: 2rem 0 0; }
.st-key-test-body p, .st-key-test-body li { max-width: 36em; line-height: 1.5; }
.st-key-test-body table { font-variant-numeric: tabular-nums; font-size: .9rem; }
"""


def position_controls() -> tuple[Case, Case | None]:
    """The position for the first two parts, and the real one, if there is one."""
    chooser = st.container()
    real_controls()  # first: a position that has just been scored is on offer at once
    real = real_case()
    cases = offered(real)
    if real is not None and st.session_state.pop("test-case-wanted", None):
        st.session_state["test-case"] = real.name
    with chooser:
        chosen = st.selectbox(
            "Position under test",
            list(cases),
            format_func=lambda name: cases[name].title,
            key="test-case",
        )
        st.markdown(plain(cases[chosen].about))
    return cases[chosen], real


def page() -> None:
    lesson_style()
    body_style("test-body", 1240, _RULES)
    with st.container(key="test-body"):
        st.title("Test it yourself", anchor=False)
        st.markdown(
            "The claim is that speculative decoding commits tokens from **exactly** the target's "
            "distribution. Here the claim is put to the test: on paper, by counting, and against "
            "schemes that break the rule the way real programs have broken it."
        )
        st.header("One position, exactly", anchor="exactly")
        figure, controls = st.columns([3, 2], gap="large")
        with controls:
            case, real = position_controls()
            exactly_numbers(case)
        with figure:
            exactly_figure(case)
        st.header("One position, by sampling", anchor="sampling")
        st.markdown(
            "Now the rule is run with random numbers, and its tokens are counted. "
            "**See** the blue line stay in the gray band: more runs, closer to p."
        )
        st.fragment(by_sampling)(case)
        st.header("Sabotage", anchor="sabotage")
        st.markdown(
            "Choose a scheme that breaks the rule. Its bias is known before a single draw. "
            "**See** the blue line leave the band and settle on the dashed line; under an exact "
            "scheme it stays inside."
        )
        st.fragment(sabotage)(real)
        st.header("Whole cycles and long runs", anchor="texts")
        st.markdown(
            "Some mistakes never show in one token. Here a scheme writes whole texts of up to six "
            "tokens, k = 2, with a small pair of models that can be enumerated. Each token has a "
            "height: where it fell in its own distribution, laid out from 0 to 1. **See** that "
            "under an exact scheme the heights are flat and p forbids no token; a broken one fails "
            "at one of them. The real pair has too many texts to enumerate: "
            f"[Audit an engine]({places.address(places.AUDIT)}) puts its texts, of any length, to "
            "such checks."
        )
        st.fragment(whole_texts)()
        st.header("A blind round", anchor="blind")
        st.markdown(
            "The page has picked a scheme and does not say which. Decide how many runs you need, "
            "test, and say what it is."
        )
        st.fragment(blind_round)()
        st.header("Every scheme against every check", anchor="table")
        st.markdown(
            "How many texts each check needs to catch each scheme; the fewest in bold. **See** "
            "that no exact scheme is ever called broken, that a slow one can still be exact, and "
            "that a few mistakes never show in a single token."
        )
        kill_table_view()


page()
