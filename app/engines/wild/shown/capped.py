"""sequential-speculative-decoding: first tokens of capped HSD where the target rarely writes 1."""

import torch
from seqspecdecod.capped_hsd import capped_hsd_step


def model(probs):
    row = torch.tensor(probs).log()
    return lambda ids: type("Out", (), {"logits": row.expand(1, ids.shape[1], -1)})()


target, draft = model([0.5, 0.01, 0.49]), model([0.1, 0.8, 0.1])
start, options = torch.tensor([[0]]), {"draft_temperature": 1.0, "target_temperature": 1.0}
first = [
    capped_hsd_step(draft, target, start, gamma=3, **options)[0][0, 1].item() for _ in range(5000)
]
print([first.count(token) / len(first) for token in range(3)], "should be", [0.5, 0.01, 0.49])
