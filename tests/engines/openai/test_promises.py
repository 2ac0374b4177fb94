"""What a real server may get wrong besides the rule: stop strings, reported numbers, unknown ids.

Each fault was met in an engine: see `checks/stops.py` and `checks/reported.py`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.__main__ import main
from engines.openai.answers import answers
from engines.own import Own
from helpers.http_server import Endpoint, serving
from speculation.pairs.pair import Pair

QUICK = (
    *("--tries", "2", "--k", "3", "--length", "8", "--prompt", "one", "--temperature", "1"),
    *("--n", "30"),
)


@pytest.fixture
def endpoint(tiny_pair: Pair) -> Iterator[Endpoint]:
    with serving(Endpoint({"exact": Own(tiny_pair)}, tiny_pair.tokenizer)) as endpoint:
        yield endpoint


def audit(endpoint: Endpoint, pair: Pair | None, file: Path, *more: str) -> dict[str, Any]:
    """Run the command -> its report, with the checks by name."""
    given = ["audit", "openai", "--base-url", endpoint.url, *QUICK, "--json", str(file), *more]
    main([*given, "--resume", str(file.with_suffix(".jsonl")), *([] if pair else NO_PAIR)], pair)
    report: dict[str, Any] = json.loads(file.read_text())
    report["checks"] = {check["name"]: check for check in report["checks"]}
    return report


NO_PAIR = ["--pair", "none"]


@pytest.mark.parametrize(
    ("stops", "wrong"),
    [("right", set()), ("leaks", {"stop strings"}), ("hides", {"stop against limit"})],
)
def test_stop_strings(
    endpoint: Endpoint, tiny_pair: Pair, tmp_path: Path, stops: str, wrong: set[str]
) -> None:
    """Leaking past the string is seen without knowing what should have come; hiding it behind the
    limit is seen where a seed tells what should have come."""
    endpoint.stops = stops
    report = audit(endpoint, tiny_pair, tmp_path / "r.json", "--can", "seed,stop")
    names = ("stop strings", "stop against limit")
    checks = [report["checks"][name] for name in names]
    assert all(check["finding"] for check in checks)
    found = {check["name"] for check in checks if check["flagged"]}
    assert wrong <= found
    assert found == wrong or stops == "leaks", "who leaks does so at the limit, too"
    assert all("ended" in check["words"] for check in checks)


def test_reported_probabilities_are_compared(
    endpoint: Endpoint, tiny_pair: Pair, tmp_path: Path
) -> None:
    endpoint.target = tiny_pair.target
    right = audit(endpoint, tiny_pair, tmp_path / "right.json", "--can", "")
    check = right["checks"]["reported probabilities"]
    assert check["finding"]
    assert not check["flagged"], check
    endpoint.zeros = True
    wrong = audit(endpoint, tiny_pair, tmp_path / "wrong.json", "--can", "")
    check = wrong["checks"]["reported probabilities"]
    assert check["flagged"]
    assert "have no top list" in check["words"]
    flagged = {name for name, x in wrong["checks"].items() if x["flagged"]}
    assert flagged == {"reported probabilities"}, "the texts themselves are right"


def test_drafts_are_read_from_the_answer(
    endpoint: Endpoint, tiny_pair: Pair, tmp_path: Path
) -> None:
    endpoint.drafts = (10, 4)
    report = audit(endpoint, tiny_pair, tmp_path / "r.json", "--can", "")
    assert report["checks"]["drafts, as counted"]["words"] == "Accepted/drafted 0.40 (120 of 300)."


def test_nothing_that_names_a_token_is_asked_where_ids_are_unknown(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    """Bytes stand for tokens then: sent as ids, they would forbid tokens of the server's own."""
    given = ("--tokens", "text", "--baseline-model", "exact", "--can", "bias,presence,end,stop")
    report = audit(endpoint, None, tmp_path / "r.json", *given)
    assert report["exit_status"] == 0, report["sentence"]
    assert "not known" in report["checks"]["forbidden token"]["why_not"]
    assert not any({"logit_bias", "stop_token_ids"} & set(body) for body in endpoint.asked)


@pytest.mark.parametrize(
    ("whole", "choice", "made", "kept"),
    [
        ({"timings": {"draft_n": 8, "draft_n_accepted": 5}}, {}, 8, 5),
        ({"metrics": {"speculative_decoding": {"num_draft_tokens": 8, "num_accepted_tokens": 5}}},
         {}, 8, 5),
        ({}, {"meta_info": {"spec_num_proposed_drafts": 8, "spec_num_correct_drafts": 5}}, 8, 5),
        ({"timings": {"draft_n": "8"}}, {}, None, None),
        ({"timings": None, "metrics": []}, {"meta_info": 3}, None, None),
    ],
)  # fmt: skip
def test_counts_wherever_a_server_puts_them(
    whole: dict[str, Any], choice: dict[str, Any], made: int | None, kept: int | None
) -> None:
    said = {"choices": [{"text": "ab", "finish_reason": "length", **choice}], **whole}
    told = answers(said, None, frozenset())[0].told
    assert (told.drafted, told.accepted) == (made, kept)
    twice = {**said, "choices": said["choices"] * 2}
    if not choice:  # what is said of two texts together is said of neither
        assert answers(twice, None, frozenset())[0].told.drafted is None


def test_both_forms_of_reported_probabilities_are_read() -> None:
    text = {"text": "ab", "finish_reason": "length", "token_ids": [97, 98]}
    llama = {"content": [
        {"id": 97, "logprob": -0.5, "top_logprobs": [{"id": 97, "logprob": -0.5}]},
        {"id": 98, "logprob": -1.5, "top_logprobs": []},
    ]}  # fmt: skip
    api = {
        "tokens": ["token_id:97", "token_id:98"],
        "token_logprobs": [-0.5, -1.5],
        "top_logprobs": [{"token_id:97": -0.5}, {"b": -1.5}],
    }
    for logprobs in (llama, api):
        said = {"choices": [{**text, "logprobs": logprobs}]}
        told = answers(said, None, frozenset())[0].told
        assert told.logprobs == (-0.5, -1.5)
        assert told.top == (((97, -0.5),), ())
    short = {"choices": [{**text, "logprobs": {"content": llama["content"][1:]}}]}
    assert answers(short, None, frozenset())[0].told.logprobs == (), "they belong to other tokens"


def test_a_number_that_is_none_is_left_out() -> None:
    text = {"text": "a", "finish_reason": "length", "token_ids": [97]}
    for bad in (None, "x", True, {}):
        said = {"choices": [{**text, "logprobs": {"content": [{"id": 97, "logprob": bad}]}}]}
        assert answers(said, None, frozenset())[0].told.logprobs == ()
