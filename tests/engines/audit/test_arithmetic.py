"""An engine whose arithmetic is another: no false alarm, and what cannot be told apart is said."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from engines.audit.arithmetic import STATED, UNKNOWN, clear_of, reported
from engines.audit.checks import promises
from engines.audit.evidence import Evidence
from engines.audit.greedy_text import GreedyText
from engines.audit.plan import main_part
from engines.audit.report import judge, within
from engines.audit.scoring import ScoredText, score_texts
from engines.audit.target_law import TargetLaw
from engines.base import Capabilities, Continuation, Told
from helpers.made_audits import plan_for
from helpers.tiny_models import byte_tokenizer, tiny_llama
from speculation.dice import draw
from speculation.exactness.finding import Finding
from speculation.models.language_model import TransformersModel
from speculation.pairs.catalog import PairSpec
from speculation.pairs.pair import Pair, arithmetic
from speculation.rule import Law
from speculation.sampling import softmax

FOREIGN = Capabilities(own_arithmetic=False)
AUDITS = 12
TEXTS = 40


def noisy_law(target: TransformersModel, text: tuple[int, ...], by: float) -> Law:
    """The target's law after a text, each logit moved by noise that belongs to the text."""
    logits = target.start().extend(text)[-1].astype(np.float64)
    noise = np.random.default_rng([7, *text]).normal(size=len(logits)) * by
    return softmax(logits + noise)


@pytest.mark.parametrize("by", [0.001, 0.01, 0.1])
def test_noise_in_the_logits_raises_no_alarm(tiny_pair: Pair, by: float) -> None:
    """Seeded audits of an exact engine with noise of that size in its logits, which reports its own
    probabilities: at most the stated 5% are flagged, and the report says what noise hides."""
    plan = plan_for(tiny_pair, n=TEXTS, length=6)
    laws: dict[tuple[int, ...], Law] = {}
    rng = np.random.default_rng(5)

    def law_after(text: tuple[int, ...]) -> Law:
        if text not in laws:
            laws[text] = noisy_law(tiny_pair.target, plan.prompt + text, by)  # type: ignore[arg-type]
        return laws[text]

    def text_of(number: int) -> Continuation:
        tokens: tuple[int, ...] = ()
        said: list[float] = []
        while len(tokens) < plan.length and not (tokens and tokens[-1] in plan.end):
            law = law_after(tokens)
            token = draw(law, float(rng.random()))
            said.append(float(np.log(law[token])))
            tokens += (token,)
        finish = "end" if tokens[-1] in plan.end else "length"
        return Continuation(number, tokens, finish, told=Told(logprobs=tuple(said)))  # type: ignore[arg-type]

    target = TargetLaw(tiny_pair.target, plan.prompt)
    alarms = 0
    for audit in range(AUDITS):
        texts = [text_of(number) for number in range(TEXTS)]
        this = replace(plan, seed=audit)
        found = Evidence(this, FOREIGN, True, {"main": main_part(this)})
        found.samples["main"] = {text.number: text for text in texts}
        scored = score_texts(target, this.request, texts)
        found.scored["main"] = {x.number: x for x in scored}
        report = judge(found, {})
        alarms += report.verdict == "deviation"
        said = report.about["engine's arithmetic"]
    assert 0.5 * by < found.arithmetic.spread < 8.0 * by
    assert "cannot be told from a tie" in said
    assert alarms <= 2, "of twelve audits that are 5% each, three or more come once in fifty"


def test_a_greedy_gap_is_a_tie_as_far_as_the_arithmetic_reaches() -> None:
    """Met on a 4-bit server without speculation: one token .00057 below the first choice."""
    gap = GreedyText((5, 6), (0.0, 0.00057), moved=3.45e-5)
    assert gap.unexplained == [1], "by this project's own arithmetic it is none"
    for precision in ("float32", "bfloat16", "q4"):
        assert replace(gap, spread=STATED[precision].spread).unexplained == []
    assert replace(gap, twin=(5, 6)).unexplained == [], "the plain engine does the same"
    assert replace(gap, twin=(4, 6)).unexplained == [1], "after other words that says nothing"
    bug = GreedyText((5, 6), (0.0, 4.2), moved=1e-5, spread=STATED["q4"].spread)
    assert bug.unexplained == [1]


def test_the_greedy_check_says_what_it_cannot_tell(tiny_pair: Pair) -> None:
    evidence = Evidence(plan_for(tiny_pair), FOREIGN, True)
    evidence.greedy = GreedyText((5,), (0.3,), moved=1e-5)
    check = promises.greedy(evidence)
    assert check.finding is not None
    assert check.finding.effect == 0.0
    assert f"A tie cannot be told from a bug below {2 * UNKNOWN.spread:.2g}" in check.words
    stated = promises.greedy(replace_precision(evidence, "float32"))
    assert stated.finding is not None
    assert stated.finding.effect == 1.0


def replace_precision(evidence: Evidence, precision: str) -> Evidence:
    evidence.precision = precision
    return evidence


def test_a_fault_in_two_thirds_of_the_tokens_does_not_hide_itself() -> None:
    rng = np.random.default_rng(0)
    right = rng.normal(size=200) * 0.05
    faults = rng.exponential(size=400) + 1.0
    assert clear_of(np.concatenate([right, faults])) < 4.0
    found = reported(np.concatenate([right, np.full(40, 9.0)]))
    assert found is not None
    assert found.spread < 0.3


@pytest.mark.parametrize(
    ("low", "high", "unit", "excused"),
    [(0.01, 0.2, "total variation, at most", True), (0.05, 0.2, "total variation, at most", False),
     (0.01, 0.2, "nats", True), (-0.2, -0.1, "nats", False), (0.01, 0.2, "correlation", False)],
)  # fmt: skip
def test_what_the_arithmetic_explains_is_not_claimed(
    low: float, high: float, unit: str, excused: bool
) -> None:
    finding = Finding("x", 1.0, 0.0, (low + high) / 2, low, high, unit, 100, 0.1)
    assert within(finding, 0.02) is excused
    assert not within(finding, 0.0), "the target's own arithmetic explains nothing"


@pytest.mark.parametrize(("rows", "draft_rows"), [(259, 280), (280, 259), (259, 259)])
def test_a_vocabulary_padded_on_either_side_is_scored(rows: int, draft_rows: int) -> None:
    """The draft's output may have more rows than the target's, or fewer (Qwen pads like that)."""
    target = TransformersModel(tiny_llama(1, rows), "target", "t")
    draft = TransformersModel(tiny_llama(2, draft_rows), "draft", "d")
    plan = plan_for(make_pair_like(target, draft), n=4)
    texts = [Continuation(i, (1 + i, 2, 3), "length") for i in range(4)]
    found = score_texts(TargetLaw(target, plan.prompt), plan.request, texts, draft)
    for text, scored in zip(texts, found, strict=True):
        read = [*plan.prompt, *text.tokens[:-1]]
        p = softmax(target.start().extend(read, 3).astype(np.float64))
        q = softmax(draft.start().extend(read, 3).astype(np.float64))
        shared = min(rows, draft_rows)
        by_hand = np.minimum(p[:, :shared], q[:, :shared]).sum(axis=1)
        assert scored.overlaps == pytest.approx(by_hand, abs=1e-6)
        assert isinstance(scored, ScoredText)


def test_a_token_that_the_target_lacks_is_forbidden() -> None:
    target = TransformersModel(tiny_llama(1, 259), "target", "t")
    plan = plan_for(make_pair_like(target, target), n=1)
    [scored] = score_texts(
        TargetLaw(target, plan.prompt), plan.request, [Continuation(0, (1, 270, 2), "length")]
    )
    assert np.isinf(scored.surprise).tolist() == [False, True, False]


def make_pair_like(target: TransformersModel, draft: TransformersModel) -> Pair:
    spec = PairSpec("padded", "padded", "", "none", 0.0)
    parts = arithmetic(target, draft, "float32", torch.device("cpu"))
    return Pair(spec, target, draft, byte_tokenizer(), parts)
