"""Weights of four bits, multiplied as they are.

A GGUF's Q4_1 stores a matrix in groups of 32 numbers of one row: a code of 0 to 15 each, and for
the group a step d and a least value m, so that w = d * code + m. torch has a kernel for this form
(`_weight_int4pack_mm_for_cpu`): the codes stay codes, and become numbers inside the processor while
the next are on their way from memory. A pass reads a fifth of what it reads in float32.

Two things are not as in the file. The kernel takes d, and m + 8 d, in bfloat16: three digits for
the file's four. And it multiplies by activations in bfloat16. So these weights have a distribution
of their own, as those in bfloat16 have; the rule is exact on it all the same.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

GROUP = 32  # weights that share a step and a least value
BYTES = 20  # of a group: two float16, then 32 codes of 4 bits


class FourBitMatrix:
    """x @ w.T for x [n, in] in bfloat16, from Q4_1 rows; CPU only."""

    def __init__(self, rows: npt.NDArray[np.uint8]) -> None:
        """rows [out, in / 32 * 20], as they lie in the file."""
        codes, steps, least = parts(rows)
        pack: Any = torch.ops.aten._convert_weight_to_int4pack_for_cpu.default
        self._codes = pack(torch.from_numpy(codes.astype(np.int32)), 1)
        # [in / 32, out, 2]; the kernel counts codes from -8
        pairs = np.stack([steps, least + 8.0 * steps], axis=-1).transpose(1, 0, 2)
        self._pairs = torch.from_numpy(np.ascontiguousarray(pairs)).to(torch.bfloat16)
        self._multiply: Any = torch.ops.aten._weight_int4pack_mm_for_cpu.default

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        product: torch.Tensor = self._multiply(x, self._codes, GROUP, self._pairs)
        return product


def parts(
    rows: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Q4_1 rows -> codes [out, in], steps and least values [out, in / 32].

    The first half of a group has its codes in the low bits of the 16 bytes, the second in the high.
    Layout: ggml's block_q4_1.

    >>> row = np.array([[0, 60, 0, 184, *[0x21] * 16]], dtype=np.uint8)  # d = 1, m = -0.5
    >>> codes, steps, least = parts(row)
    >>> codes[0, [0, 15, 16, 31]].tolist(), float(steps[0, 0]), float(least[0, 0])
    ([1, 1, 2, 2], 1.0, -0.5)
    """
    out, groups = len(rows), rows.shape[1] // BYTES
    if rows.shape[1] != groups * BYTES:
        raise ValueError(f"rows of {rows.shape[1]} bytes are no Q4_1: {BYTES} a group")
    blocks = np.ascontiguousarray(rows).reshape(out, groups, BYTES)
    scales = np.ascontiguousarray(blocks[:, :, :4]).view(np.float16).astype(np.float32)
    packed = blocks[:, :, 4:]
    codes = np.concatenate([packed & 15, packed >> 4], axis=-1).reshape(out, groups * GROUP)
    return codes, scales[:, :, 0], scales[:, :, 1]


def can_multiply(device: torch.device) -> bool:
    """Whether torch has the kernel here, and it computes what it should."""
    if device.type != "cpu":
        return False
    try:
        rows = np.zeros((32, 2 * BYTES), dtype=np.uint8)
        rows[:, [1, 21]] = 60  # d = 1, m = 0
        rows[:, [4, 24]] = 3  # the first code of each group
        with torch.inference_mode():
            found = FourBitMatrix(rows)(torch.ones((1, 64), dtype=torch.bfloat16))
        return bool((found == 6.0).all())
    except (RuntimeError, NotImplementedError, AttributeError):
        return False
