"""Test the calendar: GPUs are dragged over, reservations moved and extended, with a mouse and with keys."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import LOOKS, dress, look, serious, visits
from tests.browser.test_team import entered
from tests.support.gpu_server import gpu_server
from tests.support.server import wait_for
from tests.support.team import ADMIN, ALICE, BOB, GUEST, Team

Visit = Callable[..., Page]
ROME = ZoneInfo("Europe/Rome")  # where the browser is
GPUS, ROW = 4, 22


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with gpu_server(tmp_path_factory.mktemp("calendar"), GPUS, owner=ADMIN, local__slots=1) as made:
        team = Team(made.server)
        yield team
        team.close()


@pytest.fixture
def visit(browser: Browser, people: Team) -> Iterator[Visit]:
    """Open the calendar as somebody, on a day without any reservation."""
    with visits(browser, people.server) as go:
        yield lambda name, path="": entered(go(f"/calendar?{path}", signed_in=False), name)
    for one in listed(people):
        people.clients[ADMIN].post(f"/reservations/{one['id']}/{'cancel' if _future(one) else 'release'}")


@pytest.fixture
def day() -> datetime:
    """Midnight in Rome of a day to come that has 24 hours."""
    midnight = datetime.now(ROME).replace(hour=0, minute=0, second=0, microsecond=0)
    days = [midnight + timedelta(days=number) for number in range(2, 6)]
    return next(one for one in days if _utc(one + timedelta(days=1)) - _utc(one) == timedelta(hours=24))


def test_three_gpus_are_reserved_in_one_drag(visit: Visit, people: Team, day: datetime) -> None:
    page = visit(ALICE, shown(day))
    drag(page, (1, 10), (3, 14))
    dialog = page.get_by_role("dialog", name="Reserve GPUs")
    expect(dialog.get_by_label("From")).to_have_value(f"{day:%Y-%m-%d}T10:00")
    expect(dialog.get_by_label("Until")).to_have_value(f"{day:%Y-%m-%d}T14:00")
    expect(dialog.get_by_text("3 GPUs for 4 h: 12 GPU-hours")).to_be_visible()
    dialog.get_by_role("textbox", name="Title").fill("ViT sweep")
    dialog.get_by_label("Guests").fill("bob")
    page.get_by_role("option", name="bob").dispatch_event("click")
    look(page, "calendar-dialog-1440-light")
    dialog.get_by_role("button", name="Reserve", exact=True).click()
    expect(box(page, "alice: ViT sweep")).to_be_visible()
    [made] = listed(people)
    assert made["owner"] == ALICE and made["guests"] == [BOB]
    assert on(made, people) == devices(people)[:3]
    assert (start(made), end(made)) == (_utc(day, 10), _utc(day, 14))
    # Others see it at once, and may read it, but not change it.
    other = visit(BOB, shown(day))
    box(other, "alice: ViT sweep").click()
    read = other.get_by_role("dialog", name="alice: ViT sweep")
    expect(read.get_by_text("Guests: bob")).to_be_visible()
    expect(read.get_by_role("button", name="Save")).to_have_count(0)


def test_what_is_taken_is_refused_with_what_is_free(visit: Visit, people: Team, day: datetime) -> None:
    first, *_ = devices(people)
    reserve(people, BOB, [first], day, 9, 13, title="Bob trains")
    page = visit(ALICE, shown(day))
    drag(page, (1, 15), (1, 11))
    dialog = page.get_by_role("dialog", name="Reserve GPUs")
    expect(dialog.get_by_text("bob: Bob trains")).to_be_visible()
    dialog.get_by_role("button", name="Reserve", exact=True).click()
    refused = dialog.get_by_role("alert")
    expect(refused).to_contain_text(re.compile(r"is reserved by bob: .* 09:00 to 13:00"))  # as the browser's clock
    slots = refused.get_by_role("list", name="Free slots")
    look(page, "calendar-refused-1440-light")
    slots.get_by_role("button").first.click()
    expect(dialog.get_by_role("alert")).to_have_count(0)
    dialog.get_by_role("button", name="Reserve", exact=True).click()
    expect(dialog).to_have_count(0)
    assert {one["owner"] for one in listed(people)} == {ALICE, BOB}


def test_a_box_is_moved_and_extended_and_taken_back(visit: Visit, people: Team, day: datetime) -> None:
    ids = devices(people)
    made = reserve(people, ALICE, ids[:2], day, 9, 12, title="Mine")
    page = visit(ALICE, shown(day))
    mine = box(page, "alice: Mine")
    expect(mine).to_be_visible()
    _pull(page, mine, 0.5, (3, 14.5))  # from its middle, two rows down and four hours later
    wait_for(lambda: start(one(people, made)) == _utc(day, 13), what="the box to move")
    assert on(one(people, made), people) == ids[2:]
    offered = page.get_by_role("alert").filter(has_text="alice: Mine is now")
    offered.get_by_role("button", name="Undo").click()
    wait_for(lambda: on(one(people, made), people) == ids[:2], what="the box to move back")
    assert (start(one(people, made)), end(one(people, made))) == (_utc(day, 9), _utc(day, 12))

    expect(page.get_by_test_id("ghost")).to_have_count(0)
    _pull(page, mine, 1.0, (1, 16))
    wait_for(lambda: end(one(people, made)) == _utc(day, 16), what="the end to move")
    expect(page.get_by_test_id("ghost")).to_have_count(0)
    _pull(page, mine, 0.0, (1, 7))
    wait_for(lambda: start(one(people, made)) == _utc(day, 7), what="the start to move")

    # Into one of somebody else: refused, in the dialog, and nothing has changed.
    reserve(people, BOB, [ids[0]], day, 18, 20, title="In the way")
    expect(box(page, "bob: In the way")).to_be_visible()
    expect(page.get_by_test_id("ghost")).to_have_count(0)
    _pull(page, mine, 1.0, (1, 19))
    dialog = page.get_by_role("dialog", name="alice: Mine")
    expect(dialog.get_by_role("alert")).to_contain_text("bob")
    assert end(one(people, made)) == _utc(day, 16)
    page.keyboard.press("Escape")
    # That of somebody else does not move.
    _pull(page, box(page, "bob: In the way"), 0.5, (3, 10))
    expect(page.get_by_test_id("ghost")).to_have_count(0)


def test_everything_goes_with_keys(visit: Visit, people: Team, day: datetime) -> None:
    page = visit(ALICE, shown(day))
    grid = page.get_by_role("application")
    grid.focus()
    said = page.get_by_role("status").filter(has_text=re.compile(r"\d\d:\d\d"))
    for key in ["ArrowDown", *["ArrowRight"] * 8, *["Shift+ArrowRight"] * 7, "Shift+ArrowDown"]:
        grid.press(key)
    expect(said).to_contain_text("02:00 to 04:00 (2 h)")
    grid.press("Enter")
    dialog = page.get_by_role("dialog", name="Reserve GPUs")
    dialog.get_by_role("textbox", name="Title").fill("By keys")
    page.keyboard.press("Enter")
    expect(box(page, "alice: By keys")).to_be_visible()
    expect(dialog).to_have_count(0)
    [made] = listed(people)
    assert on(made, people) == devices(people)[:2] and start(made) == _utc(day, 2)

    grid.focus()
    for key in ["ArrowLeft", "m", *["ArrowRight"] * 4, *["Shift+ArrowRight"] * 4, "ArrowDown"]:
        grid.press(key)
    expect(page.get_by_test_id("ghost")).to_be_visible()
    grid.press("Escape")
    expect(page.get_by_test_id("ghost")).to_have_count(0)
    for key in ["m", *["ArrowRight"] * 4, *["Shift+ArrowRight"] * 4, "ArrowDown", "Enter"]:
        grid.press(key)
    wait_for(lambda: start(one(people, made)) == _utc(day, 3), what="the box to move")
    assert end(one(people, made)) == _utc(day, 6) and on(one(people, made), people) == devices(people)[1:3]
    for key in ["ArrowRight"] * 2:
        grid.press(key)
    grid.press("Enter")
    opened = page.get_by_role("dialog", name="alice: By keys")
    expect(opened).to_be_visible()
    opened.get_by_role("button", name="Cancel reservation").click()
    page.get_by_role("dialog", name="Cancel this").get_by_role("button", name="Cancel reservation").click()
    expect(box(page, "alice: By keys")).to_have_count(0)
    assert listed(people) == []


def test_looks_for_everybody(visit: Visit, people: Team, day: datetime) -> None:
    ids = devices(people)
    now = datetime.now(UTC)
    reserve(people, ALICE, ids[:2], day, 8, 20, title="ViT sweep")
    reserve(people, BOB, [ids[2]], day, 3, 12, guests=[ALICE])
    reserve(people, ADMIN, ids, day, 21, 24, title="New driver", kind="maintenance")
    body = {"devices": [ids[3]], "ends_at": (now + timedelta(hours=2)).isoformat(), "title": "Now"}
    assert people.clients[ALICE].post("/reservations", json=body).status_code == 201
    page = visit(ALICE)
    expect(box(page, "alice: Now")).to_be_visible()
    expect(page.get_by_role("link", name="Calendar")).to_have_attribute("aria-current", "page")
    look(page, "calendar-1440-light")
    box(page, "alice: Now").click()
    page.get_by_role("dialog", name="alice: Now").get_by_role("button", name="Release the rest").click()
    page.get_by_role("dialog", name="Release").get_by_role("button", name="Release", exact=True).click()
    expect(page.get_by_text("The rest of it is free again")).to_be_visible()
    expect(page.get_by_text("The reservation is changed")).to_have_count(0)

    # Folded, a host is one row; it is the first, and all of its GPUs can be reserved with it.
    page.get_by_role("application").get_by_role("button", expanded=True).click()
    expect(box(page, "alice: ViT sweep")).to_have_count(0)
    page.get_by_role("application").get_by_role("button", expanded=False).click()

    dress(page, 390, True)
    agenda = page.get_by_role("region", name="Agenda")
    expect(agenda.get_by_role("button", name="alice: ViT sweep")).to_be_visible()
    expect(agenda.get_by_role("button", name="Maintenance")).to_have_count(0)
    agenda.get_by_text("All", exact=True).click()
    look(page, "calendar-390-dark")
    agenda.get_by_role("button", name="Maintenance: New driver").click()
    expect(page.get_by_role("dialog").get_by_text(f"Made by {ADMIN}")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Reserve", exact=True).click()
    expect(page.get_by_text("Choose at least one GPU.")).to_be_visible()
    look(page, "calendar-dialog-390-dark")

    guest = visit(GUEST, shown(day))
    expect(box(guest, "alice: ViT sweep")).to_be_visible()
    expect(guest.get_by_role("button", name="Reserve")).to_have_count(0)
    drag(guest, (4, 1), (4, 2), ghosts=0)
    expect(guest.get_by_role("dialog")).to_have_count(0)


def test_the_first_free_slot_and_the_link_for_other_calendars(visit: Visit, people: Team) -> None:
    page = visit(ALICE)
    page.get_by_role("button", name="First free slot").click()
    dialog = page.get_by_role("dialog", name="First free slot")
    dialog.get_by_label("GPUs").fill("2")
    dialog.get_by_role("button", name="Find").click()
    slots = dialog.get_by_role("list", name="Free slots")
    expect(slots).to_be_visible()
    assert not serious(page)
    slots.get_by_role("button").first.click()
    dialog = page.get_by_role("dialog", name="Reserve GPUs")
    expect(dialog.get_by_text("2 GPUs for")).to_be_visible()
    dialog.get_by_role("button", name="Reserve", exact=True).click()
    wait_for(lambda: len(listed(people)) == 1, what="the reservation")

    page.get_by_role("button", name="Calendar link").click()
    dialog = page.get_by_role("dialog", name="Calendar link")
    dialog.get_by_role("button", name="Make the link").click()
    link = dialog.get_by_text("/api/v1/calendar.ics?token=pdk_")
    expect(link).to_be_visible()
    answer = people.stranger().get(link.inner_text())
    assert answer.status_code == 200 and answer.text.startswith("BEGIN:VCALENDAR"), answer.text


def test_weeks_at_a_glance_lead_to_their_days(visit: Visit, people: Team) -> None:
    body = {"devices": devices(people)[:1], "seconds": 7200}
    assert people.clients[ALICE].post("/reservations", json=body).status_code == 201
    page = visit(ALICE, "tab=overview&weeks=12")
    canvas = page.locator("canvas[data-drawn='2016']")
    expect(canvas).to_be_visible()
    expect(page.get_by_role("table", name="People").get_by_role("row", name="alice")).to_be_visible()
    expect(page.get_by_role("table", name="GPUs").get_by_role("row")).to_have_count(GPUS + 1)
    for width, dark in LOOKS:
        dress(page, width, dark)
        look(page, f"calendar-overview-{width}-{'dark' if dark else 'light'}")
    dress(page, *LOOKS[0])
    page.get_by_role("radiogroup", name="Weeks").get_by_text("1 week").click()
    expect(page.locator("canvas[data-drawn='168']")).to_be_visible()
    frame = page.locator("canvas").bounding_box()
    assert frame is not None
    page.mouse.click(frame["x"] + frame["width"] - 5, frame["y"] + 30)  # the end of this week
    expect(page.get_by_role("application")).to_be_visible()
    assert re.search(r"from=\d{4}-\d\d-\d\d&host=", page.url), page.url


def test_hours_outside_the_rules_are_shaded(visit: Visit, people: Team, day: datetime) -> None:
    rule = {
        "name": "Not at night", "effect": "deny", "acts": ["reserve"], "who": {"accounts": [BOB]},
        "zone": "Europe/Rome",
        "windows": [{"days": list(range(7)), "since": "22:00", "until": "06:00"}],
    }  # fmt: skip
    made = people.clients[ADMIN].post("/rules", json=rule)
    assert made.status_code == 201, made.text
    try:
        page = visit(BOB, shown(day))
        expect(page.get_by_test_id("shade")).to_have_count(
            2
        )  # one for all GPUs each, in the morning and in the evening
        drag(page, (1, 4), (2, 8))
        dialog = page.get_by_role("dialog", name="Reserve GPUs")
        dialog.get_by_role("button", name="Reserve", exact=True).click()
        expect(dialog.get_by_role("alert")).to_contain_text("Not at night")
    finally:
        people.clients[ADMIN].delete(f"/rules/{made.json()['id']}")


def test_alone_the_calendar_is_there_once_something_is_reserved(browser: Browser, tmp_path: Path) -> None:
    with gpu_server(tmp_path, 1, local__slots=1) as made, visits(browser, made.server) as go:
        page = go("/hosts")
        expect(page.get_by_role("link", name="Hosts")).to_be_visible()
        expect(page.get_by_role("heading", name="Hosts")).to_be_visible()
        expect(page.get_by_role("link", name="Calendar")).to_have_count(0)
        made.server.post("/reservations", {"devices": [made.devices[0]["id"]], "seconds": 7200}, 201)
        page.get_by_role("link", name="Calendar").click()  # told by an event
        expect(page.get_by_test_id("lanes").locator("[data-own]")).to_have_count(1)


def drag(page: Page, since: tuple[int, float], until: tuple[int, float], *, ghosts: int = 1) -> None:
    """Drag from a row (the first GPU is in row 1) and hour of a view of one day to another."""
    inside = 0.05 if since[1] < until[1] else -0.05
    page.mouse.move(*_place(page, since[0], since[1] + inside))
    page.mouse.down()
    page.mouse.move(*_place(page, until[0], until[1] - inside), steps=6)
    expect(page.get_by_test_id("ghost")).to_have_count(ghosts)
    page.mouse.up()


def _pull(page: Page, what: Locator, part: float, to: tuple[int, float]) -> None:
    """Take a box at a part of its width, in the middle of its first row, and pull it to a row and an hour."""
    frame = what.bounding_box()
    assert frame is not None
    x = frame["x"] + min(max(frame["width"] * part, 2), frame["width"] - 2)
    page.mouse.move(x, frame["y"] + ROW / 2)
    page.mouse.down()
    page.mouse.move(*_place(page, *to), steps=6)
    page.mouse.up()


def _place(page: Page, row: int, hour: float) -> tuple[float, float]:
    frame = page.get_by_test_id("lanes").bounding_box()
    assert frame is not None
    return frame["x"] + frame["width"] * hour / 24, frame["y"] + (row + 0.5) * ROW


def box(page: Page, name: str) -> Locator:
    return page.get_by_test_id("lanes").get_by_role("button", name=name)


def shown(day: datetime) -> str:
    return f"days=1&from={day:%Y-%m-%d}"


def devices(people: Team) -> list[str]:
    found = sorted(people.server.get("/devices"), key=lambda device: device["number"])
    return [device["id"] for device in found]


def on(of: dict[str, Any], people: Team) -> list[str]:
    """The devices of a reservation, by their numbers."""
    return [id for id in devices(people) if id in of["devices"]]


def reserve(people: Team, name: str, ids: list[str], day: datetime, since: float, until: float, **more: Any) -> str:
    times = {"starts_at": _utc(day, since).isoformat(), "ends_at": _utc(day, until).isoformat()}
    answer = people.clients[name].post("/reservations", json={"devices": ids, **times, **more})
    assert answer.status_code == 201, answer.text
    id: str = answer.json()["reservations"][0]["id"]
    return id


def listed(people: Team) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = people.server.get("/reservations")["items"]
    return [one for one in found if one["cancelled_at"] is None]


def one(people: Team, id: str | dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = people.server.get(f"/reservations/{id if isinstance(id, str) else id['id']}")
    return found


def start(of: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(of["starts_at"])


def end(of: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(of["ends_at"])


def _future(of: dict[str, Any]) -> bool:
    return start(of) > datetime.now(UTC)


def _utc(day: datetime, hour: float = 0) -> datetime:
    return day.astimezone(UTC) + timedelta(hours=hour)
