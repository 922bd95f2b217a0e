"""Test what can be followed: events and logs."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2

from tests.support.server import ServerProcess, running, wait_for

COUNTING = """
import time
with open("log.csv", "w") as log:
    log.write("epoch,val_loss\\n")
    for epoch in range(6):
        time.sleep(0.2)
        log.write(f"{epoch},{6 - epoch}\\n")
        log.flush()
        print("said", epoch, flush=True)
"""


class Stream:
    """Reads server-sent events into a list, in a thread."""

    def __init__(self, server: ServerProcess, **query: Any) -> None:
        self.events: list[tuple[str, int, dict[str, Any]]] = []
        self._client = httpx2.Client(headers={"Authorization": f"Bearer {server.token}"}, timeout=60)
        self._request = self._client.stream("GET", f"{server.url}/api/v1/events", params=query)
        self._response = self._request.__enter__()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        kind, number, data = "", 0, ""
        try:
            for line in self._response.iter_lines():
                name, _, value = line.partition(": ")
                if name == "event":
                    kind = value
                elif name == "id":
                    number = int(value)
                elif name == "data":
                    data = value
                elif not line and kind:
                    self.events.append((kind, number, json.loads(data)))
                    kind = ""
        except (httpx2.HTTPError, httpx2.StreamError):
            pass

    def of(self, job: str) -> Iterator[tuple[int, dict[str, Any]]]:
        return ((number, data["data"]) for kind, number, data in self.events if kind == "tasks" and data["job"] == job)

    def points(self, job: str) -> list[list[float]]:
        return [p for _, d in self.of(job) for p in d.get("points", {}).get(f"{job}-1", {}).get("val_loss", [])]

    def close(self) -> None:
        with contextlib.suppress(OSError):  # the server may have ended it before
            # The client alone, when it is closed, does not wake up who reads.
            self._response.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        self._thread.join(120)
        self._client.close()


def test_points_and_states_arrive_live_and_once(server: ServerProcess) -> None:
    stream = Stream(server)
    wait_for(lambda: stream.events)
    assert stream.events[0][0] == "hello"
    job = server.submit(COUNTING)
    wait_for(lambda: len(stream.points(job)) >= 2)
    assert server.task(job)["state"] == "running"
    server.wait(job)
    wait_for(lambda: len(stream.points(job)) == 6)
    states = [task["state"] for _, data in stream.of(job) for task in data.get("tasks", []) if isinstance(task, dict)]
    wait_for(lambda: "finished" in str(list(stream.of(job))[-1]))
    stream.close()
    assert stream.points(job) == [[epoch, 6 - epoch] for epoch in range(6)]
    assert states[0] == "running"
    numbers = [number for _, number, _ in stream.events]
    assert numbers == sorted(numbers)


def test_stream_resumes_where_it_was(server: ServerProcess) -> None:
    stream = Stream(server)
    wait_for(lambda: stream.events)
    job = server.submit(COUNTING)
    wait_for(lambda: len(stream.points(job)) >= 2)
    stream.close()
    last = stream.events[-1][1]
    server.wait(job)
    second = Stream(server, last=last)
    wait_for(lambda: len(stream.points(job)) + len(second.points(job)) == 6)
    second.close()
    assert stream.points(job) + second.points(job) == [[epoch, 6 - epoch] for epoch in range(6)]
    future = Stream(server, last=10**9)
    wait_for(lambda: future.events)
    future.close()
    assert future.events[0][0] == "reset"


def test_stream_of_one_job(server: ServerProcess) -> None:
    other = server.submit("print(1)")
    job = server.submit(COUNTING)
    stream = Stream(server, job=job)
    server.wait(other)
    server.wait(job)
    wait_for(lambda: len(stream.points(job)) >= 4)
    stream.close()
    assert {data["job"] for kind, _, data in stream.events if kind != "hello"} == {job}
    assert server.client.get("/events", params={"job": "nope"}).status_code == 404


def test_stream_survives_a_restart_of_the_server(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=1) as server:
        first = Stream(server)
        job = server.submit(COUNTING)
        wait_for(lambda: len(first.points(job)) >= 2)
        server.kill()
        first.close()
        server.start()
        second = Stream(server, last=first.events[-1][1])
        server.wait(job)
        wait_for(lambda: len(first.points(job) + second.points(job)) == 6)
        second.close()
        assert first.points(job) + second.points(job) == [[epoch, 6 - epoch] for epoch in range(6)]


def test_server_ends_with_open_streams(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=1) as server:
        stream = Stream(server)
        wait_for(lambda: stream.events)
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 30
        stream.close()


def test_log_is_followed_to_its_end(server: ServerProcess) -> None:
    job = server.submit(COUNTING)
    with server.client.stream("GET", f"/tasks/{job}-1/log/follow") as answer:
        parts = [(time.monotonic(), part) for part in answer.iter_text()]
    assert "".join(part for _, part in parts) == "".join(f"said {epoch}\n" for epoch in range(6))
    assert parts[-1][0] - parts[0][0] > 0.4  # as it grew, not at the end


def test_log_ranges(server: ServerProcess) -> None:
    job = server.submit("print('0123456789')")
    server.wait(job)
    path = f"/tasks/{job}-1/log"
    assert server.client.get(path, params={"offset": 2, "limit": 3}).text == "234"
    assert server.client.get(path, params={"offset": -4}).text == "789\n"
    answer = server.client.get(path, params={"offset": 1000})
    assert (answer.text, answer.headers["x-log-size"], answer.headers["x-log-start"]) == ("", "11", "11")
    assert server.client.get(path, params={"attempt": 2}).status_code == 404
