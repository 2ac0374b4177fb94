"""Two laws drawn by hand: bars of p and q to drag, the residual under them.

The browser does the arithmetic of a drag, so that nothing waits for the server; Python hears the
two laws when the hand rests.

    p, q = hand_drawn(["A", "B"], (0.5, 0.5), (0.9, 0.1), key="laws")
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from components.browser_code import registered, unheard
from speculation.rule import Law

FOLDER = Path(__file__).with_suffix("")

_Weight = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class _Reported(BaseModel):
    """What the browser says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    p: tuple[_Weight, ...]
    q: tuple[_Weight, ...]


def hand_drawn(
    names: Sequence[str], p: Sequence[float], q: Sequence[float], key: str
) -> tuple[Law, Law]:
    """Draw the bars, which begin at `p` and `q`; return the laws as they are drawn now."""
    state = _component()(
        key=key,
        data={"names": list(names), "p": list(p), "q": list(q)},
        on_laws_change=unheard,
    )
    return read_laws(state.get("laws"), p, q)


def read_laws(value: object, p: Sequence[float], q: Sequence[float]) -> tuple[Law, Law]:
    """The reported laws; where the report does not fit, the two that the drawing began with.

    >>> read_laws({"p": [0.5, 0.5], "q": [1, 0]}, (0.9, 0.1), (0.2, 0.8))
    (array([0.5, 0.5]), array([1., 0.]))
    >>> read_laws({"p": [1.0], "q": [1.0]}, (0.9, 0.1), (0.2, 0.8))
    (array([0.9, 0.1]), array([0.2, 0.8]))
    """
    drawn = _checked(value, len(p)) if isinstance(value, dict) else None
    first, second = (p, q) if drawn is None else (drawn.p, drawn.q)
    return _law(first), _law(second)


def _checked(value: dict[str, Any], count: int) -> _Reported | None:
    try:
        drawn = _Reported.model_validate(value)
    except ValidationError:
        return None
    fits = all(len(law) == count and abs(sum(law) - 1.0) < 1e-6 for law in (drawn.p, drawn.q))
    return drawn if fits else None


def _law(values: Sequence[float]) -> Law:
    law = np.array(values, dtype=np.float64)
    scaled: Law = law / law.sum()
    return scaled


@cache
def _component() -> Any:
    css = (FOLDER / "hand_laws.css").read_text(encoding="utf-8")
    return registered("hand_laws", FOLDER / "hand_laws.js", css)
