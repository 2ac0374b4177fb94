"""Whether two tokenizers mean the same by every token: without that, p and q cannot be compared."""

from typing import Any

from speculation.models.language_model import ModelRefused


def refuse_unless_same_tokens(target: Any, draft: Any, target_name: str, draft_name: str) -> None:
    """Raise ModelRefused unless every token id means the same text to both tokenizers.

    Padding rows without a token may differ; an id with a meaning in one and another, or none, in
    the other may not.
    """
    one, other = target.get_vocab(), draft.get_vocab()
    if one == other:
        return
    for text, token in sorted(one.items(), key=lambda item: item[1]):
        if other.get(text) != token:
            raise ModelRefused(
                f"{target_name} and {draft_name} do not share a vocabulary: {text!r} is token "
                f"{token} for the first and {other.get(text, 'no token')} for the second"
            )
    extra = min(other.items() - one.items(), key=lambda item: item[1])
    raise ModelRefused(
        f"{draft_name} has a token {extra[0]!r} ({extra[1]}) that {target_name} does not know"
    )
