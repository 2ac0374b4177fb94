"""A Llama in a Hugging Face folder -> OpenVINO's format, as openvino-genai wants to find it.

The usual exporter needs torch and does not know this transformers; the graph is short: embedding,
layers with a stateful cache, head. Weights stay float32. The tokenizer is one that nobody asks: the
library refuses a draft model without it.
"""

import json
import struct
from pathlib import Path

import numpy as np
import openvino as ov
from openvino import opset6
from openvino import opset13 as op


def tensors(file):
    """The arrays of a safetensors file, as float32."""
    raw = Path(file).read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8 : 8 + size])
    kinds = {"F32": np.float32, "F16": np.float16, "F64": np.float64}
    out = {}
    for name, entry in head.items():
        if name != "__metadata__":
            start, end = (8 + size + offset for offset in entry["data_offsets"])
            flat = np.frombuffer(raw[start:end], dtype=kinds[entry["dtype"]])
            out[name] = flat.reshape(entry["shape"]).astype(np.float32)
    return out


def i64(value):
    return op.constant(np.array(value, dtype=np.int64))


def f32(value):
    return op.constant(np.array(value, dtype=np.float32))


def parameter(name, kind, shape):
    node = op.parameter(ov.PartialShape(shape), kind, name=name)
    node.output(0).get_tensor().set_names({name})
    return node


class Llama:
    """The graph, piece by piece."""

    def __init__(self, config, weights):
        self.weights = weights
        self.heads = config["num_attention_heads"]
        self.kv = config.get("num_key_value_heads") or self.heads
        self.width = config.get("head_dim") or config["hidden_size"] // self.heads
        self.eps = config["rms_norm_eps"]
        rope = config.get("rope_parameters") or config
        self.theta = rope.get("rope_theta", 10000.0)
        self.layers = config["num_hidden_layers"]
        self.sinks = []
        self.ids = parameter("input_ids", ov.Type.i64, [-1, -1])
        self.mask = parameter("attention_mask", ov.Type.i64, [-1, -1])
        self.places = parameter("position_ids", ov.Type.i64, [-1, -1])
        self.beam = parameter("beam_idx", ov.Type.i32, [-1])

    def model(self):
        table = self.weights["model.embed_tokens.weight"]
        x = op.gather(op.constant(table), op.convert(self.ids, "i32"), i64(0))
        self._angles()
        seen = self._seen()
        for layer in range(self.layers):
            x = self._layer(x, layer, seen)
        head = op.constant(self.weights.get("lm_head.weight", table))
        out = op.matmul(self._norm(x, "model.norm"), head, False, True)
        out.output(0).get_tensor().set_names({"logits"})
        inputs = [self.ids, self.mask, self.places, self.beam]
        return ov.Model([op.result(out)], self.sinks, inputs, "llama")

    def _angles(self):
        inverse = 1.0 / self.theta ** (np.arange(0, self.width, 2) / self.width)
        places = op.unsqueeze(op.convert(self.places, "f32"), i64(2))
        half = op.matmul(places, f32(inverse[None]), False, False)
        whole = op.unsqueeze(op.concat([half, half], -1), i64(1))
        self.cos, self.sin = op.cos(whole), op.sin(whole)

    def _seen(self):
        """0 where a place may look, and so low elsewhere that nothing is left."""
        length = op.gather(op.shape_of(self.mask), i64(1), i64(0))
        keys = op.unsqueeze(op.range(i64(0), length, i64(1), "i64"), i64([0, 1]))
        before = op.less_equal(keys, op.unsqueeze(self.places, i64(2)))
        return op.unsqueeze(op.select(before, f32(0.0), f32(-1e9)), i64(1))

    def _layer(self, x, layer, seen):
        at = f"model.layers.{layer}."
        h = self._norm(x, at + "input_layernorm")
        q = self._turned(self._split(h, at + "self_attn.q_proj", self.heads))
        k = self._turned(self._split(h, at + "self_attn.k_proj", self.kv))
        v = self._split(h, at + "self_attn.v_proj", self.kv)
        k = self._repeated(self._cached(k, layer, "key"))
        v = self._repeated(self._cached(v, layer, "value"))
        a = op.scaled_dot_product_attention(q, k, v, seen, f32(self.width**-0.5))
        a = op.reshape(
            op.transpose(a, i64([0, 2, 1, 3])), i64([0, 0, self.heads * self.width]), True
        )
        x = op.add(x, self._linear(a, at + "self_attn.o_proj"))
        h = self._norm(x, at + "post_attention_layernorm")
        gate = op.swish(self._linear(h, at + "mlp.gate_proj"))
        up = self._linear(h, at + "mlp.up_proj")
        return op.add(x, self._linear(op.multiply(gate, up), at + "mlp.down_proj"))

    def _linear(self, x, name):
        return op.matmul(x, op.constant(self.weights[name + ".weight"]), False, True)

    def _norm(self, x, name):
        square = op.reduce_mean(op.power(x, f32(2.0)), i64([-1]), True)
        scale = op.divide(f32(1.0), op.sqrt(op.add(square, f32(self.eps))))
        return op.multiply(op.multiply(x, scale), op.constant(self.weights[name + ".weight"]))

    def _split(self, x, name, heads):
        parts = op.reshape(self._linear(x, name), i64([0, 0, heads, self.width]), True)
        return op.transpose(parts, i64([0, 2, 1, 3]))

    def _turned(self, x):
        one, two = op.split(x, i64(-1), 2).outputs()
        swapped = op.concat([op.multiply(two, f32(-1.0)), one], -1)
        return op.add(op.multiply(x, self.cos), op.multiply(swapped, self.sin))

    def _cached(self, new, layer, what):
        name = f"past_key_values.{layer}.{what}present.{layer}.{what}"
        batch = op.gather(op.shape_of(self.ids), i64([0]), i64(0))
        empty = op.broadcast(f32(0.0), op.concat([batch, i64([self.kv, 0, self.width])], 0))
        shape = ov.PartialShape([-1, self.kv, -1, self.width])
        old = op.gather(opset6.read_value(empty, name, ov.Type.f32, shape), self.beam, i64(0))
        full = op.concat([old, new], 2)
        self.sinks.append(opset6.assign(full, name))
        return full

    def _repeated(self, x):
        if self.kv == self.heads:
            return x
        wide = op.broadcast(
            op.unsqueeze(x, i64(2)), i64([1, 1, self.heads // self.kv, 1, 1]),
            broadcast_spec="BIDIRECTIONAL",
        )  # fmt: skip
        return op.reshape(wide, i64([0, self.heads, -1, self.width]), True)


def tokenizer(folder, size):
    """One with as many tokens as the model has, so that the library loads the folder."""
    from openvino_tokenizers import convert_tokenizer
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = {chr(0x41 + i if i < 26 else 0x61 + i - 26): i for i in range(min(size, 52))}
    names |= {"AB": len(names)}
    made = Tokenizer(models.BPE(vocab=names, merges=[("A", "B")]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(["<s>"])
    fast = PreTrainedTokenizerFast(tokenizer_object=made)
    for part, name in zip(
        convert_tokenizer(fast, with_detokenizer=True), ("tokenizer", "detokenizer"), strict=True
    ):
        ov.save_model(part, folder / f"openvino_{name}.xml")


def convert(source, folder):
    """Write the folder that openvino-genai loads."""
    source, folder = Path(source), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    config = json.loads((source / "config.json").read_text())
    model = Llama(config, tensors(source / "model.safetensors")).model()
    ov.save_model(model, folder / "openvino_model.xml", compress_to_fp16=False)
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer(folder, config["vocab_size"])
