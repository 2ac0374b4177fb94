"""Small packages from PyPI that decode speculatively, around Hugging Face models.

Their own code runs as it is. Where one wants a tokenizer it gets `Ids`, whose text is the list of
ids; where one wants a model of its own kind it gets `Recomputed`, which answers its calls from the
Hugging Face model. What they can be told differs: most know a temperature and nothing else.
"""

import contextlib
import io

import torch
from transformers import AutoModelForCausalLM

CAPABILITIES = {"seeded": True, "filters": False}
MODELS = {}


def ready(options):
    torch.set_num_threads(1)
    for name in ("model", "draft"):
        if name in options:
            MODELS[name] = AutoModelForCausalLM.from_pretrained(
                options[name], dtype=torch.float32, attn_implementation="eager"
            ).eval()


class Ids:
    """A tokenizer whose text is the list of token ids."""

    pad_token_id = 0
    unk_token_id = -1

    def __init__(self, prompt, end=None):
        self.prompt = prompt
        self.eos_token_id = end

    def encode(self, text, return_tensors=None):
        return torch.tensor([self.prompt])

    def __call__(self, text, return_tensors=None):
        return type("Encoded", (), {"input_ids": torch.tensor([self.prompt])})()

    def apply_chat_template(self, messages, **options):
        return ""

    def convert_tokens_to_ids(self, token):
        return self.unk_token_id

    def decode(self, ids, skip_special_tokens=True):
        return [int(x) for x in ids]


def cut(tokens, settings):
    """The first tokens, up to an end token."""
    tokens = tokens[: settings["length"]]
    ends = [i for i, token in enumerate(tokens) if token in settings["end"]]
    return tokens[: ends[0] + 1] if ends else tokens


def path(one):
    """A function of one text, made to answer a list of seeds."""

    def decode(prompt, settings, seeds):
        texts = []
        for seed in seeds:
            torch.manual_seed(seed)
            with torch.no_grad(), contextlib.redirect_stdout(io.StringIO()):
                texts.append(cut(one(prompt, settings, seed), settings))
        return texts

    decode.many = True
    return decode


def _plain(prompt, settings, seed):
    """The twin of packages that have none of their own: one token after the other."""
    ids = torch.tensor([prompt])
    for _ in range(settings["length"]):
        p = torch.softmax(MODELS["model"](ids).logits[0, -1] / settings["temperature"], -1)
        ids = torch.cat([ids, torch.multinomial(p, 1)[None]], 1)
    return ids[0, len(prompt) :].tolist()


def _specdec(prompt, settings, seed):
    from specdec import SpecDecoder

    decoder = object.__new__(SpecDecoder)
    decoder.small_model, decoder.big_model = MODELS["draft"], MODELS["model"]
    decoder.tokenizer, decoder.device = Ids(prompt), "cpu"
    return decoder.spec_gen("", settings["length"], settings["k"])[len(prompt) :]


def _sequential(method):
    def one(prompt, settings, seed):
        from seqspecdecod import generation

        kept = {}
        tokenizer = Ids(prompt)
        decode = tokenizer.decode
        tokenizer.decode = lambda ids, **_: kept.setdefault("ids", []).extend(decode(ids)) or ""
        common = {"max_new_tokens": settings["length"], "enable_thinking": False}
        if method == "baseline":
            generation.baseline_generate(
                MODELS["model"], tokenizer, "", target_temperature=settings["temperature"], **common
            )
        else:
            generation.speculative_generate(
                MODELS["draft"], MODELS["model"], tokenizer, "", gamma=settings["k"],
                draft_temperature=settings["temperature"],
                target_temperature=settings["temperature"], method=method, **common,
            )  # fmt: skip
        return kept["ids"]

    return one


def _capped_changed(prompt, settings, seed):
    """Capped HSD told the number of tokens, where it passes the index of the last one."""
    from seqspecdecod import capped_hsd as code

    if not hasattr(code, "as_it_was"):
        code.as_it_was = code.compute_capped_prefix_ratio, code.compute_capped_branch_divergences
    ratio, divergences = code.as_it_was
    code.compute_capped_prefix_ratio = lambda ratios, t: ratio(ratios, t + 1)
    code.compute_capped_branch_divergences = (
        lambda tokens, q, p, t, ratios: divergences(tokens, q, p, t + 1, ratios)
    )  # fmt: skip
    return _sequential("capped_hsd")(prompt, settings, seed)


class Recomputed(torch.nn.Module):
    """The calls of the package speculative-decoding, answered from a Hugging Face model.

    Its cache holds the token ids themselves, one number a place, so that the package's own cutting
    and moving of caches decides what the model reads.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, cache=None, return_cache=False, seq_start_pos=None):
        old = None if cache is None else cache[0][:, 0, 0, 0, :, 0].long()
        fresh = x if old is None else x[:, old.shape[1] :]
        ids = fresh if old is None else torch.cat([old, fresh], 1)
        start = torch.zeros(len(ids), dtype=torch.long) if seq_start_pos is None else seq_start_pos
        mask = (torch.arange(ids.shape[1]) >= start[:, None]).long()
        places = (mask.cumsum(1) - 1).clamp(min=0)
        out = self.model(ids, attention_mask=mask, position_ids=places).logits
        kept = ids.float()[:, None, None, None, :, None]
        return out[:, ids.shape[1] - fresh.shape[1] :], (kept, None)


def _lucidrains(prompt, settings, seed):
    from speculative_decoding.speculative_decoding import speculative_decoding

    out, _ = speculative_decoding(
        Recomputed(MODELS["model"]), Recomputed(MODELS["draft"]), torch.tensor([prompt]),
        len(prompt) + settings["length"], gamma=settings["k"],
        temperature=settings["temperature"], filter_thres=0.0,
    )  # fmt: skip
    return out[0].tolist()


def _lucidrains_plain(prompt, settings, seed):
    from speculative_decoding.speculative_decoding import base_decoding

    out = base_decoding(
        Recomputed(MODELS["model"]), torch.tensor([prompt]), len(prompt) + settings["length"],
        temperature=settings["temperature"], filter_thres=0.0,
    )  # fmt: skip
    return out[0].tolist()


def lucidrains_batch(prompt, settings, seeds):
    """Rows of a batch accept different numbers of drafts, and are moved to one length."""
    from speculative_decoding.speculative_decoding import speculative_decoding

    texts = []
    for start in range(0, len(seeds), 8):
        rows = len(seeds[start : start + 8])
        torch.manual_seed(seeds[start])
        out, _ = speculative_decoding(
            Recomputed(MODELS["model"]), Recomputed(MODELS["draft"]),
            torch.tensor([prompt] * rows), len(prompt) + settings["length"], gamma=settings["k"],
            temperature=settings["temperature"], filter_thres=0.0,
        )  # fmt: skip
        texts += [cut(row, settings) for row in out.tolist()]
    return texts


lucidrains_batch.many = True


def _mini_infer(prompt, settings, seed):
    from mini_infer.speculative.verifier import speculative_step

    def behind(model):
        return lambda ids: (model(ids).logits, None)

    ids = list(prompt)
    while len(ids) < len(prompt) + settings["length"]:
        new, _ = speculative_step(
            behind(MODELS["model"]), behind(MODELS["draft"]), torch.tensor([ids]),
            settings["k"], settings["temperature"],
        )  # fmt: skip
        ids += new
    return ids[len(prompt) :]


def flashspec(strategy, rows=1):
    """strategy is flashspec's own name: bandit (the drafter alone), composite-g4, lookup, auto."""

    def decode(prompt, settings, seeds):
        engine = flashspec_engine(strategy, settings)
        texts = []
        for start in range(0, len(seeds), rows):
            some = seeds[start : start + rows]
            torch.manual_seed(some[0])
            with torch.no_grad():
                out = engine.generate(
                    torch.tensor([prompt] * len(some)), max_new_tokens=settings["length"],
                    eos_token_ids=list(settings["end"]) or None,
                ).output_ids  # fmt: skip
            texts += [[x for x in row if x >= 0] for row in out.tolist()]
        return texts

    decode.many = True
    return decode


def flashspec_engine(strategy, settings):
    from flashspec import BanditConfig, FlashSpecConfig, SamplingConfig, SpeculativeEngine
    from flashspec.engine import HuggingFaceDrafter, NgramDrafter, TargetModel

    key = strategy, settings["temperature"], settings["k"]
    if key not in MODELS:
        cpu = torch.device("cpu")
        target = TargetModel("target", cpu, torch.float32, model=MODELS["model"])
        drafter = HuggingFaceDrafter("draft", cpu, torch.float32, model=MODELS["draft"])
        drafter.set_temperature(settings["temperature"])
        config = FlashSpecConfig(
            device="cpu", compile=False, bandit=BanditConfig(n_arms=1),
            drafter_strategy="bandit" if strategy == "lookup" else strategy,
            sampling=SamplingConfig(temperature=settings["temperature"], gamma=settings["k"]),
        )  # fmt: skip
        drafters = [NgramDrafter()] if strategy == "lookup" else [drafter]
        MODELS[key] = SpeculativeEngine(config, drafters, target)
    return MODELS[key]


plain = path(_plain)
specdec = path(_specdec)
sequential_plain = path(_sequential("baseline"))
sequential_standard = path(_sequential("standard"))
sequential_naive = path(_sequential("naive_hsd"))
sequential_capped = path(_sequential("capped_hsd"))
lucidrains = path(_lucidrains)
lucidrains_plain = path(_lucidrains_plain)
mini_infer = path(_mini_infer)
flashspec_draft = flashspec("bandit")
flashspec_lookup = flashspec("lookup")
flashspec_composite = flashspec("composite-g4")
flashspec_auto = flashspec("auto")
flashspec_batch = flashspec("bandit", rows=4)
sequential_capped_changed = path(_capped_changed)
