"""The kit: its files, its exact distributions, right engines that pass, wrong ones that do not."""

import hashlib
import json
import random
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from engines.__main__ import main
from engines.audit.outcome_tree import LawAfter
from engines.audit.target_law import TargetLaw, law_after
from engines.base import (
    Capabilities,
    Continuation,
    Engine,
    EngineUnavailable,
    SampleRequest,
    Told,
)
from engines.conformance import tiny_pairs
from engines.conformance.check import Check
from engines.conformance.conventions import FILTERS_FIRST, PROMPT_COUNTED, Convention
from engines.conformance.report import as_junit, as_markdown
from engines.conformance.rows import PROMPT, ROWS, Row, outcomes_of, request_of
from engines.own import Own
from speculation.sampling import softmax

LETTERS = tiny_pairs.MODELS["sixteen"].shape.letters
BY_NAME = {row.name: row for row in ROWS}


def digests(folder: Path) -> dict[str, str]:
    files = sorted(x for x in folder.rglob("*") if x.is_file())
    return {str(x.relative_to(folder)): hashlib.sha256(x.read_bytes()).hexdigest() for x in files}


def test_the_shipped_files_are_what_the_script_makes(tmp_path: Path) -> None:
    tiny_pairs.write_all(tmp_path)
    assert digests(tmp_path) == digests(tiny_pairs.FOLDER)
    assert sum(x.stat().st_size for x in tmp_path.rglob("*") if x.is_file()) < 2_000_000
    assert {12 <= x.shape.vocabulary <= 64 for x in tiny_pairs.MODELS.values()} == {True}


def test_a_gguf_holds_the_same_weights() -> None:
    import gguf

    for name, tiny in tiny_pairs.MODELS.items():
        reader = gguf.GGUFReader(tiny_pairs.FOLDER / name / "model.gguf")
        found = {x.name: x.data for x in reader.tensors}
        weights = tiny_pairs.weights_of(name)
        assert len(found) == len(weights)
        for theirs, ours in (("lm_head", "output"), ("model.embed_tokens", "token_embd")):
            np.testing.assert_array_equal(found[f"{ours}.weight"], weights[f"{theirs}.weight"])
        query = weights["model.layers.0.self_attn.q_proj.weight"]
        turned = found["blk.0.attn_q.weight"]
        size = tiny.shape.width // tiny.shape.heads
        assert not np.array_equal(query, turned)
        np.testing.assert_array_equal(turned[1], query[size // 2])


def test_drafts_are_from_close_to_hostile() -> None:
    rng = np.random.default_rng(0)
    texts = [(*(1, 2, 3, 1), *rng.integers(0, 16, n).tolist()) for n in range(8) for _ in range(3)]
    overlap = {}
    for name in ("close", "near", "hostile"):
        pair = tiny_pairs.load(name)
        laws = [
            [softmax(m.start().extend(x)[-1].astype(float)) for m in (pair.target, pair.draft)]
            for x in texts
        ]
        overlap[name] = np.mean([np.minimum(p, q[:16]).sum() for p, q in laws])
    assert overlap["close"] > 0.9 > overlap["near"] > 0.5 > overlap["hostile"]
    assert overlap["hostile"] < 0.3


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_distribution_is_whole_and_is_where_texts_drawn_from_it_fall(row: Row) -> None:
    target = tiny_pairs.yardstick("near")
    request = request_of(row, 15)
    outcomes = outcomes_of(row, request, target, LETTERS)
    assert sum(outcomes.law.values()) == pytest.approx(1.0, abs=1e-9)
    assert len(outcomes.law) > 1 or row.name in ("greedy", "the same seed again")


class Exact(Engine):
    """Draws token after token from the target's own distribution, by a convention; `wrong` bends
    that of the second token."""

    name = "exact"
    capabilities = Capabilities(
        seeded=True, logit_bias=True, repetition_penalty=True, presence_penalty=True,
        end_tokens=True, stop=True,
    )  # fmt: skip

    def __init__(
        self, wrong: float = 0.0, fails_after: int = 1 << 40, law_of: LawAfter = law_after
    ) -> None:
        self.law = TargetLaw(tiny_pairs.yardstick("near"), PROMPT)
        self.wrong, self.fails_after, self.law_of = wrong, fails_after, law_of
        self.asked = count()
        self.known: dict[object, np.ndarray] = {}
        self.requests: list[SampleRequest] = []  # kept, so that no other gets its id

    def after(self, request: SampleRequest, text: tuple[int, ...]) -> np.ndarray:
        key = (id(request), text)
        if key not in self.known:
            logits = next(iter(self.law.next_logits([text])))
            law = self.law_of(request, logits, text)
            if len(text) == 1:
                law = (1.0 - self.wrong) * law + self.wrong * np.roll(law, 1)
            self.known[key] = np.cumsum(law) / law.sum()
        return self.known[key]

    def continuations(
        self, request: SampleRequest, numbers: Iterable[int]
    ) -> Iterator[Continuation]:
        self.requests.append(request)
        for number in numbers:
            if next(self.asked) >= self.fails_after:
                raise EngineUnavailable("The engine went home.")
            rng = random.Random((request.seed or 0) * 1_000_003 + number)
            text: tuple[int, ...] = ()
            said = ""
            while len(text) < request.length and not (text and text[-1] in request.end):
                text += (int(self.after(request, text).searchsorted(rng.random(), side="right")),)
                said = "".join(LETTERS[x] for x in text if x not in request.end)
                if any(stop in said for stop in request.stop):
                    said = said[: min(said.find(x) for x in request.stop if x in said)]
                    break
            ended = text[-1] in request.end
            yield Continuation(number, text, "end" if ended else "length", told=Told(text=said))


def check(engine: Engine, rows: tuple[Row, ...] = ROWS, looks: int = 12) -> Check:
    """A check whose clock gives every row the same number of looks, however fast the machine is."""
    ticks = count()
    return Check(
        engine, tiny_pairs.yardstick("near"), LETTERS, rows, minutes=looks * len(rows) / 60.0,
        clock=lambda: float(next(ticks)),
    )  # fmt: skip


def test_a_right_engine_passes_every_row() -> None:
    made = check(Exact())
    list(made.run())
    report = made.report()
    assert [x.row for x in report.rows] == [x.name for x in ROWS]
    assert {x.verdict for x in report.rows} == {"passes"}, [x for x in report.rows if x.why]
    assert report.exit_status == 0
    assert max(x.sees for x in report.rows) < 0.15
    assert "would have been seen" in report.sentence


@pytest.mark.parametrize(
    ("convention", "row"),
    [
        (FILTERS_FIRST, "temperature 0.8, top-k 8, top-p 0.9"),
        (PROMPT_COUNTED, "presence penalty 0.9"),
    ],
    ids=["filters first", "prompt counted"],
)
def test_another_convention_passes_and_is_named(convention: Convention, row: str) -> None:
    """As llama.cpp has it: the order of its samplers, and what its penalties count."""
    made = check(Exact(law_of=convention.law_of), (BY_NAME[row],))
    list(made.run())
    (found,) = made.report().rows
    assert (found.verdict, found.convention) == ("passes", convention.words)
    assert convention.words in found.words


def test_a_wrong_second_token_is_found_and_ends_its_row_early() -> None:
    made = check(Exact(wrong=0.5), (BY_NAME["temperature 1"], BY_NAME["one token"]))
    list(made.run())
    off, fine = made.report().rows
    assert (off.verdict, fine.verdict) == ("deviates", "passes"), "the first token is right"
    assert off.texts < fine.texts
    assert made.report().exit_status == 1


@pytest.mark.parametrize(
    ("rule", "row"),
    [
        ("replacement-from-target", "temperature 1"),
        ("accept-everything", "temperature 1"),
        ("ratio-inverted", "temperature 1"),
        ("target-settings-left-out", "top-k 4"),
        ("end-ignored", "temperature 1"),
    ],
)
def test_broken_rules_are_found(rule: str, row: str) -> None:
    made = check(Own(tiny_pairs.load("near"), rule), (BY_NAME[row],), looks=6)
    list(made.run())
    assert made.report().rows[0].verdict == "deviates"


@pytest.mark.parametrize("pair", ["near", "padded", "hostile"])
def test_the_exact_rule_is_not_called_wrong(pair: str) -> None:
    rows = (BY_NAME["temperature 1"], BY_NAME["greedy"], BY_NAME["the same seed again"])
    made = check(Own(tiny_pairs.load(pair)), rows, looks=4)
    list(made.run())
    drawn, *certain = made.report().rows
    assert drawn.verdict != "deviates"
    assert drawn.sees < 0.35
    assert {x.verdict for x in certain} == {"passes"}


def test_an_engine_that_fails_keeps_what_is_known() -> None:
    made = check(Exact(fails_after=2000), (BY_NAME["greedy"], *ROWS[:2]))
    list(made.run())
    report = made.report()
    verdicts = [x.verdict for x in report.rows]
    assert verdicts == ["passes", "failed", "failed"]
    assert report.exit_status == 2
    case = ElementTree.fromstring(as_junit(report).encode()).findall("testcase")[-1]
    assert case.find("error").get("message") == "The engine went home."  # type: ignore[union-attr]
    assert "| The engine went home. |" in as_markdown(report)


def test_what_is_stopped_says_so() -> None:
    made = check(Exact(), ROWS[:3])
    looks = made.run()
    next(looks)
    looks.close()
    report = made.report(stopped=True)
    assert [x.verdict for x in report.rows] == ["too few", "left out", "left out"]
    assert report.exit_status == 2


DECODE = """
import torch
from transformers import AutoModelForCausalLM

def ready(options):
    global model
    model = AutoModelForCausalLM.from_pretrained(options["target"])

def decode(prompt, settings, seed):
    torch.manual_seed(seed)
    text = []
    while len(text) < settings["length"] and not (text and text[-1] in settings["end"]):
        logits = model(torch.tensor([prompt + text])).logits[0, -1]
        if settings["temperature"] == 0:
            text.append(int(logits.argmax()))
        else:
            p = torch.softmax(logits / settings["temperature"], 0)
            text.append(int(torch.multinomial(p, 1)))
    return text
"""


def test_the_command_on_a_function_and_its_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plain sampler that nobody told of top-k: it is right, but there."""
    (tmp_path / "mine.py").write_text(DECODE)
    files = [f"--{x}={tmp_path}/out.{x}" for x in ("json", "junit", "markdown")]
    told = ["conformance", f"{tmp_path}/mine.py:decode", "--minutes", "0.15", *files]
    assert main([*told, "--only", "top-k", "--only", "greedy"]) == 1
    assert "Deviation found in 1 of 2 rows: top-k 4." in capsys.readouterr().out
    found = json.loads((tmp_path / "out.json").read_text())
    assert {x["row"]: x["verdict"] for x in found["rows"]} == {
        "greedy": "passes",
        "top-k 4": "deviates",
    }
    assert "| top-k 4 | DEVIATES |" in (tmp_path / "out.markdown").read_text()
    assert ElementTree.parse(tmp_path / "out.junit").getroot().get("failures") == "1"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (["vllm"], "is no engine: own"),
        (["own:nonsense"], "No rule is called 'nonsense'"),
        (["own", "--only", "nothing"], "There is no such row"),
        (["missing.py:decode"], "There is no file missing.py"),
        (["http://127.0.0.1:9/v1"], "Nothing answers"),
    ],
)
def test_what_cannot_be_tested_is_said(
    told: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engines.openai.client.Client._sleep", lambda *_: None)
    assert main(["conformance", *told]) == 2
    assert said in capsys.readouterr().err
