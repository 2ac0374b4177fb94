"""The table of counts: a law after every token, and a table that cannot be one is refused."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from helpers.rungs import SIZE, tiny_bigram
from speculation.drafts.bigram import BigramModel, load_bigram
from speculation.pairs.catalog import BIGRAM
from speculation.sampling import Sampling, law


def test_the_law_is_what_was_kept_and_the_rest_of_the_single_tokens() -> None:
    model = tiny_bigram()
    single = np.arange(1.0, SIZE + 1) / 21.0
    expected = 0.25 * single
    expected[[1, 4]] += [0.5, 0.25]
    assert model.law_after(0) == pytest.approx(expected, abs=1e-6)
    assert model.law_after(5) == pytest.approx(single, abs=1e-6), "nothing was kept after 5"
    for token in range(SIZE):
        assert abs(law(model.logits_after(token), Sampling()).sum() - 1.0) < 1e-12
        assert abs(model.law_after(token).sum() - 1.0) < 1e-12


def test_only_the_last_token_matters() -> None:
    model = tiny_bigram()
    context = model.start()
    rows = context.extend([3, 0, 1, 0], 2)
    assert (rows[1] == model.logits_after(0)).all()
    assert (rows[0] == model.logits_after(1)).all()
    context.crop(3)
    copy = context.copy()
    assert (copy.extend([2]) == model.logits_after(2)).all()
    assert context.length == 3, "a copy is independent"
    with pytest.raises(ValueError, match="cannot crop"):
        context.crop(4)


def test_shares_that_round_up_still_leave_a_law() -> None:
    model = BigramModel([0, 2, 2], [0, 1], [0.5, 0.5005], [1.0, 1.0], "b", "b", 10)
    assert abs(model.law_after(0).sum() - 1.0) < 1e-12


@pytest.mark.parametrize(
    ("start", "kept", "single", "reason"),
    [
        ([0, 1], [0.5], [1.0, 1.0], "do not fit"),
        ([0, 1, 2], [0.5], [1.0, 1.0], "do not fit"),
        ([0, 1, 1], [-0.5], [1.0, 1.0], "missing or negative"),
        ([0, 1, 1], [0.5], [1.0, 0.0], "no chance"),
    ],
)
def test_a_table_that_is_no_law_is_refused(
    start: list[int], kept: list[float], single: list[float], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        BigramModel(start, [0], kept, single, "b", "b", 10)


def test_it_is_read_from_the_file_that_training_writes(tmp_path: Path) -> None:
    from training.bigram import Bigram

    made = Bigram(
        start=torch.tensor([0, 1, 1], dtype=torch.int32),
        successor=torch.tensor([1], dtype=torch.int32),
        kept=torch.tensor([0.5], dtype=torch.float16),
        unigram=torch.tensor([0.25, 0.75]),
    )
    file = tmp_path / "model.safetensors"
    save_file({f"bigram.{name}": value for name, value in vars(made).items()}, file)
    model = load_bigram(file, "digest", 100)
    for token in (0, 1):
        assert model.law_after(token) == pytest.approx(made.law(token), abs=1e-6)


@pytest.mark.skipif(not BIGRAM.exists(), reason="the table is not shipped")
def test_the_shipped_table_is_a_law_after_every_token_that_was_looked_at() -> None:
    model = load_bigram(BIGRAM, "digest", 100)
    for token in range(0, model.vocab_size, 997):
        q = law(model.logits_after(token), Sampling())
        assert abs(q.sum() - 1.0) < 1e-12
        assert (q > 0.0).all(), "every token has some chance"
