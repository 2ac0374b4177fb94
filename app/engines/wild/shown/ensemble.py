"""transformers: one position verified with an ensemble weight; p = (.5, .5), q = (.9, .1)."""

import torch
from transformers.generation.utils import _speculative_sampling

p, q = torch.tensor([[[0.5, 0.5]] * 2]).log(), torch.tensor([[[0.9, 0.1]]]).log()
for weight in (None, 0.5):
    came = 0
    for _ in range(1000):
        drafted = torch.multinomial(q[0].exp(), 1)
        kept, _ = _speculative_sampling(drafted, q, 1, p, assistant_ensemble_weight=weight)
        came += int(kept[0, 0] == 0)
    print(weight, came / 1000, "should be 0.5")
