"""Test jobs that run as who submitted them: a real server, real Unix accounts, a real sudo."""

import io
import os
import signal
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import wait_for
from tests.support.team import ALICE, BOB
from tests.team.member_server import MemberServer, agents_of, member_server, owners
from tests.team.unix_users import ROOT

pytestmark = ROOT

WHO = """
import getpass, os
print("who", os.getuid(), getpass.getuser(), os.path.expanduser("~"), flush=True)
print("secret", os.environ.get("PADDOCK_TEAM__RUN_AS"), flush=True)
print("val_loss:", 0.5 + float(os.environ["n"]), flush=True)
open("made.txt", "w").write("x")
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[MemberServer]:
    with member_server() as made:
        yield made


def test_a_sweep_each_is_each_persons_own(lab: MemberServer) -> None:
    jobs = {name: lab.submit(name, WHO, {"n": [0, 1]}) for name in (ALICE, BOB)}
    for name, job in jobs.items():
        assert [task["state"] for task in lab.wait(name, job)] == ["finished", "finished"]
        log = lab.log(name, f"{job}-1")
        assert f"who {lab.uid(name)} {lab.unix(name)} {lab.users.home(lab.unix(name))}" in log
        assert "secret None" in log
        assert owners(lab.folder(name, job)) == {(lab.uid(name), 0)}
        assert lab.get(name, f"/jobs/{job}")["folder"] == str(lab.folder(name, job))
        assert lab.get(name, f"/tasks/{job}-1")["best_value"] == 0.5
    mirror = lab.server.home.job(jobs[ALICE]).root
    assert {uid for uid, _ in owners(mirror)} == {os.stat(lab.server.home.root).st_uid}


WAITS = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
folder = os.environ["PADDOCK_CHECKPOINT_DIR"]
path = os.path.join(folder, "begun")
times = len(open(path).read()) if os.path.exists(path) else 0
open(path, "a").write("x")
print("time", times + 1, flush=True)
print("epoch: 1 val_loss: 0.5", flush=True)
while not os.path.exists(os.path.expanduser("~/go")):
    time.sleep(0.1)
print("epoch: 2 val_loss: 0.25", flush=True)
"""


@pytest.fixture
def go(lab: MemberServer) -> Iterator[Path]:
    """A file in alice's home for which her tasks wait."""
    path = lab.users.home(lab.unix(ALICE)) / "go"
    yield path
    path.unlink(missing_ok=True)


def test_others_read_nothing_of_it(lab: MemberServer) -> None:
    job = lab.submit(ALICE, WHO, {"n": [0]})
    lab.wait(ALICE, job)
    log = lab.folder(ALICE, job) / "results" / job / f"{job}-1" / "attempts" / "1" / "out.log"
    assert log.read_text()
    for other in (lab.unix(BOB), lab.users.service):
        done = subprocess.run(
            ["cat", str(log)], capture_output=True, text=True, check=False, **lab.users.as_user(other)
        )
        assert "Permission denied" in done.stderr, done


def test_it_is_stopped_restarted_resumed_and_removed(lab: MemberServer, go: Path) -> None:
    job = lab.submit(ALICE, WAITS, {"n": [1, 2]}, parallel=1)
    wait_for(lambda: "time 1" in lab.log(ALICE, f"{job}-1"))
    lab.post(ALICE, f"/jobs/{job}/stop")
    assert [task["state"] for task in lab.wait(ALICE, job)] == ["stopped", "stopped"]
    lab.post(ALICE, f"/jobs/{job}/restart", {"tasks": [f"{job}-1"], "resume": True})
    wait_for(lambda: "time 2" in lab.log(ALICE, f"{job}-1"), what="the resumed attempt")
    go.touch()
    lab.wait(ALICE, job)
    assert lab.states(ALICE, job) == ["finished", "stopped"]
    lab.post(ALICE, f"/jobs/{job}/restart", {"tasks": [f"{job}-1"]})
    wait_for(lambda: lab.get(ALICE, f"/tasks/{job}-1")["attempt"] == 3)
    lab.wait(ALICE, job)
    assert "time 1" in lab.log(ALICE, f"{job}-1"), "from nothing"
    folder = lab.folder(ALICE, job)
    assert folder.exists()
    assert lab.client(ALICE).delete(f"/jobs/{job}").status_code in (200, 202, 204)
    wait_for(lambda: not folder.exists() and not lab.server.home.job(job).root.exists(), what="the folders to go")


def test_an_agent_that_dies_loses_and_doubles_nothing(lab: MemberServer, go: Path) -> None:
    job = lab.submit(ALICE, WAITS, {"n": [1, 2, 3]})
    wait_for(lambda: "time 1" in lab.log(ALICE, f"{job}-1"))
    for pid in wait_for(lambda: agents_of(lab, ALICE)):
        os.kill(pid, signal.SIGKILL)
    go.touch()
    tasks = lab.wait(ALICE, job)
    assert [(task["state"], task["attempt"], task["best_value"]) for task in tasks] == [("finished", 1, 0.25)] * 3
    for task in tasks:
        points = lab.get(ALICE, f"/tasks/{task['id']}/metrics")
        assert "time 2" not in lab.log(ALICE, task["id"]), points


def test_a_server_that_dies_loses_and_doubles_nothing(lab: MemberServer, go: Path) -> None:
    job = lab.submit(ALICE, WAITS, {"n": [1, 2, 3]}, parallel=2)
    wait_for(lambda: "time 1" in lab.log(ALICE, f"{job}-1"))
    lab.restart()
    go.touch()
    tasks = lab.wait(ALICE, job)
    assert [(task["state"], task["attempt"], task["best_value"]) for task in tasks] == [("finished", 1, 0.25)] * 3


def test_without_a_unix_account_it_is_refused(lab: MemberServer) -> None:
    lab.team.add("carl")
    body = {"spec": {"script": "train.py"}, "files": {"train.py": "print(1)"}}
    answer = lab.client("carl").post("/jobs", json=body)
    assert answer.status_code == 409
    assert "ask an administrator" in answer.text
    assert not list(lab.server.home.incoming.iterdir())


def test_the_environment_is_tried_as_the_person(lab: MemberServer) -> None:
    made = lab.users.home(lab.unix(ALICE)) / "tried"
    job = lab.submit(ALICE, WHO, {"n": [0]}, environment={"setup": [f"id -u >> {made}"]})
    lab.wait(ALICE, job)
    assert set(made.read_text().split()) == {str(lab.uid(ALICE))}
    assert owners(made) == {(lab.uid(ALICE), 0)}


PLANTS = """
import json, os, sys
attempt = os.path.dirname(os.environ["PADDOCK_PARAMS"])
results = os.environ["PADDOCK_RESULTS_DIR"]
print("val_loss: 1", flush=True)
os.symlink(os.environ["target"], os.path.join(results, "stolen.txt"))
os.mkfifo(os.path.join(results, "pipe.csv"))
os.rename(os.path.join(attempt, "out.log"), os.path.join(attempt, "real.log"))
os.symlink(os.environ["target"], os.path.join(attempt, "out.log"))
"""


def test_links_and_pipes_lead_nowhere(lab: MemberServer) -> None:
    """The log and the files of a task are links to the server's token, which nobody but the server may read."""
    job = lab.submit(ALICE, PLANTS, {"target": [str(lab.server.home.token)]})
    lab.wait(ALICE, job)
    token = lab.server.home.token.read_text().strip()
    task = f"{job}-1"
    log = lab.client(ALICE).get(f"/tasks/{task}/log")
    assert log.status_code == 404, log.text
    listed = {one["name"]: one["kind"] for one in lab.get(ALICE, f"/tasks/{task}/files")["items"]}
    assert (listed["stolen.txt"], listed["pipe.csv"]) == ("link", "other")
    for name in ("stolen.txt", "pipe.csv", "../../../tasks.jsonl"):
        for route in ("preview", "download", "image"):
            answer = lab.client(ALICE).get(f"/tasks/{task}/files/{route}", params={"path": name})
            assert answer.status_code in (404, 422), (name, route, answer.text)
            assert token not in answer.text
    archive = lab.client(ALICE).get(f"/tasks/{task}/files/download")
    assert archive.status_code == 200
    with tarfile.open(fileobj=io.BytesIO(archive.content)) as packed:
        names = {one.name: one for one in packed.getmembers()}
        assert all(one.isreg() or one.isdir() for one in names.values())
        assert any(name.endswith("real.log") for name in names)
        assert not any(name.endswith("stolen.txt") for name in names)


def test_files_are_shown_and_downloaded(lab: MemberServer) -> None:
    job = lab.submit(ALICE, WHO, {"n": [0]})
    lab.wait(ALICE, job)
    place = f"/tasks/{job}-1/files"
    assert {one["name"] for one in lab.get(ALICE, place)["items"]} >= {"work", "attempts"}
    assert lab.get(ALICE, f"{place}/preview?path=work/made.txt")["text"] == "x"
    got = lab.client(ALICE).get(f"{place}/download", params={"path": "work/made.txt"})
    assert (got.status_code, got.content) == (200, b"x")
    assert lab.get(ALICE, f"{place}/images")["total"] == 0
    assert [one["path"] for one in lab.get(ALICE, f"/jobs/{job}/code")["items"]] == ["train.py"]


def test_a_forged_journal_speaks_only_for_its_own_job(lab: MemberServer) -> None:
    """What bob's runner would write of alice's task has no effect, and the rest of his journal is read."""
    theirs = lab.submit(ALICE, WHO, {"n": [0]})
    lab.wait(ALICE, theirs)
    forged = f"""
import glob, json, os
folder = os.path.expanduser("~/.paddock-jobs/jobs/" + os.environ["PADDOCK_JOB"])
for journal in glob.glob(folder + "/allocations/*/journal.1.jsonl"):
    with open(journal, "a") as file:
        for task in ("{theirs}-1", os.environ["PADDOCK_TASK"]):
            record = {{"e": "metric", "at": 1, "task": task, "attempt": 1, "step": 5, "v": {{"val_loss": -1e9}}}}
            file.write(json.dumps(record) + "\\n")
print("val_loss: 3", flush=True)
"""
    job = lab.submit(BOB, forged)
    assert lab.wait(BOB, job)[0]["state"] == "finished"
    assert lab.get(ALICE, f"/tasks/{theirs}-1")["best_value"] == 0.5


def test_while_the_agent_cannot_be_started_the_job_says_so(lab: MemberServer, go: Path) -> None:
    """A stop that nobody can pass on waits; it goes on when the agent is back."""
    job = lab.submit(ALICE, WAITS, {"n": [1]})
    wait_for(lambda: lab.states(ALICE, job) == ["running"])
    hidden = lab.users.loader.with_name("hidden")
    lab.users.loader.rename(hidden)
    try:
        for pid in agents_of(lab, ALICE):
            os.kill(pid, signal.SIGKILL)
        lab.post(ALICE, f"/jobs/{job}/stop")
        said = wait_for(
            lambda: [one for one in lab.get(ALICE, f"/jobs/{job}")["warnings"] if "The agent of" in one],
            what="the reason on the job",
        )
        assert "Paddock cannot reach its folder" in said[0]
        task = lab.get(ALICE, f"/tasks/{job}-1")
        assert (task["state"], task["stopping"]) == ("running", True)
    finally:
        hidden.rename(lab.users.loader)
    assert lab.wait(ALICE, job)[0]["state"] == "stopped"
    wait_for(lambda: "The agent of" not in str(lab.get(ALICE, f"/jobs/{job}")["warnings"]), what="the reason to go")
