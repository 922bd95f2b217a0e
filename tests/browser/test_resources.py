"""Test resources of a job, hold and nodes on the page, with the local backend."""

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import SLEEPER, choose, look, looks, move
from tests.browser.test_page import SLOW, drop
from tests.support.server import ServerProcess, wait_for

Visit = Callable[..., Page]

SCRIPT = "#!/bin/bash\n#SBATCH --job-name=paddock-JOB-a1\n#SBATCH --gres=gpu:1\nexec python runner.pyz\n"


def resources(page: Page) -> Locator:
    control = page.get_by_role("button", name=re.compile("^Resources"))
    expect(control).to_be_visible()
    if control.get_attribute("aria-expanded") != "true":
        control.click()
    field = page.get_by_role("textbox", name="Memory per task")
    expect(field).to_be_visible()
    return field


def test_resources_are_asked_for_checked_and_kept(visit: Visit, server: ServerProcess) -> None:
    page = visit("/new")
    drop(page, "train.py", SLOW)
    preview = page.get_by_role("region", name="Preview")
    page.get_by_role("textbox", name="learning_rate").fill("0.1,0.2,0.3")
    expect(preview.get_by_text("Asks local for 2 allocations at first")).to_be_visible()
    memory = resources(page)
    memory.fill("16")
    expect(page.get_by_text("16 bytes are too few").first).to_be_visible()
    expect(memory).to_have_attribute("aria-invalid", "true")
    memory.fill("100M")
    time_limit = page.get_by_role("textbox", name="Time limit")
    time_limit.fill("90")
    expect(page.get_by_text("90 of what?").first).to_be_visible()
    time_limit.fill("1h30m")
    expect(preview.get_by_text("3 tasks")).to_be_visible()

    page.get_by_role("button", name="More", exact=True).click()
    side = page.get_by_role("textbox", name="Tasks side by side")
    side.fill("2")
    expect(preview.get_by_text("each of which runs up to 2 tasks at a time")).to_be_visible()
    side.fill("")
    expect(preview.get_by_text("each of which runs one task after another")).to_be_visible()
    assert page.get_by_role("textbox", name="Account").count() == 0, "what means nothing here is hidden"
    assert preview.get_by_role("button", name="Batch script", exact=True).count() == 0
    preview.get_by_role("button", name="Submit").click()

    page.wait_for_url(re.compile(r"/jobs/[0-9a-z]{8}"))
    job = re.findall(r"/jobs/([0-9a-z]{8})", page.url)[0]
    asked = server.get(f"/jobs/{job}")["spec"]["resources"]
    assert (asked["memory"], asked["time_limit"]) == (100 * 2**20, 5400)
    server.post(f"/jobs/{job}/stop")
    move(page, f"/new?from={job}")
    expect(resources(page)).to_have_value("100M")
    expect(page.get_by_role("textbox", name="Time limit")).to_have_value("1h30m")


def test_a_job_is_held_and_released(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(SLEEPER, name="To be held", params={"learning_rate": "0.1,0.2,0.3,0.4"})
    server.wait_state(job, "running")
    page, dashboard = visit(f"/jobs/{job}"), visit("/")
    actions = page.get_by_role("group", name="Actions")
    actions.get_by_role("button", name="Hold").click()
    why = page.get_by_role("region", name="Waiting")
    expect(why.get_by_text("begins no further task until it is released")).to_be_visible()
    assert server.get(f"/jobs/{job}")["held"]
    expect(dashboard.get_by_role("listitem").get_by_text("held", exact=True).first).to_be_visible()

    actions.get_by_role("button", name="Release").click()
    expect(actions.get_by_role("button", name="Hold")).to_be_visible()
    expect(why.get_by_text("begins no further task")).to_have_count(0)
    wait_for(lambda: not server.get(f"/jobs/{job}")["held"])
    expect(dashboard.get_by_text("held", exact=True)).to_have_count(0)

    server.post(f"/jobs/{job}/hold")  # by somebody else
    expect(actions.get_by_role("button", name="Release")).to_be_visible()
    move(page, f"/tasks/{job}-4")
    expect(page.get_by_role("region", name="Waiting").get_by_text("until it is released")).to_be_visible()
    server.post(f"/jobs/{job}/release")
    expect(page.get_by_text("until it is released")).to_have_count(0)


def test_limits_are_changed(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(SLEEPER, resources={"time_limit": "1h"})
    server.wait_state(job, "running")
    page = visit(f"/jobs/{job}")
    choose(page, "Limits")
    dialog = page.get_by_role("dialog")
    time_limit = dialog.get_by_role("textbox", name="Time limit")
    expect(time_limit).to_have_value("1h")
    expect(dialog.get_by_role("button", name="Change")).to_be_disabled()
    time_limit.fill("30")
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_text("30 of what?")).to_be_visible()
    time_limit.fill("2h")
    dialog.get_by_role("textbox", name="Nice").fill("5")
    dialog.get_by_role("button", name="Change").click()
    expect(dialog).to_have_count(0)
    changed = server.get(f"/jobs/{job}")["spec"]["resources"]
    assert (changed["time_limit"], changed["slurm"]["nice"]) == (7200, 5)
    choose(page, "Limits")
    expect(dialog.get_by_role("textbox", name="Time limit")).to_have_value("2h")


def test_a_reduce_that_waits_for_a_task_in_error_says_so(visit: Visit, server: ServerProcess) -> None:
    job = server.submit("import sys\nsys.exit(1)\n", reduce="true")
    server.wait_state(job, "error")
    page = visit(f"/jobs/{job}")
    expect(page.get_by_role("region", name="Reduce").get_by_text("1 task has not. Restart it")).to_be_visible()


def test_where_a_task_runs_is_shown(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(SLEEPER)
    server.wait_state(job, "running")
    panel = visit(f"/tasks/{job}-1").get_by_role("region", name="Allocation")
    expect(panel.get_by_text("local", exact=True)).to_be_visible()
    expect(panel.get_by_text("running", exact=True)).to_be_visible()
    expect(panel.get_by_text(f"{job}-a1.0")).to_be_visible()


# --- as a server with a scheduler answers ----------------------------------------------------------------------------


def _with_scheduler(page: Page) -> None:
    """What the page gets of a large cluster whose scheduler does not answer."""

    def change(path: str, to: Callable[[Any, str], Any]) -> None:
        def answer(route: Route) -> None:
            sent = route.request.post_data_buffer
            got = route.fetch(post_data=sent.replace(b'"volta"', b'"local"') if sent else None)
            route.fulfill(json=to(json.loads(got.text()), route.request.url))

        page.route(re.compile(path), answer)

    def backends(real: Any, _: str) -> Any:
        cluster = {"name": "volta", "kind": "slurm", "state": "it hangs", "partitions": ["long", "short"]}
        return [*real, {**real[0], **cluster, "default": False, "since": "2026-01-05T13:05:00Z"}]

    def preview(real: Any, url: str) -> Any:
        said = {"accepted": True, "message": "on node v001", "starts_at": "2099-01-05T13:05:00Z"}
        return {**real, "backend": "volta", "batch_script": SCRIPT, "check": said if "check=true" in url else None}

    change("/api/v1/backends$", backends)
    change("/api/v1/load$", lambda real, _: {**real, "nodes": [*real["nodes"], *machines(200)]})
    change("/api/v1/jobs/preview", preview)


def machines(count: int) -> list[dict[str, Any]]:
    def machine(number: int) -> dict[str, Any]:
        gpus = [
            {"id": str(n), "kind": "gpu", "name": "v100", "busy": n < number % 9, "used_by": [], "tasks": []}
            for n in range(8)
        ]
        down = number % 40 == 7
        about = {"name": f"v{number:03}", "backend": "volta", "cpus": 64, "load": 3.5, "cpu_slots": 64}
        room = {"memory": 2**38, "memory_free": 2**37, "slots": 8, "slots_used": number % 9, "devices": gpus}
        state = {"state": "down+drain" if down else "mixed", "usable": not down, "reason": "No power" if down else None}
        return {**about, **room, **state, "partitions": ["long", "short"], "features": ["nvlink"]}

    return [machine(number) for number in range(count)]


def test_many_machines_stay_readable(visit: Visit) -> None:
    page = visit("/hosts", prepare=_with_scheduler)
    group = page.get_by_role("region", name="volta")
    expect(group.get_by_text("200 nodes · 5 not usable")).to_be_visible()
    expect(group.get_by_text("volta does not answer")).to_be_visible()
    looks(page, "hosts-many")
    group.get_by_role("button", name="Show all 200 nodes").click()
    expect(group.get_by_role("row")).to_have_count(201)
    group.get_by_role("searchbox").fill("drain")
    expect(group.get_by_text("No power")).to_have_count(5)
    expect(group.get_by_text("v000", exact=True)).to_have_count(0)


def test_the_scheduler_is_asked_before_submission(visit: Visit, server: ServerProcess) -> None:
    page = visit("/new", prepare=_with_scheduler)
    drop(page, "train.py", SLOW)
    resources(page)
    page.get_by_role("combobox", name="Backend").or_(page.get_by_role("textbox", name="Backend")).first.click()
    page.get_by_role("option", name="volta").dispatch_event("click")
    page.get_by_role("button", name="More", exact=True).click()
    for label in ("Partition", "Account", "QOS", "Reservation"):
        expect(page.get_by_label(label, exact=True).first).to_be_visible()
    preview = page.get_by_role("region", name="Preview")
    preview.get_by_role("button", name="Batch script", exact=True).click()
    expect(preview.get_by_text("#SBATCH --gres=gpu:1")).to_be_visible()
    preview.get_by_role("button", name="Ask volta when it would start").click()
    expect(preview.get_by_text("volta would take it; expected to start")).to_be_visible()
    look(page, "new-job-scheduler-1440-light")
