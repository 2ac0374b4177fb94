"""Honest statistics of the audit: no false alarms, the power that is promised, and the long run's
result that is committed."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest

from engines.audit.checks.law import bounded_sum, events
from engines.audit.checks.promises import homogeneity, pooled_beginnings
from engines.audit.evidence import counted
from helpers.made_audits import audit_p_values, exact_engine
from speculation.exactness.kill_table import EXACT_CHECKS, default_stage
from speculation.pairs.assets import ASSETS
from speculation.schemes import SCHEMES

FILE = ASSETS / "measurements" / "power.json"


@pytest.mark.parametrize("texts", [60, 300])
def test_p_values_of_exact_audits_are_uniform(texts: int) -> None:
    rng = np.random.default_rng(21)
    engine = exact_engine(default_stage(), texts)
    runs = [audit_p_values(engine, rng) for _ in range(80)]
    for check in runs[0]:
        values = [run[check] for run in runs]
        assert kstest(values, "uniform").pvalue > 1e-3, check


def test_the_number_of_repetitions_has_its_exact_law() -> None:
    """Two events of chance 1/2 and 1/4: none 3/8, one 1/2, both 1/8."""
    chances = np.array([0.0, 0.5, 0.25])
    assert events("", chances, 2, "").p_value == pytest.approx(2 / 8)
    assert events("", chances, 2, "", 0.5).p_value == pytest.approx(2 / 16)
    assert events("", chances, 0, "", 0.25).p_value == pytest.approx(2 * 0.25 * 3 / 8)
    assert events("", chances, 1, "").p_value == 1.0
    assert events("", np.zeros(5), 1, "").p_value == 0.0  # what cannot be, came
    assert events("", np.zeros(5), 0, "").p_value == 1.0


def test_without_a_coin_it_never_claims_too_much() -> None:
    rng = np.random.default_rng(3)
    chances = np.linspace(0.0, 0.2, 30)
    counts = [int((rng.random(30) < chances).sum()) for _ in range(400)]
    found = [events("", chances, count, "").p_value for count in counts]
    assert np.mean(np.array(found) < 0.05) < 0.06


def test_two_samples_differ_only_where_their_laws_do() -> None:
    rng = np.random.default_rng(5)
    texts = [tuple(row) for row in rng.integers(0, 3, size=(200, 3)).tolist()]
    alike = homogeneity(pooled_beginnings(texts, 2), 100, rng)
    assert alike.p_value > 0.01
    moved = [(0, *text[1:]) if i < 70 else text for i, text in enumerate(texts)]
    assert homogeneity(pooled_beginnings(moved, 2), 100, rng).p_value < 0.01


def test_beginnings_are_as_long_as_enough_texts_share() -> None:
    texts = [(1, 2, 3)] * 10 + [(1, 2, 4)] * 3 + [(1,)] * 7 + [(5, 5)] * 2
    found = pooled_beginnings(texts, 3).tolist()
    assert found == [0] * 10 + [1] * 3 + [2] * 7 + [3] * 2  # 123; 12; 1; none


def test_what_must_never_happen_has_an_interval_too() -> None:
    none = counted("x", 0, 45, "of the texts")
    assert none.p_value == 1.0
    assert none.high == pytest.approx(1 - 0.025 ** (1 / 45))
    assert none.sees == pytest.approx(0.05, abs=0.002)
    assert counted("x", 45, 45, "of the texts").high == 1.0


# The committed result of `python -m benchmarks power`


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_text())
    return content


def test_the_committed_run_says_where_and_when(committed: dict[str, Any]) -> None:
    where = committed["conditions"]
    assert where["machine"]
    assert where["date"]
    assert where["versions"]["numpy"]
    assert not where["quick"]


def test_the_committed_false_alarms_are_uniform(committed: dict[str, Any]) -> None:
    rows = committed["false alarms"]["rows"]
    checks = {row["check"] for row in rows if row["where"] == "audit"}
    assert checks == set(
        audit_p_values(exact_engine(default_stage(), 30), np.random.default_rng(1))
    )
    for row in rows:
        assert row["audits"] >= 1000
        assert row["KS p"] > 0.05 / len(rows), row  # Bonferroni over the rows


def test_the_committed_power_holds_for_every_broken_scheme(committed: dict[str, Any]) -> None:
    rows = {row["scheme"]: row for row in committed["power"]["rows"]}
    table = json.loads((ASSETS / "measurements" / "kill_table.json").read_text())["rows"]
    assert {known["scheme"] for known in table} == set(SCHEMES)
    for known in table:
        name = known["scheme"]
        if known["exact"] or known["exempt"]:
            assert name not in rows
            continue
        row = rows[name]
        assert row["repeats"] >= 100
        # One text may give a scheme away every time; power is measured where it can be 90%.
        needed = (known["runs"][check] for check in EXACT_CHECKS)
        assert row["texts"] == min(n for n in needed if n is not None and n >= 4), name
        assert 0.8 <= row["power"] <= 0.97, row


def test_few_terms_far_from_0_raise_no_alarm() -> None:
    """p and q nearly alike: one rare event makes a large z, and a p-value that is still honest."""
    rng = np.random.default_rng(8)
    chance, terms = 0.001, 200
    found = []
    for _ in range(2000):
        came = (rng.random(terms) < chance) - chance
        found.append(bounded_sum("", came, terms * chance * (1 - chance)).p_value)
    assert np.mean(np.array(found) < 0.05) < 0.05
    shifted = (rng.random(terms) < 0.1) - chance
    assert bounded_sum("", shifted, terms * chance).p_value < 1e-6
