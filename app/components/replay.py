"""A finished run shown as if it streamed: the stepper's text and bars, without its controls.

Where the run is there at several draft lengths, a slider changes k, and the bars with it.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from components.browser_code import registered
from components.stepper import FOLDER, Progress, styles

_CSS = """
.stepper .nav, .stepper .cycle, .stepper .sentence { display: none; }
.by-hand { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.4rem;
  min-height: 2.4rem; }
label { display: flex; align-items: center; gap: .6rem; font-size: .95rem; }
label[hidden] { display: none; }
input { width: 11rem; accent-color: var(--st-primary-color, #0072B2); }
output { min-width: 1.2em; font-weight: 650; font-variant-numeric: tabular-nums; }
.told { margin: .3rem 0 0; font-size: .95rem; font-variant-numeric: tabular-nums; }
button { font: inherit; font-size: .9rem; color: inherit; background: transparent;
  padding: .25rem .8rem; border: 1px solid var(--st-border-color, #8886); border-radius: .5rem;
  cursor: pointer; min-width: 6.5rem; }
button:hover, button:focus-visible { border-color: var(--st-primary-color, #0072B2); }
"""
_HTML = """
<div class="place"></div>
<div class="by-hand"><button type="button">Pause</button>
<label>k, tokens drafted at a time <input type="range" step="1"><output></output></label></div>
<p class="told" role="status"></p>
"""


def replay(runs: Mapping[int, Progress], k: int, key: str) -> None:
    """Draw a run, cycle by cycle. It begins by itself and can be paused.

    runs  the whole run at each draft length that a person may choose
    k     the one to begin with
    """
    data = {"runs": {n: run.model_dump(mode="json") for n, run in runs.items()}, "k": k}
    _component()(key=key, data=data)


@cache
def _component() -> Any:
    return registered("replay", FOLDER / "replay.js", styles() + _CSS, _HTML)
