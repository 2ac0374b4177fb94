"""Other implementations of speculative decoding behind one interface, and two questions to them.

`base.py` is the interface and `table.py` names the engines: this project's decoder (`own.py`),
transformers (`transformers_engine.py`), any Python function (`python_function.py`, in a process of
its own: `foreign.py`) and any server with the OpenAI API (`openai/`). `audit/`
asks whether an engine's texts follow the target's law; `rounding/` asks why two greedy texts part.
`python -m engines` is the command for both.
"""
