"""A finished run shown as if it streamed: the stepper's text and bars, without its controls."""

from functools import cache
from typing import Any

from components.browser_code import registered
from components.stepper import FOLDER, Progress, styles
from speculation.trace import Trace

_CSS = """
.stepper .nav, .stepper .cycle { display: none; }
button { font: inherit; font-size: .9rem; color: inherit; background: transparent;
  padding: .25rem .8rem; border: 1px solid var(--st-border-color, #8886); border-radius: .5rem;
  cursor: pointer; min-width: 6.5rem; }
button:hover, button:focus-visible { border-color: var(--st-primary-color, #0072B2); }
"""


def replay(trace: Trace, key: str, cycles: int = 12) -> None:
    """Draw the first cycles of a run, one after another. It begins by itself and can be paused."""
    progress = Progress.of(
        trace.cycles[:cycles], trace.pieces, trace.settings.k, trace.settings.length
    )
    _component()(key=key, data={"progress": progress.model_dump(mode="json")})


@cache
def _component() -> Any:
    html = '<div class="place"></div><button type="button">Pause</button>'
    return registered("replay", FOLDER / "replay.js", styles() + _CSS, html)
