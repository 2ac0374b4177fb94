"""Products with 4-bit weights, against the numbers that the file says."""

import numpy as np
import pytest
import torch
from gguf.quants import Q4_1

from speculation.models.four_bits import BYTES, FourBitMatrix, can_multiply, parts

CPU = torch.device("cpu")
pytestmark = pytest.mark.skipif(not can_multiply(CPU), reason="torch has no 4-bit kernel here")


def stored(seed: int, out: int, size: int) -> np.ndarray:
    weights = np.random.default_rng(seed).normal(0.02, 0.1, (out, size)).astype(np.float32)
    return Q4_1.quantize(weights)


def test_the_parts_are_gguf_s_own() -> None:
    rows = stored(0, 6, 96)
    codes, steps, least = parts(rows)
    values = codes.reshape(6, 3, 32) * steps[:, :, None] + least[:, :, None]
    np.testing.assert_array_equal(values.reshape(6, 96), Q4_1.dequantize(rows))


@pytest.mark.parametrize(("out", "size", "n"), [(32, 64, 1), (96, 576, 5), (64, 1536, 9)])
def test_a_product_is_that_of_the_numbers(out: int, size: int, n: int) -> None:
    """Within what bfloat16 leaves of scales and results; another code would be far off."""
    rows = stored(out, out, size)
    x = torch.randn(n, size, generator=torch.Generator().manual_seed(n)).to(torch.bfloat16)
    with torch.inference_mode():
        found = FourBitMatrix(rows)(x).float()
        expected = x.float() @ torch.from_numpy(Q4_1.dequantize(rows)).T
    assert (found - expected).abs().max() < 0.02 * expected.abs().max()


def test_other_rows_are_refused() -> None:
    with pytest.raises(ValueError, match=r"rows of 21 bytes are no Q4_1: 20 a group"):
        parts(np.zeros((2, BYTES + 1), dtype=np.uint8))


def test_only_the_cpu_has_the_kernel() -> None:
    assert not can_multiply(torch.device("cuda"))
