"""The words on a learner's screen: "distribution", where the code says law for short.

Read are the texts that a person may meet: lessons and pages, strings of Python that are no
docstrings, strings of the browser's modules, its pages, and the shipped plans, reports and cards.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    "charts", "classroom", "components", "content", "engines", "jobs", "measuring", "recordings",
    "screens", "speculation", "store", "training", "widgets",
)  # fmt: skip
LAW = re.compile(r"(?<![\w-])laws?(?![\w-])", re.I)
NOT_READ = {
    "law",  # what a test of a scheme can see it by, and a folder of engines.wild
    "laws", "laws-", "sabotage-law",  # keys of widgets and of a component's state
}  # fmt: skip
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


@pytest.mark.parametrize(
    "folder", ["lessons", "assets/plans", "assets/measurements/audits", "assets/drafts"]
)
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


QUOTED = re.compile(r"""(["'])((?:\\.|(?!\1)[^\\\n])*)\1|`((?:\\.|[^`\\])*)`""", re.S)
INSERTED = re.compile(r"\$\{([^{}]*)\}")


def quoted(code: str) -> Iterator[tuple[int, str]]:
    """Line and text of every string of a module: in quotes of any kind, over lines in backticks."""
    code = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), code, flags=re.S)
    code = re.sub(r"(^|\s)//[^\n]*", r"\1", code)
    for found in QUOTED.finditer(code):
        line = code.count("\n", 0, found.start()) + 1
        text = found[2] or found[3] or ""
        yield line, INSERTED.sub(" ", text)
        for inserted in INSERTED.findall(text):  # code, with strings of its own
            yield from ((line, inner) for _, inner in quoted(inserted))


@pytest.mark.parametrize("room", ["components", "classroom"])
def test_the_browser_says_distribution(room: str) -> None:
    files = sorted((ROOT / "app" / room).rglob("*.js"))
    assert files
    found = [
        f"{x.name}:{line}: {text}"
        for x in files
        for line, text in quoted(x.read_text(encoding="utf-8"))
        if said(text)
    ]
    assert found == []


def test_pages_of_the_class_say_distribution() -> None:
    files = sorted((ROOT / "app" / "classroom").rglob("*.html"))
    assert files
    assert [x.name for x in files if said(x.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("text", "is_said"),
    [("the law of p", True), ("Laws agree", True), ("a law of nature", False), ("law", False),
     ("hand-laws", False), ("claw", False)],
)  # fmt: skip
def test_the_reader_sees_it(text: str, is_said: bool) -> None:
    assert said(text) is is_said


def test_every_kind_of_quotes_is_read() -> None:
    code = """// the law of p: a comment
    /* the law
       of q: another */
    a("Law", 'the law'); b(`p's law
      is ${laws.p}`);  // and "its law"
    d(`${laws.q ? "q's law" : ""}`);
    c({ class: "hand-laws", "data-law": law });
    """
    assert [(line, " ".join(text.split())) for line, text in quoted(code) if said(text)] == [
        (4, "Law"), (4, "the law"), (4, "p's law is"), (6, "q's law"),
    ]  # fmt: skip
