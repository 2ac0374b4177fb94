"""What a run is asked to do: one frozen `Settings`, one validation, one codec for links.

Widgets, links, jobs and traces all use this class; nothing else decides what a valid temperature
is. Every field has bounds and a plain-language help line, which the page shows as it stands.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from speculation.sampling import Sampling

MAX_PROMPT_CHARACTERS = 8000

Mode = Literal["chat", "continue"]
Precision = Literal["float32", "bfloat16", "int4"]


class Settings(BaseModel):
    """Everything that decides a run, except the weights and the machine's arithmetic.

    >>> Settings(prompt="Hello", k=3).k
    3
    >>> Settings.from_link(Settings(prompt="Hello", k=3).to_link()).k
    3
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: Annotated[
        str,
        Field(
            max_length=MAX_PROMPT_CHARACTERS,
            description="What the model is asked, or the beginning of a text to be continued.",
        ),
    ] = "Write a Python function to reverse a string."
    mode: Annotated[
        Mode,
        Field(
            description="Chat wraps the prompt as a question to an assistant; "
            "plain continuation goes on from its last word."
        ),
    ] = "chat"
    pair: Annotated[
        str,
        Field(
            max_length=400,
            pattern=r"^[^\x00-\x1f<>]+$",
            description="Which draft proposes for the target. The target's text does not "
            "depend on it; the speed does.",
        ),
    ] = "smollm2-135m/layers-4"
    k: Annotated[
        int,
        Field(
            ge=1,
            le=12,
            description="Draft length: how many tokens the draft proposes in each cycle.",
        ),
    ] = 4
    temperature: Annotated[
        float,
        Field(
            ge=0.0,
            le=2.0,
            allow_inf_nan=False,
            description="0 always takes the most likely token; 1 samples from the model's own "
            "distribution; more flattens it. Applied to both models.",
        ),
    ] = 0.7
    top_k: Annotated[
        int,
        Field(ge=0, le=1000, description="Sample only among the k most likely tokens. 0 is off."),
    ] = 0
    top_p: Annotated[
        float,
        Field(
            gt=0.0,
            le=1.0,
            allow_inf_nan=False,
            description="Sample only among the most likely tokens that together hold this "
            "probability. 1 is off.",
        ),
    ] = 1.0
    min_p: Annotated[
        float,
        Field(
            ge=0.0,
            le=1.0,
            allow_inf_nan=False,
            description="Drop tokens less likely than this share of the most likely one. 0 is off.",
        ),
    ] = 0.0
    seed: Annotated[
        int,
        Field(
            ge=0,
            lt=2**53,
            description="Which random numbers are used. The same seed gives the same run.",
        ),
    ] = 1
    length: Annotated[
        int,
        Field(ge=1, le=200, description="How many tokens to write at most."),
    ] = 80
    precision: Annotated[
        Precision,
        Field(
            description="float32 is exact enough to test with; bfloat16 is faster on many "
            "machines, and rounds more. int4 reads the target's 4-bit weights as they are: the "
            "fastest, and a distribution of its own."
        ),
    ] = "float32"

    @field_validator("prompt")
    @classmethod
    def _is_text(cls, prompt: str) -> str:
        """Lone surrogates cannot be written as UTF-8, so they could be neither stored nor shown."""
        try:
            prompt.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"is not valid Unicode text (character {error.start + 1})") from error
        return prompt

    @property
    def sampling(self) -> Sampling:
        """The part that turns logits into a law."""
        return Sampling(self.temperature, self.top_k, self.top_p, self.min_p)

    def to_link(self) -> dict[str, str]:
        """Every field as text for a link's query, defaults too: a default may change one day."""
        return {name: str(value) for name, value in self.model_dump().items()}

    @classmethod
    def from_link(cls, query: Mapping[str, str]) -> "Settings":
        """Settings from a link's query; unknown names are ignored, missing ones are defaults.

        Raises pydantic's ValidationError for a value that is no good; `complaints` words it.
        """
        return cls.model_validate({k: v for k, v in query.items() if k in cls.model_fields})


def complaints(error: ValidationError) -> dict[str, str]:
    """What is wrong, by field, in words for the page: {"k": "should be at most 12 (got 40)"}.

    >>> try: Settings(k=40)
    ... except ValidationError as error: complaints(error)
    {'k': 'input should be less than or equal to 12 (got 40)'}
    """
    found = {}
    for item in error.errors():
        message = item["msg"].removeprefix("Value error, ")
        got = repr(item["input"])
        if len(got) <= 40 and item["type"] != "value_error":
            message = f"{message} (got {got})"
        found[".".join(map(str, item["loc"])) or "settings"] = message[:1].lower() + message[1:]
    return found
