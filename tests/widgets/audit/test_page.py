"""The pages "Audit an engine" and "Rounding or bug?": words, figures, and visits."""

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from charts.audit import effects
from charts.audit.effects import audit_figure, audit_sentence, scaled
from charts.audit.rounding import rounding_figure
from engines.audit.audit import AuditState
from engines.audit.report import Report, Result
from engines.audit.report_text import as_junit
from engines.rounding.example import FILE, rounding_examples
from engines.rounding.found import Candidate, Rounding, Side
from engines.rounding.sentences import numbers_sentences, picture_sentence, verdict_sentence
from engines.wild.record import Measured, Outcome, Row, Wild
from helpers.browser import Opener
from helpers.gated_worker import StubShelf
from helpers.patience import patience, until
from speculation.exactness import Finding
from speculation.pairs.pair import Pair
from widgets.audit import on_record, rounding_view
from widgets.audit.audit_form import stopped
from widgets.audit.recorded_audits import FOLDER, BadReport, recorded_audits, report_of

SCREENS = Path(__file__).resolve().parents[3] / "app" / "screens"


def open_page(name: str) -> AppTest:
    app = AppTest.from_file(str(SCREENS / f"{name}.py"), default_timeout=patience(60)).run()
    assert not app.exception, app.exception
    return app


def result(name: str = "PIT", flagged: bool = False, **changes: object) -> Result:
    finding = Finding(name, 3.0, 0.4, 0.02, 0.0, 0.06, "total variation, at most", 200, 0.08)
    found = dataclasses.replace(finding, **changes)  # type: ignore[arg-type]
    return Result(name, "Is it?", "exact", found, 0.4, flagged, "", "")


def report(*results: Result, verdict: str = "exact") -> Report:
    fields = {"slower": False, "stopped": "", "failed": False, "continuations": 9, "seconds": 1.5}
    about = {"engine": "own", "settings": "temperature 1", "machine": "a machine"}
    return Report(verdict=verdict, results=results, about=about, **fields)  # type: ignore[arg-type]


# Figures


def test_effects_are_drawn_against_what_would_have_been_seen() -> None:
    fine, bad = result(), result("law", True, effect=0.4, low=0.3, high=9.0)
    refuted = result("forbidden", True, sees=0.0)
    silent = Result("seeds", "?", "exact", None, None, False, "no seeds", "")
    blind = result("blind", sees=float("inf"))
    rows = scaled([fine, silent, bad, refuted, blind])
    assert [(x.name, round(y, 2)) for x, y, *_ in rows] == [
        ("PIT", 0.25), ("law", effects.FURTHEST), ("forbidden", effects.FURTHEST),
    ]  # fmt: skip
    assert all(low <= effect <= high for _, effect, low, high in rows)
    figure = audit_figure([fine, bad])
    assert [len(x.x) for x in figure.data] == [1, 1]
    assert [x.marker.symbol for x in figure.data] == ["circle", "diamond"]
    assert "Found by: law" in audit_sentence([fine, bad])
    assert "None of the 1 checks" in audit_sentence([fine])
    audit_figure([])


def test_bars_meet_where_the_verdict_is_a_tie() -> None:
    def found(reach: float) -> Rounding:
        tokens = [
            Candidate(token=i, piece=f"<{i}>", plain=x, low=x - 0.1, high=x, float32=x)
            for i, x in enumerate((9.0, 8.7, 2.0))
        ]
        one, two = Side(tokens=5, token=0, behind=0.0), Side(tokens=5, token=1, behind=0.3)
        return Rounding(
            verdict="near-tie" if reach >= 0.3 else "doubtful", precision="bfloat16", k=4, common=2,
            one=one, two=two, reach=reach, gap=0.3, candidates=tokens,
        )  # fmt: skip

    for reach, meets in ((0.4, True), (0.2, False)):
        figure = rounding_figure(found(reach))
        bars = {x.name: x for x in figure.data if x.name.startswith("text")}
        left = bars["text one's token"].x[0] - bars["text one's token"].error_x.value
        right = bars["text two's token"].x[0] + bars["text two's token"].error_x.value
        assert (left <= right) == meets
        assert ("does not meet" in picture_sentence(found(reach))) != meets
        assert "&lt;0&gt;" in figure.layout.yaxis.ticktext[0], "a token is no markup"


# Engines on record


def test_the_table_says_what_was_found_in_words_and_shapes() -> None:
    numbers = {"texts": 2000, "outcomes": 4, "effect": 0.4, "low": 0.3, "high": 0.5, "sees": 0.1}

    def outcome(p_value: float) -> Outcome:
        one = Measured(
            setting="temperature 1", p_value=p_value, apart=0.4, apart_by_chance=0.02, **numbers
        )
        return Outcome(tested=(one,), seconds=1.0, drafted=0)

    def row(path: str, p_value: float) -> Row:
        return Row(
            engine="an <engine>", version="1.2", packages={}, path=path, driver="", twin="",
            claims="exact", date="2026-12-01", control=outcome(0.5), found=outcome(p_value),
        )  # fmt: skip

    rows = (row("good", 0.5), row("bad", 1e-9))
    found = Wild(machine="m", pair="p", rows=rows)
    html = on_record.table_html(found)
    assert "an &lt;engine&gt;" in html
    assert "● passes" in html
    assert "◆ deviates" in html
    assert "none seen; 0.10 would have been; no draft was made" in html
    assert "0.40 (0.02 by chance alone), at temperature 1" in html
    few = rows[0].found.model_copy(update={"drafted": 50, "accepted": 3})
    kept = on_record.few_drafts(rows[0].model_copy(update={"found": few}))
    assert kept == "; says little, as 3 drafts were kept"
    assert 'data-head="Verdict"' in html, "on a phone each value has its name beside it"
    assert "1 follow the target's distribution" in on_record.summary(found)
    assert "1 do not (an <engine>)" in on_record.summary(found)


def test_the_page_opens_with_the_engines_on_record() -> None:
    app = open_page("audit")
    headers = [x.value for x in app.header]
    assert headers[0] == "Engines on record"
    record = on_record.recorded_wild()
    assert record is not None
    whys = [x.label for x in app.expander if x.label.endswith(": why")]
    assert len(whys) == sum(row.verdict == "deviates" for row in record.rows)
    assert any("could not run" in x.label for x in app.expander)
    words = " ".join(x.value for x in app.markdown) + " ".join(x.value for x in app.caption)
    assert not re.search(r"\blaws?\b", on_record.summary(record))
    assert "once in a million" in words


# What ships


def test_recorded_reports_open_and_come_out_as_they_went_in() -> None:
    found = recorded_audits()
    names = [one.name for one in found]
    assert names[:2] == ["own", "own-replacement-from-target"]
    verdicts = {one.name: one.report.verdict for one in found}
    assert verdicts["own"] == "exact"
    assert verdicts["own-replacement-from-target"] == "deviation"
    for one in found:
        stored = json.loads((FOLDER / f"{one.name}.json").read_text())
        assert json.loads(one.report.to_json()) == stored
        assert as_junit(one.report).startswith("<?xml")


def test_a_file_that_is_no_report_is_refused() -> None:
    good = report(result(sees=float("inf"))).to_json()
    assert report_of(good) == report(result(sees=float("inf")))
    for text in ("", "{}", "[]", good.replace("audit-1", "audit-9"), good.replace("sees", "saw")):
        with pytest.raises(BadReport):
            report_of(text)


def test_the_recorded_examples_show_both_sides() -> None:
    tie, bug = rounding_examples()
    assert tie.found.verdict == "near-tie"
    assert bug.found.verdict in ("not-rounding", "later")
    for example in (tie, bug):
        assert example.one != example.two
        assert example.one.startswith(example.two[:20])
        assert verdict_sentence(example.found)
        assert len(numbers_sentences(example.found)) >= 4
        half = rounding_figure(example.found).data[-1].error_x.value
        assert half == pytest.approx(example.found.reach / 2)
    assert FILE.stat().st_size < 40_000


def test_texts_on_the_page_are_escaped() -> None:
    html = rounding_view.texts_html("a<script>", "a<b>")
    assert "<script>" not in html
    assert "<mark>script&gt;</mark>" in html


def test_what_was_stopped_says_so() -> None:
    state = AuditState("main", 40, 200, 9.0, 30.0, report(result()))
    assert "after 40 of 200" in stopped(state).report.sentence
    final = dataclasses.replace(state, final=True)
    assert stopped(final) is final


# Visits


@pytest.mark.parametrize("name", ["audit", "rounding"])
def test_without_live_models_the_recorded_ones_are_shown(
    fresh_server: Callable[..., None], name: str
) -> None:
    fresh_server(SPECULATE_LIVE="false")
    app = open_page(name)
    assert any("disabled here" in x.value for x in app.info)
    assert any("recorded" in x.value for x in app.markdown)
    assert not [button for button in app.button if button.key and button.key.endswith("-go")]
    other = app.segmented_control if hasattr(app, "segmented_control") else app.button_group
    other[0].set_value(1).run()
    assert not app.exception


@pytest.fixture
def live(
    fresh_server: Callable[..., None], tiny_pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker whose models are the tiny pair."""
    from jobs.worker import Worker, worker

    shelf = StubShelf(tiny_pair)
    monkeypatch.setattr(shelf, "pair", lambda *_: tiny_pair)
    monkeypatch.setattr(Worker, "unavailable", lambda self: None)
    fresh_server(
        SPECULATE_LIVE="true", SPECULATE_AUDIT_URL="http://127.0.0.1:9/v1|m, http://127.0.0.1:9"
    )
    worker()._shelf = shelf


def finish(app: AppTest, page: str) -> AppTest:
    """Run the page again until its work is done."""
    from widgets.audit import jobs

    def ended() -> bool:
        app.run()
        assert not app.exception, app.exception
        view = jobs.worker().look(f"{app.session_state['visitor']}-{page}", "work")
        return view is not None and view.final

    until(ended, f"{page} to end", pause=0.05)
    return app.run()


@pytest.mark.usefixtures("live")
def test_a_question_of_rounding_is_answered() -> None:
    app = open_page("rounding")
    app.text_area(key="rounding-prompt").set_value("one")
    app.text_area(key="rounding-one").set_value("[70, 71, 72]")
    app.text_area(key="rounding-two").set_value("[70, 71, 90]")
    app.selectbox(key="rounding-precision").select("float32")
    app.button(key="rounding-go").click().run()
    finish(app, "rounding")
    assert any("live: scored here" in x.value for x in app.markdown)
    assert app.subheader[0].value
    app.text_area(key="rounding-one").set_value("")
    app.text_area(key="rounding-two").set_value("")
    app.button(key="rounding-go").click().run()
    finish(app, "rounding")
    assert any("Both texts are empty" in x.value for x in app.error)


@pytest.mark.usefixtures("live")
def test_endpoints_that_do_not_answer_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from engines.openai.client import Patience
    from engines.rounding import endpoints

    monkeypatch.setattr(endpoints, "PATIENCE", Patience(tries=1))
    monkeypatch.setattr(endpoints.greedy_text, "__defaults__", (Patience(tries=1),))
    app = open_page("rounding")
    app.button_group(key="rounding-source").set_value("from two endpoints").run()
    app.text_area(key="rounding-prompt").set_value("one")
    app.button(key="rounding-go").click().run()
    finish(app, "rounding")
    assert any("is the server running" in x.value for x in app.error)
    assert not any("EngineUnavailable" in x.value for x in app.error)


@pytest.mark.usefixtures("live")
def test_an_audit_from_the_page() -> None:
    app = open_page("audit")
    app.select_slider(key="audit-n").set_value(50)
    app.text_input(key="audit-prompt").set_value("one")
    app.button(key="audit-go").click().run()
    finish(app, "audit")
    assert any("live: sampled here" in x.value for x in app.markdown)
    assert app.success or app.error
    assert any("50 continuations" in x.value for x in app.caption)
    assert len(app.get("download_button")) == 2
    app.text_input(key="audit-prompt").set_value("").run()
    assert not app.exception
    app.button_group(key="audit-engine").set_value("openai").run()
    assert not app.exception
    assert app.selectbox(key="audit-baseline").options[0].startswith("the exact distribution")


@pytest.mark.usefixtures("live")
def test_an_audit_that_is_stopped_reports_on_what_there_is() -> None:
    app = open_page("audit")
    app.select_slider(key="audit-n").set_value(800)
    app.button(key="audit-go").click().run()
    from widgets.audit import jobs

    who = f"{app.session_state['visitor']}-audit"
    until(
        lambda: getattr(jobs.worker().look(who, "work").published, "done", 0),  # type: ignore[union-attr]
        "the first continuation",
    )
    app.run()
    app.button(key="stop-audit").click().run()
    finish(app, "audit")
    boxes = [x.value.replace("\\", "") for x in (*app.success, *app.error, *app.warning)]
    done = next(m[1] for x in boxes if (m := re.search(r"by hand, after (\d+) of", x)))
    assert any(f"{done} continuations" in x.value for x in app.caption), "every one counts"


# In the browser


@pytest.mark.parametrize("page", ["audit", "rounding-or-bug"])
def test_on_a_phone(open_lab: Opener, server, page: str) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    size = {"width": 390, "height": 844}
    lab = open_lab(f"http://127.0.0.1:{server.port}/{page}", wait=False, viewport=size)
    lab.page.locator(".js-plotly-plot").first.wait_for()
    lab.wait(lab.no_sideways_scroll)
    assert lab.page.get_by_role("heading", level=1).count() == 1
