"""What every page has around it: `frame.py` the style of the whole, `sidebar.py` the way around."""
