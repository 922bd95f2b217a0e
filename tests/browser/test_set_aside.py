"""Test a job that the server cannot go on with: where the page shows it, and that the note disappears."""

import os
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import SLEEPER, picture
from tests.support.server import ServerProcess, wait_for

Visit = Callable[..., Page]
ASKED_EVERY = 15_000  # milliseconds: how often the page asks for the state of the server


def test_jobs_that_are_set_aside_are_told_on_the_hosts_page(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(SLEEPER, name="cannot be read")
    server.wait_state(job, "running")
    page = visit("/hosts", prepare=lambda page: page.clock.install())
    expect(page.get_by_text("Tasks running")).to_be_visible()
    expect(page.get_by_label("Jobs set aside")).to_have_count(0)
    journal = next(server.home.job(job).root.glob("allocations/*/journal.1.jsonl"))
    os.rename(journal, f"{journal}.away")
    try:
        os.mkfifo(journal)
        wait_for(lambda: server.get("/health")["set_aside"] == 1, what="the job to be set aside")
        page.clock.fast_forward(ASKED_EVERY)
        told = page.get_by_label("Jobs set aside")
        expect(told).to_contain_text("Paddock cannot go on with 1 job at the moment")
        expect(page.get_by_text("The server has problems")).to_have_count(0)
        picture(page, "aside-hosts")
        told.get_by_role("link").click()
        expect(page.get_by_role("img", name=re.compile("Warning: Paddock cannot read its journals"))).to_be_visible()
        picture(page, "aside-jobs")
        page.get_by_role("link", name="cannot be read").click()
        expect(page.get_by_label("Warnings")).to_contain_text("Paddock cannot read its journals")
        picture(page, "aside-job")
    finally:
        os.rename(f"{journal}.away", journal)
    page.get_by_role("link", name="Hosts").click()
    expect(page.get_by_text("Tasks running")).to_be_visible()
    wait_for(lambda: server.get("/health")["set_aside"] == 0, what="the job to go on")
    page.clock.fast_forward(ASKED_EVERY)
    expect(page.get_by_label("Jobs set aside")).to_have_count(0)
