"""Questions built from a cycle: right by the rule, no two options alike, no cycle twice."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from content.cases import cases_of, kept_under, met_before, next_case, runs_on_figures
from content.library import library
from content.live_questions import BETS, LiveQuestion, live_question
from content.quiz import Ask, LiveGate
from recordings.trace_files import recorded, recorded_names
from speculation.dice import draw
from speculation.rule import acceptance, residual
from speculation.trace import Cycle, Position, Replacement, make_table
from widgets.lessons.case_pool import case_pool

ASKS: tuple[Ask, ...] = ("bet", "committed", "residual", "replacement")
GATES = [
    (block.id, block.gate.ask)
    for lesson in library().lessons
    for block in lesson.gates
    if isinstance(block.gate, LiveGate)
]


def letter(token: int) -> str:
    return chr(ord("A") + token)


def make_cycle(seed: int, k: int, vocabulary: int) -> Cycle:
    """A cycle under the exact rule, with random laws."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(vocabulary, 0.6), size=k + 1)
    q = rng.dirichlet(np.full(vocabulary, 0.6), size=k)
    rows: list[Position] = []
    n, alive = 0, True
    for i in range(k):
        x, u = draw(q[i], rng.random()), float(rng.random())
        a = float(acceptance(p[i], q[i])[x])
        verdict = "unchecked" if not alive else "accepted" if u < a else "rejected"
        n += verdict == "accepted"
        alive = alive and verdict == "accepted"
        rows.append(
            Position(
                index=i, token=x, p=p[i][x], q=q[i][x], a=a, u=u, verdict=verdict,
                overlap=None if verdict == "unchecked" else float(np.minimum(p[i], q[i]).sum()),
                table=None if verdict == "unchecked" else make_table(p[i], q[i], [x]),
            )
        )  # fmt: skip
    law = p[k] if alive else residual(p[n], q[n])
    token = draw(law, rng.random())
    end = Replacement(index=n, token=token, p=p[n][token], r=law[token], u=0.5, bonus=alive,
                      table=make_table(p[k], None, [token]) if alive else None)  # fmt: skip
    committed = [*(row.token for row in rows[:n]), token]
    return Cycle(index=0, start=0, drafted=rows, n_accepted=n, replacement=end,
                 committed=committed, cut=None)  # fmt: skip


cycles = st.builds(make_cycle, st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 14))


def right(question: LiveQuestion) -> str:
    found = [option.text for option in question.options if option.right]
    assert len(found) == 1
    return found[0]


@settings(max_examples=150)
@given(cycles, st.sampled_from(ASKS))
def test_options_never_coincide_and_one_is_right(cycle: Cycle, ask: Ask) -> None:
    question = live_question(ask, cycle, letter)
    if question is None:
        return
    texts = [option.text for option in question.options]
    expected = {"bet": 4, "committed": len(cycle.drafted) + 1}.get(ask, 3)
    assert len(set(texts)) == len(texts) == expected
    assert len({option.key for option in question.options}) == len(texts)
    assert all(option.right or option.misconception for option in question.options)
    assert question == live_question(ask, cycle, letter)
    if ask == "committed":
        assert right(question) == str(len(cycle.committed))
    elif ask == "bet":
        assert question.place is not None
        row = cycle.drafted[question.place]
        assert (right(question) == BETS["sure"]) == (row.p >= row.q)
        assert (right(question) == BETS["unlikely"]) == (row.p < row.q / 2)
        assert f"{row.u:.3f}" not in question.question  # the number that decides is hidden
    else:
        rejected = cycle.drafted[cycle.n_accepted]
        assert rejected.table is not None
        left = dict(zip(map(letter, rejected.table.tokens), rejected.table.left, strict=True))
        if ask == "residual":
            assert left[right(question)] == 0.0
            assert all(left[o.text] > 0.0 for o in question.options if not o.right)
        else:
            assert left[right(question)] == max(left.values()) > 0.0
            likeliest = rejected.table.tokens[int(np.argmax(rejected.table.p))]
            assert right(question) != letter(likeliest)
            assert letter(likeliest) in {o.text for o in question.options}


@pytest.mark.parametrize("ask", ASKS)
def test_random_cycles_have_cases_for_every_question(ask: Ask) -> None:
    made = [live_question(ask, make_cycle(seed, 4, 12), letter) for seed in range(60)]
    asked = [question for question in made if question is not None]
    assert len(asked) >= 5
    places = {[o.right for o in q.options].index(True) for q in asked}
    assert places >= {0, 1, 2}


@pytest.mark.parametrize("ask", ASKS)
def test_the_recorded_runs_have_hard_cases_for_every_question(ask: Ask) -> None:
    pool = case_pool(ask)
    hard = [case for case in pool if case.question.hard]
    assert len(hard) >= 8
    assert list(pool[: len(hard)]) == hard  # they come first
    assert len({case.trace.settings.prompt for case in hard}) >= 3
    places = Counter([o.right for o in case.question.options].index(True) for case in hard)
    assert max(places.values()) <= 0.7 * len(hard), "the right option can be guessed by its place"


def test_no_case_is_of_a_run_that_a_figure_shows() -> None:
    shown = runs_on_figures(library().lessons)
    assert shown("code")
    assert shown("code-greedy")
    assert not shown("story")
    seen = [trace for name in recorded_names() if shown(name) and (trace := recorded(name))]
    assert len(seen) == 4
    assert not [case for ask in ASKS for case in case_pool(ask) if case.trace in seen]


def test_the_learners_own_run_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    before, own = case_pool("bet"), recorded("code")
    monkeypatch.setattr("widgets.lessons.case_pool.own_trace", lambda: own)
    pool = case_pool("bet")
    assert pool[: len(before)] == before
    assert len(pool) > len(before)
    assert all(case.trace is own for case in pool[len(before) :])


def test_no_learner_meets_a_cycle_twice() -> None:
    """Over all gates of all lessons, in any order, and as often as there are cases."""
    met: list[str] = []
    for turn in range(12):
        for gate, ask in GATES:
            case = next_case(case_pool(ask), met_before(met))
            assert case is not None, (turn, gate)
            met.append(kept_under(gate, case.key))
    cycles = met_before(met)
    assert len(cycles) == len(set(cycles)) == 12 * len(GATES)
    first = GATES[0][0]
    assert met_before(met, first) == [x.removeprefix(f"{first}-") for x in met if first in x]
    assert all(len(kept) <= 60 for kept in met), "the store's key is that long"


def test_nothing_is_predicted_at_temperature_zero_but_the_count() -> None:
    trace = recorded("quote")
    assert trace is not None
    assert {ask for ask in ASKS if cases_of(ask, trace, str)} == {"committed"}


def test_a_cycle_that_was_cut_is_not_asked_about() -> None:
    cycle = make_cycle(3, 4, 6).model_copy(update={"cut": "length"})
    assert live_question("committed", cycle, letter) is None
    bonus = next(c for c in (make_cycle(s, 1, 3) for s in range(99)) if c.n_accepted == 1)
    assert live_question("residual", bonus, letter) is None
    assert live_question("replacement", bonus, letter) is None
