"""What a pass costs over its arithmetic, and five rows over one: the target, in every precision.

Pass and products alone take turns in one process, so that a busy moment slows both; a ratio is
taken in each round, and what is printed is their median and range.
"""

import resource
import time
from collections.abc import Callable
from statistics import median
from typing import get_args

import torch

from benchmarks.cases import Bench
from benchmarks.report import Part, Row, middle
from speculation.models.language_model import Context, TransformersContext
from speculation.models.lean import LeanModel
from speculation.models.llama import Llama
from speculation.pairs.four_bit_target import offered
from speculation.settings import Precision, Settings
from speculation.text import encode

CONTEXT = 64  # tokens read before the pass that is timed
REPEATS = 8  # passes in a round; a round's time is the fastest
ROWS = (1, 5)
LONGER = (256, 1024, 2000)  # other lengths of the context, one row


def measure(bench: Bench) -> Part:
    """One line a precision."""
    part = Part(
        "passes",
        "A target pass, over its linear layers alone and over transformers' pass",
        "over linear: at most 1.10; five rows over one (v), float32: at most 1.35",
        f"ms: median over rounds, {CONTEXT} tokens of context; ratios per round, then the median "
        "(least to most). peak: the most memory this process has held so far, in GB, before "
        "transformers' own weights were loaded for the comparison.",
    )
    for precision in get_args(Precision):
        if precision == "int4" and not offered(bench.shelf.device):
            continue
        part.rows.append(_row(bench, precision))
        print(".", end="", flush=True)
    return part


def _row(bench: Bench, precision: Precision) -> Row:
    pair = bench.pair(Settings(precision=precision))
    target = pair.target
    assert isinstance(target, LeanModel)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    sample = Settings().prompt + " The lighthouse stands at the end of the long stone pier."
    tokens = (encode(pair.tokenizer, sample, "continue") * 200)[: max(LONGER) + max(ROWS)]
    ours = target.start()
    ours.extend(tokens[:CONTEXT])
    draft = pair.draft.start()
    draft.extend(tokens[:CONTEXT])
    theirs = TransformersContext(target.module)
    theirs.extend(tokens[:CONTEXT])
    ways: dict[str, Callable[[], float]] = {"draft": lambda: _pass(draft, tokens, 1)}
    for n in ROWS:
        ways |= {
            f"pass {n}": lambda n=n: _pass(ours, tokens, n),  # type: ignore[misc]
            f"linear {n}": lambda n=n: _products(target.llama, n),  # type: ignore[misc]
            f"transformers {n}": lambda n=n: _pass(theirs, tokens, n),  # type: ignore[misc]
        }
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(bench.pick(2, 7, bench.rounds)):
        for name, way in ways.items():
            found[name].append(min(way() for _ in range(REPEATS)))
    row: Row = {"precision": precision}
    row |= {f"{name}, ms": round(1000 * median(found[name]), 1) for name in ways}

    def ratio(one: str, other: str) -> str:
        return middle([a / b for a, b in zip(found[one], found[other], strict=True)])

    row["over linear"] = ratio("pass 1", "linear 1")
    row["v, five rows"] = ratio("pass 5", "pass 1")
    row["c, draft"] = ratio("draft", "pass 1")
    row["transformers' v"] = ratio("transformers 5", "transformers 1")
    row["transformers over ours"] = ratio("transformers 1", "pass 1")
    for length in LONGER if not bench.quick else ():
        ours.extend(tokens[ours.length : length])
        row[f"at {length}, ms"] = round(1000 * min(_pass(ours, tokens, 1) for _ in range(5)), 1)
    row["layout"] = target.read_by
    row["peak, GB"] = round(peak, 2)
    return row


def _pass(context: Context, tokens: list[int], rows: int) -> float:
    """Seconds of one pass over `rows` tokens; the context is cut back."""
    length = context.length
    began = time.perf_counter()
    context.extend(tokens[length : length + rows], rows)
    spent = time.perf_counter() - began
    context.crop(length)
    return spent


def _products(llama: Llama, rows: int) -> float:
    """Seconds of the linear layers alone, with as many rows as a pass makes them."""
    width, hidden = llama.width(rows), llama.embedding.shape[1]
    with torch.inference_mode():
        x = torch.ones((width, hidden), dtype=llama.embedding.dtype)
        mixed = x.new_ones((width, llama.shape.heads * llama.shape.head_dim))
        inner = x.new_ones((width, llama.layers[0].gate_up(x).shape[1] // 2))
        began = time.perf_counter()
        for layer in llama.layers:
            layer.qkv(x)
            layer.attention_out(mixed)
            layer.gate_up(x)
            layer.down(inner)
        llama.head(x)
        return time.perf_counter() - began
