"""The pages that put engines to the test: an audit, and the question of rounding."""
