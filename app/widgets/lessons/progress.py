"""How far a learner is in each lesson, in numbers and in words."""

from dataclasses import dataclass

from content.blocks import Lesson
from store.learners import store
from store.streamlit_identity import learner_id


@dataclass(frozen=True)
class Standing:
    """One lesson, as far as this learner is.

    right  checkpoint questions whose last answer is right
    asked  checkpoint questions there are
    begun  whether anything has been answered
    """

    right: int
    asked: int
    begun: bool
    done: bool

    @property
    def short(self) -> str:
        """Without numbers, for a place that is not drawn again after every answer."""
        return "done" if self.done else "begun" if self.begun else "not begun"

    @property
    def words(self) -> str:
        """
        >>> Standing(3, 7, True, False).words
        '3 of 7 right'
        """
        if self.done:
            return "done"
        return f"{self.right} of {self.asked} right" if self.begun else "not begun"


def standings(lessons: tuple[Lesson, ...]) -> dict[str, Standing]:
    """Where the learner of this page stands, by lesson."""
    me = learner_id()
    answers, progress = store().answers(me), store().progress(me)
    right = {quiz_id for quiz_id, answer in answers.items() if answer.final_correct}
    found = {}
    for lesson in lessons:
        entry = progress.get(lesson.slug)
        begun = entry is not None or any(a.lesson == lesson.slug for a in answers.values())
        found[lesson.slug] = Standing(
            right=len(right & set(lesson.required)),
            asked=len(lesson.required),
            begun=begun,
            done=entry is not None and entry.done_at is not None,
        )
    return found
