"""The prose of lessons and pages: title, headings with their anchors, Markdown, line length."""

import streamlit as st

from content.blocks import Lesson, Section, Text
from content.library import with_addresses
from content.minutes import minutes_of
from widgets import places


def opening(lesson: Lesson) -> None:
    """Title, minutes, and what one will be able to do."""
    front = lesson.front
    with st.container(key=f"prose-{lesson.slug}-opening", gap="small"):
        st.caption(
            f"Lesson {lesson.number}, about {minutes_of(lesson)} minutes with all its questions"
        )
        st.title(front.title, anchor=False)
        outcomes = "\n".join(f"- {outcome}" for outcome in front.outcomes)
        st.markdown(f"After this lesson you can:\n\n{outcomes}")


def heading_and_text(block: Text, section: Section) -> None:
    """One block of Markdown; its heading, if it has one, gets the section's anchor."""
    markdown = block.markdown
    if block.heading is not None:
        st.header(section.title, anchor=section.anchor)
        markdown = markdown.partition("\n")[2].strip()
    if markdown:
        with st.container(key=f"prose-{block.line}"):
            st.markdown(with_addresses(markdown, places.address))
