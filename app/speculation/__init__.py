"""The core: what speculative decoding is, without a page around it.

Nothing in this package imports Streamlit or Plotly; everything can be used from a notebook.
Start with `rule.py`: the one small rule that the rest of the project is about.
"""

import os

# Threads that wait for each other by spinning without end are fast on an idle machine and a
# disaster on a busy one: with every core taken, a pass of 35 ms was seen to take 500. Waiting
# asleep from the first moment is safe and costs half of the speed. Spinning for about half a
# millisecond, and then sleeping, keeps both: 33 ms idle, 120 busy (libgomp, 2 cores). It must be
# said before torch loads its thread library.
os.environ.setdefault("GOMP_SPINCOUNT", "10000")
