"""A Llama's weights on their way into the pass in `llama.py`.

Only what that pass is known to compute is read by it: a LlamaForCausalLM with a config of known
fields, default rotations and plain weights. Anything else keeps transformers' own code.

The weights stand in memory once, as they are laid out for the pass. Whoever needs transformers' own
module too (`generate`, an audit) has it loaded when it is asked for.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from transformers import LlamaConfig

from speculation.models.choice import Choice, choose
from speculation.models.language_model import TransformersModel, refuse_unless_croppable
from speculation.models.llama import Layer, Llama, LlamaContext, Norm, Shape, interleaved
from speculation.models.matrices import Layout, Matrix, matrix

HEAD = "lm_head.weight"
QKV = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
GATE_UP = ("mlp.gate_proj", "mlp.up_proj")
SAMPLED = 8  # layers whose products are timed: more than any cache holds

# What a config may say beyond LlamaConfig's own fields without changing the arithmetic.
_HARMLESS = {"_name_or_path", "_model_name_or_path", "torch_dtype", "unk_token_id"}


class LeanModel(TransformersModel):
    """A Llama in the lean pass; `module` is transformers' own, loaded when it is asked for."""

    def __init__(
        self,
        config: LlamaConfig,
        llama: Llama,
        name: str,
        digest: str,
        module: Callable[[], Any],
        choice: Choice,
    ) -> None:
        refuse_unless_croppable(config, name)
        self.llama = llama
        self.choice = choice
        self._describe(config, name, digest)
        self._load, self._loaded = module, None

    @property
    def module(self) -> Any:
        if self._loaded is None:
            self._loaded = self._load().eval()
        return self._loaded

    @property
    def embedding(self) -> torch.Tensor:
        return self.llama.embedding

    @property
    def dtype(self) -> torch.dtype:
        return self.llama.embedding.dtype

    @property
    def read_by(self) -> str:
        return f"own, {self.choice.layout} weights"

    def start(self) -> LlamaContext:  # type: ignore[override]
        return LlamaContext(self.llama)


Tensors = Callable[[str], torch.Tensor | None]
"""A tensor by its Llama name ("model.layers.0.mlp.up_proj.weight"); None where there is none."""


def can_read(config: Any, names: Iterable[str], device: torch.device) -> bool:
    """Whether the lean pass computes what transformers does for a model of these tensors."""
    rope = getattr(config, "rope_parameters", None) or {}
    return (
        type(config) is LlamaConfig
        and config.architectures in (None, ["LlamaForCausalLM"])
        and not set(config.to_dict()) - set(LlamaConfig().to_dict()) - _HARMLESS
        and config.hidden_act == "silu"
        and rope.get("rope_type") == "default"
        and not set(rope) - {"rope_type", "rope_theta"}
        and config.head_dim % 2 == 0
        and device.type in ("cpu", "cuda")
        and set(names) | {HEAD} == _names(config)
        and (HEAD in names or config.tie_word_embeddings)
    )


def names_in(file: Path) -> set[str]:
    """The tensors of a safetensors file, by name."""
    with safe_open(file, framework="pt") as opened:
        return set(opened.keys())


def in_file(file: Path, dtype: torch.dtype, device: torch.device) -> Tensors:
    """Tensors of a safetensors file, copied: the file is closed again and takes no memory."""

    def get(name: str) -> torch.Tensor | None:
        with safe_open(file, framework="pt") as opened:
            if name not in opened.keys():  # noqa: SIM118 (no mapping)
                return None
            found: torch.Tensor = opened.get_tensor(name)
            return found.to(device=device, dtype=dtype, copy=True)

    return get


@torch.inference_mode()
def lean(
    config: LlamaConfig,
    get: Tensors,
    name: str,
    digest: str,
    module: Callable[[], Any],
    folder: Path | None = None,
) -> LeanModel:
    """The model in the lean pass; `can_read` must have said that it can be.

    module  loads transformers' own, for who needs it
    folder  where the measured choice of a layout is kept
    """
    embedding, shape = needed(get, "model.embed_tokens.weight"), shape_of(config)
    tied = None if config.tie_word_embeddings else get(HEAD)
    head = embedding if tied is None else tied
    choice = choice_for(config, get, head, folder)
    layers = tuple(
        layer_of(f"model.layers.{i}", get, shape, choice.layout)
        for i in range(config.num_hidden_layers)
    )
    norm = Norm(needed(get, "model.norm.weight"), shape.eps)
    last = matrix(choice.layout, [head])
    llama = Llama(shape, embedding, layers, norm, last, choice.widths)
    return LeanModel(config, llama, name, digest, module, choice)


def choice_for(
    config: LlamaConfig, get: Tensors, head: torch.Tensor, folder: Path | None
) -> Choice:
    """How this model's matrices should lie here; see `choice.py`."""
    sizes = (config.num_hidden_layers, config.hidden_size, config.intermediate_size, len(head))
    model = "Llama " + " x ".join(map(str, sizes))
    return choose(model, head, lambda: _sample(config, get, head), folder)


def needed(get: Tensors, name: str) -> torch.Tensor:
    """A tensor that must be there. Raises ValueError if it is not."""
    found = get(name)
    if found is None:
        raise ValueError(f"there is no tensor {name}")
    return found


def shape_of(config: LlamaConfig) -> Shape:
    """The sizes that a pass needs."""
    return Shape(
        int(config.num_attention_heads),
        int(config.num_key_value_heads),
        int(config.head_dim),
        float(config.rms_norm_eps),
        float(config.rope_parameters["rope_theta"]),
    )


def layer_of(prefix: str, get: Tensors, shape: Shape, layout: Layout) -> Layer:
    """One layer from its tensors."""

    def joined(*names: str) -> Matrix:
        weights, biases = [], []
        for name in names:
            weight, bias = needed(get, f"{prefix}.{name}.weight"), get(f"{prefix}.{name}.bias")
            turned = name in ("self_attn.q_proj", "self_attn.k_proj")
            weights.append(interleaved(weight, shape.head_dim) if turned else weight)
            if bias is not None:
                biases.append(interleaved(bias, shape.head_dim) if turned else bias)
        return matrix(layout, weights, torch.cat(biases) if biases else None)

    def norm(name: str) -> Norm:
        return Norm(needed(get, f"{prefix}.{name}.weight"), shape.eps)

    return Layer(
        attention_norm=norm("input_layernorm"),
        qkv=joined(*QKV),
        attention_out=joined("self_attn.o_proj"),
        mlp_norm=norm("post_attention_layernorm"),
        gate_up=joined(*GATE_UP),
        down=joined("mlp.down_proj"),
    )


def _sample(config: LlamaConfig, get: Tensors, head: torch.Tensor) -> list[torch.Tensor]:
    """Some layers' matrices as the pass has them, and the head's."""
    depth, found = int(config.num_hidden_layers), [head]
    for i in range(0, depth, max(1, depth // SAMPLED)):
        for names in (QKV, ("self_attn.o_proj",), GATE_UP, ("mlp.down_proj",)):
            parts = [needed(get, f"model.layers.{i}.{name}.weight") for name in names]
            found.append(torch.cat(parts))
    return found


def _names(config: LlamaConfig) -> set[str]:
    """Every tensor that such a Llama has, by name."""
    names = {"model.embed_tokens.weight", "model.norm.weight", HEAD}
    for i in range(config.num_hidden_layers):
        layer = f"model.layers.{i}"
        names |= {f"{layer}.{x}.weight" for x in ("input_layernorm", "post_attention_layernorm")}
        for part, kinds, bias in (
            ("self_attn", "qkvo", config.attention_bias),
            ("mlp", ("gate", "up", "down"), config.mlp_bias),
        ):
            projections = {f"{layer}.{part}.{x}_proj" for x in kinds}
            names |= {f"{x}.weight" for x in projections}
            names |= {f"{x}.bias" for x in projections} if bias else set()
    return names
