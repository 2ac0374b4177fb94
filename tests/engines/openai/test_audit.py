"""Audits over real HTTP: the exact endpoint passes, the sabotaged one does not, nothing is lost."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engines.__main__ import main
from engines.audit.checks.two_samples import (
    LEAST,
    baseline_lengths,
    baseline_places,
    pooled,
    shuffled,
)
from engines.base import Continuation, Engine, SampleRequest
from engines.own import Own
from helpers.http_server import Endpoint, serving, status
from speculation.pairs.pair import Pair

QUICK = [
    *("--tries", "2", "--k", "3", "--length", "8", "--prompt", "one", "--temperature", "1"),
    *("--can", ""),
]
BROKEN = "accept-everything"


@pytest.fixture(scope="module")
def running(tiny_pair: Pair) -> Iterator[Endpoint]:
    engines = {name: Own(tiny_pair, name) for name in ("exact", BROKEN)}
    with serving(Endpoint(dict(engines), tiny_pair.tokenizer)) as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(running: Endpoint) -> Endpoint:
    running.shows = "token_ids"
    running.faults.clear()
    running.asked.clear()
    return running


def audit(pair: Pair | None, folder: Path, url: str, *more: str) -> tuple[int, dict]:
    """Run the command -> exit status and report."""
    file = folder / "report.json"
    arguments = ["audit", "openai", "--base-url", url, *QUICK, "--json", str(file), *more]
    if "--resume" not in more:
        arguments += ["--resume", str(folder / "samples.jsonl")]
    code = main([*arguments, *([] if pair else ["--pair", "none"])], pair)
    return code, json.loads(file.read_text())


def test_an_exact_endpoint_passes(endpoint: Endpoint, tiny_pair: Pair, tmp_path: Path) -> None:
    code, report = audit(tiny_pair, tmp_path, endpoint.url, "--model", "exact", "--n", "100")
    assert code == 0, report["sentence"]
    assert report["verdict"] == "exact"
    ran = {check["name"] for check in report["checks"] if check["finding"]}
    assert {"first tokens", "surprise", "greedy text", "end of text"} <= ran
    assert report["about"]["address"] == endpoint.url


def test_the_bug_behind_http_is_found(endpoint: Endpoint, tiny_pair: Pair, tmp_path: Path) -> None:
    code, report = audit(tiny_pair, tmp_path, endpoint.url, "--model", BROKEN, "--n", "100")
    assert code == 1, report["sentence"]


def test_a_bias_that_the_server_ignores_is_found(
    endpoint: Endpoint, tiny_pair: Pair, tmp_path: Path
) -> None:
    given = ("--model", "exact", "--n", "40", "--can", "bias")
    code, report = audit(tiny_pair, tmp_path, endpoint.url, *given)
    assert code == 1
    assert "forbidden token" in [x["name"] for x in report["checks"] if x["flagged"]]


class Letters(Engine):
    """Draws letters independently, without any model."""

    name = "letters"

    def __init__(self, weights: dict[str, float]) -> None:
        self.weights = weights

    def continuations(
        self, request: SampleRequest, numbers: Iterable[int]
    ) -> Iterator[Continuation]:
        letters, law = [ord(x) for x in self.weights], [*self.weights.values()]
        for number in numbers:
            rng = np.random.default_rng(request.seed_of(number))
            drawn = rng.choice(letters, request.length, p=law).tolist()
            yield Continuation(number, tuple(drawn), "length")


class Alphabet:
    """A tokenizer for the server: a token is its character's number."""

    all_special_ids: tuple[int, ...] = ()
    added_tokens_decoder: tuple[int, ...] = ()
    unk_token_id = None

    def __call__(self, text: str, add_special_tokens: bool = True) -> dict[str, list[int]]:
        return {"input_ids": [ord(x) for x in text]}

    def convert_ids_to_tokens(self, token: int) -> str:
        return chr(token)

    def convert_tokens_to_ids(self, name: str) -> None:
        return None


def test_two_endpoints_without_the_target(tmp_path: Path) -> None:
    engines = {
        "plain": Letters({"a": 0.6, "b": 0.3, "c": 0.1}),
        "exact": Letters({"a": 0.6, "b": 0.3, "c": 0.1}),
        "biased": Letters({"a": 0.45, "b": 0.35, "c": 0.2}),
    }
    with (
        serving(Endpoint(dict(engines), Alphabet())) as one,
        serving(Endpoint({"plain": engines["plain"]}, Alphabet())) as two,
    ):
        codes = {}
        for name in ("exact", "biased"):
            folder = tmp_path / name
            folder.mkdir()
            given = ("--model", name, "--baseline-url", two.url, "--n", "100")
            codes[name], report = audit(None, folder, one.url, *given)
    assert codes == {"exact": 0, "biased": 1}
    ran = {check["name"]: check for check in report["checks"] if check["finding"]}
    assert {"baseline", "baseline places"} <= set(ran)
    assert ran["baseline places"]["flagged"]


def test_another_model_at_the_same_address_is_a_baseline(tmp_path: Path) -> None:
    letters = Letters({"a": 0.6, "b": 0.4})
    with serving(Endpoint({"fast": letters, "slow": letters}, Alphabet())) as endpoint:
        given = ("--model", "fast", "--baseline-model", "slow", "--n", "20", "--tokens", "ids")
        code, report = audit(None, tmp_path, endpoint.url, *given)
        assert {body["model"] for body in endpoint.asked} == {"fast", "slow"}
    assert code == 0, report["sentence"]


def test_without_ids_and_without_a_baseline_it_cannot_run(
    endpoint: Endpoint, tiny_pair: Pair, tmp_path: Path
) -> None:
    endpoint.shows = "nothing"
    code, report = audit(tiny_pair, tmp_path, endpoint.url, "--model", "exact", "--n", "20")
    assert code == 2
    assert "no token ids" in report["sentence"]


def test_an_audit_goes_on_where_a_crash_left_it(
    endpoint: Endpoint, tiny_pair: Pair, tmp_path: Path
) -> None:
    endpoint.faults += [lambda: None] * 30 + [status(503)] * 60
    given = ("--model", "exact", "--n", "60", "--parallel", "1")
    code, report = audit(tiny_pair, tmp_path, endpoint.url, *given)
    assert code == 2 or "503" in report["sentence"]
    assert "503" in report["sentence"]
    samples = tmp_path / "samples.jsonl"
    assert len(samples.read_text().splitlines()) == 31, "the head and thirty texts"
    endpoint.faults.clear()
    endpoint.asked.clear()
    code, report = audit(tiny_pair, tmp_path, endpoint.url, *given)
    assert code == 0, report["sentence"]
    main_part = [body for body in endpoint.asked if body["temperature"] > 0]
    assert len(main_part) < 60 + 40, "thirty of them were there already"
    assert len(samples.read_text().splitlines()) > 61


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "nonsense"])
def test_an_address_without_a_server_ends_with_2(tiny_pair: Pair, tmp_path: Path, url: str) -> None:
    code, report = audit(tiny_pair, tmp_path, url, "--model", "m")
    assert code == 2
    assert "address" in report["sentence"] or "running" in report["sentence"]


def test_the_shipped_pair_behind_http(real_pair: Pair, tmp_path: Path) -> None:
    """Short: enough to see that the real tokenizer's ids go there and back."""
    with serving(Endpoint({"exact": Own(real_pair)}, real_pair.tokenizer)) as endpoint:
        given = ("--model", "exact", "--n", "10", "--k", "2", "--length", "6")
        code, report = audit(real_pair, tmp_path, endpoint.url, *given)
    assert code == 0, report["sentence"]


# The two-sample tests


def test_two_samples_of_one_law_are_told_apart_by_chance_only() -> None:
    rng = np.random.default_rng(3)
    law = [0.5, 0.3, 0.15, 0.05]
    p_values = [shuffled("x", _columns(rng, law, law), 100, rng).p_value for _ in range(40)]
    assert np.mean(np.array(p_values) < 0.05) < 0.15
    assert 0.35 < np.mean(p_values) < 0.65
    found = shuffled("x", _columns(rng, law, [0.2, 0.3, 0.2, 0.3]), 100, rng)
    assert found.p_value < 0.01
    assert found.low <= found.effect <= found.high
    assert found.low > 0.05


def _columns(rng: np.random.Generator, one: list[float], two: list[float]) -> np.ndarray:
    places = [
        pooled([*rng.choice(4, 100, p=one).tolist(), *rng.choice(4, 100, p=two).tolist()])
        for _ in range(5)
    ]
    return np.array(places)


def test_lengths_are_compared_where_texts_end() -> None:
    from engines.audit.evidence import Evidence
    from engines.audit.plan import Plan, other_parts
    from engines.base import Capabilities, Continuation

    plan = Plan((1,), k=2, length=8, n=LEAST)
    evidence = Evidence(plan, Capabilities(), law_at_hand=False)
    assert "no second engine" in baseline_lengths(evidence).why_not
    [part] = [x for x in other_parts(plan, Capabilities(), [], True) if x.name == "baseline"]
    evidence.parts["baseline"] = part

    def texts(lengths: list[int]) -> dict[int, Continuation]:
        return {i: Continuation(i, (1,) * n, "end") for i, n in enumerate(lengths)}

    evidence.samples = {"main": texts([3, 6] * 30), "baseline": texts([3, 6] * 30)}
    assert baseline_lengths(evidence).finding.p_value > 0.2  # type: ignore[union-attr]
    evidence.samples["baseline"] = texts([5, 7] * 30)
    assert baseline_lengths(evidence).finding.p_value < 0.01  # type: ignore[union-attr]
    assert baseline_places(evidence).finding is not None
    evidence.samples["main"] = texts([3])
    assert "20 continuations" in baseline_places(evidence).why_not
