"""YAML into models, with the line of whatever is wrong."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from content.errors import ContentError


def read_body(path: Path, first_line: int, source: str, model: Any) -> Any:
    """The YAML mapping in `source`, whose first line is `first_line` of the file, as a `model`.

    Raises ContentError naming the line of the first field that is missing, unknown or no good.
    """
    loader = yaml.SafeLoader(source)
    try:
        node = loader.get_single_node()
        _no_doubles(path, first_line, node)
        data = {} if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + (mark.line if mark else 0)
        raise ContentError(path, line, f"not YAML: {error.problem or error}") from error
    except yaml.YAMLError as error:
        raise ContentError(path, first_line, f"not YAML: {error}") from error
    finally:
        loader.dispose()
    if not isinstance(data, dict):
        raise ContentError(path, first_line, "expected fields, as in 'name: value'")
    try:
        return TypeAdapter(model).validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        line = first_line + _line_of(node, first["loc"])
        raise ContentError(path, line, f"{where}: {message}" if where else message) from error


def _line_of(node: yaml.Node | None, place: Sequence[str | int]) -> int:
    """How many lines below the beginning the innermost existing part of `place` stands."""
    line = 0
    for part in place:
        if isinstance(node, yaml.MappingNode):
            pairs = {key.value: (key, value) for key, value in node.value}
            if part not in pairs:
                continue  # a missing field, or the name of the union's member
            key, node = pairs[str(part)]
            line = key.start_mark.line
        elif isinstance(node, yaml.SequenceNode) and part in range(len(node.value)):
            node = node.value[int(part)]
            line = node.start_mark.line
    return line


def _no_doubles(path: Path, first_line: int, node: yaml.Node | None) -> None:
    """YAML keeps the last of two equal keys without a word; here it is an error."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if key.value in seen:
                line = first_line + key.start_mark.line
                raise ContentError(path, line, f"the field {key.value} stands twice")
            seen.add(key.value)
            _no_doubles(path, first_line, value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _no_doubles(path, first_line, value)
