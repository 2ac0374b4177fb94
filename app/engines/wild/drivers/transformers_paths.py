"""transformers: generate() alone and by every assisted path of the release that these models allow.

One text a call, as assisted generation takes no batch. Each path's options stand in PATHS; "k" is
the request's draft length, "half" half the layers.
"""

import copy

import torch
from transformers import AutoModelForCausalLM, GenerationConfig
from transformers.utils import logging

CAPABILITIES = {
    "seeded": True, "end_tokens": True, "logit_bias": True, "repetition_penalty": True
}  # fmt: skip
MODELS = {}
PATHS = {
    "plain": {},
    "assisted": {"draft": {"num_assistant_tokens_schedule": "constant"}},
    "heuristic": {"draft": {"num_assistant_tokens_schedule": "heuristic"}},
    "heuristic_transient": {"draft": {"num_assistant_tokens_schedule": "heuristic_transient"}},
    "confidence": {"draft": {"assistant_confidence_threshold": 0.4}},
    "confidence_high": {"draft": {"assistant_confidence_threshold": 0.9}},
    "lookup": {"call": {"prompt_lookup_num_tokens": "k"}},
    "early_exit": {"call": {"assistant_early_exit": "half"}},
    "ensemble": {
        "draft": {"num_assistant_tokens_schedule": "constant"},
        "call": {"assistant_ensemble_weight": 0.5},
    },
}


def ready(options):
    logging.set_verbosity_error()
    torch.set_num_threads(1)
    for name in ("model", "draft"):
        if name in options:
            kind = AutoModelForCausalLM
            if name == "draft" and options.get("family"):
                kind = getattr(__import__("transformers"), options["family"])
            MODELS[name] = kind.from_pretrained(
                options[name], dtype=torch.float32, attn_implementation="eager"
            ).eval()
    if options.get("tokenizers"):
        other_tokenizer()
    if options.get("tokenizers") == "sorted":
        assistant = MODELS["tokenizers"][1]
        by_number = dict(sorted(assistant.get_vocab().items(), key=lambda entry: entry[1]))
        assistant.get_vocab = lambda: dict(by_number)


def options_of(settings):
    """The request in generate()'s words; every default that could cut or change is set."""
    sample = settings["temperature"] > 0
    chosen = {
        "max_new_tokens": settings["length"],
        "do_sample": sample,
        "eos_token_id": list(settings["end"]) or None,
        "pad_token_id": 0,
        "repetition_penalty": settings["repetition_penalty"],
    }
    if sample:
        chosen |= {"temperature": settings["temperature"]}
        chosen |= {"top_k": settings["top_k"], "top_p": settings["top_p"]}
        chosen |= {"min_p": settings["min_p"]} if settings["min_p"] > 0 else {}
    if settings["logit_bias"]:
        chosen["sequence_bias"] = {(token,): bias for token, bias in settings["logit_bias"]}
    return chosen


def path(name):
    asked = PATHS[name]

    def decode(prompt, settings, seeds):
        model = MODELS["model"]
        model.generation_config = GenerationConfig()
        half = max(1, model.config.num_hidden_layers // 2)
        values = {"k": settings["k"], "half": half}
        options = options_of(settings)
        options |= {x: values.get(y, y) for x, y in asked.get("call", {}).items()}
        helper = {"num_assistant_tokens": settings["k"], "assistant_confidence_threshold": 0.0}
        helper |= asked.get("draft", {})
        if "draft" in asked:
            options["assistant_model"] = MODELS["draft"]
        owner = MODELS["draft"] if "draft" in asked else model
        ids = torch.tensor([prompt])
        texts = []
        for seed in seeds:
            owner.generation_config = GenerationConfig(**helper) if asked else GenerationConfig()
            torch.manual_seed(seed)
            with torch.no_grad():
                out = model.generate(ids, attention_mask=torch.ones_like(ids), **options)
            texts.append(out[0, len(prompt) :].tolist())
        return texts

    decode.many = True
    return decode


for _name in PATHS:
    globals()[_name] = path(_name)


def universal(prompt, settings, seeds):
    """An assistant with another tokenizer: the same letters under other numbers, and two more."""
    model, draft, tokens = MODELS["model"], MODELS["other"], MODELS["tokenizers"]
    model.generation_config = GenerationConfig()
    ids = torch.tensor([prompt])
    texts = []
    for seed in seeds:
        draft.generation_config = GenerationConfig(
            num_assistant_tokens=settings["k"], num_assistant_tokens_schedule="constant",
            assistant_confidence_threshold=0.0,
        )  # fmt: skip
        torch.manual_seed(seed)
        with torch.no_grad():
            out = model.generate(
                ids, attention_mask=torch.ones_like(ids), assistant_model=draft,
                tokenizer=tokens[0], assistant_tokenizer=tokens[1], **options_of(settings),
            )  # fmt: skip
        texts.append(out[0, len(prompt) :].tolist())
    return texts


universal.many = True


def letters(size, shift, more):
    """A tokenizer of single letters; its numbers are turned by `shift`, `more` are added."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = [chr(0x4E00 + i) for i in range(size)]
    order = names[shift:] + names[:shift] + [chr(0x5E00 + i) for i in range(more)]
    made = Tokenizer(models.WordLevel({x: i for i, x in enumerate(order)}, unk_token=names[0]))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    made.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(tokenizer_object=made, clean_up_tokenization_spaces=False)


def other_tokenizer(shift=5, more=2):
    """The draft with its rows moved to the other tokenizer's numbers."""
    draft = copy.deepcopy(MODELS["draft"])
    size = draft.config.vocab_size
    draft.resize_token_embeddings(size + more)
    with torch.no_grad():
        for table in (draft.get_input_embeddings().weight, draft.get_output_embeddings().weight):
            table[:size] = table[:size].roll(-shift, 0)
    MODELS["other"] = draft
    MODELS["tokenizers"] = letters(size, 0, 0), letters(size, shift, more)


def with_its_own_assistant(helped=True, changed=False):
    """Gemma 4 and its assistant. Changed: the drafts count as what they are, likeliest tokens."""

    def decode(prompt, settings, seeds):
        from transformers.generation import candidate_generator

        kind = candidate_generator.SinglePositionMultiTokenCandidateGenerator
        if not hasattr(kind, "as_it_was"):
            kind.as_it_was = kind.get_candidates
        kind.get_candidates = kind.as_it_was
        if changed:
            kind.get_candidates = lambda self, *given, **named: (
                kind.as_it_was(self, *given, **named)[0], None
            )  # fmt: skip
        model, draft = MODELS["model"], MODELS["draft"]
        model.generation_config = GenerationConfig()
        draft.generation_config = GenerationConfig(num_assistant_tokens=settings["k"])
        options = options_of(settings) | ({"assistant_model": draft} if helped else {})
        ids = torch.tensor([prompt])
        texts = []
        for seed in seeds:
            torch.manual_seed(seed)
            with torch.no_grad():
                out = model.generate(ids, attention_mask=torch.ones_like(ids), **options)
            texts.append(out[0, len(prompt) :].tolist())
        return texts

    decode.many = True
    return decode


family_plain = with_its_own_assistant(helped=False)
family = with_its_own_assistant()
family_changed = with_its_own_assistant(changed=True)
