"""A button that copies this page's address with a given query: only the browser knows the rest."""

from functools import cache
from typing import Any

import streamlit as st

_JS = """
// Copies a link to this page. Cycle, stage and position are in the address already.
export default function ({ parentElement, data }) {
  const button = parentElement.querySelector("button");
  const note = parentElement.querySelector("span");
  button.onclick = async () => {
    const url = new URL(window.location.href);
    const query = new URLSearchParams(data.query);
    for (const name of ["cycle", "stage", "position"]) {
      if (url.searchParams.has(name)) query.set(name, url.searchParams.get(name));
    }
    url.search = query.toString();
    try {
      await navigator.clipboard.writeText(url.href);
      note.textContent = "Copied.";
    } catch {  // no permission, or a page served without TLS: offer it to be copied by hand
      window.prompt("Copy this link:", url.href);
      note.textContent = "";
    }
    button.dataset.link = url.href;
  };
}
"""
_CSS = """
button { font: inherit; color: inherit; background: transparent; padding: .4rem .9rem;
  border: 1px solid var(--st-border-color, #8886); border-radius: .5rem; cursor: pointer; }
button:hover, button:focus-visible { border-color: var(--st-primary-color, #0072B2);
  color: var(--st-primary-color, #0072B2); }
span { margin-left: .7rem; }
"""


def copy_link_button(query: dict[str, str], key: str) -> None:
    """Draw the button; the link has exactly this query, and the stepper's place."""
    _component()(key=key, data={"query": query})


@cache
def _component() -> Any:
    return st.components.v2.component(
        "copy_link",
        html='<button type="button">Copy link</button><span role="status"></span>',
        css=_CSS,
        js=_JS,
    )
