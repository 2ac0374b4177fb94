"""The words on a learner's screen: "distribution", where the code says law for short.

Read are the texts that a person may meet: lessons and pages, strings of Python that are no
docstrings, strings of the browser's modules, and the shipped plans and reports.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    "charts", "classroom", "components", "content", "engines", "measuring", "recordings", "screens",
    "widgets",
)  # fmt: skip
LAW = re.compile(r"(?<![\w-])laws?(?![\w-])", re.I)
NOT_READ = {"law", "laws", "laws-", "sabotage-law"}  # keys of widgets and columns
MEANT = ("law of nature", "The code calls it a law, for short.")


def said(text: str) -> bool:
    """Whether a text says the word where a person reads it."""
    for meant in MEANT:
        text = text.replace(meant, "")
    return text not in NOT_READ and LAW.search(text) is not None


def strings(file: Path) -> Iterator[tuple[int, str]]:
    """Line and text of every string that is not a docstring."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    told = {id(x.value) for x in ast.walk(tree) if isinstance(x, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.lineno, node.value


@pytest.mark.parametrize("room", ROOMS)
def test_python_says_distribution(room: str) -> None:
    files = sorted((ROOT / "app" / room).rglob("*.py"))
    assert files
    found = [f"{x.name}:{line}: {text}" for x in files for line, text in strings(x) if said(text)]
    assert found == []


def test_help_lines_say_distribution() -> None:
    file = ROOT / "app" / "speculation" / "settings.py"
    assert [text for _, text in strings(file) if said(text)] == []


@pytest.mark.parametrize("folder", ["lessons", "assets/plans", "assets/measurements/audits"])
def test_files_say_distribution(folder: str) -> None:
    files = [x for x in sorted((ROOT / folder).rglob("*")) if x.suffix in (".md", ".json")]
    assert files
    lines = [
        f"{x.name}:{number}: {line}"
        for x in files
        for number, line in enumerate(visible(x.read_text(encoding="utf-8")).splitlines(), 1)
        if said(line)
    ]
    assert lines == []


def visible(text: str) -> str:
    """Without formulas, which only the tests read."""
    return re.sub(r"<!--=.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.S)


def test_the_browser_says_distribution() -> None:
    """Words in quotes, of more than one: a single one is a name."""
    found = []
    for folder in ("components", "classroom"):
        for file in sorted((ROOT / "app" / folder).rglob("*.js")):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                code = re.sub(r"^\s*(//|/?\*).*|\s// .*", "", line)
                texts = re.findall(r'"([^"]*)"', code)
                found += [f"{file.name}:{number}: {x}" for x in texts if " " in x and said(x)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "is_said"),
    [("the law of p", True), ("Laws agree", True), ("a law of nature", False), ("law", False),
     ("hand-laws", False), ("claw", False)],
)  # fmt: skip
def test_the_reader_sees_it(text: str, is_said: bool) -> None:
    assert said(text) is is_said
