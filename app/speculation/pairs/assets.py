"""Where the files lie that ship with the app."""

from pathlib import Path

ASSETS = Path(__file__).resolve().parents[3] / "assets"
