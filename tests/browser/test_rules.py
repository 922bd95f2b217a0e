"""Test the page of rules and quotas: a week is painted, a rule tried, a quota set."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from paddock.server.store.db import Database
from tests.browser.conftest import looks, visits
from tests.browser.test_team import entered
from tests.support.reservations import add_devices
from tests.support.team import ADMIN, ALICE, Team, team

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("rules") / "home") as made:
        db = Database(f"sqlite:///{made.server.home.root / 'paddock.db'}")
        add_devices(db, ["gpu1"], 2, backend="other")
        db.close()
        assert made.clients[ADMIN].post("/groups", json={"name": "students", "members": [ALICE]}).status_code == 201
        yield made


@pytest.fixture
def visit(browser: Browser, people: Team) -> Iterator[Visit]:
    with visits(browser, people.server) as go:
        yield lambda path="/": go(path, signed_in=False)


def choose(page: Page, field: str, option: str) -> None:
    """Choose something from the list of a field; lists of several stay open."""
    page.get_by_label(field, exact=True).and_(page.locator("input")).click()
    page.get_by_role("option", name=option, exact=True).dispatch_event("click")
    page.get_by_label(field, exact=True).and_(page.locator("input")).press("Tab")


def cell(page: Page, name: str) -> Any:
    return page.get_by_role("gridcell", name=name, exact=True)


def paint(page: Page, first: str, last: str) -> None:
    cell(page, first).hover()
    page.mouse.down()
    cell(page, last).hover()
    page.mouse.up()


def test_a_rule_is_painted_tried_and_turned_off(visit: Visit, people: Team) -> None:
    page = entered(visit("/rules"), ADMIN)
    page.get_by_role("button", name="Add a rule").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill("Lectures")
    dialog.get_by_label("to run jobs").uncheck()
    choose(page, "Groups", "students")
    choose(page, "GPUs", "gpu1:0")
    paint(page, "Mon 08:00", "Fri 15:30")
    expect(cell(page, "Wed 12:00")).to_have_attribute("aria-selected", "true")
    paint(page, "Wed 08:00", "Wed 15:30")  # painting over what is set takes it away
    grid = dialog.get_by_role("grid")
    grid.focus()
    grid.press("ArrowDown")  # Thursday
    grid.press("ArrowRight")
    grid.press("Space")  # 16:00 is set
    expect(cell(page, "Thu 16:00")).to_have_attribute("aria-selected", "true")
    grid.press("Space")
    zone = page.get_by_label("Time zone", exact=True).and_(page.locator("input"))
    zone.fill("Warsaw")  # the list is long, and moves when it gets shorter: keys find what a mouse may miss
    expect(page.get_by_role("option")).to_have_text(["Europe/Warsaw"])
    zone.press("ArrowDown")
    zone.press("Enter")
    expect(zone).to_have_value("Europe/Warsaw")
    looks(page, "rules-dialog")
    dialog.get_by_role("button", name="Add", exact=True).click()
    sentence = "Members of students may not reserve gpu1:0 Mon, Tue, Thu, Fri 08:00-16:00 Europe/Warsaw"
    expect(page.get_by_text(sentence)).to_be_visible()
    looks(page, "rules")

    page.get_by_role("tab", name="Try").click()
    choose(page, "GPU", "gpu1:0")
    page.get_by_label("at (").fill("2031-11-10T10:00")  # a Monday
    row = page.get_by_role("row", name=ALICE)
    expect(row).to_contain_text("The rule 'Lectures' forbids it on Mon 10 Nov")
    expect(page.get_by_role("row", name=ADMIN)).to_contain_text("Rules do not bind admins.")
    looks(page, "rules-try")

    page.get_by_role("tab", name="Rules").click()
    page.get_by_label("Lectures is on").click(force=True)
    expect(page.get_by_label("Lectures is on")).not_to_be_checked()
    (stored,) = people.clients[ADMIN].get("/rules").json()
    assert (stored["active"], stored["windows"]) == (
        False,
        [{"days": [0, 1, 3, 4], "since": "08:00", "until": "16:00"}],
    )
    page.get_by_role("button", name="Edit Lectures").click()
    expect(cell(page, "Thu 08:00")).to_have_attribute("aria-selected", "true")
    expect(cell(page, "Wed 08:00")).to_have_attribute("aria-selected", "false")
    dialog.get_by_role("button", name="None").click()
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Members of students may not reserve gpu1:0", exact=True)).to_be_visible()
    page.get_by_role("button", name="Remove Lectures").click()
    page.get_by_role("button", name="Remove rule").click()
    expect(page.get_by_text("There are no rules")).to_be_visible()


def test_a_quota_is_set_and_everybody_sees_what_is_left(visit: Visit, people: Team) -> None:
    page = entered(visit("/rules?tab=quotas"), ADMIN)
    page.get_by_role("button", name="Set a quota").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Save")).to_be_disabled()
    choose(page, "Whose", "Each member of a group")
    choose(page, "Group", "students")
    dialog.get_by_role("textbox", name="GPU-hours a week").fill("40.5")
    dialog.get_by_role("textbox", name="GPUs at once").fill("2")
    dialog.get_by_role("button", name="Save").click()
    row = page.get_by_role("row", name="Each member of students")
    expect(row).to_contain_text("40.5")
    looks(page, "rules-quotas")
    hers = entered(visit("/rules?tab=quotas"), ALICE)
    expect(hers.get_by_label("Left to you")).to_contain_text("GPU-hours a week: 40.5 of 40.5 left")
    expect(hers.get_by_role("button", name="Set a quota")).to_have_count(0)
    page.get_by_role("button", name="Remove the quota of Each member of students").click()
    page.get_by_role("button", name="Remove quota").click()
    expect(page.get_by_text("There are no quotas")).to_be_visible()
    expect(hers.get_by_text("There are no quotas")).to_be_visible()  # by the event
