"""All lessons and pages: a folder of files. Adding one is adding a file.

`lessons/2-why-the-output-stays-exact.md` is lesson 2; its slug is what follows the number.
`lessons/pages/*.md` are pages; a README.md is for people who read the folder, and is not loaded.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from content.blocks import Document, GateBlock, Lesson, LessonFront, Page, PageFront, QuizBlock
from content.errors import ContentError
from content.reader import read_file
from content.widget_options import WIDGETS, Registry

FOLDER = Path(__file__).resolve().parents[2] / "lessons"

_LESSON_NAME = re.compile(r"^(?P<number>[0-9]+)-(?P<slug>[a-z0-9]+(-[a-z0-9]+)*)$")
_LINK = re.compile(r"\]\((?P<path>[^)\s:#]+)\.md(?P<anchor>#[^)\s]*)?\)")


@dataclass(frozen=True)
class Library:
    """Everything there is to read, checked."""

    lessons: tuple[Lesson, ...]
    pages: tuple[Page, ...]

    @property
    def documents(self) -> tuple[Document, ...]:
        """Lessons, then pages."""
        return (*self.lessons, *self.pages)

    @property
    def quizzes(self) -> tuple[QuizBlock, ...]:
        """The whole bank, in the order it is met."""
        return tuple(block for document in self.documents for block in document.quizzes)

    def lesson(self, slug: str) -> Lesson | None:
        """The lesson with this slug."""
        return next((lesson for lesson in self.lessons if lesson.slug == slug), None)

    def page(self, slug: str) -> Page | None:
        """The page with this slug."""
        return next((page for page in self.pages if page.slug == slug), None)


@lru_cache(maxsize=1)
def library() -> Library:
    """The shipped lessons and pages, read once."""
    return load_library(FOLDER, WIDGETS)


def load_library(folder: Path, widgets: Registry) -> Library:
    """Read every file in `folder` and `folder`/pages. Raises ContentError for the first bad one."""
    lessons = []
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        name = _LESSON_NAME.match(path.stem)
        if name is None:
            raise ContentError(path, 1, "a lesson's name is a number and a slug, as in 1-name.md")
        front, blocks, checks = read_file(path, LessonFront, widgets)
        lessons.append(Lesson(path, name["slug"], blocks, checks, int(name["number"]), front))
    pages = []
    for path in sorted((folder / "pages").glob("*.md")):
        page_front, blocks, checks = read_file(path, PageFront, widgets)
        pages.append(Page(path, path.stem, blocks, checks, page_front))
    lessons.sort(key=lambda lesson: lesson.number)
    found = Library(tuple(lessons), tuple(pages))
    _check_lessons(found.lessons)
    _check_ids(found.documents)
    return found


def with_addresses(markdown: str, address: Callable[[str], str]) -> str:
    """Links between files, which work on GitHub, as links of the app.

    `address` gets the file's slug ("glossary") and gives the page's address.

    >>> with_addresses("see [p](pages/glossary.md#target)", lambda slug: f"/{slug}")
    'see [p](/glossary#target)'
    """

    def replace(match: re.Match[str]) -> str:
        stem = Path(match["path"]).name
        name = _LESSON_NAME.match(stem)
        return f"]({address(name['slug'] if name else stem)}{match['anchor'] or ''})"

    return _LINK.sub(replace, markdown)


def _check_lessons(lessons: Iterable[Lesson]) -> None:
    """Numbers and slugs are unique, and a prerequisite is an earlier lesson."""
    numbers: set[int] = set()
    slugs: set[str] = set()
    for lesson in lessons:
        if lesson.number in numbers or lesson.slug in slugs:
            raise ContentError(lesson.path, 1, "another lesson has this number or slug")
        for slug in lesson.front.prerequisites:
            if slug not in slugs:
                raise ContentError(lesson.path, 1, f"the prerequisite {slug} is no earlier lesson")
        numbers.add(lesson.number)
        slugs.add(lesson.slug)


def _check_ids(documents: Iterable[Document]) -> None:
    """Ids are unique over all files, and a question that asks again names an earlier one."""
    seen: dict[str, str] = {}
    for document in documents:
        asked: list[QuizBlock | GateBlock] = [*document.quizzes, *document.gates]
        for block in asked:
            if block.id in seen:
                message = f"the id {block.id} is taken, in {seen[block.id]}"
                raise ContentError(document.path, block.line, message)
            again = block.quiz.again if isinstance(block, QuizBlock) else None
            if again is not None and again not in seen:
                message = f"again: there is no earlier question {again}"
                raise ContentError(document.path, block.line, message)
            seen[block.id] = f"{document.path}:{block.line}"
