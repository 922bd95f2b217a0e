"""Test GPU sharing and load of nodes on the page; the GPUs are what a server with GPUs would report."""

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from playwright.sync_api import Page, Route, expect

from paddock.models import Packing
from paddock.server.store import loads, packings, tables
from paddock.server.store.db import Database
from tests.browser.conftest import LOOKS, SLEEPER, dress, look, move
from tests.browser.test_page import SLOW, drop
from tests.browser.test_resources import machines, resources
from tests.support.server import ServerProcess

Visit = Callable[..., Page]

GIB = 2**30
CARD = "NVIDIA H200"
TRIPLE = ("Nodes", "Tasks a node", "Threads a task")


@contextmanager
def database(server: ServerProcess) -> Iterator[sa.Connection]:
    """The server's own: what runners on GPUs would have told is written there."""
    db = Database(f"sqlite:///{server.home.database}")
    try:
        with db.write() as c:
            yield c
    finally:
        db.close()


def _change(page: Page, path: str, to: Callable[[Any], Any]) -> None:
    def answer(route: Route) -> None:
        route.fulfill(json=to(json.loads(route.fetch().text())))

    page.route(re.compile(path), answer)


def test_sharing_is_asked_for_checked_and_kept(visit: Visit, server: ServerProcess) -> None:
    page = visit("/new")
    drop(page, "train.py", SLOW)
    resources(page)
    preview = page.get_by_role("region", name="Preview")
    shared = page.get_by_label("Tasks per GPU", exact=True).first
    shared.fill("many")
    expect(shared).to_have_attribute("aria-invalid", "true")
    expect(preview.get_by_text("Write a number from 1 to 256, or auto, not 'many'")).to_be_visible()
    shared.fill("")
    page.get_by_role("option", name="auto finds out how many pay").dispatch_event("click")
    expect(shared).to_have_value("auto")
    expect(preview.get_by_text("1 task", exact=True)).to_be_visible()

    page.get_by_role("button", name="More", exact=True).click()
    nodes, tasks, threads = (page.get_by_role("textbox", name=name, exact=True) for name in TRIPLE)
    nodes.fill("1")
    expect(preview.get_by_text("Say all three, or none of them")).to_be_visible()
    tasks.fill("2")
    threads.fill("1")
    expect(nodes).to_have_attribute("aria-invalid", "true")
    expect(preview.get_by_text("Triple contains this already: leave per_gpu out")).to_be_visible()
    shared.fill("")
    expect(page.get_by_role("textbox", name="CPUs per task")).to_be_disabled()
    expect(preview.get_by_text("1 task", exact=True)).to_be_visible()
    preview.get_by_role("button", name="Submit").click()

    page.wait_for_url(re.compile(r"/jobs/[0-9a-z]{8}"))
    job = re.findall(r"/jobs/([0-9a-z]{8})", page.url)[0]
    assert server.get(f"/jobs/{job}")["spec"]["resources"]["triple"] == {"nodes": 1, "tasks": 2, "threads": 1}
    server.post(f"/jobs/{job}/stop")
    move(page, f"/new?from={job}")
    resources(page)
    for field, value in ((nodes, "1"), (tasks, "2"), (threads, "1")):
        expect(field).to_have_value(value)


def test_how_tasks_share_a_gpu_is_told_while_they_do(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(SLEEPER, name="Shared")
    server.wait_state(job, "running")
    page = visit(f"/jobs/{job}")
    panel = page.get_by_role("region", name="Sharing GPUs")
    expect(page.get_by_text("1 running").first).to_be_visible()
    expect(panel).to_have_count(0)

    said: dict[str, Any] = {"gpu": CARD, "auto": True, "need": 2 * GIB, "total": 140 * GIB}
    with database(server) as c:
        packings.take(c, job, [Packing(**said, at=datetime.now(UTC), tasks=6)])
    expect(panel.get_by_text(f"6 tasks share each {CARD}")).to_be_visible()
    expect(panel.get_by_text("still growing")).to_be_visible()
    with database(server) as c:
        packings.take(c, job, [Packing(**said, at=datetime.now(UTC), tasks=24, limit="cores", speedup=11.2)])
    expect(panel.get_by_text(f"24 tasks share each {CARD}")).to_be_visible()
    expect(panel.get_by_text("limited by the CPU cores · 11× as fast as one at a time")).to_be_visible()
    server.post(f"/jobs/{job}/stop")
    expect(panel.get_by_text(f"24 tasks shared each {CARD}")).to_be_visible()


def test_the_seat_of_a_task_and_what_it_waited_for(visit: Visit, server: ServerProcess) -> None:
    job = server.submit("print('loss: 0.5')", name="Seated")
    server.wait(job)
    server.post(f"/tasks/{job}-1/restart")
    server.wait(job)
    seat = {"gpus": ["0"], "gpu_name": CARD, "cores": [0, 1, 2, 8], "threads": 4, "sharing": "turns", "why": "no MPS"}
    ended = {"state": "error", "cause": "gpu_oom", "reason": "CUDA out of memory"}
    with database(server) as c:
        of = sa.update(tables.attempts).where(tables.attempts.c.task_id == f"{job}-1")
        c.execute(of.values(seat=seat, peak_gpu_memory=11 * GIB))
        c.execute(of.where(tables.attempts.c.number == 1).values(**ended))
        c.execute(of.where(tables.attempts.c.number == 2).values(room={"gpu": 12 * GIB}))
    page = visit(f"/tasks/{job}-1")
    for width, dark in LOOKS:
        dress(page, width, dark)
        summary = page.get_by_role("region", name="Summary")
        expect(summary.get_by_text("Peak GPU memory")).to_be_visible()
        expect(summary.get_by_text("shares the GPU by taking turns")).to_be_visible()
        attempts = page.get_by_role("region", name="Attempts", exact=True)
        expect(attempts.get_by_text("The GPU ran out of memory")).to_be_visible()
        expect(attempts.get_by_text("waited for 12 GiB free on the GPU")).to_be_visible()
        details = page.get_by_role("region", name="Details")
        for text in (f"GPU 0, {CARD}", "shares the GPU by taking turns: no MPS", "0–2, 8"):
            expect(details.get_by_text(text)).to_be_visible()
        look(page, f"task-shared-{width}-{'dark' if dark else 'light'}")


def test_who_uses_what_and_what_was_before(visit: Visit, server: ServerProcess) -> None:
    """All of it as the server itself tells."""
    job = server.submit(SLEEPER, name="Busy now")
    server.wait_state(job, "running")
    now, key = time.time(), ("local", socket.gethostname())
    with database(server) as c:
        for ago in range(0, 1200, 60):
            gpus = {str(number): [0.1 * number, number * GIB] for number in range(8)}
            loads.insert(c, now - ago - 30, [(key, {"load": 0.5, "memory": GIB, "gpus": gpus})])
    page = visit("/hosts")
    use = page.get_by_role("region", name="Who uses what")
    expect(use.get_by_role("table", name="By user").get_by_role("row")).to_have_count(2)
    row = use.get_by_role("table", name="By job").get_by_role("row", name="Busy now")
    expect(row).to_be_visible()
    node = page.get_by_role("region", name=socket.gethostname(), exact=True)
    assert node.locator("canvas").count() == 0, "graphs are drawn when somebody wants them"
    node.get_by_role("button", name="Over time").click()
    for name in ("CPU (%): 1 curve", "Memory (GiB): 1 curve", "GPU load (%): 8 curves", "GPU memory (GiB): 8 curves"):
        expect(node.get_by_role("img", name=name)).to_be_visible()
    node.locator("label", has_text="15 min").click()
    page.wait_for_url(re.compile("minutes=15"))
    row.get_by_role("link", name="Busy now").click()
    page.wait_for_url(re.compile(f"/jobs/{job}"))


def test_machines_with_gpus_stay_readable(visit: Visit, server: ServerProcess) -> None:
    job = server.submit(SLEEPER, name="Many at a time")
    server.wait_state(job, "running")
    hint: dict[str, Any] = {"kind": "share_gpu", "text": "5 tasks could share a GPU: --per-gpu 5", "per_gpu": 5}

    def load(real: Any) -> Any:
        (mine,) = real["nodes"]
        jobs = [{**one, "gpus": 1, "gpu_memory": 29 * GIB, "gpu_load": 0.2, "advice": [hint]} for one in real["jobs"]]
        return {**real, "nodes": [{**mine, "devices": _cards(f"{job}-1")}, *machines(60)], "jobs": jobs}

    def prepare(page: Page) -> None:
        _change(page, "/api/v1/load$", load)
        _change(page, "/api/v1/backends$", lambda real: [*real, {**real[0], "name": "volta", "kind": "slurm"}])

    page = visit("/hosts", prepare=prepare)
    card = page.get_by_role("listitem", name="GPU 0")
    volta = page.get_by_role("region", name="volta")
    card.get_by_role("button", name="2 processes").click()
    page.get_by_role("button", name="v003", exact=True).click()
    for width, dark in LOOKS:
        dress(page, width, dark)
        expect(page.get_by_role("region", name="Who uses what").get_by_text(hint["text"])).to_be_visible()
        expect(card.get_by_text("28 of 140 GiB")).to_be_visible()
        expect(card.get_by_text("PID 4711 · anna · python train.py")).to_be_visible()
        expect(card.get_by_role("link", name="Many at a time #1")).to_have_count(2)
        expect(volta.get_by_role("listitem", name="GPU 7")).to_be_visible()
        expect(volta.get_by_role("region", name="CPU (%)")).to_be_visible()
        look(page, f"hosts-load-{width}-{'dark' if dark else 'light'}")
    move(page, f"/jobs/{job}")
    expect(page.get_by_role("list", name="Advice").get_by_text(hint["text"])).to_be_visible()


def _cards(task: str) -> list[dict[str, Any]]:
    on = [
        {"pid": 4711, "owner": "anna", "command": "python train.py", "memory": 8 * GIB, "task": task},
        {"pid": 4712, "owner": None, "command": None, "memory": 20 * GIB, "task": None},
    ]
    free = {"kind": "gpu", "name": CARD, "memory": 140 * GIB, "memory_used": 0, "load": 0.0, "used_by": [], "tasks": []}
    used = {"memory_used": 28 * GIB, "load": 0.87, "busy": True, "tasks": [task], "processes": on}
    return [{**free, "id": str(number), **(used if number == 0 else {})} for number in range(8)]
