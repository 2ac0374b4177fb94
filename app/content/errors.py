"""What is wrong with a content file, and where."""

from pathlib import Path


class ContentError(ValueError):
    """A content file that cannot be used; the message begins with its path and line.

    >>> str(ContentError(Path("lessons/1-a.md"), 7, "no such widget"))
    'lessons/1-a.md:7: no such widget'
    """

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line
        self.message = message
