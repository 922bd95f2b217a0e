"""Test the page of violations: a real process on a GPU that somebody has reserved, on a server with accounts."""

import os
import subprocess
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from paddock.server.store.db import Database
from tests.browser.conftest import looks, move, visits
from tests.browser.test_team import entered
from tests.runner.scripted import ScriptedGpus
from tests.support.nvidia_smi import install_nvidia_smi
from tests.support.reservations import add_reservation
from tests.support.server import wait_for
from tests.support.team import ADMIN, ALICE, BOB, Team, team


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Team, ScriptedGpus]]:
    folder = tmp_path_factory.mktemp("violations")
    gpus = install_nvidia_smi(folder / "bin", 2)
    given = {"environment": {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}, "local__protect": "reserved"}
    with team(folder / "home", violations__settle_seconds=0, **given) as made:
        yield made, gpus


def test_an_admin_sees_who_is_where_and_exempts_them(browser: Browser, lab: tuple[Team, ScriptedGpus]) -> None:
    people, gpus = lab
    devices = wait_for(lambda: [one for one in people.server.get("/devices") if one["uuid"]], what="the GPUs")
    db = Database(f"sqlite:///{people.server.home.database}")
    process = subprocess.Popen(["/bin/sleep", "600"])
    try:
        now = time.time()
        add_reservation(db, [devices[0]["id"]], now - 60, now + 3600, owner=ALICE)
        gpus.put(0, process.pid)
        with visits(browser, people.server) as go:
            page = entered(go("/", signed_in=False), ADMIN)
            link = page.get_by_role("navigation", name="Pages").get_by_role("link", name="Violations")
            expect(link.get_by_label("1 go on")).to_be_visible()  # it appears by itself
            link.click()
            row = page.get_by_role("table").get_by_role("row").filter(has_text=str(process.pid))
            expect(row).to_contain_text("reserved by alice")
            expect(row.get_by_role("list", name="What was done")).to_contain_text("Notices in the page")
            looks(page, "violations")
            page.set_viewport_size({"width": 1440, "height": 900})
            move(page, "/hosts")
            table = page.get_by_role("region", name="Processes on GPUs")
            expect(table.get_by_role("button", name="End")).to_be_visible()
            looks(page, "violations-hosts")
            page.set_viewport_size({"width": 1440, "height": 900})
            move(page, "/violations")
            row.get_by_role("button", name="Exempt").click()
            page.get_by_role("dialog").get_by_role("textbox", name="Why").fill("agreed with alice")
            page.get_by_role("dialog").get_by_role("button", name="Exempt").click()
            expect(page.get_by_text("Everybody is where they may be")).to_be_visible()
            expect(row).to_contain_text("It was exempted")
            page.get_by_role("region", name="Exemptions").get_by_role("button", name="Remove").click()
            expect(page.get_by_text("1 process goes on")).to_be_visible()
            other = entered(go("/violations", signed_in=False), BOB)
            expect(other.get_by_text("Everybody is where they may be")).to_be_visible()  # of others, nothing
            owner = entered(go("/violations", signed_in=False), ALICE)
            mine = owner.get_by_role("row").filter(has_text=str(process.pid)).first
            expect(mine.get_by_role("button", name="Ask")).to_be_visible()
            expect(mine.get_by_role("button", name="End")).to_have_count(0)
    finally:
        process.kill()
        process.wait()
        db.close()
