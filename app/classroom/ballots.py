"""Votes on their way into the database, many in one transaction.

A class votes within seconds, and a commit waits for the disk. So one thread writes, and while it
does, the votes that arrive wait together for the next transaction. A vote is acknowledged when
its transaction is committed, never before.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from classroom.errors import Refused
from store.votes import Outcome, Vote

Keep = Callable[[Sequence[Vote]], list[Outcome]]
MOST_WAITING = 5_000
MOST_AT_ONCE = 500


class Ballots:
    """Collects votes; `keep` writes several of them, and raises Refused if it cannot."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._thread = ThreadPoolExecutor(1, "class-votes")
        self._waiting: list[tuple[Vote, asyncio.Future[Outcome]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def put(self, vote: Vote) -> Outcome:
        """Keep one vote -> what became of it, once that is in the database. Raises Refused."""
        if len(self._waiting) >= MOST_WAITING:
            raise Refused(503, "Too many answers at once. Try again.", retry_after=2)
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((vote, done))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        return await done

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            votes = [vote for vote, _ in batch]
            try:
                outcomes = await loop.run_in_executor(self._thread, self._keep, votes)
            except Exception as error:  # each of them must hear that nothing was kept
                for _, done in batch:
                    if not done.done():  # else its browser has gone
                        done.set_exception(error)
                continue
            for (_, done), outcome in zip(batch, outcomes, strict=True):
                if not done.done():
                    done.set_result(outcome)
