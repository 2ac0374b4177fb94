"""The statistics that tell an exact scheme from a broken one.

Two kinds of evidence. *Known laws*: `exact_position.py` compares what the rule commits with p over
the whole vocabulary, and needs no sampling at all. *Samples*: everything else takes tokens that
somebody drew (this project's decoder, or any other engine) and says how surprising they would be
if the claim were true, how large the deviation looks, and how small a one it could have seen.

    exact_position.py  one position, exactly;  two_doors.py  the same for a few tokens, by hand
    counts.py     one position, or any countable outcome, by sampling: chi-square, TV and its band
    power.py      how many runs it takes to see a given bias
    cycles.py     whole cycles: the joint law, its strata, and accepted against overlap
    long_runs.py  texts of any length: randomized PIT, surprise, the quality meter
    kill_table.py every scheme against every check

No function here draws on a hidden source of chance: what needs random numbers takes a generator.
"""

from speculation.exactness.finding import Finding, holm

__all__ = ["Finding", "holm"]
