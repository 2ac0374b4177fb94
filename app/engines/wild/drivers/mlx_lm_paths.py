"""mlx-lm on the CPU: speculative_generate_step with a draft, generate_step as its plain twin.

Filters are mlx-lm's own functions, applied after the temperature; its make_sampler filters first.
"""

from pathlib import Path

import mlx.core as mx
from mlx_lm.generate import generate_step, speculative_generate_step
from mlx_lm.sample_utils import apply_min_p, apply_top_k, apply_top_p, make_logits_processors
from mlx_lm.utils import load_model

CAPABILITIES = {"seeded": True, "end_tokens": True, "logit_bias": True, "repetition_penalty": True}
MODELS = {}
MANY_TOKENS = 100_000


def ready(options):
    mx.set_default_device(mx.cpu)
    for name in ("model", "draft"):
        if name in options:
            MODELS[name] = load_model(Path(options[name]))[0]


def sampler_of(settings):
    if settings["temperature"] == 0:
        return lambda logprobs: mx.argmax(logprobs, axis=-1)

    def sample(logprobs):
        scores = logprobs / settings["temperature"]
        scores = scores - mx.logsumexp(scores, axis=-1, keepdims=True)
        if settings["top_k"]:
            scores = apply_top_k(scores, min(settings["top_k"], scores.shape[-1] - 1))
        if settings["top_p"] < 1.0:
            scores = scores - mx.logsumexp(scores, axis=-1, keepdims=True)
            scores = apply_top_p(scores, settings["top_p"])
        if settings["min_p"] > 0.0:
            scores = apply_min_p(scores, settings["min_p"])
        return mx.random.categorical(scores)

    return sample


def processors_of(settings):
    penalty = settings["repetition_penalty"]
    return make_logits_processors(
        logit_bias=dict(map(tuple, settings["logit_bias"])) or None,
        repetition_penalty=None if penalty == 1.0 else penalty,
        repetition_context_size=MANY_TOKENS,
    ) or None  # fmt: skip


def path(steps):
    def decode(prompt, settings, seeds):
        texts = []
        for seed in seeds:
            mx.random.seed(seed)
            tokens = []
            for step in steps(
                mx.array(prompt), settings, sampler_of(settings), processors_of(settings)
            ):
                tokens.append(int(step[0]))
                if tokens[-1] in settings["end"]:
                    break
            texts.append(tokens)
        return texts

    decode.many = True
    return decode


def _plain(prompt, settings, sampler, processors):
    return generate_step(
        prompt, MODELS["model"], max_tokens=settings["length"], sampler=sampler,
        logits_processors=processors,
    )  # fmt: skip


def _draft(prompt, settings, sampler, processors):
    return speculative_generate_step(
        prompt, MODELS["model"], MODELS["draft"], num_draft_tokens=settings["k"],
        max_tokens=settings["length"], sampler=sampler, logits_processors=processors,
    )  # fmt: skip


def _draft_changed(prompt, settings, sampler, processors):
    """The same, and the processors are shown the whole prompt, as generate_step shows it them."""
    shown = [
        lambda tokens, logits, one=one: one(mx.concatenate([prompt[:-1], tokens]), logits)
        for one in processors or ()
    ]
    return _draft(prompt, settings, sampler, shown or None)


plain = path(_plain)
draft = path(_draft)
draft_changed = path(_draft_changed)
