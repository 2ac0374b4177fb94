"""Pieces that are drawn in the browser, each wrapped once for Streamlit.

`stepper.py` (with `stepper/`, plain ES modules) steps through a run, `replay.py` plays one,
`hand_laws.py` lets a person draw two laws, `identity.py` holds the forms that change the cookie,
`remembered.py` keeps what is typed. `run_payload.py` is a run as the stepper gets it.
`browser_code.py` hands their JavaScript to Streamlit.
"""
