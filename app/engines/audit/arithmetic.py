"""How far an engine's own arithmetic may carry it from the target that scores it.

An engine in another process has kernels, a precision and perhaps a quantization of its own, so its
logits are not the target's to the last digit, and no rule of speculative decoding is to blame for
that. What is known of it comes, in this order, from what the user states (`--engine-precision`),
from the probabilities that the engine reports, or from nothing but caution. It says how wide a gap
between two logits may still be a tie, and how large a deviation is not claimed to be one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

CLEAR = 25.0
"""How many lower quartiles of the differences are still rounding: eight standard deviations, were
they normal. The quartile, since a fault in the drafted tokens may touch two thirds of them."""
LEAST_CLEAR = 0.05
FEW = 50  # tokens: with fewer, nothing is read off them


@dataclass(frozen=True)
class Arithmetic:
    """What is known.

    spread  how far one logit may lie from the target's
    moved   total variation that this alone makes of the distribution, on average
    source  where that is from, in words
    """

    spread: float
    moved: float
    source: str

    @property
    def sentence(self) -> str:
        """For the report."""
        if not self.spread:
            return self.source
        return (
            f"{self.source}: a logit may lie {self.spread:.2g} from the target's, so a gap below "
            f"{2.0 * self.spread:.2g} cannot be told from a tie, nor a total variation below "
            f"{self.moved:.2g} from rounding"
        )


SAME = Arithmetic(0.0, 0.0, "the target's own, in this process")

STATED: Mapping[str, Arithmetic] = {
    "float32": Arithmetic(1e-3, 1e-4, "stated: float32"),
    "float16": Arithmetic(0.05, 0.003, "stated: float16"),
    "bfloat16": Arithmetic(0.4, 0.02, "stated: bfloat16"),
    "q8": Arithmetic(0.3, 0.02, "stated: 8-bit"),
    "q4": Arithmetic(1.0, 0.1, "stated: 4-bit"),
}
"""By the name of a precision, for the same weights otherwise. bfloat16 as measured on the shipped
target, one row against five (logits up to .8 apart, total variation .02 on average)."""

UNKNOWN = Arithmetic(
    1.0, 0.02, "not known (--engine-precision states it, reported probabilities would show it)"
)


def reported(differences: Sequence[Numbers] | Numbers) -> Arithmetic | None:
    """From reported minus computed log-probabilities of tokens that the engine drew itself.

    The total variation between the two distributions is half the mean of |1 - p / p'| over draws
    from the engine's own p'. Differences that are no rounding (see `clear_of`) are left out: they
    are the business of another check. None if there are too few.

    >>> found = reported(np.array([0.01, -0.01] * 50))
    >>> round(found.spread, 3), round(found.moved, 3)
    (0.01, 0.005)
    """
    parts = [differences] if isinstance(differences, np.ndarray) else list(differences)
    every = np.concatenate(parts) if parts else np.array([])
    every = every[np.isfinite(every)]
    if len(every) < FEW:
        return None
    near = every[np.abs(every) <= clear_of(every)]
    moved = 0.5 * float(np.abs(1.0 - np.exp(-near)).mean())
    source = f"as its reported probabilities show, {len(every)} tokens"
    return Arithmetic(float(np.abs(near).max(initial=0.0)), moved, source)


def clear_of(differences: Numbers) -> float:
    """From which size on a difference is no rounding."""
    known = np.abs(differences[np.isfinite(differences)])
    typical = float(np.quantile(known, 0.25)) if len(known) else 0.0
    return max(LEAST_CLEAR, CLEAR * typical)
