"""The audit: ask an engine for continuations, score them, and say what they show.

`Audit.states()` publishes one state after another; each is a whole, with a report on what was
gathered so far, so whoever stops loses nothing. The parts come one after the other (see `plan.py`);
texts are scored as they come, a batch at a time.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engines.audit.evidence import Evidence
from engines.audit.greedy_text import compare_greedy
from engines.audit.outcome_tree import grow
from engines.audit.plan import Part, Plan, main_part, other_parts
from engines.audit.report import Report, conditions, judge
from engines.audit.samples import SampleLog
from engines.audit.scoring import EDGE, score_texts
from engines.audit.target_law import TargetLaw
from engines.base import Continuation, Engine, EngineUnavailable
from speculation.models.language_model import LanguageModel
from speculation.stopped import Stopped

BATCH = 20
STOPPED = "by hand, after {done} of {total} continuations."


@dataclass(frozen=True)
class AuditState:
    """What is known at one moment; nothing in it changes afterwards.

    doing    what the current part is for, in words
    done     continuations so far, those of a resumed file included; and how many there will be
    seconds  since the audit began
    left     seconds still to go, as far as one can tell; None at first
    report   on what was gathered so far; its p-values are for the size it has now, and somebody
             who stops as soon as they please him makes them too small
    final    whether this is the end
    """

    doing: str
    done: int
    total: int
    seconds: float
    left: float | None
    report: Report
    final: bool = False


class Audit:
    """One engine's audit.

    target    the model whose law the texts should follow; None if it is not at hand
    log       where samples are kept; what it holds already is not asked for again
    baseline  a plain engine whose texts are compared with this one's
    about     more to say in the report (the prompt in words, the target's digest)
    precision the engine's, if its user states it: see `arithmetic.STATED`
    """

    def __init__(
        self,
        engine: Engine,
        plan: Plan,
        target: LanguageModel | None = None,
        log: SampleLog | None = None,
        baseline: Engine | None = None,
        about: Mapping[str, str] | None = None,
        precision: str = "",
    ) -> None:
        self.engine, self.plan, self.baseline = engine, plan, baseline
        self.log = log or SampleLog()
        self.law = TargetLaw(target, plan.prompt) if target is not None else None
        self.evidence = Evidence(plan, engine.capabilities, target is not None)
        self.evidence.samples = self.log.samples
        self.evidence.precision = precision
        self._began = time.monotonic()
        self._about = {"engine": engine.name, **engine.about, **(about or {})}
        self._about |= {"settings": settings_in_words(plan)} | conditions()
        self._parts: list[Part] = []
        self._report: Report | None = None
        self._asked = 0

    def states(self) -> Iterator[AuditState]:
        """Sample and score, publishing after every continuation; the last state is final.

        Raises EngineUnavailable if the engine cannot begin. One that fails later ends the audit:
        the last report says so, and rests on what had come. So does the last report of an audit
        into which `Stopped` is thrown.
        """
        self._began = time.monotonic()
        self.engine.refuse(self.plan.request)
        failed = ""
        try:
            for part in self._in_order():
                yield from self._gather(part)
        except EngineUnavailable as error:
            if not self.log.samples:
                raise
            failed = str(error)
        except Stopped:
            self._report = self.report_stopped()
            yield self._state("Stopped", final=True)
            return
        self._report = self.report(failed, failed=bool(failed))
        yield self._state("Done", final=True)

    def report(self, stopped: str = "", failed: bool = False) -> Report:
        """On everything gathered so far, scored to the last text."""
        self._score_rest()
        seconds = time.monotonic() - self._began
        return judge(self.evidence, self._about, seconds, stopped, failed)

    def report_stopped(self) -> Report:
        """The same, of an audit that somebody stopped."""
        done, total = self._progress()
        return self.report(STOPPED.format(done=done, total=total))

    def _in_order(self) -> Iterator[Part]:
        """The main part; then those that depend on it."""
        first = main_part(self.plan)
        likely = Continuation(0, self.plan.prompt[:1], "length")  # stands in, for the progress
        self._parts = [first, *self._others([likely])]
        yield first
        self._parts = [first, *self._others(self.evidence.texts("main"))]
        yield from self._parts[1:]

    def _others(self, main: list[Continuation]) -> list[Part]:
        able = self.engine.capabilities
        return list(other_parts(self.plan, able, main, self.baseline is not None))

    def _gather(self, part: Part) -> Iterator[AuditState]:
        """Ask for what a part still lacks."""
        self.evidence.parts[part.name] = part
        if part.name == "main" and self.law is not None and self.plan.sampling.temperature > 0.0:
            self.evidence.tree = grow(self.law, part.request, part.count, self.plan.depth)
        have = self.log.samples.get(part.name, {})
        missing = [number for number in range(part.count) if number not in have]
        engine = self.baseline if part.by == "baseline" and self.baseline else self.engine
        yield self._state(part.about)
        if not missing:
            return
        for text in engine.continuations(part.request, missing):
            self.log.add(part.name, text)
            self._asked += 1
            if self._asked % BATCH == 0:
                self._score(part)
                self._report = None
            yield self._state(part.about)
        self._score(part)
        self._report = None

    def _score(self, part: Part) -> None:
        """Put what has come under the target's law."""
        if self.law is None or part.by == "baseline" or part.name == "repeat" or part.request.stop:
            return
        have = self.log.samples.get(part.name, {})
        if part.name == "greedy":
            if have and self.evidence.greedy is None:
                text = next(iter(have.values()))
                model, prompt, k = self.law.model, self.plan.prompt, self.plan.k
                self.evidence.greedy = compare_greedy(model, prompt, text.tokens, k)
            return
        if self.plan.sampling.temperature == 0.0:
            return
        scored = self.evidence.scored.setdefault(part.name, {})
        new = [text for number, text in sorted(have.items()) if number not in scored]
        draft = self.engine.draft if part.name == "main" else None
        plain = self.plan.request if part.name in ("repetition", "presence") else None
        edge = max(EDGE, self.evidence.arithmetic.spread)
        found = score_texts(self.law, part.request, new, draft, plain, edge)
        scored |= {text.number: text for text in found}

    def _score_rest(self) -> None:
        for part in self.evidence.parts.values():
            if self.log.samples.get(part.name):
                self._score(part)

    def _progress(self) -> tuple[int, int]:
        done = sum(
            min(part.count, len(self.log.samples.get(part.name, {}))) for part in self._parts
        )
        return done, sum(part.count for part in self._parts)

    def _state(self, doing: str, final: bool = False) -> AuditState:
        done, total = self._progress()
        seconds = time.monotonic() - self._began
        left = seconds / self._asked * (total - done) if self._asked >= 3 else None
        if self._report is None:
            self._report = judge(self.evidence, self._about, seconds)
        return AuditState(doing, done, total, seconds, 0.0 if final else left, self._report, final)


def settings_in_words(plan: Plan) -> str:
    """The settings of the main part, in a line."""
    s = plan.sampling
    filters = [f"top-k {s.top_k}"] * (s.top_k > 0) + [f"top-p {s.top_p}"] * (s.top_p < 1.0)
    filters += [f"min-p {s.min_p}"] * (s.min_p > 0.0)
    return ", ".join(
        [
            f"temperature {s.temperature}",
            *filters,
            f"k {plan.k}",
            f"{plan.n} continuations of {plan.length} tokens",
            f"seed {plan.seed}",
        ]
    )
