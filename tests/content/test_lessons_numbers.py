"""Every number in the lessons that comes from a formula is recomputed with the app's own code, and
one that was measured or recorded is read from the file that the figures draw.

`NAMES` is what such a formula can use. The laws of broken rules are computed here on their own,
from what each rule does, and not taken from the prose.
"""

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from content.blocks import Document
from content.checked_numbers import Check, take_checks
from content.library import library
from content.quiz import Numeric
from measuring.block_cost import Measurement
from measuring.shipped import recorded_measurements
from recordings.trace_files import recorded
from speculation.rule import acceptance, overlap, residual
from speculation.sampling import Sampling, law
from speculation.summary import Summary, summarize
from speculation.theory import accepted_over_drafted, best_k, expected_speedup, expected_tau
from speculation.trace import Trace

P = np.array([0.6, 0.3, 0.1])
Q = np.array([0.2, 0.3, 0.5])
EIGHT = [5, 2, 4, 1, 5, 3, 1, 4]


def arrays(function: Any) -> Any:
    """The function, taking lists for laws."""
    return lambda *laws: function(*(np.asarray(x, dtype=np.float64) for x in laws))


def from_p_law(p: Any, q: Any) -> Any:
    """What is committed when replacements are drawn from p."""
    kept = np.minimum(p, q)
    return kept + (1 - kept.sum()) * p


def threshold_law(p: Any, q: Any) -> Any:
    """What is committed when a token is accepted only if p >= q; else the exact residual."""
    kept = np.where(p >= q, q, 0.0)
    return kept + (1 - kept.sum()) * residual(p, q)


def accept_then_zero_law(p: Any, q: Any) -> Any:
    """Accept by p/q; after a rejection of x draw from p without x."""
    committed = np.minimum(p, q)
    for x, lost in enumerate(q * (1 - acceptance(p, q))):
        committed = committed + lost * zeroed(p, x)
    return committed


def greedy_draft_law(p: Any, q: Any) -> Any:
    """The draft offers its argmax, but the rule uses the soft q."""
    best = int(np.argmax(q))
    kept = acceptance(p, q)[best]
    return kept * np.eye(len(p))[best] + (1 - kept) * residual(p, q)


def softmax_residual_law(p: Any, q: Any) -> Any:
    """The residual goes through a softmax instead of being divided by its sum."""
    kept = np.minimum(p, q)
    return kept + (1 - kept.sum()) * law(np.maximum(p - q, 0), Sampling())


def zeroed(p: Any, token: int) -> Any:
    """p without one token, normalized."""
    left = np.array(p, dtype=np.float64)
    left[token] = 0.0
    return left / left.sum()


def runs_needed(broken: Any, p: Any, level: float = 0.001, power: float = 0.9) -> float:
    """Runs for a chi-square test to find `broken` at this level with this power, rounded up."""
    broken, p = np.asarray(broken), np.asarray(p)
    effect = ((broken - p) ** 2 / p).sum()
    edge = stats.chi2.isf(level, len(p) - 1)
    needed = brentq(lambda nc: stats.ncx2.sf(edge, len(p) - 1, nc) - power, 1e-3, 500.0)
    return float(np.ceil(needed / effect))


def checked(cycles: list[int], k: int) -> int:
    """How many drafts were looked at, from what each cycle committed."""
    return sum(min(committed, k) for committed in cycles)


def expected_tau_of_batch(alpha: float, k: int, batch: int) -> float:
    """Tau when every text of a batch is cut back to the earliest rejection of them all."""
    return expected_tau(alpha**batch, k)


def measured(precision: str) -> Measurement:
    """What the figures on blocks and on rounding show where nothing is measured."""
    recording = recorded_measurements()
    assert recording is not None
    return next(m for m in recording.measurements if m.precision == precision)


def pass_ms(precision: str, tokens: int) -> float:
    """The recorded time of one target pass over so many tokens."""
    found = measured(precision)
    return found.ms[found.rows.index(tokens)]


def trace_of(run: str) -> Trace:
    """A recorded run, as the figures show it."""
    trace = recorded(run)
    assert trace is not None
    return trace


def numbers_of(run: str) -> Summary:
    return summarize(trace_of(run))


def rejecting(run: str, number: int) -> int:
    """Which cycle of a recorded run, counted from 1, is the nth not to keep all of its drafts."""
    found = [c.index + 1 for c in trace_of(run).cycles if c.n_accepted < len(c.drafted)]
    return found[number - 1]


NAMES: dict[str, Any] = {
    "__builtins__": {},
    "P": P,
    "Q": Q,
    "EIGHT": EIGHT,
    "min": min,
    "max": max,
    "sum": sum,
    "mean": np.mean,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "acceptance": arrays(acceptance),
    "overlap": arrays(overlap),
    "residual": arrays(residual),
    "tempered": lambda logits, t: law(logits, Sampling(t)),
    "top_k_law": lambda probs, k: law(np.log(probs), Sampling(top_k=k)),
    "expected_tau": expected_tau,
    "expected_tau_of_batch": expected_tau_of_batch,
    "expected_speedup": expected_speedup,
    "best_speedup": lambda alpha, c: expected_speedup(alpha, best_k(alpha, c), c),
    "best_k": best_k,
    "accepted_over_drafted": accepted_over_drafted,
    "checked": checked,
    "runs_needed": runs_needed,
    "from_p_law": arrays(from_p_law),
    "threshold_law": arrays(threshold_law),
    "accept_then_zero_law": arrays(accept_then_zero_law),
    "greedy_draft_law": arrays(greedy_draft_law),
    "softmax_residual_law": arrays(softmax_residual_law),
    "zeroed": zeroed,
    "round": round,
    "measured": measured,
    "pass_ms": pass_ms,
    "tau_of": lambda run: numbers_of(run).tau,
    "alpha_of": lambda run: numbers_of(run).alpha,
    "rejecting": rejecting,
}

DOCUMENTS = library().documents


def computed(formula: str) -> Any:
    return eval(formula, NAMES)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.slug)
def test_every_number_with_a_formula_agrees_with_it(document: Document) -> None:
    wrong = [
        f"{document.path}:{check.line}: {check.shown} is not {computed(check.formula)}"
        for check in document.checks
        if not check.agrees(computed(check.formula))
    ]
    assert wrong == []


def test_the_lessons_have_numbers_to_check() -> None:
    assert sum(len(document.checks) for document in DOCUMENTS) >= 60


@pytest.mark.parametrize(
    ("quiz_id", "quiz"),
    [(b.id, b.quiz) for b in library().quizzes if isinstance(b.quiz, Numeric)],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_numeric_answers_and_their_near_misses_are_recomputed(quiz_id: str, quiz: Numeric) -> None:
    assert float(computed(quiz.formula)) == pytest.approx(quiz.answer, abs=1e-9)
    for near in quiz.near:
        assert float(computed(near.formula)) == pytest.approx(near.value, abs=1e-9), quiz_id


def test_a_wrong_number_is_found() -> None:
    """The negative control: each kind of printed number, one digit off."""
    assert not Check("3.70", "expected_tau(0.8, 5)", 1).agrees(computed("expected_tau(0.8, 5)"))
    assert not Check("58%", "", 1).agrees(accepted_over_drafted(0.8, 4))
    assert not Check("(0.44, 0.42, 0.15)", "", 1).agrees(from_p_law(P, Q))
    assert not Check("(0.44, 0.42)", "", 1).agrees(from_p_law(P, Q))
    assert not Check("tokens", "", 1).agrees(1.0)


def test_the_reported_break_is_as_large_as_the_mixed_up_case() -> None:
    """A simulation agrees with one of the broken laws: the formulas say what the rules do."""
    rng = np.random.default_rng(5)
    drafted = rng.choice(3, size=200_000, p=Q)
    kept = rng.random(200_000) < acceptance(P, Q)[drafted]
    committed = np.where(kept, drafted, rng.choice(3, size=200_000, p=P))
    counts = np.bincount(committed, minlength=3)
    assert stats.chisquare(counts, from_p_law(P, Q) * 200_000).pvalue > 0.001
    assert stats.chisquare(counts, P * 200_000).pvalue < 1e-12  # the exact rule's law is not it


def test_formulas_are_cut_out_and_lines_stay() -> None:
    text = "one\n3.69<!--= expected_tau(0.8, 5) --> and (1, 0, 0)<!--= residual(P, Q) -->\nthree"
    clean, checks = take_checks(text)
    assert clean == "one\n3.69 and (1, 0, 0)\nthree"
    assert [(c.shown, c.line) for c in checks] == [("3.69", 2), ("(1, 0, 0)", 2)]


def test_measured_times_in_the_text_come_from_their_file() -> None:
    """A time in milliseconds is followed by what it comes from; a recorded number moves with it."""
    for document in library().lessons:
        source = document.path.read_text(encoding="utf-8")
        prose = re.sub(r"^```.*?^```$", "", source, flags=re.M | re.S)
        assert re.findall(r"\d\s+ms\b", prose) == [], document.path
    assert not Check("43", "", 1).agrees(pass_ms("float32", 1))
    assert not Check("2.9", "", 1).agrees(numbers_of("code").tau)
    assert not Check("6", "", 1).agrees(rejecting("code", 1))


def test_no_formula_is_left_in_what_is_shown() -> None:
    for document in DOCUMENTS:
        assert "<!--" not in repr(document.blocks)
