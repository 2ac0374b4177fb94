"""When the line to a class breaks, or a page comes back: nothing is lost, nobody is two.

Every wait is on the state of a page.
"""

from helpers.classes.pages import School, Somebody, choose, student_of, teacher_of


def test_reload_back_button_and_second_tab_are_the_same_member(
    school: School, somebody: Somebody
) -> None:
    student = student_of(school, somebody, "Ada")
    school.do("ask", question={"kind": "count", "cycle": 0})
    student.says(".question", "How many")
    choose(student, "5")
    student.says("#question-said", "Your answer is in.")

    student.page.reload()
    student.says("#question-said", "Your answer is in.")
    assert student.page.locator("li[data-mine]").inner_text().startswith("E")
    assert "Ada" in student.text("#me")

    student.page.goto(f"{school.home}/class")
    student.page.go_back()
    student.says("#question-said", "Your answer is in.")

    second = student.tab()
    second.goto(school.join)
    second.locator("li[data-mine]").wait_for()
    assert second.locator(".choice:not([aria-disabled])").count() == 0
    student.wait(lambda: [school.state()[name] for name in ("here", "answered")] == [1, 1])


def test_a_vote_survives_a_broken_line(school: School, somebody: Somebody) -> None:
    """The first tries fail; the page goes on trying, and the vote counts once."""
    student = student_of(school, somebody)
    school.do("ask", question={"kind": "count", "cycle": 0})
    student.says(".question", "How many")
    student.expected.append("ERR_FAILED")
    student.page.route("**/vote", lambda route: route.abort(), times=2)
    student.page.locator(".choice").nth(4).click()
    student.says("#question-said", "Your answer is in.")
    student.wait(lambda: school.state()["answered"] == 1)


def test_the_teachers_laptop_sleeps_for_a_minute(school: School, somebody: Somebody) -> None:
    teacher = teacher_of(school, somebody)
    student = student_of(school, somebody)
    teacher.press("ArrowRight")
    student.says("#where", "cycle 1, verified")
    teacher.expected.append("ERR_INTERNET_DISCONNECTED")
    # Asleep: no network, and no timer runs; the clock is wound on when it wakes.
    teacher.page.clock.install()
    teacher.context.set_offline(True)
    teacher.says("#status", "reconnecting")
    # Meanwhile another page of the teacher's goes on.
    school.do("show", place={"item": 0, "cycle": 1, "stage": "decide", "position": 0})
    school.do("ask", question={"kind": "verdict", "cycle": 1, "position": 1})
    student.says(".question", "Accepted or rejected?")
    student.page.locator(".choice").first.click()
    student.says("#question-said", "Your answer is in.")
    before = teacher.box("header")
    teacher.page.clock.fast_forward("01:00")
    teacher.context.set_offline(False)
    teacher.wait(lambda: teacher.page.clock.run_for(1000) or "1 answered" in teacher.text("header"))
    teacher.says(".question", "Accepted or rejected?")
    assert teacher.box("header") == before
    teacher.press("Enter", "Enter", "Enter")
    teacher.wait(
        lambda: teacher.page.clock.run_for(500) or "position 2 decided" in teacher.text("#where")
    )
    student.says("#where", "cycle 2, position 2 decided")


def test_polling_where_streams_do_not_get_through(school: School, somebody: Somebody) -> None:
    student = somebody()
    student.expected.append("ERR_FAILED")
    student.page.route("**/events", lambda route: route.abort())
    student.page.goto(school.join)
    student.page.locator("#nickname").wait_for()
    student.press("Enter")
    student.page.locator(".stepper .row .chip").first.wait_for()
    school.do("show", place={"item": 0, "cycle": 0, "stage": "decide", "position": 0})
    student.says("#where", "cycle 1, position 1 decided")
    student.says("#status", "live")
    # And it stays so: nobody waits for streams that have never come.
    said = set()
    for _ in range(20):
        student.page.wait_for_timeout(250)
        said.add(student.text("#status"))
    assert said == {"live"}


def test_a_wrong_code_and_a_stranger_on_the_presenters_page(
    school: School, somebody: Somebody
) -> None:
    person = somebody()
    person.page.goto(f"{school.home}/class")
    person.page.keyboard.type("abc")
    person.press("Enter")
    person.says("#code-said", "A code has six letters; this has 3.")
    person.page.locator("#code").fill(school.code.upper())
    person.press("Enter")
    person.page.locator("#nickname").wait_for()
    person.expected.append("403")
    person.page.goto(f"{school.join}/present")
    person.says("#message", "This page is the teacher's")
