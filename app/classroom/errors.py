"""What the class says no to, in words for the person who asked."""


class Refused(Exception):
    """A request that is not done. `status` is HTTP's; `message` is a sentence for the page.

    retry_after  seconds after which trying again makes sense; None if it does not
    more         further fields of the answer, such as the vote that was kept before
    """

    def __init__(
        self,
        status: int,
        message: str,
        retry_after: int | None = None,
        more: dict[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.message = status, message
        self.retry_after, self.more = retry_after, more or {}

    @property
    def headers(self) -> dict[str, str]:
        """What the answer's headers say of it."""
        return {} if self.retry_after is None else {"retry-after": str(self.retry_after)}

    def body(self) -> dict[str, object]:
        """The answer as JSON."""
        waiting = {} if self.retry_after is None else {"retry_after": self.retry_after}
        return {"error": self.message, **waiting, **self.more}


class BadPlan(ValueError):
    """A class plan that cannot be used; the message says what is wrong, and where."""
