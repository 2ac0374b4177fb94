"""The engine behind HTTP: what it asks, what it understands, and what it survives."""

from collections.abc import Iterator
from typing import Any

import pytest

from engines.base import Continuation, EngineUnavailable, SampleRequest
from engines.openai import client as client_module
from engines.openai.answers import BadAnswer, answers
from engines.openai.client import KEY_VARIABLE, Client, Patience
from engines.openai.engine import OpenAI
from engines.own import Own
from helpers.http_server import Endpoint, half, hangs, redirects, says, serving, status
from speculation.pairs.pair import Pair
from speculation.sampling import Sampling
from speculation.text import end_tokens

QUICK = Patience(timeout=20.0, tries=3, backoff=0.001)


@pytest.fixture(scope="module")
def running(tiny_pair: Pair) -> Iterator[Endpoint]:
    with serving(Endpoint({"tiny": Own(tiny_pair)}, tiny_pair.tokenizer)) as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(running: Endpoint) -> Endpoint:
    """The server, as new."""
    running.shows, running.strict = "token_ids", False
    running.busy = running.busiest = 0
    for kept in (running.faults, running.asked, running.headers):
        kept.clear()
    return running


def request(pair: Pair, **changes: Any) -> SampleRequest:
    options = {"prompt": (80, 81), "sampling": Sampling(), "length": 8, "seed": 5} | changes
    return SampleRequest(end=end_tokens(pair.tokenizer), k=3, **options)


def engine(endpoint: Endpoint, pair: Pair | None, **changes: Any) -> OpenAI:
    options = {"patience": QUICK} | changes
    tokenizer = None if pair is None else pair.tokenizer
    return OpenAI(endpoint.url, "tiny", tokenizer, **options)


def texts(asked: OpenAI, wanted: SampleRequest, count: int) -> list[Continuation]:
    return sorted(asked.continuations(wanted, range(count)), key=lambda text: text.number)


# What is asked, and what comes of it


@pytest.mark.parametrize("shows", ["token_ids", "logprobs", "llama"])
def test_texts_come_back_token_by_token(endpoint: Endpoint, tiny_pair: Pair, shows: str) -> None:
    endpoint.shows = shows
    found = texts(engine(endpoint, tiny_pair, can="seed"), request(tiny_pair), 6)
    same = [*Own(tiny_pair).continuations(request(tiny_pair), range(6))]
    assert [x.tokens for x in found] == [x.tokens for x in same]
    assert [x.finish for x in found] == [x.finish for x in same]
    assert [body["seed"] for body in endpoint.asked[:1]] == [5]
    assert endpoint.asked[0]["prompt"] == [80, 81]
    assert endpoint.asked[0]["top_k"] == -1, "llama.cpp would cut at 40 unasked"


def test_requests_run_in_parallel_up_to_the_bound(endpoint: Endpoint, tiny_pair: Pair) -> None:
    endpoint.faults += [hangs(0.05)] * 13
    patience = Patience(timeout=20.0, parallel=3)
    found = texts(engine(endpoint, tiny_pair, patience=patience), request(tiny_pair), 13)
    assert [x.number for x in found] == list(range(13))
    assert endpoint.busiest == 3


def test_several_texts_in_one_request(endpoint: Endpoint, tiny_pair: Pair) -> None:
    found = texts(engine(endpoint, tiny_pair, batch=5), request(tiny_pair, seed=None), 12)
    assert [x.number for x in found] == list(range(12))
    assert sorted(body["n"] for body in endpoint.asked) == [2, 5, 5]
    assert "seed" not in endpoint.asked[0]


def test_a_server_that_knows_the_api_only(endpoint: Endpoint, tiny_pair: Pair) -> None:
    endpoint.strict, endpoint.shows = True, "logprobs"
    strict = engine(endpoint, tiny_pair)
    assert len(texts(strict, request(tiny_pair), 5)) == 5
    refused = [body for body in endpoint.asked if "top_k" in body]
    assert len(refused) == 2, "asked that way once with ids and once with text, then never again"
    with pytest.raises(EngineUnavailable, match="top_k"):
        texts(engine(endpoint, tiny_pair), request(tiny_pair, sampling=Sampling(top_k=5)), 1)


def test_without_ids_the_tokens_are_a_guess(endpoint: Endpoint, tiny_pair: Pair) -> None:
    endpoint.shows = "nothing"
    with pytest.raises(EngineUnavailable, match="no token ids"):
        texts(engine(endpoint, tiny_pair), request(tiny_pair), 3)
    by_text = engine(endpoint, tiny_pair, tokens="text")
    assert len(texts(by_text, request(tiny_pair), 3)) == 3
    assert by_text.about["tokens"] == "split from the text"


def test_without_the_target_bytes_stand_for_tokens(endpoint: Endpoint, tiny_pair: Pair) -> None:
    asked = request(tiny_pair, prompt=tuple(b"ab"))
    found = texts(engine(endpoint, None), asked, 2)
    assert endpoint.asked[0]["prompt"] == "ab"
    assert all(set(x.tokens) <= set(range(257)) for x in found)


def test_the_only_model_is_found(endpoint: Endpoint, tiny_pair: Pair) -> None:
    assert OpenAI(endpoint.url, tokenizer=tiny_pair.tokenizer, patience=QUICK).model == "tiny"
    with pytest.raises(EngineUnavailable, match="there is no model huge"):
        texts(OpenAI(endpoint.url, "huge", patience=QUICK), request(tiny_pair), 1)
    endpoint.engines["other"] = endpoint.engines["tiny"]
    try:
        with pytest.raises(EngineUnavailable, match="lists tiny, other"):
            OpenAI(endpoint.url, patience=QUICK)
    finally:
        del endpoint.engines["other"]


# What goes wrong


@pytest.mark.parametrize(
    "fault",
    [
        status(500),
        status(429, Retry_After="0"),
        says("{"),
        says("[]"),
        lambda: half(),
        says('{"choices": []}'),
    ],
    ids=["500", "429", "half JSON", "a list", "half an answer", "fewer texts"],
)
def test_what_passes_is_tried_again(endpoint: Endpoint, tiny_pair: Pair, fault: Any) -> None:
    endpoint.faults += [fault]
    found = texts(engine(endpoint, tiny_pair), request(tiny_pair), 3)
    assert [x.number for x in found] == [0, 1, 2]
    assert len(endpoint.asked) == 4


@pytest.mark.parametrize(
    ("fault", "said", "tries"),
    [
        (status(500, "disk full"), r"answered 500: disk full \(3 tries\)", 3),
        (status(400, "bad prompt"), "answered 400: bad prompt", 4),
        (status(401), f"wants a key: set {KEY_VARIABLE}", 1),
        (says("<html>"), "no JSON: <html>", 3),
        (says('{"error": "overloaded"}'), "says: overloaded", 1),
        (says('{"choices": [{"index": 0}]}'), "has no text", 1),
        (says('{"choices": [{"text": "a", "finish_reason": "content_filter"}]}'), "reason", 1),
        (says('{"choices": []}'), "fewer texts than it is asked for: 0 of 1", 3),
        (lambda: half(), "broke off in the middle", 3),
        (redirects("http://elsewhere.example/v1"), "another host, elsewhere.example", 1),
        (redirects("/v2"), "redirects to /v2", 1),
        (hangs(0.5), "no whole answer within 0.2 s", 3),
    ],
)
def test_what_does_not_pass_is_said(
    endpoint: Endpoint, tiny_pair: Pair, fault: Any, said: str, tries: int
) -> None:
    endpoint.faults += [fault] * 9
    patience = Patience(timeout=0.2 if "within" in said else 20.0, tries=3, backoff=0.001)
    with pytest.raises(EngineUnavailable, match=said):
        texts(engine(endpoint, tiny_pair, patience=patience), request(tiny_pair), 1)
    assert len(endpoint.asked) == tries


def test_nobody_there(tiny_pair: Pair) -> None:
    nobody = OpenAI("http://127.0.0.1:9", "m", tiny_pair.tokenizer, patience=QUICK)
    with pytest.raises(EngineUnavailable, match="is the server running"):
        texts(nobody, request(tiny_pair), 1)


def test_what_came_before_a_failure_is_kept(endpoint: Endpoint, tiny_pair: Pair) -> None:
    endpoint.faults += [lambda: None] * 6 + [status(404, "gone")] * 30
    found: list[Continuation] = []
    with pytest.raises(EngineUnavailable, match="404: gone"):
        found.extend(engine(endpoint, tiny_pair).continuations(request(tiny_pair), range(20)))
    assert len(found) == 6


def test_an_iterator_that_is_closed_asks_no_more(endpoint: Endpoint, tiny_pair: Pair) -> None:
    coming = engine(endpoint, tiny_pair).continuations(request(tiny_pair), range(1_000))
    next(coming), next(coming)
    coming.close()  # type: ignore[attr-defined]
    assert len(endpoint.asked) < 12


def test_the_rate_limit_holds(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    client = Client(endpoint.url, Patience(rate=4.0))
    monkeypatch.setattr(client, "_sleep", lambda seconds, doing: waited.append(seconds))
    monkeypatch.setattr(client_module.time, "monotonic", lambda: 100.0)
    for _ in range(4):
        client._wait_for_turn()
    assert waited == pytest.approx([0.0, 0.25, 0.5, 0.75])


def test_pauses_grow_and_obey_the_server(endpoint: Endpoint) -> None:
    client = Client(endpoint.url, Patience(backoff=1.0))
    most = client_module.LONGEST_WAIT
    for attempt, longest in ((1, 1.0), (2, 2.0), (4, 8.0), (20, most), (2_000, most)):
        assert longest / 2 <= client._pause(attempt, None) <= longest
    assert 7.5 <= client._pause(1, 7.0) <= 8.0
    assert client._pause(1, 1e9) <= client_module.LONGEST_WAIT + 1.0


def test_the_key_is_sent_and_told_to_nobody(
    endpoint: Endpoint, tiny_pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk-hidden")
    endpoint.faults += [status(400, "your key sk-hidden is fine")] * 9
    asked = engine(endpoint, tiny_pair)
    with pytest.raises(EngineUnavailable) as raised:
        texts(asked, request(tiny_pair), 1)
    assert endpoint.headers[0]["authorization"] == "Bearer sk-hidden"
    assert "sk-hidden" not in str(raised.value)
    assert "[key]" in str(raised.value)
    assert "sk-hidden" not in str(dict(asked.about))


@pytest.mark.parametrize(
    "address",
    ["", "localhost:8000", "ftp://a/v1", "http://me:pw@a/v1", "http://a/v1?x=1", "http://"],
)
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(EngineUnavailable, match="address") as raised:
        Client(address)
    assert "pw" not in str(raised.value)


def test_a_huge_answer_is_cut_off(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MOST_BYTES", 1_000)
    endpoint.faults += [says(" " * 5_000)]
    with pytest.raises(EngineUnavailable, match="MB in one answer"):
        Client(endpoint.url, QUICK).post("/completions", {"model": "tiny"})


# What an answer says


def test_ids_that_do_not_spell_the_text_are_not_believed(tiny_pair: Pair) -> None:
    """As with a server that leaves drafted tokens out of its logprobs."""
    tokenizer = tiny_pair.tokenizer
    ids = tokenizer("hello", add_special_tokens=False)["input_ids"]
    for kept, source in ((ids, "ids"), (ids[:-1], "text")):
        choice = {
            "text": "hello",
            "finish_reason": "length",
            "logprobs": {"content": [{"id": x} for x in kept]},
        }
        [found] = answers({"choices": [choice]}, tokenizer, frozenset())
        assert (found.source, list(found.tokens)) == (source, ids)


def test_token_texts_give_ids_where_they_can(tiny_pair: Pair) -> None:
    choice = {"text": "hi", "finish_reason": "length", "logprobs": {"tokens": ["h", "i"]}}
    [found] = answers({"choices": [choice]}, tiny_pair.tokenizer, frozenset())
    assert found.source == "ids"
    choice["logprobs"] = {"tokens": ["h", "\N{REPLACEMENT CHARACTER}"]}
    [found] = answers({"choices": [choice]}, tiny_pair.tokenizer, frozenset())
    assert found.source == "text"


def test_an_end_that_is_not_shown_is_added(tiny_pair: Pair) -> None:
    end = end_tokens(tiny_pair.tokenizer)
    choice = {"text": "hi", "finish_reason": "stop", "token_ids": [71, 72]}
    [found] = answers({"choices": [choice]}, tiny_pair.tokenizer, end)
    assert found.tokens == (71, 72, tiny_pair.tokenizer.eos_token_id)
    [found] = answers({"choices": [choice | {"stop_reason": 258}]}, tiny_pair.tokenizer, end)
    assert found.tokens[-1] == 258
    verbose = {"choices": [choice | {"token_ids": None}], "__verbose": {"tokens": [71, 72, 257]}}
    del verbose["choices"][0]["token_ids"]
    [found] = answers(verbose, tiny_pair.tokenizer, end)
    assert (found.source, found.tokens) == ("ids", (71, 72, 257))
    with pytest.raises(BadAnswer):
        answers({"choices": [choice | {"finish_reason": None}]}, tiny_pair.tokenizer, end)
