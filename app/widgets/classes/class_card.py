"""A running class at a glance: code, picture, join link, the teacher's own link, who is there.

The links are put together in the browser, which alone knows under which address it found the app.
It also asks for the numbers by itself, so that the page need not be drawn again for them.
"""

from functools import cache
from typing import Any

import streamlit as st

_HTML = """
<div class="card">
  <img alt="QR code of the join link" width="176" height="176">
  <div>
    <p class="letters"></p>
    <p class="numbers" role="status"></p>
    <p><span class="join"></span></p>
    <p class="row">
      <a class="present" target="_blank" rel="noopener noreferrer">Open the presenter's view</a>
      <button type="button" class="copy-join">Copy the join link</button>
      <button type="button" class="copy-teach">Copy the private link</button></p>
    <p class="warn">The private link is yours alone: who has it runs this class. Keep it somewhere;
      it is the only way back when this page is closed.</p>
    <p class="said" role="status"></p>
  </div>
</div>
"""
_CSS = """
.card { display: flex; flex-wrap: wrap; gap: 1.6rem; align-items: center; }
img { background: #fff; padding: 6px; border-radius: 6px; }
.card > div { flex: 1 1 20rem; min-width: 0; }
p { margin: 0 0 .5rem; overflow-wrap: anywhere; }
.letters { font-size: 2.6rem; font-weight: 700; letter-spacing: .12em; line-height: 1.1;
  margin: 0; }
.numbers { min-height: 1.5em; font-variant-numeric: tabular-nums; }
.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }
a.present, button { font: inherit; padding: .4rem .9rem; border-radius: .5rem; cursor: pointer;
  border: 1px solid var(--st-border-color, #8886); color: inherit; background: transparent;
  height: 2.6rem; line-height: 1.2; box-sizing: border-box; text-decoration: none;
  display: inline-flex; align-items: center; white-space: nowrap; }
a.present { background: var(--st-primary-color, #0072B2); color: light-dark(#fff, #0e1117);
  border-color: transparent; }
button:hover, button:focus-visible { border-color: var(--st-primary-color, #0072B2); }
.warn, .said { font-size: .9rem; max-width: 36rem; }
.said { min-height: 1.4em; margin: 0; }
"""
_JS = """
// The links of one class, from the address under which this page was found, and who is there.
const EVERY_MS = 4000;

export default function ({ parentElement, data }) {
  const $ = (name) => parentElement.querySelector(name);
  const base = new URL(`class/${data.code}`, document.baseURI).href;
  let join = base;
  const teach = `${base}/present#t=${data.token}`;
  const said = $(".said");
  $("img").src = `${base}/qr.svg`;
  $(".letters").textContent = data.code.toUpperCase();
  $(".join").textContent = join.replace(/^https?:[/][/]/, "");
  $(".present").href = teach;
  const copy = (text, what) => async () => {
    try {
      await navigator.clipboard.writeText(text());
      said.textContent = `${what} is copied.`;
    } catch {  // no permission, or a page served without TLS: offer it to be copied by hand
      window.prompt("Copy this link:", text());
    }
  };
  $(".copy-join").onclick = copy(() => join, "The join link");
  $(".copy-teach").onclick = copy(() => teach, "The private link");

  async function look() {
    if (document.hidden) return;
    try {
      const answer = await fetch(`${base}/teacher/state`, { cache: "no-store",
        headers: { Accept: "application/json", Authorization: `Bearer ${data.token}` } });
      if (!answer.ok) return;
      const { here, answered, question, ended, join_url: url } = await answer.json();
      if (url) join = url;
      $(".join").textContent = join.replace(/^https?:[/][/]/, "");
      $(".numbers").textContent = ended ? "The class has ended."
        : `${here} here${question ? `, ${answered} answered` : ""}`;
    } catch { /* the server is away for a moment */ }
  }
  clearInterval(parentElement.timer);   // called again with new data, without clean-up
  parentElement.timer = setInterval(look, EVERY_MS);
  look();
  return () => clearInterval(parentElement.timer);
}
"""


def class_card(code: str, token: str, key: str) -> None:
    """Draw it."""
    _component()(key=key, data={"code": code, "token": token})


@cache
def _component() -> Any:
    return st.components.v2.component("class_card", html=_HTML, css=_CSS, js=_JS)
