"""Between text and tokens: how a prompt is put to the models, and how one token reads.

Tokens of these models are pieces of UTF-8, and one character can be spread over several of them.
Such a token has no text of its own, so its bytes are kept instead: never a replacement mark.
"""

from collections.abc import Iterable
from typing import Any

from speculation.trace import Piece


class PromptRefused(ValueError):
    """A prompt that cannot be run; the message says why, with numbers."""


def encode(tokenizer: Any, prompt: str, mode: str) -> list[int]:
    """The token ids that the models read before the first generated one; never empty.

    chat      the prompt as a user's message in the model's own template
    continue  the prompt as it stands; an empty one is the begin-of-text token alone

    Raises PromptRefused if the tokenizer has no chat template, or no begin-of-text token.
    """
    if mode == "chat":
        if not tokenizer.chat_template:
            raise PromptRefused("this model has no chat template: choose plain continuation")
        message = [{"role": "user", "content": prompt}]
        text = tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])
    ids = list(tokenizer(prompt, add_special_tokens=False)["input_ids"])
    if ids:
        return ids
    begin = begin_of_text(tokenizer)
    if begin is None:
        raise PromptRefused("the prompt is empty, and this model has no begin-of-text token")
    return [begin]


def begin_of_text(tokenizer: Any) -> int | None:
    """The token that stands before a document: <|endoftext|> where there is one, else BOS."""
    token = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    unknown = tokenizer.unk_token_id if tokenizer.unk_token != "<|endoftext|>" else None
    if token is not None and token != unknown:
        return int(token)
    return None if tokenizer.bos_token_id is None else int(tokenizer.bos_token_id)


def end_tokens(tokenizer: Any) -> frozenset[int]:
    """The tokens that end a text."""
    ends = {tokenizer.eos_token_id, begin_of_text(tokenizer)}
    return frozenset(int(token) for token in ends if token is not None)


def pieces(tokenizer: Any, tokens: Iterable[int]) -> dict[int, Piece]:
    """The text of each token, or its bytes where it is not whole characters."""
    return {int(token): piece(tokenizer, int(token)) for token in sorted(set(tokens))}


def piece(tokenizer: Any, token: int) -> Piece:
    """One token's text; a special token reads as its name."""
    name = tokenizer.convert_ids_to_tokens(token)
    if name is None:
        return f"<token {token}>"
    if token in tokenizer.all_special_ids or token in tokenizer.added_tokens_decoder:
        return str(name)
    if not _is_sentencepiece(tokenizer) and all(character in _BYTE_OF for character in name):
        raw = bytes(_BYTE_OF[character] for character in name)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return list(raw)
    if len(name) == 6 and name.startswith("<0x") and name.endswith(">"):  # SentencePiece's bytes
        value = int(name[3:5], 16)
        return chr(value) if value < 128 else [value]
    return str(name).replace("\u2581", " ")


def _is_sentencepiece(tokenizer: Any) -> bool:
    """Whether tokens are named in SentencePiece's way: only there does U+2581 stand for a space."""
    return tokenizer.convert_tokens_to_ids("\u2581") not in (None, tokenizer.unk_token_id)


def join(parts: Iterable[Piece]) -> str:
    """The text of several tokens together; bytes that never become a character read as \\xNN.

    >>> join(["a", [0xC3], [0xA9]])
    'aé'
    """
    raw = b"".join(part.encode() if isinstance(part, str) else bytes(part) for part in parts)
    return raw.decode(errors="backslashreplace")


def _byte_alphabet() -> dict[str, int]:
    """The printable character that stands for each byte in byte-level BPE (GPT-2, Radford 2019).

    Printable Latin-1 stands for itself; the other bytes take the code points from 256 on.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable}
    return table | {chr(256 + i): byte for i, byte in enumerate(others)}


_BYTE_OF = _byte_alphabet()
