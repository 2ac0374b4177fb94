"""How long work is stopped: it is told so, and may say a last word."""


class Stopped(Exception):
    """Thrown into a generator of states, where it yields, when a person stops the work.

    A generator that knows what to make of the half it has may catch this, yield one state more,
    and end. One that does not is simply over, and its last state stands.
    """
