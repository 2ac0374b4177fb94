"""Which draft, prompt kind, temperature, precision and k the page is about: chosen once, on top."""

from dataclasses import dataclass

import streamlit as st

from measuring.ladder_file import (
    LONGEST_K,
    PRECISIONS,
    TEMPERATURES,
    DraftMeasurements,
    Rung,
    SpeedCell,
)
from speculation.settings import Precision
from widgets.pays import measured_here

KIND_TITLES = {
    "code": "Code",
    "quote": "Quoted passage",
    "list": "List",
    "story": "Story",
    "question": "Question",
}


@dataclass(frozen=True)
class Choice:
    """What was chosen, and what is known about it.

    cells  the measured curve: made here in this session if there is one, else the recorded one
    live   whether it was made here
    """

    found: DraftMeasurements
    rung: Rung
    kind: str
    temperature: float
    precision: Precision
    k: int
    cells: list[SpeedCell]
    live: bool

    @property
    def words(self) -> str:
        """The choice in a line."""
        return (
            f"{self.rung.title}; {KIND_TITLES.get(self.kind, self.kind).lower()}, "
            f"T = {self.temperature:g}, {self.precision}"
        )

    @property
    def c(self) -> float:
        """The draft's measured cost; a draft that was never timed costs nothing worth the name."""
        if self.live and self.cells:
            known = [x.c for x in self.cells if x.c is not None]
            if known:
                return sum(known) / len(known)
        return self.rung.cost.get(self.precision, 0.0)

    @property
    def alpha(self) -> float:
        """Measured agreement; where nothing was drafted there is none."""
        cell = self.found.alpha_cell(self.rung.name, self.kind, self.temperature)
        if cell is not None:
            return cell.alpha.mean
        known = [x.alpha for x in self.cells if x.alpha is not None]
        return sum(known) / len(known) if known else 0.0


def choose(found: DraftMeasurements) -> Choice:
    """The controls."""
    by_name = {rung.name: rung for rung in found.rungs}
    with st.container(key="pays-choice", gap="small"):
        left, right = st.columns(2, gap="large")
        with left:
            name = st.selectbox(
                "Draft", list(by_name), format_func=lambda x: by_name[x].title, key="pays-rung"
            )
            kind = st.selectbox(
                "Kind of prompt",
                list(found.prompts),
                format_func=lambda x: KIND_TITLES.get(x, x),
                key="pays-kind",
            )
        with right:
            temperature = st.segmented_control(
                "Temperature", TEMPERATURES, default=1.0, format_func=lambda t: f"{t:g}",
                key="pays-temperature", required=True,
            )  # fmt: skip
            precision = st.segmented_control(
                "Precision", PRECISIONS, default="bfloat16", key="pays-precision", required=True
            )
        k = st.slider(
            "k, draft length", 1, LONGEST_K, 4, key="pays-k",
            help="How many tokens the draft proposes in each cycle.",
        )  # fmt: skip
    live = measured_here.kept(name, kind, temperature, precision)
    cells = live or found.speed_cells(name, kind, temperature, precision)
    return Choice(
        found, by_name[name], kind, temperature, precision, k, cells, live=live is not None
    )


def block_costs(choice: Choice) -> dict[int, float]:
    """v(k) in this precision: the target's own cost, so the mean over all drafts that were timed;
    measured here, it is this machine's."""
    cells = choice.cells if choice.live else choice.found.speed
    by_k: dict[int, list[float]] = {}
    for x in cells:
        if x.v is not None and x.precision == choice.precision:
            by_k.setdefault(x.k, []).append(x.v)
    return {k: sum(values) / len(values) for k, values in sorted(by_k.items())}


def block_cost(costs: dict[int, float], k: int) -> float:
    """v at any k: on a straight line between those measured, from 1 at k = 0.

    >>> block_cost({2: 1.2, 4: 1.6}, 3), block_cost({}, 3)
    (1.4, 1.0)
    """
    below = max((n for n in costs if n <= k), default=0)
    above = min((n for n in costs if n >= k), default=below)
    low, high = costs.get(below, 1.0), costs.get(above, costs.get(below, 1.0))
    return low if above == below else low + (high - low) * (k - below) / (above - below)
