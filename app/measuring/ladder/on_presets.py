"""The app's own presets with the layered drafts, plain decoding in turns: what a visitor meets.

The held-out prompts of the plan are the fair sample; these are the prompts on offer, with their own
seeds. The quotation is left out: there lookup is the draft to take.
"""

from collections.abc import Iterator

from measuring.ladder.runs import Pairs, rung_pair, whole_run
from measuring.run_record import PLAIN, RunRecord
from recordings.presets import Preset, presets
from speculation.settings import Precision

LEFT_OUT = "quote"
PRECISION: Precision = "bfloat16"  # the fastest here
KS = (2, 4)
LENGTH = 32
TURNS = 2


def preset_runs(ready: Pairs, rungs: list[str], quick: bool = False) -> Iterator[RunRecord]:
    """Every run as it is made: each preset at its own temperature and at 0, at every k.

    Plain decoding is measured before each turn over the rungs, and after the last.
    """
    for preset in [x for x in presets() if x.name != LEFT_OUT][: 1 if quick else None]:
        for temperature in sorted({preset.settings.temperature, 0.0}):
            for turn in range(TURNS):
                yield _run(ready, preset, temperature, PLAIN, 0, turn)
                for rung in rungs:
                    for k in KS:
                        yield _run(ready, preset, temperature, rung, k, turn)
            yield _run(ready, preset, temperature, PLAIN, 0, TURNS)


def _run(
    ready: Pairs, preset: Preset, temperature: float, rung: str, k: int, turn: int
) -> RunRecord:
    changes = {
        "pair": rung_pair(rung),
        "temperature": temperature,
        "k": max(1, k),
        "precision": PRECISION,
        "length": LENGTH,
    }
    settings = preset.settings.model_copy(update=changes)
    return whole_run(ready.get(rung, PRECISION), settings, rung, preset.name, 0, turn, k)
