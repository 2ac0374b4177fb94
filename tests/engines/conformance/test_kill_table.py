"""The record of what the kit finds: whole, honest about what it misses, and made by the code."""

from engines.conformance import kill_table
from engines.conformance.rows import ROWS
from speculation.schemes import SCHEMES

MISSED = {"bfloat16-draw", "block-reused-numbers", "shared-noise"}
"""Off by less than a minute of texts shows, on a machine that was busy beside."""


def test_the_record_has_every_rule_and_finds_the_broken_ones() -> None:
    record = kill_table.read()
    found = {kill["rule"]: kill for kill in record["rules"]}
    assert set(found) == set(SCHEMES)
    assert record["machine"]
    for rule, kill in found.items():
        assert kill["exact"] == SCHEMES[rule].exact
        if kill["exact"]:
            assert kill["row"] == "", f"{rule} is exact, and was called wrong"
            assert kill["sees"] < 0.2
        elif rule not in MISSED:
            assert kill["row"] in {row.name for row in ROWS}, f"{rule} was missed"
            assert kill["texts"] > 0


def test_it_is_made_by_the_code() -> None:
    recorded = {kill["rule"]: kill for kill in kill_table.read()["rules"]}
    for kill in kill_table.kills(0.1, ("greedy-draft-soft-q", "ratio-inverted")):
        assert kill.row == recorded[kill.rule]["row"]
