"""Rounding or bug? Two greedy texts that differ, and whether rounding explains it."""

import streamlit as st

from engines.rounding.check import Step
from engines.rounding.example import Example, rounding_examples
from widgets import places
from widgets.audit import jobs
from widgets.audit.page_frame import choose, live_part
from widgets.audit.rounding_form import PAGE, rounding_form
from widgets.audit.rounding_view import rounding_view
from widgets.audit.style import audit_style
from widgets.markdown_text import plain


def page() -> None:
    audit_style()
    with st.container(key="audit-body"):
        st.title("Rounding or bug?", anchor=False)
        st.markdown(
            "With greedy decoding, speculation should not change a single token. In practice the "
            "texts of two engines part now and then. Here the target itself is asked. It reads "
            "both texts, and its logits at the first difference say whether two tokens were as "
            "good as **tied**, so that rounding decided, or whether rounding cannot explain it."
        )
        live_part(PAGE, rounding_form, _words, "Texts of your own need the target live")
        if not _answer():
            _examples()


def _words(published: object) -> tuple[float, str]:
    step = published if isinstance(published, Step) else Step(0.0, "Starting")
    return step.done, step.doing


def _answer() -> bool:
    """The answer to one's own question; whether there is one."""
    view = jobs.look(PAGE)
    step = view.published if view is not None and view.final and not view.error else None
    if not isinstance(step, Step) or step.result is None:
        return False
    st.header("The answer", anchor="answer")
    st.markdown(":green-badge[live: scored here]")
    asked = st.session_state.get("rounding-asked")
    texts = [getattr(asked, name, "") for name in ("one", "two")]
    typed = not any(text.strip().startswith("[") or "://" in text for text in texts)
    one, two = texts if typed else ("", "")
    rounding_view(step.result, one, two, key="own")
    return True


def _examples() -> None:
    """Two recorded cases: what a near-tie looks like, and what does not look like one."""
    found = rounding_examples()
    if not found:
        return
    st.header("Two worked examples", anchor="examples")
    chosen = choose("Example", [one.title for one in found], "rounding-example")
    _example(found[chosen], str(chosen))


def _example(example: Example, key: str) -> None:
    when = example.recorded_at[:10]
    st.markdown(
        f":gray-badge[recorded {when}]  \n{plain(example.title)}, greedy, in "
        f"{example.found.precision}, k = {example.found.k}. Prompt: {plain(example.prompt)}"
    )
    rounding_view(example.found, example.one, example.two, key=f"example-{key}")
    places.link(places.TEST, "Test the rule itself", icon=":material/fact_check:")


page()
