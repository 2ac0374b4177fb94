"""When it pays: agreement, draft cost and block cost of every shipped draft, and your engine's."""

import streamlit as st

from measuring.shipped import measured_drafts
from widgets.markdown_text import plain
from widgets.pays.alpha_map import heat
from widgets.pays.choice import choose
from widgets.pays.curve import curve
from widgets.pays.dials import dials
from widgets.pays.meters import meters
from widgets.pays.time_parts import time_parts
from widgets.pays.your_engine import engine
from widgets.reading_style import body_style, lesson_style

_RULES = """
.st-key-pays-body h2 { padding: 2rem 0 0; }
.st-key-pays-body h3 { font-size: 1.05rem; padding: .3rem 0 0; }
.st-key-pays-body p, .st-key-pays-body li { max-width: 38em; line-height: 1.5; }
.st-key-pays-body table { font-variant-numeric: tabular-nums; }
.st-key-pays-numbers, .st-key-pays-engine-numbers { gap: 1.6rem; }
"""


def parts() -> None:
    """The five parts that stand on the recorded measurements."""
    found = measured_drafts()
    if found is None:
        st.info(
            "The measurements are missing, or of another version: `make measure` writes them. "
            "The last part works without."
        )
        return
    st.header("Two dials", anchor="dials")
    st.markdown(
        "How often the draft agrees, alpha, and what a draft step costs, c. **See** on which side "
        "of the dotted line each draft stands: above it, speculation costs more than it earns."
    )
    if found.busy:
        st.warning(
            "The machine that recorded this was busy with other work: agreement is right, but no "
            "time, cost or speed-up here deserves trust. Measure below, or run `make measure`."
        )
    choice = choose(found)
    dials(choice)
    st.header("Speed against k", anchor="curve")
    st.markdown(
        "A longer draft commits more, and wastes more. **See** where the measured dots have their "
        "best k, and how far the textbook's dashed line lies above them."
    )
    curve(choice)
    st.header("Which texts, which temperature", anchor="map")
    st.markdown(
        "Alpha of the chosen draft. **See** that it belongs to the text as much as to the draft: "
        "the same draft agrees more often where the next word is forced. A cell opens its run in "
        "the Lab."
    )
    heat(choice)
    st.header("Where the time goes", anchor="time")
    st.markdown(
        "A cycle drafts, verifies and decides. **See** how the time of drafting grows with k while "
        "most of the further drafts are thrown away."
    )
    time_parts(choice)
    st.header("Two meters", anchor="meters")
    st.markdown(
        "Speed and quality at T = 1, over all prompts and k. **See** that the first meter differs "
        "from draft to draft, and that the second keeps overlapping the gray band, the interval "
        "of plain decoding."
    )
    meters(choice)
    versions = ", ".join(f"{name} {number}" for name, number in found.versions.items())
    st.caption(
        plain(
            f"Recorded {found.recorded_at[:10]} on {found.machine}, {found.device} ({versions}), "
            "on held-out prompts that share no topic and no template with the training of any "
            f"draft. {'' if found.complete else 'A shortened measurement: few prompts. '}"
            "Nothing is simulated; where a formula is meant, it is named."
        )
    )


def page() -> None:
    lesson_style()
    body_style("pays-body", 1240, _RULES)
    with st.container(key="pays-body"):
        st.title("When it pays", anchor=False)
        st.markdown(
            "Exactness is free; speed is not. It depends on three costs and one agreement, and all "
            "four can be measured. Here they are, for every draft that ships with this page."
        )
        parts()
        st.header("Your engine's numbers", anchor="engine")
        st.markdown(
            "Enter what your server prints. **See** which alpha it means, which k it calls for, "
            "and what a gain that is smaller than forecast could be due to."
        )
        st.fragment(engine)()


page()
