"""The class on the network: plain routes beside Streamlit.

`requests.py` is what all routes share (who asks, what they sent, how a refusal is said),
`limits.py` keeps guessers and floods out; `routes.py` are the students' and the presenter's routes,
`teacher_routes.py` the teacher's. `event_streams.py` tells a browser what is new, `page_files.py`
serves the pages, `qr.py` draws the way in.
"""
