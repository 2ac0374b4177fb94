"""Engines in the wild: what can be installed as a package and runs on a CPU, put to the test.

`catalog.py` lists engines and paths; `install.py` gives each an environment of its own under
build/wild, `tiny_pair.py` makes the models, functions of `drivers/` are asked over a pipe,
and `measure.py` compares its texts with the target's exact distribution, read by whole passes.
`record.py` is the file that comes out, assets/measurements/wild.json, and `findings.py` what was
found out about it; `shown/` holds the smallest scripts that show a deviation. Run it: `make wild`.
"""
