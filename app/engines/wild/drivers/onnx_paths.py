"""onnxruntime-genai: alone, with a draft model, by n-grams of the text so far.

`model` and `draft` name folders that the package's own builder made in float32. The end tokens of a
request are written into a copy of the configuration, as that is where this engine reads them; an
end token ends the sequence and is not in it, so it is put back (there may be one, not several).
"""

import json
import os
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime_genai as genai

CAPABILITIES = {"seeded": True, "end_tokens": True, "repetition_penalty": True}
OPTIONS = {}
MODELS = {}
NO_END = 2**20
COUNTS = {"drafted": 0, "accepted": 0, "texts": 0}


def ready(options):
    OPTIONS.update(options)


def model_of(kind, end):
    """The model with these end tokens; a draft joins the target in one folder."""
    if (kind, end) not in MODELS:
        place = Path(tempfile.mkdtemp(prefix="onnx-"))
        source = Path(OPTIONS["model"])
        config = json.loads((source / "genai_config.json").read_text())
        config["model"]["eos_token_id"] = list(end) or [NO_END]
        config["model"]["pad_token_id"] = 0
        linked(source, place, "model.onnx", "model.onnx")
        if kind == "draft":
            other = Path(OPTIONS["draft"])
            decoder = json.loads((other / "genai_config.json").read_text())["model"]["decoder"]
            config["model"]["draft"] = {**decoder, "filename": "draft.onnx"}
            linked(other, place, "model.onnx", "draft.onnx")
        for name in ("tokenizer.json", "tokenizer_config.json"):
            if (source / name).exists():
                (place / name).write_text((source / name).read_text())
        (place / "genai_config.json").write_text(json.dumps(config))
        MODELS[kind, end] = genai.Model(str(place))
    return MODELS[kind, end]


def linked(source, place, name, new):
    """The graph with its weights inside, so that two of them can lie in one folder."""
    import onnx

    onnx.save(onnx.load(os.path.join(source, name)), os.path.join(place, new))


def path(kind, **speculative):
    def decode(prompt, settings, seeds):
        model = model_of(kind, tuple(settings["end"]))
        options = {x: settings["k"] if y == "k" else y for x, y in speculative.items()}
        texts = []
        for seed in seeds:
            params = genai.GeneratorParams(model)
            params.set_search_options(**search_of(prompt, settings, seed))
            if options:
                params.set_speculative_options(**options)
            generator = genai.Generator(model, params)
            generator.append_tokens(np.array(prompt, dtype=np.int32))
            while not generator.is_done():
                generator.generate_next_token()
            tokens = [int(x) for x in generator.get_sequence(0)[len(prompt) :]]
            if len(tokens) < settings["length"]:
                tokens.append(settings["end"][0])
            texts.append(tokens)
            if options:
                stats = generator.get_speculative_stats()
                COUNTS["drafted"] += stats["draft_tokens_proposed"]
                COUNTS["accepted"] += stats["draft_tokens_accepted"]
        COUNTS["texts"] += len(seeds)
        return texts

    decode.many = True
    return decode


def search_of(prompt, settings, seed):
    sample = settings["temperature"] > 0
    chosen = {
        "max_length": len(prompt) + settings["length"],
        "do_sample": sample,
        "repetition_penalty": settings["repetition_penalty"],
        "random_seed": seed % 2**31,
    }
    if sample:
        chosen |= {"temperature": settings["temperature"]}
        chosen |= {"top_k": settings["top_k"], "top_p": settings["top_p"]}
    return chosen


plain = path("plain")
draft = path("draft", max_draft_tokens="k")
ngram = path("plain", ngram_size=2, max_draft_tokens="k")
ngram_chained = path("plain", ngram_size=2, max_draft_tokens="k", ngram_chained_lookup=True)
adaptive = path("draft", min_adaptive_k=1)
