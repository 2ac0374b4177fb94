"""The models are loaded once, after a page or when nobody comes."""

from collections.abc import Callable

from jobs.warming import AFTER_PAGE, NOBODY, WarmUp


class Hands:
    """A timer that goes off when the test says so."""

    def __init__(self, seconds: float, then: Callable[[], None]) -> None:
        self.seconds, self.then = seconds, then
        self.state = "new"

    def start(self) -> None:
        self.state = "waiting"

    def cancel(self) -> None:
        self.state = "cancelled"

    def goes_off(self) -> None:
        if self.state == "waiting":
            self.state = "done"
            self.then()


def watched() -> tuple[WarmUp, list[Hands], list[str]]:
    made: list[Hands] = []
    begun: list[str] = []

    def make(seconds: float, then: Callable[[], None]) -> Hands:
        made.append(Hands(seconds, then))
        return made[-1]

    warm = WarmUp(make)
    warm.page_drawn()  # before the server is up, as in a test of a page: nothing happens
    assert made == []
    warm.start(lambda: begun.append("models"))
    assert [x.seconds for x in made] == [NOBODY]
    return warm, made, begun


def test_after_the_page_and_only_once() -> None:
    warm, made, begun = watched()
    warm.page_drawn()
    assert begun == []
    warm.page_drawn()  # the first one draws again, or a second visitor comes
    assert [x.seconds for x in made] == [NOBODY, AFTER_PAGE, AFTER_PAGE]
    made[1].goes_off()
    assert begun == []
    made[2].goes_off()
    assert begun == ["models"]
    made[0].goes_off()
    warm.page_drawn()
    assert begun == ["models"]
    assert len(made) == 3


def test_when_nobody_comes_or_pages_never_end() -> None:
    warm, made, begun = watched()
    for _ in range(5):
        warm.page_drawn()
    made[0].goes_off()
    for timer in made:
        timer.goes_off()
    assert begun == ["models"]
