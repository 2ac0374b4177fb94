"""The class: one teacher, many students, one shared place in a run."""
