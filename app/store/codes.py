"""Random names: the id in a cookie, and the code that a person types on another device."""

import re
import secrets

LETTERS = "bcdfghjkmnpqrstvwxyz"
"""Easy to read aloud and to type: no vowels, so no words; no l, which looks like 1 and I."""

_ID = re.compile(r"^[A-Za-z0-9_-]{32}$")
_NOT_LETTERS = re.compile(r"[^a-z]")


def new_learner_id() -> str:
    """An id that cannot be guessed: 192 random bits."""
    return secrets.token_urlsafe(24)


def is_learner_id(text: str) -> bool:
    """Whether `text` has the form of an id made here."""
    return bool(_ID.match(text))


def new_resume_code() -> str:
    """Nine letters, in three groups: one of 512 billion."""
    return _in_groups("".join(secrets.choice(LETTERS) for _ in range(9)))


def read_resume_code(typed: str) -> str:
    """A code as it is stored, from what a person typed.

    >>> read_resume_code(" BCD fgh.jkm ")
    'bcd-fgh-jkm'
    """
    return _in_groups(_NOT_LETTERS.sub("", typed.lower())[:9])


def _in_groups(letters: str) -> str:
    return "-".join((letters[:3], letters[3:6], letters[6:]))
