"""Weights to their place, and a model card for each rung, made from the measured numbers."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path
from typing import Any

import torch

LICENSE = """## License
Apache-2.0. Derived from SmolLM2-135M-Instruct by Hugging Face TB, which is Apache-2.0.
"""

FORMATS = {
    "layers": """`model.safetensors` holds bfloat16 tensors with LlamaModel's names
(`model.layers.i.*`, `model.norm.weight`); the configuration is the target's with fewer layers. The
input embedding is the target's own and is not stored. The output head is shared by the layered
rungs and lies in `../head.safetensors`: `head.weight` [rows, 576] and `head.token_ids` [rows],
ascending. The distribution is a softmax over those tokens, and 0 for every other token.""",
    "bigram": """`model.safetensors` holds `bigram.start` [vocabulary + 1], `bigram.successor` and
`bigram.kept` (compressed rows: the successors of token x are at start[x] to start[x + 1]) and
`bigram.unigram` [vocabulary]. The distribution after x is kept(x, y) + rest(x) u(y), where u is the
unigram distribution and rest(x) = 1 - the sum of kept(x, .), so it sums to 1.""",
}

LIMITS = """## Limits
It imitates this target only: the 4-bit SmolLM2-135M-Instruct named above, in English and in code,
under that model's chat template. It is a draft for speculative decoding, whose output follows the
target whatever the draft proposes; it is not meant to write text alone. Alpha falls on text unlike
the training prompts and at temperatures above 1, on which it was not trained.
"""


def machine(device: torch.device) -> str:
    """The machine in words."""
    threads = f"{torch.get_num_threads()} CPU threads ({platform.machine()})"
    if device.type == "cuda":
        return f"one {torch.cuda.get_device_name(device)} GPU, {threads}"
    return threads


def number(alpha: dict[str, float]) -> str:
    """A mean with its interval, as a table cell."""
    return f"{alpha['mean']:.3f} ({alpha['low']:.3f} to {alpha['high']:.3f})"


def alpha_table(kinds: dict[str, dict[str, dict[str, float]]]) -> str:
    """Alpha by prompt kind and temperature as a Markdown table."""
    temperatures = list(kinds["all"])
    lines = [
        "| prompts | " + " | ".join(f"T = {t}" for t in temperatures) + " |",
        "|---" * (1 + len(temperatures)) + "|",
    ]
    for kind, row in kinds.items():
        lines.append(f"| {kind} | " + " | ".join(number(row[t]) for t in temperatures) + " |")
    return "\n".join(lines)


def describe(rung: str, result: dict[str, Any]) -> str:
    """One paragraph: what the rung is."""
    if rung == "bigram":
        return (
            "The distribution of the next token given the last one alone, counted from the samples."
        )
    layers, recipe = rung.removeprefix("layers-"), result["recipe"]
    plural = "layer" if layers == "1" else "layers"
    return (
        f"The target's first {layers} {plural} and final norm, trained to imitate the target, with"
        f" an output head over the {recipe['head_rows']:,} most frequent tokens"
        f" (which hold {result['head mass']:.1%} of the target's mass on held-out prompts)."
    )


def write_card(rung: str, result: dict[str, Any]) -> str:
    """The whole card as Markdown."""
    tokens, minutes, recipe = result["tokens"], result["minutes"], result["recipe"]
    spent = ", ".join(f"{stage} {m:g}" for stage, m in minutes.items()) or "not recorded"
    made = (
        f"`python -m training all` on {result['machine']}. The target sampled"
        f" {tokens['sampled'] / 1e6:.1f} M tokens ({tokens['written by the target'] / 1e6:.1f} M of"
        " them its own, the rest prompts) at temperatures"
        f" {', '.join(f'{t:g}' for t in recipe['temperatures'])}."
    )
    if rung != "bigram":
        made += (
            f" The rungs were trained together on {result['trained tokens'] / 1e6:.1f} M tokens"
            " (passes over the same texts included) with cross-entropy against the target's full"
            " distribution, later 1 - overlap, in bfloat16."
        )
    context = result["context"].get(rung, {})
    by_context = "\n".join(f"| {length} | {number(a)} |" for length, a in context.items())
    return f"""# {rung}

{describe(rung, result)}

Target: {result["target"]}.

## How it was made
{made} Minutes: {spent}. The recipe's numbers are in `../results.json`.

## Files
{FORMATS["bigram" if rung == "bigram" else "layers"]}

## Measured
Alpha (the sum over the full vocabulary of min(p, q), averaged over positions) on held-out prompts
whose templates and topics were not used in training, on texts the target sampled itself, with a 95%
bootstrap interval over prompts. The draft and the target both carry the temperature.

{alpha_table(result["alpha"][rung])}

Alpha at temperature 1 by tokens of context (whole rows, going on after the first answer):

| context | alpha |
|---|---|
{by_context}

{LIMITS}
{LICENSE}"""


def publish(drafts: Path, out: Path, result: dict[str, Any]) -> None:
    """Copy weights and numbers to `out`, and write each rung's README.md."""
    out.mkdir(parents=True, exist_ok=True)
    for name in ("head.safetensors", "results.json"):
        shutil.copy(drafts / name, out / name)
    for folder in sorted(path.parent for path in drafts.glob("*/model.safetensors")):
        (out / folder.name).mkdir(exist_ok=True)
        shutil.copy(folder / "model.safetensors", out / folder.name / "model.safetensors")
        (out / folder.name / "README.md").write_text(write_card(folder.name, result))
    print(f"card: written to {out}", flush=True)
