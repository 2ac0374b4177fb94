"""The smallest scripts that show a deviation: each prints one frequency, plainly and with drafts.

Run one with the interpreter of its engine, build/wild/NAME/bin/python. Those that want models take
two folders, the target's and the draft's (build/wild/models after `make wild`). An exact path
prints two equal numbers, up to chance. Begin with `gemma4_assistant.py`.
"""
