"""Audits by the hundred, and the kill table: no false alarms, and every broken scheme caught."""

import json

import numpy as np
import pytest
from scipy.stats import kstest

from speculation.exactness.kill_table import (
    EXACT_CHECKS,
    Row,
    as_records,
    default_stage,
    kill_row,
    kill_table,
    stage_for,
)
from speculation.exactness.trials import CHECKS, Audit, measured_power, p_values
from speculation.schemes import SCHEMES


@pytest.fixture(scope="module")
def table() -> dict[str, Row]:
    return {row.scheme.name: row for row in kill_table()}


def test_the_table_can_be_committed_and_compared(table: dict[str, Row]) -> None:
    records = json.loads(json.dumps(as_records(table.values())))
    again = as_records(kill_table([SCHEMES[name] for name in ("exact", "match-then-fresh")]))
    by_name = {record["scheme"]: record for record in records}
    assert [by_name[str(record["scheme"])] for record in again] == again


def test_exact_schemes_are_never_flagged(table: dict[str, Row]) -> None:
    for row in table.values():
        if row.scheme.exact:
            assert row.caught_with is None, row


def test_broken_schemes_are_caught(table: dict[str, Row]) -> None:
    for name, row in table.items():
        if not row.scheme.exact:
            assert row.caught_with is not None, name
            assert row.exempt == (name == "bfloat16-draw"), row
    assert (table["bfloat16-draw"].caught_with or 0) > 1_000_000


def test_each_kind_shows_where_it_says(table: dict[str, Row]) -> None:
    for name, row in table.items():
        token = row.runs["token"]
        assert (token is not None) == (row.scheme.seen_by == "law"), name
        if row.scheme.seen_by != "none":
            assert row.runs["text"] is not None, name


def test_slow_schemes_are_seen_in_the_second_column(table: dict[str, Row]) -> None:
    for name, row in table.items():
        if row.scheme.exact:
            assert (row.slow_with is None) == row.scheme.as_fast, name
    assert table["bonus-dropped"].runs["overlap"] is None
    assert table["draft-cache-short"].runs["bonus"] is None


@pytest.mark.parametrize("name", ["exact", "block-verification", "gumbel-coupling"])
@pytest.mark.parametrize("texts", [80, 1200])
def test_p_values_of_exact_audits_are_uniform(name: str, texts: int) -> None:
    audit = Audit(SCHEMES[name], default_stage())
    checks = [c for c in CHECKS if c != "overlap" or name == "exact"]
    found = p_values(audit, texts, 150, np.random.default_rng(12), checks)
    for check, values in found.items():
        assert kstest(values, "uniform").pvalue > 1e-3, check


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("replacement-from-target", "text"),
        ("replacement-from-target", "PIT"),
        ("later-drafts-kept", "surprise"),
        ("shared-draft-number", "text"),
        ("bonus-from-draft", "text"),
        ("q-before-filters", "surprise"),
        ("block-reused-numbers", "text"),
        ("end-ignored", "cycle"),
        ("two-temperatures", "token"),
    ],
)
def test_the_predicted_number_of_texts_catches_it(name: str, check: str) -> None:
    scheme = SCHEMES[name]
    runs = kill_row(scheme, stage_for(scheme)).runs[check]
    assert runs is not None
    assert check in EXACT_CHECKS
    audit = Audit(scheme, stage_for(scheme))
    caught = measured_power(audit, check, runs, 100, np.random.default_rng(13))
    assert 0.8 <= caught <= 0.97, f"{runs} texts"
