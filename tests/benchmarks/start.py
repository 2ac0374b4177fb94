"""From `make run` (already installed) to the first usable page, and to live models."""

from concurrent.futures import ThreadPoolExecutor
from statistics import median

from benchmarks.cases import Bench
from benchmarks.report import Part, middle
from benchmarks.server import browser, new_page, served


def measure(bench: Bench) -> Part:
    """Start the app a few times; a browser is open already, the files are in memory."""
    part = Part(
        "start",
        "From `make run` (already installed), in seconds",
        "a second `make run` starts in seconds",
        "page: the recorded run can be stepped through and its chart is drawn; live: the default "
        "pair is loaded. median (least to most); files already read once by the system.",
    )
    times: dict[str, list[float]] = {"server answers": [], "page usable": [], "models live": []}
    with browser() as running:
        for _ in range(bench.pick(1, 3, bench.rounds)):
            with served() as server, ThreadPoolExecutor() as beside:
                ready = beside.submit(server.wait, {"live", "recorded only"})
                answers = server.wait({"warming up", "live", "recorded only"})
                page = new_page(running)
                page.goto(f"{server.url}/lab")
                page.wait_for_function("probe.usable()", polling=30)
                usable = server.elapsed()
                live = ready.result()
                page.close()
            for name, value in zip(times, (answers, usable, live), strict=True):
                times[name].append(value)
            print(".", end="", flush=True)
    part.rows = [
        {"what": name, "seconds": middle(values), "median": round(median(values), 2)}
        for name, values in times.items()
    ]
    return part
