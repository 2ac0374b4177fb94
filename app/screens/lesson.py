"""A lesson: its blocks in order, with a contents rail beside them. One script for all lessons."""

import streamlit as st

from content.blocks import Block, GateBlock, Lesson, QuizBlock, Section, Text, WidgetBlock
from content.library import library
from content.quiz import CaseGate
from store.learners import store
from widgets import places
from widgets.lessons.contents_rail import contents_on_top, rail
from widgets.lessons.figure import figure_view
from widgets.lessons.gate import case_gate
from widgets.lessons.live_gate import live_gate_view
from widgets.lessons.prose import heading_and_text, opening
from widgets.lessons.quiz import quiz_view
from widgets.reading_style import lesson_style


def lesson_screen(lesson: Lesson) -> None:
    """Draw the whole lesson."""
    lesson_style()
    if store().notice:
        st.warning(store().notice)
    body, beside = st.columns([3.4, 1], gap="large")
    with body, st.container(key="lesson-body"):
        opening(lesson)
        contents_on_top(lesson)
        for section in lesson.sections:
            for block in section.blocks:
                _block(block, section, lesson)
        _onward(lesson)
    with beside:
        rail(lesson)


def _block(block: Block, section: Section, lesson: Lesson) -> None:
    if isinstance(block, Text):
        heading_and_text(block, section)
    elif isinstance(block, WidgetBlock):
        figure_view(block, lesson)
    elif isinstance(block, QuizBlock):
        quiz_view(block, lesson)
    elif isinstance(block, GateBlock) and isinstance(block.gate, CaseGate):
        case_gate(block, lesson)
    elif isinstance(block, GateBlock):
        live_gate_view(block, lesson)


def _onward(lesson: Lesson) -> None:
    """The next lesson, or the Lab after the last one."""
    later = [other for other in library().lessons if other.number > lesson.number]
    st.divider()
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        places.link(places.HOME, "Home, with your answers", icon=":material/home:")
        if later:
            title = f"Lesson {later[0].number}: {later[0].front.title}"
            places.link(later[0].slug, title, icon=":material/arrow_forward:")
        else:
            places.link(places.LAB, "Try it in the Lab", icon=":material/science:")
