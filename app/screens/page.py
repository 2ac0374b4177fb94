"""A page that is not a lesson: questions and answers, glossary, references, a guide."""

import streamlit as st

from content.blocks import Page, Text, WidgetBlock
from widgets.lessons.contents_rail import contents_on_top, rail
from widgets.lessons.figure import figure_view
from widgets.lessons.prose import heading_and_text
from widgets.reading_style import lesson_style


def page_screen(page: Page) -> None:
    """Title, summary, and the blocks in order."""
    lesson_style()
    body, beside = st.columns([3.4, 1], gap="large")
    with body, st.container(key="lesson-body"):
        st.title(page.front.title, anchor=False)
        st.markdown(page.front.summary)
        contents_on_top(page)
        for section in page.sections:
            for block in section.blocks:
                if isinstance(block, Text):
                    heading_and_text(block, section)
                elif isinstance(block, WidgetBlock):
                    figure_view(block, page)
    with beside:
        rail(page)
