"""Test the page of a training that changes its size: by a button, with what each change was and cost."""

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import choose, look, looks, move, visits
from tests.e2e.test_resizing import RANGE, TRAINS
from tests.support.server import ServerProcess, running, wait_for

Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Three GPUs, so that there is room for another size beside the present one; only people resize."""
    home, gpus = tmp_path_factory.mktemp("sizes") / "home", json.dumps(["0", "1", "2"])
    with running(home, local__gpus=gpus, local__slots=4, runner__grace_seconds=5, elastic__sizes=False) as server:
        yield server


@pytest.fixture
def visit(browser: Browser, lab: ServerProcess) -> Iterator[Visit]:
    with visits(browser, lab) as go:
        yield go
    lab.remove_jobs()


def test_a_training_is_resized_by_a_button(visit: Visit, lab: ServerProcess) -> None:
    job = lab.submit(TRAINS, name="A training", resources=RANGE)
    lab.wait_state(job, "running")
    page = visit(f"/tasks/{job}-1")
    button = page.get_by_role("button", name="Resize", exact=True)
    button.click()
    dialog = page.get_by_role("dialog", name="GPUs of task 1")
    expect(dialog.get_by_text("It has 1 GPU. The job allows 1 to 2 GPUs.")).to_be_visible()
    expect(dialog.get_by_role("button", name="Let Paddock choose")).to_be_disabled()
    dialog.get_by_text("2", exact=True).click()
    expect(dialog.get_by_text("goes on from its checkpoint with 2 GPUs")).to_be_visible()
    looks(page, "resize")
    page.set_viewport_size({"width": 1440, "height": 900})
    dialog.get_by_role("button", name="Go on with 2 GPUs").click()
    expect(dialog).to_have_count(0)

    attempts = page.get_by_role("region", name="Attempts")
    expect(attempts.get_by_text("It was resized")).to_be_visible()
    expect(attempts.get_by_text(re.compile(r"resized from 1 to 2 GPUs by \S+"))).to_be_visible()
    expect(attempts.get_by_text(re.compile("the change cost"))).to_be_visible()
    expect(page.get_by_role("region", name="Resize")).to_have_count(0)
    lab.wait_state(job, "running")
    looks(page, "sizes")

    page.set_viewport_size({"width": 1440, "height": 900})
    move(page, f"/jobs/{job}")
    choose(page, "Resize the running tasks")
    dialog = page.get_by_role("dialog", name="GPUs of the running tasks")
    dialog.get_by_text("1", exact=True).click()
    dialog.get_by_role("button", name="Go on with 1 GPU").click()
    expect(page.get_by_text("1 task will have 1 GPU")).to_be_visible()
    wait_for(lambda: [one["size"] for one in lab.task(job)["attempts"]] == [1, 2, 1], what="three sizes")


def test_a_resize_that_waits_is_shown_and_taken_back(visit: Visit, lab: ServerProcess) -> None:
    others = lab.submit(
        TRAINS, name="Others", params={"lr": [1, 2]}, resources={"gpus": 1}, elastic={"give_way": "never"}
    )
    job = lab.submit(TRAINS, name="A training", resources=RANGE)
    for one, number in ((others, 1), (others, 2), (job, 1)):
        lab.wait_state(one, "running", number)
    page = visit(f"/tasks/{job}-1")
    page.get_by_role("button", name="Resize", exact=True).click()
    dialog = page.get_by_role("dialog", name="GPUs of task 1")
    dialog.get_by_text("2", exact=True).click()
    dialog.get_by_role("button", name="Go on with 2 GPUs").click()
    note = page.get_by_role("region", name="Resize")
    expect(note).to_contain_text("goes on with 2 GPUs as soon as that many are free, for ")
    looks(page, "resize-waits")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Resize", exact=True).click()
    expect(dialog.get_by_text("is about to have 2")).to_be_visible()
    dialog.get_by_text("1", exact=True).click()
    look(page, "resize-back")
    dialog.get_by_role("button", name="Stay with 1 GPU").click()
    expect(note).to_have_count(0)
    assert lab.task(job)["size_wanted"] is None and lab.task(job)["sized_by"]
    page.get_by_role("button", name="Resize", exact=True).click()
    dialog.get_by_text("Auto", exact=True).click()
    dialog.get_by_role("button", name="Let Paddock choose").click()
    wait_for(lambda: lab.task(job)["sized_by"] is None, what="the choice")


def test_why_a_training_cannot_be_resized(visit: Visit, lab: ServerProcess) -> None:
    job = lab.submit("import time; time.sleep(600)", name="Forgetful", resources=RANGE)
    lab.wait_state(job, "running")
    page = visit(f"/tasks/{job}-1")
    page.get_by_role("button", name="Resize", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("2", exact=True).click()
    dialog.get_by_role("button", name="Go on with 2 GPUs").click()
    expect(dialog.get_by_role("alert")).to_contain_text(
        re.compile("its script does not use PADDOCK_CHECKPOINT_DIR", re.I)
    )
    look(page, "resize-refused")


def resized(lab: ServerProcess, job: str, gpus: int) -> None:
    """Resize a task, and wait until its next attempt trains."""
    before = lab.wait_state(job, "running")["attempt"]
    wait_for(lambda: lab.log_of(job, 1, before), what="the script to train")
    lab.post(f"/tasks/{job}-1/resize", {"gpus": gpus})
    wait_for(lambda: lab.task(job)["attempt"] == before + 1, what="the next attempt")


def test_the_gpus_of_a_job_over_time(visit: Visit, lab: ServerProcess) -> None:
    job = lab.submit(TRAINS, name="A training", resources=RANGE)
    page = visit(f"/jobs/{job}?tab=gpus")
    changes = page.get_by_role("region", name="Changes")
    expect(changes.get_by_text(f"{job}-1 began")).to_be_visible()
    for gpus in (2, 1, 2):
        resized(lab, job, gpus)
    expect(changes.get_by_text(re.compile("resized from 2 to 1 GPUs by")).first).to_be_visible()
    expect(changes.get_by_text(f"{job}-1 went on").first).to_be_visible()
    graph = page.get_by_role("img", name=re.compile("GPUs over time, at most 2"))
    expect(graph).to_be_visible()
    looks(page, "gpus")
    page.set_viewport_size({"width": 1440, "height": 900})
    graph.hover()
    look(page, "gpus-hover")


def test_what_the_policy_would_do_next(visit: Visit, lab: ServerProcess) -> None:
    job = lab.submit(TRAINS, name="A training", resources=RANGE)
    lab.wait_state(job, "running")
    why = "the fourth GPU would do more for it than for any other"
    changes = [{"task": f"{job}-1", "now": 1, "to": 2, "why": why, "begun": True}]

    def with_changes(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "next": changes})

    page = visit("/queue", prepare=lambda page: page.route("**/api/v1/queue", with_changes))
    found = page.get_by_role("region", name="What the policy would change next")
    expect(found.get_by_role("row").filter(has_text=f"{job}-1")).to_contain_text("1 → 2 GPUs")
    looks(page, "queue-next")
