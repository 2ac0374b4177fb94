"""A Python function as an engine: a right one, wrong ones, and what each of them is told."""

from pathlib import Path

import pytest

from engines.__main__ import main
from engines.base import EngineUnavailable, SampleRequest
from engines.python_function import PythonFunction, split
from speculation.pairs.pair import Pair
from speculation.sampling import Sampling

FILE = """
import os
import random
import sys
import time

TOLD = {}

def ready(options):
    TOLD.update(options)

def echo(prompt, settings, seed):
    print("what is printed does not end up between the answers")
    rng = random.Random(seed)
    text = []
    while len(text) < settings["length"] and not (text and text[-1] in settings["end"]):
        text.append(rng.randrange(8))
    return text

def told(prompt, settings, seed):
    return [settings["top_k"], settings["k"], int(TOLD["number"]), int(settings["number"]), seed]

def whole(prompt, settings, seed):
    return prompt + [1] * settings["length"]

def nothing(prompt, settings, seed):
    pass

def words(prompt, settings, seed):
    return ["a", "b"]

def empty(prompt, settings, seed):
    return []

def beyond(prompt, settings, seed):
    return [3, 999]

def fails(prompt, settings, seed):
    return [1 / (seed - 43)]

def leaves(prompt, settings, seed):
    os._exit(7)

def quits(prompt, settings, seed):
    sys.exit("enough")

def sleeps(prompt, settings, seed):
    time.sleep(60)
"""
REQUEST = SampleRequest((1, 2, 3), Sampling(top_k=5), 6, frozenset({7}), k=3, seed=40)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("somebody") / "decoder.py"
    place.write_text(FILE)
    return place


def texts(file: Path, name: str, count: int = 3, patience: float = 60.0) -> list[tuple[int, ...]]:
    engine = PythonFunction(f"{file}:{name}", "", {"number": "5"}, 900, patience=patience)
    try:
        return [text.tokens for text in engine.continuations(REQUEST, range(count))]
    finally:
        engine.close()


def test_texts_come_in_order_and_by_their_seeds(file: Path) -> None:
    engine = PythonFunction(f"{file}:echo", vocabulary=8)
    found = list(engine.continuations(REQUEST, range(40)))
    again = list(engine.continuations(REQUEST, [3]))
    engine.close()
    assert [text.number for text in found] == list(range(40))
    assert again[0].tokens == found[3].tokens
    assert len({text.tokens for text in found}) > 30
    for text in found:
        assert (text.finish == "end") == (text.tokens[-1] == 7)
        assert text.finish == "end" or len(text.tokens) == 6


def test_it_is_told_settings_seed_and_what_set_says(file: Path) -> None:
    assert texts(file, "told", 2) == [(5, 3, 5, 5, 40), (5, 3, 5, 5, 41)]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing", r"no function 'missing'. It has: ready, echo, told"),
        ("whole", "9 tokens, asked for 6 at most. It begins with the prompt"),
        ("nothing", "gave None, a NoneType: expected the new tokens as a list"),
        ("words", r"gave \['a', 'b'\], a list"),
        ("empty", "a text without tokens"),
        ("beyond", "the token 999: the target's ids are 0 to 899"),
        ("fails", r"ZeroDivisionError: .* \(at decoder.py:\d+\)"),
        ("leaves", "ended with status 7"),
        ("quits", "SystemExit: enough"),
    ],
)
def test_what_is_wrong_is_said(file: Path, name: str, said: str) -> None:
    with pytest.raises(EngineUnavailable, match=said):
        texts(file, name, 5)


def test_what_takes_too_long_is_ended(file: Path) -> None:
    with pytest.raises(EngineUnavailable, match="No answer within 0 seconds"):
        texts(file, "sleeps", patience=0.3)


def test_a_file_or_an_interpreter_that_is_not_there(file: Path, tmp_path: Path) -> None:
    for where, said in (("x.py", "FILE.py:NAME"), (f"{tmp_path}/x.py:f", "There is no file")):
        with pytest.raises(EngineUnavailable, match=said):
            split(where)
    with pytest.raises(EngineUnavailable, match="does not run"):
        PythonFunction(f"{file}:echo", str(tmp_path / "python"))
    broken = tmp_path / "broken.py"
    broken.write_text("def decode(:\n")
    with pytest.raises(EngineUnavailable, match="SyntaxError"):
        PythonFunction(f"{broken}:decode")
    with pytest.raises(EngineUnavailable, match="not 'magic'"):
        PythonFunction(f"{file}:echo", can="seed,magic")


def test_an_audit_of_a_function_finds_that_it_is_no_model(
    file: Path, tmp_path: Path, tiny_pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    """Eight tokens by equal chance are not the target's distribution."""
    told = ["audit", "python", "--function", f"{file}:echo", "--n", "40"]
    more = ["--set", "number=1", "--mode", "continue", "--resume", str(tmp_path / "samples")]
    assert main([*told, *more], tiny_pair) == 1
    assert "Deviation found" in capsys.readouterr().out
    assert main([*told[:2]], tiny_pair) == 2
    assert "--function FILE.py:NAME" in capsys.readouterr().err
