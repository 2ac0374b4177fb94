"""From a person's settings to an audit: for the command line, and for a page's worker."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from engines.audit.audit import Audit, AuditState, settings_in_words
from engines.audit.plan import Plan
from engines.audit.samples import SampleLog
from engines.table import ENTRIES, Entry
from speculation import text
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.settings import Settings

PROMPT = "Write a short story about a lighthouse."
RUNS = 50
DEFAULTS = Settings(prompt=PROMPT, temperature=1.0, k=4, length=12, seed=1)
"""Texts that may begin in many ways, so that a draft is often wrong: there the rule has work to
do, and a broken one shows after few continuations."""


@dataclass(frozen=True)
class AuditWork:
    """An audit of one engine on a pair. Equal work is equal: settings, options and size.

    options  of the engine, by name, as in its entry of the table
    file     where samples are kept and gone on from; None: in memory
    """

    engine: str
    settings: Settings = DEFAULTS
    options: tuple[tuple[str, str], ...] = ()
    n: int = RUNS
    file: Path | None = None
    gives_way: ClassVar[bool] = True

    @property
    def entry(self) -> Entry:
        return ENTRIES[self.engine]

    def audit(self, pair: Pair | None) -> Audit:
        """Ready to begin.

        Raises EngineUnavailable, WrongSamples, ValueError for a plan that cannot be, or
        PromptRefused.
        """
        options = self.entry.complete(dict(self.options))
        engine = self.entry.build(options, pair)
        plan = self._plan(options, pair)
        about = {"prompt": self.settings.prompt, "mode": self.settings.mode}
        if pair is not None:
            about["target's weights"] = pair.arithmetic.target_digest
        log = None
        if self.file is not None:
            whole = {"engine": engine.name, **engine.about, **about}
            words = whole | {"settings": settings_in_words(plan)}
            log = SampleLog(plan.fingerprint(whole), self.file, words)
        baseline = self.entry.baseline(options, pair) if self.entry.baseline else None
        precision = options.get("engine-precision", "unknown").replace("unknown", "")
        target = pair.target if pair else None
        return Audit(engine, plan, target, log, baseline, about, precision)

    def states(self, pair: Pair, store: PassStore) -> Iterator[AuditState]:
        """As a worker's job. The audit has a store of its own, so as not to crowd out runs."""
        yield from self.audit(pair).states()

    def _plan(self, options: dict[str, str], pair: Pair | None) -> Plan:
        s = self.settings
        if pair is not None:
            prompt = tuple(text.encode(pair.tokenizer, s.prompt, s.mode))
            end = text.end_tokens(pair.tokenizer)
        else:
            assert self.entry.tokens is not None, "an engine without a pair reads its own prompt"
            prompt, end = self.entry.tokens(options, s.prompt, s.mode)
        return Plan(prompt, s.sampling, end, k=s.k, length=s.length, n=self.n, seed=s.seed)
