"""The page Class in a real browser: start, make a plan, save and load it, take results, delete.

The server runs on recordings, so nothing waits for a model.
"""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from classroom.plans.plan import parse_plan
from helpers.browser import Server
from helpers.classes.pages import Person, School, Somebody, post


@pytest.fixture
def teacher(class_server: Server, somebody: Somebody) -> Person:
    one = somebody(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    one.page.goto(f"http://127.0.0.1:{class_server.port}/teach")
    one.page.get_by_role("button", name="Start the class").wait_for()
    return one


def button(teacher: Person, name: str) -> Any:
    return teacher.page.get_by_role("button", name=name, exact=True)


def parts(teacher: Person) -> list[str]:
    """The parts of the plan that is being made, as their headings say."""
    found = teacher.page.locator(".st-key-class-build [data-testid=stExpander] summary")
    return [re.sub(r"\W*\d+\. ", "", text.split("\n")[-1]) for text in found.all_inner_texts()]


def start(teacher: Person) -> School:
    button(teacher, "Start the class").click()
    teacher.page.locator(".letters").first.wait_for()
    link = teacher.page.locator("a.present").first.get_attribute("href")
    home, code, token = re.fullmatch(r"(.*)/class/(\w{6})/present#t=(.+)", link).groups()
    assert teacher.text(".letters") == code.upper()
    return School(home, code, token)


def test_from_one_click_to_deleting_everything(teacher: Person) -> None:
    school = start(teacher)
    with teacher.context.expect_page() as opened:
        teacher.page.locator("a.present").first.click()
    presenter = opened.value
    presenter.locator(".stepper .row .chip").first.wait_for()
    assert presenter.url == f"{school.home}/class/{school.code}/present"
    assert presenter.locator("#title").inner_text() == "A text that is easy to guess"
    assert school.token not in presenter.content()
    teacher.says(".numbers", "0 here")

    with teacher.page.expect_download() as file:
        button(teacher, "Results, CSV").click()
    assert "round" in Path(file.value.path()).read_text().splitlines()[0]

    button(teacher, "End the class").click()
    button(teacher, "End the class now").click()
    teacher.says("[class*=st-key-class-card]", "This class has ended")
    presenter.locator("#where").filter(has_text="The class has ended").wait_for()

    button(teacher, "Go on with it").click()
    teacher.says(".numbers", "0 here")
    presenter.locator("#where").filter(has_not_text="has ended").wait_for()

    button(teacher, "Delete everything").click()
    teacher.expected.append("404")  # what the presenter's page gets from here on
    button(teacher, "Delete everything now").click()
    teacher.page.locator("[class*=st-key-class-card]").wait_for(state="detached")
    # Whoever follows a class looks for a change four times a second.
    teacher.wait(lambda: presenter.request.get(school.join).status == 404)
    presenter.goto(school.join)
    presenter.locator("#code-said").filter(has_text="no class with this code").wait_for()


def test_a_plan_is_made_saved_and_started(teacher: Person, tmp_path: Path) -> None:
    button(teacher, "Change a copy of it").click()
    teacher.wait(lambda: len(parts(teacher)) == 3)
    first = parts(teacher)
    button(teacher, "Up").last.click()
    teacher.wait(lambda: parts(teacher) == [first[0], first[2], first[1]])
    button(teacher, "Remove this part").last.click()
    teacher.wait(lambda: parts(teacher) == [first[0], first[2]])
    button(teacher, "Undo").click()
    teacher.wait(lambda: parts(teacher) == [first[0], first[2], first[1]])

    button(teacher, "Add a question").last.click()
    teacher.says("[data-testid=stPopoverBody]", "Accepted or rejected?")
    teacher.page.get_by_test_id("stPopoverBody").get_by_role("button", name="Add it").click()
    last = teacher.page.locator(".st-key-class-build [data-testid=stExpander]").last
    teacher.wait(lambda: last.get_by_role("button", name="Remove", exact=True).count() == 4)
    with teacher.page.expect_download() as file:
        button(teacher, "Save the plan").click()
    saved = Path(file.value.path()).read_bytes()
    plan = parse_plan(saved)
    assert [item.title for item in plan.items] == [first[0], first[2], first[1]]
    assert (plan.items[2].questions[-1].kind, plan.items[2].questions[-1].cycle) == ("verdict", 0)

    teacher.page.get_by_text("A plan from a file", exact=True).click()
    upload = teacher.page.locator(".st-key-class-file input[type=file]")
    bad = json.loads(gzip.decompress(saved))
    bad["items"][1]["questions"] = [{"kind": "verdict", "cycle": 0, "position": 9}]
    upload.set_input_files(
        {"name": "bad.json", "mimeType": "application/json", "buffer": json.dumps(bad).encode()}
    )
    teacher.says("[data-testid=stAlert]", "items.1.questions.0")
    assert button(teacher, "Start the class").is_disabled()
    upload.set_input_files(
        {"name": "plan.json.gz", "mimeType": "application/gzip", "buffer": saved}
    )
    teacher.wait(lambda: button(teacher, "Start the class").is_enabled())
    school = start(teacher)
    assert school.state()["plan"]["items"][1]["title"] == first[2]


def test_a_class_is_taken_up_by_its_private_link(
    teacher: Person, class_server: Server, somebody: Somebody
) -> None:
    """The token lives in this browser's session alone: another one has no class to show."""
    home = f"http://127.0.0.1:{class_server.port}"
    begun = post(f"{home}/class/api/start", {"plan": "3-theorem-and-shipped-code"})
    school = School(home, begun["code"], begun["token"])
    assert teacher.page.locator(".letters").count() == 0
    teacher.page.get_by_text("A class that runs already").click()
    field = teacher.page.get_by_label("Its private link")
    field.fill(f"{school.join}/present#t={'x' * 22}")
    field.press("Enter")
    teacher.says("[data-testid=stAlert]", "Only the teacher")
    field.fill(school.present)
    field.press("Enter")
    teacher.says("[class*=st-key-class-card]", "Lesson 3")
    teacher.says(".letters", school.code.upper())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_and_a_narrow_screen(class_server: Server, somebody: Somebody, scheme: str) -> None:
    one = somebody(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    one.page.goto(f"http://127.0.0.1:{class_server.port}/teach")
    start(one)
    height = one.page.get_by_test_id("stMain").evaluate("(x) => x.scrollHeight")
    one.page.set_viewport_size({"width": 390, "height": height + 20})
    one.says(".numbers", "0 here")
    assert one.violations() == []
    assert not one.page.evaluate(
        """() => [document.documentElement, document.querySelector("[data-testid=stMain]")]
          .some((x) => x.scrollWidth > x.clientWidth)"""
    )


def test_the_teachers_page_tells_nobody_else(teacher: Person, somebody: Somebody) -> None:
    """A student opens the page Class: nothing of the teacher's comes over its websocket."""
    heard: dict[str, list[bytes]] = {"teacher": [], "student": []}

    def listen(name: str, page: Any) -> None:
        def note(frame: Any) -> None:
            heard[name].append(frame if isinstance(frame, bytes) else frame.encode())

        page.on("websocket", lambda socket: socket.on("framereceived", note))

    listen("teacher", teacher.page)
    teacher.page.reload()
    button(teacher, "Start the class").wait_for()
    school = start(teacher)
    student = somebody()
    listen("student", student.page)
    student.page.goto(school.join)
    student.page.locator("#nickname").wait_for()
    student.press("Enter")
    student.page.locator(".stepper .row .chip").first.wait_for()
    student.page.goto(f"{school.home}/teach")
    student.page.get_by_role("button", name="Start the class").wait_for()
    student.page.get_by_text("A class that runs already").wait_for()
    said = {name: b"".join(frames) for name, frames in heard.items()}
    assert school.token.encode() in said["teacher"]  # it does go over the teacher's own
    assert len(said["student"]) > 10_000
    assert school.token.encode() not in said["student"]
    assert school.code.encode() not in said["student"].lower()
