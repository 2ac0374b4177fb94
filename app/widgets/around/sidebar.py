"""The way around: lessons with minutes and what is done, the Lab, the small pages, the symbols."""

import streamlit as st

from charts import palette
from content.library import Library
from content.minutes import minutes_of
from widgets import places
from widgets.lessons.progress import standings

_SYMBOLS = f"""
<div class="symbol-key" role="note" aria-label="Symbols">
<span class="key-p" aria-hidden="true"></span><b>p</b> target, the large model<br>
<span class="key-q" aria-hidden="true"></span><b>q</b> draft, the small model
</div>
<style>
.symbol-key {{ font-size: .9rem; line-height: 1.7; }}
.symbol-key span {{ display: inline-block; width: .7em; height: .7em; margin-right: .5em; }}
.symbol-key .key-p {{ background: {palette.TARGET}; }}
.symbol-key .key-q {{ background: {palette.DRAFT}; border-radius: 50%; }}
</style>
"""


def sidebar(library: Library) -> None:
    """Draw it."""
    with st.sidebar:
        st.html(_SYMBOLS)
        places.link(places.HOME, "Home", icon=":material/home:")
        stands = standings(library.lessons)
        for lesson in library.lessons:
            standing = stands[lesson.slug]
            icon = ":material/check_circle:" if standing.done else ":material/circle:"
            with st.container(gap=None, key=f"nav-{lesson.slug}"):
                places.link(lesson.slug, f"{lesson.number}. {lesson.front.title}", icon=icon)
                st.caption(f"{minutes_of(lesson)} min, {standing.short}")
        places.link(places.PAYS, "When it pays", icon=":material/speed:")
        places.link(places.LAB, "Lab", icon=":material/science:")
        places.link(places.TEST, "Test it yourself", icon=":material/fact_check:")
        places.link(places.AUDIT, "Audit an engine", icon=":material/rule:")
        places.link(places.ROUNDING, "Rounding or bug?", icon=":material/difference:")
        st.caption("Teach")
        places.link(places.CLASSES, "Class", icon=":material/groups:")
        st.caption("Read")
        for page in library.pages:
            places.link(page.slug, page.front.title, icon=":material/article:")
