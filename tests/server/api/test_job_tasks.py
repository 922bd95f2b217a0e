"""Test the routes of all tasks of a job: rows by window, columns, curves; and what is kept until something changes."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from paddock.models import JobPatch, TaskPage
from paddock.server.api.kept import Kept
from paddock.server.api.replies import SMALL, Replier
from paddock.server.store import events, jobs
from paddock.server.store.db import Database
from tests.server.store.given import add_job
from tests.support.server import ServerProcess, wait_for

SCRIPT = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--name")
args = parser.parse_args()
if args.lr == 3:
    raise SystemExit("this one is wrong")
for epoch in range(40):
    print(f"epoch: {epoch} val_loss: {args.lr / 3 + 1 / (epoch + 1)}")
"""


@pytest.fixture(scope="module")
def job(server: ServerProcess) -> Iterator[str]:
    """A job of six tasks that have ended: task 5 and 6 in error."""
    job = server.submit(SCRIPT, params={"lr": [1, 2, 3], "name": ["b", "a"]})
    server.wait(job)
    yield job
    server.client.delete(f"/jobs/{job}")


def numbers(answer: dict[str, Any]) -> list[int]:
    return [task["number"] for task in answer["items"]]


def test_windows_in_any_order(server: ServerProcess, job: str) -> None:
    path = f"/jobs/{job}/tasks"
    for sort, expected in [
        ("param.lr", [1, 2, 3, 4, 5, 6]),
        ("-param.lr", [5, 6, 3, 4, 1, 2]),
        ("param.name", [2, 4, 6, 1, 3, 5]),
        ("-best", [3, 4, 1, 2, 5, 6]),
        ("-number", [6, 5, 4, 3, 2, 1]),
    ]:
        pages = [server.get(path, sort=sort, offset=offset, limit=2) for offset in (0, 2, 4)]
        assert [number for page in pages for number in numbers(page)] == expected, sort
        assert [(page["total"], page["offset"]) for page in pages] == [(6, 0), (6, 2), (6, 4)]
    assert server.client.get(path, params={"sort": "size"}).status_code == 422
    assert numbers(server.get(path)) == [1, 2, 3, 4, 5, 6]


def test_filters(server: ServerProcess, job: str) -> None:
    path = f"/jobs/{job}/tasks"
    assert numbers(server.get(path, state="error")) == [5, 6]
    assert numbers(server.get(path, state=["error", "finished"], limit=1)) == [1]
    assert numbers(server.get(path, q="lr>1 name=a")) == [4, 6]
    page = server.get(path, q="lr>1", state="finished", sort="-number", limit=1)
    assert (page["total"], numbers(page)) == (2, [4])
    assert numbers(server.get(path, numbers="2-3,6")) == [2, 3, 6]
    assert numbers(server.get(path, numbers="2-3,6", sort="-param.lr")) == [6, 3, 2]
    assert server.client.get(path, params={"numbers": "x"}).status_code == 422


def test_slim_rows_leave_out_what_they_do_not_have(server: ServerProcess, job: str) -> None:
    full, slim = (server.get(f"/jobs/{job}/tasks", numbers="1", slim=slim)["items"][0] for slim in (False, True))
    assert full["cause"] is None
    assert "cause" not in slim
    assert len(slim) < len(full)
    assert TaskPage(total=1, offset=0, items=[full]) == TaskPage(total=1, offset=0, items=[slim])


def test_columns(server: ServerProcess, job: str) -> None:
    path = f"/jobs/{job}/tasks/columns"
    found = server.get(path, column=["number", "state", "attempt", "params"], q="lr<3", sort="-number")
    assert (found["job"], found["total"]) == (job, 4)
    assert found["columns"] == {
        "number": [4, 3, 2, 1],
        "state": ["finished"],
        "attempt": [1],
        "param.lr": [2, 2, 1, 1],
        "param.name": ["a", "b", "a", "b"],
    }
    assert server.get(path)["columns"] == {"number": [1, 2, 3, 4, 5, 6]}
    assert server.client.get(path, params={"column": "size"}).status_code == 422


def test_values_of_metrics_are_columns(server: ServerProcess, job: str) -> None:
    path, last = f"/jobs/{job}/tasks", "last.val_loss"
    columns = server.get(f"{path}/columns", column=["number", last, "max.val_loss"], sort=f"-{last}", q="lr<3")
    assert columns["columns"]["number"] == [3, 4, 1, 2]
    assert columns["columns"][last] == pytest.approx([2 / 3 + 1 / 40] * 2 + [1 / 3 + 1 / 40] * 2)
    assert columns["columns"]["max.val_loss"] == pytest.approx([2 / 3 + 1] * 2 + [1 / 3 + 1] * 2)
    assert server.get(f"{path}/columns", column=[last], numbers="4-6")["columns"][last][1:] == [None, None]
    page = server.get(path, sort=f"-{last}", value=["best.val_loss", last], limit=3)
    assert numbers(page) == [3, 4, 1]
    best = page["items"][0]["best_value"]
    assert page["items"][0]["measured"] == pytest.approx({"best.val_loss": best, last: best})
    assert numbers(server.get(path, q=f"{last}>0.5 name=a")) == [4]
    assert "measured" in server.get(path, limit=1)["items"][0]


def test_values_of_metrics_follow_new_points(server: ServerProcess) -> None:
    script = """
import os, time
print("epoch: 0 score: 1 val_loss: 5", flush=True)
while not os.path.exists("go"): time.sleep(0.05)
print("epoch: 1 score: 0.5 val_loss: 6", flush=True)
time.sleep(600)
"""
    job = server.submit(script)
    path = f"/jobs/{job}/tasks/columns"
    columns = ["last.score", "best.score", "best.val_loss", "last.nothing"]

    def seen() -> list[float | None]:
        found = server.get(path, column=columns)["columns"]
        return [found[name][0] for name in columns]

    wait_for(lambda: seen() == [1, 1, 5, None])
    (server.home.job(job).task(f"{job}-1") / "work" / "go").touch()
    wait_for(lambda: seen() == [0.5, 1, 5, None])
    server.post(f"/jobs/{job}/stop")
    server.wait(job)


def test_curves_as_a_graph_needs_them(server: ServerProcess, job: str) -> None:
    path = f"/jobs/{job}/metrics"
    full, slim = (server.get(path, points=10, numbers="2-3,6", slim=slim) for slim in (False, True))
    assert [curve["task"] for curve in full] == [curve["task"] for curve in slim] == [f"{job}-2", f"{job}-3"]
    assert full[0]["times"] and slim[0]["times"] == []
    timed = server.get(path, points=10, numbers="2-3,6", slim=True, times=True)
    assert timed[0]["times"] == pytest.approx(full[0]["times"], abs=0.01)
    assert slim[0]["steps"] == full[0]["steps"]
    assert len(slim[0]["steps"]) <= 10 < slim[0]["total"]
    assert slim[0]["values"] == pytest.approx(full[0]["values"], rel=1e-5)
    assert max(len(str(value)) for value in slim[0]["values"]) <= 8
    assert [curve["task"] for curve in server.get(path, q="lr>1", state="finished")] == [f"{job}-3", f"{job}-4"]
    best = server.get(path, limit=2, sample=True)
    assert f"{job}-1" in [curve["task"] for curve in best]


def test_epochs_by_step_where_a_script_counts_both(server: ServerProcess) -> None:
    job = server.submit("for i in range(4): print(f'step: {i * 100} epoch: {i // 2} val_loss: 1')")
    server.wait(job)
    [curve] = server.get(f"/jobs/{job}/metrics", metric="sys/epoch")
    assert (curve["steps"], curve["values"]) == ([100, 200, 300], [0, 1, 1])  # the first step is the first epoch


def test_stopping_many_by_id(server: ServerProcess) -> None:
    job = server.submit("import time; time.sleep(600)", params={"n": list(range(30))})
    ids = [f"{job}-{n}" for n in range(1, 31)]
    assert server.post(f"/jobs/{job}/stop", {"tasks": ids})["tasks"] == ids
    assert server.client.post(f"/jobs/{job}/stop", json={"tasks": [*ids, f"{job}-31"]}).status_code == 404
    server.wait(job)


def test_large_answers_are_compressed_and_streams_are_not(server: ServerProcess, job: str) -> None:
    accepted = {"Accept-Encoding": "gzip"}
    for path in (f"/jobs/{job}/tasks", f"/jobs/{job}/metrics", f"/jobs/{job}/search"):
        plain = server.client.get(path, headers={"Accept-Encoding": "identity"})
        small = server.client.get(path, headers=accepted)
        assert "content-encoding" not in plain.headers
        assert small.headers.get("content-encoding") == ("gzip" if len(plain.content) > SMALL else None)
        assert small.headers["vary"] == "Accept-Encoding"
        assert small.json() == plain.json()
    with server.client.stream("GET", "/events", headers=accepted) as stream:
        assert "content-encoding" not in stream.headers
        assert next(stream.iter_lines()).startswith("event: hello")


def test_a_reply_is_compressed_only_for_those_who_accept_it() -> None:
    data = b'["' + b"x" * SMALL + b'"]'
    assert bytes(Replier(gzipped=False)(data).body) == data
    packed = Replier(gzipped=True)(data)
    assert len(packed.body) < 200
    assert gzip.decompress(bytes(packed.body)) == data
    assert json.loads(bytes(Replier(gzipped=True)([float("nan")]).body)) == [None]


def test_the_report_of_a_search_follows_every_change(server: ServerProcess, job: str) -> None:
    path = f"/jobs/{job}/search"
    before = server.get(path)
    assert [trial["state"] for trial in before["history"]] == ["finished"] * 4 + ["error"] * 2
    assert server.get(path) == before
    server.post(f"/jobs/{job}/restart", {"tasks": ["6"]})
    assert server.get(path)["history"][5]["state"] != "error" or server.task(job, 6)["attempt"] == 2
    assert numbers(server.get(f"/jobs/{job}/tasks", q="state=error")) in ([5], [5, 6])
    wait_for(lambda: server.get(path)["history"][5]["state"] == "error", what="the new end in the report")
    server.post(f"/jobs/{job}/extend", {"params": {"lr": [4]}})
    assert len(server.get(path)["history"]) == 8
    assert server.get(f"/jobs/{job}/tasks", q="lr>0")["total"] == 8
    server.wait(job)


class TestKept:
    """What is computed of a job is kept until the next event of the job."""

    @pytest.fixture(autouse=True)
    def _jobs(self, db: Database) -> None:
        add_job(db, "first")
        add_job(db, "second")
        self.computed = 0

    def ask(self, db: Database, kept: Kept[bytes], job: str = "first", seconds: float = 1e9, size: int = 1) -> int:
        """Ask for a value; return how often one was computed."""

        def compute() -> tuple[bytes, float]:
            self.computed += 1
            return b"x" * size, seconds

        with db.read() as c:
            kept.get(c, job, compute)
        return self.computed

    def change(self, db: Database, job: str) -> None:
        with db.write() as c:
            jobs.patch(c, job, JobPatch(name=f"changed {self.computed}"))

    def test_until_something_changes_in_this_job(self, db: Database) -> None:
        kept: Kept[bytes] = Kept(100)
        assert [self.ask(db, kept), self.ask(db, kept)] == [1, 1]
        self.change(db, "second")
        assert self.ask(db, kept) == 1
        self.change(db, "first")
        assert [self.ask(db, kept), self.ask(db, kept)] == [2, 2]

    def test_not_when_events_were_forgotten_meanwhile(self, db: Database) -> None:
        kept: Kept[bytes] = Kept(100)
        self.ask(db, kept)
        self.change(db, "first")
        self.change(db, "second")
        with db.write() as c:
            events.forget(c, older_than=1e12)
        assert [self.ask(db, kept), self.ask(db, kept)] == [2, 2]

    def test_no_longer_than_it_holds(self, db: Database) -> None:
        kept: Kept[bytes] = Kept(100)
        assert [self.ask(db, kept, seconds=-1), self.ask(db, kept)] == [1, 2]

    def test_not_more_than_there_is_room_for(self, db: Database) -> None:
        kept: Kept[bytes] = Kept(100)
        assert [self.ask(db, kept, "first", size=60), self.ask(db, kept, "second", size=60)] == [1, 2]
        assert self.ask(db, kept, "second") == 2
        assert self.ask(db, kept, "first", size=300) == 3
        assert self.ask(db, kept, "first") == 3
