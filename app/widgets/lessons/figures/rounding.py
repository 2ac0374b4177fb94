"""One position scored alone and inside a block: how far the two are apart."""

import streamlit as st

from charts.block_cost import rounding_figure, rounding_sentence
from content.widget_options import Rounding
from widgets.figure_parts import chart
from widgets.lessons.block_measurement import measurements


def rounding(options: Rounding, key: str) -> None:
    """Recorded, or measured on request, with blocks of five."""
    found = measurements(options.precisions, key)
    if not found:
        st.info("Nothing was measured yet.")
        return
    chart(rounding_figure(found), rounding_sentence(found), key)
