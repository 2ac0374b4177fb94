"""This machine in a few words: a time means nothing without it."""

import platform
from functools import lru_cache
from pathlib import Path

import torch


@lru_cache(maxsize=1)
def machine() -> str:
    """The graphics card, or the processor and the number of threads."""
    if torch.cuda.is_available():
        return torch.cuda.get_device_name()
    return processor()


def processor() -> str:
    """The processor's name, and the threads that are used of it."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [x for x in cpuinfo.read_text().splitlines() if x.startswith("model name")]
        name = lines[0].split(":", 1)[1].strip() if lines else name
    threads = torch.get_num_threads()
    return f"{name}, {threads} thread{'' if threads == 1 else 's'}"
