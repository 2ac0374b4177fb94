"""The matrix products of a pass, laid out for a few rows at a time.

A pass over one text multiplies every weight matrix by 1 to k + 1 rows. Reading the weights from
memory takes most of the time, so a product over five rows could cost what one over a single row
does. Whether it comes near depends on how the weights lie in memory and on the library that reads
them, so there are several layouts, and `choice.py` measures which is best here.

    plain   [out, in], as in a file, by torch's linear
    packed  in the blocks that oneDNN's kernels want, made once; the plain weights can be let go
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
import torch.nn.functional as F

Layout = Literal["plain", "packed"]
Matrix = Callable[[torch.Tensor], torch.Tensor]
"""x [n, in] -> [n, out]"""

PACKED_FOR = 5  # rows that the packed form is made for, k + 1; a hint, any number can be read


@dataclass(frozen=True)
class PlainMatrix:
    """x @ weight.T + bias; weight [out, in].

    >>> PlainMatrix(torch.eye(2)[:1])(torch.tensor([[3.0, 4.0]]))
    tensor([[3.]])
    """

    weight: torch.Tensor
    bias: torch.Tensor | None = None

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.weight, self.bias)


class PackedMatrix:
    """The same product from weights in oneDNN's own blocks; CPU only, float32 or bfloat16."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None) -> None:
        reorder: Any = torch.ops.mkldnn._reorder_linear_weight
        self._packed = reorder(weight.contiguous(), PACKED_FOR)
        self._bias = bias
        self._linear: Any = torch.ops.mkldnn._linear_pointwise.default

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        product: torch.Tensor = self._linear(x, self._packed, self._bias, "none", [], "")
        return product


def can_pack(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether packed weights can be made and read here."""
    if device.type != "cpu" or not torch._C._has_mkldnn:
        return False
    try:
        with torch.inference_mode():
            identity = torch.eye(32, dtype=dtype)
            return bool((PackedMatrix(identity)(identity) == identity).all())
    except (RuntimeError, NotImplementedError, AttributeError):
        return False  # this build, or this processor, has no such kernel


def matrix(
    layout: Layout, weights: Sequence[torch.Tensor], bias: torch.Tensor | None = None
) -> Matrix:
    """One matrix from several that read the same input, [out, in] each, stacked."""
    weight = weights[0] if len(weights) == 1 else torch.cat(list(weights))
    return PackedMatrix(weight, bias) if layout == "packed" else PlainMatrix(weight, bias)
