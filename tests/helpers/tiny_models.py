"""Tiny transformers with a byte-level tokenizer: a whole pair that loads in no time."""

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from speculation.models.language_model import LanguageModel, TransformersModel
from speculation.pairs.catalog import PairSpec
from speculation.pairs.pair import Pair, arithmetic

CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.content }}<|im_end|>{% endfor %}"
)


def byte_tokenizer(**changes: Any) -> PreTrainedTokenizerFast:
    """Byte-level, without merges: 256 byte tokens and three special ones."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    plain = Tokenizer(models.BPE(vocab={x: i for i, x in enumerate(alphabet)}, merges=[]))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    special = {"bos": "<|im_start|>", "eos": "<|im_end|>", "unk": "<|endoftext|>"}
    options = {f"{role}_token": name for role, name in special.items()} | changes
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, **options)
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def tiny_llama(seed: int = 0, vocab_size: int = 50, **changes: Any) -> LlamaForCausalLM:
    """A random Llama: hidden 32, two layers; its laws are far from even."""
    torch.manual_seed(seed)
    options = {
        "vocab_size": vocab_size,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 1024,
        "initializer_range": 0.3,
        "tie_word_embeddings": True,
        "bos_token_id": None,
        "eos_token_id": None,
        "pad_token_id": None,
    }
    return LlamaForCausalLM(LlamaConfig(**options | changes)).float().eval()


def disturbed(model: LlamaForCausalLM, seed: int, by: float) -> LlamaForCausalLM:
    """A copy with noise on every weight: a draft that agrees with the model now and then."""
    copy = LlamaForCausalLM(model.config).eval()
    copy.load_state_dict(model.state_dict())
    torch.manual_seed(seed)
    with torch.no_grad():
        for weight in copy.parameters():
            weight.add_(torch.randn_like(weight) * by)
    return copy


def make_tiny_pair() -> Pair:
    """A target, a draft that agrees with it about half of the time, and their tokenizer."""
    tokenizer = byte_tokenizer()
    module = tiny_llama(vocab_size=len(tokenizer))
    target = TransformersModel(module, "tiny target", "tiny-target/float32/cpu")
    draft = TransformersModel(disturbed(module, 1, 0.03), "tiny draft", "tiny-draft/float32/cpu")
    spec = PairSpec("tiny", "a tiny pair", "Two random Llamas.", "none", 0.1)
    arith = arithmetic(target, draft, "float32", torch.device("cpu"))
    return Pair(spec, target, draft, tokenizer, arith)


def fresh_rows(model: LanguageModel, text: Sequence[int], rows: int = 1) -> npt.NDArray[Any]:
    """Logits after each of the last `rows` tokens, from one pass over the whole text."""
    return model.start().extend(list(text), rows)
