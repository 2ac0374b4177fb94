"""What an OpenAI-compatible server answers: texts, and with luck the tokens they are made of.

The API speaks of text, the audit of tokens, and the way back is not always clear: the same
characters can be written with other tokens, and a sampler does write them so now and then. Servers
that give ids say so in different places, which are all looked at:

    choices[].token_ids                     vLLM, asked by return_token_ids
    choices[].logprobs.tokens "token_id:7"  vLLM, asked by return_tokens_as_token_ids
    choices[].logprobs.content[].id         llama.cpp's server, asked by logprobs
    choices[].logprobs.tokens "the"         the API's own: ids only where a text has one token
    __verbose.tokens                        llama.cpp's server started with --verbose

Some also tell what they report about a text: log-probabilities with their top lists (in two forms:
the API's, and llama.cpp's), how many tokens they count, and how many drafts were made and kept:

    timings.draft_n, draft_n_accepted       llama.cpp's server
    metrics.speculative_decoding            vLLM, started with --per-request-spec-decode-metrics
    choices[].meta_info.spec_*              SGLang

Ids out of logprobs are believed where they spell the text: some servers leave out tokens that were
drafted.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any, Literal

from engines.base import EngineUnavailable, Finish, Told, Top
from engines.openai.client import shortened
from speculation.text import join, pieces

Source = Literal["ids", "text"]

END_OF_BYTES = 256  # the end of a text where bytes stand for tokens


@dataclass(frozen=True)
class Answer:
    """One text: its tokens, whether the server gave their ids, and how it ended."""

    text: str
    tokens: tuple[int, ...]
    source: Source
    finish: Finish
    told: Told = field(default_factory=Told)


class BadAnswer(EngineUnavailable):
    """An answer that is JSON, and yet not what the API promises."""


def answers(
    found: Mapping[str, Any],
    tokenizer: Any,
    end: frozenset[int],
    by_text: bool = False,
    stops: bool = False,
) -> list[Answer]:
    """Every choice of an answer. Raises BadAnswer.

    tokenizer  for texts without ids; None if there is none: then a text's bytes stand for tokens
    end        tokens that end a text; one is added to a text that ended and does not show it
    by_text    split the text, even if the server gives ids
    stops      stop strings were asked for: then a text may end without an end token
    """
    choices = found.get("choices")
    if not isinstance(choices, list):
        said, what = ("says", found["error"]) if found.get("error") else ("has no choices", found)
        raise BadAnswer(f"The server's answer {said}: {shortened(str(what))}")
    verbose = found.get("__verbose")
    if len(choices) == 1 and isinstance(choices[0], dict) and isinstance(verbose, dict):
        choices = [{"token_ids": verbose.get("tokens"), **choices[0]}]
    alone = found if len(choices) == 1 else {}  # what is said of all of them says it of none
    return [_answer(choice, alone, tokenizer, end, by_text, stops) for choice in choices]


def _answer(
    choice: Any,
    whole: Mapping[str, Any],
    tokenizer: Any,
    end: frozenset[int],
    by_text: bool,
    stops: bool,
) -> Answer:
    if not isinstance(choice, dict) or not isinstance(choice.get("text"), str):
        raise BadAnswer(f"A choice of the server's answer has no text: {shortened(str(choice))}")
    reason = choice.get("finish_reason")
    if reason not in ("stop", "length"):
        raise BadAnswer(f"The server ended a text for the reason {reason!r}, not stop or length.")
    ids = None if by_text else _ids(choice, tokenizer)
    source: Source = "ids" if ids is not None else "text"
    tokens = ids if ids is not None else tokens_of(tokenizer, choice["text"])
    ended = reason == "stop"
    told = _told(choice, whole, tokens if source == "ids" else [], tokenizer)
    if ended and not stops and not (tokens and tokens[-1] in end):
        tokens = [*tokens, _end_token(choice, tokenizer, end)]
    return Answer(choice["text"], tuple(tokens), source, "end" if ended else "length", told)


def _told(
    choice: Mapping[str, Any], whole: Mapping[str, Any], ids: list[int], tokenizer: Any
) -> Told:
    """What the server says besides; whatever does not have the form it should is left out."""
    logprobs, top = _reported(choice.get("logprobs"), ids)
    drafted, accepted = _drafts(choice, whole)
    usage = whole.get("usage")
    counted = usage.get("completion_tokens") if isinstance(usage, dict) else None
    return Told(
        text=choice["text"],
        ends=_ends(choice["text"], ids, tokenizer),
        counted=counted if type(counted) is int else None,
        drafted=drafted,
        accepted=accepted,
        logprobs=logprobs,
        top=top,
    )


def _ends(text: str, ids: list[int], tokenizer: Any) -> tuple[int, ...]:
    """How many characters are complete after each token; nothing where they spell another text."""
    if tokenizer is None or not ids:
        return ()
    known = pieces(tokenizer, ids)
    raw = [x.encode() if isinstance(x, str) else bytes(x) for x in (known[token] for token in ids)]
    if b"".join(raw).decode(errors="replace") != text:
        return ()
    whole = accumulate(raw)
    return tuple(len(part.decode(errors="ignore")) for part in whole)


def _drafts(choice: Mapping[str, Any], whole: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Drafts made and kept for this text."""
    metrics = whole.get("metrics")
    places: list[tuple[Any, str, str]] = [
        (whole.get("timings"), "draft_n", "draft_n_accepted"),
        (metrics.get("speculative_decoding") if isinstance(metrics, dict) else None,
         "num_draft_tokens", "num_accepted_tokens"),
        (choice.get("meta_info"), "spec_num_proposed_drafts", "spec_num_correct_drafts"),
    ]  # fmt: skip
    for place, *names in places:
        found = [place.get(name) for name in names] if isinstance(place, dict) else []
        if len(found) == 2 and all(type(x) is int for x in found):
            return found[0], found[1]
    return None, None


def _reported(logprobs: Any, ids: list[int]) -> tuple[tuple[float, ...], tuple[Top, ...]]:
    """Log-probabilities of the tokens and their top lists, as far as they belong to these ids."""
    if not isinstance(logprobs, dict) or not ids:
        return (), ()
    content = logprobs.get("content")
    if isinstance(content, list):
        rows = [x for x in content if isinstance(x, dict)]
        if [x.get("id") for x in rows] != ids[: len(rows)] or len(rows) != len(content):
            return (), ()
        values: list[Any] = [x.get("logprob") for x in rows]
        tops = [
            tuple(
                (y["id"], float(y["logprob"]))
                for y in x.get("top_logprobs") or ()
                if isinstance(y, dict) and type(y.get("id")) is int and _is_number(y.get("logprob"))
            )
            for x in rows
        ]
    else:
        given = logprobs.get("token_logprobs")
        if not isinstance(given, list):
            return (), ()
        values = given
        listed = logprobs.get("top_logprobs")
        tops = [_named(x) for x in listed] if isinstance(listed, list) else []
    if not all(_is_number(x) for x in values) or len(values) > len(ids):
        return (), ()
    return tuple(map(float, values)), tuple(tops) if len(tops) == len(values) else ()


def _named(listed: Any) -> Top:
    """One place's top list in the API's form, where its tokens are named by their ids."""
    if not isinstance(listed, dict):
        return ()
    found = [(name.removeprefix("token_id:"), x) for name, x in listed.items()]
    return tuple((int(n), float(x)) for n, x in found if n.isdecimal() and _is_number(x))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ids(choice: Mapping[str, Any], tokenizer: Any) -> list[int] | None:
    """The ids, wherever the server put them; None if it did not."""
    given = choice.get("token_ids")
    if _are_ids(given):
        return [int(x) for x in given or []]
    logprobs = choice.get("logprobs")
    ids = _from_logprobs(logprobs, tokenizer) if isinstance(logprobs, dict) else None
    if ids is None or tokenizer is None:
        return ids
    known, text = pieces(tokenizer, ids), str(choice["text"])
    spelled = join(known[token] for token in ids)
    shown = join(known[token] for token in ids if token not in tokenizer.all_special_ids)
    return ids if text in (spelled, shown) or "\N{REPLACEMENT CHARACTER}" in text else None


def _from_logprobs(logprobs: Mapping[str, Any], tokenizer: Any) -> list[int] | None:
    content = logprobs.get("content")
    if isinstance(content, list) and content:
        found = [x.get("id") if isinstance(x, dict) else None for x in content]
        return found if _are_ids(found) else None  # type: ignore[return-value]
    names = logprobs.get("tokens")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    if all(name.startswith("token_id:") for name in names):
        digits = [name.removeprefix("token_id:") for name in names]
        return [int(x) for x in digits] if all(x.isdecimal() for x in digits) else None
    if tokenizer is None:
        return None
    known = _unmistakable(tokenizer)
    ids = [known.get(name, -1) for name in names]
    return ids if all(x >= 0 for x in ids) else None


def _are_ids(found: Any) -> bool:
    return isinstance(found, list) and all(type(x) is int and x >= 0 for x in found)


@lru_cache(maxsize=4)
def _unmistakable(tokenizer: Any) -> dict[str, int]:
    """The token of every text that belongs to one token only."""
    known: dict[str, int] = {}
    several: set[str] = set()
    for token, piece in pieces(tokenizer, range(len(tokenizer))).items():
        if not isinstance(piece, str):
            continue
        if piece in known:
            several.add(piece)
        known[piece] = token
    return {text: token for text, token in known.items() if text not in several}


def tokens_of(tokenizer: Any, text: str) -> list[int]:
    """A text's tokens as the tokenizer splits it; without one, its bytes.

    >>> tokens_of(None, "ab")
    [97, 98]
    """
    if tokenizer is None:
        return list(text.encode())
    return [int(x) for x in tokenizer(text, add_special_tokens=False)["input_ids"]]


def _end_token(choice: Mapping[str, Any], tokenizer: Any, end: frozenset[int]) -> int:
    """The end token of a text that does not show it: as the server says, else the usual one."""
    said = choice.get("stop_reason")
    if type(said) is int:
        return said
    usual = getattr(tokenizer, "eos_token_id", None)
    if usual in end:
        return int(usual)
    return min(end, default=END_OF_BYTES)
