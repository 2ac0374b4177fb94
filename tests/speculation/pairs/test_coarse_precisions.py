"""The target in bfloat16 and in int4: nearly the same model, and exact by its own law."""

import numpy as np
import pytest
import torch

from helpers.integrate import EXACT
from speculation.exactness.exact_position import at_midpoints, by_intervals
from speculation.models.language_model import ModelRefused, over_vocabulary
from speculation.models.lean import LeanModel
from speculation.models.passes import PassStore
from speculation.pairs.four_bit_target import offered
from speculation.pairs.pair import Pair
from speculation.pairs.shelf import Shelf
from speculation.run import run
from speculation.sampling import Sampling, law
from speculation.settings import Precision, Settings

DEFAULT = Settings().pair
TEXT = (
    "The lighthouse stands at the end of the long stone pier. Every evening its keeper climbs the "
    "ninety-two steps, lights the lamp, and writes the weather in a small blue book."
)


@pytest.fixture(scope="module", params=["bfloat16", "int4"])
def coarse(request: pytest.FixtureRequest, shelf: Shelf) -> Pair:
    if request.param == "int4" and not offered(shelf.device):
        pytest.skip("torch has no 4-bit kernel here")
    return shelf.pair(DEFAULT, request.param)


def read(pair: Pair, model: str) -> np.ndarray:
    """Logits after every token of the text over the whole vocabulary."""
    tokens = pair.tokenizer(TEXT)["input_ids"]
    chosen = getattr(pair, model)
    return over_vocabulary(
        chosen.start().extend(tokens, len(tokens)), chosen.support, chosen.vocab_size
    )


def test_it_is_nearly_the_target_in_float32(coarse: Pair, real_pair: Pair) -> None:
    """A matrix in the wrong place moves logits by tens."""
    fine, rough = read(real_pair, "target"), read(coarse, "target")
    assert 0.001 < np.abs(fine - rough).mean() < 0.2, "logits differ otherwise than by rounding"
    assert (fine.argmax(axis=1) == rough.argmax(axis=1)).mean() > 0.9


def test_what_is_committed_is_its_own_law(coarse: Pair) -> None:
    p = law(read(coarse, "target")[::4], Sampling(0.7, top_p=0.95))
    q = law(read(coarse, "draft")[::4], Sampling(0.7, top_p=0.95))
    for place, (one, other) in enumerate(zip(p, q, strict=True)):
        off = by_intervals(one, other).largest_difference
        assert off < EXACT, f"position {place}: the committed law is off by {off:.3g}"
        assert at_midpoints(one, other, most=20).disagreements == 0, f"position {place}"


def test_what_was_cut_off_leaves_no_trace(coarse: Pair) -> None:
    """Byte for byte, since the passes have the same shapes; a key too many moves every logit."""
    tokens = coarse.tokenizer(TEXT)["input_ids"]
    for model in (coarse.target, coarse.draft):
        one, other = model.start(), model.start()
        for context in (one, other):
            context.extend(tokens[:20])
        other.extend([7, 8, 9, 10, 11], 5)
        other.crop(20)
        np.testing.assert_array_equal(one.extend(tokens[20:25], 5), other.extend(tokens[20:25], 5))
        assert one.length == other.length == 25


def test_a_warm_store_changes_no_byte(coarse: Pair) -> None:
    precision: Precision = "int4" if coarse.arithmetic.dtype == "int4" else "bfloat16"
    settings, store = Settings(length=12, precision=precision), PassStore()
    first = run(coarse, settings, store)
    assert run(coarse, settings, store).compared() == first.compared()
    other = Settings(length=12, precision=precision, temperature=0.9)
    assert run(coarse, other, store).compared() == run(coarse, other).compared()
    assert first.arithmetic.versions["passes"].startswith("own, ")


def test_int4_is_told_apart(shelf: Shelf, real_pair: Pair) -> None:
    if not offered(shelf.device):
        pytest.skip("torch has no 4-bit kernel here")
    pair = shelf.pair(DEFAULT, "int4")
    assert isinstance(pair.target, LeanModel)
    assert pair.target.digest != real_pair.target.digest
    assert pair.target.read_by == "own, 4-bit weights"


def test_int4_is_refused_where_it_cannot_be_had(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    if offered(shelf.device):
        with pytest.raises(ModelRefused, match="int4 reads the shipped target's own"):
            shelf.pair("hf:one|other", "int4")
    monkeypatch.setattr("speculation.pairs.shelf.offered", lambda device: False)
    with pytest.raises(ModelRefused, match="int4 needs a kernel that torch does not have"):
        shelf.pair(DEFAULT, "int4")
    assert not offered(torch.device("meta"))
