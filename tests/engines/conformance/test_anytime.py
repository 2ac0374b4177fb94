"""The test that may be looked at any time: its false alarms and what it sees, by simulation."""

from itertools import product

import numpy as np
import pytest

from engines.conformance.anytime import bent, log_e, smallest_seen

LAW = np.random.default_rng(3).dirichlet(np.full(60, 0.5))
LOOKS = [50, 100, 200, 400, 800, 1600, 3200]


def audits(law: np.ndarray, number: int) -> np.ndarray:
    """Counts at every look, [look, audit, outcome]; a later look goes on from the one before."""
    rng = np.random.default_rng(9)
    steps = np.diff([0, *LOOKS])
    return np.cumsum([rng.multinomial(n, law, number) for n in steps], axis=0)


def test_a_thousand_exact_audits_looked_at_seven_times_each() -> None:
    """At most alpha are ever flagged; the highest of all looks counts."""
    highest = np.max([log_e(counts, LAW) for counts in audits(LAW, 1000)], axis=0)
    for alpha in (0.2, 0.05, 0.01):
        flagged = int((highest >= -np.log(alpha)).sum())
        assert flagged <= 1000 * alpha, f"{flagged} of 1000 at alpha {alpha}"


@pytest.mark.parametrize("law", [(0.5, 0.5), (0.7, 0.2, 0.1), (0.97, 0.03)])
def test_its_mean_is_one_over_every_outcome(law: tuple[float, ...]) -> None:
    """Exactly, over all texts of six letters: that is what makes it a martingale."""
    texts = list(product(range(len(law)), repeat=6))
    counts = [np.bincount(text, minlength=len(law)) for text in texts]
    chances = np.prod([[law[x] for x in text] for text in texts], axis=1)
    assert np.sum(chances * np.exp(log_e(counts, np.array(law)))) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("by", [0.05, 0.1, 0.3])
def test_a_deviation_is_seen_as_often_as_is_said(by: float) -> None:
    off = bent(LAW, by)
    assert 0.5 * np.abs(off - LAW).sum() == pytest.approx(by)
    threshold = np.log(20 / 0.05)
    texts = next(n for n in np.geomspace(50, 1e6, 60) if smallest_seen(LAW, int(n), threshold) < by)
    rng = np.random.default_rng(4)
    seen = log_e(rng.multinomial(int(texts), off, 400), LAW) >= threshold
    assert seen.mean() > 0.85


def test_another_shape_of_the_same_size_is_seen_no_less() -> None:
    """The even one is the hardest: one outcome made likelier, or one struck out, shows sooner."""
    by, texts = 0.08, 4000
    rng = np.random.default_rng(5)
    hardest = log_e(rng.multinomial(texts, bent(LAW, by), 200), LAW).mean()
    for outcome in (int(LAW.argmax()), int(LAW.argmin())):
        off = LAW * (1.0 - by / (1.0 - LAW[outcome]))
        off[outcome] += 1.0 - off.sum()
        assert 0.5 * np.abs(off - LAW).sum() == pytest.approx(by)
        assert log_e(rng.multinomial(texts, off, 200), LAW).mean() > hardest


def test_a_point_mass_and_what_cannot_be() -> None:
    certain = np.array([1.0])
    assert log_e([100], certain)[0] == pytest.approx(0.0, abs=1e-9)
    assert smallest_seen(certain, 22, 7.0) == pytest.approx(0.1, abs=0.01)
    assert log_e([100, 1], np.array([1.0, 0.0]))[0] == np.inf
    assert smallest_seen(LAW, 5, 7.0) == 1.0
