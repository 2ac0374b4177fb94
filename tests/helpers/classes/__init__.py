"""Classes in tests: a server, its fixtures, runs whose numbers occur once, and people."""
