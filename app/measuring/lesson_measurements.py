"""Measure what the lessons show where no model is loaded: python -m measuring.lesson_measurements.

Writes assets/measurements/lessons.json: what a block costs and how it rounds, in both precisions,
and the overlap against temperature at the places of the recorded default run. And records the
default run again, shorter, with the switches of the figure of the two boundary cases.
"""

import torch

from environment import environment
from measuring.block_cost import measure, overlap_curves
from measuring.shipped import FILE, Recorded, Temperatures
from recordings.presets import presets
from recordings.trace_files import pack, recorded
from speculation.pairs.assets import ASSETS
from speculation.pairs.shelf import Shelf
from speculation.run import run

SAME = "smollm2-135m/target"
VARIANT_LENGTH = 40
VARIANTS: dict[str, dict[str, object]] = {
    "code-greedy": {"temperature": 0.0},
    "code-same": {"pair": SAME},
    "code-greedy-same": {"temperature": 0.0, "pair": SAME},
}
GRID = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0]


def main() -> None:
    env = environment()
    torch.set_num_threads(env.threads or torch.get_num_threads())
    shelf = Shelf(env.cache_dir, env.device)
    default = presets()[0]
    found = []
    for precision in ("float32", "bfloat16"):
        pair = shelf.pair(default.settings.pair, precision)
        *_, last = measure(pair, precision)
        found.append(last)
        print(found[-1])
    pair = shelf.pair(default.settings.pair, "float32")
    trace = recorded(default.name)
    assert trace is not None, "record the runs first: make traces"
    tokens = [*trace.prompt_ids, *trace.tokens]
    curves = overlap_curves(pair.target, pair.draft, tokens, len(trace.prompt_ids), GRID)
    rounded = [[round(x, 4) for x in curve] for curve in curves]
    temperatures = Temperatures(prompt=default.settings.prompt, grid=GRID, curves=rounded)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    recording = Recorded(measurements=found, temperatures=temperatures)
    FILE.write_text(recording.model_dump_json(indent=1) + "\n", encoding="utf-8")
    print(f"wrote {FILE}")
    for name, changes in VARIANTS.items():
        settings = default.settings.model_copy(update=changes | {"length": VARIANT_LENGTH})
        short = run(shelf.pair(settings.pair, settings.precision), settings)
        (ASSETS / "traces" / f"{name}.json.gz").write_bytes(pack(short))
        print(f"{name}: {len(short.tokens)} tokens")


if __name__ == "__main__":
    main()
