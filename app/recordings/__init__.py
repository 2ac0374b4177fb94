"""The prompts on offer, and their recorded runs: what the app shows without any model.

`presets.py` names the prompts; `trace_files.py` reads traces from files, shipped ones and those a
person brings, and refuses what is none; `packed_json.py` packs such files, and unpacks them within
bounds. `home_runs.py` are those that Home replays, by draft length. `python -m recordings` (or
`make traces`) records the shipped runs again.
"""
