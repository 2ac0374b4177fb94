"""One Markdown file into typed blocks.

CommonMark, with YAML front matter and three kinds of fenced block, whose bodies are YAML:

    ```{widget} name    a figure
    ```{quiz} id        a checkpoint question
    ```{gate} id        a prediction before an answer

On GitHub such a fence is shown as code, so a file can be read there as it stands.
"""

import re
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from content.blocks import Block, GateBlock, QuizBlock, Text, WidgetBlock
from content.checked_numbers import Check, take_checks
from content.errors import ContentError
from content.quiz import Gate, LiveGate, Quiz, is_id
from content.widget_options import Registry
from content.yaml_bodies import read_body

_INFO = re.compile(r"^\{(?P<kind>[^}]*)\}\s*(?P<name>.*)$")
_KINDS = ("widget", "quiz", "gate")


def read_file(
    path: Path, front_model: Any, widgets: Registry
) -> tuple[Any, tuple[Block, ...], tuple[Check, ...]]:
    """The front matter as a `front_model`, the blocks, and the numbers to be recomputed.

    Raises ContentError, naming file and line.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ContentError(path, 1, f"is not UTF-8 text: {error.reason}") from error
    clean, checks = take_checks(source)
    lines = clean.splitlines()
    if not lines or lines[0].rstrip() != "---":
        raise ContentError(path, 1, "begins without front matter: expected a line '---'")
    try:
        end = next(i for i, line in enumerate(lines[1:], 1) if line.rstrip() == "---")
    except StopIteration:
        raise ContentError(path, 1, "the front matter is not closed by a line '---'") from None
    front = read_body(path, 2, "\n".join(lines[1:end]), front_model)
    # Blank lines in place of the front matter keep every line number as it is in the file.
    body = [""] * (end + 1) + lines[end + 1 :]
    return front, tuple(_blocks(path, body, widgets)), checks


def _blocks(path: Path, lines: list[str], widgets: Registry) -> list[Block]:
    """The body's blocks; text is split where a fence stands and where a section begins."""
    blocks: list[Block] = []
    start, heading = 0, None
    tokens = MarkdownIt("commonmark").parse("\n".join(lines))
    for i, token in enumerate(tokens):
        _refuse(path, token)
        if token.map is None or token.level:
            continue
        first, end = token.map
        if token.type == "heading_open" and token.tag == "h2":
            blocks += _text(lines, start, first, heading)
            start, heading = first, tokens[i + 1].content
        elif token.type == "fence" and (found := _INFO.match(token.info)):
            blocks += _text(lines, start, first, heading)
            if not lines[end - 1].strip().startswith(token.markup):
                raise ContentError(path, first + 1, "the block is not closed")
            name = found["name"].strip()
            blocks.append(_directive(path, first + 1, found["kind"], name, token.content, widgets))
            start, heading = end, None
    return blocks + _text(lines, start, len(lines), heading)


def _text(lines: list[str], start: int, end: int, heading: str | None) -> list[Block]:
    """The lines from start to end as one block, or none if they are blank."""
    markdown = "\n".join(lines[start:end])
    if not markdown.strip():
        return []
    blank = len(markdown) - len(markdown.lstrip("\n"))
    return [Text(markdown.strip("\n"), heading, start + blank + 1)]


def _refuse(path: Path, token: Token) -> None:
    """What no content file may hold: raw HTML, a second title, a block inside a list or quote."""
    line = (token.map or [0])[0] + 1
    if token.type == "html_block" or any(c.type == "html_inline" for c in token.children or ()):
        raise ContentError(path, line, "raw HTML is not shown; write Markdown")
    if token.type == "heading_open" and token.tag == "h1":
        raise ContentError(path, line, "the title stands in the front matter; begin with '##'")
    if token.type == "fence" and token.level and _INFO.match(token.info):
        raise ContentError(path, line, "a block cannot stand inside a list or a quotation")


def _directive(
    path: Path, line: int, kind: str, name: str, source: str, widgets: Registry
) -> Block:
    """One fenced block, checked."""
    if kind not in _KINDS:
        raise ContentError(path, line, f"unknown block '{kind}'; known: {', '.join(_KINDS)}")
    if kind == "widget":
        _known(path, line, name, widgets)
        return WidgetBlock(name, read_body(path, line + 1, source, widgets[name]), line)
    if not is_id(name):
        raise ContentError(
            path, line, f"'{name}' is no id: lower-case letters, digits and hyphens, at most 60"
        )
    if kind == "quiz":
        return QuizBlock(name, read_body(path, line + 1, source, Quiz), line)
    gate = read_body(path, line + 1, source, Gate)
    if isinstance(gate, LiveGate):
        _known(path, line, gate.widget, widgets)
    return GateBlock(name, gate, line)


def _known(path: Path, line: int, name: str, widgets: Registry) -> None:
    if name not in widgets:
        raise ContentError(
            path, line, f"there is no widget '{name}'; known: {', '.join(sorted(widgets))}"
        )
