"""Prompts: templates and topics from a JSON file, as token ids.

``prompts.json`` is for training, ``heldout.json`` (with the measurements) for every number that is
reported; they share
neither a template nor a topic. A kind with ``chat`` true is sent as the app sends it (the target's
own chat template with its default system message); ``chat`` "open" stops where the user would
write, so the target writes the question too; without it the text is continued as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from speculation.pairs.assets import ASSETS

HERE = Path(__file__).parent
TRAINING_FILE = HERE / "prompts.json"
HELDOUT_FILE = ASSETS / "measurements" / "heldout.json"


@dataclass(frozen=True)
class Prompts:
    """Token ids of every prompt and the kind each belongs to."""

    ids: list[NDArray[np.int32]]
    kind: NDArray[np.int32]
    kinds: list[str]
    shares: NDArray[np.float64]

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
        """Indices of `count` prompts: first a kind by its share, then one of its prompts."""
        by_kind = [np.flatnonzero(self.kind == k) for k in range(len(self.kinds))]
        kinds = rng.choice(len(self.kinds), count, p=self.shares / self.shares.sum())
        return np.array([rng.choice(by_kind[k]) for k in kinds])

    def save(self, path: Path) -> None:
        """Write flat ids and their lengths."""
        np.savez(
            path,
            ids=np.concatenate(self.ids),
            lengths=np.array([len(i) for i in self.ids]),
            kind=self.kind,
            kinds=np.array(self.kinds),
            shares=self.shares,
        )

    @staticmethod
    def load(path: Path) -> Prompts:
        """Read what `save` wrote."""
        with np.load(path) as file:
            ids = np.split(file["ids"], np.cumsum(file["lengths"])[:-1])
            return Prompts(ids, file["kind"], list(file["kinds"]), file["shares"])


def write_passages(spec: dict[str, Any], count: int, seed: int = 0) -> list[str]:
    """Passages of three to six sentences whose slots are filled at random.

    They say little, so only copying predicts them: that is what a quoted passage asks of a draft.
    But a draft may learn their few sentences by heart: `own_passages` are as many as there is text.
    """
    rng = np.random.default_rng(seed)

    def one() -> str:
        chosen = rng.choice(spec["sentences"], rng.integers(3, 7), replace=False)
        filled = (s.format(**{k: rng.choice(v) for k, v in spec["words"].items()}) for s in chosen)
        return " ".join(filled)

    return [one() for _ in range(count)]


def texts_of(spec: dict[str, Any], own: Sequence[str] = ()) -> list[tuple[str, str]]:
    """(kind, prompt text) for every template and topic.

    A template for passages gets 80 written ones and its share of the target's `own`.
    """
    found = []
    for kind, part in spec["kinds"].items():
        topics = part.get("topics", spec.get("topics"))
        for index, template in enumerate(part["templates"]):
            if topics == "passages":
                chosen = write_passages(spec["passages"], 80, seed=index)
                chosen += own[index :: len(part["templates"])]
            else:
                chosen = topics
            for topic in chosen:
                text = template.replace("{topic}", topic)
                found.append((kind, as_chat(spec["system"], text, part["chat"])))
    return found


def as_chat(system: str, text: str, chat: bool | str) -> str:
    """The text as the model's chat template would send it (see the module's docstring)."""
    if not chat:
        return text
    opening = f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n{text}"
    return opening if chat == "open" else f"{opening}<|im_end|>\n<|im_start|>assistant\n"


def tokenize(path: Path, tokenizer: Any, own: Sequence[str] = ()) -> Prompts:
    """Read a prompt file and tokenize it; `own` are passages that the target wrote."""
    spec = json.loads(path.read_text())
    pairs = texts_of(spec, own)
    kinds = list(spec["kinds"])
    ids = tokenizer([text for _, text in pairs])["input_ids"]
    return Prompts(
        ids=[np.array(i, np.int32) for i in ids],
        kind=np.array([kinds.index(kind) for kind, _ in pairs], np.int32),
        kinds=kinds,
        shares=np.array([part["share"] for part in spec["kinds"].values()], np.float64),
    )
