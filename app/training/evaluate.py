"""Alpha of every draft on held-out prompts, on texts the target sampled itself.

alpha = sum over the full vocabulary of min(p, q), averaged over the positions the target wrote, up
to the end of its turn. p and q both carry the temperature the text was sampled at; at 0 they are
one-hot, and alpha is the share of positions where both have the same first choice. Everything is
float32. The interval is a bootstrap over prompts (95%).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from training.target import END_OF_TEXT, TURN_END, Target
from training.texts.prompts import Prompts
from training.texts.sample import Sampler, Texts
from training.texts.score import target_states

LogLaw = Callable[[Tensor], Tensor]  # tokens [rows, length] -> log q [rows, length, vocab]
TEMPERATURES = (0.0, 0.5, 1.0, 1.5)
CONTEXTS = (64, 256, 512, 1024)


@dataclass(frozen=True)
class Alpha:
    """A mean overlap with its 95% interval."""

    mean: float
    low: float
    high: float
    positions: int


def bootstrap(total: NDArray[np.float64], count: NDArray[np.float64], seed: int = 0) -> Alpha:
    """Mean over all positions; prompts are drawn again, with their positions, for the interval."""
    mean = float(total.sum() / max(1.0, count.sum()))
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(total), (1000, len(total)))
    again = total[picks].sum(1) / np.maximum(1.0, count[picks].sum(1))
    low, high = np.percentile(again, [2.5, 97.5])
    return Alpha(round(mean, 4), round(float(low), 4), round(float(high), 4), int(count.sum()))


def overlaps(target_logits: Tensor, log_draft: Tensor, temperature: float) -> Tensor:
    """sum min(p, q) at each of N positions, laws [N, vocab]."""
    if temperature == 0:
        return (target_logits.argmax(-1) == log_draft.argmax(-1)).float()
    p = (target_logits / temperature).softmax(-1)
    q = (log_draft / temperature).softmax(-1)
    return torch.minimum(p, q).sum(-1)


def same_width(one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Logits [N, V] of two models, the narrower filled up with minus infinity: its law is 0 there.

    As `speculation.models.language_model.over_one_vocabulary`: neither is cut.
    """
    width = max(one.shape[-1], other.shape[-1])
    rows = (pad(x, (0, width - x.shape[-1]), value=float("-inf")) for x in (one, other))
    return next(rows), next(rows)


def first_turn(texts: Texts) -> Tensor:
    """True where the next token is the target's own, up to and with the end of its first turn."""
    tokens = torch.from_numpy(texts.tokens.astype(np.int64))
    position = torch.arange(tokens.shape[1])[None]
    start = torch.from_numpy(texts.prompt_length.astype(np.int64))[:, None]
    ends = ((tokens == TURN_END) | (tokens == END_OF_TEXT)) & (position >= start)
    end = torch.where(ends.any(1), ends.float().argmax(1), tokens.shape[1] - 1)[:, None]
    return (position >= start - 1) & (position < end)


@torch.inference_mode()
def overlap_table(
    target: Target, drafts: Mapping[str, LogLaw], texts: Texts, chunk: int
) -> tuple[dict[str, Tensor], Tensor]:
    """Each draft's overlap, and the head's mass under p, at every position [rows, length]."""
    device = target.embedding.device
    tokens = torch.from_numpy(texts.tokens.astype(np.int64)).to(device)
    rows = max(1, chunk // tokens.shape[1])
    found: dict[str, list[Tensor]] = {name: [] for name in drafts}
    mass = []
    for index in torch.arange(len(tokens)).split(rows):  # type: ignore[no-untyped-call]
        part = tokens[index.to(device)]
        states = target_states(target, part, chunk, torch.float32).float()
        logits = states.flatten(0, 1) @ target.embedding.float().T
        heat = torch.from_numpy(texts.temperature)[index].repeat_interleave(part.shape[1])
        for name, log_law in drafts.items():
            logits, log_q = same_width(logits, log_law(part).flatten(0, 1))
            out = torch.zeros(len(log_q), device=device)
            for t in sorted(set(heat.tolist())):
                here = (heat == t).to(device)
                out[here] = overlaps(logits[here], log_q[here], t)
            found[name].append(out.view(part.shape).cpu())
        mass.append((logits.softmax(-1) * (log_q > float("-inf"))).sum(-1).view(part.shape).cpu())
    return {name: torch.cat(parts) for name, parts in found.items()}, torch.cat(mass)


def heldout_texts(
    target: Target, prompts: Prompts, length: int, repeats: Mapping[float, int], seed: int
) -> Texts:
    """Texts of the target for every held-out prompt, at every temperature, `repeats` times."""
    dtype = torch.float32 if target.embedding.device.type == "cpu" else torch.bfloat16
    plan = [(i, t) for t, n in repeats.items() for i in range(len(prompts.ids)) for _ in range(n)]
    chosen = np.array([i for i, _ in plan])
    heat = np.array([t for _, t in plan], np.float32)
    sampler = Sampler(target, len(plan), length, dtype)
    ids = [prompts.ids[i][:length] for i in chosen]
    tokens = sampler.run(ids, torch.from_numpy(heat), length, seed)
    return Texts(
        tokens=tokens.cpu().numpy().astype(np.uint16),
        prompt_length=np.array([len(i) for i in ids], np.int32),
        length=np.full(len(ids), length, np.int32),
        temperature=heat,
        kind=prompts.kind[chosen],
        prompt=chosen.astype(np.int32),
    )


def by_prompt(
    values: Tensor, mask: Tensor, prompt: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of values and counts of positions, one for each prompt that has any."""
    index = prompt.astype(np.int64)
    total = np.bincount(index, (values * mask).sum(1).double().numpy()).astype(np.float64)
    count = np.bincount(index, mask.sum(1).double().numpy()).astype(np.float64)
    return total[count > 0], count[count > 0]


def evaluate(
    target: Target,
    drafts: Mapping[str, LogLaw],
    prompts: Prompts,
    *,
    length: int = 512,
    long_length: int = 1088,
    chunk: int = 8_192,
    repeats: Mapping[float, int] | None = None,
    seed: int = 77,
) -> dict[str, Any]:
    """alpha[draft][kind][temperature], alpha by context length, and the head's mass."""
    repeats = repeats or {t: 2 if t == 1.0 else 1 for t in TEMPERATURES}
    texts = heldout_texts(target, prompts, length, repeats, seed)
    table, mass = overlap_table(target, drafts, texts, chunk)
    turn = first_turn(texts)
    result: dict[str, Any] = {"alpha": {}, "context": {}, "kinds": prompts.kinds}
    groups = {"all": np.ones(len(texts.kind), bool)}
    groups |= {kind: texts.kind == i for i, kind in enumerate(prompts.kinds)}
    for name, values in table.items():
        result["alpha"][name] = {}
        for group, rows in groups.items():
            result["alpha"][name][group] = {}
            for t in repeats:
                some = np.flatnonzero(rows & (texts.temperature == np.float32(t)))
                pairs = by_prompt(values[some], turn[some], texts.prompt[some])
                result["alpha"][name][group][str(t)] = vars(bootstrap(*pairs))
    at_one = np.flatnonzero(texts.temperature == 1.0)
    result["head mass"] = round(float((mass[at_one] * turn[at_one]).sum() / turn[at_one].sum()), 4)
    result["context"] = by_context(target, drafts, prompts, long_length, chunk, seed + 1)
    return result


def by_context(
    target: Target,
    drafts: Mapping[str, LogLaw],
    prompts: Prompts,
    length: int,
    chunk: int,
    seed: int,
) -> dict[str, dict[str, Any]]:
    """Alpha at temperature 1 within 32 positions of each context length, over whole rows.

    Few first turns are that long, so here a text goes on after its end: into another question and
    its answer, all written by the target.
    """
    texts = heldout_texts(target, prompts, length, {1.0: 1}, seed)
    table, _ = overlap_table(target, drafts, texts, chunk)
    position, wrote = torch.arange(length)[None], torch.from_numpy(texts.wrote())
    found: dict[str, dict[str, Any]] = {name: {} for name in drafts}
    for name, values in table.items():
        for context in CONTEXTS:
            if context + 32 > length:
                continue
            near = wrote & (position + 1 >= context - 32) & (position + 1 < context + 32)
            pairs = by_prompt(values, near, texts.prompt)
            found[name][str(context)] = vars(bootstrap(*pairs))
    return found


def print_table(result: dict[str, Any]) -> None:
    """Alpha by draft, kind and temperature; then by context length."""
    for name, kinds in result["alpha"].items():
        for kind, row in kinds.items():
            cells = "  ".join(
                f"T={t}: {a['mean']:.3f} [{a['low']:.3f}, {a['high']:.3f}]" for t, a in row.items()
            )
            print(f"{name:10} {kind:13} {cells}")
    for name, row in result["context"].items():
        print(
            f"{name:10} context       " + "  ".join(f"{c}: {a['mean']:.3f}" for c, a in row.items())
        )
    print(f"target mass on the head's tokens: {result['head mass']}", flush=True)


def save(result: dict[str, Any], path: Path) -> None:
    """Write the numbers as JSON."""
    path.write_text(json.dumps(result, indent=1) + "\n")
