"""A real HTTP server with the OpenAI API for completions, in front of any engine, with faults."""

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import uvicorn
from scipy.special import log_softmax
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from engines.base import Continuation, Engine, SampleRequest
from helpers.patience import patience, until
from helpers.ports import free_port
from speculation.models.language_model import LanguageModel
from speculation.sampling import Sampling
from speculation.text import join, pieces

Fault = Callable[[], Response | None]
"""What to answer instead; None: answer as usual."""


@dataclass
class Endpoint:
    """The server's side: engines by model, what was asked, and faults for the next requests.

    shows   how ids are told: "token_ids", "logprobs" (vLLM's names), "llama" or "nothing"
    strict  refuse fields beyond the API
    stops   what it makes of stop strings: "right"; "leaks" goes on to the end of the block, "hides"
            calls a text cut by its limit where the string came just before that
    target  whose log-probabilities are told; None tells none
    zeros   tell 0.0 and an empty top list for every second token, as if it had been drafted
    drafts  drafts made and kept, told with every text; None tells none
    """

    engines: dict[str, Engine]
    tokenizer: Any
    shows: str = "token_ids"
    strict: bool = False
    stops: str = "right"
    target: LanguageModel | None = None
    zeros: bool = False
    drafts: tuple[int, int] | None = None
    faults: list[Fault] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""
    busy: int = 0
    busiest: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1_000))

    def models(self, _: Request) -> Response:
        return JSONResponse({"data": [{"id": name} for name in self.engines]})

    def completions(self, request: Request, body: dict[str, Any]) -> Response:
        with self.lock:
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
            self.asked.append(body)
            self.headers.append(dict(request.headers))
            fault = self.faults.pop(0) if self.faults else None
        try:
            instead = fault() if fault else None
            return instead or self._answer(body)
        finally:
            with self.lock:
                self.busy -= 1

    def _answer(self, body: dict[str, Any]) -> Response:
        if self.strict and {"top_k", "return_token_ids"} & set(body):
            return JSONResponse({"error": "unknown field top_k"}, 400)
        if body["model"] not in self.engines:
            return JSONResponse({"error": f"there is no model {body['model']}"}, 404)
        prompt = body["prompt"]
        if isinstance(prompt, str):
            prompt = self.tokenizer(prompt, add_special_tokens=False)["input_ids"]
        with self.lock:  # one model, one text at a time
            seed = body.get("seed") or next(self.numbers)
            asked = SampleRequest(
                tuple(prompt),
                Sampling(body["temperature"], max(0, body.get("top_k", 0)), body["top_p"]),
                body["max_tokens"],
                frozenset(body.get("stop_token_ids", [])),
                k=3,
                seed=seed,
            )
            texts = self.engines[body["model"]].continuations(asked, range(body["n"]))
            cuts = [self._stopped(text, body) for text in texts]
            choices = [self._choice(i, prompt, *cut) for i, cut in enumerate(cuts)]
        whole: dict[str, Any] = {"choices": choices}
        whole["usage"] = {"completion_tokens": sum(len(tokens) for tokens, *_ in cuts)}
        if self.drafts is not None:
            whole["timings"] = dict(zip(("draft_n", "draft_n_accepted"), self.drafts, strict=True))
        return JSONResponse(whole)

    def _stopped(
        self, text: Continuation, body: dict[str, Any]
    ) -> tuple[tuple[int, ...], str, str]:
        """Tokens, text and reason, after the stop string if one was asked for and came."""
        known = pieces(self.tokenizer, text.tokens)
        spelled = [join(known[x] for x in text.tokens[: i + 1]) for i in range(len(text.tokens))]
        whole = spelled[-1] if spelled else ""
        stop = (body.get("stop") or [""])[0]
        place = whole.find(stop) if stop else -1
        if place < 0:
            return text.tokens, whole, text.finish
        needed = next(i + 1 for i, x in enumerate(spelled) if len(x) >= place + len(stop))
        if self.stops == "leaks":
            return text.tokens[: needed + 1], spelled[min(needed, len(spelled) - 1)], "end"
        if self.stops == "hides" and needed >= body["max_tokens"] - 1:
            return text.tokens[:needed], whole[:place], "length"
        return text.tokens[:needed], whole[:place], "end"

    def _logprobs(self, prompt: list[int], tokens: tuple[int, ...]) -> list[dict[str, Any]]:
        assert self.target is not None
        read = [*prompt, *tokens[:-1]]
        rows = log_softmax(self.target.start().extend(read, len(tokens)).astype(float), axis=1)
        found = []
        for i, (token, row) in enumerate(zip(tokens, rows, strict=True)):
            likely = [int(x) for x in np.argsort(-row)[:3]]
            drafted = self.zeros and i % 2 == 0
            top = [] if drafted else [{"id": x, "logprob": float(row[x])} for x in likely]
            value = 0.0 if drafted else float(row[token])
            found.append({"id": token, "logprob": value, "top_logprobs": top})
        return found

    def _choice(
        self, index: int, prompt: list[int], tokens: tuple[int, ...], text: str, finish: str
    ) -> dict[str, Any]:
        known = pieces(self.tokenizer, tokens)
        choice: dict[str, Any] = {
            "index": index,
            "text": text,
            "finish_reason": "stop" if finish == "end" else "length",
            "logprobs": None,
        }
        if self.shows == "token_ids":
            choice["token_ids"] = list(tokens)
        elif self.shows == "logprobs":
            choice["logprobs"] = {"tokens": [f"token_id:{x}" for x in tokens]}
        elif self.shows == "llama":
            choice["logprobs"] = {"content": [{"id": x, "token": str(known[x])} for x in tokens]}
        if self.target is not None and tokens:
            choice["logprobs"] = {"content": self._logprobs(prompt, tokens)}
        return choice


@contextmanager
def serving(endpoint: Endpoint, port: int = 0) -> Iterator[Endpoint]:
    """Serve it on this port, or a free one; its `url` says where."""

    def completions(request: Request) -> Response:
        import anyio.from_thread

        return endpoint.completions(request, json.loads(anyio.from_thread.run(request.body)))

    app = Starlette(
        routes=[
            Route("/v1/models", endpoint.models),
            Route("/v1/completions", completions, methods=["POST"]),
        ]
    )
    port = port or free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started, "the server to start")
    endpoint.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield endpoint
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(patience(10))


def status(code: int, text: str = "out of luck", **headers: str) -> Fault:
    return lambda: Response(text, code, {k.replace("_", "-"): v for k, v in headers.items()})


def says(text: str) -> Fault:
    return lambda: Response(text, media_type="application/json")


def redirects(to: str) -> Fault:
    return lambda: RedirectResponse(to)


def hangs(seconds: float) -> Fault:
    def fault() -> None:
        time.sleep(seconds)

    return fault


def half() -> Response:
    """Announces more than it sends, and hangs up."""
    return Response('{"choices": [{"te', headers={"content-length": "400"})
