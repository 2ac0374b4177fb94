"""Cycles: what is committed, where a text ends, and what is refused. On tables, no model needed."""

import numpy as np
import pytest

from helpers.tables import Prefix, TableModel, one_hot, random_tree, spell
from speculation.decode import Decoder, Request, refuse_if_too_long
from speculation.rule import Law
from speculation.sampling import Sampling
from speculation.text import PromptRefused
from speculation.trace import Cycle

END = 7
PROMPT = (0,)


def decode(
    target: TableModel,
    draft: TableModel,
    k: int = 3,
    length: int = 6,
    temperature: float = 1.0,
    seed: int = 0,
    prompt: Prefix = PROMPT,
) -> tuple[Decoder, list[Cycle]]:
    request = Request(prompt, Sampling(temperature), k, seed, length, frozenset({END}))
    decoder = Decoder(target, draft, request)
    return decoder, [cycle for cycle, _ in decoder]


def spelling(*tokens: int) -> TableModel:
    """A model sure to write these tokens after the prompt."""
    return TableModel(lambda prefix: np.pad(spell((0, *tokens))(prefix), (0, 9))[:9], 9)


def random_pair(size: int = 9, peak: float = 4.0) -> tuple[TableModel, TableModel]:
    p, q = random_tree(1, size, peak=peak), random_tree(2, size, peak=peak)
    mixed = TableModel(lambda prefix: 0.5 * p(prefix) + 0.5 * q(prefix), size, "draft")
    return TableModel(p, size, "target"), mixed


def test_all_accepted_and_a_bonus() -> None:
    decoder, cycles = decode(spelling(1, 2, 3, 4, 5, 6, 8, 8), spelling(1, 2, 3, 4, 5, 6, 8), 3, 8)
    assert decoder.generated == [1, 2, 3, 4, 5, 6, 8, 8]
    assert [cycle.n_accepted for cycle in cycles] == [3, 3]
    assert all(cycle.replacement and cycle.replacement.bonus for cycle in cycles)
    assert decoder.finish == "length"


def test_a_rejection_ends_the_cycle_and_is_replaced() -> None:
    decoder, cycles = decode(spelling(1, 2, 3, 4), spelling(1, 5, 6), 3, 4)
    first = cycles[0]
    assert [x.verdict for x in first.drafted] == ["accepted", "rejected", "unchecked"]
    assert first.committed == [1, 2]
    assert first.replacement is not None
    assert (first.replacement.token, first.replacement.bonus) == (2, False)
    assert decoder.generated == [1, 2, 3, 4]


def test_every_record_says_what_the_laws_say() -> None:
    target, draft = random_pair()
    prompt = (0, 3)
    text = list(prompt)
    _, cycles = decode(target, draft, 3, 40, prompt=prompt)
    for cycle in cycles:
        for i, x in enumerate(cycle.drafted):
            prefix = (*text, *(y.token for y in cycle.drafted[:i]))
            p, q = target.law_after(prefix), draft.law_after(prefix)
            assert (x.p, x.q) == pytest.approx((p[x.token], q[x.token]))
            assert x.a == pytest.approx(min(1, x.p / x.q))
            assert x.index == len(text) - len(prompt) + i
            wanted = (
                "unchecked" if i > cycle.n_accepted else "accepted" if x.u < x.a else "rejected"
            )
            assert x.verdict == wanted
            if x.verdict == "unchecked":
                assert x.overlap is None
            else:
                assert x.overlap == pytest.approx(np.minimum(p, q).sum())
        last = cycle.replacement
        if last is not None:
            n = cycle.n_accepted
            prefix = (*text, *(y.token for y in cycle.drafted[:n]))
            p = target.law_after(prefix)
            left = p if last.bonus else np.maximum(p - draft.law_after(prefix), 0)
            assert last.p == pytest.approx(p[last.token])
            assert last.r == pytest.approx(left[last.token] / left.sum())
            assert last.bonus == (n == len(cycle.drafted))
        decided = [x.token for x in cycle.drafted[: cycle.n_accepted]]
        decided += [last.token] if last is not None else []
        assert cycle.committed == decided[: len(cycle.committed)]
        text += cycle.committed


@pytest.mark.parametrize("k", [0, 1, 4, 12])
def test_positions_and_cycles_are_numbered_without_gaps(k: int) -> None:
    decoder, cycles = decode(*random_pair(), k=k, length=30, seed=5)
    assert [cycle.index for cycle in cycles] == list(range(len(cycles)))
    assert [c.start for c in cycles] == [
        sum(len(x.committed) for x in cycles[:i]) for i in range(len(cycles))
    ]
    assert [token for cycle in cycles for token in cycle.committed] == decoder.generated


def test_plain_decoding_is_k_zero() -> None:
    target, draft = random_pair()
    decoder, cycles = decode(target, draft, k=0, length=10)
    assert draft.passes == 0, "plain decoding asked the draft"
    assert all(not c.drafted and c.replacement and c.replacement.bonus for c in cycles)
    assert [len(cycle.committed) for cycle in cycles] == [1] * len(decoder.generated)


def test_greedy_decoding_is_string_equality() -> None:
    target, draft = random_pair()
    plain, _ = decode(target, draft, k=0, length=20, temperature=0.0)
    for k in (1, 2, 5):
        decoder, cycles = decode(target, draft, k=k, length=20, temperature=0.0)
        assert decoder.generated == plain.generated, f"k = {k} writes another greedy text"
        for x in (x for cycle in cycles for x in cycle.drafted):
            assert x.p in (0.0, 1.0)
            assert x.q == 1.0


# ---- where a text ends -------------------------------------------------------------------------


def test_an_accepted_end_token_stops_the_cycle() -> None:
    decoder, cycles = decode(spelling(1, END, 2, 3), spelling(1, END, 2, 3), 3, 6)
    assert decoder.generated == [1, END], "something was committed after the end of the text"
    assert decoder.finish == "end"
    assert cycles[-1].replacement is None
    assert cycles[-1].cut == "end"
    assert [x.token for x in cycles[-1].drafted] == [1, END], "drafted beyond the end of the text"


def test_a_rejected_end_token_ends_nothing() -> None:
    decoder, cycles = decode(spelling(1, 2, 3, 4), spelling(1, END), 3, 4)
    assert decoder.generated == [1, 2, 3, 4]
    assert cycles[0].drafted[-1].verdict == "rejected"


@pytest.mark.parametrize("k", [0, 1, 3])
def test_an_end_token_as_replacement_or_bonus_ends_the_text(k: int) -> None:
    for draft in (spelling(1, 2, END), spelling(5)):
        decoder, cycles = decode(spelling(1, 2, END, 4), draft, k, 6)
        assert decoder.generated == [1, 2, END]
        assert decoder.finish == "end"
        assert cycles[-1].committed[-1] == END


@pytest.mark.parametrize("length", range(1, 9))
def test_the_length_limit_cuts_the_last_cycle(length: int) -> None:
    text = (1, 2, 3, 4, 5, 6, 8, 8)
    decoder, cycles = decode(spelling(*text), spelling(*text), 3, length)
    assert decoder.generated == list(text[:length])
    assert decoder.finish == "length"
    last = cycles[-1]
    assert last.cut == (None if length % 4 == 0 else "length")
    assert len(last.committed) == (length % 4 or 4)


def test_an_end_token_beyond_the_length_limit_is_cut_by_the_limit() -> None:
    decoder, cycles = decode(spelling(1, 2, END), spelling(1, 2, END), 3, 2)
    assert (decoder.generated, decoder.finish) == ([1, 2], "length")
    assert cycles[-1].cut == "length", "the end token was cut off: the limit did that"


def test_an_end_token_as_the_last_that_fits_is_the_end() -> None:
    decoder, _ = decode(spelling(1, 2, END), spelling(1, 2, END), 3, 3)
    assert decoder.finish == "end"


# ---- drafts of other kinds ---------------------------------------------------------------------


def test_a_draft_with_part_of_the_vocabulary() -> None:
    """Its law is 0 elsewhere; tokens it does not know come as replacements."""
    target, _ = random_pair()
    support = [2, 4, 5]
    draft = TableModel(random_tree(3, 3), 9, "short", support)
    decoder, cycles = decode(target, draft, 3, 60)
    assert {x.token for c in cycles for x in c.drafted} == set(support)
    assert set(decoder.generated) - set(support), "only the draft's own tokens were committed"
    for x in (x for cycle in cycles for x in cycle.checked):
        assert x.table is not None
        known = dict(zip(x.table.tokens, x.table.q, strict=True))
        assert all(q == 0.0 for token, q in known.items() if token not in support)


def test_a_draft_with_padding_rows_the_target_lacks() -> None:
    """A token beyond the target's vocabulary has p = 0: drafted perhaps, committed never."""
    target, _ = random_pair()
    draft = TableModel(random_tree(4, 12), 12, "padded")
    decoder, cycles = decode(target, draft, 2, 40)
    assert max(x.token for c in cycles for x in c.drafted) >= 9, "the case did not come up"
    assert max(decoder.generated) < 9


def test_a_draft_that_proposes_nothing_gives_cycles_without_a_draft() -> None:
    target, _ = random_pair()
    silent = TableModel(lambda prefix: np.zeros(9), 9, "silent")
    decoder, cycles = decode(target, silent, 3, 8)
    assert all(not cycle.drafted and len(cycle.committed) == 1 for cycle in cycles)
    plain, _ = decode(target, silent, 0, 8)
    assert decoder.generated == plain.generated, "a silent draft is plain decoding"


def test_a_draft_that_falls_silent_now_and_then() -> None:
    target, draft = random_pair()

    def moody(prefix: Prefix) -> Law:
        return np.zeros(9) if len(prefix) % 3 == 0 else draft.law_after(prefix)

    decoder, cycles = decode(target, TableModel(moody, 9, "moody"), 4, 40, seed=3)
    assert {len(cycle.drafted) for cycle in cycles} == {0, 1, 2}
    assert len(decoder.generated) == 40 or decoder.finish == "end"


# ---- what is refused ---------------------------------------------------------------------------


def test_a_text_longer_than_a_model_reads_is_refused_with_the_numbers() -> None:
    target, draft = random_pair()
    draft.max_length = 20
    with pytest.raises(PromptRefused, match=r"draft reads at most 20 tokens.*has 5, and 13.*3"):
        decode(target, draft, 3, 13, prompt=(0,) * 5)
    refuse_if_too_long(Request((0,) * 5, Sampling(), 3, 0, 12), target, draft)


def test_a_prompt_of_one_token_needs_no_pass_of_its_own() -> None:
    model = TableModel(lambda prefix: one_hot(9, 1), 9)
    decode(model, model, 0, 1, prompt=(4,))
    assert model.passes == 1
