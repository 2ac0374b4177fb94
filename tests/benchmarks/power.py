"""Honest statistics: do checks raise false alarms, and do they see what they promise?

False alarms: the p-values of audits of exact schemes must be uniform (Kolmogorov-Smirnov). Power:
each broken scheme is put, again and again, to the check and the number of texts that the kill
table predicts to catch it with 90% power. Seeds are fresh at every run, and written down.
"""

import json
import secrets
from typing import Any

import numpy as np
from scipy.stats import kstest

from benchmarks.cases import Bench
from benchmarks.report import ROOT, Part, Row, conditions
from helpers.made_audits import audit_p_values, exact_engine
from speculation.exactness.kill_table import (
    EXACT_CHECKS,
    EXEMPT_ABOVE,
    default_stage,
    kill_row,
    stage_for,
)
from speculation.exactness.trials import CHECKS, Audit, measured_power, p_values
from speculation.schemes import SCHEMES

FILE = ROOT / "assets" / "measurements" / "power.json"
SIZES = (60, 400)
EXACT = ("exact", "block-verification", "gumbel-coupling")
LOW, HIGH = 0.8, 0.97
LEAST = 4
"""Fewer texts than this leave no power of 90% to measure: it jumps from one number to the next. (A
single text gives `accept-if-likelier` away by its surprise, every time.)"""


def measure(bench: Bench) -> list[Part]:
    """Both tables; the long form is also written to assets/measurements/power.json."""
    seed = secrets.randbits(32)
    alarms = Part(
        "false alarms",
        "P-values of audits of exact schemes",
        "uniform: the KS test's p-value not tiny (there are many rows)",
        f"below .05: share of audits that a check alone would flag. Seed {seed}.",
        false_alarms(bench.pick(100, 1000), seed),
    )
    power = Part(
        "power",
        "Broken schemes, at the number of texts predicted for 90% power",
        f"measured power within {LOW} to {HIGH}",
        f"the check that needs the fewest texts (but at least {LEAST}). Seed {seed}.",
        powers(bench.pick(20, 100), seed),
    )
    if not bench.quick:
        write([alarms, power], seed)
    return [alarms, power]


def false_alarms(audits: int, seed: int) -> list[Row]:
    """One row for each check, size and source of texts."""
    rows = []
    for size in SIZES:
        rng = np.random.default_rng([seed, size])
        engine = exact_engine(default_stage(), size)
        runs = [audit_p_values(engine, rng) for _ in range(audits)]
        found = {check: np.array([run[check] for run in runs]) for check in runs[0]}
        rows += [_alarm("audit", "exact", check, size, p) for check, p in found.items()]
        for name in EXACT:
            # The overlap test reads the exact rule's own share; the others keep more, or fewer.
            checks = [x for x in CHECKS if x != "overlap" or name == "exact"]
            values = p_values(Audit(SCHEMES[name], default_stage()), size, audits, rng, checks)
            rows += [_alarm("page", name, check, size, p) for check, p in values.items()]
    return rows


def _alarm(where: str, scheme: str, check: str, size: int, p: Any) -> Row:
    return {
        "where": where,
        "scheme": scheme,
        "check": check,
        "texts": size,
        "audits": len(p),
        "below .05": round(float(np.mean(p < 0.05)), 4),
        "KS p": round(float(kstest(p, "uniform").pvalue), 5),
    }


def powers(repeats: int, seed: int) -> list[Row]:
    """One row for each broken scheme that a person could catch."""
    rows = []
    for i, (name, scheme) in enumerate(SCHEMES.items()):
        if scheme.exact:
            continue
        stage = stage_for(scheme)
        row = kill_row(scheme, stage)
        needed = {x: n for x in EXACT_CHECKS if (n := row.runs[x]) is not None}
        texts, check = min((n, x) for x, n in needed.items() if n >= LEAST)
        if texts >= EXEMPT_ABOVE:
            continue
        rng = np.random.default_rng([seed, 7, i])
        caught = measured_power(Audit(scheme, stage), check, texts, repeats, rng)
        rows.append(
            {"scheme": name, "check": check, "texts": texts, "repeats": repeats, "power": caught}
        )
    return rows


def write(parts: list[Part], seed: int) -> None:
    """What was found, with where and when."""
    content = {
        "conditions": conditions("cpu", quick=False),
        "seed": seed,
        **{part.name: {"goal": part.goal, "rows": part.rows} for part in parts},
    }
    FILE.write_text(json.dumps(content, indent=1) + "\n")
