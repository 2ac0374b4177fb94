"""OpenVINO GenAI: how often the second token is 1, without and with a draft. TARGET DRAFT"""

import sys

import numpy as np
import openvino as ov
import openvino_genai as genai

precise = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
draft = {"draft_model": genai.draft_model(sys.argv[2], "CPU", **precise)}
ids = ov.Tensor(np.array([[1, 2, 3, 1, 2, 3, 1, 2]]))
for more, told in (({}, {}), (draft, {"num_assistant_tokens": 3})):
    plan = genai.SchedulerConfig()
    plan.cache_size = 1
    pipe = genai.ContinuousBatchingPipeline(sys.argv[1], plan, "CPU", {**precise, **more})
    asked = {"do_sample": True, "max_new_tokens": 4, "ignore_eos": True, **told}
    configs = [genai.GenerationConfig(rng_seed=i, **asked) for i in range(5000)]
    texts = [x.m_generation_ids[0] for x in pipe.generate([ids] * 5000, configs)]
    print(bool(told), sum(text[1] == 1 for text in texts) / len(texts))
