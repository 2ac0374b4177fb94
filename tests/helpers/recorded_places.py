"""Places in the recorded runs that tests ask for by what happens there, not by number.

The runs are recorded again when a draft is trained; what happens in cycle 4 is then another thing.
"""

from recordings.trace_files import recorded


def first_fallen(name: str = "code") -> int:
    """The first cycle whose first drafted token was rejected, so that the others are unchecked."""
    trace = recorded(name)
    assert trace is not None
    return next(
        i for i, cycle in enumerate(trace.cycles)
        if len(cycle.drafted) > 1 and cycle.drafted[0].verdict == "rejected"
    )  # fmt: skip
