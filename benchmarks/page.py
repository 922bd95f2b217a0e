"""Measure the page in a real browser: time until it is usable, hover, memory, and how soon a curve moves."""

import json
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright
from tests.browser.conftest import ARGUMENTS
from tests.support.server import ServerProcess, running, wait_for

from benchmarks.measure import described
from benchmarks.workload import JOB, Bench, bench, started
from paddock.models import CodeInfo, Interpreter, JobSpec
from paddock.search.tasks import NewTask
from paddock.server.engine.ingest import Ingest
from paddock.server.store import allocations, attempts, jobs, metrics

TASKS, EPOCHS, JOBS, HOVERED = 1000, 200, 200, 300

# Writes a row, and in another file the time at which it was written.
SCRIPT = """
import json, random, time
with open("log.csv", "w") as log, open("moments.jsonl", "w") as moments:
    log.write("epoch,val_loss\\n")
    for epoch in range(40):
        time.sleep(random.uniform(0.4, 0.8))
        log.write(f"{epoch},{1 / (epoch + 1)}\\n")
        log.flush()
        moments.write(json.dumps([epoch, time.time()]) + "\\n")
        moments.flush()
    time.sleep(3)
"""
WATCH = """
() => {
  window.seen = {};
  setInterval(() => {
    const found = /epoch (\\d+)/.exec(document.body.innerText);
    if (found && !(found[1] in window.seen)) window.seen[found[1]] = Date.now() / 1000;
  }, 20);
}
"""


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        page = browser.new_page(locale="en-US", viewport={"width": 1440, "height": 900})
        page.set_default_timeout(60_000)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable")
        with _filled() as server:
            page.goto(f"{server.url}/?token={server.token}")
            dashboard = _until(page, server.url + "/", "Job number 150")
            print(f"dashboard with {JOBS} jobs: usable after {dashboard:.2f} s (median of 3; goal 1.5 s)")
            job = _until(page, f"{server.url}/jobs/{JOB}", f"{TASKS:,} configurations")
            print(f"job with {TASKS} tasks x {EPOCHS} epochs: usable after {job:.2f} s (median of 3; goal 1.5 s)")
            print(f"hover over its curves: {_hover(page, devtools):.1f} ms busy per move (goal 16 ms)")
            print(f"memory of the page then: {_memory(devtools):.0f} MB of JavaScript heap (goal 150 MB)")
        delays = _moving(page)
        print(f"metric written -> shown: {described(delays, 2)} (goal: p95 1.5 s)")
        browser.close()


def _until(page: Page, url: str, text: str) -> float:
    times = []
    for _ in range(3):
        page.goto("about:blank")
        began = time.perf_counter()
        page.goto(url, wait_until="commit")
        page.get_by_text(re.compile(text)).first.wait_for()
        if "/jobs/" in url:
            page.locator("canvas").first.wait_for()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def _hover(page: Page, devtools: CDPSession) -> float:
    box = page.locator("canvas").first.bounding_box()
    assert box is not None
    page.wait_for_timeout(1500)
    before, moves = _busy(devtools), 100
    for n in range(moves):
        page.mouse.move(box["x"] + 60 + (box["width"] - 120) * n / moves, box["y"] + box["height"] * (0.3 + 0.004 * n))
    return (_busy(devtools) - before) / moves * 1000


def _busy(devtools: CDPSession) -> float:
    return page_metrics(devtools)["TaskDuration"]


def _memory(devtools: CDPSession) -> float:
    devtools.send("HeapProfiler.collectGarbage")
    return page_metrics(devtools)["JSHeapUsedSize"] / 1e6


def page_metrics(devtools: CDPSession) -> dict[str, float]:
    answer: dict[str, Any] = devtools.send("Performance.getMetrics")
    return {one["name"]: one["value"] for one in answer["metrics"]}


def _moving(page: Page) -> list[float]:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", local__slots=1) as server:
        job = server.submit(SCRIPT)
        page.goto(f"{server.url}/?token={server.token}")
        page.goto(f"{server.url}/tasks/{job}-1")
        page.evaluate(WATCH)
        wait_for(lambda: server.get(f"/jobs/{job}")["ended"], 90)
        seen = page.evaluate("window.seen")
        moments = (server.home.job(job).task(f"{job}-1") / "work" / "moments.jsonl").read_text().splitlines()
    written = {str(epoch): at for epoch, at in map(json.loads, moments)}
    return [seen[epoch] - written[epoch] for epoch in seen if epoch in written and int(epoch) > 3]


@contextmanager
def _filled() -> Iterator[ServerProcess]:
    """Yield a server whose home has one large job and many small ones."""
    with bench(TASKS) as made:
        _large(made)
        for n in range(JOBS):
            _small(made, n)
        made.context.db.close()
        server = ServerProcess(made.home.root).start()
        try:
            yield server
        finally:
            server.stop()


def _large(made: Bench) -> None:
    made.say(started(TASKS, time.time()))
    with made.context.db.read() as c:
        rows = allocations.unclosed(c)
    Ingest().run(made.context, rows)
    appender = metrics.Appender()
    with made.context.db.write() as c:
        found = attempts.lookup(c, [(f"{JOB}-{n}", 1) for n in range(1, TASKS + 1)]).values()
        for row in found:
            curve = [(float(e), row.number / 500 + 1 / (e + 1), 1e9 + e) for e in range(EPOCHS)]
            appender.append(c, {row.attempt_id: {"val_loss": curve, "loss": curve}})
        ended = [{"id": row.attempt_id, "state": "finished", "ended_at": time.time()} for row in found]
        best = [
            {"id": row.id, "state": "finished", "best_value": row.number / 500, "epoch": EPOCHS - 1} for row in found
        ]
        attempts.update_attempts(c, ended)
        attempts.update_tasks(c, best)
        for one in rows:
            allocations.close(c, one.key)


def _small(made: Bench, n: int) -> None:
    new = jobs.NewJob(
        id=f"bench{n + 100}",
        owner="bench",
        spec=JobSpec(command="true", name=f"Job number {n}", tags=["bench"]),
        script=None,
        code=CodeInfo(),
        interpreter=Interpreter(argv=["python3"]),
        tasks=[NewTask({"n": k}, None, k + 1) for k in range(4)],
    )
    with made.context.db.write() as c:
        jobs.insert(c, new)
        attempts.update_tasks(c, [{"id": f"{new.id}-{k}", "state": "finished"} for k in range(1, 5)])
        rows = attempts.lookup(c, [(f"{new.id}-{k}", 1) for k in range(1, 5)]).values()
        attempts.update_attempts(
            c, [{"id": row.attempt_id, "state": "finished", "ended_at": time.time()} for row in rows]
        )


if __name__ == "__main__":
    main()
