"""A draft that costs no training: the target's own first layers, and its own head.

It shows what distillation is for. The head has learned to read what the last layer writes, not
what the tenth does, so an untrained early exit agrees with the target far less than its depth
would suggest.
"""

import copy
from typing import Any

from torch.nn import ModuleList

from speculation.models.language_model import TransformersModel
from speculation.models.lean import LeanModel


def early_exit(target: TransformersModel, layers: int) -> TransformersModel:
    """The target cut after its first `layers` layers, sharing its weights.

    Raises ValueError unless 1 <= layers < depth of the target.
    """
    depth = int(target.config.num_hidden_layers)
    if not 1 <= layers < depth:
        raise ValueError(f"early exit after {layers} of {depth} layers: expected 1 to {depth - 1}")
    head, _, rest = target.digest.partition("/")
    name, digest = f"early exit after {layers}", f"{head}-exit{layers}/{rest}"
    if isinstance(target, LeanModel):
        config = copy.deepcopy(target.config)
        config.num_hidden_layers = layers
        short, choice = target.llama.first(layers), target.choice
        return LeanModel(config, short, name, digest, lambda: _cut(target.module, layers), choice)
    return TransformersModel(_cut(target.module, layers), name, digest)


def _cut(whole: Any, layers: int) -> Any:
    """transformers' module with its first layers only; the weights are shared."""
    module = _shallow(whole)
    module.config = copy.deepcopy(whole.config)
    module.config.num_hidden_layers = layers
    module.model = _shallow(whole.model)
    module.model.config = module.config
    module.model.layers = ModuleList(whole.model.layers[:layers])
    return module


def _shallow(module: Any) -> Any:
    """A copy of a torch module that can have other children, with the same parameters."""
    other = copy.copy(module)
    other._modules = dict(module._modules)
    return other
