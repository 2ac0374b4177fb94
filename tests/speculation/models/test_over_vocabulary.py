"""Two models of different length: whatever mixes their laws takes either one longer.

V_target and V_draft are tried both ways, with more rows than the tokenizer has tokens, and with a
draft that scores fewer tokens than either: decoder, schemes, a scored place, the audit's scores and
what measures.
"""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.audit.scoring import score_texts
from engines.audit.target_law import TargetLaw
from engines.base import SampleRequest
from engines.own import Own
from helpers.tables import TableModel, random_tree
from helpers.tiny_models import byte_tokenizer, tiny_llama
from measuring.block_cost import overlap_curves
from measuring.ladder.agreement import Written, agreement
from measuring.ladder.context import WINDOW, compare_laws
from speculation.decode import Decoder, Request
from speculation.models.language_model import LanguageModel, TransformersModel, over_vocabulary
from speculation.models.passes import PassStore
from speculation.pairs.catalog import PairSpec
from speculation.pairs.pair import Pair, arithmetic
from speculation.rule import overlap
from speculation.sampling import Sampling, law
from speculation.scored_place import score_place
from speculation.settings import Settings
from training.evaluate import overlaps, same_width

SIZES = [(9, 12, None), (12, 9, None), (9, 9, [2, 4, 5]), (9, 12, [2, 4, 11]), (12, 9, [2, 4])]


def models(target: int, draft: int, support: list[int] | None) -> tuple[TableModel, TableModel]:
    one, other = (
        random_tree(seed, size) for seed, size in ((1, target), (2, len(support or range(draft))))
    )
    return (
        TableModel(lambda prefix: one(prefix[-2:]), target, "target"),  # short memories: long texts
        TableModel(lambda prefix: other(prefix[-2:]), draft, "draft", support),
    )


@given(
    st.integers(1, 6).flatmap(
        lambda size: st.tuples(
            st.just(size),
            st.sets(st.integers(0, size - 1), min_size=1),
            st.integers(1, 3),
        )
    )
)
def test_scores_land_at_their_tokens(drawn: tuple[int, set[int], int]) -> None:
    size, tokens, count = drawn
    support = np.array(sorted(tokens))
    rows = np.arange(count * len(support), dtype=np.float32).reshape(count, -1) + 1.0
    whole = over_vocabulary(rows, support, size, -np.inf)
    assert whole.shape == (count, size)
    assert whole.dtype == rows.dtype
    assert np.array_equal(whole[:, support], rows)
    assert np.isneginf(np.delete(whole, support, axis=1)).all()
    assert np.array_equal(over_vocabulary(rows, None, len(support) + 2, 0.0)[:, :-2], rows)
    assert over_vocabulary(rows, None, len(support), 0.0) is rows, "nothing to copy"


def test_nothing_is_cut_off_without_a_word() -> None:
    for support in (None, np.array([0, 7, 3])):
        with pytest.raises(ValueError, match="only 2 are counted"):
            over_vocabulary(np.ones(3), support, 2, 0.0)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("rule", ["exact", "block-verification", "replacement-from-target"])
def test_every_decoder_takes_either_model_longer(
    sizes: tuple[int, int, list[int] | None], rule: str
) -> None:
    target, draft = models(*sizes)
    decoder = Own(_pair(target, draft), rule)._decoder(SampleRequest((0,), Sampling(), 60), 5)
    cycles = [cycle for cycle, _ in decoder]
    assert decoder.vocab_size == max(sizes[:2])
    assert max(decoder.generated) < target.vocab_size, "a token that the target lacks"
    assert any(cycle.n_accepted for cycle in cycles)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_the_overlap_is_that_of_the_whole_laws(sizes: tuple[int, int, list[int] | None]) -> None:
    target, draft = models(*sizes)
    size = max(target.vocab_size, draft.vocab_size)
    request = Request((0,), Sampling(), 2, 3, 24)
    text = [0]
    for cycle, _ in Decoder(target, draft, request):
        for i, x in enumerate(cycle.checked):
            before = [*text, *[d.token for d in cycle.drafted[:i]]]
            p, q = (
                over_vocabulary(np.exp(_scores(m, before)), m.support, size, 0.0)
                for m in (target, draft)
            )
            assert x.overlap == pytest.approx(float(overlap(p, q)))
        text += cycle.committed


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_the_audit_s_scores_are_those_of_the_whole_laws(
    sizes: tuple[int, int, list[int] | None],
) -> None:
    target, draft = models(*sizes)
    request = SampleRequest((0,), Sampling(), 8, seed=4)
    texts = list(Own(_pair(target, draft)).continuations(request, range(6)))
    for text, scored in zip(
        texts, score_texts(TargetLaw(target, (0,)), request, texts, draft), strict=True
    ):
        size = max(target.vocab_size, draft.vocab_size)
        for i in range(len(text.tokens)):
            before = [0, *text.tokens[:i]]
            p, q = (
                over_vocabulary(np.exp(_scores(m, before)), m.support, size, 0.0)
                for m in (target, draft)
            )
            assert scored.overlaps[i] == pytest.approx(float(overlap(p, q)))
        assert np.isfinite(scored.surprise).all()


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_what_measures_takes_either_model_longer(sizes: tuple[int, int, list[int] | None]) -> None:
    target, draft = models(*sizes)
    tokens = np.random.default_rng(0).integers(0, target.vocab_size, 2 * WINDOW + 8).tolist()
    *_, found = agreement([Written("made", 4, tuple(tokens))], target, {"draft": draft})
    assert 0.0 < found.sums["draft"][0] < found.counts["draft"][0] == len(tokens) - 4
    [first, *_] = overlap_curves(target, draft, tokens, 8, [1.0])
    assert 0.0 < first[0] < 1.0
    *_, seen = compare_laws([tokens], target, None, {"draft": draft}, [WINDOW + 4])
    assert 0.0 < seen.context[0].alpha.mean < 1.0


@settings(max_examples=20)
@given(st.integers(2, 6), st.integers(2, 6))
def test_held_out_overlaps_take_either_one_longer(one: int, other: int) -> None:
    logits, log_q = same_width(torch.randn(3, one), torch.randn(3, other).log_softmax(-1))
    found = overlaps(logits, log_q, 1.0)
    p, q = logits.softmax(-1), log_q.softmax(-1)
    assert p.shape == q.shape
    assert torch.allclose(found, torch.minimum(p, q).sum(-1))
    assert (found > 0).all()


@pytest.mark.parametrize("rows", [(259, 280), (280, 259)])
def test_real_models_read_each_other_s_padding(rows: tuple[int, int]) -> None:
    """A token without a text may be drafted, or written by a target that is padded itself: the
    other model has no row for it, and must not break down over it."""
    target, draft = (
        TransformersModel(tiny_llama(seed, size), f"m{seed}", f"m{seed}-{size}/float32/cpu")
        for seed, size in enumerate(rows)
    )
    pair = _pair(target, draft)
    request = SampleRequest((80, 81), Sampling(temperature=1.5), 40, seed=1, k=3)
    texts = list(Own(pair).continuations(request, range(4)))
    drafted = {x.token for cycle, _ in Own(pair)._decoder(request, 1) for x in cycle.drafted}
    written = {token for text in texts for token in text.tokens}
    assert max(drafted | written) >= 259, "the case did not come up"
    assert max(written) < rows[0]
    scored = score_texts(TargetLaw(target, request.prompt), request, texts, draft)
    assert all(np.isfinite(x.surprise).all() for x in scored)
    for place in score_place(pair, Settings(prompt="ab", k=2, length=6), PassStore()):
        found = place
    assert found is not None
    assert len(found.target_logits) == len(found.draft_logits) == 280


def _scores(model: LanguageModel, text: list[int]) -> np.ndarray:
    return np.log(law(model.start().extend(text)[-1], Sampling()))


def _pair(target: LanguageModel, draft: LanguageModel) -> Pair:
    spec = PairSpec("made", "made", "Made.", "none", 0.1)
    arith = arithmetic(target, draft, "float32", torch.device("cpu"))
    return Pair(spec, target, draft, byte_tokenizer(), arith)
