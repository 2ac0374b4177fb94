"""A class plan while it is made: what is in it, every edit, and the way back. Pure.

An edit gives a new draft and leaves the old one as it was, so undo is keeping the old ones.
"""

from dataclasses import dataclass, replace

from classroom.plans.plan import Item, Plan
from classroom.plans.question import Question

MOST_UNDO = 30


@dataclass(frozen=True)
class Draft:
    """A plan that may still be empty."""

    title: str = "My class"
    about: str = ""
    items: tuple[Item, ...] = ()

    @classmethod
    def of(cls, plan: Plan) -> "Draft":
        """A draft with everything of a plan."""
        return cls(plan.title, plan.about, plan.items)

    def plan(self) -> Plan:
        """The plan as it stands. Raises pydantic's ValidationError while it has no item."""
        return Plan(title=self.title, about=self.about, items=self.items)

    def named(self, title: str, about: str) -> "Draft":
        """With another title and summary."""
        return replace(self, title=title, about=about)

    def with_item(self, item: Item) -> "Draft":
        """With one more part at the end."""
        return replace(self, items=(*self.items, item))

    def without_item(self, index: int) -> "Draft":
        """Without one part."""
        return replace(self, items=(*self.items[:index], *self.items[index + 1 :]))

    def moved(self, index: int, by: int) -> "Draft":
        """With one part moved; at either end it stays.

        >>> a, b = (Item(title=name, recording="code") for name in "ab")
        >>> [item.title for item in Draft(items=(a, b)).moved(0, 1).items]
        ['b', 'a']
        """
        to = min(max(index + by, 0), len(self.items) - 1)
        items = list(self.items)
        items.insert(to, items.pop(index))
        return replace(self, items=tuple(items))

    def with_texts(self, index: int, title: str, notes: str) -> "Draft":
        """With another title and other notes for one part. Raises ValidationError if too long."""
        item = self.items[index]
        changed = Item.model_validate({**dict(item), "title": title, "notes": notes})
        return self._put(index, changed)

    def with_question(self, index: int, question: Question) -> "Draft":
        """With one more question in a part."""
        item = self.items[index]
        return self._put(index, item.model_copy(update={"questions": (*item.questions, question)}))

    def without_question(self, index: int, which: int) -> "Draft":
        """Without one question of a part."""
        item = self.items[index]
        left = (*item.questions[:which], *item.questions[which + 1 :])
        return self._put(index, item.model_copy(update={"questions": left}))

    def _put(self, index: int, item: Item) -> "Draft":
        return replace(self, items=(*self.items[:index], item, *self.items[index + 1 :]))
