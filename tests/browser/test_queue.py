"""Test the page of the queue: the order, why each job waits, when it begins and ends, and the priority."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import SLEEPER, looks
from tests.support.server import ServerProcess, wait_for

Visit = Callable[..., Page]

EPOCHS = """
import time
for epoch in range(1, 601):
    time.sleep(0.5)
    print(f"Epoch {epoch}/600 loss: {1 / epoch}", flush=True)
"""


def test_the_queue(visit: Visit, server: ServerProcess) -> None:
    page = visit("/queue")
    expect(page.get_by_text("Nothing waits or runs")).to_be_visible()
    sweep = server.submit(EPOCHS, params={"n": [1, 2, 3, 4]}, name="A sweep")
    waiting = page.get_by_role("region", name="Waiting")
    row = waiting.get_by_role("row").filter(has_text="A sweep")
    expect(row).to_contain_text("2 run, 2 wait")

    first = server.submit(SLEEPER, name="The elder", resources={"gpus": 0, "cpus": 2})
    second = server.submit(SLEEPER, name="The younger", resources={"gpus": 0, "cpus": 2})
    held = server.submit(SLEEPER, name="A held one")
    server.post(f"/jobs/{held}/hold")
    wait_for(lambda: order(server).index(first) < order(server).index(second) < order(server).index(held))
    names = waiting.get_by_role("row").get_by_role("link")
    expect(names).to_have_text(names_of(server))
    expect(waiting.get_by_role("row").filter(has_text="A held one")).to_contain_text("held")
    wait_for(lambda: expected_end(server, sweep), what="when the sweep is done")
    expect(row.get_by_text(re.compile(r"\d to .*\d|unsure")).first).to_be_visible()
    looks(page, "queue")

    page.set_viewport_size({"width": 1440, "height": 900})
    younger = waiting.get_by_role("row").filter(has_text="The younger")
    younger.get_by_role("button", name="Priority of The younger: 0").click()
    field = page.get_by_role("textbox", name="Priority")
    field.fill("7")
    looks(page, "queue-priority")
    page.set_viewport_size({"width": 1440, "height": 900})
    field.press("Enter")
    expect(younger.get_by_role("button", name="Priority of The younger: 7")).to_be_visible()
    wait_for(lambda: order(server).index(second) < order(server).index(first))
    expect(names).to_have_text(names_of(server))


def test_it_is_a_link_away(visit: Visit, server: ServerProcess) -> None:
    page = visit("/")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Queue").click()
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()


def order(server: ServerProcess) -> list[str]:
    return [one["id"] for one in server.get("/queue")["items"]]


def names_of(server: ServerProcess) -> list[str]:
    return [one["name"] for one in server.get("/queue")["items"] if one["waiting"]]


def expected_end(server: ServerProcess, job: str) -> object:
    return next(one["expected_end"] for one in server.get("/queue")["items"] if one["id"] == job)
