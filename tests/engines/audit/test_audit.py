"""The audit of this project's decoder on a tiny pair: exact passes, broken rules are found."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from engines.audit.audit import Audit, AuditState
from engines.audit.audit_work import AuditWork
from engines.audit.greedy_text import compare_greedy
from engines.audit.plan import Plan
from engines.audit.report import Report, Result
from engines.base import Continuation, Engine, EngineUnavailable, SampleRequest
from engines.own import Own
from engines.table import ENTRIES
from helpers.made_audits import plan_for
from helpers.tiny_models import fresh_rows
from speculation import text
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.sampling import Sampling
from speculation.settings import Settings
from speculation.stopped import Stopped

SMALL = Settings(prompt="ab", temperature=1.0, k=2, length=6, seed=3)


def audited(pair: Pair, engine: Engine, n: int = 40, **changes: object) -> Report:
    *_, last = Audit(engine, plan_for(pair, n, **changes), pair.target).states()
    assert last.final
    return last.report


def result(report: Report, name: str) -> Result:
    return next(x for x in report.results if x.name == name)


class Altered(Own):
    """The exact decoder, with something done to what it gives away."""

    def continuations(
        self, request: SampleRequest, numbers: Iterable[int]
    ) -> Iterator[Continuation]:
        for found in super().continuations(request, numbers):
            yield self.alter(found, request)

    def alter(self, found: Continuation, request: SampleRequest) -> Continuation:
        return found


@pytest.fixture(scope="module")
def store() -> PassStore:
    """What one audit read, the next need not read again."""
    return PassStore()


@pytest.fixture(scope="module")
def exact(tiny_pair: Pair, store: PassStore) -> Report:
    return audited(tiny_pair, Own(tiny_pair, store=store))


def test_the_exact_rule_passes_every_check(exact: Report) -> None:
    assert exact.verdict == "exact"
    assert exact.exit_status == 0
    assert not exact.slower
    ran = {x.name for x in exact.results if x.finding is not None}
    assert ran >= {
        "first tokens", "every token", "surprise", "toward the draft", "within a text",
        "between requests", "duplicates", "greedy text", "seeds", "end of text", "early ends",
        "drafts kept", "bonus",
    }  # fmt: skip
    for x in exact.results:
        assert x.finding is not None or x.why_not or x.words, x.name


def test_what_an_engine_lacks_is_said(exact: Report) -> None:
    assert "no biases" in result(exact, "forbidden token").why_not
    assert "no such penalty" in result(exact, "repetition penalty").why_not
    assert "no second engine" in result(exact, "baseline").why_not


@pytest.mark.parametrize(
    "rule",
    [
        "replacement-from-target",  # a wrong replacement
        "residual-swapped",
        "accept-everything",  # a wrong test
        "ratio-inverted",
        "two-temperatures",  # wrong laws
        "target-settings-left-out",
    ],
)
def test_broken_rules_are_found(tiny_pair: Pair, store: PassStore, rule: str) -> None:
    report = audited(tiny_pair, Own(tiny_pair, rule, store), 50, sampling=Sampling(0.8, top_k=12))
    assert report.verdict == "deviation", rule
    assert report.exit_status == 1


def test_an_ignored_end_is_found(tiny_pair: Pair, store: PassStore) -> None:
    report = audited(tiny_pair, Own(tiny_pair, "end-ignored", store), 30, controls=20)
    assert result(report, "end of text").flagged
    assert report.exit_status == 1


@pytest.mark.parametrize(
    ("rule", "check"), [("sample-and-match", "drafts kept"), ("bonus-dropped", "bonus")]
)
def test_what_is_exact_but_slow_is_no_deviation(
    tiny_pair: Pair, store: PassStore, rule: str, check: str
) -> None:
    report = audited(tiny_pair, Own(tiny_pair, rule, store), 30)
    assert report.exit_status == 0
    assert report.slower
    assert result(report, check).flagged


def test_block_verification_is_exact_and_not_slow(tiny_pair: Pair, store: PassStore) -> None:
    """It keeps more drafts than the overlap says, which is no fault."""
    report = audited(tiny_pair, Own(tiny_pair, "block-verification", store), 30)
    assert report.exit_status == 0
    assert not report.slower


def doors(report: Report) -> dict[str, float]:
    """The p-values by door."""
    found = re.findall(r"(\w+): p ([<=]) ([\d.]+) \(", result(report, "by door").words)
    return {door: 0.0 if sign == "<" else float(p) for door, sign, p in found}


def test_every_door_has_its_own_law(tiny_pair: Pair, store: PassStore) -> None:
    """Exact, all are flat; a replacement drawn from p shows at its door, and at no other."""
    exact = doors(audited(tiny_pair, Own(tiny_pair, store=store), 200))
    assert exact.keys() == {"accepted", "replaced", "bonus"}
    assert min(exact.values()) > 0.01
    wrong = Own(tiny_pair, "replacement-from-target", store)
    broken = doors(audited(tiny_pair, wrong, 200))
    assert broken["replaced"] == 0.0
    assert min(broken["accepted"], broken["bonus"]) > 0.01


def test_drafts_that_are_always_accepted_show_at_their_door(
    tiny_pair: Pair, store: PassStore
) -> None:
    filtered = Sampling(0.8, top_k=12)
    always = Own(tiny_pair, "accept-everything", store)
    broken = doors(audited(tiny_pair, always, 50, sampling=filtered))
    assert broken["accepted"] == 0.0
    assert broken["bonus"] > 0.01
    assert "replaced" not in broken


def test_one_text_for_all_requests_is_found(tiny_pair: Pair, store: PassStore) -> None:
    class Cached(Altered):
        """A server that answers equal prompts from a cache, every third time."""

        first: Continuation | None = None

        def alter(self, found: Continuation, request: SampleRequest) -> Continuation:
            self.first = self.first or found
            return replace(self.first, number=found.number) if found.number % 3 == 2 else found

    report = audited(tiny_pair, Cached(tiny_pair, store=store), 30)
    assert result(report, "duplicates").flagged


def test_seeds_that_are_ignored_are_found(tiny_pair: Pair, store: PassStore) -> None:
    class Unseeded(Altered):
        def continuations(
            self, request: SampleRequest, numbers: Iterable[int]
        ) -> Iterator[Continuation]:
            yield from super().continuations(replace(request, seed=None), numbers)

    report = audited(tiny_pair, Unseeded(tiny_pair, store=store), 10)
    assert result(report, "seeds").flagged


def test_a_neighbor_copied_in_part_is_found(tiny_pair: Pair, store: PassStore) -> None:
    class Leaking(Altered):
        """The second half of a batch gets the first tokens of the request before it."""

        last: Continuation | None = None

        def alter(self, found: Continuation, request: SampleRequest) -> Continuation:
            before, self.last = self.last, found
            if before is None or found.number % 2 == 0 or len(before.tokens) < 3:
                return found
            return replace(found, tokens=(*before.tokens[:3], *found.tokens[3:]))

    report = audited(tiny_pair, Leaking(tiny_pair, store=store))
    assert result(report, "between requests").flagged


def test_a_greedy_token_that_is_not_the_first_choice_is_found(
    tiny_pair: Pair, store: PassStore
) -> None:
    class Sloppy(Altered):
        def alter(self, found: Continuation, request: SampleRequest) -> Continuation:
            if request.sampling.temperature > 0.0:
                return found
            wrong = (found.tokens[0] + 1) % 250
            return replace(found, tokens=(wrong, *found.tokens[1:]))

    report = audited(tiny_pair, Sloppy(tiny_pair, store=store), 5)
    assert result(report, "greedy text").flagged
    assert report.exit_status == 1


def test_near_ties_are_excused_up_to_what_rounding_moves(tiny_pair: Pair) -> None:
    prompt = text.encode(tiny_pair.tokenizer, "ab", "chat")
    tokens = [int(fresh_rows(tiny_pair.target, prompt)[-1].argmax())]
    found = compare_greedy(tiny_pair.target, prompt, tokens, 2)
    assert found.gaps == (0.0,)
    tied = replace(found, gaps=(0.9 * found.allowed,))
    assert tied.near_ties == [0]
    assert tied.unexplained == []
    assert replace(found, gaps=(1.1 * found.allowed,)).unexplained == [0]


def test_at_temperature_0_only_the_greedy_text_is_judged(tiny_pair: Pair, store: PassStore) -> None:
    report = audited(tiny_pair, Own(tiny_pair, store=store), 3, sampling=Sampling(0.0))
    assert report.exit_status == 0
    assert result(report, "greedy text").finding is not None
    assert "temperature 0" in result(report, "every token").why_not


# The interface


def test_requests_that_cannot_be_are_refused(tiny_pair: Pair) -> None:
    own = Own(tiny_pair)
    request = plan_for(tiny_pair).request
    for change in (
        {"logit_bias": ((3, 1.0),)},
        {"repetition_penalty": 1.2},
        {"presence_penalty": 1.0},
    ):
        with pytest.raises(EngineUnavailable, match="own"):
            own.refuse(replace(request, **change))  # type: ignore[arg-type]
    with pytest.raises(EngineUnavailable, match="No rule is called"):
        Own(tiny_pair, "no-such-rule")
    with pytest.raises(EngineUnavailable, match="at most"):
        list(own.continuations(replace(request, length=5000), [0]))
    with pytest.raises(ValueError, match="at least 6"):
        plan_for(tiny_pair, length=5)


def test_an_engine_that_fails_midway_loses_nothing_and_passes_nothing(
    tiny_pair: Pair, store: PassStore
) -> None:
    class Failing(Altered):
        def alter(self, found: Continuation, request: SampleRequest) -> Continuation:
            if found.number == 25:
                raise EngineUnavailable("The server stopped answering.")
            return found

    audit = Audit(Failing(tiny_pair, store=store), plan_for(tiny_pair), tiny_pair.target)
    *_, last = audit.states()
    assert len(audit.log.samples["main"]) == 25
    assert last.report.stopped == "The server stopped answering."
    assert result(last.report, "every token").finding is not None
    assert last.report.exit_status == 2


@pytest.mark.parametrize("after", [0, 1, 7, 33])
def test_one_that_is_stopped_reports_on_every_text(
    tiny_pair: Pair, store: PassStore, after: int
) -> None:
    """Also on those of a batch that was not full yet."""
    audit = Audit(Own(tiny_pair, store=store), plan_for(tiny_pair, 60), tiny_pair.target)
    states = audit.states()
    while next(states).done < after:
        pass
    last = states.throw(Stopped())  # type: ignore[attr-defined]
    assert last.final
    assert last.report.continuations == after
    assert last.report.stopped.startswith(f"by hand, after {after} of ")
    found = result(last.report, "duplicates").finding
    assert (found.runs if found is not None else 0) == after
    with pytest.raises(StopIteration):
        next(states)


def test_it_runs_as_a_worker_s_job(tiny_pair: Pair) -> None:
    work = AuditWork("own", SMALL, (("rule", "exact"),), n=8)
    assert work == AuditWork("own", SMALL, (("rule", "exact"),), n=8)
    assert hash(work) == hash(work)
    states = list(work.states(tiny_pair, PassStore()))
    assert all(isinstance(state, AuditState) for state in states)
    assert [state.done for state in states] == sorted(state.done for state in states)
    assert states[-1].final
    assert states[-1].done == states[-1].total


def test_every_engine_of_the_table_says_what_its_options_are() -> None:
    for name, entry in ENTRIES.items():
        assert entry.name == name
        assert all(option.help for option in entry.options)
    with pytest.raises(EngineUnavailable, match="no option"):
        ENTRIES["own"].complete({"speed": "high"})


class Dice(Engine):
    """No model at all: every token from one law."""

    name = "dice"

    def __init__(self, chances: list[float]) -> None:
        self.chances = chances

    def continuations(
        self, request: SampleRequest, numbers: Iterable[int]
    ) -> Iterator[Continuation]:
        for number in numbers:
            rng = np.random.default_rng([request.seed or 0, number, len(self.chances)])
            tokens = rng.choice(len(self.chances), size=request.length, p=self.chances)
            yield Continuation(number, tuple(tokens.tolist()), "length")


@pytest.mark.parametrize(
    ("chances", "status"), [([0.5, 0.3, 0.2, 0.0], 0), ([0.3, 0.5, 0.2, 0], 1)]
)
def test_without_the_target_an_engine_is_compared_with_a_plain_one(
    chances: list[float], status: int
) -> None:
    plan = Plan((0,), k=2, length=6, n=120, seed=4)
    *_, last = Audit(Dice(chances), plan, baseline=Dice([0.5, 0.3, 0.2])).states()
    assert "not at hand" in result(last.report, "every token").why_not
    assert result(last.report, "baseline").finding is not None
    assert last.report.exit_status == status
