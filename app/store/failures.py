"""What went wrong with the database, in words for a person: full, locked, read-only, gone."""

from dataclasses import dataclass

from sqlalchemy.exc import DBAPIError, SQLAlchemyError, TimeoutError


@dataclass(frozen=True)
class Failure:
    """A failure of the database. Nothing of the piece of work that failed was kept.

    passing  whether trying again by itself makes sense
    """

    message: str
    passing: bool


_KNOWN = (
    (("disk is full", "no space left", "disk full"), "The server's disk is full.", False),
    (("database is locked", "table is locked", "lock timeout"), "The database is busy.", True),
    (("readonly database", "read-only"), "The server's database cannot be written.", False),
    (("unable to open", "disk i/o error"), "The server's database file cannot be used.", False),
    (("connection", "server closed", "terminating"), "The database cannot be reached.", True),
)


def failure_of(error: SQLAlchemyError) -> Failure:
    """Say what a database error means.

    >>> from sqlalchemy.exc import OperationalError
    >>> failure_of(OperationalError("", None, Exception("database is locked"))).message
    'The database is busy. Nothing was kept: try again in a moment.'
    """
    if isinstance(error, TimeoutError):
        return Failure(_sentence("The database is busy.", True), True)
    text = str(error.orig if isinstance(error, DBAPIError) else error).lower()
    for words, message, passing in _KNOWN:
        if any(word in text for word in words):
            return Failure(_sentence(message, passing), passing)
    return Failure(_sentence("The database did not take it.", False), False)


def _sentence(message: str, passing: bool) -> str:
    then = "try again in a moment" if passing else "tell the person who runs the server"
    return f"{message} Nothing was kept: {then}."
