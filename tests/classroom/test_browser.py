"""A class in a real browser: one teacher, three students, and what can happen to each of them.

The server runs on recordings, on a database of its own. Every wait is on the state of a page.
"""

import pytest

from classroom.plans.questions import votable
from helpers.classes.pages import PHONE, School, Somebody, choose, student_of, teacher_of
from recordings.trace_files import recorded


def test_a_whole_round_by_keyboard(school: School, somebody: Somebody) -> None:
    teacher = teacher_of(school, somebody)
    assert "#" not in teacher.page.url  # the token is not on the projector
    students = [student_of(school, somebody, name) for name in ("Ada", "Bo", "Cy")]
    teacher.says("#here", "3 here")

    # Step: to the end of cycle 1, and on into cycle 2; everybody follows.
    teacher.press("Shift+ArrowRight", "ArrowRight", "ArrowRight")
    for one in students:
        one.says("#where", "cycle 2, verified")
        assert one.text(".tokens").count("reverse") == 1

    # Ask, and vote.
    teacher.press("a")
    teacher.says("#overlay", "Is position 1 of cycle 2 accepted or rejected?")
    teacher.press("1")
    for one, words in zip(students, ("Accepted", "Rejected", "Rejected"), strict=True):
        one.says(".question", "Accepted or rejected?")
        assert one.page.locator(".count").first.inner_text() == ""  # no counts before it is closed
        choose(one, words)
        one.says("#question-said", "Your answer is in.")
    teacher.says("#answered", "3 answered")
    teacher.says(".question li:nth-child(2) .count", "2 (67%)")
    teacher.press("ArrowRight")  # a step would give the answer away
    teacher.says("#where", "A question is open")

    # Close, talk, ask again.
    teacher.press("Enter")
    for one in students:
        one.says(".question li:nth-child(1) .count", "1 (33%)")
        assert "right" not in one.text(".question")
    teacher.press("z")
    for one in students:
        one.says("#question-said", "The same question again")
        choose(one, "Accepted")
        one.says("#question-said", "Your answer is in.")
    teacher.says("#answered", "3 answered")
    teacher.press("Enter")

    # Reveal: both rounds side by side, the right answer, and the verdict in the run.
    for one in (*students, teacher):
        one.says(".question li:nth-child(1) .results", "3 (100%)")
        one.says(".question li:nth-child(1) .results", "1 (33%)")
    teacher.press("Enter")
    for one in (*students, teacher):
        one.says(".question li[data-right]", "Accepted")
        one.says(".question .why", "Accepted: ")
    for one in students:
        one.says("#question-said", "You were right.")
        one.says(".row[data-selected] .verdict", "accepted")

    # Go on, and the end.
    teacher.press("Enter")
    for one in students:
        one.page.locator(".question").wait_for(state="hidden")
    teacher.press("ArrowRight")
    for one in students:
        one.says("#where", "cycle 2, position 2 decided")
    teacher.press("e")
    teacher.says("#overlay", "End the class?")
    teacher.press("1")
    for one in students:
        one.says("#ended", "The class has ended")
        one.says("#resume-code", "-")
        one.says(".nav", "cycle 2 of 2")  # what was shown can still be stepped through
    teacher.says("#where", "The class has ended.")


def test_any_checkpoint_question_can_be_asked(school: School, somebody: Somebody) -> None:
    teacher, student = teacher_of(school, somebody), student_of(school, somebody)
    asked = next(x for x in reversed(votable()) if "$" not in x.text and "`" not in x.text)
    teacher.press("a", "ArrowUp", "End")
    teacher.page.locator("#overlay button", has_text="A checkpoint question").click()
    teacher.says("#overlay h2", "Ask a checkpoint question")
    assert teacher.page.locator("#overlay .menu button").count() == len(votable())
    teacher.page.locator("#overlay .menu button", has_text=asked.text).first.click()
    for one in (teacher, student):
        one.says(".question", asked.text)
    right = next(option.text for option in asked.choices if option.key == asked.correct)
    assert f'"correct":"{asked.correct}"' not in student.page.content()
    choose(student, right)
    student.says("#question-said", "Your answer is in.")
    teacher.press("Enter", "Enter")
    student.says("#question-said", "You were right.")


def test_nothing_unrevealed_reaches_a_student(school: School, somebody: Somebody) -> None:
    """Every body that the student's browser got, searched for what was not shown."""
    trace = recorded("code")
    assert trace is not None
    student = somebody()
    # What fetch and the event stream gave is written down inside the page.
    student.page.add_init_script(
        """window.heard = [];
        const Real = EventSource;
        window.EventSource = class extends Real {
          constructor(...given) {
            super(...given);
            for (const name of ["state", "you", "here"]) {
              this.addEventListener(name, (event) => heard.push(event.data));
            }
          }
        };
        const get = window.fetch;
        window.fetch = async (...given) => {
          const answer = await get(...given);
          heard.push(await answer.clone().text());
          return answer;
        };"""
    )
    student.page.goto(school.join)
    student.page.locator("#nickname").wait_for()
    student.press("Enter")
    student.page.locator(".stepper .row .chip").first.wait_for()
    school.do("show", place={"item": 0, "cycle": 1, "stage": "decide", "position": 1})
    student.says("#where", "cycle 2, position 2 decided")
    school.do("ask", question={"kind": "verdict", "cycle": 1, "position": 3})
    student.says(".question", "Accepted or rejected?")
    heard = "\n".join(student.page.evaluate("heard"))
    assert str(trace.cycles[1].drafted[2].u) in heard  # the search finds what was shown
    cycle = trace.cycles[1]
    hidden = [cycle.drafted[3].u, cycle.drafted[3].a, cycle.replacement.p, cycle.replacement.u]
    hidden += [x.q for later in trace.cycles[2:4] for x in later.drafted]
    assert [number for number in hidden if number not in (0.0, 1.0) and str(number) in heard] == []
    assert '"correct":"' not in heard.replace(" ", "")
    assert f'"{cycle.replacement.token}":' not in heard.replace(" ", "")
    assert school.token not in heard


def test_looking_around_and_back(school: School, somebody: Somebody) -> None:
    student = student_of(school, somebody)
    school.do("show", place={"item": 0, "cycle": 2, "stage": "verify", "position": 0})
    student.says("#where", "cycle 3, verified")
    assert not student.page.locator(".nav").is_visible()
    student.page.get_by_role("button", name="Look around on my own").click()
    student.press("Home")
    assert student.text(".where") == "cycle 1 of 3"
    student.press("End", "ArrowRight", "PageDown")  # as far as was shown, and no further
    assert "rows of p" in student.text(".sentence")
    student.press("Home")
    school.do("show", place={"item": 0, "cycle": 2, "stage": "decide", "position": 0})
    student.says("#where", "The class is at cycle 3, position 1 decided")
    assert student.text(".where") == "cycle 1 of 3"  # still on their own
    student.page.get_by_role("button", name="Back to class").click()
    assert "Position 1:" in student.text(".sentence")
    school.do("show", place={"item": 0, "cycle": 2, "stage": "decide", "position": 1})
    student.says(".sentence", "Position 2:")


def test_going_back_takes_nothing_away_unless_asked(school: School, somebody: Somebody) -> None:
    teacher = teacher_of(school, somebody)
    student = student_of(school, somebody)
    teacher.press("ArrowRight", "ArrowRight", "ArrowRight")
    student.says("#where", "cycle 1, position 2 decided")
    teacher.press("ArrowLeft")
    teacher.says("#where", "Students keep what was shown, up to cycle 1, position 2 decided.")
    student.says("#where", "cycle 1, position 1 decided")
    assert student.page.locator(".tokens [role=option]").count() == 2
    teacher.press("u")
    student.wait(lambda: student.page.locator(".tokens [role=option]").count() == 1)
    teacher.wait(lambda: teacher.text("#where") == "cycle 1, position 1 decided")


def test_votes_move_nothing(school: School, somebody: Somebody) -> None:
    """On the projector every box stays where it was while answers come in."""
    teacher = teacher_of(school, somebody)
    students = [student_of(school, somebody, **PHONE) for _ in range(2)]
    teacher.says("#here", "2 here")
    teacher.press("ArrowRight", "a", "2")
    teacher.says(".question", "How many")
    places = ("header h1", "#answered", ".ask", ".choices", "li:last-child .track", "li .count",
              ".rows", "footer")  # fmt: skip
    before = [teacher.box(place) for place in places]
    for n, student in enumerate(students):
        student.says(".question", "How many")
        student.page.locator(".choice").nth(n).tap()
        teacher.says("#answered", f"{n + 1} answered")
    assert [teacher.box(place) for place in places] == before
    sizes = [student.box(".choice") for student in students]
    assert all(height >= 44 for *_, height in sizes)


def test_the_parts_of_a_plan_and_its_notes(school: School, somebody: Somebody) -> None:
    teacher = teacher_of(school, somebody)
    student = student_of(school, somebody)
    teacher.press("n")
    teacher.says("#notes", "Stop at verify")
    teacher.press("n", "]")
    student.says("#title", "A text that is hard to guess")
    teacher.press("i", "3")
    student.says("#title", "What a block costs")
    teacher.says("#title", "What a block costs")
    teacher.press("a", "3")
    for one in (student, teacher):
        one.says(".question", "why can a pass over five tokens")
    teacher.press("Enter", "Enter")
    student.says(".question li[data-right]", "The weights are read once")
    teacher.press("i", "1")
    student.says("#title", "A text that is easy to guess")
    student.page.locator(".question").wait_for(state="hidden")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(school: School, somebody: Somebody, scheme: str) -> None:
    teacher = teacher_of(school, somebody)
    teacher.page.emulate_media(color_scheme=scheme)
    join = somebody(color_scheme=scheme)
    join.page.goto(f"{school.home}/class")
    student = student_of(school, somebody, color_scheme=scheme, viewport=PHONE["viewport"])
    for person in (join, student, teacher):
        assert person.violations() == []
    teacher.press("ArrowRight", "a", "1")
    student.says(".question", "Accepted or rejected?")
    student.page.locator(".choice").first.click()
    student.says("#question-said", "Your answer is in.")
    teacher.press("Enter", "Enter")
    student.says(".question li[data-right]", "right")
    assert student.violations() == []
    assert teacher.violations() == []
    teacher.press("c")
    teacher.says("#overlay", "Join the class")
    assert teacher.violations() == []
    assert not student.page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )
