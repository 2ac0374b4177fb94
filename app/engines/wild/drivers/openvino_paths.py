"""openvino-genai's continuous batching pipeline: alone, with a draft model, by prompt lookup.

Inference and cache are told to stay in float32: the CPU's own choice is bfloat16 and 8-bit.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
import openvino as ov
import openvino_genai as genai
from openvino_ir import convert

CAPABILITIES = {"seeded": True, "end_tokens": True, "repetition_penalty": True}
PRECISE = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
FOLDERS = {}
PIPES = {}
BATCH = 256


def ready(options):
    place = Path(tempfile.mkdtemp(prefix="openvino-"))
    for name in ("model", "draft"):
        if name in options:
            convert(options[name], place / name)
            FOLDERS[name] = place / name


def scheduler():
    plan = genai.SchedulerConfig()
    plan.cache_size = 1
    plan.max_num_batched_tokens = 8192
    plan.enable_prefix_caching = False
    return plan


def pipe(kind):
    if kind not in PIPES:
        extra = {}
        if kind == "draft":
            extra["draft_model"] = genai.draft_model(FOLDERS["draft"], "CPU", **PRECISE)
        if kind == "lookup":
            extra["prompt_lookup"] = True
        PIPES[kind] = genai.ContinuousBatchingPipeline(
            FOLDERS["model"], scheduler(), "CPU", {**PRECISE, **extra}
        )
    return PIPES[kind]


def config_of(settings, seed, extra):
    """One request; top-k is left out where it is off, as 0 is not off here."""
    given = {
        "max_new_tokens": settings["length"],
        "do_sample": settings["temperature"] > 0,
        "repetition_penalty": settings["repetition_penalty"],
        "rng_seed": seed % 2**32,
    }
    if settings["temperature"] > 0:
        given |= {"temperature": settings["temperature"], "top_p": settings["top_p"]}
        given |= {"top_k": settings["top_k"]} if settings["top_k"] else {}
        given |= {"min_p": settings["min_p"]} if settings["min_p"] else {}
    if settings["end"]:
        given |= {"stop_token_ids": set(settings["end"]), "eos_token_id": settings["end"][0]}
    else:
        given["ignore_eos"] = True
    return genai.GenerationConfig(**given, **extra)


def path(kind, **extra):
    def decode(prompt, settings, seeds):
        ids = ov.Tensor(np.array([prompt], dtype=np.int64))
        counted = {name: settings["k"] if value == "k" else value for name, value in extra.items()}
        texts = []
        for start in range(0, len(seeds), BATCH):
            some = seeds[start : start + BATCH]
            configs = [config_of(settings, seed, counted) for seed in some]
            for result in pipe(kind).generate([ids] * len(some), configs):
                texts.append(list(result.m_generation_ids[0]))
        return texts

    decode.many = True
    return decode


plain = path("plain")
draft = path("draft", num_assistant_tokens="k")
draft_confident = path("draft", assistant_confidence_threshold=0.4)
lookup = path("lookup", num_assistant_tokens="k", max_ngram_size=2)
