"""transformers: under which target token each score of an assistant's cut-down head is put."""

import torch
from tokenizers import Tokenizer, models
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.generation.candidate_generator import AssistantToTargetTranslator


def letters(text):
    words = models.WordLevel({x: i for i, x in enumerate(text)}, unk_token="a")
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words))


sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
assistant = LlamaForCausalLM(LlamaConfig(vocab_size=10, num_attention_heads=1, **sizes))
one, two = letters("abcdefgh"), letters("abcdefghXY")
found = AssistantToTargetTranslator(one, two, 8, assistant, assistant_prune_lm_head=True)
put = found.get_target_logits(torch.arange(8.0)).long().tolist()
print("drafted as:", found.assistant_overlap_token_ids.tolist())
print("scored as: ", [put.index(i) for i in range(8)], "(should be the same)")
