"""The law that the rule commits, against p, at real positions and over the whole vocabulary."""

import numpy as np
import numpy.typing as npt

from benchmarks.cases import Bench
from benchmarks.report import Part
from recordings.presets import presets
from speculation.dice import draw_intervals
from speculation.models.passes import PassStore
from speculation.pairs.pair import Pair
from speculation.rule import Law, acceptance, committed_law, residual
from speculation.run import Run
from speculation.sampling import Sampling, law

KINDS = {
    "T 1": Sampling(),
    "T 0": Sampling(temperature=0.0),
    "T 0.7, top-p 0.9": Sampling(0.7, top_p=0.9),
    "T 1.5, min-p 0.02": Sampling(1.5, min_p=0.02),
    "T 1, top-k 50": Sampling(top_k=50),
}


def measure(bench: Bench) -> Part:
    """At every position of a real run of every preset, for several kinds of sampling."""
    part = Part(
        "law",
        "The committed tokens' distribution against p, whole vocabulary",
        "largest difference at most 1e-12",
        "drawn: the distribution put together from the lengths of the intervals of random numbers "
        "that return each token; formula: min(p, q) + (1 - overlap) r.",
    )
    length = bench.pick(12, 80, bench.length)
    worst = {name: [0.0, 0.0] for name in KINDS}
    positions = 0
    for preset in presets():
        if bench.only and preset.name not in bench.only:
            continue
        settings = preset.settings.model_copy(update={"length": length})
        pair = bench.pair(settings)
        run = Run(pair, settings, PassStore())
        list(run)
        rows = len(run.decoder.generated)
        text = [*run.prompt_ids, *run.decoder.generated]
        target, draft = _logits(pair, text, rows)
        positions += rows
        for name, sampling in KINDS.items():
            for p, q in zip(law(target, sampling), law(draft, sampling), strict=True):
                off = [np.abs(found - p).max() for found in (_drawn(p, q), committed_law(p, q))]
                worst[name] = [max(a, float(b)) for a, b in zip(worst[name], off, strict=True)]
    part.rows = [
        {"sampling": name, "positions": positions, "drawn": drawn, "formula": formula}
        for name, (drawn, formula) in worst.items()
    ]
    return part


def _logits(
    pair: Pair, text: list[int], rows: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Both models' logits after each of the last `rows` tokens, over the whole vocabulary."""
    target = pair.target.start().extend(text, rows)
    short = pair.draft.start().extend(text, rows)
    if pair.draft.support is None:
        return target, short
    draft = np.full_like(target, -np.inf)
    draft[:, pair.draft.support] = short
    return target, draft


def _drawn(p: Law, q: Law) -> Law:
    """Integrate the random numbers: of the draft, of its acceptance, of the replacement."""
    proposed, committed = np.zeros_like(q), np.zeros_like(p)
    tokens, edges = draw_intervals(q)
    proposed[tokens] = np.diff(edges)
    kept = proposed * acceptance(p, q)
    tokens, edges = draw_intervals(residual(p, q))
    committed[tokens] = np.diff(edges) * (1.0 - kept.sum())
    return committed + kept
