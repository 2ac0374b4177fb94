"""What the numbers of a test say, in sentences."""

from speculation.exactness.finding import LEVEL
from widgets.testing.trial import Trial


def rarity(p_value: float) -> str:
    """How often an exact rule would look at least this far off.

    >>> rarity(0.37), rarity(0.004), rarity(1e-9)
    ('37 in 100', '1 in 250', 'fewer than 1 in 1,000,000')
    """
    if p_value >= 0.015:
        return f"{100 * p_value:.0f} in 100"
    if p_value >= 1e-6:
        return f"1 in {1 / p_value:,.0f}"
    return "fewer than 1 in 1,000,000"


def p_value_words(p_value: float, flagged: bool = True) -> str:
    """A p-value as a sentence, and what to make of it.

    flagged  whether it is still small once it is corrected for several checks

    >>> p_value_words(0.5).split(': ')[1]
    'nothing here speaks against exactness.'
    """
    start = f"Of tests of an exact rule, {rarity(p_value)} look at least this far off: "
    if p_value >= LEVEL:
        return start + "nothing here speaks against exactness."
    if not flagged:
        return start + "unusual, but not rare enough for one of two checks."
    if p_value >= 0.01:
        return start + "that happens now and then by chance. Run again before believing it."
    if p_value >= 1e-4:
        return start + "hard to explain by chance."
    return start + "not explained by chance."


def share(value: float) -> str:
    """A distance: four decimals, more where it is smaller.

    >>> share(0.0123), share(0.00004)
    ('0.0123', '0.000040')
    """
    return f"{value:.4f}" if value >= 0.001 or value == 0.0 else f"{value:.6f}"


def number(p_value: float) -> str:
    """A p-value as a number in a table."""
    return f"{p_value:.3f}" if p_value >= 0.0005 else "< .001"


def band_sentence(trial: Trial) -> str:
    """Where the distance from p ended, against what chance allows."""
    band, found = trial.band, trial.distances[-1]
    where = "above" if found > band.high else "below" if found < band.low else "inside"
    return (
        f"After {trial.runs:,} runs the counted shares are {share(found)} away from p, {where} the "
        f"band from {share(band.low)} to {share(band.high)} in which 95 of 100 exact runs end."
    )


def sees_sentence(trial: Trial) -> str:
    """What so many runs can see, and what they cannot."""
    if trial.sees >= 1.0:
        return f"{trial.runs:,} runs are too few to be sure of seeing any bias at all."
    return (
        f"What {trial.runs:,} runs can see: a bias of {_size(trial.sees)} or more, in 9 tests of "
        "10 at least. A smaller one may stay hidden."
    )


def _size(bias: float) -> str:
    tokens = 100 * bias
    digits = (
        f"{tokens:.0f}" if tokens >= 10 else f"{tokens:.1f}" if tokens >= 1 else f"{tokens:.2f}"
    )
    return f"{digits} misplaced tokens in 100"


def bias_size(bias: float) -> str:
    """A total variation as a count of tokens.

    >>> bias_size(0.08)
    '8.0 misplaced tokens in 100'
    """
    return _size(bias)


def verdict(trial: Trial) -> str:
    """The verdict of both checks."""
    law = (
        "**Not exact:** the tokens do not follow p."
        if trial.broken
        else "**No deviation from p found.**"
    )
    speed = (
        "**Slower than it should be:** drafts are kept less often than p and q overlap."
        if trial.slow
        else "No sign that drafts are kept too rarely."
    )
    return f"{law} {speed}"
