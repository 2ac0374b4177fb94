"""The house says what it holds: examples are right, every room has a sign, and paths exist."""

import ast
import doctest
import importlib
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
APP = ROOT / "app"
SCRIPTS = {"main", "server"}  # run by Streamlit; importing them would start the app
ROOMS = sorted({file.parent for file in APP.rglob("__init__.py")})
MOST_FILES = 16  # ten to fifteen, and the sign
CHANGES = 5


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(APP).with_suffix("").parts).removesuffix(".__init__")


WITH_EXAMPLES = [
    module_name(file)
    for file in sorted(APP.rglob("*.py"))
    if ">>>" in file.read_text(encoding="utf-8") and module_name(file) not in SCRIPTS
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_in_the_text_are_right(name: str) -> None:
    module = importlib.import_module(name)
    found = doctest.testmod(module, extraglobs={"np": np}, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0, f"examples in {name} are wrong (their output is above)"


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(APP)))
def test_a_room_says_what_it_is(room: Path) -> None:
    """What the room is, and where to begin; and it has no more files than one can keep in mind."""
    words = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert len(words.split()) >= 12, "the docstring says too little"
    files = {file.stem for file in room.glob("*.py")}
    named = set(re.findall(r"\b([a-z0-9_]+)\.py\b", words))
    rooms = {folder.name for folder in room.iterdir() if (folder / "__init__.py").exists()}
    strangers = named - files - {"main"} - {f.stem for r in rooms for f in (room / r).glob("*.py")}
    assert not strangers, "the docstring names files that are not in the room"
    assert len(files) <= MOST_FILES


def test_every_folder_of_code_is_a_room() -> None:
    unsigned = {
        str(file.parent.relative_to(ROOT))
        for file in APP.rglob("*.py")
        if not (file.parent / "__init__.py").exists() and "migrations" not in file.parts
    }
    assert unsigned == {"app"}


def paths(text: str) -> list[str]:
    """Every path of a Markdown text that begins like one of the project's."""
    found = re.findall(r"\b(?:app|tests|lessons|assets)/[\w./-]+", text)
    return [path.rstrip(".") for path in found]


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "lessons/README.md"])
def test_the_paths_that_are_named_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert paths(text)
    assert [path for path in paths(text) if not (ROOT / path).exists()] == []


def test_contributing_walks_through_changes_of_three_files() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    walks = re.split(r"^### ", text.split("## Five changes")[1].split("\n## ")[0], flags=re.M)[1:]
    assert len(walks) == CHANGES
    for walk in walks:
        named = {path for path in paths(walk) if path.endswith((".py", ".md"))}
        assert 1 <= len(named) <= 3, walk.splitlines()[0]


def test_the_architecture_names_every_room() -> None:
    """Each room has a line of its own, under the room it lies in."""
    picture = (ROOT / "README.md").read_text(encoding="utf-8").split("## Architecture")[1]
    lines = picture.split("```")[1].splitlines()
    at: dict[int, str] = {}
    drawn = set()
    for line in lines:
        found = re.match(r"( *)([\w-]+)/", line)
        if not found:
            continue
        depth = len(found[1]) // 2
        at[depth] = found[2]
        drawn.add("/".join(at[i] for i in range(depth + 1)))
    missing = {str(room.relative_to(ROOT)) for room in ROOMS} - drawn
    assert not missing
    assert {
        path for path in drawn if path.startswith("app/") and not (ROOT / path).is_dir()
    } == set()
