"""The figures of "When it pays".

`dials.py` is agreement against cost, `curve.py` speed against k, `time_parts.py` where the time
goes, `meters.py` speed beside quality, `forecast.py` an engine's numbers; `marks.py` is shared.
"""
