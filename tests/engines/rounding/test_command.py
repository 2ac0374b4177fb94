"""Rounding or bug, from the command line: files, endpoints, exit statuses."""

from pathlib import Path

import pytest

from engines.__main__ import main
from engines.own import Own
from engines.rounding.found import Rounding
from helpers.http_server import Endpoint, serving
from helpers.parted_texts import LENGTH, PROMPT, greedy, parted
from speculation.pairs.pair import Pair


@pytest.fixture(scope="module")
def text(tiny_pair: Pair) -> list[int]:
    return greedy(tiny_pair)


def test_the_command_reads_files_and_ends_with_a_status(
    tiny_pair: Pair, text: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def ask(one: str, two: str, *more: str) -> int:
        files = [tmp_path / "one.txt", tmp_path / "two.txt"]
        for file, content in zip(files, (one, two), strict=True):
            file.write_text(content + "\n")
        given = ["--one", str(files[0]), "--two", str(files[1]), "--precision", "float32"]
        return main(["rounding", "--prompt", PROMPT, *given, *more], tiny_pair)

    assert ask(str(text), str(text)) == 0
    written = tmp_path / "found.json"
    assert ask(str(text), str(parted(tiny_pair, text, 7)), "--json", str(written)) == 1
    assert "Not explained by rounding" in capsys.readouterr().out
    assert Rounding.model_validate_json(written.read_text()).common == 7
    assert ask("", "") == 2
    assert "Both texts are empty" in capsys.readouterr().err
    assert main(["rounding", "--prompt", PROMPT], tiny_pair) == 2
    assert "two endpoints" in capsys.readouterr().err


def test_two_endpoints_are_asked(tiny_pair: Pair, text: list[int], tmp_path: Path) -> None:
    engines = {rule: Own(tiny_pair, rule) for rule in ("exact", "accept-everything")}
    written = tmp_path / "found.json"
    with serving(Endpoint(dict(engines), tiny_pair.tokenizer)) as endpoint:

        def ask(model: str, *more: str) -> int:
            urls = ["--base-url", f"{endpoint.url}|exact", "--other-url", f"{endpoint.url}|{model}"]
            given = ["--precision", "float32", "--length", str(LENGTH), "--json", str(written)]
            return main(["rounding", "--prompt", PROMPT, *urls, *given, *more], tiny_pair)

        assert ask("exact") == 0
        assert ask("accept-everything") == 1
        found = Rounding.model_validate_json(written.read_text())
        assert found.two.written, "by ids, as the server gave them"
        endpoint.shows = "nothing"
        assert ask("exact") == 0


@pytest.mark.parametrize("wrong", [("--k", "0"), ("--length", "0"), ("--pair", "<b>")])
def test_arguments_that_cannot_be(
    tiny_pair: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: tuple[str, str]
) -> None:
    file = tmp_path / "one.txt"
    file.write_text("[1]")
    given = ["--prompt", PROMPT, "--one", str(file), "--two", str(file)]
    assert main(["rounding", *given, *wrong], tiny_pair) == 2
    assert wrong[0].strip("-") in capsys.readouterr().err
