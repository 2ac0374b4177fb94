"""A token reads as text, or as bytes where it is not whole characters: never as U+FFFD."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models
from transformers import PreTrainedTokenizerFast

from helpers.tiny_models import byte_tokenizer
from speculation.pairs.pair import Pair
from speculation.text import (
    PromptRefused,
    begin_of_text,
    encode,
    end_tokens,
    join,
    piece,
    pieces,
)

PROMPTS = ["🙂👩‍👩‍👧", "naïve café", "日本語", "שלום", "a\tb\n c  d", "\x00\x07", "plain", "½ € 𝒳"]
TINY = byte_tokenizer()


@pytest.mark.parametrize("prompt", PROMPTS)
def test_pieces_join_back(prompt: str) -> None:
    ids = encode(TINY, prompt, "continue")
    parts = [piece(TINY, token) for token in ids]
    assert join(parts) == prompt
    assert not any("\ufffd" in part for part in parts if isinstance(part, str))
    if max(prompt) > "\x7f":
        assert any(isinstance(part, list) for part in parts), "no token had bytes of its own"


@given(st.text(min_size=1, max_size=20))
def test_any_text_joins_back(prompt: str) -> None:
    assert join(piece(TINY, token) for token in encode(TINY, prompt, "continue")) == prompt


@pytest.mark.parametrize("prompt", PROMPTS)
def test_pieces_of_the_real_tokenizer_join_back(real_pair: Pair, prompt: str) -> None:
    ids = encode(real_pair.tokenizer, prompt, "continue")
    parts = [piece(real_pair.tokenizer, token) for token in ids]
    assert join(parts) == prompt
    assert not any("\ufffd" in part for part in parts if isinstance(part, str))


def test_no_token_of_the_real_vocabulary_reads_as_a_replacement_mark(real_pair: Pair) -> None:
    found = pieces(real_pair.tokenizer, range(real_pair.target.vocab_size))
    marks = [t for t, x in found.items() if isinstance(x, str) and "\ufffd" in x]
    # The mark is a character of its own and may stand in a text; no other token may read as it.
    assert all("ï¿½" in real_pair.tokenizer.convert_ids_to_tokens(t) for t in marks)
    assert all(part for part in found.values()), "a token reads as nothing"


def test_bytes_that_never_become_a_character_are_spelled() -> None:
    assert join(["a", [0xFF], "b"]) == r"a\xffb"


def test_special_tokens_and_unknown_ids_have_names() -> None:
    assert piece(TINY, TINY.eos_token_id) == "<|im_end|>"
    assert piece(TINY, 100_000) == "<token 100000>"
    assert pieces(TINY, [65, 64, 65]).keys() == {64, 65}


def sentencepiece() -> PreTrainedTokenizerFast:
    """Names as SentencePiece writes them: a mark for spaces, bytes by their numbers."""
    names = ["<unk>", "<s>", "</s>", "\u2581the", "é", "<0x41>", "<0x0A>", "<0xC3>", "<0xA9>", "x"]
    names.append("\u2581")
    plain = Tokenizer(models.BPE(vocab={x: i for i, x in enumerate(names)}, merges=[],
                                 unk_token="<unk>"))  # fmt: skip
    plain.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, unk_token="<unk>", bos_token="<s>", eos_token="</s>"
    )


def test_sentencepiece_names() -> None:
    found = pieces(sentencepiece(), range(11))
    assert [found[i] for i in (3, 4, 5, 6, 9, 10)] == [" the", "é", "A", "\n", "x", " "]
    assert [found[7], found[8]] == [[0xC3], [0xA9]]
    assert join([found[7], found[8]]) == "é"


# ---- prompts -----------------------------------------------------------------------------------


def test_chat_wraps_the_prompt_and_continue_does_not() -> None:
    assert join(piece(TINY, t) for t in encode(TINY, "Hi", "chat")) == "<|im_start|>Hi<|im_end|>"
    assert join(piece(TINY, t) for t in encode(TINY, "Hi", "continue")) == "Hi"


def test_an_empty_prompt_is_the_begin_of_text() -> None:
    assert encode(TINY, "", "continue") == [begin_of_text(TINY)]
    assert piece(TINY, encode(TINY, "", "continue")[0]) == "<|endoftext|>"
    assert encode(TINY, "", "chat")


def test_no_begin_of_text_and_no_chat_template_are_refused_with_the_reason() -> None:
    bare = byte_tokenizer(bos_token=None, eos_token=None, unk_token=None)
    bare.chat_template = None
    with pytest.raises(PromptRefused, match="empty, and this model has no begin-of-text"):
        encode(bare, "", "continue")
    with pytest.raises(PromptRefused, match="no chat template: choose plain continuation"):
        encode(bare, "Hi", "chat")
    assert end_tokens(bare) == frozenset()


def test_end_tokens() -> None:
    ends = {piece(TINY, token) for token in end_tokens(TINY)}
    assert ends == {"<|im_end|>", "<|endoftext|>"}
