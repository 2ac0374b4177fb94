"""A figure of a lesson or a page: its widget by name, and under it the sentence on what to see."""

import streamlit as st

from content.blocks import Document, WidgetBlock
from widgets.lessons.figures import FIGURES
from widgets.markdown_text import one_line


def figure_view(block: WidgetBlock, document: Document) -> None:
    """Draw the figure. It is a fragment: moving its slider draws nothing else again."""
    key = f"{document.slug}-{block.line}"
    with st.container(key=f"figure-{key}", gap="small"):
        st.fragment(_drawn)(block, key)


def _drawn(block: WidgetBlock, key: str) -> None:
    FIGURES[block.name](block.options, key)
    with st.container(key=f"see-{key}"):
        st.markdown(one_line(block.options.see))
