"""The core: what speculative decoding is, without a page around it.

Nothing in this package imports Streamlit or Plotly; everything can be used from a notebook.
Start with `rule.py`: the one small rule that the rest of the project is about.
"""
