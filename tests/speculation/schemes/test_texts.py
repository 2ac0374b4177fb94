"""Schemes over whole cycles and texts: on lookups by enumeration, and through the decoder."""

import numpy as np
import pytest

from helpers.tables import TableModel, random_tree
from speculation.decode import Decoder, Request
from speculation.dice import Purpose, uniform
from speculation.sampling import Sampling
from speculation.schemes import SCHEMES, Scheme, Turn
from speculation.schemes.known_laws import (
    KnownPair,
    Text,
    cycle_law,
    target_law,
    text_law,
    total_variation,
    write,
    write_seed,
)
from speculation.schemes.race import race_again, race_agreement, race_row
from speculation.schemes.random_numbers import Address, Addressed, enumerate_outcomes, exponentials
from speculation.schemes.scheme_decode import SchemeDecoder
from speculation.trace import Cycle

ALL = pytest.mark.parametrize("tested", SCHEMES.values(), ids=SCHEMES.keys())

SIZE, END = 6, frozenset({5})
target_after, other_after = random_tree(1, SIZE, peak=3.0), random_tree(2, SIZE, peak=3.0)
THIRDS = KnownPair.constant([1 / 3, 2 / 3], [2 / 3, 1 / 3])


def draft_after(text: Text) -> np.ndarray:
    """Half the target's law, half another."""
    return 0.5 * target_after(text) + 0.5 * other_after(text)


def scores(model: TableModel, text: Text) -> np.ndarray:
    return model.start().extend((0, *text))[0]


def models() -> tuple[TableModel, TableModel]:
    return TableModel(target_after, SIZE, "target"), TableModel(draft_after, SIZE, "draft")


def known_pair(sampling: Sampling) -> KnownPair:
    target, draft = models()
    return KnownPair(lambda t: scores(target, t), lambda t: scores(draft, t), sampling, END)


def small_pair(end: bool = False) -> KnownPair:
    """Three tokens, laws that depend on the last two, a filter that cuts."""
    rng = np.random.default_rng(4)
    table = {(w, a, b): rng.normal(size=3) for w in (0, 1) for a in range(4) for b in range(4)}

    def after(which: int, text: Text) -> np.ndarray:
        return table[(which, *((3, 3, *text)[-2:]))]

    return KnownPair(
        lambda t: after(0, t),
        lambda t: after(0, t) + 0.7 * after(1, t),
        Sampling(0.8, top_p=0.9),
        frozenset({2}) if end else frozenset(),
        memory=2,
    )


@ALL
def test_the_decoder_writes_what_the_lookup_writes(tested: Scheme) -> None:
    """Rollback, holes in the draft's cache, bonus and end tokens: the same text, seed by seed."""
    for sampling in (Sampling(0.9, top_k=4), Sampling(0.0)):
        pair = known_pair(sampling)
        for seed in range(20):
            request = Request((0,), sampling, 3, seed, 9, END)
            decoder = SchemeDecoder(*models(), request, tested)
            cycles = [cycle for cycle, _ in decoder]
            assert tuple(decoder.generated) == write_seed(tested, pair, 3, 9, seed)
            assert [x for cycle in cycles for x in cycle.committed] == decoder.generated
            for cycle in cycles:
                assert Cycle.model_validate_json(cycle.model_dump_json()) == cycle


def test_hooks_that_change_nothing_change_no_byte() -> None:
    """The exact rule through the hooks of an unnamed scheme leaves the same trace."""
    for seed in range(30):
        request = Request((0,), Sampling(0.8), 3, seed, 12, END)
        direct, hooked = (
            [cycle.model_dump_json() for cycle, _ in decoder]
            for decoder in (
                Decoder(*models(), request),
                SchemeDecoder(*models(), request, Scheme()),
            )
        )
        assert direct == hooked


def test_the_decoder_takes_a_draft_with_a_small_support() -> None:
    for name, tested in SCHEMES.items():
        target = models()[0]
        draft = TableModel(random_tree(3, 3), 3, "draft", support=[0, 2, 4])
        decoder = SchemeDecoder(target, draft, Request((0,), Sampling(), 3, 1, 8, END), tested)
        assert len([cycle for cycle, _ in decoder]) > 0, name


@ALL
def test_exact_schemes_write_the_targets_texts(tested: Scheme) -> None:
    if tested.reuses_numbers:
        pair, k, length = THIRDS, 3, 4
    else:
        pair, k, length = small_pair(end=True), 2, 4
    off = total_variation(text_law(tested, pair, k, length), target_law(pair, length))
    if tested.exact:
        assert off < 1e-12
    elif tested.name == "bfloat16-draw":
        assert 1e-5 < off < 5e-3
    else:
        assert off > 5e-4


@pytest.mark.parametrize(
    "name",
    [
        "exact",
        "block-verification",
        "gumbel-coupling",
        "later-drafts-kept",
        "draft-cache-short",
        "shared-noise",
    ],
)
def test_cycle_by_cycle_is_the_whole_enumerated(name: str) -> None:
    """Addresses used again in a later cycle are as good as fresh ones, where they may be."""
    rng = np.random.default_rng(9)
    table = {a: (rng.normal(size=2), rng.normal(size=2)) for a in (0, 1, None)}
    pair = KnownPair(
        lambda t: table[t[-1] if t else None][0], lambda t: table[t[-1] if t else None][1], memory=1
    )
    tested = SCHEMES[name]
    if name == "gumbel-coupling":  # its noise is asked three times; two laws are worked out
        pair = KnownPair(pair.target, pair.target, memory=1)
    whole = enumerate_outcomes(lambda numbers: write(tested, pair, 2, 3, numbers)[0])
    assert total_variation(whole, text_law(tested, pair, 2, 3)) < 1e-12


def test_a_reused_address_under_block_verification_is_caught() -> None:
    """One cycle is right; the text is not, unless the cycle joins the address."""
    planted, right = SCHEMES["block-reused-numbers"], SCHEMES["block-verification"]
    assert cycle_law(planted, THIRDS, 3) == cycle_law(right, THIRDS, 3)
    should = target_law(THIRDS, 4)
    assert total_variation(text_law(planted, THIRDS, 3, 4), should) == pytest.approx(
        0.0532, abs=1e-4
    )
    assert total_variation(text_law(right, THIRDS, 3, 4), should) < 1e-12
    whole = enumerate_outcomes(lambda numbers: write(right, THIRDS, 3, 4, numbers)[0])
    assert total_variation(whole, should) < 1e-12


def test_the_planted_reuse_runs_in_the_decoder_too() -> None:
    p, q = np.array([1, 2]) / 3, np.array([2, 1]) / 3
    pair = TableModel(lambda t: p, 2, "target"), TableModel(lambda t: q, 2, "draft")
    found = {}
    for name in ("block-reused-numbers", "block-verification"):
        texts = [
            [
                x
                for c, _ in SchemeDecoder(*pair, Request((0,), Sampling(), 3, s, 4), SCHEMES[name])
                for x in c.committed
            ]
            for s in range(300)
        ]
        found[name] = texts
    assert found["block-reused-numbers"] != found["block-verification"]


def test_block_verification_never_keeps_fewer() -> None:
    rng = np.random.default_rng(2)
    for _ in range(10):
        pair = KnownPair.constant(rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3)))
        block, exact = (
            sum(c.n_accepted * w for c, w in cycle_law(SCHEMES[name], pair, 3).items())
            for name in ("block-verification", "exact")
        )
        assert block >= exact - 1e-12


def test_a_dropped_bonus_costs_a_token_a_cycle() -> None:
    pair = KnownPair.constant([0.5, 0.3, 0.2], [0.2, 0.3, 0.5])
    dropped, exact = (
        sum(len(c.tokens) * w for c, w in cycle_law(SCHEMES[name], pair, 1).items())
        for name in ("bonus-dropped", "exact")
    )
    assert (dropped, exact) == pytest.approx((1.0, 1.7))


def test_an_ignored_end_is_followed_by_text() -> None:
    pair = small_pair(end=True)
    texts = text_law(SCHEMES["end-ignored"], pair, 2, 4)
    beyond = sum(chance for text, chance in texts.items() if 2 in text[:-1])
    assert beyond > 0.1
    for name in ("exact", "replacement-from-target", "block-verification"):
        texts = text_law(SCHEMES[name], pair, 2, 4)
        assert not any(2 in text[:-1] for text in texts), name


def test_two_races_over_one_noise() -> None:
    rng = np.random.default_rng(6)
    p, q = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5))
    p[3], q[1] = 0.0, 0.0
    p, q = p / p.sum(), q / q.sum()
    joint = np.array([q[x] * race_row(q, x, p) if q[x] else np.zeros(5) for x in range(5)])
    assert joint.sum(axis=0) == pytest.approx(p, abs=1e-12)
    assert np.diag(joint) == pytest.approx(race_agreement(q, p), abs=1e-12)
    noise = rng.exponential(size=(200_000, 5))
    with np.errstate(divide="ignore"):
        first, second = np.argmin(noise / q, axis=1), np.argmin(noise / p, axis=1)
    seen = np.zeros((5, 5))
    np.add.at(seen, (first, second), 1 / len(noise))
    assert np.abs(seen - joint).max() < 5e-3
    again = race_again(q, p, first, rng.random(len(first)), rng.random(len(first)))
    seen = np.zeros((5, 5))
    np.add.at(seen, (first, again), 1 / len(noise))
    assert np.abs(seen - joint).max() < 5e-3


def test_addresses() -> None:
    turn, later = Turn(Addressed(3), 5), Turn(Addressed(3), 5, by_cycle=True)
    assert turn.address(Purpose.ACCEPT, 2) == (Purpose.ACCEPT, 7, 0)
    assert later.address(Purpose.ACCEPT, 2) != turn.address(Purpose.ACCEPT, 2)
    assert Turn(Addressed(3), 0, by_cycle=True).address(Purpose.DRAFT, 1) == (Purpose.DRAFT, 1, 0)
    at = Address(Purpose.DRAFT, 4)
    u = uniform(3, *at)
    assert Addressed(3).below(u + 1e-9, at)
    assert not Addressed(3).below(u, at)
    noise = [exponentials(3, Address(Purpose.DRAFT, place), 40) for place in (4, 5)]
    assert not set(noise[0]) & set(noise[1]), "streams of neighbors do not overlap"
