"""Part 6: your engine's numbers, read backwards, and the trap in them."""

import streamlit as st

from charts.pays.forecast import forecast_figure, forecast_sentence
from measuring.engine_numbers import DEFINITIONS, Definition, Printed, Reading, read
from speculation.theory import accepted_over_drafted, expected_tau
from widgets.figure_parts import chart
from widgets.markdown_text import plain
from widgets.pays.engine_names import names_table

EXAMPLE_ALPHA, EXAMPLE_K = 0.8, 5
STARTS: dict[Definition, float] = {"drafted": 0.54, "checked": 0.8, "tau": 3.7, "accepted": 2.7}


def engine() -> None:
    """The form on the left, what follows from it on the right."""
    _trap()
    form, result = st.columns([2, 3], gap="large")
    with form:
        printed = _form()
    with result:
        try:
            reading = read(printed)
        except ValueError as error:
            st.warning(plain(f"These numbers cannot be: {error}."))
        else:
            _result(printed, reading)
    st.subheader("The same thing by its names", anchor=False)
    names_table()


def _trap() -> None:
    """The worked example: one alpha, three printed numbers."""
    alpha, k = EXAMPLE_ALPHA, EXAMPLE_K
    rate, tau = accepted_over_drafted(alpha, k), expected_tau(alpha, k)
    st.markdown(
        f"**The trap.** Take alpha = {alpha:g} and k = {k}: every checked draft is accepted four "
        f"times in five. A cycle then keeps {tau - 1:.2f} of its {k} drafts on average, so the "
        f"engine prints an acceptance rate of {tau - 1:.2f} / {k} = **{rate:.2f}**, and an "
        f"acceptance length of **{tau:.2f}**. Nothing is wrong with the draft: the rate also "
        "divides by drafts that stood behind a rejection and were never looked at. Raise k, and it "
        f"falls further: {accepted_over_drafted(alpha, 2 * k):.2f} at k = {2 * k}, with the same "
        "draft."
    )


def _form() -> Printed:
    with st.container(key="pays-engine"):
        k = st.number_input("k, draft length", 1, 64, EXAMPLE_K, key="pays-engine-k")
        definition = st.selectbox(
            "What the printed acceptance is",
            list(DEFINITIONS),
            format_func=DEFINITIONS.__getitem__,
            key="pays-engine-definition",
        )
        share = definition in ("drafted", "checked")
        value = st.number_input(
            "Printed acceptance",
            0.0,
            1.0 if share else float(k + 1),
            min(STARTS[definition], 1.0 if share else float(k + 1)),
            0.01,
            key=f"pays-engine-value-{definition}",
            help="A share from 0 to 1; for 54% write 0.54." if share else None,
        )
        left, right = st.columns(2)
        with left:
            speed = st.number_input(
                "Tokens/s with speculation", 0.0, value=90.0, key="pays-engine-with"
            )
        with right:
            plain_speed = st.number_input(
                "Tokens/s without", 0.0, value=50.0, key="pays-engine-without"
            )
        batch = st.number_input(
            "Batch size", 1, 4096, 1, key="pays-engine-batch",
            help="Requests decoded together; the two speeds are over all of them.",
        )  # fmt: skip
        c = st.slider(
            "c, draft step / target step", 0.0, 1.0, 0.1, 0.01, key="pays-engine-c",
            help="If you do not know it: parameters read by the draft over those read by the "
            "target are a first guess; 0 for lookup.",
        )  # fmt: skip
        per_row = st.slider(
            "What each further row adds to a target pass", 0.0, 1.0, 0.0, 0.01,
            key="pays-engine-row", help="v(k) = 1 + this times k. The textbook takes 0.",
        )  # fmt: skip
    return Printed(
        k=int(k), value=value, definition=definition, speed=speed or None,
        plain_speed=plain_speed or None, batch=int(batch), c=c, per_row=per_row,
    )  # fmt: skip


def _result(printed: Printed, reading: Reading) -> None:
    with st.container(horizontal=True, key="pays-engine-numbers"):
        st.metric("alpha", f"{reading.alpha:.2f}")
        st.metric("tau", f"{reading.tau:.2f}")
        st.metric("forecast", f"{reading.expected:.2f}×")
        st.metric("measured", f"{reading.measured:.2f}×" if reading.measured else "–")
        st.metric("best k", str(reading.best) if reading.best else "none")
    chart(
        forecast_figure(reading, printed.k), forecast_sentence(reading, printed.k), "pays-forecast"
    )
    if reading.measured is None:
        st.caption("Enter both speeds to see what a cycle really costs.")
    elif not reading.suspects:
        st.success(
            f"The gain is what alpha and these costs forecast: a cycle costs {reading.cost:.2f} "
            "plain steps."
        )
    else:
        expected = reading.tau / reading.expected
        st.markdown(
            f"A cycle costs **{reading.cost:.2f}** plain steps instead of {expected:.2f}. If one "
            "thing alone were to blame:\n\n"
            + "\n".join(f"- **{x.name}**: {plain(x.finding)}" for x in reading.suspects)
        )
