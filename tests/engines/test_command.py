"""The audit's command: exit statuses, files, resuming, Ctrl+C, and words for what is refused."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from engines import own
from engines.__main__ import main
from engines.audit.report import could_not_run
from engines.audit.report_text import as_junit
from engines.audit.samples import SampleLog, WrongSamples
from engines.base import Continuation, SampleRequest
from engines.own import Own
from speculation.pairs.pair import Pair

SHORT = ["--prompt", "ab", "--k", "2", "--length", "6", "--n", "30", "--seed", "3"]


def run(pair: Pair, tmp_path: Path, *arguments: str, file: str = "samples.jsonl") -> int:
    resume = ["--resume", str(tmp_path / file)]
    return main(["audit", *arguments, *SHORT, *resume], pair)


def rounded(part: Any) -> Any:
    """A report's part with numbers that are compared up to single precision."""
    if isinstance(part, dict):
        return {name: rounded(value) for name, value in part.items()}
    if isinstance(part, list):
        return [rounded(value) for value in part]
    return pytest.approx(part, rel=1e-5, abs=1e-7) if isinstance(part, float) else part


def samples(file: Path) -> list[tuple[str, int]]:
    return [(x["part"], x["number"]) for x in map(json.loads, file.read_text().splitlines()[1:])]


def test_exact_exits_with_0_and_writes_its_files(
    tiny_pair: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["--json", str(tmp_path / "deep" / "report.json"), "--junit", str(tmp_path / "r.xml")]
    assert run(tiny_pair, tmp_path, "own", *files) == 0
    said = capsys.readouterr()
    assert said.out.startswith("No deviation found")
    assert "samples.jsonl" in said.out
    assert "continuations" in said.err  # the progress
    report = json.loads((tmp_path / "deep" / "report.json").read_text())
    assert (report["verdict"], report["exit_status"]) == ("exact", 0)
    about = report["about"]
    assert about["target's weights"] == "tiny-target"
    assert {"machine", "python", "torch", "transformers", "numpy", "rule", "settings"} <= set(about)
    checks = {x["name"]: x for x in report["checks"]}
    found = checks["every token"]["finding"]
    assert {"effect", "low", "high", "runs", "sees", "p_value"} <= set(found)
    assert checks["every token"]["corrected"] >= found["p_value"]


def test_a_broken_rule_exits_with_1_and_fails_in_junit(tiny_pair: Pair, tmp_path: Path) -> None:
    file = tmp_path / "r.xml"
    rule = ["--rule", "accept-everything", "--junit", str(file)]
    assert run(tiny_pair, tmp_path, "own", *rule) == 1
    root = ElementTree.parse(file).getroot()
    assert root.tag == "testsuites"
    failures = 0
    for suite in root.iter("testsuite"):
        cases = suite.findall("testcase")
        assert len(cases) == int(suite.attrib["tests"])
        for tag, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert len(suite.findall(f"testcase/{tag}")) == int(suite.attrib[count])
        assert all(case.attrib["name"] and case.attrib["classname"] for case in cases)
        failures += int(suite.attrib["failures"])
    assert failures >= 1
    message = root.find(".//failure").attrib["message"]  # type: ignore[union-attr]
    assert "would have been seen" in message
    assert "corrected" in message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["own", "--rule", "no-such-rule"], "replacement-from-target"),
        (["transformers", "--variant", "no-such-variant"], "early-exit"),
        (["own", "--temperature", "9"], "temperature"),
        (["own", "--k", "9", "--length", "6"], "at least 20"),
    ],
)
def test_what_cannot_run_exits_with_2_and_says_why(
    tiny_pair: Pair,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    files = ["--json", str(tmp_path / "r.json"), "--junit", str(tmp_path / "r.xml")]
    where = ["--resume", str(tmp_path / "s.jsonl"), *files]
    assert main(["audit", *arguments, "--prompt", "ab", *where], tiny_pair) == 2
    assert words in capsys.readouterr().err
    assert json.loads((tmp_path / "r.json").read_text())["exit_status"] == 2
    error = ElementTree.parse(tmp_path / "r.xml").getroot().find(".//error")
    assert error is not None
    assert words in error.attrib["message"]


@pytest.mark.parametrize("words", ["\x1b[31mred\x1b[0m", "nothing\x00", "half \ud83d", "\uffff"])
def test_junit_can_be_read_whatever_a_server_says(words: str) -> None:
    text = as_junit(could_not_run(words, {"engine": words}))
    error = ElementTree.fromstring(text.encode()).find(".//error")
    assert error is not None
    assert "\N{REPLACEMENT CHARACTER}" in error.attrib["message"]


def test_ctrl_c_keeps_what_was_gathered_and_another_run_goes_on(
    tiny_pair: Pair,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[int] = []
    stop_at: list[int] = [25]
    inherited = Own.continuations

    def stopping(
        self: Own, request: SampleRequest, numbers: Iterable[int]
    ) -> Iterator[Continuation]:
        for found in inherited(self, request, numbers):
            if found.number in stop_at:
                raise KeyboardInterrupt
            asked.append(found.number)
            yield found

    monkeypatch.setattr(own.Own, "continuations", stopping)
    file = tmp_path / "samples.jsonl"
    assert run(tiny_pair, tmp_path, "own", "--json", str(tmp_path / "a.json")) == 0
    said = capsys.readouterr()
    assert "Stopped early: by hand, after 25 of" in said.out
    assert samples(file) == [("main", i) for i in range(25)]
    stopped = {x["name"]: x for x in json.loads((tmp_path / "a.json").read_text())["checks"]}
    assert stopped["duplicates"]["finding"]["runs"] == 25  # scored to the last one
    assert "not reached" in stopped["greedy text"]["why_not"]

    stop_at.clear()
    asked.clear()
    with file.open("a") as out:
        out.write('{"part": "main", "number": 25, "tok')  # cut short by a crash
    assert run(tiny_pair, tmp_path, "own", "--json", str(tmp_path / "b.json")) == 0
    assert asked[:5] == [25, 26, 27, 28, 29]
    assert "Going on from 25" in capsys.readouterr().err
    assert len(set(samples(file))) == len(samples(file))

    # The same samples in one go give the same report, up to rounding: they are scored in other
    # batches, and logits depend in their last bits on the shape of a pass.
    assert run(tiny_pair, tmp_path, "own", "--json", str(tmp_path / "c.json"), file="x.jsonl") == 0
    one, two = (json.loads((tmp_path / name).read_text()) for name in ("b.json", "c.json"))
    assert one["checks"] == rounded(two["checks"])
    assert samples(file) == samples(tmp_path / "x.jsonl")


def test_samples_of_other_settings_are_refused(
    tiny_pair: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "samples.jsonl"
    assert run(tiny_pair, tmp_path, "own", "--n", "3") == 0
    before = file.read_text()
    for other in (["--temperature", "0.5"], ["--rule", "accept-everything"], ["--seed", "4"]):
        assert main(["audit", "own", *SHORT, *other, "--resume", str(file)], tiny_pair) == 2
        assert "other settings" in capsys.readouterr().err
    assert file.read_text() == before
    file.write_text("nothing of the kind\n")
    assert run(tiny_pair, tmp_path, "own") == 2
    assert "does not hold the samples" in capsys.readouterr().err
    assert file.read_text() == "nothing of the kind\n"


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    SampleLog("a", file).add("main", Continuation(0, (1, 2), "length"))
    file.write_text(file.read_text() + "{}\n")
    with pytest.raises(WrongSamples, match="line 3"):
        SampleLog("a", file)
