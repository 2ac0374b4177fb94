"""One thing, many names: alpha, tau and k in the metrics and flags of five engines."""

import re

import streamlit as st

from widgets.pays.html_table import table

_STYLE = """
<style>
.names { overflow-x: auto; max-width: 100%; }
.names table { border-collapse: collapse; font-size: .9rem; }
.names th, .names td { text-align: left; vertical-align: top; padding: .4rem .9rem .4rem 0;
  border-bottom: 1px solid rgba(128, 128, 128, .25); }
.names th { font-weight: 600; }
.names td { min-width: 9.5rem; }
.names code { font-size: .86em; }
</style>
"""

COLUMNS = ("k", "accepted / drafted", "tau", "by position")
ENGINES: dict[str, tuple[str, str, str, str]] = {
    "vLLM": (
        "<code>num_speculative_tokens</code> in <code>--speculative-config</code>",
        "log: <code>Avg Draft acceptance rate</code>; counters "
        "<code>vllm:spec_decode_num_accepted_tokens</code> over "
        "<code>vllm:spec_decode_num_draft_tokens</code>",
        "log: <code>Mean acceptance length</code>, 1 + accepted / "
        "<code>vllm:spec_decode_num_drafts</code>",
        "log: <code>Per-position acceptance rate</code>; "
        "<code>vllm:spec_decode_num_accepted_tokens_per_pos</code>. Over all cycles, not over "
        "those that reached the position: it falls even where alpha does not",
    ),
    "SGLang": (
        "<code>--speculative-num-steps</code> (a chain: "
        "<code>--speculative-eagle-topk 1</code>; "
        "<code>--speculative-num-draft-tokens</code> is then k + 1, the rows verified)",
        "<code>sglang:spec_accept_rate</code>",
        "<code>sglang:spec_accept_length</code>; <code>avg_spec_accept_length</code> of the "
        "server's info",
        "–",
    ),
    "TensorRT-LLM": (
        "<code>max_draft_len</code> of the decoding config",
        "“acceptance rate”, accepted draft tokens / drafted tokens; speculation is turned off "
        "below <code>acceptance_rate_threshold</code>",
        "<code>avg_decoded_tokens_per_iter</code>",
        "–",
    ),
    "llama.cpp": (
        "<code>--spec-draft-n-max</code> (before: <code>--draft-max</code>)",
        "log: <code>draft acceptance</code>; response: <code>draft_n_accepted</code> over "
        "<code>draft_n</code> in <code>timings</code>",
        "log: <code>mean acceptance length</code>",
        "log: <code>acceptance rate per position</code>",
    ),
    "transformers": (
        "<code>num_assistant_tokens</code> (with "
        "<code>num_assistant_tokens_schedule</code>=constant and "
        "<code>assistant_confidence_threshold</code>=0); lookup: "
        "<code>prompt_lookup_num_tokens</code>",
        "–",
        "–",
        "–",
    ),
}


def names_table() -> None:
    """The table, and what it leaves out."""
    st.html(_STYLE + table_html())
    st.caption(
        "alpha has no column: a rate by position, divided by the one before it, is accepted / "
        "checked at that position; the inversion above estimates alpha. c has none either: time a "
        "draft step and a target step. A dash means that no name was found. Names change between "
        "versions; these are of 2025 and 2026."
    )


def table_html() -> str:
    """Engines down, notions across."""
    return table("names", "Names in engines", COLUMNS, ENGINES, breakable)


def breakable(cell: str) -> str:
    """Long names may break after an underscore or a colon.

    >>> breakable("<code>a:b_c</code>: d")
    '<code>a:<wbr>b_<wbr>c</code>: d'
    """
    return re.sub(r"([_:])(?=[a-z])", r"\1<wbr>", cell)
