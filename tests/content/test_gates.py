"""Questions built from a live cycle: right by the rule, and never with two options alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from content.live_questions import LiveQuestion, live_question
from content.quiz import Ask
from recordings.trace_files import recorded
from speculation.dice import draw
from speculation.rule import acceptance, residual
from speculation.trace import Cycle, Position, Replacement, make_table
from widgets.lessons.live_gate import FALLBACKS

ASKS: tuple[Ask, ...] = ("verdict", "committed", "residual", "replacement")


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
    assert len(set(texts)) == len(texts) == (2 if ask == "verdict" else 3)
    assert len({option.key for option in question.options}) == len(texts)
    assert all(option.right or option.misconception for option in question.options)
    assert question == live_question(ask, cycle, letter)
    if ask == "committed":
        assert right(question) == str(len(cycle.committed))
    elif ask == "verdict":
        assert question.place is not None
        row = cycle.drafted[question.place]
        assert right(question).lower() == row.verdict
        assert row.p < row.q
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
    if ask != "verdict":
        places = {[o.right for o in q.options].index(True) for q in asked}
        assert places == {0, 1, 2}


def test_the_recorded_runs_have_cases_for_every_question() -> None:
    """The lesson asks about the default run first, and about the others where that has no case."""
    for ask in ASKS:
        cases = {}
        for name in FALLBACKS:
            trace = recorded(name)
            assert trace is not None
            found = [live_question(ask, cycle, str) for cycle in trace.cycles]
            cases[name] = sum(question is not None for question in found)
        assert sum(cases.values()) >= 5, (ask, cases)


def test_a_cycle_that_was_cut_is_not_asked_about() -> None:
    cycle = make_cycle(3, 4, 6).model_copy(update={"cut": "length"})
    assert live_question("committed", cycle, letter) is None
    bonus = next(c for c in (make_cycle(s, 1, 3) for s in range(99)) if c.n_accepted == 1)
    assert live_question("residual", bonus, letter) is None
    assert live_question("replacement", bonus, letter) is None
