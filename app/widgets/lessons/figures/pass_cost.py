"""What a pass over several tokens costs, beside a pass over one."""

import streamlit as st

from charts.block_cost import cost_figure, cost_sentence
from content.widget_options import PassCost
from widgets.figure_parts import chart
from widgets.lessons.block_measurement import measurements


def pass_cost(options: PassCost, key: str) -> None:
    """Recorded, or measured on request."""
    found = measurements(options.precisions, key)
    if not found:
        st.info("Nothing was measured yet.")
        return
    chart(cost_figure(found, options.largest), cost_sentence(found), key)
