"""Two forms that change who the browser is: continue elsewhere's work, or start again.

Only a response can set the cookie, so the browser sends them itself and loads the page again.
"""

from functools import cache
from typing import Any

import streamlit as st

_HTML = """
<form data-to="learner/resume">
  <label>Resume code from another device
    <input name="code" autocomplete="off" spellcheck="false" maxlength="20"
      placeholder="bcd-fgh-jkm" required></label>
  <button type="submit">Continue</button>
  <p role="status"></p>
</form>
<form data-to="learner/start-again">
  <p class="what">Start again on this device, as somebody new. What was answered stays under its
  code.</p>
  <button type="submit">Start again</button>
  <p role="status"></p>
</form>
"""
_CSS = """
form { display: grid; gap: .5rem; justify-items: start; margin: 0 0 1.4rem; }
label { display: grid; gap: .3rem; font-size: .9rem; }
p { margin: 0; font-size: .9rem; } p.what { max-width: 30rem; } p:empty { display: none; }
input { font: inherit; color: inherit; background: transparent; padding: .4rem .6rem; width: 13rem;
  border: 1px solid var(--st-border-color, #8886); border-radius: .5rem; }
input::placeholder { color: inherit; opacity: .65; }
button { font: inherit; color: inherit; background: transparent; padding: .4rem .9rem;
  border: 1px solid var(--st-border-color, #8886); border-radius: .5rem; cursor: pointer; }
button:hover, button:focus-visible { border-color: var(--st-primary-color, #0072B2); }
"""
_JS = """
export default function ({ parentElement }) {
  for (const form of parentElement.querySelectorAll("form")) {
    const said = form.querySelector("[role=status]");
    form.onsubmit = async (event) => {
      event.preventDefault();
      const fields = { ...Object.fromEntries(new FormData(form)), next: location.pathname };
      try {
        const answer = await fetch(new URL(form.dataset.to, document.baseURI), {
          method: "POST", body: JSON.stringify(fields),
          headers: { "Content-Type": "application/json", Accept: "application/json" },
        });
        const told = await answer.json();
        if (told.ok) location.reload();
        else said.textContent = told.message;
      } catch {
        said.textContent = "The server did not answer. Try again in a moment.";
      }
    };
  }
}
"""


def identity_forms(key: str) -> None:
    """Draw both."""
    _component()(key=key)


@cache
def _component() -> Any:
    return st.components.v2.component("identity", html=_HTML, css=_CSS, js=_JS)
