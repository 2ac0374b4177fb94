"""What the figures are made of: the doors, the samplers, the sentences, the minutes."""

import numpy as np
import pytest

from charts.block_cost import cost_sentence, decimal
from charts.lessons.hand_laws import hand_sentence
from charts.run.committed import bars_given, bars_of, committed_figure, committed_sentence
from charts.run.cycle_rows import cycle_rows, drafted_rows
from content.library import library
from content.minutes import minutes_of
from content.widget_options import WIDGETS
from measuring.shipped import recorded_measurements
from recordings.trace_files import recorded
from speculation.exactness.two_doors import classical_tries, doors, sample
from speculation.rule import overlap
from widgets.lessons.contents_rail import minutes
from widgets.lessons.figures import FIGURES

P = np.array([0.6, 0.3, 0.1])
Q = np.array([0.2, 0.3, 0.5])


def test_every_figure_that_a_lesson_can_name_is_there() -> None:
    assert set(FIGURES) == set(WIDGETS)


@pytest.mark.parametrize(
    ("rule", "committed"),
    [
        ("exact", (0.6, 0.3, 0.1)),
        ("replace-from-p", (0.44, 0.42, 0.14)),
        ("threshold", (0.7, 0.3, 0.0)),
        ("softmax-residual", (0.374, 0.415, 0.215)),
    ],
)
def test_doors(rule: str, committed: tuple[float, ...]) -> None:
    kept, replaced = doors(P, Q, rule)  # type: ignore[arg-type]
    assert kept + replaced == pytest.approx(committed, abs=0.005)
    counts = sample(P, Q, rule, 20_000, np.random.default_rng(1))  # type: ignore[arg-type]
    assert counts / 20_000 == pytest.approx(kept + replaced, abs=0.015)


def test_classical_rejection_takes_m_tries_and_gives_p() -> None:
    tries, counts = classical_tries(P, Q, 20_000, np.random.default_rng(1))
    assert tries.mean() == pytest.approx(3.0, rel=0.03)
    assert counts / 20_000 == pytest.approx(P, abs=0.015)
    with pytest.raises(ValueError, match="never draws it"):
        classical_tries(P, np.array([0.0, 0.5, 0.5]), 10, np.random.default_rng(1))


def test_the_eight_cycles() -> None:
    bars = bars_given([5, 2, 4, 1, 5, 3, 1, 4], 4)
    assert [bar.committed for bar in bars] == [5, 2, 4, 1, 5, 3, 1, 4]
    assert [bar.last for bar in bars].count("bonus") == 2
    assert "tau = 3.12" in committed_sentence(bars, 4)
    heights = sum(np.array(trace.y) for trace in committed_figure(bars, 4).data[:3])
    assert heights.tolist() == [5, 2, 4, 1, 5, 3, 1, 4]


def test_bars_of_a_recorded_run_add_up() -> None:
    trace = recorded("code")
    assert trace is not None
    assert sum(bar.committed for bar in bars_of(trace.cycles)) == len(trace.tokens)


def test_rows_hide_what_is_asked() -> None:
    trace = recorded("code")
    assert trace is not None
    cycle = next(c for c in trace.cycles if 0 < c.n_accepted < len(c.drafted))
    hidden = cycle_rows(cycle, trace.pieces, 0)
    bare = drafted_rows(cycle, trace.pieces, "so far", shown=False)
    for table in (hidden, bare):
        assert "accepted</td>" not in table
        assert "rejected</td>" not in table
    assert hidden.count("<td>?</td><td>?</td>") == len(cycle.drafted)  # what decides: a and u
    assert "<td>" not in bare
    assert 'class="zone"' not in hidden
    assert "<code>so far</code>" in bare
    told = drafted_rows(cycle, trace.pieces, "", shown=True)
    assert told.count("accepted</td>") == cycle.n_accepted
    shown = cycle_rows(cycle, trace.pieces, len(cycle.drafted))
    assert shown.count("accepted</td>") == cycle.n_accepted
    assert shown.count("rejected</td>") == 1


def test_equal_laws_leave_nothing_over() -> None:
    assert "nothing is rejected" in hand_sentence(["A", "B"], np.array([0.5, 0.5]),
                                                  np.array([0.5, 0.5]))  # fmt: skip


def test_recorded_measurements_say_what_the_lesson_says() -> None:
    found = recorded_measurements()
    assert found is not None
    by = {m.precision: m for m in found.measurements}
    assert by["float32"].logit < 1e-3 < by["bfloat16"].logit
    assert "17" in cost_sentence(found.measurements)
    curves = np.array(found.temperatures.curves)
    assert curves.shape[1] == len(found.temperatures.grid)
    assert ((curves >= 0) & (curves <= 1)).all()
    assert decimal(0.0000009) == "0.0000009"


def test_the_recorded_boundary_cases() -> None:
    greedy, same = recorded("code-greedy"), recorded("code-same")
    assert greedy is not None
    assert same is not None
    assert {x.a for cycle in greedy.cycles for x in cycle.checked} <= {0.0, 1.0}
    checked = [x for cycle in same.cycles for x in cycle.checked]
    assert min(x.a for x in checked) > 0.999
    assert all(x.verdict == "accepted" for x in checked)


def test_minutes_add_up() -> None:
    for lesson in library().lessons:
        sections = [section for section in lesson.sections if section.title]
        halves = [
            2 * float(x.removesuffix(" min").replace("½", ".5").lstrip() or 0)
            for x in minutes(sections, minutes_of(lesson))
        ]
        assert sum(halves) == 2 * minutes_of(lesson)
        assert min(halves) >= 1


def test_overlap_of_the_example() -> None:
    assert overlap(P, Q) == pytest.approx(0.6)
