"""What the audit measures with: the target's laws in batches, heights, the tree of beginnings."""

import numpy as np
import pytest

from engines.audit.outcome_tree import OTHER, grow
from engines.audit.scoring import EDGE, intervals, leaning, score_texts
from engines.audit.target_law import TargetLaw, laws_of
from engines.base import Continuation, SampleRequest
from helpers.made_audits import interval_by_sorting, plan_for
from helpers.tiny_models import fresh_rows
from speculation import text
from speculation.pairs.pair import Pair
from speculation.rule import overlap
from speculation.sampling import Sampling, law


def test_laws_in_batches_equal_laws_one_by_one(tiny_pair: Pair) -> None:
    prompt = tuple(text.encode(tiny_pair.tokenizer, "ab", "chat"))
    texts = [(5, 9, 60), (7,), (5, 9, 61, 3, 2), (8, 8)]
    for begin in (prompt, prompt[:1]):
        target = TargetLaw(tiny_pair.target, begin)
        for found, tokens in zip(target.logits(texts), texts, strict=True):
            alone = fresh_rows(tiny_pair.target, [*begin, *tokens[:-1]], len(tokens))
            assert np.abs(found - alone).max() < 1e-3
        after = next(target.next_logits([(5, 9)]))
        assert np.abs(after - fresh_rows(tiny_pair.target, [*begin, 5, 9])[-1]).max() < 1e-3


def test_heights_without_sorting_are_those_of_the_draw() -> None:
    rng = np.random.default_rng(4)
    rows = rng.dirichlet(np.full(30, 0.3), size=20)
    rows[5, :4] = rows[5, :4].mean()  # ties
    rows /= rows.sum(axis=1, keepdims=True)
    tokens = np.array([rng.choice(30, p=row) for row in rows])
    tokens[5] = 2
    low, high, surprise, *_ = intervals(rows, tokens)
    for i, (row, token) in enumerate(zip(rows, tokens.tolist(), strict=True)):
        assert (low[i], high[i]) == pytest.approx(interval_by_sorting(row, token), abs=1e-9)
        assert surprise[i] == pytest.approx(-np.log(row[token]))


def test_penalties_and_biases_are_those_of_transformers(tiny_pair: Pair) -> None:
    import torch
    from transformers.generation.logits_process import (
        LogitsProcessorList,
        RepetitionPenaltyLogitsProcessor,
        SequenceBiasLogitsProcessor,
    )

    request = SampleRequest((3, 4), Sampling(), 3, logit_bias=((9, 2.5),), repetition_penalty=1.7)
    rows = np.random.default_rng(2).normal(size=(3, 20)).astype(np.float32)
    tokens = (9, 4, 1)
    found = laws_of(request, rows, tokens)
    steps = LogitsProcessorList(
        [SequenceBiasLogitsProcessor({(9,): 2.5}), RepetitionPenaltyLogitsProcessor(1.7)]
    )
    for i in range(3):
        ids = torch.tensor([[3, 4, *tokens[:i]]])
        theirs = steps(ids, torch.from_numpy(rows[i : i + 1].copy())).softmax(-1)
        assert np.abs(found[i] - theirs.numpy()[0]).max() < 1e-6


def test_the_tree_is_a_partition_with_the_target_s_law(tiny_pair: Pair) -> None:
    plan = plan_for(tiny_pair, sampling=Sampling(0.5))
    target = TargetLaw(tiny_pair.target, plan.prompt)
    tree = grow(target, plan.request, 2000, 3)
    assert sum(tree.law.values()) == pytest.approx(1.0, abs=1e-9)
    assert max(len(prefix) for prefix, _ in tree.law) > 1
    for (prefix, rest), mass in tree.law.items():
        if not rest and prefix:
            rows = fresh_rows(tiny_pair.target, [*plan.prompt, *prefix[:-1]], len(prefix))
            p = law(rows, plan.sampling)[np.arange(len(prefix)), list(prefix)].prod()
            assert mass == pytest.approx(p, rel=1e-3)
            assert tree.outcome((*prefix, 1, 2, 3)) in {(prefix, False), *tree.law}
    unlikely = int(np.argmin(fresh_rows(tiny_pair.target, plan.prompt)[-1]))
    assert tree.outcome((unlikely, 0, 0)) == OTHER


def test_a_token_at_the_edge_of_a_filter_is_let_in(tiny_pair: Pair) -> None:
    """Two ways of computing a logit differ in the last digits; which is cut then depends on it."""
    logits = np.array([[0.0, 1.0, 1.0 - EDGE / 2, -3.0]])
    request = SampleRequest((1,), Sampling(top_k=1), 1)

    class Fixed(TargetLaw):
        def logits(self, texts):  # type: ignore[no-untyped-def]  # noqa: ANN001
            return iter([logits] * len(texts))

    texts = [Continuation(i, (token,), "length") for i, token in enumerate((2, 3))]
    near, far = score_texts(Fixed(tiny_pair.target, (1,)), request, texts)
    assert np.isfinite(near.surprise[0])
    assert np.isinf(far.surprise[0])


def test_leaning_toward_the_draft_has_mean_0_under_the_law() -> None:
    rng = np.random.default_rng(6)
    p, q = rng.dirichlet(np.ones(8), size=5), rng.dirichlet(np.ones(8), size=5)
    mean, square = np.zeros(5), np.zeros(5)
    for token in range(8):
        shares, lean, variance = leaning(p, q, np.full(5, token))
        mean += p[:, token] * lean
        square += p[:, token] * lean**2
    assert np.abs(mean).max() < 1e-12
    assert square == pytest.approx(variance)
    assert shares == pytest.approx(overlap(p, q))
