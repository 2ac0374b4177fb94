"""An environment of its own for every engine, and the models in the form that it reads."""

import subprocess
import sys
from pathlib import Path

from engines.wild import tiny_pair
from engines.wild.catalog import Environment, Models

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build" / "wild"
DRIVERS = Path(__file__).parent / "drivers"
BUILDER = "onnxruntime_genai.models.builder"


class NotInstalled(RuntimeError):
    """Something could not be installed or made; the message is the tool's own last word."""


def python_of(name: str) -> Path:
    """The interpreter of an environment."""
    return BUILD / name / "bin" / "python"


def environment(wanted: Environment) -> Path:
    """Its interpreter; created and filled unless it was, with these pins. Raises NotInstalled."""
    python, mark = python_of(wanted.name), BUILD / wanted.name / "installed.txt"
    pins = "\n".join((*wanted.packages, "--", *wanted.bare))
    if mark.exists() and mark.read_text() == pins:
        return python
    print(f"Installing {wanted.name}: {', '.join((*wanted.packages, *wanted.bare))}", flush=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    if not python.exists():
        _run([sys.executable, "-m", "venv", str(BUILD / wanted.name)])
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, *wanted.packages])
    if wanted.bare:
        _run([*pip, "--no-deps", *wanted.bare])
    mark.write_text(pins)
    return python


def versions(python: Path, packages: tuple[str, ...]) -> dict[str, str]:
    """What is installed there, name to version."""
    code = (
        "import sys; from importlib.metadata import version;"
        "print(*(version(x) for x in sys.argv[1:]), sep='\\n')"
    )
    return dict(zip(packages, _run([str(python), "-c", code, *packages]).split(), strict=True))


def models(kind: Models) -> dict[str, Path]:
    """Folders of the target and the draft, made if they are not there; `law` is the measure."""
    place = BUILD / "models"
    pair = {name: place / "pair" / name for name in ("target", "draft")}
    if not pair["draft"].joinpath("config.json").exists():
        tiny_pair.make(place / "pair")
    if kind == "pair":
        return {"model": pair["target"], "draft": pair["draft"], "law": pair["target"]}
    made = place / kind
    if kind == "family":
        if not made.exists():
            _run([str(python_of("transformers")), str(DRIVERS / "family_models.py"), str(made)])
        return {"model": made / "target", "draft": made / "draft", "law": made / "target"}
    for name, source in pair.items():
        if not (made / name / "genai_config.json").exists():
            options = ["-m", str(source), "-o", str(made / name), "-c", str(made / "cache")]
            tool = [str(python_of("transformers")), "-m", BUILDER, *options]
            _run([*tool, "-p", "fp32", "-e", "cpu"])
    return {"model": made / "target", "draft": made / "draft", "law": pair["target"]}


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise NotInstalled(f"{' '.join(command[1:4])} ...: {last[:400]}")
    return done.stdout
