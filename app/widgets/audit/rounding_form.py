"""Asking "Rounding or bug?": the prompt, two texts (or two endpoints), the precision."""

import streamlit as st
from pydantic import ValidationError

from engines.rounding.check import RoundingCheck
from engines.rounding.endpoints import EndpointsCheck
from engines.rounding.scores import PRECISIONS
from environment import environment
from jobs.job import Work
from speculation.pairs.catalog import CUSTOM, TARGET
from speculation.settings import MAX_PROMPT_CHARACTERS, Settings, complaints
from widgets.audit import jobs
from widgets.markdown_text import plain

PAGE = "rounding"
TYPED, FETCHED = "typed in", "from two endpoints"
_MODES = {"chat": "chat message", "continue": "plain text to be continued"}


def rounding_form() -> None:
    """Draw it; a press of the button asks the worker."""
    prompt = st.text_area(
        "Prompt, as both engines got it",
        key="rounding-prompt",
        max_chars=MAX_PROMPT_CHARACTERS,
        height=80,
        placeholder="Write a Python function to reverse a string.",
    )
    work = _texts(prompt)
    pair = _pair()
    going = jobs.busy(PAGE)
    if st.button("Compare", type="primary", key="rounding-go", disabled=going):
        try:
            settings = Settings(pair=pair)
        except ValidationError as error:
            st.error(plain("; ".join(complaints(error).values())), icon=":material/error:")
            return
        st.session_state["rounding-asked"] = work
        jobs.ask(PAGE, settings, work)
        st.rerun()


def _texts(prompt: str) -> Work:
    """Where the texts come from, and how the engines ran."""
    endpoints = environment().endpoints
    source = TYPED
    if endpoints:
        source = st.segmented_control(
            "The two texts are", [TYPED, FETCHED], default=TYPED, key="rounding-source",
            required=True,
        )  # fmt: skip
    if source == FETCHED:
        left, right = st.columns(2)
        one = left.selectbox("Endpoint one, without speculation", endpoints, key="rounding-url-one")
        two = right.selectbox("Endpoint two, with it", endpoints, key="rounding-url-two")
    else:
        left, right = st.columns(2)
        one = left.text_area("Text one, without speculation", key="rounding-one", height=150)
        two = right.text_area("Text two, with speculation", key="rounding-two", height=150)
        st.caption(
            "Greedy texts (temperature 0), without the prompt. Token ids, as a list "
            r"\[12, 345, ...\], are better than text: they leave no doubt."
        )
    how, precision, k = st.columns([1.4, 1, 0.8])
    mode: str = how.selectbox(
        "The prompt was put as a", _MODES, format_func=lambda x: _MODES[x], key="rounding-mode"
    )
    ran = precision.selectbox(
        "The engines ran in", PRECISIONS, key="rounding-precision",
        help="The precision of weights and logits: it decides how much rounding can do.",
    )  # fmt: skip
    length = k.number_input(
        "k", 1, 16, 4, key="rounding-k",
        help="Draft length: a verifying pass reads k + 1 rows. Called num_speculative_tokens in "
        "vLLM.",
    )  # fmt: skip
    if source == FETCHED:
        return EndpointsCheck(prompt, one, two, mode, ran, int(length))  # type: ignore[arg-type]
    return RoundingCheck(prompt, one, two, mode, ran, int(length))  # type: ignore[arg-type]


def _pair() -> str:
    """The target: the shipped one, unless the owner lets visitors name another."""
    default = str(Settings.model_fields["pair"].default)
    if not environment().any_model:
        st.caption(
            plain(
                f"The target here is {TARGET} (4-bit). The texts of another model would be called "
                "not greedy."
            )
        )
        return default
    named = st.text_input(
        "Target, by its Hugging Face name or folder",
        key="rounding-target",
        placeholder=f"{TARGET}, shipped",
    ).strip()
    return f"{CUSTOM}{named}|{named}" if named else default
