"""What was found out by reading the code behind a deviation, and what could not run at all.

A mechanism stands here only if a script in `shown/` shows it and, where the code can be changed
from outside, the changed path passes.
"""

from dataclasses import dataclass

from engines.wild.record import NotRun

SEEN = "2026-12-01"


@dataclass(frozen=True)
class FoundOut:
    """Why a path deviates, the script that shows it, and what was changed for it to pass."""

    mechanism: str
    script: str = ""
    change: str = ""


OPENVINO = FoundOut(
    "The sampler accepts a draft by the ratio the wrong way round, and compares two different "
    "tokens: it takes the draft's probability of its own token over the target's probability of a "
    "token that the target has just drawn. The source (sampler.cpp, validate_candidate) reads "
    "p_i = exp(log probability in the draft), q_i = exp(log probability of the sampled token), and "
    "accepts if a number out of 0, 0.01, ... 1 is at most p_i / q_i. So a token that the draft "
    "likes passes although the target hardly ever writes it. It is compiled code: it could not be "
    "changed from outside.",
    "openvino_draft.py",
)

FINDINGS: dict[tuple[str, str], FoundOut] = {
    ("OpenVINO GenAI", "draft model"): OPENVINO,
    ("OpenVINO GenAI", "draft model, confidence threshold"): OPENVINO,
    ("transformers", "a family's own assistant (Gemma 4)"): FoundOut(
        "Drafts are the assistant's likeliest tokens, but they are verified as if they had been "
        "drawn from its distribution (SinglePositionMultiTokenCandidateGenerator takes the argmax "
        "and returns the scores). The rule is exact only if q is the distribution that the token "
        "was drawn from.",
        "gemma4_assistant.py",
        "The scores are not returned: a draft is kept only if the target draws the same token.",
    ),
    ("transformers", "assistant with another tokenizer"): FoundOut(
        "The assistant's scores are put under the wrong tokens. Its head is cut down to the common "
        "tokens in the order of get_vocab(), which is a dictionary in no order, and the scores are "
        "put back in the order of the token numbers (AssistantToTargetTranslator). So q is not "
        "the distribution that the drafts were drawn from.",
        "other_tokenizer.py",
        "get_vocab() of the assistant's tokenizer returns its tokens by number.",
    ),
    ("transformers", "ensemble verification, weight 0.5"): FoundOut(
        "By design: drafts are accepted by w p + (1 - w) q, and the documentation says that this "
        "is not lossless.",
        "ensemble.py",
        "Without the weight it is the row draft model.",
    ),
    ("mlx-lm", "draft model, repetition penalty"): FoundOut(
        "With a draft, the penalty does not know the prompt: speculative_generate_step shows its "
        "processors the last token of the prompt and what came after, generate_step all of it.",
        "mlx_penalty.py",
        "The processors are shown the whole prompt.",
    ),
    ("sequential-speculative-decoding", "capped hierarchical"): FoundOut(
        "Off by one: its functions expect a number of tokens and are given the index of the last "
        "one, so acceptance looks at a prefix that is one token short, and the replacement is "
        "drawn from the difference of two distributions that belong to different places.",
        "capped.py",
        "Both functions are given one more.",
    ),
}


def _cannot(engine: str, version: str, path: str, reason: str) -> NotRun:
    return NotRun(engine=engine, version=version, path=path, reason=reason, date=SEEN)


CANNOT: tuple[NotRun, ...] = (
    _cannot(
        "mistral.rs", "0.9.5", "draft model",
        "The package knows multi-token prediction only: a Llama with mtp_model ends in 'MTP "
        "speculative decoding currently requires PagedAttention for this pipeline.', which is for "
        "CUDA and Metal; a Gemma 4 without its towers for images in 'cannot find tensor "
        "model.language_model.embed_tokens.weight'. Without speculation the tiny Llama runs.",
    ),
    _cannot(
        "llama.cpp", "11434.0.0", "EAGLE-3, multi-token prediction, DFlash, DSpark",
        "They need heads trained for one target; none can be had as a package.",
    ),
    _cannot(
        "OpenVINO GenAI", "2026.4.1.0", "tree search, EAGLE-3",
        "They need a draft with the target's hidden states, trained for it.",
    ),
    _cannot(
        "ONNX Runtime GenAI", "0.18.0", "multi-token prediction, DFlash",
        "They need models that were exported with such heads.",
    ),
    _cannot(
        "transformers", "5.24.0", "multi-token prediction, DFlash",
        "They need a model with layers for it (num_mtp_layers; block_size, target_layer_ids); tiny "
        "ones were not built yet.",
    ),
    _cannot(
        "naive-speculate", "0.1.0", "draft model",
        "pip: No matching distribution found (for Python 3.11).",
    ),
    _cannot(
        "vLLM", "0.33.0", "all",
        "Its packages bring CUDA, or a build for CPUs with gigabytes of their own: not tried.",
    ),
)  # fmt: skip
