"""The Lab: a run of one's own, step by step.

`controls.py` asks for it, in the lines of `one_screen.py`; `run_view.py` shows it (with
`place_chart.py`, `run_numbers.py` and `departure_strip.py`), `speed_view.py` measures it against
plain decoding; `address.py` keeps it in the address and `exchange.py` (`copy_button.py`) takes it
along; `kept_controls.py` brings back what was typed. `waiting.py` is for a busy queue.
"""
