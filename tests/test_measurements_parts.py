"""What is measured besides planned runs: laws in longer contexts, and one curve for the page."""

from typing import Any

import numpy as np
import pytest
from jobs.measure_context import compare_laws
from speculation.catalog import Pair
from speculation.ladder import DRAFT_LENGTHS
from speculation.measure_here import ORDER, Here, MeasureHere
from speculation.passes import PassStore

# Longer contexts, and what changes a law


def test_laws_are_compared_in_windows(tiny_pair: Pair) -> None:
    rng = np.random.default_rng(0)
    texts = rng.integers(0, 200, (2, 160)).tolist()
    drafts = {"same": tiny_pair.target, "other": tiny_pair.draft}
    *_, found = compare_laws(texts, tiny_pair.target, tiny_pair.target, drafts, (64, 128))
    by_rung = {(x.rung, x.tokens): x.alpha.mean for x in found.context}
    assert by_rung["same", 64] == pytest.approx(1.0, abs=1e-5)
    assert 0.1 < by_rung["other", 128] < 0.95
    changes = {x.name: x.tv.mean for x in found.changes}
    assert changes["bfloat16"] == pytest.approx(0.0, abs=1e-5), "here it is the same model"
    assert 0.0 < changes["top-p .95"] < changes["top-p .9"] <= 0.1 + 1e-9
    assert 0.0 < changes["top-k 50"] < changes["top-k 20"] < 1.0


# On the page's machine


def test_a_curve_measured_here_has_every_k(tiny_pair: Pair) -> None:
    work = MeasureHere("tiny", "code", "to be or not", "chat", 1.0, "float32", 12)
    assert hash(work) == hash(
        MeasureHere("tiny", "code", "to be or not", "chat", 1.0, "float32", 12)
    )
    states: list[Any] = list(work.states(tiny_pair, PassStore()))
    assert [x.done for x in states] == sorted(x.done for x in states)
    last = states[-1]
    assert isinstance(last, Here)
    assert len(last.records) == len(ORDER)
    assert [x.k for x in last.cells] == list(DRAFT_LENGTHS)
    assert states[len(states) // 2].done < 1.0 == last.done
