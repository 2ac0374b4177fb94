"""The worker: one thread that owns the models and takes jobs in the order they came.

Identical requests are computed once, however many ask. A visitor has one job at a time: the next
one they submit ends the one before, unless somebody else looks at it too. A job that nobody has
looked at for a while is dropped.
"""

import gc
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from environment import Environment, environment
from jobs.job import FINAL, Job, Kind, State, View, Work
from speculation.pairs import weights
from speculation.settings import Settings
from speculation.stopped import Stopped
from speculation.trace import Trace

# What loads torch (seconds) is imported by the thread that does the work: no page waits for it.
if TYPE_CHECKING:
    from speculation.models.passes import PassStore
    from speculation.pairs.shelf import Shelf
    from speculation.run import Run

Key = tuple[Kind, Settings, Work | None]

ABANDONED_AFTER = 20.0  # seconds without a look
KEPT = 64  # finished jobs kept for whoever asks for the same
PAUSE = 0.03  # seconds without a cycle: longer than looking one up, shorter than a pass
TYPICAL_SECONDS = 6.0  # what a run takes, until some have been seen


class Full(RuntimeError):
    """The queue is full; the message says so in words for the person."""


class Worker:
    """Submit settings, look at what has come of them, stop."""

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._lock = threading.Lock()
        self._news = threading.Condition(self._lock)
        self._queue: deque[Job] = deque()
        self._current: Job | None = None
        self._kept: OrderedDict[Key, Job] = OrderedDict()
        self._of_visitor: dict[tuple[str, Kind], Job] = {}
        self._durations: deque[float] = deque([TYPICAL_SECONDS], maxlen=16)
        self._shelf: Shelf | None = None
        self._store: PassStore | None = None
        self._thread: threading.Thread | None = None
        self.ready = threading.Event()

    # For pages -------------------------------------------------------------------------------

    def unavailable(self) -> str | None:
        """Why nothing can be run live here, in one line; None if it can."""
        if not self._env.live:
            return "Live models are turned off on this server: recorded runs only."
        try:
            weights.find_gguf()
        except weights.WeightsMissing as missing:
            return str(missing)
        return None

    def submit(
        self,
        visitor: str,
        settings: Settings,
        kind: Kind = "run",
        fresh: bool = False,
        work: Work | None = None,
    ) -> None:
        """Ask for a run. The visitor's earlier one of this kind is ended, if nobody shares it.

        work   what to do when `kind` is "work"; of the settings, the pair and precision count
        fresh  make every pass, also if the same was run before: to be watched, or timed. A run
               that is going on already is shared even so.

        Raises Full when too many are waiting.
        """
        with self._lock:
            now = time.monotonic()
            job = self._same((kind, settings, work), fresh)
            earlier = self._of_visitor.get((visitor, kind))
            gives_way = (
                earlier is not None
                and earlier in self._queue
                and set(earlier.watchers) == {visitor}
            )
            if job is None and len(self._queue) - gives_way >= self._env.max_waiting:
                raise Full(f"{len(self._queue)} runs are waiting already. Try again in a minute.")
            if earlier is not None and earlier is not job:
                self._unwatch(earlier, visitor)
            if job is None:
                job = Job(kind, settings, work=work, fresh=fresh)
                self._queue.append(job)
            job.watchers[visitor] = now
            self._of_visitor[visitor, kind] = job
            self._forget_visitors()
            self._news.notify_all()
        self._start()

    def look(self, visitor: str, kind: Kind = "run") -> View | None:
        """What has become of the visitor's job; None if there is none."""
        with self._lock:
            job = self._of_visitor.get((visitor, kind))
            if job is None:
                return None
            job.watchers[visitor] = time.monotonic()
            return self._view(job)

    def settle(self, visitor: str, seconds: float, kind: Kind = "run") -> None:
        """Wait, at most so long, for what needs no pass: a run derived again is there at once.

        Cycles that are looked up follow each other within milliseconds; the first pause is a pass.
        """
        with self._lock:
            job = self._of_visitor.get((visitor, kind))
        if job is None or job.fresh or not self.ready.is_set():
            return
        seen, since, until = 0, time.monotonic(), time.monotonic() + seconds
        while (now := time.monotonic()) < until and job.state not in FINAL:
            ahead = self._current if job.state is State.WAITING else None
            if ahead is not None and not ahead.stop.is_set():
                return  # it has to wait for somebody else's run
            if len(job.cycles) > seen or job.state is not State.RUNNING:
                seen, since = len(job.cycles), now
            elif now - since > PAUSE:
                return
            time.sleep(0.005)

    def stop(self, visitor: str, kind: Kind = "run") -> None:
        """End the visitor's job; what has been done is kept. Others who share it are not cut."""
        with self._lock:
            job = self._of_visitor.get((visitor, kind))
            if job is None or job.state in FINAL:
                return
            shared = len(job.watchers) > 1
            if not shared:
                job.stop.set()
                if job in self._queue:
                    self._queue.remove(job)
                    job.state = State.STOPPED
                return
            # A copy of their own, of what is there now; its trace is written between two cycles.
            job.watchers.pop(visitor, None)
            own = Job(kind, job.settings, job.state, list(job.cycles), dict(job.pieces))
            own.started, own.ended = job.started, time.monotonic()
            own.comparison, own.published = job.comparison, job.published
            if job.cycles:
                job.leaving.append(own)
            else:
                own.state = State.STOPPED
            self._of_visitor[visitor, kind] = own

    def leave(self, visitor: str, kind: Kind = "run") -> None:
        """Turn away from the visitor's job: it ends if nobody shares it, and nothing is kept."""
        with self._lock:
            job = self._of_visitor.pop((visitor, kind), None)
            if job is not None:
                self._unwatch(job, visitor)

    def warm(self, settings: Settings) -> None:
        """Load the default pair and run its default, so that the first visitor need not wait."""
        if self.unavailable() is None:
            self.submit("warm-up", settings)

    # Inside ----------------------------------------------------------------------------------

    def _same(self, key: Key, fresh: bool) -> Job | None:
        """A job that computes the same: waiting, running, or (unless fresh) finished and kept."""
        candidates = [*self._queue, *([self._current] if self._current else [])]
        for job in candidates:
            if job.key == key and not job.stop.is_set():
                return job
        return None if fresh else self._kept.get(key)

    def _view(self, job: Job) -> View:
        place = self._queue.index(job) + (self._current is not None) if job in self._queue else 0
        average = sum(self._durations) / len(self._durations)
        left = max(0.0, average - self._current.seconds()) if self._current else 0.0
        return View(
            kind=job.kind,
            settings=job.settings,
            state=job.state,
            place=place,
            wait_seconds=left + average * max(0, place - 1) if place else None,
            cycles=tuple(job.cycles),
            pieces=dict(job.pieces),
            seconds=job.seconds(),
            trace=job.trace,
            comparison=job.comparison,
            measurement=job.measurement,
            scored=job.scored,
            published=job.published,
            error=job.error,
        )

    def _unwatch(self, job: Job, visitor: str) -> None:
        job.watchers.pop(visitor, None)
        if not job.watchers and job.state not in FINAL:
            job.stop.set()
            if job in self._queue:
                self._queue.remove(job)
                job.state = State.STOPPED

    def _forget_visitors(self) -> None:
        """Let go of finished jobs whose visitor has not looked for an hour."""
        old = time.monotonic() - 3600.0
        for who, job in list(self._of_visitor.items()):
            if job.state in FINAL and job.watchers.get(who[0], 0.0) < old:
                del self._of_visitor[who]

    def _abandoned(self, job: Job) -> bool:
        last = max(job.watchers.values(), default=0.0)
        return "warm-up" not in job.watchers and time.monotonic() - last > ABANDONED_AFTER

    def _start(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="models", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        self._models()
        while True:
            with self._lock:
                while not self._queue:
                    self._news.wait()
                job = self._current = self._queue.popleft()
                job.state = State.LOADING
            self._finish(job)

    def _models(self) -> "tuple[Shelf, PassStore]":
        """The models, and what their passes gave; made when the first job is done."""
        import torch

        from speculation.models.passes import PassStore
        from speculation.pairs.shelf import Shelf

        if self._store is None:
            torch.set_num_threads(self._env.threads or torch.get_num_threads())
            self._store = PassStore(self._env.store_mb * 1_000_000)
        if self._shelf is None:
            self._shelf = Shelf(self._env.cache_dir, self._env.device, self._env.any_model)
        return self._shelf, self._store

    def _finish(self, job: Job) -> None:
        """Do a job that is now the current one, and keep it for whoever asks for the same."""
        if self._abandoned(job):
            job.stop.set()
        self._do(job)
        with self._lock:
            self._current = None
            if job.state is State.DONE:
                if job.work is None:
                    self._durations.append(job.seconds())
                self._kept[job.key] = job
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)

    def _let_others_by(self, job: Job) -> None:
        """Between two states of long work: do what has come in the meantime, in its order."""
        while True:
            with self._lock:
                other = next((x for x in self._queue if x.work is None), None)
                if other is None:
                    self._current = job
                    return
                self._queue.remove(other)
                self._current, other.state = other, State.LOADING
            self._finish(other)

    def _do(self, job: Job) -> None:
        """Run one job to its end, whatever that is."""
        from jobs.kinds import states_of
        from speculation.models.language_model import ModelRefused
        from speculation.models.passes import PassStore
        from speculation.run import Run
        from speculation.text import PromptRefused

        state, error = State.FAILED, None
        try:
            shelf, kept = self._models()
            pair = shelf.pair(job.settings.pair, job.settings.precision)
            if not self.ready.is_set():
                # What is loaded stays loaded: the collector need not walk it again and again.
                gc.collect()
                gc.freeze()
                self.ready.set()
            job.started, job.state = time.monotonic(), State.RUNNING
            if job.kind == "run":
                store = PassStore(kept.max_bytes) if job.fresh else kept
                run = Run(pair, job.settings, store)
                stopped = self._run(job, run)
                job.trace = run.trace()
                if job.fresh:
                    kept.absorb(store)
            else:
                states = states_of(job, pair, kept)
                stopped = self._follow(job, *states)
            state = State.STOPPED if stopped else State.DONE
        except (ModelRefused, PromptRefused, weights.WeightsMissing) as refusal:
            error = str(refusal)
        except MemoryError:
            error = "There is not enough memory for this run. Try a shorter prompt or length."
        except Exception as failure:  # the worker must live on, whatever a model does
            error = f"The run failed: {type(failure).__name__}: {failure}"
        job.ended, job.error, job.state = time.monotonic(), error, state
        self._let_go(job, job.trace)

    def _let_go(self, job: Job, trace: Trace | None) -> None:
        """Give those who stopped a run that others still watch what is done of it."""
        with self._lock:
            while job.leaving:
                own = job.leaving.pop()
                own.trace, own.state = trace, State.STOPPED

    def _run(self, job: Job, run: "Run") -> bool:
        """Decode cycle by cycle and publish each -> whether it was stopped."""
        cycles = iter(run)
        try:
            while not job.stop.is_set() and not self._abandoned(job):
                cycle = next(cycles, None)
                if cycle is None:
                    return False
                known = run.pieces(set(cycle.committed))
                with self._lock:
                    job.cycles.append(cycle)
                    job.pieces.update(known)
                if job.leaving:
                    self._let_go(job, run.trace())
            return True
        finally:
            cycles.close()  # type: ignore[attr-defined]

    def _follow(self, job: Job, name: str, states: Iterator[object]) -> bool:
        """Publish each state of something that is measured -> whether it was stopped."""
        for state in states:
            setattr(job, name, state)
            if job.work is not None and job.work.gives_way:
                self._let_others_by(job)
            if job.stop.is_set() or self._abandoned(job):
                self._last_word(job, name, states)
                return True
        return False

    @staticmethod
    def _last_word(job: Job, name: str, states: Iterator[object]) -> None:
        """Let work that is stopped say what can be made of the half that was done."""
        if isinstance(states, Generator):
            with suppress(Stopped, StopIteration):
                setattr(job, name, states.throw(Stopped()))
            states.close()


@lru_cache(maxsize=1)
def worker() -> Worker:
    """The worker of this process; its thread starts with the first job."""
    return Worker(environment())
