"""Schemes at one position: the worked numbers, and every closed form against enumeration."""

import numpy as np
import pytest

from speculation.dice import Purpose
from speculation.rule import Law, overlap, verify
from speculation.sampling import Sampling
from speculation.schemes import (
    EXACT,
    SCHEMES,
    Many,
    Scheme,
    Spot,
    Turn,
    base,
    block,
    scheme,
    wrong_laws,
)
from speculation.schemes.known_laws import KnownPair, cycle_law, play
from speculation.schemes.random_numbers import Address, Given, every_way

ALL = pytest.mark.parametrize("tested", SCHEMES.values(), ids=SCHEMES.keys())

R = Spot.of([0.6, 0.3, 0.1], [0.2, 0.3, 0.5])
PAIR = Spot.of([0.5, 0.3, 0.2], [0.2, 0.3, 0.5])
P8 = np.array([0.30, 0.20, 0.15, 0.10, 0.10, 0.05, 0.05, 0.05])
EIGHT = Spot.of(P8, P8[::-1])


def tv(name: str, spot: Spot) -> float:
    """How far what a scheme commits is from what it should."""
    return float(0.5 * np.abs(SCHEMES[name].committed_law(spot) - spot.target_probs).sum())


def pair_at(spot: Spot) -> KnownPair:
    """The same two scores after every text."""
    return KnownPair(
        lambda t: spot.target_logits, lambda t: spot.draft_logits, spot.sampling, memory=0
    )


def random_spots() -> list[Spot]:
    rng = np.random.default_rng(11)
    settings = [Sampling(), Sampling(0.7, top_k=3), Sampling(1.3, top_p=0.8), Sampling(0.0)]
    return [
        Spot.of(rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4)), sampling)
        for sampling in settings
        for _ in range(2)
    ]


@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("exact", 0.70),
        ("gumbel-coupling", 0.631),
        ("sample-and-match", 0.29),
        ("one-hot-greedy", 0.20),
        ("one-hot-sampled", 0.29),
        ("two-drafts", 0.76),
    ],
)
def test_acceptance_at_one_position(name: str, rate: float) -> None:
    assert SCHEMES[name].acceptance_rate(PAIR) == pytest.approx(rate, abs=5e-4)


def test_greedy_drafts_are_not_always_worse() -> None:
    sure, flat = (
        Spot.of([0.9, 0.05, 0.05], [0.5, 0.3, 0.2]),
        Spot.of([0.4, 0.3, 0.3], [0.4, 0.3, 0.3]),
    )
    rates = [
        SCHEMES[n].acceptance_rate(s) for s in (sure, flat) for n in ("one-hot-greedy", "exact")
    ]
    assert rates == pytest.approx([0.9, 0.6, 0.4, 1.0])


@pytest.mark.parametrize(
    ("name", "committed"),
    [
        ("replacement-from-target", (0.44, 0.42, 0.14)),
        ("accept-if-likelier", (0.7, 0.3, 0.0)),
        ("accept-everything", (0.2, 0.3, 0.5)),
        ("ratio-inverted", (0.2, 0.3, 0.5)),
        ("ratio-to-maximum", (0.7667, 0.15, 0.0833)),
        ("typical-acceptance", (0.2, 0.3, 0.5)),
        ("argmax-verification", (1.0, 0.0, 0.0)),
        ("residual-swapped", (0.2, 0.3, 0.5)),
        ("residual-by-softmax", (0.3709, 0.4146, 0.2146)),
        ("rejected-struck-out", (0.4667, 0.4333, 0.1)),
        ("greedy-draft-soft-q", (0.8, 0.0, 0.2)),
        ("low-drafts-dropped", (0.52, 0.36, 0.12)),
        ("ensemble", (0.52, 0.3, 0.18)),
    ],
)
def test_what_a_broken_scheme_commits(name: str, committed: tuple[float, ...]) -> None:
    assert SCHEMES[name].committed_law(R) == pytest.approx(committed, abs=5e-5)


def test_more_worked_numbers() -> None:
    greedy = SCHEMES["greedy-draft-soft-q"].committed_law(Spot.of([0.6, 0.4], [0.8, 0.2]))
    assert greedy == pytest.approx([0.75, 0.25])
    raw = Spot.of([0.4, 0.6, 0.0], [0.5, 0.3, 0.2], Sampling(top_k=2))
    assert SCHEMES["q-before-filters"].committed_law(raw) == pytest.approx([0.5, 0.5, 0.0])
    fresh = SCHEMES["match-then-fresh"].committed_law(PAIR)
    assert fresh == pytest.approx([0.455, 0.303, 0.242], abs=5e-4)
    accepted = Spot.of([0.5, 0.5, 0.0], [0.48, 0.27, 0.25], Sampling(top_k=2))
    broken, right = SCHEMES["q-before-filters"], EXACT
    assert broken.committed_law(accepted) == pytest.approx([0.64, 0.36, 0.0])
    assert (broken.acceptance_rate(accepted), right.acceptance_rate(accepted)) == pytest.approx(
        (1.0, 0.86)
    )


def test_shared_numbers_on_eight_tokens() -> None:
    assert tv("shared-noise", EIGHT) == pytest.approx(0.012, abs=5e-4)
    assert tv("shared-draft-number", EIGHT) == pytest.approx(0.15)
    assert tv("shared-accept-number", EIGHT) == pytest.approx(0.075)
    assert tv("shared-noise", R) == pytest.approx(0.0, abs=1e-15), "R's residual has one token"


def test_an_ensemble_is_off_by_its_share_of_the_draft() -> None:
    for spot in (R, PAIR, EIGHT):
        q = np.exp(spot.draft_logits)
        for weight in (0.5, 0.8, 1.0):
            law = wrong_laws.Ensemble(weight).committed_law(spot)
            distance = 0.5 * np.abs(law - spot.target_probs).sum()
            assert distance == pytest.approx((1 - weight) * (1 - overlap(spot.target_probs, q)))


@ALL
def test_the_closed_form_is_what_the_code_commits(tested: Scheme) -> None:
    for spot in [R, PAIR, *random_spots()]:
        committed, taken = np.zeros_like(spot.target_probs), 0.0
        for played, weight in every_way(
            lambda n, at=spot: play(tested, pair_at(at), (), 1, Turn(n))
        ):
            committed[played.tokens[0]] += weight
            taken += weight * (played.n_accepted > 0 or played.ruling.spare)
        assert np.abs(committed - tested.committed_law(spot)).max() < 1e-12
        assert abs(taken - tested.acceptance_rate(spot)) < 1e-12


@ALL
def test_exact_means_that_p_is_committed(tested: Scheme) -> None:
    off = max(
        float(np.abs(tested.committed_law(s) - s.target_probs).max())
        for s in [R, PAIR, EIGHT, *random_spots()]
    )
    if tested.exact or tested.seen_by in ("text", "end"):
        assert off < 1e-12, "one drafted position shows nothing"
    else:
        assert off > 1e-5


@ALL
def test_as_fast_means_as_often_as_p_and_q_overlap(tested: Scheme) -> None:
    if tested.exact and tested.name not in ("bonus-dropped", "draft-cache-short"):
        slower = [
            tested.acceptance_rate(s) < EXACT.acceptance_rate(s) - 1e-9 for s in (PAIR, EIGHT)
        ]
        assert all(slower) != tested.as_fast


def test_the_exact_scheme_is_verify() -> None:
    """Hooks and answers in place of numbers, on 10,000 shared uniforms: nothing changes."""
    rng = np.random.default_rng(5)
    for _ in range(2500):
        k = 4
        p, q = rng.dirichlet(np.ones(5), k + 1), rng.dirichlet(np.ones(5), k)
        drafted = [int(rng.choice(5, p=row)) for row in q]
        u, last = rng.random(k), rng.random()
        shared = {Address(Purpose.ACCEPT, i): float(u[i]) for i in range(k)}
        shared |= {Address(Purpose.REPLACE, i): last for i in range(k + 1)}
        ours = EXACT.verify(base.Block(p, q, drafted), Turn(Given(shared)))
        theirs = verify(p, q, drafted, u, last)
        assert (ours.n_accepted, ours.replacement) == (theirs.n_accepted, theirs.replacement)


@ALL
def test_a_million_at_once_are_the_same_runs_one_by_one(tested: Scheme) -> None:
    for spot, runs in ((EIGHT, 10_000 if tested is EXACT else 400), (random_spots()[2], 400)):
        rng = np.random.default_rng(3)
        size = len(spot.target_probs)
        keys = [(purpose, i) for purpose in Purpose for i in (0, 1)]
        columns = {key: rng.random(runs) for key in keys}
        noise = rng.exponential(size=(runs, size))
        tokens, kept = tested.sample(spot, Many(runs, rng, columns, noise))
        for run in range(runs):
            given = {
                Address(purpose, place, i): float(column[run])
                for (purpose, i), column in columns.items()
                for place in (0, 1)
            }
            races = {Address(Purpose.DRAFT, place): noise[run] for place in (0, 1)}
            played = play(tested, pair_at(spot), (), 1, Turn(Given(given, races)))
            assert played.tokens[0] == tokens[run]
            assert (played.n_accepted > 0 or played.ruling.spare) == kept[run]


def test_a_large_vocabulary_is_raced_without_noise() -> None:
    rng = np.random.default_rng(8)
    p, q = rng.dirichlet(np.ones(300) / 3), rng.dirichlet(np.ones(300) / 3)
    spot = Spot.of(p, q)
    for name in ("gumbel-coupling", "shared-noise"):
        tested = SCHEMES[name]
        many = Many(100_000, rng)
        assert not many.has_noise_for(300)
        tokens, kept = tested.sample(spot, many)
        share = np.bincount(tokens, minlength=300) / len(tokens)
        assert 0.5 * np.abs(share - tested.committed_law(spot)).sum() < 0.02
        assert kept.mean() == pytest.approx(tested.acceptance_rate(spot), abs=0.006)


def test_names() -> None:
    assert scheme("replacement-from-target").name == "replacement-from-target"
    with pytest.raises(ValueError, match="no scheme is called 'nothing'"):
        scheme("nothing")
    for name, tested in SCHEMES.items():
        assert name == tested.name
        assert tested.__doc__
        assert tested.exact == (tested.seen_by == "none")
        assert SCHEMES[tested.claims].exact


def joint_of(tested: Scheme, p: Law, q: Law, k: int) -> float:
    """Drafts kept a cycle, by enumeration."""
    joint = cycle_law(tested, KnownPair.constant(p, q), k)
    return sum(cycle.n_accepted * chance for cycle, chance in joint.items())


def test_block_verification_keeps_eleven_ninths() -> None:
    thirds = np.array([1, 2]) / 3
    kept = [joint_of(SCHEMES[n], thirds, thirds[::-1], 2) for n in ("block-verification", "exact")]
    assert kept == pytest.approx([11 / 9, 10 / 9])
    assert block.expected_kept(thirds, thirds[::-1], 2) == pytest.approx(kept)
