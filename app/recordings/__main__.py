"""Record the shipped runs again: python -m recordings, or `make traces`."""

import torch

from environment import environment
from recordings.presets import presets
from recordings.trace_files import pack
from speculation.pairs.assets import ASSETS
from speculation.pairs.shelf import Shelf
from speculation.run import run


def main() -> None:
    """Run every preset on its own settings and write assets/traces/<name>.json.gz."""
    env = environment()
    torch.set_num_threads(env.threads or torch.get_num_threads())
    shelf = Shelf(env.cache_dir, env.device)
    folder = ASSETS / "traces"
    folder.mkdir(parents=True, exist_ok=True)
    for preset in presets():
        trace = run(shelf.pair(preset.settings.pair, preset.settings.precision), preset.settings)
        data = pack(trace)
        (folder / f"{preset.name}.json.gz").write_bytes(data)
        print(f"{preset.name}: {len(trace.tokens)} tokens, {len(data) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
