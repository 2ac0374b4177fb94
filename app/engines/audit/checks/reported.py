"""Are the probabilities that an engine reports the target's? Evaluations rest on them.

Reported with a draft model: 0.0 and an empty top list for every drafted token, and right values
without one (ggml-org/llama.cpp issue 27972).
"""

from dataclasses import replace

import numpy as np

from engines.audit.arithmetic import clear_of
from engines.audit.checks.law import why_not
from engines.audit.evidence import Check, Evidence, counted

NONE = "The engine reports no probabilities with its tokens."
FEW = "Too few reported probabilities have come."
ENOUGH = 20
LEAST_APART = 0.03
"""In probability: a very unlikely token's logarithm moves far and means little."""


def probabilities(evidence: Evidence) -> Check:
    """Each token's reported log-probability, and its top list, against the target's."""
    question = "Are the reported probabilities the target's, up to the engine's arithmetic?"
    check = Check("reported probabilities", question, certain=True)
    if reason := why_not(evidence):
        return replace(check, why_not=reason)
    off, before = evidence.reported_differences()
    if not len(off):
        return replace(check, why_not=NONE)
    if len(off) < ENOUGH:
        return replace(check, why_not=FEW)
    limit = max(clear_of(off), 2.0 * evidence.arithmetic.spread)
    pairs = [(text, x) for text, x in evidence.pairs("main") if len(x.told_raw)]
    top = np.concatenate([x.told_top for _, x in pairs])
    listed = np.isfinite(top)
    said = np.exp(np.concatenate([x.told.logprobs[: len(y.told_raw)] for x, y in pairs]))
    apart = np.abs(said - said * np.exp(-off))
    bad = ~((np.abs(off) <= limit) | (apart <= LEAST_APART))
    lacking = ~listed if listed.any() else np.zeros(len(top), dtype=bool)
    # Top lists are of the distribution before filters, so they are compared only if the rest is.
    far = np.abs(np.where(listed, top, 0.0)) > max(LEAST_APART, limit / 2.0)
    wrong = bad | lacking | (before & far)
    stage = "before" if before else "after"
    words = (
        f"They are those {stage} temperature and filters; typical difference "
        f"{float(np.median(np.abs(off[~bad]))) if (~bad).any() else np.nan:.2g}, and beyond "
        f"{limit:.2g} it is no rounding."
    )
    if bad.any():
        words += f" {int(bad.sum())} are wrong, the worst by {_worst(off[bad]):.2g}."
    if before and far.any():
        words += (
            f" {int(far.sum())} top lists are wrong, the worst by {np.nanmax(np.abs(top)):.2g}."
        )
    if lacking.any():
        words += f" {int(lacking.sum())} tokens have no top list, though others have."
    finding = counted(check.name, int(wrong.sum()), len(off), "of the tokens")
    return replace(check, finding=finding, words=words)


def _worst(off: np.ndarray) -> float:
    finite = np.abs(off[np.isfinite(off)])
    return float(finite.max()) if len(finite) else float("inf")
