"""The parts of the page "When it pays"."""
