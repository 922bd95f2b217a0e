"""Measure how a server reads many long journals, as after days without a server: memory, speed, delays of other jobs.

`python -m benchmarks.backlog [JOURNALS MB [LARGE_ONES LARGE_MB]]`. The server keeps nothing of a journal from round to
round, so its memory must not depend on their length: the default has many short ones and a few of the full 100 MB.
"""

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
from tests.support.server import ServerProcess, wait_for

from benchmarks.latency import SCRIPT
from benchmarks.measure import described, peak_megabytes
from benchmarks.workload import JOB, batch_of, bench
from paddock.server.store import allocations

JOURNALS, MEGABYTES = 200, 2
LARGE, LARGE_MEGABYTES = 5, 100
ELSEWHERE = "elsewhere"  # a backend that this server does not have: nobody reports that these allocations ended


def main() -> None:
    given = [int(text) for text in sys.argv[1:]]
    journals, megabytes = given[:2] or (JOURNALS, MEGABYTES)
    large, large_megabytes = given[2:] or (LARGE, LARGE_MEGABYTES)
    sizes = [megabytes] * journals + [large_megabytes] * large
    with bench(len(sizes)) as made:
        job = made.home.job(JOB)
        batch = batch_of(made.home, f"{JOB}-a2", len(sizes))
        with made.context.db.write() as c:
            allocations.close(c, f"{JOB}-a1.0")
            allocations.plan(c, JOB, ELSEWHERE, batch)
            allocations.submitted(c, batch.key, batch.keys)
        for number, (key, size) in enumerate(zip(batch.keys, sizes, strict=True), start=1):
            job.allocation(key).mkdir()
            write(job.journal(key, 1), f"{JOB}-{number}", size * 1_000_000)
        made.context.db.close()
        server = ServerProcess(made.home.root, local__slots=2, runner__grace_seconds=0).start()
        try:
            measure(server, sum(sizes), len(sizes))
        finally:
            for one in server.get("/jobs", limit=500)["items"]:
                if one["id"] != JOB:
                    server.post(f"/jobs/{one['id']}/stop")
                    server.wait(one["id"])
            server.stop()


def write(path: Path, task: str, size: int) -> None:
    """Write the journal of a task that trains for long: four metrics per step, and its usage at every fifth step."""
    about = f'"task":"{task}","attempt":1'
    values = '{"loss":0.5,"accuracy":0.75,"val_loss":0.625,"val_accuracy":0.5}'
    at, written, step = 1_700_000_000.0, 0, 0
    with open(path, "w") as file:
        file.write(f'{{"e":"runner","at":{at}}}\n{{"e":"started","at":{at},{about},"pid":1}}\n')
        while written < size:
            lines = []
            for _ in range(1000):
                step, at = step + 1, at + 0.5
                lines.append(f'{{"e":"metric","at":{at},{about},"step":{step},"epoch":{step},"v":{values}}}\n')
                if step % 5 == 0:
                    lines.append(f'{{"e":"usage","at":{at},{about},"memory":2000000000,"cpu":1.5}}\n')
            written += file.write("".join(lines))
        file.write(f'{{"e":"ended","at":{at},{about},"exit":0}}\n')


def measure(server: ServerProcess, megabytes: int, tasks: int) -> None:
    over = threading.Event()
    times: dict[str, list[float]] = {"health": [], "stop request": [], "stopped": [], "metric shown": []}
    began = time.perf_counter()
    users = (_health, _stops, _metrics)
    threads = [threading.Thread(target=user, args=(server, over, times)) for user in users]
    for thread in threads:
        thread.start()
    wait_for(lambda: server.get(f"/jobs/{JOB}")["counts"]["finished"] == tasks, 4 * 3600, "the journals to be read")
    seconds = time.perf_counter() - began
    over.set()
    for thread in threads:
        thread.join()
    print(f"{tasks} journals of {megabytes:,} MB in all: {megabytes / seconds:.1f} MB/s ({seconds:.0f} s)")
    print(f"the server's largest memory: {peak_megabytes(server):.0f} MB (goal: 500 MB)")
    for name, found in times.items():
        print(f"{name}: {described(found)} ({len(found)})")


def _timed(found: list[float], call: Callable[[], object]) -> None:
    began = time.perf_counter()
    call()
    found.append(time.perf_counter() - began)


def _client(server: ServerProcess) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {server.token}"}
    return httpx2.Client(base_url=f"{server.url}/api/v1", headers=headers, timeout=300)


def _health(server: ServerProcess, over: threading.Event, times: dict[str, list[float]]) -> None:
    with _client(server) as client:
        while not over.wait(0.1):
            _timed(times["health"], lambda: client.get("/health").raise_for_status())


def _stops(server: ServerProcess, over: threading.Event, times: dict[str, list[float]]) -> None:
    """Start and stop a task of another job, repeatedly."""
    with _client(server) as client:

        def state(job: str) -> str:
            return str(client.get(f"/tasks/{job}-1").json()["state"])

        def stop(job: str) -> None:
            wait_for(lambda: state(job) == "running")
            began = time.perf_counter()
            _timed(times["stop request"], lambda: client.post(f"/jobs/{job}/stop").raise_for_status())
            wait_for(lambda: state(job) == "stopped")
            times["stopped"].append(time.perf_counter() - began)

        while not over.is_set():
            stop(client.post("/jobs", json={"spec": {"command": "sleep 1000"}}).json()["id"])


def _metrics(server: ServerProcess, over: threading.Event, times: dict[str, list[float]]) -> None:
    """Follow another job; the value of each of its metrics is the time at which it was written."""
    with _client(server) as client:
        body = {"spec": {}, "files": {"train.py": SCRIPT}}
        job = client.post("/jobs", json=body).json()["id"]
        with client.stream("GET", "/events", params={"job": job}) as answer:
            for line in answer.iter_lines():
                now = time.time()
                if line.startswith("data: ") and '"points"' in line:
                    points = json.loads(line[6:])["data"]["points"]
                    found = [now - p[1] for series in points.values() for p in series.get("val_loss", [])]
                    times["metric shown"] += found
                if over.is_set():
                    return


if __name__ == "__main__":
    main()
