"""Measure the routes and the page of a job with 10,000 tasks beside 1,000 others: CPU time, waiting, bytes."""

import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

from playwright.sync_api import sync_playwright
from tests.browser.conftest import ARGUMENTS
from tests.support.server import ServerProcess

from benchmarks.measure import cpu_seconds, peak_megabytes
from benchmarks.page import page_metrics
from paddock import settings
from paddock.models import CodeInfo, Interpreter, JobSpec, Objective, Params
from paddock.paths import Home
from paddock.search.tasks import NewTask
from paddock.server.serve import open_database
from paddock.server.store import attempts, jobs, metrics
from paddock.server.store.db import Connection

TASKS, EPOCHS, WAITING, JOBS = 10_000, 200, 500, 1000
JOB = "scale000"
GRAPHS = ["number", "trial", "state", "attempt", "reduces", "best", "at", "epoch", "params"]
ROUTES: list[tuple[str, dict[str, Any]]] = [
    ("/jobs", {}),
    (f"/jobs/{JOB}", {}),
    (f"/jobs/{JOB}/tasks", {"limit": 1000}),
    (f"/jobs/{JOB}/tasks", {"limit": 20_000}),
    (f"/jobs/{JOB}/tasks", {"limit": 100, "slim": True, "sort": "-param.lr", "q": "adam best<0.5"}),
    (f"/jobs/{JOB}/tasks/columns", {"column": GRAPHS}),
    (f"/jobs/{JOB}/tasks/columns", {"column": "number", "sort": "-best", "q": "adam"}),
    (f"/jobs/{JOB}/tasks/columns", {"column": ["number", "last.loss"], "sort": "-last.loss"}),
    (f"/jobs/{JOB}/tasks/columns", {"column": ["number", "last.loss"], "sort": "-last.loss"}),  # kept
    (f"/jobs/{JOB}/tasks/columns", {"column": ["last.loss", "best.loss"], "numbers": "5000-5040"}),
    (f"/jobs/{JOB}/export", {}),
    (f"/jobs/{JOB}/metrics", {"limit": 1000, "points": 100, "slim": True, "sample": True}),
    (f"/jobs/{JOB}/search", {}),
    (f"/jobs/{JOB}/search", {}),  # nothing has changed
]


def main() -> None:
    with filled() as server:
        for route, query in ROUTES:
            _request(server, route, query)
        _page(server)
        print(f"largest memory of the server: {peak_megabytes(server):.0f} MB")


def _request(server: ServerProcess, route: str, query: dict[str, Any]) -> None:
    """Print what one request costs."""
    before, began = cpu_seconds(server), time.perf_counter()
    with server.client.stream("GET", route, params=query) as answer:
        sent = sum(map(len, answer.iter_raw()))
        assert answer.status_code == 200
    waited, used = time.perf_counter() - began, cpu_seconds(server) - before
    asked = unquote(urlencode(query, doseq=True))
    print(f"GET {route}?{asked}: {used:.2f} s of CPU, {waited:.2f} s, {sent / 1e6:.2f} MB", flush=True)


def _page(server: ServerProcess) -> None:
    """Print how soon the page of the job is usable in a real browser, and what that takes."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page(locale="en-US", viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable")
        devtools.send("Network.enable")
        sent: list[float] = []
        devtools.on("Network.loadingFinished", lambda event: sent.append(event["encodedDataLength"]))
        page.goto(f"{server.url}/?token={server.token}")
        for _ in range(3):
            page.goto("about:blank")
            sent.clear()
            busy, used, began = page_metrics(devtools)["ThreadTime"], cpu_seconds(server), time.perf_counter()
            page.goto(f"{server.url}/jobs/{JOB}", wait_until="commit")
            page.get_by_text(f"{TASKS:,} configurations").first.wait_for()
            page.locator("canvas").first.wait_for()
            seconds = time.perf_counter() - began
            busy, used = page_metrics(devtools)["ThreadTime"] - busy, cpu_seconds(server) - used
            costs = f"{busy:.2f} s of CPU in the page, {used:.2f} s in the server, {sum(sent) / 1e6:.2f} MB"
            print(f"page usable after {seconds:.2f} s: {costs}", flush=True)
        browser.close()


@contextmanager
def filled(tasks: int = TASKS, epochs: int = EPOCHS) -> Iterator[ServerProcess]:
    """Yield a server with 1,000 small jobs and one of this many tasks with curves, the last 500 of which wait."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        home.create()
        db = open_database(settings.load(home.root), home)
        with db.write() as c:
            fill(c, tasks, epochs)
            for n in range(JOBS):
                _small(c, n)
        db.close()
        home.job(JOB).root.mkdir(parents=True)
        server = ServerProcess(home.root).start()
        try:
            yield server
        finally:
            server.stop()


def fill(c: Connection, tasks: int, epochs: int) -> None:
    """Insert a job; nearly all of its tasks have finished, some in error."""
    chance = random.Random(0)
    widths, optimizers = [64, 128, 256], ["adam", "sgd"]
    params: list[Params] = [
        {"lr": chance.uniform(1e-4, 0.1), "width": chance.choice(widths), "optimizer": chance.choice(optimizers)}
        for _ in range(tasks)
    ]
    new = jobs.NewJob(
        id=JOB,
        owner="bench",
        spec=JobSpec(
            command="true",
            name="ten thousand",
            params={"lr": "0.0001..0.1:log", "width": "64,128,256", "optimizer": "adam,sgd", "batch": "32"},
            objective=Objective(metric="val_loss"),  # to choose one is not what is measured
        ),
        script=None,
        code=CodeInfo(),
        interpreter=Interpreter(argv=["python3"]),
        tasks=[NewTask(one | {"batch": 32}, epochs, n + 1) for n, one in enumerate(params)],
    )
    jobs.insert(c, new)
    jobs.hold(c, JOB)
    appender = metrics.Appender()
    now = time.time()
    ended: list[dict[str, Any]] = []
    best: list[dict[str, Any]] = []
    for start in range(1, tasks - min(WAITING, tasks // 10) + 1, 500):
        rows = attempts.lookup(c, [(f"{JOB}-{n}", 1) for n in range(start, start + 500)]).values()
        for row in rows:
            floor = chance.random()
            curve = [(float(e), floor + 1 / (e + 1) + chance.random() / 50, now + e) for e in range(epochs)]
            appender.append(c, {row.attempt_id: {"val_loss": curve, "loss": curve}})
            appender.done(row.attempt_id)
            state = "error" if row.number % 20 == 0 else "finished"
            times = {"started_at": now - 100 - row.number, "ended_at": now - row.number}
            ended.append({"id": row.attempt_id, "state": state, "node": f"node{row.number % 100:02}", **times})
            if state == "error":
                ended[-1]["reason"] = "RuntimeError: the loss is not a number"
            value = min(point[1] for point in curve)
            best.append({"id": row.id, "state": state, "best_value": value, "best_epoch": 7.0, "epoch": epochs - 1.0})
    keys = {"reason"}
    attempts.update_attempts(c, [one for one in ended if not keys & one.keys()])
    attempts.update_attempts(c, [one for one in ended if keys & one.keys()])
    attempts.update_tasks(c, best)


def _small(c: Connection, n: int) -> None:
    new = jobs.NewJob(
        id=f"small{n:04}",
        owner="bench",
        spec=JobSpec(command="true", name=f"Job number {n}"),
        script=None,
        code=CodeInfo(),
        interpreter=Interpreter(argv=["python3"]),
        tasks=[NewTask({"n": k}, None, k + 1) for k in range(4)],
    )
    jobs.insert(c, new)
    attempts.update_tasks(c, [{"id": f"{new.id}-{k}", "state": "finished", "best_value": 0.5} for k in range(1, 5)])
    rows = attempts.lookup(c, [(f"{new.id}-{k}", 1) for k in range(1, 5)]).values()
    attempts.update_attempts(c, [{"id": row.attempt_id, "state": "finished", "ended_at": 1e9} for row in rows])


if __name__ == "__main__":
    main()
