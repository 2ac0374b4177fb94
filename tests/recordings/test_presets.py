"""What the prompts promise about their recorded runs is so."""

import re

import pytest

from recordings.presets import presets
from recordings.trace_files import recorded
from speculation.summary import Summary, summarize
from speculation.theory import expected_tau
from speculation.trace import Trace


@pytest.fixture(scope="module")
def runs() -> dict[str, Trace]:
    found = {preset.name: recorded(preset.name) for preset in presets()}
    return {name: trace for name, trace in found.items() if trace is not None}


@pytest.fixture(scope="module")
def numbers(runs: dict[str, Trace]) -> dict[str, Summary]:
    return {name: summarize(trace) for name, trace in runs.items()}


def lost_first(trace: Trace) -> int:
    """Cycles whose first draft was rejected."""
    return sum(cycle.n_accepted == 0 for cycle in trace.cycles)


def test_every_prompt_says_what_to_look_for(runs: dict[str, Trace]) -> None:
    assert {preset.name for preset in presets()} == set(runs)
    assert all(preset.look_for.endswith(".") for preset in presets())


def test_the_longest_and_the_shortest_cycles(
    runs: dict[str, Trace], numbers: dict[str, Summary]
) -> None:
    by_tau = sorted(numbers, key=lambda name: numbers[name].tau or 0.0)
    assert (by_tau[0], by_tau[-1]) == ("quote", "code")
    warm = [name for name in by_tau if runs[name].settings.temperature > 0.0]
    assert warm[0] == "story"
    assert min(warm, key=lambda name: numbers[name].alpha or 0.0) == "story"
    assert {runs[name].settings.temperature for name in warm} == {0.7}
    code = runs["code"].cycles
    assert [cycle.n_accepted for cycle in code[:5]] == [4, 4, 4, 4, 0]


def test_the_poem_keeps_drafts_in_a_row(
    runs: dict[str, Trace], numbers: dict[str, Summary]
) -> None:
    """More than independent drafts of the same alpha would bring."""
    poem = numbers["poem"]
    assert (poem.tau or 0.0) > 1.1 * expected_tau(poem.alpha or 0.0, 4)
    assert (poem.tau or 0.0) > (numbers["story"].tau or 0.0)
    assert lost_first(runs["poem"]) > len(runs["poem"].cycles) / 3


def test_the_question_loses_its_first_draft(runs: dict[str, Trace]) -> None:
    assert lost_first(runs["question"]) > len(runs["question"].cycles) / 2


def test_the_form_of_a_list_stays(runs: dict[str, Trace]) -> None:
    trace = runs["list"]
    kept: dict[bool, list[bool]] = {True: [], False: []}
    for x in (x for cycle in trace.cycles for x in cycle.checked):
        piece = trace.pieces[x.token]
        mark = isinstance(piece, str) and not re.search("[A-Za-z]", piece)
        kept[mark].append(x.verdict == "accepted")
    assert sum(kept[True]) / len(kept[True]) > sum(kept[False]) / len(kept[False]) + 0.1
