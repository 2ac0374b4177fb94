"""Look again, every so often, at work that was given to the models: as seldom as will do.

A look is a run of a fragment, so it takes some milliseconds of the one thread that answers
everybody. Whoever waits for their turn sees only a place in the queue, and looks seldom.
"""

from collections.abc import Callable

import streamlit as st

from jobs.job import State, View

NEXT_SECONDS = 1.0
LATER_SECONDS = 2.0


def pace(view: View | None, usual: float) -> float | None:
    """Seconds between two looks; None if there is nothing to wait for.

    usual  while the work is being done
    """
    if view is None or view.final:
        return None
    if view.state is not State.WAITING:
        return usual
    return max(usual, NEXT_SECONDS if view.place <= 1 else LATER_SECONDS)


def waiting_words(view: View) -> str | None:
    """What somebody waits for; None once the work is being done.

    For three jobs before this one, of about six seconds each: "Waiting: 3 before you, about 18 s".
    """
    if view.state is State.LOADING:
        return "Loading the models ..."
    if view.state is not State.WAITING:
        return None
    about = f", about {view.wait_seconds:.0f} s" if view.wait_seconds is not None else ""
    return f"Waiting: {view.place} before you{about}"


def run_progress(view: View) -> None:
    """The bar of a run: what it waits for, or how many tokens it has committed."""
    tokens, most = sum(len(cycle.committed) for cycle in view.cycles), view.settings.length
    speed = f", {tokens / view.seconds:.0f} tokens/s" if view.seconds > 0.2 else ""
    done = f"{tokens} of at most {most} tokens{speed}"
    st.progress(min(1.0, tokens / most), waiting_words(view) or done)


def watch(
    look: Callable[[], View | None],
    tick: Callable[[View], None],
    usual: float = 0.5,
    also_finished: bool = False,
) -> None:
    """Draw `tick` in a fragment of its own, again and again while the work goes on.

    When the work is over, or begins, the whole page is drawn again: also if it was over between
    the page's own look and this one.

    also_finished  `tick` draws finished work too, in the same place
    """
    every = pace(look(), usual)
    if every is None and not also_finished:
        st.rerun()

    def paced() -> None:
        view = look()
        if pace(view, usual) != every:
            st.rerun()
        if view is not None:
            tick(view)

    st.fragment(paced, run_every=every)()
