"""mlx-lm: what a logits processor is shown first, without and with a draft. TARGET DRAFT"""

import sys
from pathlib import Path

import mlx.core as mx
from mlx_lm.generate import generate_step, speculative_generate_step
from mlx_lm.utils import load_model

target, draft = (load_model(Path(folder))[0] for folder in sys.argv[1:])
prompt = mx.array([1, 2, 3, 1, 2, 3, 1, 2])
for steps, models in ((generate_step, [target]), (speculative_generate_step, [target, draft])):
    seen = []
    processor = lambda tokens, logits, seen=seen: seen.append(tokens.tolist()) or logits  # noqa: E731
    next(iter(steps(prompt, *models, max_tokens=1, logits_processors=[processor])))
    print(steps.__name__, seen[0])
