"""Test what a researcher does on the page, in a real browser with a real server."""

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import SLEEPER, choose, move
from tests.support.server import PATIENCE, ServerProcess, wait_for
from tests.support.up import Cli

Visit = Callable[..., Page]

SLOW = """
import argparse, time
parser = argparse.ArgumentParser()
parser.add_argument("--learning_rate", type=float, default=0.1)
parser.add_argument("--epochs", type=int, default=40)
args = parser.parse_args()
with open("log.csv", "w") as log:
    log.write("epoch,loss,val_loss\\n")
    for epoch in range(args.epochs):
        time.sleep(0.25)
        log.write(f"{epoch},{1 / (epoch + 1)},{args.learning_rate + 1 / (epoch + 1)}\\n")
        log.flush()
        print("epoch", epoch, flush=True)
"""
BROKEN = "print('before')\nprint('<b>bold</b><script>document.title = \"owned\"</script>')\ntensorflow.zeros(1)\n"


def test_token_wall(visit: Visit, server: ServerProcess) -> None:
    page = visit("/", signed_in=False)
    field = page.get_by_role("textbox", name=re.compile("token", re.I))
    expect(field).to_be_visible()
    field.fill("wrong")
    field.press("Enter")
    expect(page.get_by_text(re.compile("not valid|wrong|invalid", re.I)).first).to_be_visible()
    field.fill(server.token)
    field.press("Enter")
    expect(page.get_by_role("link", name=re.compile("new job", re.I)).first).to_be_visible()


DROP = """
([selector, name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name, { type: 'text/x-python' }));
  const event = new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true });
  document.querySelector(selector).dispatchEvent(event);
}
"""


def drop(page: Page, name: str, text: str) -> None:
    area = "section[aria-label='Drop a training script or a folder here']"
    expect(page.locator(area)).to_be_visible()
    page.evaluate(DROP, [area, name, text])


def test_a_job_from_drop_to_removal(visit: Visit, server: ServerProcess) -> None:
    page = visit("/")
    page.get_by_role("link", name="Submit new job").first.click()
    drop(page, "train.py", SLOW)
    preview = page.get_by_role("region", name="Preview")
    page.get_by_role("textbox", name="Name", exact=True).fill("From the page")
    epochs = page.get_by_role("textbox", name="epochs")
    epochs.fill("many")
    expect(page.get_by_text("the script takes a number, not 'many'").first).to_be_visible()
    epochs.fill("600")
    page.get_by_role("textbox", name="learning_rate").fill("0.1,0.2")
    expect(preview.get_by_text("2 tasks")).to_be_visible()
    expect(preview.get_by_text("--learning_rate 0.1").first).to_be_visible()
    preview.get_by_role("button", name="Submit").click()

    page.wait_for_url(re.compile(r"/jobs/[0-9a-z]{8}"))
    job = re.findall(r"/jobs/([0-9a-z]{8})", page.url)[0]
    expect(page.get_by_role("heading", name="From the page")).to_be_visible()
    expect(page.get_by_text("2 running").first).to_be_visible()
    canvas = page.locator("canvas").first
    expect(canvas).to_be_visible()
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    wait_for(lambda: canvas.evaluate("canvas => canvas.toDataURL()") != before, what="the curve to move")

    actions = page.get_by_role("group", name="Actions")
    actions.get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    expect(page.get_by_text("2 stopped").first).to_be_visible()
    actions.get_by_role("button", name="Restart").click()
    page.get_by_role("menuitem", name="Restart all", exact=True).dispatch_event("click")
    dialog = page.get_by_role("dialog")
    if dialog.count():
        dialog.get_by_role("button", name="Restart").click()
    expect(page.get_by_text("2 running").first).to_be_visible()
    assert server.task(job)["attempt"] == 2
    server.post(f"/jobs/{job}/stop")
    expect(page.get_by_text("2 stopped").first).to_be_visible()

    actions.get_by_role("link", name="Start from this job").click()
    expect(page.get_by_role("textbox", name="learning_rate")).to_have_value("0.1,0.2")
    expect(page.get_by_role("region", name="Preview").get_by_text("2 tasks")).to_be_visible()
    move(page, f"/jobs/{job}")
    choose(page, "Remove")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("checkpoints")).to_be_visible()
    dialog.get_by_role("button", name="Remove job").click()
    page.wait_for_url(f"{server.url}/")
    assert server.get("/jobs")["total"] == 0


def test_task_page_follows_the_log_and_stops(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(SLOW, params={"epochs": 2000})
    server.wait_state(job, "running")
    page = visit(f"/tasks/{job}-1")
    expect(page.get_by_text(re.compile(r"^epoch [1-9]\d+$")).first).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop task").click()
    expect(page.get_by_text("stopped").first).to_be_visible()


def test_empty_dashboard_offers_the_sample(visit: Visit, server: ServerProcess) -> None:
    page = visit("/")
    page.get_by_role("button", name=re.compile("sample", re.I)).first.click()
    wait_for(lambda: server.get("/jobs")["total"] == 1)
    expect(page.get_by_text("Two spirals").first).to_be_visible()


def test_two_browsers_see_the_same_change(visit: Visit, server: ServerProcess) -> None:
    pages = [visit("/"), visit("/")]
    job = server.submit(SLEEPER, name="Seen by both")
    for page in pages:
        expect(page.get_by_text("Seen by both")).to_be_visible()
    server.client.patch(f"/jobs/{job}", json={"name": "Renamed"})
    for page in pages:
        expect(page.get_by_text("Renamed")).to_be_visible()
    server.post(f"/jobs/{job}/stop")


STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"


def test_stops_and_restarts_from_elsewhere_show_at_once(visit: Visit, server: ServerProcess, tmp_path: Path) -> None:
    """By the command line, and in another browser: what was requested, before anything has come of it."""
    command_line = Cli(server.home.root, tmp_path)
    job = server.submit(STUBBORN, name="stubborn", grace_seconds=600)
    other = server.submit(SLEEPER, name="takes the other slot")
    server.wait_state(job, "running")
    server.wait_state(other, "running")
    sweep, task = visit(f"/jobs/{job}"), visit(f"/tasks/{job}-1")
    row = sweep.get_by_role("row").filter(has=sweep.get_by_role("link", name="Task 1"))
    summary = task.get_by_role("region", name="Summary")
    try:
        expect(row).to_contain_text("running")
        expect(summary).to_contain_text("running")
        command_line("stop", f"{job}-1")
        expect(row).to_contain_text("stopping")
        expect(summary).to_contain_text("stopping")
        assert server.task(job)["state"] == "running"

        move(sweep, f"/jobs/{other}")
        move(task, f"/tasks/{other}-1")
        expect(row).to_contain_text("running")
        task.get_by_role("button", name="Stop").click()
        task.get_by_role("dialog").get_by_role("button", name="Stop task").click()
        expect(row).to_contain_text("stopped")
        third = server.submit(SLEEPER, name="takes the slot that is free now")
        server.wait_state(third, "running")
        command_line("restart", f"{other}-1")
        expect(row).to_contain_text("submitted")
        expect(summary).to_contain_text("submitted")
    finally:
        os.kill(server.task(job)["attempts"][0]["pid"], signal.SIGKILL)


def test_a_restart_by_somebody_else_is_seen_before_the_task_runs(visit: Visit, server: ServerProcess) -> None:
    """Also while the page waits for what it asked the server before the restart."""
    job = server.submit("print('val_loss: 1')", name="again")
    server.wait(job)
    busy = server.submit(SLEEPER, params={"lr": [1, 2]}, name="takes all slots")
    for number in (1, 2):
        server.wait_state(busy, "running", number)
    page = visit("/")
    rows = _held(page, rf"/jobs/{job}/tasks\?.*numbers=")
    move(page, f"/jobs/{job}")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="Task 1"))
    expect(row).to_contain_text("finished")
    asked = _first(page, rows)
    before = asked.fetch()
    tasks = _held(page, rf"/jobs/{job}/tasks/columns")
    server.post(f"/jobs/{job}/restart", {})
    again = _first(page, tasks)  # the page knows of the restart
    asked.fulfill(response=before)
    page.wait_for_timeout(300)
    again.continue_()
    expect(row).to_contain_text("submitted")


def _held(page: Page, path: str) -> list[Route]:
    """What the page asks for there next, and gets no answer to yet."""
    held: list[Route] = []
    page.route(re.compile(path), lambda route: route.fallback() if held else held.append(route))
    return held


def _first(page: Page, held: list[Route]) -> Route:
    until = time.monotonic() + PATIENCE
    while not held and time.monotonic() < until:
        page.wait_for_timeout(50)
    return held[0]


def test_names_and_logs_are_text(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(BROKEN, name="<img src=x onerror=alert(1)>")
    server.wait(job)
    page = visit("/")
    expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
    move(page, f"/tasks/{job}-1")
    expect(page.get_by_text("NameError: name 'tensorflow' is not defined").first).to_be_visible()
    expect(page.get_by_text("<b>bold</b>").first).to_be_visible()
    assert page.title() != "owned"


def test_connection_lost_and_healed(visit: Visit, server: ServerProcess, tmp_path: Path) -> None:
    page = visit("/")
    expect(page.get_by_role("link", name=re.compile("new job", re.I)).first).to_be_visible()
    port = int(server.url.rpartition(":")[2])
    server.kill()
    expect(page.get_by_text(re.compile("reconnect|connection", re.I)).first).to_be_visible(timeout=90_000)
    server.start(port)
    job = server.submit("print(1)", name="After the restart")
    expect(page.get_by_text("After the restart").first).to_be_visible(timeout=90_000)
    wait_for(lambda: server.get(f"/jobs/{job}")["ended"])


def test_a_real_folder_is_dropped(visit: Visit, server: ServerProcess, tmp_path: Path) -> None:
    """As the browser gets it from the desktop: a folder with the script, a module, and what is to be left out."""
    folder = tmp_path / "project"
    for name, text in {
        "train.py": "from lib import helper\nprint(helper.WORD)\n",
        "lib/helper.py": "WORD = 'from the folder'\n",
        "lib/__init__.py": "",
        "notes.log": "left out",
        ".gitignore": "*.log\n",
        "__pycache__/x.pyc": "left out",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    page = visit("/new")
    box = page.locator("section[aria-label='Drop a training script or a folder here']").bounding_box()
    assert box is not None
    devtools = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        devtools.send(
            "Input.dispatchDragEvent",
            {
                "type": kind,
                "x": box["x"] + box["width"] / 2,
                "y": box["y"] + box["height"] / 2,
                "data": {"items": [], "files": [str(folder)], "dragOperationsMask": 1},
            },
        )
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_text("1 task", exact=True)).to_be_visible()
    preview.get_by_role("button", name="Submit").click()
    page.wait_for_url(re.compile(r"/jobs/[0-9a-z]{8}"))
    job = server.get("/jobs")["items"][0]["id"]
    assert server.wait(job)[0]["state"] == "finished"
    assert server.log_of(job).strip() == "from the folder"
    assert sorted(server.get(f"/jobs/{job}/files")) == [".gitignore", "lib/__init__.py", "lib/helper.py", "train.py"]


def test_the_task_that_reduces_says_so(visit: Visit, server: ServerProcess) -> None:
    job = server.submit("print('loss: 0.5')", params={"size": "1,2"}, reduce="ls {results}")
    server.wait(job)
    page = visit(f"/jobs/{job}")
    expect(page.get_by_role("row").filter(has=page.get_by_role("link", name="Task 3"))).to_contain_text("reduce")
    page.get_by_role("link", name="Task 3").click()
    expect(page.get_by_role("region", name="Summary").get_by_text("reduce", exact=True)).to_be_visible()
    move(page, f"/new?from={job}")
    expect(page.get_by_role("textbox", name="When all have finished")).to_have_value("ls {results}")
