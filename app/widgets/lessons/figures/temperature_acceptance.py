"""Overlap against temperature: for given logits, and at the places of a real text."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from charts.lessons.temperature import temperature_figure
from content.widget_options import TemperatureAcceptance
from speculation.rule import overlap
from speculation.sampling import Sampling, law
from widgets.figure_parts import chart
from widgets.markdown_text import plain

STEPS = [0.02 * i for i in range(0, 501)]
CURVES = 24
HOTTEST = 2.0


def temperature_acceptance(options: TemperatureAcceptance, key: str) -> None:
    """The curve of the logits beside that of the real pair."""
    if options.target_logits is None or options.draft_logits is None:
        _real(key)
        return
    left, right = st.columns(2, gap="large")
    with left:
        _given(options.target_logits, options.draft_logits, options.temperatures, key)
    with right:
        _real(key)


def _given(
    target: Sequence[float], draft: Sequence[float], marked: Sequence[float], key: str
) -> None:
    def at(temperature: float) -> float:
        sampling = Sampling(temperature)
        return float(overlap(law(np.array(target), sampling), law(np.array(draft), sampling)))

    st.markdown(
        f":gray-badge[computed from logits]  \nTarget {_tuple(target)}, draft {_tuple(draft)}"
    )
    steps = [t for t in STEPS if t <= max(*marked, 1.0)]
    points = [at(t) for t in marked]
    sentence = "Overlap: " + ", ".join(
        f"{y:.2f} at T = {t:g}" for t, y in zip(marked, points, strict=True)
    )
    figure = temperature_figure((steps, [at(t) for t in steps]), (marked, points))
    chart(figure, f"{sentence}.", f"given-{key}")


def _real(key: str) -> None:
    from measuring.shipped import recorded_measurements  # loads torch: no other page waits for it

    recording = recorded_measurements()
    if recording is None:
        st.info("Nothing was measured yet.")
        return
    found = recording.temperatures
    grid = [temperature for temperature in found.grid if temperature <= HOTTEST]
    curves = np.array(found.curves)[:, : len(grid)]
    mean = curves.mean(axis=0)
    rising = int((curves[:, grid.index(1.0)] > curves[:, 0] + 0.001).sum())
    st.markdown(f":gray-badge[recorded from the real pair]  \n{plain(found.prompt)}")
    spread = np.linspace(0, len(curves) - 1, min(CURVES, len(curves))).astype(int)
    figure = temperature_figure((grid, mean.tolist()), places=curves[spread].tolist())
    sentence = (
        f"Mean overlap at {len(curves)} places of this text: {mean[0]:.2f} at T = "
        f"{grid[0]:g}, {mean[grid.index(1.0)]:.2f} at 1, {mean[-1]:.2f} at {HOTTEST:g}. "
        f"From {grid[0]:g} to 1 it rises at {rising} of them."
    )
    chart(figure, sentence, f"real-{key}")


def _tuple(values: Sequence[float]) -> str:
    return f"({', '.join(f'{value:g}' for value in values)})"
