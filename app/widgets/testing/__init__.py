"""The parts of the page "Test it yourself"."""
