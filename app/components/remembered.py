"""What the Lab's controls say, kept by the browser: a reload or another server loses nothing typed.

The address holds the run on the page. What has not been run yet, a prompt that is still being
written or a slider that was moved on a server without models, is kept in the tab's own storage
(`sessionStorage`) at every key, and told to a session that does not know it. A link that is opened
in the tab wins: only what was written beside the same address comes back.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import streamlit as st

_JS = """
// What lives between two calls is kept on parentElement: Streamlit calls this again for new data.
const NAME = "lab-controls", PROMPT = "Prompt";
const PLACE = ["cycle", "stage", "position", "digest"];

/** The settings in the address, in a form that can be compared. */
function settingsHere() {
  const query = new URLSearchParams(location.search);
  for (const name of PLACE) query.delete(name);
  query.sort();
  return String(query);
}

function read() {
  try { return JSON.parse(sessionStorage.getItem(NAME)); } catch { return null; }
}

export default function ({ data, parentElement, setStateValue }) {
  const kept = parentElement.kept ??= begin();
  kept.data = data;
  const stored = read();
  const before = stored && { ...stored.controls, prompt: stored.typed ?? stored.controls.prompt };
  if (before && stored.session !== data.session && stored.address === kept.address
      && Object.keys(data.controls).some((name) => before[name] !== data.controls[name])) {
    kept.typed = null;
    setStateValue("controls", { ...before, session: data.session });
    return kept.end;   // what is stored stays until this session says the same
  }
  if (kept.typed === data.controls.prompt) kept.typed = null;
  kept.write();
  return kept.end;
}

function begin() {
  const kept = { typed: null, address: settingsHere(), data: null };
  kept.write = () => {
    kept.address = settingsHere();
    try {
      sessionStorage.setItem(NAME, JSON.stringify({ session: kept.data.session,
        controls: kept.data.controls, typed: kept.typed, address: kept.address }));
    } catch { /* storage is full or forbidden: then a reload forgets, as before */ }
  };
  const typed = (event) => {
    if (event.target.getAttribute?.("aria-label") !== PROMPT) return;
    kept.typed = event.target.value;
    kept.write();
  };
  // The address is written by the server a moment after the controls.
  const moved = () => kept.write();
  document.addEventListener("input", typed, true);
  addEventListener("pagehide", moved);
  globalThis.navigation?.addEventListener("currententrychange", moved);
  kept.end = () => {
    document.removeEventListener("input", typed, true);
    removeEventListener("pagehide", moved);
    globalThis.navigation?.removeEventListener("currententrychange", moved);
  };
  return kept;
}
"""


def remember(
    session: str, controls: Mapping[str, object], key: str, on_controls: Callable[[], None]
) -> None:
    """Keep what the controls say now; `on_controls` is called if the tab knows it better.

    session  a name that a new session of the server does not have
    """
    data = {"session": session, "controls": dict(controls)}
    _component()(key=key, data=data, on_controls_change=on_controls)


def remembered(key: str, session: str) -> dict[str, Any]:
    """What the tab has told this session; nothing that was told to another one."""
    state = st.session_state.get(key)
    told = state.get("controls") if isinstance(state, dict) else None
    if not isinstance(told, dict) or told.get("session") != session:
        return {}
    return {name: value for name, value in told.items() if name != "session"}


@cache
def _component() -> Any:
    return st.components.v2.component("remembered", html="<span hidden></span>", js=_JS)
