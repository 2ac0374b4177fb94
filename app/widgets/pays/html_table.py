"""A table with a name for each row and column, which scrolls by itself where it is too wide."""

from collections.abc import Callable, Iterable, Mapping
from html import escape


def table(
    css: str,
    label: str,
    columns: Iterable[str],
    rows: Mapping[str, Iterable[str]],
    cell: Callable[[str], str] = escape,
) -> str:
    """HTML of class `css`: `columns` across, `rows` down, by name.

    cell  makes HTML of a cell; names are escaped
    """
    head = "".join(f"<th scope=col>{escape(column)}</th>" for column in columns)
    body = "".join(
        f"<tr><th scope=row>{escape(name)}</th>"
        + "".join(f"<td>{cell(text)}</td>" for text in cells)
        + "</tr>"
        for name, cells in rows.items()
    )
    return (
        f"<div class={css} role=region tabindex=0 aria-label='{escape(label)}'>"
        f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
