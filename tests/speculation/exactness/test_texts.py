"""Whole cycles and long runs: what is seen in texts that were really written."""

from itertools import product

import numpy as np
import pytest

from speculation.exactness import cycles
from speculation.exactness.cycles import (
    Tally,
    events_of,
    overlap_test,
    places_of,
    slower_test,
    strata,
    tally_of,
)
from speculation.exactness.long_runs import (
    Scored,
    join,
    pit_test,
    quality,
    score,
    serial_test,
    z_by_place,
    z_test,
)
from speculation.sampling import Sampling
from speculation.schemes import SCHEMES, Addressed
from speculation.schemes.known_laws import KnownPair, cycle_law, write


def pair_of(seed: int = 3) -> KnownPair:
    """Five tokens, laws that depend on the last one."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(2, 6, 5))
    return KnownPair(
        lambda t: table[0, t[-1] if t else 5],
        lambda t: table[0, t[-1] if t else 5] + 0.8 * table[1, t[-1] if t else 5],
        Sampling(),
        memory=1,
    )


PAIR, K = pair_of(), 2


def audited(name: str, texts: int, first_seed: int, length: int = 8):  # type: ignore[no-untyped-def]  # noqa: ANN201
    """Texts of a scheme, with real numbers: their cycles, and their tokens scored."""
    rng = np.random.default_rng(first_seed)
    played, scored = [], []
    for seed in range(first_seed, first_seed + texts):
        text, made = write(SCHEMES[name], PAIR, K, length, Addressed(seed))
        places = places_of(made)[: len(text)]
        laws = np.stack([PAIR.law_after(text[:i]) for i in range(len(text))])
        played += made
        scored.append(score(laws, text, rng, places))
    return played, join(scored), rng


def test_an_exact_scheme_passes_every_check() -> None:
    for name in ("exact", "block-verification", "gumbel-coupling"):
        made, scored, _ = audited(name, 250, 1000)
        for check in (pit_test(scored), serial_test(scored), z_test(scored)):
            assert check.p_value > 1e-3, (name, check)
        assert min(x.p_value for x in z_by_place(scored).values()) > 1e-3
        meter = quality(scored)
        assert meter.low - 0.05 < meter.measured < meter.high + 0.05
        share = overlap_test(tally_of(made))
        assert share.p_value > 1e-3 or name != "exact", share


def test_a_broken_scheme_is_seen_in_long_runs() -> None:
    _, scored, _ = audited("replacement-from-target", 900, 5000)
    assert pit_test(scored).p_value < 1e-3
    _, scored, _ = audited("accept-everything", 250, 5000)
    assert z_test(scored).p_value < 1e-4
    assert z_test(scored).low > 0.0
    assert not quality(scored).inside
    _, scored, _ = audited("bonus-from-draft", 600, 5000)
    by_place = z_by_place(scored)
    assert by_place[K].p_value < 1e-3, "the bonus stands at the last place"
    assert by_place[0].p_value > 1e-3


def test_the_strata_show_which_door_is_wrong() -> None:
    made, _, rng = audited("exact", 400, 100)
    fine = strata([e for c in made for e in events_of(c.block, c.ruling)], rng)
    assert set(fine) == {"accepted", "replaced", "bonus"}
    assert min(x.p_value for x in fine.values()) > 1e-3
    for name, door in [("replacement-from-target", "replaced"), ("bonus-from-draft", "bonus")]:
        made, _, rng = audited(name, 400, 100)
        found = strata([e for c in made for e in events_of(c.block, c.ruling)], rng)
        assert found[door].p_value < 1e-4  # type: ignore[index]
        assert found["accepted"].p_value > 1e-3


def test_a_slow_scheme_is_seen_by_its_accepted_share() -> None:
    made, _, _ = audited("sample-and-match", 150, 100)
    found = slower_test(tally_of(made))
    assert found.p_value < 1e-4
    assert found.high < 0.0
    assert overlap_test(Tally()).p_value == 1.0


def test_the_joint_law_of_a_cycle() -> None:
    joint = cycle_law(SCHEMES["exact"], PAIR, K)
    law: dict[tuple[int, tuple[int, ...]], float] = {}
    for cycle, chance in joint.items():
        law[cycle.n_accepted, cycle.tokens] = law.get((cycle.n_accepted, cycle.tokens), 0) + chance
    seen: dict[tuple[int, tuple[int, ...]], int] = {}
    for seed in range(4000):
        first = write(SCHEMES["exact"], PAIR, K, 1, Addressed(seed))[1][0]
        key = first.n_accepted, first.tokens
        seen[key] = seen.get(key, 0) + 1
    assert cycles.joint_test(seen, law).p_value > 1e-3
    wrong = dict.fromkeys(product(range(K + 1), [()]), 0.0) | law
    swapped = dict(zip(wrong, reversed(wrong.values()), strict=True))
    assert cycles.joint_test(seen, swapped).p_value < 1e-6


def test_a_forbidden_token_in_a_long_run() -> None:
    rng = np.random.default_rng(0)
    scored = score(np.array([[0.5, 0.5, 0.0]] * 30), [0, 1, 2] * 10, rng)
    assert scored.impossible == 10
    assert pit_test(scored).p_value == z_test(scored).p_value == 0.0
    assert isinstance(scored, Scored)
    sure = score(np.array([[1.0, 0.0]] * 5), [0] * 5, rng)
    assert z_test(sure).p_value == 1.0, "temperature 0: nothing varies, and nothing is off"


def test_serial_dependence_is_seen() -> None:
    rng = np.random.default_rng(0)
    heights = np.repeat(rng.random(300), 2)
    flat = np.zeros(600)
    scored = Scored(heights, flat, flat, flat, np.zeros(600, dtype=int), flat.astype(int))
    assert serial_test(scored).p_value < 1e-6
    scored = Scored(heights, flat, flat, flat, np.arange(600) // 2 + 0, flat.astype(int))
    assert serial_test(scored).effect == pytest.approx(1.0, abs=0.1)
    apart = Scored(heights, flat, flat, flat, np.arange(600), flat.astype(int))
    assert serial_test(apart).p_value == 1.0, "different texts have no neighbors"
