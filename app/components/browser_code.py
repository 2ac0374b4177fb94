"""A component's part in the browser: its modules joined into the one text that Streamlit takes."""

import re
from pathlib import Path
from typing import Any

import streamlit as st

_IMPORT = re.compile(r'^import\s[^;]*?from\s+"\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def registered(name: str, entry: Path, css: str, html: str | None = None) -> Any:
    """The component whose module is `entry`: once a name, or Streamlit warns of a second one."""
    return st.components.v2.component(name, html=html, css=css, js=join_modules(entry))


def unheard() -> None:
    """A callback: a state has a name in the result only if a callback was given for it."""


def join_modules(entry: Path) -> str:
    """One module out of several: each file once, after those it imports, its imports dropped.

    It understands the little that is used here: named imports from "./name.js" that are not
    renamed, and `export` in front of a declaration. Names at the top of the files must differ
    from file to file, or the browser refuses the result.
    """
    parts: dict[Path, str] = {}

    def add(path: Path) -> None:
        if path in parts:
            return
        source = path.read_text(encoding="utf-8")
        for name in _IMPORT.findall(source):
            add(path.parent / name)
        parts[path] = _EXPORT.sub("", _IMPORT.sub("", source))

    add(entry)
    return "\n".join(parts.values())
