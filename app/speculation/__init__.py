"""The core: what speculative decoding is, without a page around it.

Nothing in this package imports Streamlit or Plotly; everything can be used from a notebook.
Start with `rule.py`: the one small rule that the rest of the project is about.
"""

import os

# Threads that wait for each other by spinning are fast on an idle machine and a disaster on a busy
# one: with every core taken, a pass of 45 ms was seen to take 500. Waiting asleep took 62. It must
# be said before torch loads its thread library.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
