"""Record the shipped runs again: python -m recordings, or `make traces`.

python -m recordings              every preset, and the runs of Home
python -m recordings code home    some of them, by name
"""

import argparse

import torch

from environment import environment
from recordings.home_runs import FILE, home_settings, pack_home
from recordings.presets import presets
from recordings.trace_files import pack
from speculation.pairs.assets import ASSETS
from speculation.pairs.shelf import Shelf
from speculation.run import run
from speculation.settings import Settings
from speculation.trace import Trace

HOME = "home"


def main() -> None:
    """Run what is asked for on its own settings; write assets/traces."""
    names = [*(preset.name for preset in presets()), HOME]
    parser = argparse.ArgumentParser(
        prog="recordings", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(names))
    wanted = parser.parse_args().names or names
    unknown = set(wanted) - set(names)
    if unknown:
        parser.error(f"there is no recording {min(unknown)!r}: {', '.join(names)}")
    env = environment()
    torch.set_num_threads(env.threads or torch.get_num_threads())
    shelf = Shelf(env.cache_dir, env.device)

    def recorded(settings: Settings) -> Trace:
        return run(shelf.pair(settings.pair, settings.precision), settings)

    folder = ASSETS / "traces"
    folder.mkdir(parents=True, exist_ok=True)
    for preset in presets():
        if preset.name in wanted:
            trace = recorded(preset.settings)
            data = pack(trace)
            (folder / f"{preset.name}.json.gz").write_bytes(data)
            print(f"{preset.name}: {len(trace.tokens)} tokens, {len(data) / 1000:.0f} kB")
    if HOME in wanted:
        data = pack_home(recorded(settings) for settings in home_settings())
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_bytes(data)
        print(f"{HOME}: {len(home_settings())} draft lengths, {len(data) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
