"""Any server with the OpenAI API as an engine.

`client.py` sends requests and survives what networks do, `answers.py` makes tokens of what came
back, `engine.py` is the engine made of both, and `entry.py` its options.
"""
