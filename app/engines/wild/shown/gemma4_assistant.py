"""transformers: how often the third token is the assistant's favorite. TARGET DRAFT"""

import sys

import torch
from transformers import AutoModelForCausalLM, Gemma4AssistantForCausalLM, GenerationConfig

target = AutoModelForCausalLM.from_pretrained(sys.argv[1]).eval()
draft = Gemma4AssistantForCausalLM.from_pretrained(sys.argv[2]).eval()
target.generation_config = GenerationConfig()
draft.generation_config = GenerationConfig(num_assistant_tokens=3)
ids = torch.tensor([[1, 2, 3, 1, 2, 3, 1, 2]])
for assistant in (None, draft):
    more = {"assistant_model": assistant} if assistant else {}
    texts = [
        target.generate(ids, do_sample=True, top_k=0, max_new_tokens=4, pad_token_id=0, **more)
        for _ in range(2000)
    ]
    print(bool(assistant), sum(text[0, 9].item() == 12 for text in texts) / len(texts))
