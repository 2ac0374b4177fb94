"""transformers' generate() under the audit: its variants pass, planted mistakes are found."""

from typing import Any

import pytest
import torch
import transformers.generation.utils as generation

from engines.audit.audit import Audit
from engines.audit.plan import Plan
from engines.audit.report import Report, Result
from engines.base import EngineUnavailable
from engines.transformers_engine import VARIANTS, TransformersEngine
from speculation import text
from speculation.drafts.lookup import LookupModel
from speculation.pairs.pair import Pair
from speculation.sampling import Sampling

EXACT = [name for name in VARIANTS if name != "ensemble"]


def audited(
    pair: Pair,
    engine: TransformersEngine,
    n: int = 16,
    sampling: Sampling | None = None,
    controls: int = 12,
) -> Report:
    prompt = tuple(text.encode(pair.tokenizer, "ab ab", "chat"))
    end = text.end_tokens(pair.tokenizer)
    few = {"k": 2, "length": 6, "seed": 5, "controls": controls, "greedy": 8, "repeats": 2}
    plan = Plan(prompt, sampling or Sampling(), end, n=n, **few)  # type: ignore[arg-type]
    *_, last = Audit(engine, plan, pair.target).states()
    return last.report


def result(report: Report, name: str) -> Result:
    return next(x for x in report.results if x.name == name)


@pytest.mark.parametrize("variant", EXACT)
def test_exact_variants_pass(tiny_pair: Pair, variant: str) -> None:
    report = audited(tiny_pair, TransformersEngine(tiny_pair, variant))
    assert report.exit_status == 0, report
    ran = {x.name for x in report.results if x.finding is not None}
    assert {
        "forbidden token",
        "distribution with a bias",
        "repetition penalty",
        "seeds",
        "greedy text",
    } <= ran
    assert report.about["release"]


def test_filters_are_applied_to_both_models(tiny_pair: Pair) -> None:
    filters = Sampling(0.8, top_k=12, top_p=0.95, min_p=0.01)
    report = audited(tiny_pair, TransformersEngine(tiny_pair), sampling=filters)
    assert report.exit_status == 0, report


def test_the_ensemble_is_found(tiny_pair: Pair) -> None:
    report = audited(tiny_pair, TransformersEngine(tiny_pair, "ensemble"), 2, controls=1)
    assert report.exit_status == 1
    assert result(report, "greedy text").flagged


def test_a_replacement_from_the_target_is_found(
    tiny_pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = generation._speculative_sampling

    def wrong(candidates: Any, q: Any, length: int, p: Any, **rest: Any) -> Any:
        tokens, n = right(candidates, q, length, p, **rest)
        tokens[:, -1] = torch.multinomial(p[:, int(n)].softmax(-1), 1)
        return tokens, n

    monkeypatch.setattr(generation, "_speculative_sampling", wrong)
    report = audited(tiny_pair, TransformersEngine(tiny_pair), 100, controls=1)
    assert report.exit_status == 1
    assert result(report, "toward the draft").flagged


@pytest.mark.parametrize(
    ("ignored", "check"),
    [("sequence_bias", "forbidden token"), ("repetition_penalty", "repetition penalty")],
)
def test_a_setting_that_is_ignored_is_found(tiny_pair: Pair, ignored: str, check: str) -> None:
    class Deaf(TransformersEngine):
        def _options(self, request: Any) -> dict[str, Any]:
            return {k: v for k, v in super()._options(request).items() if k != ignored}

    report = audited(tiny_pair, Deaf(tiny_pair, "sampling"), controls=40)
    assert result(report, check).flagged


def test_what_the_release_lacks_is_refused_with_the_reason(
    tiny_pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Old:
        """The configuration of a release without early exit."""

        prompt_lookup_num_tokens = None

    monkeypatch.setattr("transformers.GenerationConfig", Old)
    with pytest.raises(EngineUnavailable, match="has no assistant_early_exit"):
        TransformersEngine(tiny_pair, "early-exit")


def test_a_draft_without_weights_is_no_assistant(tiny_pair: Pair) -> None:
    size = tiny_pair.target.vocab_size
    pair = Pair(**{**vars(tiny_pair), "draft": LookupModel(size, 1024)})
    with pytest.raises(EngineUnavailable, match="no weights"):
        TransformersEngine(pair)
    assert TransformersEngine(pair, "lookup").capabilities.seeded


def test_it_leaves_the_models_and_torch_as_they_were(tiny_pair: Pair) -> None:
    module: Any = tiny_pair.target
    config = module.module.generation_config.to_dict()
    torch.manual_seed(7)
    state = torch.get_rng_state()
    engine = TransformersEngine(tiny_pair, "early-exit")
    prompt = tuple(text.encode(tiny_pair.tokenizer, "ab", "chat"))
    request = Plan(prompt, k=2, length=6, n=1).request
    list(engine.continuations(request, [0]))
    assert torch.equal(state, torch.get_rng_state())
    assert module.module.generation_config.to_dict() == config
    assert module.module.config.num_hidden_layers == 2
