"""Make the tiny models of assets/conformance again: python -m engines.conformance."""

from engines.conformance.tiny_pairs import FOLDER, MODELS, write_all

if __name__ == "__main__":
    write_all()
    print(f"Wrote {len(MODELS)} models to {FOLDER}.")
