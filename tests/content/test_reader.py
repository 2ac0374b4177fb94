"""Files into blocks: what is read, and that every mistake names its file and line."""

from pathlib import Path

import pytest

from content.blocks import GateBlock, QuizBlock, Text, WidgetBlock, anchor
from content.errors import ContentError
from content.library import load_library, with_addresses
from content.quiz import Choice
from content.widget_options import WIDGETS, CommittedBars

FRONT = """---
title: A lesson
minutes: 10
outcomes: [Know something.]
---
"""
QUIZ = """```{quiz} a-question
kind: choice
question: Which?
options:
  - {key: a, text: One, right: true, feedback: Yes.}
  - {key: b, text: Two, misconception: counted twice, feedback: No.}
  - {key: c, text: Six, misconception: not counted, feedback: No.}
```
"""


def write(folder: Path, body: str, name: str = "1-first.md", front: str = FRONT) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(front + body, encoding="utf-8")
    return path


def complaint(folder: Path, body: str, front: str = FRONT) -> tuple[int, str]:
    """The line and message of the error that this lesson raises."""
    path = write(folder, body, front=front)
    with pytest.raises(ContentError) as caught:
        load_library(folder, WIDGETS)
    assert str(caught.value).startswith(f"{path}:{caught.value.line}: ")
    return caught.value.line, caught.value.message


def test_a_lesson_becomes_typed_blocks_in_order(tmp_path: Path) -> None:
    body = f"""
## First

Words, and `code`.

```{{widget}} committed-bars
given: [3, 1]
see: Look.
```

More words.

{QUIZ}
```python
an = "ordinary block stays text"
```

## Second

```{{gate}} a-gate
kind: live
widget: cycle-stepper
ask: bet
before: Guess.
```
"""
    write(tmp_path, body)
    lesson = load_library(tmp_path, WIDGETS).lessons[0]
    kinds = [type(block) for block in lesson.blocks]
    assert kinds == [Text, WidgetBlock, Text, QuizBlock, Text, Text, GateBlock]
    first, bars, _, quiz, code, second, _ = lesson.blocks
    assert isinstance(first, Text)
    assert (first.heading, first.line) == ("First", 7)
    assert isinstance(bars, WidgetBlock)
    assert bars.options == CommittedBars(given=(3, 1), see="Look.")
    assert isinstance(quiz, QuizBlock)
    assert (quiz.id, quiz.line) == ("a-question", 18)
    assert isinstance(quiz.quiz, Choice)
    assert quiz.quiz.right.key == "a"
    assert isinstance(code, Text)
    assert "ordinary block" in code.markdown
    assert isinstance(second, Text)
    assert second.heading == "Second"
    assert [section.title for section in lesson.sections] == ["First", "Second"]
    assert lesson.required == ("a-question",)


WIDGET = "```{widget} rounding\nsee: Look.\n```\n"


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("```{widget} no-such\n```\n", 6, "there is no widget 'no-such'"),
        ("\n```{widget} rounding\nk: 4\nsee: Look.\nlook: now\n```\n", 10, "look: Extra inputs"),
        ("```{widget} rounding\nsee: Look.\nk: many\n```\n", 8, "k: Input should be"),
        ("```{widget} rounding\nk: 4\n```\n", 7, "see: Field required"),
        ("```{widget} rounding\nsee: Look.\nsee: Again.\n```\n", 8, "see stands twice"),
        ("```{widget} rounding\nsee: [\n```\n", 8, "not YAML"),
        ("```{widget} rounding\njust words\n```\n", 7, "expected fields"),
        ("```{widget} p-q-residual\nsee: Look.\np: [0.5, 0.4]\n```\n", 8, "sums to 0.9"),
        ("```{quiz} Bad_Id\n```\n", 6, "is no id"),
        ("```{video} cat\n```\n", 6, "unknown block 'video'"),
        ("```{widget} rounding\nsee: Look.\n", 6, "not closed"),
        ("- a list\n\n  ```{widget} rounding\n  see: Look.\n  ```\n", 8, "inside a list"),
        ("# Title\n", 6, "the title stands in the front matter"),
        ("Words <b>bold</b>.\n", 6, "raw HTML"),
        ("<div>\nblock\n</div>\n", 6, "raw HTML"),
        (QUIZ + "\n" + QUIZ, 15, "the id a-question is taken"),
        (QUIZ.replace("right: true", "misconception: none"), 7, "0 options are right"),
        (QUIZ.replace("misconception: not counted", "right: true"), 7, "2 options are right"),
        (QUIZ.replace("Six, misconception: not counted", "Six"), 12, "names its misconception"),
        (QUIZ.replace(", feedback: Yes.", ""), 10, "feedback: Field required"),
        (QUIZ.replace("text: Two", "text: One"), 7, "two options have the same text"),
        (QUIZ.replace("key: b", "key: a"), 7, "two options have the same key"),
        (QUIZ.replace("  - {key: c", "#  - {key: c"), 9, "at least 3 items"),
        (QUIZ.replace("kind: choice", "kind: guess"), 7, "guess"),
        (QUIZ.replace("kind: choice", "kind: choice\nagain: nowhere"), 6, "no earlier question"),
    ],
)
def test_a_mistake_in_the_body_names_its_line(
    tmp_path: Path, body: str, line: int, words: str
) -> None:
    found, message = complaint(tmp_path, body)
    assert words in message
    assert found == line


@pytest.mark.parametrize(
    ("front", "line", "words"),
    [
        ("no front matter\n", 1, "without front matter"),
        ("---\ntitle: A\n", 1, "not closed"),
        ("---\ntitle: A\nminutes: 10\nthing: 1\noutcomes: [B]\n---\n", 4, "thing: Extra inputs"),
        ("---\ntitle: A\nminutes: long\noutcomes: [B]\n---\n", 3, "minutes"),
        ("---\ntitle: A\nminutes: 10\noutcomes: []\n---\n", 4, "outcomes"),
        ("---\ntitle: A\nminutes: 9\noutcomes: [B]\nprerequisites: [x]\n---\n", 1, "no earlier"),
    ],
)
def test_a_mistake_in_the_front_matter_names_its_line(
    tmp_path: Path, front: str, line: int, words: str
) -> None:
    found, message = complaint(tmp_path, "Words.\n", front)
    assert found == line
    assert words in message


def test_formulas_do_not_shift_the_lines_of_errors(tmp_path: Path) -> None:
    line, _ = complaint(tmp_path, "It is 2<!--= 1 + 1 -->.\n\n```{widget} no-such\n```\n")
    assert line == 8


def test_ids_are_unique_over_files_and_lessons_over_numbers(tmp_path: Path) -> None:
    write(tmp_path, QUIZ)
    write(tmp_path, QUIZ, "2-second.md")
    with pytest.raises(ContentError, match=r"2-second\.md:6: the id a-question is taken, in .*1-f"):
        load_library(tmp_path, WIDGETS)
    write(tmp_path, "Words.", "2-second.md")
    write(tmp_path, "Words.", "02-other.md")
    with pytest.raises(ContentError, match="another lesson has this number"):
        load_library(tmp_path, WIDGETS)


def test_a_stray_file_is_an_error_and_a_readme_is_not(tmp_path: Path) -> None:
    write(tmp_path, "Words.")
    (tmp_path / "README.md").write_text("# For people who read the folder")
    assert len(load_library(tmp_path, WIDGETS).lessons) == 1
    (tmp_path / "notes.md").write_text("stray")
    with pytest.raises(ContentError, match=r"notes\.md:1: a lesson's name"):
        load_library(tmp_path, WIDGETS)


def test_a_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "1-bytes.md").write_bytes(b"---\n\xff\xfe\n---\n")
    with pytest.raises(ContentError, match="not UTF-8"):
        load_library(tmp_path, WIDGETS)


def test_windows_line_ends_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "1-a.md").write_bytes((FRONT + WIDGET + QUIZ).replace("\n", "\r\n").encode())
    lesson = load_library(tmp_path, WIDGETS).lessons[0]
    assert [type(block) for block in lesson.blocks] == [WidgetBlock, QuizBlock]


def test_the_registry_is_the_callers(tmp_path: Path) -> None:
    write(tmp_path, WIDGET)
    load_library(tmp_path, WIDGETS)
    with pytest.raises(ContentError, match="there is no widget 'rounding'; known: committed-bars"):
        load_library(tmp_path, {"committed-bars": CommittedBars})


def test_links_between_files_become_addresses() -> None:
    text = "[a](2-why.md) [b](pages/faq.md#x) [c](https://example.org/x.md) [d](#here)"
    assert with_addresses(text, lambda slug: f"/{slug}") == (
        "[a](/why) [b](/faq#x) [c](https://example.org/x.md) [d](#here)"
    )


def test_anchors_are_those_of_github() -> None:
    assert anchor("One token, one pass") == "one-token-one-pass"
    assert anchor("What is `k`?") == "what-is-k"
