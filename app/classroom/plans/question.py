"""A question of a class plan, as its file writes it."""

from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Kind = Literal["verdict", "count", "replacement", "quiz"]


class Part(BaseModel):
    """A part of a plan: it knows no field but its own, and its texts can be stored."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _is_text(cls, value: object) -> object:
        """Lone surrogates and NUL can be written to no database."""
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise ValueError(f"is no valid text (character {error.start + 1})") from error
            if "\x00" in value:
                raise ValueError("has a NUL character in it")
        return value


class Question(Part):
    """A question, counted from 0.

    verdict      accepted or rejected, at `cycle` and `position`?
    count        how many tokens will `cycle` commit?
    replacement  which token ends `cycle`?
    quiz         the checkpoint question with the id `quiz`
    note         for the teacher alone
    """

    kind: Kind
    cycle: Annotated[int, Field(ge=0, le=1000)] | None = None
    position: Annotated[int, Field(ge=0, le=100)] | None = None
    quiz: Name | None = None
    note: Annotated[str, StringConstraints(max_length=1000)] = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind == "quiz":
            if self.quiz is None:
                raise ValueError("a quiz question needs the id of a checkpoint question, as quiz")
        elif self.cycle is None:
            raise ValueError(f"a {self.kind} question needs its cycle, counted from 0")
        if self.kind == "verdict" and self.position is None:
            raise ValueError("a verdict question needs its position, counted from 0")
        return self
