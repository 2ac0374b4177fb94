"""Which pairs there are, which are refused and why, and what is said when weights are missing."""

import shutil
from pathlib import Path

import pytest
import torch
from transformers import MambaConfig, MambaForCausalLM

from helpers.tiny_models import byte_tokenizer, tiny_llama
from speculation.models.language_model import ModelRefused
from speculation.pairs import weights
from speculation.pairs.catalog import pairs
from speculation.pairs.pair import Pair
from speculation.pairs.shelf import TOKENIZER_FILES, Shelf
from speculation.pairs.vocabulary import refuse_unless_same_tokens
from speculation.run import run
from speculation.settings import Settings

PACKAGE_THAT_IS_NOT = "no_such_package_of_weights"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tiny models saved as anybody would save them, by what is special about them."""
    place = tmp_path_factory.mktemp("models")
    tokenizer, other = byte_tokenizer(), byte_tokenizer(eos_token="<|stop|>")
    made = {
        "target": (tiny_llama(1, len(tokenizer)), tokenizer),
        "draft": (tiny_llama(2, len(tokenizer), num_hidden_layers=1), tokenizer),
        "padded": (tiny_llama(3, len(tokenizer) + 5), tokenizer),
        "other words": (tiny_llama(4, len(other)), other),
        "recurrent": (
            MambaForCausalLM(MambaConfig(vocab_size=259, hidden_size=32, num_hidden_layers=1)),
            tokenizer,
        ),
    }
    for name, (model, words) in made.items():
        model.save_pretrained(place / name)
        words.save_pretrained(place / name)
    (place / "pickle").mkdir()
    made["target"][0].config.save_pretrained(place / "pickle")
    torch.save(made["target"][0].state_dict(), place / "pickle" / "pytorch_model.bin")
    tokenizer.save_pretrained(place / "pickle")
    (place / "empty").mkdir()
    shutil.copytree(place / "draft", place / "no tokenizer")
    for name in TOKENIZER_FILES:
        (place / "no tokenizer" / name).unlink(missing_ok=True)
    (place / "a file").write_text("no model")
    return {"gone": place / "gone"} | {path.name: path for path in place.iterdir()}


def custom(folders: dict[str, Path], target: str, draft: str) -> str:
    return f"hf:{folders[target]}|{folders[draft]}"


def test_a_pair_of_folders_runs_when_the_owner_allows_it(
    tmp_path: Path, folders: dict[str, Path]
) -> None:
    shelf = Shelf(tmp_path, "cpu", any_model=True)
    for draft in ("draft", "padded", "target"):
        pair = shelf.pair(custom(folders, "target", draft), "float32")
        settings = Settings(prompt="Hi", k=2, length=8, pair=pair.spec.id)
        trace = run(pair, settings)
        assert 0 < len(trace.tokens) <= 8
        assert max(trace.tokens) < pair.target.vocab_size, "a padding row of the draft was written"
        assert trace.arithmetic.dtype == "float32"


def test_pairs_outside_the_catalog_are_off_by_default(
    tmp_path: Path, folders: dict[str, Path]
) -> None:
    with pytest.raises(ModelRefused, match="turned off on this server"):
        Shelf(tmp_path, "cpu").pair(custom(folders, "target", "draft"), "float32")


REFUSED = [
    (
        "target",
        "other words",
        r"do not share a vocabulary: '<\|im_end\|>' is token \d+ for the first",
    ),
    ("recurrent", "draft", "cannot be rolled back|cannot be built"),
    ("target", "recurrent", "cannot be rolled back|cannot be built"),
    ("target", "empty", r"has no config\.json"),
    ("pickle", "draft", "has no weights as safetensors"),
    ("target", "no tokenizer", r"has no tokenizer \(tokenizer\.json\)"),
    ("target", "gone", r"there is no folder .*gone: check the path"),
    ("target", "a file", r"a file is a file: name the folder"),
]


@pytest.mark.parametrize(("target", "draft", "reason"), REFUSED)
def test_an_unusable_pair_is_refused_with_the_reason(
    tmp_path: Path, folders: dict[str, Path], target: str, draft: str, reason: str
) -> None:
    with pytest.raises(ModelRefused, match=reason):
        Shelf(tmp_path, "cpu", any_model=True).pair(custom(folders, target, draft), "float32")


@pytest.mark.parametrize("name", ["hf:", "hf:a", "hf:a|", "hf:|b", "hf:a|b|c"])
def test_a_name_that_is_no_pair_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelRefused, match=r"should read hf:TARGET\|DRAFT"):
        Shelf(tmp_path, "cpu", any_model=True).pair(name, "float32")


@pytest.mark.parametrize("name", ["smollm2-135m/layers-99", "../../etc/passwd", ""])
def test_an_unknown_pair_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelRefused, match="there is no pair named"):
        Shelf(tmp_path, "cpu").pair(name, "float32")


class Words:
    """A tokenizer that is its vocabulary."""

    def __init__(self, **vocabulary: int) -> None:
        self.vocabulary = vocabulary

    def get_vocab(self) -> dict[str, int]:
        return self.vocabulary


def test_vocabularies_that_disagree_are_refused_with_the_token() -> None:
    refuse_unless_same_tokens(Words(a=0, b=1), Words(b=1, a=0), "T", "D")
    with pytest.raises(ModelRefused, match=r"T and D .* 'b' is token 1 .* and 2 for the second"):
        refuse_unless_same_tokens(Words(a=0, b=1), Words(a=0, b=2), "T", "D")
    with pytest.raises(ModelRefused, match="'b' is token 1 for the first and no token"):
        refuse_unless_same_tokens(Words(a=0, b=1), Words(a=0), "T", "D")
    with pytest.raises(ModelRefused, match=r"D has a token 'c' \(2\) that T does not know"):
        refuse_unless_same_tokens(Words(a=0, b=1), Words(a=0, b=1, c=2), "T", "D")


def test_the_catalog_names_its_pairs() -> None:
    for name, spec in pairs().items():
        assert spec.id == name
        assert spec.title
        assert spec.about.endswith(".")
        assert spec.license == "Apache-2.0"


def test_the_default_pair_is_shipped_and_comes_first(real_pair: Pair) -> None:
    assert next(iter(pairs())) == Settings().pair == real_pair.spec.id
    assert real_pair.spec.megabytes > 1


def test_the_shelf_loads_once_and_shares_the_target(shelf: Shelf, real_pair: Pair) -> None:
    again = shelf.pair(real_pair.spec.id, "float32")
    alone = shelf.pair("smollm2-135m/target", "float32")
    assert again.draft is real_pair.draft
    assert alone.target is alone.draft is real_pair.target


def test_the_shelf_forgets_the_longest_unused(tmp_path: Path, folders: dict[str, Path]) -> None:
    shelf = Shelf(tmp_path, "cpu", any_model=True, most=2)
    first = shelf.pair(custom(folders, "target", "draft"), "float32")
    assert shelf.pair(custom(folders, "target", "draft"), "float32").draft is first.draft
    shelf.pair(custom(folders, "target", "padded"), "float32")
    assert shelf.pair(custom(folders, "target", "draft"), "float32").draft is not first.draft


# ---- weights -----------------------------------------------------------------------------------


def test_missing_weights_say_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(weights, "PACKAGE", PACKAGE_THAT_IS_NOT)
    with pytest.raises(weights.WeightsMissing, match=r"make install.*requirements-models\.txt"):
        Shelf(tmp_path, "cpu").pair("smollm2-135m/target", "float32")
    assert weights.main() == 1
    assert "make install" in capsys.readouterr().err


def test_weights_that_are_not_converted_say_so(shelf: Shelf, tmp_path: Path) -> None:
    with pytest.raises(weights.WeightsMissing, match="not converted yet"):
        weights.converted(tmp_path)


def test_a_package_without_weights_is_as_good_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / PACKAGE_THAT_IS_NOT).mkdir()
    (tmp_path / PACKAGE_THAT_IS_NOT / "__init__.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(weights, "PACKAGE", PACKAGE_THAT_IS_NOT)
    with pytest.raises(weights.WeightsMissing):
        weights.find_gguf()
    gguf = tmp_path / PACKAGE_THAT_IS_NOT / "model.gguf"
    gguf.write_bytes(b"GGUF")
    assert weights.find_gguf() == gguf, "found without being imported"
