"""The controls of a run: prompt, presets, sliders. Bounds and help lines are Settings' own."""

import sys
from collections.abc import Callable
from typing import Any, Literal

import streamlit as st
from annotated_types import Ge, Gt, Le
from pydantic import ValidationError

from environment import environment
from recordings.presets import Preset, presets
from speculation.pairs.catalog import CUSTOM, pairs
from speculation.settings import MAX_PROMPT_CHARACTERS, Settings, complaints
from widgets.markdown_text import plain
from widgets.state import Key, fill_controls, from_controls

Callback = Callable[[], None]

NARROW = 128  # px of a slider in the line of handles


def read_settings() -> tuple[Settings | None, dict[str, str]]:
    """What the controls ask for; or None, and what is wrong by field."""
    try:
        return Settings.model_validate(from_controls()), {}
    except ValidationError as error:
        return None, complaints(error)


def presets_row(on_preset: Callable[[Preset], None]) -> None:
    """A row of prompts to start from."""
    by_title = {preset.title: preset for preset in presets()}

    def chosen() -> None:
        title = st.session_state.get(Key.PRESET)
        if title:
            fill_controls(by_title[title].settings)
            on_preset(by_title[title])

    st.pills(
        "Prompts to start from",
        list(by_title),
        key=Key.PRESET,
        on_change=chosen,
        help="Each is a different kind of text. How predictable the text is decides what a draft "
        "earns.",
        label_visibility="collapsed",
    )


def handles(problems: dict[str, str], on_change: Callback) -> None:
    """Everything that is moved often, in one line: prompt, k, temperature, draft, seed.

    Drawn in a horizontal container; what finds no room in it goes on in the next line.
    """
    with st.container(key="prompt-box", gap="small"):
        st.text_area(
            "Prompt",
            key="prompt",
            height=68,
            help=_help("prompt"),
            placeholder="Prompt",
            label_visibility="collapsed",
        )
        _complain(problems, "prompt")
    st.radio(
        "Read as",
        ["chat", "continue"],
        key="mode",
        format_func={"chat": "chat", "continue": "plain text"}.__getitem__,
        help=_help("mode"),
        label_visibility="collapsed",
        width=96,
    )
    _slider("k", "k, draft length", on_change, width=NARROW)
    _slider("temperature", "Temperature", on_change, step=0.05, width=NARROW)
    _pair(on_change)
    st.number_input(
        "Seed",
        key="seed",
        step=1,
        min_value=0,
        max_value=2**53 - 1,
        on_change=on_change,
        help=_help("seed"),
        width=104,
    )
    with st.popover("More settings", width=136):
        _more(problems, on_change)


def _more(problems: dict[str, str], on_change: Callback) -> None:
    """The rest, in a box that opens."""
    _about_pair()
    _complain(problems, "pair")
    # 0 is no value of top-p; a link may hold one between 0 and the slider's first step.
    lowest = min(0.01, st.session_state.get("top_p", 1.0))
    _slider("top_p", "top-p", on_change, step=0.01, lowest=lowest)
    st.number_input(
        "top-k", key="top_k", step=1, on_change=on_change, help=_help("top_k"), **_bounds("top_k")
    )
    _slider("min_p", "min-p", on_change, step=0.01)
    _complain(problems, "seed")
    _slider("length", "Length, in tokens", on_change)
    st.radio(
        "Precision",
        _precisions(),
        key="precision",
        horizontal=True,
        on_change=on_change,
        help=_help("precision"),
        format_func={
            "float32": "float32",
            "bfloat16": "bfloat16 (fast)",
            "int4": "int4 (fastest)",
        }.__getitem__,
    )


def _precisions() -> list[str]:
    """What this machine can compute in; a link's own choice too: the run will say what is wrong.

    Whether it has the kernel for 4 bits is known once the models are loaded: a page loads no torch.
    """
    found = ["float32", "bfloat16"]
    return (
        [*found, "int4"] if st.session_state.get("precision") == "int4" or _four_bits() else found
    )


def _four_bits() -> bool:
    if "torch" not in sys.modules:
        return False
    from speculation.models.language_model import choose_device
    from speculation.pairs.four_bit_target import offered

    return bool(offered(choose_device(environment().device)))


def _pair(on_change: Callback) -> None:
    known = pairs()
    options = list(known)
    wanted = st.session_state.get("pair")
    if isinstance(wanted, str) and wanted not in options:
        options.append(wanted)  # from a link: the run will say whether it can be loaded
    st.selectbox(
        "Draft model",
        options,
        key="pair",
        on_change=on_change,
        format_func=lambda id: known[id].title if id in known else id.removeprefix(CUSTOM),
        help=_help("pair"),
        accept_new_options=environment().any_model,
        width=176,
    )


def _about_pair() -> None:
    """What the chosen draft is."""
    chosen = pairs().get(str(st.session_state.get("pair")))
    if chosen:
        st.caption(f"Draft: {chosen.about}")
    elif environment().any_model:
        st.caption(f"A pair of your own reads {CUSTOM}TARGET|DRAFT, by name or folder.")


def _slider(
    name: str,
    label: str,
    on_change: Callback,
    step: float = 1,
    lowest: float | None = None,
    width: int | Literal["stretch"] = "stretch",
) -> None:
    bounds = _bounds(name)
    if lowest is not None:
        bounds["min_value"] = lowest
    st.slider(
        label, key=name, step=step, on_change=on_change, help=_help(name), width=width, **bounds
    )


def _bounds(name: str) -> dict[str, Any]:
    """The least and the largest value of a field, as Settings has them."""
    rules = Settings.model_fields[name].metadata
    low = next(r.ge if isinstance(r, Ge) else r.gt for r in rules if isinstance(r, Ge | Gt))
    high = next(r.le for r in rules if isinstance(r, Le))
    return {"min_value": low, "max_value": high}


def _help(name: str) -> str:
    return str(Settings.model_fields[name].description)


def _complain(problems: dict[str, str], name: str) -> None:
    if name in problems:
        st.error(plain(f"{_LABELS.get(name, name)}: {problems[name]}"))


_LABELS = {
    "prompt": f"Prompt (at most {MAX_PROMPT_CHARACTERS:,} characters)",
    "pair": "Draft model",
}
