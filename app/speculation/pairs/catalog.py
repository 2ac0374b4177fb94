"""Which pairs of models exist, in words for the page.

A pair is a target and a draft with one tokenizer. The shipped ones all have the same target; their
drafts lie in assets/drafts. The owner of a server may allow any Hugging Face pair as well
("hf:TARGET|DRAFT", by name or folder); a visitor cannot turn that on.
"""

from dataclasses import dataclass
from pathlib import Path

from speculation.pairs.assets import ASSETS

TARGET = "SmolLM2-135M-Instruct"
CUSTOM = "hf:"
EARLY_EXITS = (4, 15, 22)
BIGRAM = ASSETS / "drafts" / "bigram" / "model.safetensors"


@dataclass(frozen=True)
class PairSpec:
    """One entry of the catalog, in words for the page."""

    id: str
    title: str
    about: str
    license: str
    megabytes: float


def pairs() -> dict[str, PairSpec]:
    """The shipped pairs by id, the default first."""
    about = {
        4: "The target's first four layers, trained to imitate the target.",
        2: "Its first two layers: cheaper, and wrong more often.",
        1: "Its first layer alone: the cheapest.",
    }
    found = {}
    for layers, text in about.items():
        file = _draft_file(layers)
        if file.exists():
            found[f"smollm2-135m/layers-{layers}"] = PairSpec(
                id=f"smollm2-135m/layers-{layers}",
                title=f"{layers} layer{'s' * (layers > 1)}, distilled",
                about=text,
                license="Apache-2.0",
                megabytes=file.stat().st_size / 1e6,
            )
    if BIGRAM.exists():
        found["smollm2-135m/bigram"] = PairSpec(
            id="smollm2-135m/bigram",
            title="bigram, a table of counts",
            about="What followed the last token in the target's own texts. It sees one token back.",
            license="Apache-2.0",
            megabytes=BIGRAM.stat().st_size / 1e6,
        )
    without_weights = {
        "lookup": (
            "lookup, no weights",
            "Proposes what followed the same words earlier in the text. Costs nothing, and knows "
            "only what stands there already.",
        ),
        **{
            f"early-exit-{layers}": (
                f"early exit after {layers} of 30 layers",
                "The target's own first layers and head, untrained: what distillation is for.",
            )
            for layers in EARLY_EXITS
        },
        "target": ("the target itself", "q = p: never rejected, never faster. The sanity check."),
    }
    for kind, (title, text) in without_weights.items():
        found[f"smollm2-135m/{kind}"] = PairSpec(
            f"smollm2-135m/{kind}", title, text, license="Apache-2.0", megabytes=0.0
        )
    return found


def _draft_file(layers: int) -> Path:
    return ASSETS / "drafts" / f"layers-{layers}" / "model.safetensors"
