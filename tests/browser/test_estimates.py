"""Test that the page says when a job and its tasks will be done, and for whom a job makes room."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import looks, move
from tests.browser.test_queue import EPOCHS
from tests.support.server import ServerProcess, wait_for

Visit = Callable[..., Page]

BAND = re.compile(r"done (\d|about|in less|at)")


def test_when_a_job_and_its_tasks_will_be_done(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(EPOCHS, params={"n": [1, 2, 3]}, name="A sweep")
    server.wait_state(job, "running")
    page = visit(f"/jobs/{job}")
    wait_for(lambda: server.get(f"/jobs/{job}")["expected_end"], what="when it is done")
    expect(page.get_by_text(BAND)).to_be_visible()
    looks(page, "band-job")
    page.set_viewport_size({"width": 1440, "height": 900})

    move(page, f"/tasks/{job}-1")
    summary = page.get_by_role("region", name="Summary")
    expect(summary.get_by_text(BAND)).to_be_visible()
    looks(page, "band-task")
    page.set_viewport_size({"width": 1440, "height": 900})
    move(page, f"/tasks/{job}-3")
    expect(summary.get_by_text(re.compile("starts .*, done"))).to_be_visible()
    looks(page, "band-waiting")


SHORT = "import time\nprint('val_loss: 1', flush=True)\ntime.sleep(600)"


def test_a_job_says_for_whom_it_makes_room(visit: Visit, server: ServerProcess) -> None:
    sweep = server.submit(SHORT, params={"n": [1, 2, 3, 4]}, name="A sweep")
    for number in (1, 2):
        server.wait_state(sweep, "running", number)
    page = visit(f"/jobs/{sweep}")
    other = server.submit(SHORT, name="Another")
    room = page.get_by_role("region", name="Making room")
    expect(room).to_contain_text(f"It makes room for job {other}: 1 of 2 allocations leaves after its task.")
    looks(page, "making-room")
