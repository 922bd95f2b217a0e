"""Test the page of use: one's own GPU-hours and reservations, and those of everybody for an admin."""

import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from paddock.rules.use import HOUR, HourSums, ReservedSums
from paddock.server.store import device_use
from paddock.server.store.db import Database
from tests.browser.conftest import dress, look, visits
from tests.browser.test_team import entered
from tests.support.gpu_server import gpu_server
from tests.support.reservations import add_reservation
from tests.support.server import wait_for
from tests.support.team import ADMIN, ALICE, BOB, GUEST, Team

Visit = Callable[..., Page]
WEEK = 168


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("usage")
    waits = {"server.engine.use.LOOK_SECONDS": 0.5, "server.engine.use.STORE_SECONDS": 0.5}
    settings = {"owner": ADMIN, "reservations__idle_minutes": 0.01, "waits": waits}
    with gpu_server(folder, 3, **settings) as made:
        team = Team(made.server)
        db = Database(f"sqlite:///{folder}/home/paddock.db")
        seed(db, [one["id"] for one in made.devices])
        db.close()
        yield team
        team.close()


def seed(db: Database, ids: list[str]) -> None:
    """Ten weeks in which alice used half of what she reserved, and bob worked without reservations."""
    now = time.time()
    hour = int(now // HOUR)
    hours = {}
    for week in range(10):
        begin = hour - week * WEEK - 30
        for at in range(20):
            used = {"alice": 1800.0}
            hours[ids[0], begin + at] = HourSums(HOUR, 1800.0, 1500.0, 0.9, 0.0, None, used, {"alice": [HOUR, 1800.0]})
            hours[ids[1], begin + at] = HourSums(HOUR, HOUR, 3000.0, 1.0, 0.0, None, {"bob": HOUR})
        id = add_reservation(db, [ids[0]], begin * HOUR, (begin + 20) * HOUR, title="ViT sweep")
        with db.write() as c:
            seen = 20 * HOUR
            use = ReservedSums(seen, seen / 2, seen * 0.4167, 0.93, seen * 60e9, 71e9, 0.0, begin * HOUR, now, now)
            device_use.store_uses(c, {(id, ids[0]): use})
    with db.write() as c:
        device_use.store_hours(c, hours)
    add_reservation(db, [ids[0], ids[2]], now - 3600, now + 7200, title="debugging")


@pytest.fixture
def visit(browser: Browser, people: Team) -> Iterator[Visit]:
    with visits(browser, people.server) as go:
        yield lambda name, path="": entered(go(f"/usage?{path}", signed_in=False), name)


def test_an_admin_sees_everybody_by_person_gpu_group_and_week(visit: Visit) -> None:
    page = visit(ADMIN)
    expect(page.get_by_text("No reservation of yours has begun in this time")).to_be_visible()
    page.get_by_role("tab", name="Everybody").click()
    table = page.get_by_label("Usage of everybody")
    expect(table.get_by_role("row")).to_have_count(3)
    expect(table.get_by_role("row").nth(1)).to_contain_text("alice")
    expect(table.get_by_role("row").nth(2)).to_contain_text("bob")
    look(page, "usage-everybody-1440-light")
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    assert saved.value.suggested_filename == "usage-by-account.csv"
    page.get_by_text("GPU", exact=True).click()
    expect(table.get_by_role("columnheader", name="GPU", exact=True)).to_be_visible()
    page.get_by_text("Group", exact=True).click()
    expect(table.get_by_text("no group")).to_be_visible()
    dress(page, 390, dark=True)
    look(page, "usage-everybody-390-dark")


def test_a_person_sees_their_own_and_releases_what_is_idle(visit: Visit, people: Team) -> None:
    page = visit(ALICE, "days=84")
    weeks = page.get_by_label("My GPU-hours by week")
    expect(weeks.get_by_role("row").nth(9)).to_be_visible()
    expect(weeks).not_to_contain_text("bob")
    expect(page.get_by_role("tab", name="Everybody")).to_have_count(0)
    own = page.get_by_label("My reservations")
    first = own.get_by_role("row").nth(1)
    expect(first).to_contain_text("debugging")
    expect(own.get_by_role("row").nth(2)).to_contain_text("93 %")
    wait_for(lambda: page.reload() or first.get_by_role("button", name="Release?").count(), what="that it is idle")
    expect(first.get_by_text("idle", exact=True)).to_be_visible()
    look(page, "usage-1440-light")
    dress(page, 390, dark=True)
    look(page, "usage-390-dark")
    first.get_by_role("button", name="Release?").click()
    page.get_by_role("dialog").get_by_role("button", name="Release", exact=True).click()
    expect(first.get_by_role("button")).to_have_count(0)
    newest = people.clients[ALICE].get("/reservations", params={"mine": True, "since": "2020-01-01T00:00:00Z"})
    assert newest.json()["items"][-1]["released_at"]


def test_who_used_nothing_and_who_may_not_see_it(visit: Visit) -> None:
    page = visit(BOB)
    expect(page.get_by_label("My GPU-hours by week")).to_be_visible()
    expect(page.get_by_text("No reservation of yours")).to_be_visible()
    guest = visit(GUEST)
    expect(guest.get_by_role("link", name="Hosts")).to_be_visible()
    expect(guest.get_by_role("link", name="Usage")).to_have_count(0)
