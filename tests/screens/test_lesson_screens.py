"""Every screen opens; gates, figures and the sidebar do their work; a new lesson file appears."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from content import library as shelf
from content.cases import met_before
from content.library import FOLDER, library
from helpers.patience import patience
from store import learners

APP = Path(__file__).resolve().parents[2] / "app"


@pytest.fixture(autouse=True)
def _own_store(no_models: None) -> None:
    """A store of its own, and no models."""


def one_document(slug: str) -> None:
    import streamlit as st

    from content.library import library
    from screens.lesson import lesson_screen
    from screens.page import page_screen
    from store.streamlit_identity import learner_id

    st.text(learner_id())
    lesson, page = library().lesson(slug), library().page(slug)
    if lesson is not None:
        lesson_screen(lesson)
    elif page is not None:
        page_screen(page)


def opened(slug: str) -> AppTest:
    app = AppTest.from_function(one_document, args=(slug,), default_timeout=patience(60)).run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return "\n".join(x.value for x in app.markdown)


def tables(app: AppTest) -> str:
    """The rows of cycles, without their style."""
    html = "\n".join(str(x.proto.body) for x in app.get("html"))
    return re.sub(r"<style>.*?</style>", "", html, flags=re.S)


def element(app: AppTest, kind: str, start: str) -> Any:
    """The widget of this kind whose key begins so."""
    return next(x for x in app.get(kind) if str(x.key).startswith(start))


@pytest.mark.parametrize("slug", [document.slug for document in library().documents])
def test_every_document_opens(slug: str) -> None:
    app = opened(slug)
    document = library().lesson(slug) or library().page(slug)
    assert document is not None
    assert app.title[0].value == document.front.title
    wanted = [section.title for section in document.sections if section.title]
    assert [x.value for x in app.header] == wanted
    assert not [x.value for x in app.info if "no recorded" in x.value.lower()]


def test_home_shows_the_path_and_the_answers() -> None:
    app = AppTest.from_file(str(APP / "main.py"), default_timeout=patience(60)).run()
    assert not app.exception
    assert app.title[0].value == "Speculative decoding, step by step"
    assert f"{len(library().lessons)} lessons" in app.header[0].value
    assert said(app).count("not begun") == len(library().lessons)


def test_a_fourth_lesson_appears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "lessons"
    shutil.copytree(FOLDER, folder)
    (folder / "4-a-new-one.md").write_text(
        "---\ntitle: A new one\noutcomes: [Know it.]\n---\n\n## Here\n\nText.\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(shelf, "FOLDER", folder)
    library.cache_clear()
    try:
        app = AppTest.from_file(str(APP / "main.py"), default_timeout=patience(60)).run()
        assert not app.exception
        links = [link.proto.label for link in app.get("page_link")]
        assert "4. A new one" in links
        assert "4 lessons" in app.header[0].value
        assert any("1 min, not begun" in x.value for x in app.sidebar.caption)
    finally:
        library.cache_clear()


def test_a_wrong_lesson_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "lessons"
    folder.mkdir()
    (folder / "1-bad.md").write_text("---\ntitle: Bad\n---\n", encoding="utf-8")
    monkeypatch.setattr(shelf, "FOLDER", folder)
    library.cache_clear()
    try:
        app = AppTest.from_file(str(APP / "main.py"), default_timeout=patience(60)).run()
        assert not app.exception
        assert "1-bad.md" in app.error[0].value
        assert app.title[0].value == "Speculative decoding, step by step"
    finally:
        library.cache_clear()


def test_a_live_gate_stops_asks_and_goes_on() -> None:
    """Before the prediction nothing of the answer is on the page; then it is, and it is kept."""
    app = opened("why-the-output-stays-exact")
    me = app.text[0].value
    assert "This cycle committed" not in said(app)
    gate = "option-l2-bet-on-verdict"
    hidden = tables(app)
    element(app, "button", gate).click().run()
    assert not app.exception
    assert "This cycle committed" in said(app)
    assert "zone" not in hidden
    assert "zone" in tables(app)
    assert "You predicted right" in said(app) or "There was a better bet" in said(app)
    kept = [a for key, a in learners.store().answers(me).items() if "bet-on-verdict" in key]
    assert len(kept) == 1
    assert kept[0].first_correct in (True, False)
    element(app, "button", "another-l2-bet-on-verdict").click().run()
    assert "This cycle committed" not in said(app)  # another cycle is another question
    element(app, "button", "skip-l2-predict-residual").click().run()
    skipped = [a for key, a in learners.store().answers(me).items() if "predict-residual" in key]
    assert [a.first_correct for a in skipped] == [None]
    assert skipped[0].first_answer == "skipped"


def test_gates_of_two_lessons_ask_about_different_cycles() -> None:
    """Each opened in a session of its own: what was answered before is known from the store."""
    first = opened("draft-then-verify")
    element(first, "button", "option-l1-predict-committed").click().run()
    me = first.text[0].value
    (met,) = met_before(learners.store().answers(me))
    second = AppTest.from_function(
        one_document, args=("why-the-output-stays-exact",), default_timeout=patience(60)
    )
    second.session_state["learner_without_cookie"] = me
    second.run()
    gates = [b.id for lesson in library().lessons for b in lesson.gates]
    keys = {str(b.key).rpartition("-")[0] for b in second.button if "option-l2-" in str(b.key)}
    cases = [case for key in keys for gate in gates for case in met_before([key], f"option-{gate}")]
    assert second.text[0].value == me
    assert len(cases) == len(set(cases)) == 3
    assert met not in cases


def test_the_sliders_say_what_is_used() -> None:
    app = opened("why-the-output-stays-exact")
    names = [x.key for x in app.slider if str(x.key)[-2:] in ("-A", "-B", "-C")][:3]
    app.slider(names[0]).set_value(0.9).run()
    assert not app.exception
    values = [app.slider(name).value for name in names]
    assert values == pytest.approx([0.9, 0.04, 0.06])
    assert sum(values) == pytest.approx(1.0)


def test_the_rule_at_one_position_counts() -> None:
    app = opened("why-the-output-stays-exact")
    element(app, "button", "many-").click().run()
    assert "Drawn 100 times" in said(app)
    slider = element(app, "slider", "p-why")
    slider.set_value(0.6).run()
    assert "Drawn 0 times" in said(app)  # the tally is about two numbers, and one has moved
    element(app, "button", "u-").click().run()
    assert "Drawn 1 times, accepted 1" in said(app)  # p is above q: no u rejects


def test_a_broken_rule_is_found_by_counting() -> None:
    app = opened("theorem-and-shipped-code")
    draws = [x for x in app.button if str(x.key).startswith("draws-")]
    draws[-1].click().run()
    assert not app.exception
    assert "The break is found." in said(app)
    rule = [x for x in app.get("button_group") if str(x.key).startswith("rule-")][-1]
    rule.set_value("exact").run()
    assert "Nothing drawn yet." in said(app)
    assert "This rule commits p" in said(app)
