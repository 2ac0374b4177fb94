"""Make the kill table: `python -m speculation.exactness FILE` writes it as JSON (about 10 s)."""

import json
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy
import scipy

from speculation.exactness.kill_table import as_records, kill_table


def main(file: Path) -> None:
    """Compute it, and write it with the day, the seconds it took, and the versions."""
    start = time.perf_counter()
    rows = as_records(kill_table())
    record = {
        "made": datetime.now(UTC).date().isoformat(),
        "seconds": round(time.perf_counter() - start, 1),
        "versions": {
            "python": platform.python_version(),
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
        },
        "rows": rows,
    }
    file.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
