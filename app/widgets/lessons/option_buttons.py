"""Options of a question as a list of buttons.

Buttons, and not radio buttons: with the keyboard a radio button is chosen as soon as it is
reached, so that looking at the second option would already be a first try.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from content.quiz import Option
from widgets.markdown_text import one_line


def options_view(
    key: str,
    options: Sequence[Option],
    chosen: str | None,
    on_choice: Callable[[str], None],
    reveal: bool = False,
) -> None:
    """Draw the options; `on_choice` is called with the key of the one that is pressed.

    chosen  what was chosen before: it is marked, right or wrong
    reveal  mark the right one as well
    """
    with st.container(key=f"options-{key}"):
        for option in options:
            icon, text = ":material/radio_button_unchecked:", one_line(option.text)
            if option.key == chosen or (reveal and option.right):
                icon = ":material/check_circle:" if option.right else ":material/cancel:"
            if option.key == chosen:
                text += " :gray[(your answer)]"
            st.button(
                text,
                key=f"option-{key}-{option.key}",
                icon=icon,
                width="stretch",
                on_click=on_choice,
                args=(option.key,),
            )
