"""How pairs are loaded, and kept for the next run."""

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from speculation.drafts.bigram import load_bigram
from speculation.drafts.early_exit import early_exit
from speculation.drafts.lookup import LookupModel
from speculation.drafts.short_head import ShortHeadModel
from speculation.models.language_model import (
    LanguageModel,
    ModelRefused,
    TransformersModel,
    choose_device,
)
from speculation.models.lean import LeanModel, can_read, choice_for, in_file, lean, names_in, needed
from speculation.pairs import weights
from speculation.pairs.assets import ASSETS
from speculation.pairs.catalog import BIGRAM, CUSTOM, TARGET, PairSpec, pairs
from speculation.pairs.four_bit_target import four_bit_target, offered
from speculation.pairs.pair import Pair, arithmetic
from speculation.pairs.vocabulary import refuse_unless_same_tokens

TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "tokenizer_config.json")


def refuse_unless_whole(source: str) -> None:
    """Raise ModelRefused for a path that is no folder of a model, saying what is missing.

    A hub's name ("owner/name") is left alone: whether its files are at hand is found out later.
    """
    folder = Path(source).expanduser()
    named = source.startswith((".", "/", "~")) or source.count("/") != 1
    if not folder.exists():
        if named and "/" in source:
            raise ModelRefused(f"there is no folder {source}: check the path")
        return
    if not folder.is_dir():
        raise ModelRefused(
            f"{source} is a file: name the folder with config.json, the weights and the tokenizer"
        )
    if not (folder / "config.json").exists():
        raise ModelRefused(f"{source} has no config.json: it is not a Hugging Face model's folder")
    if not any(folder.glob("*.safetensors")):
        raise ModelRefused(
            f"{source} has no weights as safetensors: save them with safe_serialization=True"
        )
    if not any((folder / name).exists() for name in TOKENIZER_FILES):
        raise ModelRefused(
            f"{source} has no tokenizer (tokenizer.json): save it there with "
            "tokenizer.save_pretrained(folder)"
        )


class Shelf:
    """Loaded models, kept for the next run; the longest unused go first beyond `most`.

    device     where to compute; "auto" takes CUDA or MPS when present
    any_model  whether pairs outside the catalog may be loaded
    """

    def __init__(
        self, cache_dir: Path, device: str = "auto", any_model: bool = False, most: int = 6
    ) -> None:
        self.device = choose_device(device)
        self._cache_dir = cache_dir
        self._any_model = any_model
        self._most = most
        self._converted: tuple[Path, str] | None = None
        self._models: OrderedDict[tuple[str, str], Any] = OrderedDict()

    def pair(self, pair_id: str, precision: str) -> Pair:
        """Load a pair, or take it from the shelf.

        Raises ModelRefused for an unknown or unusable pair, WeightsMissing if the target's
        package is not installed.
        """
        if precision == "int4":
            self._refuse_unless_four_bits(pair_id)
        if pair_id.startswith(CUSTOM):
            return self._custom(pair_id, precision)
        spec = pairs().get(pair_id)
        if spec is None:
            raise ModelRefused(f"there is no pair named {pair_id!r}")
        if self._converted is None:  # found once: the digest reads all of 98 MB
            self._converted = weights.converted(self._cache_dir)
        folder, digest = self._converted
        target, tokenizer = self._hugging_face(str(folder), TARGET, digest, precision)
        draft = self._draft(pair_id.split("/")[1], target, precision)
        return self._paired(spec, target, draft, tokenizer, precision)

    def _refuse_unless_four_bits(self, pair_id: str) -> None:
        """Raise ModelRefused where a pair cannot be had in int4."""
        if not offered(self.device):
            raise ModelRefused(
                "int4 needs a kernel that torch does not have on this machine: take float32 or "
                "bfloat16"
            )
        if pair_id.startswith(CUSTOM):
            raise ModelRefused(
                "int4 reads the shipped target's own 4-bit weights: for a pair of your own take "
                "float32 or bfloat16"
            )

    def _draft(self, kind: str, target: TransformersModel, precision: str) -> LanguageModel:
        """A shipped draft by the last part of its pair's id."""
        if kind == "target":
            return target
        if kind == "lookup":
            return LookupModel(target.vocab_size, target.max_length)
        if kind == "bigram":
            return self._bigram(target.max_length)
        if kind.startswith("early-exit-"):
            return early_exit(target, int(kind.removeprefix("early-exit-")))
        return self._layers(kind, target, precision)

    def _paired(
        self,
        spec: PairSpec,
        target: LanguageModel,
        draft: LanguageModel,
        tokenizer: Any,
        precision: str,
    ) -> Pair:
        return Pair(
            spec, target, draft, tokenizer, arithmetic(target, draft, precision, self.device)
        )

    def _keep(self, key: tuple[str, str], load: Callable[[], Any]) -> Any:
        """What is on the shelf under `key`, or what `load` puts there."""
        if key not in self._models:
            self._models[key] = load()
            while len(self._models) > self._most:
                self._models.popitem(last=False)
        self._models.move_to_end(key)
        return self._models[key]

    def _hugging_face(
        self, source: str, name: str, digest: str | None, precision: str
    ) -> tuple[TransformersModel, Any]:
        """A model and its tokenizer from a folder, or from a hub name whose files are at hand."""

        dtype = torch.bfloat16 if precision == "int4" else getattr(torch, precision)

        def module() -> Any:
            from transformers import AutoModelForCausalLM

            found = AutoModelForCausalLM.from_pretrained(
                source, dtype=dtype, use_safetensors=True, trust_remote_code=False
            )
            return found.to(self.device)

        def load() -> tuple[TransformersModel, Any]:
            from transformers import AutoConfig, AutoTokenizer

            refuse_unless_whole(source)
            try:
                config = AutoConfig.from_pretrained(source, trust_remote_code=False)
                tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False)
                revision = digest or getattr(config, "_commit_hash", None) or source
                label = f"{revision}/{precision}/{self.device}"
                file = Path(source).expanduser() / "model.safetensors"
                if not file.exists() or not can_read(config, names_in(file), self.device):
                    return TransformersModel(module(), name, label), tokenizer
                get = in_file(file, dtype, self.device)
                if precision == "int4":
                    choice = choice_for(
                        config, get, needed(get, "model.embed_tokens.weight"), self._cache_dir
                    )
                    gguf = weights.find_gguf()
                    model = four_bit_target(gguf, config, get, name, label, module, choice)
                    return model, tokenizer
                return lean(config, get, name, label, module, self._cache_dir), tokenizer
            except (OSError, ValueError, KeyError, SafetensorError) as error:
                raise ModelRefused(f"{name} cannot be loaded: {error}") from error

        model, tokenizer = self._keep((source, precision), load)
        return model, tokenizer

    def _layers(self, kind: str, target: TransformersModel, precision: str) -> LanguageModel:
        """A shipped draft: its own layers, a short head, and the target's input embedding."""
        file = ASSETS / "drafts" / kind / "model.safetensors"
        head = ASSETS / "drafts" / "head.safetensors"

        def load() -> ShortHeadModel:
            tensors, digest = load_file(file), weights.file_digest(file)
            if "head.weight" not in tensors:  # the rungs of the ladder share one head
                tensors |= load_file(head)
                digest += f"+{weights.file_digest(head)}"
            label = f"{digest}/{precision}/{self.device}"
            choice = target.choice if isinstance(target, LeanModel) else None
            return ShortHeadModel(target.config, tensors, target.embedding, kind, label, choice)

        draft: LanguageModel = self._keep((str(file), precision), load)
        return draft

    def _bigram(self, max_length: int) -> LanguageModel:
        """The table of counts; the same in every precision."""

        def load() -> LanguageModel:
            return load_bigram(BIGRAM, weights.file_digest(BIGRAM), max_length)

        draft: LanguageModel = self._keep((str(BIGRAM), ""), load)
        return draft

    def _custom(self, pair_id: str, precision: str) -> Pair:
        """Any Hugging Face pair, "hf:TARGET|DRAFT", if the owner allows it."""
        if not self._any_model:
            raise ModelRefused("pairs outside the catalog are turned off on this server")
        names = pair_id.removeprefix(CUSTOM).split("|")
        if len(names) != 2 or not all(names):
            raise ModelRefused(f"{pair_id!r} should read {CUSTOM}TARGET|DRAFT")
        (target, tokenizer), (draft, other) = (
            self._hugging_face(name, name, None, precision) for name in names
        )
        refuse_unless_same_tokens(tokenizer, other, *names)
        spec = PairSpec(pair_id, " and ".join(names), "A pair of your own.", "see its source", 0.0)
        return self._paired(spec, target, draft, tokenizer, precision)
