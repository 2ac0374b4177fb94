"""The page "Test it yourself": its numbers, its words, and a visit by somebody who presses all."""

import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from charts.testing.band import band_figure
from charts.testing.doors import exact_figure, exact_sentence
from charts.testing.shares import committed_sentence, counted_sentence, shares_figure
from charts.testing.texts import (
    accepted_figure,
    accepted_sentence,
    heights_figure,
    heights_sentence,
)
from helpers.patience import patience
from jobs.job import Job
from jobs.kinds import states_of
from speculation.exactness.kill_table import as_records, kill_table
from speculation.models.passes import PassStore
from speculation.schemes import SCHEMES, Spot
from speculation.scored_place import Scored
from speculation.settings import Settings
from widgets.testing import kill_table_view, real_position, sentences, whole_texts
from widgets.testing.blind_round import KINDS, kind_of, rounds
from widgets.testing.cases import SMALL, Case, bias, most_visible, pick
from widgets.testing.drawn_texts import write_texts
from widgets.testing.position_exactly import three_ways
from widgets.testing.trial import SIZES, bands, predicted_runs, run_trial

APP = Path(__file__).resolve().parents[3] / "app"
R = SMALL[0]


def large_case() -> Case:
    rng = np.random.default_rng(0)
    return Case("large", "Large", "", Spot(rng.normal(size=500) * 2, rng.normal(size=500) * 2), {})


# Numbers and figures


@pytest.mark.parametrize("case", [*SMALL, large_case()], ids=lambda case: case.name)
def test_every_law_in_a_figure_sums_to_one(case: Case) -> None:
    paper, _, calls = three_ways(case)
    picked = pick(case)
    doors = [picked.fold(x) for x in (paper.accepted, paper.replaced, paper.target)]
    assert sum(doors[0]) + sum(doors[1]) == pytest.approx(1.0)
    assert "exactly as high" in exact_sentence(*doors)
    assert "misses p" in exact_sentence(doors[0], doors[0], doors[2])
    figure = exact_figure(picked.names, *doors)
    p, kept, replaced = (np.array(bar.y) for bar in figure.data)
    assert kept + replaced == pytest.approx(p)
    assert list(figure.data[2].base) == list(kept), "the second door stands on the first"
    assert calls.disagreements == 0
    law = picked.fold(SCHEMES["accept-everything"].committed_law(case.spot))
    trial = run_trial(case, "accept-everything", 1_000, 1)
    counted, q = picked.fold(trial.shares), picked.fold(case.q)
    shown = shares_figure(picked.names, doors[2], law, counted, q)
    assert [sum(x.y) for x in shown.data] == pytest.approx([1.0] * 4)
    assert "On paper" in committed_sentence(picked.names, doors[2], law)
    assert "exactly p" in committed_sentence(picked.names, doors[2], doors[2])
    assert "Furthest off" in counted_sentence(picked.names, doors[2], counted)


def test_a_trial_repeats_with_its_seed_and_ends_in_the_band() -> None:
    one, other = (run_trial(R, "exact", 10_000, 7) for _ in range(2))
    assert (one.counts == other.counts).all()
    assert one.counts.sum() == one.runs == one.sizes[-1]
    inside = [
        t.band.low <= t.distances[-1] <= t.band.high
        for t in (run_trial(R, "exact", 2_000, seed) for seed in range(100))
    ]
    assert np.mean(inside) > 0.85
    figure = band_figure(bands(R), one.sizes, one.distances, bias=0.1)
    assert [x.name for x in figure.data][:3] == [
        "what chance allows (95 of 100)",
        "its bias, on paper",
        "this trial",
    ]


def test_a_million_runs_on_a_whole_vocabulary() -> None:
    trial = run_trial(large_case(), "exact", SIZES[-1], 3)
    assert trial.counts.sum() == SIZES[-1]
    assert trial.distances[-1] < 0.02


def test_two_checks_raise_few_false_alarms_together() -> None:
    trials = [run_trial(R, "exact", 2_000, seed) for seed in range(200)]
    assert np.mean([trial.broken or trial.slow for trial in trials]) < 0.1


@pytest.mark.parametrize("name", ["replacement-from-target", "ensemble", "shared-accept-number"])
def test_the_predicted_runs_catch_the_scheme(name: str) -> None:
    case = next(case for case in SMALL if case.name == most_visible(SCHEMES[name]))
    needed = predicted_runs(case, name)
    assert needed is not None
    caught = [run_trial_of(case, name, needed, seed) for seed in range(100)]
    assert 0.8 <= np.mean(caught) <= 0.98


def run_trial_of(case: Case, name: str, runs: int, seed: int) -> bool:
    from speculation.exactness.counts import pearson

    rng = np.random.default_rng(seed)
    law = SCHEMES[name].committed_law(case.spot)
    return pearson(rng.multinomial(runs, law), case.p, rng).p_value < 0.025


def test_a_slow_scheme_is_called_slow_and_exact() -> None:
    trial = run_trial(R, "sample-and-match", 20_000, 5)
    assert trial.slow
    assert trial.law.p_value > 1e-4
    assert "Slower" in sentences.verdict(trial)
    assert predicted_runs(R, "sample-and-match") is None


def test_words_follow_the_numbers() -> None:
    caught = run_trial(R, "accept-everything", 5_000, 1)
    assert caught.broken
    assert "Not exact" in sentences.verdict(caught)
    assert "above the band" in sentences.band_sentence(caught)
    assert "too few" in sentences.sees_sentence(run_trial(SMALL[2], "exact", 10, 1)).lower()
    for p_value, said in ((0.5, "nothing"), (0.02, "now and then"), (1e-3, "hard"), (0.0, "not")):
        assert said in sentences.p_value_words(p_value)


# Whole texts


def test_whole_texts_show_what_one_position_cannot() -> None:
    caught = write_texts("bonus-from-draft", 2_000, 1)
    assert caught.flagged
    assert "token" not in caught.flagged
    assert "Not exact" in whole_texts.verdict(caught)
    assert sum(caught.accepted) == 2_000
    assert sum(caught.expected) == pytest.approx(1.0)
    exact = [write_texts("exact", 500, seed) for seed in range(40)]
    assert np.mean([bool(x.flagged) or x.slow for x in exact]) < 0.2
    assert np.mean([x.meter is not None and x.meter.inside for x in exact]) > 0.8
    assert write_texts("sample-and-match", 2_000, 1).slow
    assert not write_texts("block-verification", 20_000, 1).slow, "more than the rule keeps"
    assert "slow all the same" in whole_texts.verdict(write_texts("bonus-dropped", 500, 1))
    figure = heights_figure(caught.heights)
    assert sum(figure.data[0].y) == len(caught.heights)
    assert "of 20 bars" in heights_sentence(caught.heights)
    assert caught.forbidden
    assert "p forbids" in heights_sentence(caught.heights, caught.forbidden)
    assert "p forbids" in whole_texts.meter(caught)
    assert sum(accepted_figure(caught.expected, caught.accepted).data[1].y) == pytest.approx(1.0)
    assert "should be" in accepted_sentence(caught.expected, caught.accepted)


# The blind round


def test_every_blind_round_has_one_clear_answer() -> None:
    found = rounds()
    assert set(found) == set(KINDS)
    for kind, those in found.items():
        assert those, kind
        for name, case in those:
            scheme = SCHEMES[name]
            assert kind_of(scheme, case) == kind
            assert scheme.exact == (kind in ("fast", "slow"))
            if not scheme.exact:
                assert bias(scheme, case) > 0.005
    assert kind_of(SCHEMES["bonus-from-draft"], R) is None, "nothing to see at one position"


# The kill table


def test_part_of_the_kill_table_computed_again() -> None:
    found = kill_table_view.committed_table()
    assert found is not None
    rows = {row["scheme"]: row for row in found["rows"]}
    assert list(rows) == list(SCHEMES)
    some = ["exact", "sample-and-match", "replacement-from-target", "end-ignored"]
    again = as_records(kill_table([SCHEMES[name] for name in some]))
    assert json.loads(json.dumps(again)) == [rows[name] for name in some]
    shown = kill_table_view.table_html(found["rows"])
    assert shown.count("<th scope=row>") == len(SCHEMES) + 2
    for row in rows.values():
        assert (row["caught_with"] is None) == row["exact"]


# A real place


def test_a_place_is_scored_over_the_whole_vocabulary(tiny_pair) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    job = Job("score", Settings(prompt="one", length=4))
    name, states = states_of(job, tiny_pair, PassStore())
    *before, scored = list(states)
    assert name == "scored"
    assert before == [None] * len(before)
    assert isinstance(scored, Scored)
    case = real_position.case_of(scored)
    assert case.size == tiny_pair.target.vocab_size
    assert case.p.sum() == pytest.approx(1.0)
    assert sum(pick(case).fold(case.q)) == pytest.approx(1.0)
    assert three_ways(case)[0].largest_difference < 1e-12


# A visit


@pytest.mark.usefixtures("no_models")
def test_a_visit() -> None:
    app = AppTest.from_file(str(APP / "screens" / "test_it.py"), default_timeout=patience(60)).run()
    assert not app.exception
    assert app.title[0].value == "Test it yourself"
    assert any("disabled here" in x.value for x in app.caption)
    app.select_slider(key="runs-sampling").set_value(100)
    app.button(key="draw-sampling").click().run()
    assert not app.exception
    assert any(x.value.startswith("100 runs with seed") for x in app.caption)
    app.selectbox(key="test-case").select("P8").run()
    app.selectbox(key="sabotage-scheme").select("shared-noise").run()
    assert any("Predicted" in x.value for x in app.markdown)
    app.button(key="draw-sabotage").click().run()
    for name in ("later-drafts-kept", "one-hot-greedy", "exact"):
        app.selectbox(key="sabotage-scheme").select(name).run()
        assert not app.exception, name
    app.button(key="whole-draw").click().run()
    assert not app.exception
    assert any("Quality meter" in x.value for x in app.markdown)
    app.button(key="draw-blind").click().run()
    app.radio(key="blind-guess").set_value("fast").run()
    app.button(key="blind-send").click().run()
    assert not app.exception
    assert any("of 1 right" in x.value for x in app.markdown)
    assert any("It was:" in x.value for x in (*app.success, *app.info))
    app.button(key="blind-next").click().run()
    assert not app.exception
    assert app.radio(key="blind-guess").value is None
