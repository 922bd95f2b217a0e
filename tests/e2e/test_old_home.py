"""Test that a home made by the version before the package was moved into rooms opens and goes on.

`tests/recorded/old_home` is that home, after a power cut; its `make.py` shows how it was made.
"""

import json
import secrets
import sqlite3
import sys
from pathlib import Path
from typing import Any

from tests.support.server import ServerProcess, running, wait_for

RECORDED = Path(__file__).parent.parent / "recorded" / "old_home"
TOKEN = "the-token-of-a-recorded-home"


def unpack(home: Path) -> dict[str, str]:
    """Make the recorded home in this folder; return the ids of its jobs by name.

    Ids are replaced by others of the same length: the local backend finds its processes by them, and this test may
    run twice on a machine at the same time.
    """
    found = json.loads((RECORDED / "files.json").read_text())
    jobs = {name: secrets.token_hex(4) for name in found["jobs"]}
    given = {found["jobs"][name]: id for name, id in jobs.items()}
    given |= {"@HOME@": str(home), "@CODE@": str(home.parent / "code"), "@PYTHON@": sys.executable}

    def placed(text: str) -> str:
        for name, value in given.items():
            text = text.replace(name, value)
        return text

    home.mkdir(mode=0o700)
    for name in found["folders"]:
        (home / placed(name)).mkdir(parents=True, mode=0o700)
    for name, lines in found["files"].items():
        path = home / placed(name)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(placed("".join(lines)))
        path.chmod(0o600)
    for name, target in found["links"].items():
        (home / placed(name)).symlink_to(target)
    (home / "runners").mkdir()
    (home / "runners" / found["runner"]).write_bytes((RECORDED / "runner.pyz").read_bytes())
    with sqlite3.connect(home / "paddock.db") as database:
        database.executescript(placed((RECORDED / "database.sql").read_text()))
    database.close()
    return jobs


def test_a_home_of_the_version_before_the_rooms_goes_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    jobs = unpack(home)
    with running(home) as server:
        _assert_all_can_be_read(server, jobs)
        (home / "gate").touch()
        _assert_the_interrupted_goes_on(server, jobs["killed"])
        _assert_a_stopped_task_resumes(server, jobs["stopped"])
        _assert_the_search_goes_on(server, jobs["search"])
        _assert_the_population_goes_on(server, jobs["population"])
        _assert_the_held_is_released(server, jobs["held"])
        _assert_more_can_be_asked_for(server, jobs)
        health = server.get("/health")
        assert (health["ok"], health["set_aside"]) == (True, 0), (health, server.output())
        assert [job["warnings"] for job in server.get("/jobs")["items"]] == [[]] * 6
        assert "Traceback" not in server.output()


def _assert_all_can_be_read(server: ServerProcess, jobs: dict[str, str]) -> None:
    assert server.token == TOKEN
    listed = {job["name"]: job for job in server.get("/jobs", owner="me")["items"]}
    assert {name: job["id"] for name, job in listed.items()} == jobs
    assert (listed["finished"]["tags"], listed["finished"]["ended"]) == (["old"], True)
    assert (listed["held"]["held"], listed["search"]["searching"]) == (True, True)
    assert server.get("/nodes")[0]["cpu_slots"] == 8  # from the old settings.toml
    for job in jobs.values():
        assert server.get(f"/jobs/{job}")["spec"]["script"] == "train.py"
        assert server.get(f"/jobs/{job}/search")["objectives"][0]["metric"] == "val_loss"
        assert len(server.client.get(f"/jobs/{job}/export").text.splitlines()) == 1 + len(server.tasks(job))
    done = jobs["finished"]
    assert [(task["state"], task["params"]["lr"]) for task in server.tasks(done)] == [
        ("finished", 0.3),
        ("finished", 0.03),
        ("finished", 0.003),
    ]
    for task in server.tasks(done):
        assert _curve(server, task["id"]) == {n: abs(task["params"]["lr"] - 0.03) + 1 / n for n in range(1, 6)}
        assert task["best_value"] == abs(task["params"]["lr"] - 0.03) + 1 / 5
        assert server.log_of(done, task["number"]).split("\n")[0] == "begins after epoch 0"
    assert server.get(f"/jobs/{done}/tasks", sort="best")["items"][0]["number"] == 2


def _curve(server: ServerProcess, task: str) -> dict[float, float]:
    (curve,) = server.get(f"/tasks/{task}/metrics", metric="val_loss")
    return dict(zip(curve["steps"], curve["values"], strict=True))


def _assert_the_interrupted_goes_on(server: ServerProcess, job: str) -> None:
    """The runner died with the server: its task is resumed, the others and the reduce run."""
    tasks = server.wait(job)
    assert [(task["state"], task["attempt"]) for task in tasks] == [("finished", 2), *[("finished", 1)] * 3]
    assert list(_curve(server, f"{job}-1")) == [1, 2, 3, 4, 5]
    lost, resumed = server.get(f"/tasks/{job}-1/attempts")
    assert (lost["cause"], resumed["resumed"]) == ("lost", True)
    assert server.log_of(job, 1, attempt=1).startswith("begins after epoch 0")
    assert server.log_of(job, 1) == "begins after epoch 3\nhas finished\n"
    assert f"{job}-1\n{job}-2\n{job}-3\n" in server.log_of(job, 4)


def _assert_a_stopped_task_resumes(server: ServerProcess, job: str) -> None:
    assert [task["state"] for task in server.tasks(job)] == ["stopped"] * 2
    server.post(f"/tasks/{job}-1/restart?resume=true")
    server.wait_state(job, "finished")
    assert server.log_of(job) == "begins after epoch 3\nhas finished\n"
    assert list(_curve(server, f"{job}-1")) == [1, 2, 3, 4, 5, 6]
    assert server.task(job, 2)["state"] == "stopped"


def _assert_the_search_goes_on(server: ServerProcess, job: str) -> None:
    tasks = server.wait(job)
    assert [task["state"] for task in tasks] == ["finished"] * 12
    assert [task["attempt"] for task in tasks] == [*[1] * 6, 2, *[1] * 5]
    assert all(_fits(task["params"]) for task in tasks)
    assert len({task["params"]["lr"] for task in tasks}) == 12
    assert not server.get(f"/jobs/{job}")["searching"]


def _fits(params: dict[str, Any]) -> bool:
    return bool(1e-3 <= params["lr"] <= 1) and (params["kind"] == "momentum") == (params.get("momentum") is not None)


def _assert_the_population_goes_on(server: ServerProcess, job: str) -> None:
    tasks = server.wait(job)
    assert [task["state"] for task in tasks] == ["finished"] * 4
    attempts = [attempt for task in tasks for attempt in server.get(f"/tasks/{task['id']}/attempts")]
    assert any(attempt["source"] for attempt in attempts)


def _assert_the_held_is_released(server: ServerProcess, job: str) -> None:
    """Its allocations waited in the queue that the backend had then: they are requested anew, with the new runner."""
    assert [task["state"] for task in server.tasks(job)] == ["submitted"] * 2
    server.post(f"/jobs/{job}/release")
    assert [task["state"] for task in server.wait(job)] == ["finished"] * 2
    journals = list(server.home.job(job).allocations.glob("*/journal.1.jsonl"))
    versions = {json.loads(journal.read_text().splitlines()[0])["version"] for journal in journals}
    assert len(versions) == 1
    assert versions != {json.loads((RECORDED / "files.json").read_text())["runner"].removesuffix(".pyz")}
    assert list(_curve(server, f"{job}-1")) == [1, 2, 3, 4, 5]


def _assert_more_can_be_asked_for(server: ServerProcess, jobs: dict[str, str]) -> None:
    """A search that has ended gets more trials, a grid more values."""
    server.post(f"/jobs/{jobs['search']}/extend", {"trials": 2, "params": {"lr": "0.01..0.1"}})
    tasks = server.wait(jobs["search"])
    assert [(task["state"], 0.01 <= task["params"]["lr"] <= 0.1) for task in tasks[12:]] == [("finished", True)] * 2
    server.post(f"/jobs/{jobs['finished']}/extend", {"params": {"lr": "0.3,0.03,0.003,0.05"}})
    wait_for(lambda: len(server.tasks(jobs["finished"])) == 4, what="a fourth task")
    assert [task["state"] for task in server.wait(jobs["finished"])] == ["finished"] * 4
