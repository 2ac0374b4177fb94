"""Audits without models: texts of a scheme drawn from its enumerated law, as an audit's evidence.

The same checks read it as read an engine's texts, but a thousand audits take seconds.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from engines.audit.checks import law as law_checks
from engines.audit.checks.law import chances_of_repeating, events
from engines.audit.checks.promises import homogeneity, pooled_beginnings
from engines.audit.evidence import Evidence
from engines.audit.outcome_tree import Tree, grow
from engines.audit.plan import Plan, main_part
from engines.audit.scoring import ScoredText, leaning
from engines.base import Capabilities, Continuation
from speculation.dice import draw_intervals
from speculation.exactness.cycles import Tally, slower_test
from speculation.exactness.kill_table import Stage
from speculation.exactness.trials import TextTable
from speculation.pairs.pair import Pair
from speculation.sampling import law
from speculation.schemes import SCHEMES, Scheme
from speculation.schemes.known_laws import Text, cycle_law, text_law
from speculation.text import encode, end_tokens


class KnownTarget:
    """Stands in for a target that reads texts: the scores of a pair of lookups."""

    def __init__(self, stage: Stage) -> None:
        self.pair = stage.pair

    def next_logits(self, texts: Sequence[Text]) -> Iterator[npt.NDArray[np.float64]]:
        for text in texts:
            yield self.pair.target(self.pair.context(text))


class KnownEngine:
    """A scheme on a stage, to be audited again and again."""

    def __init__(self, scheme: Scheme, stage: Stage, runs: int) -> None:
        self.stage, self.runs = stage, runs
        pair, k = stage.pair, stage.k
        self.table = TextTable(pair, text_law(scheme, pair, k, stage.long))
        self.law = self.table.law / self.table.law.sum()
        self.leans = [self._leaning(text) for text in self.table.texts]
        self.cycles = cycle_law(scheme, pair, k)
        self.plan = Plan((0,), pair.sampling, pair.end, k=k, length=stage.long, n=runs)
        self.tree: Tree = grow(KnownTarget(stage), self.plan.request, runs, 3)  # type: ignore[arg-type]

    def evidence(self, rng: np.random.Generator) -> Evidence:
        """One audit's main part, with fresh texts and a seed of its own for the checks."""
        seed = int(rng.integers(2**31))
        plan = Plan(**{**vars(self.plan), "seed": seed})
        found = Evidence(plan, Capabilities(), True, {"main": main_part(plan)}, tree=self.tree)
        rows = rng.choice(len(self.law), size=self.runs, p=self.law)
        found.samples["main"] = {
            i: Continuation(i, self.table.texts[row], self._finish(row))
            for i, row in enumerate(rows)
        }
        found.scored["main"] = {i: self._scored(i, row) for i, row in enumerate(rows)}
        return found

    def tally(self, rng: np.random.Generator) -> Tally:
        """As many cycles, drafts kept against overlap."""
        pair, outcomes, tally = self.stage.pair, list(self.cycles), Tally()
        chances = np.array([self.cycles[x] for x in outcomes])
        for i in rng.choice(len(chances), size=self.runs, p=chances / chances.sum()):
            cycle = outcomes[i]
            places = (pair.overlap_after(cycle.tokens[:j]) for j in range(cycle.checked))
            tally.add(places, cycle.n_accepted)
        return tally

    def _leaning(self, text: Text) -> tuple[npt.NDArray[np.float64], ...]:
        pair = self.stage.pair
        prefixes = [text[:i] for i in range(len(text))]
        p = np.array([pair.law_after(x) for x in prefixes])
        q = np.array([law(pair.draft(pair.context(x)), pair.sampling) for x in prefixes])
        return leaning(p, q, np.array(text))

    def _finish(self, row: int) -> str:
        return "end" if self.table.texts[row][-1] in self.stage.pair.end else "length"

    def _scored(self, number: int, row: int) -> ScoredText:
        columns = self.table.columns[:, row, : len(self.table.texts[row])]
        return ScoredText(number, *columns, *self.leans[row])


def plan_for(pair: Pair, n: int = 40, **changes: object) -> Plan:
    """A short audit's settings, on the tiny pair."""
    prompt = tuple(encode(pair.tokenizer, "ab", "chat"))
    options = {"k": 2, "length": 6, "seed": 3, "controls": 20, "greedy": 8} | changes
    return Plan(prompt, end=end_tokens(pair.tokenizer), n=n, **options)  # type: ignore[arg-type]


LAW_CHECKS: dict[str, Callable[[Evidence], object]] = {
    "first tokens": law_checks.first_tokens,
    "every token": law_checks.every_token,
    "surprise": law_checks.surprise,
    "toward the draft": law_checks.toward_draft,
    "within a text": law_checks.within_texts,
    "between requests": law_checks.between_texts,
}


def audit_p_values(engine: KnownEngine, rng: np.random.Generator) -> dict[str, float]:
    """The p-value of every check of one audit; where counts are small, ties broken at random."""
    evidence = engine.evidence(rng)
    found = {name: check(evidence).finding.p_value for name, check in LAW_CHECKS.items()}  # type: ignore[attr-defined]
    chances, repeated = chances_of_repeating(evidence)
    found["duplicates"] = events("", chances, repeated, "", float(rng.random())).p_value
    found["drafts kept"] = slower_test(engine.tally(rng)).p_value
    both = [x.tokens for e in (evidence, engine.evidence(rng)) for x in e.texts("main")]
    found["baseline"] = homogeneity(pooled_beginnings(both, 3), engine.runs, rng).p_value
    return found


def exact_engine(stage: Stage, runs: int) -> KnownEngine:
    """The exact rule on a stage."""
    return KnownEngine(SCHEMES["exact"], stage, runs)


def interval_by_sorting(row: npt.NDArray[np.float64], token: int) -> tuple[float, float]:
    """A token's interval, read off `draw_intervals`."""
    order, edges = draw_intervals(row)
    place = int(np.flatnonzero(order == token)[0])
    return float(edges[place]), float(edges[place + 1])
