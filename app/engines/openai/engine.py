"""Any server with the OpenAI API for completions: vLLM, SGLang, llama.cpp's server, and others.

The prompt goes out as token ids, so nobody splits it another way, and the settings are all spelled
out, because servers have defaults of their own (llama.cpp's top-k is 40). What goes beyond the API
(ids in the answer, top-k, min-p, further end tokens) is tried first and left out for a server that
refuses it; once a way of asking has worked, it is kept for every further sample.
"""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from engines.base import Capabilities, Continuation, Engine, EngineUnavailable, SampleRequest
from engines.openai.answers import Answer, answers
from engines.openai.client import Client, Patience, Refused
from speculation.sampling import Sampling
from speculation.text import join, pieces

How = Literal["auto", "ids", "text"]
TOP = 3  # how long a top list is asked for: the API allows five
ABILITIES = ("seed", "bias", "repetition", "presence", "end", "stop")
USUAL = "bias,presence,stop"  # what the API itself promises; a seed is "best effort" in its words
NO_IDS = (
    "The server gives no token ids, and a text does not say for sure which tokens were drawn. "
    "Have it return them (vLLM: return_token_ids; llama.cpp: logprobs), or compare it with a "
    "second endpoint (--baseline-url), both by --tokens text."
)


@dataclass(frozen=True)
class Dialect:
    """One way of asking.

    ids     the prompt as token ids; else as text
    extras  with what goes beyond the API
    """

    ids: bool
    extras: bool


class OpenAI(Engine):
    """An endpoint.

    base_url   up to and with /v1
    model      as the server calls it; empty: the only one it has
    tokenizer  the target's, if it is at hand; without it bytes stand for tokens, which is enough to
               compare two endpoints with each other
    can        which of ABILITIES the server has, with commas between them
    tokens     ids: only as the server gives them; text: always by splitting the text; auto: ids if
               there is a tokenizer
    batch      continuations asked for in one request, where none needs a seed of its own

    Raises EngineUnavailable if the address is none, or the model cannot be found out.
    """

    name = "openai"

    def __init__(
        self,
        base_url: str,
        model: str = "",
        tokenizer: Any = None,
        can: str = USUAL,
        tokens: How = "auto",
        patience: Patience | None = None,
        batch: int = 1,
    ) -> None:
        able = {word.strip() for word in can.split(",") if word.strip()}
        if unknown := able - set(ABILITIES):
            raise EngineUnavailable(
                f"A server's abilities are {', '.join(ABILITIES)}; not {sorted(unknown)[0]!r}."
            )
        self.client = Client(base_url, patience)
        self.tokenizer = tokenizer
        self.batch = max(1, batch)
        self.by_text = tokens == "text" or (tokens == "auto" and tokenizer is None)
        self.capabilities = Capabilities(
            seeded="seed" in able,
            logit_bias="bias" in able,
            repetition_penalty="repetition" in able,
            presence_penalty="presence" in able,
            end_tokens="end" in able,
            token_ids=not self.by_text,
            ids_known=tokenizer is not None,
            stop="stop" in able,
            own_arithmetic=False,
            parallel=self.client.patience.parallel > 1,
        )
        self.model = model or self._only_model()
        self.about = {
            "address": self.client.base,
            "model": self.model,
            "tokens": "split from the text" if self.by_text else "ids from the server",
            "abilities": ",".join(sorted(able)) or "none",
        }
        self._dialect: Dialect | None = None

    def continuations(
        self, request: SampleRequest, numbers: Iterable[int]
    ) -> Iterator[Continuation]:
        """In the order in which the answers come; what came before a failure is yielded first."""
        self.refuse(request)
        groups = self._groups(request, numbers)
        first = next(groups, None)
        if first is None:
            return
        yield from self._sample(request, first)  # alone: it finds the way of asking
        failure: EngineUnavailable | None = None
        running: set[Future[list[Continuation]]] = set()
        parallel = self.client.patience.parallel
        pool = ThreadPoolExecutor(parallel, thread_name_prefix="endpoint")
        try:
            while True:
                if failure is None:
                    for group in islice(groups, parallel - len(running)):
                        running.add(pool.submit(self._sample, request, group))
                if not running:
                    break
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    try:
                        yield from future.result()
                    except EngineUnavailable as error:
                        failure = failure or error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        if failure is not None:
            raise failure

    def close(self) -> None:
        self.client.close()

    def _groups(self, request: SampleRequest, numbers: Iterable[int]) -> Iterator[list[int]]:
        """Numbers that are asked for in one request."""
        size = 1 if self._seeded(request) else self.batch
        waiting = iter(numbers)
        while group := list(islice(waiting, size)):
            yield group

    def _seeded(self, request: SampleRequest) -> bool:
        return request.seed is not None and self.capabilities.seeded

    def _sample(self, request: SampleRequest, numbers: list[int]) -> list[Continuation]:
        """One request, and again for what is missing of its answer."""
        found: list[Answer] = []
        for _ in range(self.client.patience.tries):
            missing = len(numbers) - len(found)
            answered = self._ask(request, numbers[len(found)], missing)
            found += [self._checked(answer, request) for answer in answered[:missing]]
            if len(found) == len(numbers):
                return [
                    Continuation(number, answer.tokens, answer.finish, told=answer.told)
                    for number, answer in zip(numbers, found, strict=True)
                ]
        raise EngineUnavailable(
            f"The server keeps giving fewer texts than it is asked for: {len(found)} of "
            f"{len(numbers)} after {self.client.patience.tries} requests."
        )

    def _ask(self, request: SampleRequest, number: int, count: int) -> list[Answer]:
        dialects = [self._dialect] if self._dialect else self._dialects(request.sampling)
        first: Refused | None = None
        for dialect in dialects:
            try:
                body = self._body(request, number, count, dialect)
                found = self.client.post("/completions", body)
            except Refused as refused:
                if refused.status not in (400, 422):
                    raise
                first = first or refused
                continue
            self._dialect = dialect
            return answers(found, self.tokenizer, request.end, self.by_text, bool(request.stop))
        assert first is not None
        raise first

    def _dialects(self, sampling: Sampling) -> list[Dialect]:
        """From the most telling to the plainest; a filter that the API lacks needs the extras."""
        needs_extras = sampling.top_k > 0 or sampling.min_p > 0.0
        ids = [True, False] if self.tokenizer is not None else [False]
        return [
            Dialect(as_ids, extras)
            for extras in ([True] if needs_extras else [True, False])
            for as_ids in ids
        ]

    def _body(
        self, request: SampleRequest, number: int, count: int, dialect: Dialect
    ) -> dict[str, Any]:
        sampling, seed = request.sampling, request.seed_of(number)
        body: dict[str, Any] = {
            "model": self.model,
            "prompt": list(request.prompt) if dialect.ids else self._spelled(request.prompt),
            "max_tokens": request.length,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "n": count,
            "stream": False,
        }
        if self._seeded(request):
            body["seed"] = seed
        if request.logit_bias:
            body["logit_bias"] = {str(token): bias for token, bias in request.logit_bias}
        if request.presence_penalty:
            body["presence_penalty"] = request.presence_penalty
        if request.stop:
            body["stop"] = list(request.stop)
        if not self.by_text:
            body["logprobs"] = TOP
        if dialect.extras:
            body |= _extras(request)
            if self.tokenizer is None:  # then the request's ids are ours, and mean nothing there
                del body["stop_token_ids"]
        elif request.repetition_penalty != 1.0:
            raise EngineUnavailable("This server knows no repetition penalty.")
        return body

    def _spelled(self, prompt: tuple[int, ...]) -> str:
        """The prompt as text."""
        if self.tokenizer is None:
            return bytes(prompt).decode(errors="replace")
        known = pieces(self.tokenizer, prompt)
        return join(known[token] for token in prompt)

    def _checked(self, answer: Answer, request: SampleRequest) -> Answer:
        """The answer; EngineUnavailable if its tokens are a guess and must not be. Where a stop
        string cut the text, the tokens of it and the text need not agree."""
        if answer.source == "text" and not self.by_text and not request.stop:
            raise EngineUnavailable(NO_IDS)
        return answer

    def _only_model(self) -> str:
        """The name of the server's model, if it has one only."""
        listed = self.client.get("/models").get("data")
        models = listed if isinstance(listed, list) else []
        names = [x.get("id") for x in models if isinstance(x, dict)]
        if len(names) != 1 or not isinstance(names[0], str):
            there_are = ", ".join(map(str, names[:10])) or "none"
            raise EngineUnavailable(
                f"Name a model (--model): {self.client.base} lists {there_are}."
            )
        return names[0]


def _extras(request: SampleRequest) -> Mapping[str, Any]:
    """What goes beyond the API; a server that does not know a field mostly ignores it."""
    penalty = request.repetition_penalty
    return {
        "top_k": request.sampling.top_k or -1,  # -1 is "off" for all of them
        "min_p": request.sampling.min_p,
        "repetition_penalty": penalty,
        "repeat_penalty": penalty,  # llama.cpp's name
        "stop_token_ids": sorted(request.end),
        "return_token_ids": True,
        "return_tokens_as_token_ids": True,
        "return_tokens": True,
        "add_special_tokens": False,
        "skip_special_tokens": False,
    }
