"""Test a sweep on Slurm: arrays, limits, reasons to wait, orders, few calls of Slurm's commands, no secrets."""

import contextlib
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from paddock.backends.slurm.backend import SlurmBackend
from paddock.common import layout
from paddock.errors import BackendBusy
from paddock.models import FOLDER, AllocationBatch, AllocationState, Resources
from paddock.settings import SlurmSettings
from tests.slurm.cluster import Cluster
from tests.support.server import ServerProcess, wait_for

PATIENCE = 120.0
SECRETS = {"MY_API_TOKEN": "sesame-one", "DB_PASSWORD": "sesame-two", "AWS_SECRET_ACCESS_KEY": "sesame-three"}
PROGRAMS = ("sbatch", "squeue", "scontrol", "scancel", "sacct")
TAKES_A_NUMBER = """
import argparse, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--number", type=float, default=0)
number = parser.parse_args().number
"""
QUICK = TAKES_A_NUMBER + "print('val_loss:', number)\n"
WAITS = TAKES_A_NUMBER + "while not os.path.exists({go!r}): time.sleep(0.05)\n"
SLEEPS = TAKES_A_NUMBER + "print('ready', flush=True)\ntime.sleep(number)\n"
SHOWS = f"""{TAKES_A_NUMBER}
print(*map("=".join, os.environ.items()), "that is all", sep="\\n", flush=True)
time.sleep(60)
"""


class Calls:
    """Counts the commands of Slurm that a server calls: they stand before the real ones in its PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log = folder / "log"
        folder.mkdir(parents=True)
        self._log.touch()
        for name in PROGRAMS:
            program = folder / name
            program.write_text(f'#!/bin/sh\necho "{name} $*" >> {self._log}\nexec {shutil.which(name)} "$@"\n')
            program.chmod(0o755)

    @property
    def count(self) -> Counter[str]:
        return Counter(line.split()[0] for line in self._log.read_text().splitlines())


@contextmanager
def served(
    folder: Path, cluster: Cluster, *, slurm: dict[str, Any] | None = None, calls: Calls | None = None, **settings: Any
) -> Iterator[ServerProcess]:
    """A server whose default backend is the cluster."""
    given = {"conf": str(cluster.conf), "poll_seconds": 0.5, "rest_seconds": 2, "warn_seconds": 10, **(slurm or {})}
    path = f"{calls.folder}:{os.environ['PATH']}" if calls else os.environ["PATH"]
    environment = {"PATH": path, **settings.pop("environment", {})}
    server = ServerProcess(
        folder,
        environment=environment,
        backend="lab",
        backends=json.dumps({"lab": given}),
        runner__grace_seconds=1,
        **settings,
    )
    with ended_with(server):
        yield server.start()


@contextmanager
def ended_with(server: ServerProcess) -> Iterator[None]:
    """Whatever happens, nothing of it is left."""
    try:
        yield
        end_jobs(server)
    finally:
        if server.process is not None:
            server.stop()


def end_jobs(server: ServerProcess) -> None:
    jobs = [job["id"] for job in server.get("/jobs", limit=500)["items"] if not job["ended"]]
    for job in jobs:
        server.post(f"/jobs/{job}/stop")
    for job in jobs:
        server.wait(job, PATIENCE)


@pytest.fixture(scope="module")
def reachable(cluster: Cluster) -> Iterator[Path]:
    """A folder that other users can come to."""
    with tempfile.TemporaryDirectory(prefix="homes-", dir=cluster.folder, ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="module")
def shared(cluster: Cluster, reachable: Path) -> Iterator[ServerProcess]:
    environment = SECRETS | {"HARMLESS": "kept"}
    with served(reachable / "shared", cluster, token="sesame-four", environment=environment) as server:
        yield server


@pytest.fixture
def server(shared: ServerProcess) -> Iterator[ServerProcess]:
    yield shared
    end_jobs(shared)


def finished(server: ServerProcess, job: str, count: int) -> list[dict[str, Any]]:
    tasks = server.wait(job, PATIENCE)
    assert Counter(task["state"] for task in tasks) == {"finished": count}, tasks
    return [server.get(f"/tasks/{task['id']}") for task in tasks]


def waits(server: ServerProcess, job: str) -> str:
    found = server.get(f"/jobs/{job}")["waits"]
    return found["reason"] if found else ""


def shown(cluster: Cluster, one: str) -> dict[str, str]:
    """`scontrol show job` of one allocation, by field."""
    text = cluster.run("scontrol", "-o", "show", "job", one)
    return dict(re.findall(r"(\S+?)=(\S*)", text))


def submitted_script(cluster: Cluster, one: str) -> str:
    return cluster.run("scontrol", "write", "batch_script", one.partition("_")[0], "-") + "\n"


def backend_id(server: ServerProcess, job: str, number: int = 1) -> str:
    def known() -> Any:
        allocation = server.task(job, number)["allocation"]
        return allocation and allocation["backend_id"]

    found: str = wait_for(known, PATIENCE, f"an allocation of {job}-{number}")
    return found


# --- why it waits -----------------------------------------------------------------------------------------------------


def test_why_it_waits_and_how_long(cluster: Cluster, server: ServerProcess) -> None:
    full = cluster.submit("sleep 300", "-p", "one", "--exclusive", "--time=10", user="bob")
    cluster.wait_job(full, "RUNNING")
    ahead = [
        cluster.submit("sleep 300", "-p", "one", "--exclusive", "--time=10", "--qos=high", user="bob") for _ in range(2)
    ]
    cluster.wait_job(ahead[0], "PENDING")
    job = server.submit(SLEEPS, params={"number": 0}, resources={"partition": "one", "gpus": 1, "time_limit": "5m"})
    wait_for(lambda: "2 jobs ahead" in waits(server, job), PATIENCE, "why it waits")
    wait_for(lambda: server.get(f"/jobs/{job}")["waits"]["starts_at"], PATIENCE, "the expected start")
    found = server.get(f"/jobs/{job}")["waits"]
    assert found["reason"] == "waits for a free GPU in partition one: 2 jobs ahead"
    assert not found["never"]
    allocation = server.task(job)["allocation"]
    assert (allocation["state"], allocation["reason"]) == ("pending", found["reason"])
    cluster.run("scancel", full, *ahead)
    finished(server, job, 1)
    assert server.get(f"/jobs/{job}")["waits"] is None


# --- what it costs ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counted(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServerProcess, Calls]]:
    """A server with the default pace, and the calls that it makes."""
    folder = tmp_path_factory.mktemp("counted")
    calls = Calls(folder / "bin")
    with served(folder / "home", cluster, slurm={"poll_seconds": 2, "rest_seconds": 15}, calls=calls) as server:
        yield server, calls


def test_sixty_tasks_on_six_gpus_cost_a_handful_of_calls(
    cluster: Cluster, counted: tuple[ServerProcess, Calls]
) -> None:
    server, calls = counted
    before, began = calls.count, time.monotonic()
    job = server.submit(QUICK, params={"number": list(range(60))})
    tasks = finished(server, job, 60)
    seconds, made = time.monotonic() - began, calls.count - before
    assert made["sbatch"] == 1
    assert made["squeue"] <= 4 + seconds / 2
    assert made["scontrol"] <= 2 + seconds / 30  # the configuration, and the nodes now and then
    assert not made["sacct"]
    used = {task["attempts"][0]["allocation"] for task in tasks}
    assert 2 <= len(used) <= 6
    assert {task["device"] for task in tasks} <= {"gpu 0", "gpu 1"}
    assert {task["node"] for task in tasks} <= set(cluster.nodes)


def test_when_nothing_changes_it_is_asked_less_and_less(cluster: Cluster, tmp_path: Path) -> None:
    calls = Calls(tmp_path / "bin")
    pace = {"poll_seconds": 0.25, "rest_seconds": 2}
    with served(tmp_path / "home", cluster, slurm=pace, calls=calls) as server:
        job = server.submit(SLEEPS, params={"number": 300})
        server.wait_state(job, "running", seconds=PATIENCE)
        time.sleep(2)
        before = calls.count
        time.sleep(3.5)  # at the pace of the beginning it would ask fourteen times
        made = calls.count - before
        assert 1 <= made["squeue"] <= 4
        assert made.total() <= 6


def test_many_short_tasks_run_in_one_allocation(server: ServerProcess) -> None:
    job = server.submit(QUICK, params={"number": list(range(25))}, parallel=1, resources={"gpus": 0})
    tasks = finished(server, job, 25)
    assert {task["attempts"][0]["allocation"] for task in tasks} == {f"{job}-a1.0"}
    assert tasks[0]["allocation"]["backend_id"].endswith("_0")
    began = [datetime.fromisoformat(task["started_at"]) for task in tasks]
    assert began == sorted(began)


# --- limits of the cluster --------------------------------------------------------------------------------------------


def test_more_tasks_than_an_array_may_have(cluster: Cluster, tmp_path: Path) -> None:
    calls = Calls(tmp_path / "bin")
    with tempfile.TemporaryDirectory(prefix="slurm-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        small = Cluster(
            Path(folder), prefix=f"s{cluster.nodes[0]}x", port=cluster.port + 20, nodes=2, accounting=False,
            max_array_size=5,
        )  # fmt: skip
        with small, served(tmp_path / "home", small, calls=calls) as server:
            script = WAITS.format(go=str(tmp_path / "go"))
            job = server.submit(script, params={"number": list(range(10))}, resources={"gpus": 0})

            def arrays() -> set[str]:
                return {one.partition("_")[0] for one in small.run("squeue", "-h", "-r", "-o", "%i").split()}

            wait_for(lambda: len(arrays()) == 3, PATIENCE, "three arrays")
            (tmp_path / "go").touch()
            tasks = finished(server, job, 10)
            assert {task["allocation"]["backend_id"].partition("_")[2] for task in tasks} <= set("0123")
            for task in tasks:
                assert task["allocation"]["script"] == submitted_script(small, task["allocation"]["backend_id"])


def test_within_a_limit_on_submissions_it_goes_on_by_itself(cluster: Cluster, tmp_path: Path) -> None:
    with served(tmp_path / "home", cluster) as server:  # of its own: it submits nothing for a while after a refusal
        others = [cluster.submit("sleep 300", "--qos=few", "--hold") for _ in range(5)]
        params = {"number": [1 + n / 100 for n in range(9)]}
        job = server.submit(SLEEPS, params=params, resources={"qos": "few", "gpus": 0})
        wait_for(lambda: "accepts no more of your submissions" in waits(server, job), PATIENCE, "a reason to wait")
        assert "QOSMaxSubmitJobPerUserLimit" in waits(server, job)
        assert server.get("/health")["ok"]
        cluster.run("scancel", *others[:3])  # from now on there is room for three

        def ended() -> bool:
            queued = cluster.run("squeue", "-h", "-r", "-q", "few", "-o", "%i").split()
            assert len(queued) <= 5
            return bool(server.get(f"/jobs/{job}")["ended"])

        wait_for(ended, PATIENCE, "the sweep to end")
        tasks = finished(server, job, 9)
        assert len({task["attempts"][0]["allocation"] for task in tasks}) <= 6
        assert all(len(task["attempts"]) == 1 for task in tasks)


def test_a_limit_that_others_have_used_up_is_waited_for(cluster: Cluster, tmp_path: Path) -> None:
    """Nothing of ours is in the queue, and yet it would be wrong to give up."""
    backend = SlurmBackend("lab", SlurmSettings(conf=str(cluster.conf)))
    batch = AllocationBatch(
        key="waits",
        name="paddock-waits",
        folder=str(tmp_path / "waits"),
        runner=["true", FOLDER],
        resources=Resources(gpus=0, cpus=1),
    )
    Path(batch.folder_of(0)).mkdir()
    cluster.run("sacctmgr", "-i", "-Q", "modify", "account", "lab", "set", "GrpSubmitJobs=2")
    try:
        others = [cluster.submit("sleep 300", "--hold", user="bob") for _ in range(2)]
        with pytest.raises(BackendBusy, match="AssocGrpSubmitJobsLimit"):
            backend.submit(batch)
        cluster.run("scancel", *others)
        [one] = wait_for(lambda: _taken(backend, batch), PATIENCE, "room for one")
        wait_for(lambda: backend.poll([one])[one].state is AllocationState.ENDED, PATIENCE, "its end")
    finally:
        cluster.run("sacctmgr", "-i", "-Q", "modify", "account", "lab", "set", "GrpSubmitJobs=-1")


def _taken(backend: SlurmBackend, batch: AllocationBatch) -> Sequence[str]:
    try:
        return backend.submit(batch)
    except BackendBusy:
        return []


# --- before it starts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("resources", "field", "message"),
    [
        ({"partition": "volta"}, "slurm.partition", "there is no partition 'volta'; there are: cpu, gpu, one, tiny"),
        ({"gpus": 3}, "gpus", "a task asks for 3 GPUs, and no node has more than 2"),
        ({"gpus": 1, "gpu_type": "big", "partition": "one"}, "gpus", "GPU of type big, and no node in partition"),
        ({"gpu_type": "a100"}, "gpu_type", "there are no GPUs of type 'a100'; there are: big, fake"),
        ({"cpus": 9}, "cpus", "a task asks for 9 cores, and no node has more than 8"),
        ({"memory": "1T"}, "memory", "no node has more than"),
        ({"nodes": 4, "launcher": "srun"}, "nodes", "a task asks for 4 nodes"),
    ],
)
def test_what_can_never_start_is_refused_at_once(
    server: ServerProcess, resources: dict[str, Any], field: str, message: str
) -> None:
    spec = {"script": "train.py", "params": {"number": 1}, "resources": resources}
    answer = server.client.post("/jobs", json={"spec": spec, "files": {"train.py": QUICK}})
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert message in error["fields"][f"resources.{field}"]
    assert "can never run" in error["message"]


def test_what_slurm_alone_can_refuse_ends_the_job_with_its_words(server: ServerProcess) -> None:
    job = server.submit(QUICK, params={"number": 1}, resources={"account": "nobody"})
    [task] = server.wait(job, PATIENCE)
    assert (task["state"], task["cause"]) == ("error", "launch_failed")
    assert "Invalid account" in task["reason"]


def test_what_would_be_submitted_and_what_slurm_says_of_it(cluster: Cluster, server: ServerProcess) -> None:
    resources = {"gpus": 1, "gpu_type": "fake", "cpus": 2, "memory": "300M", "time_limit": "1h30m", "nice": 7}
    resources |= {"options": ["--mail-user=me at home"], "constraint": "fake"}
    spec = {"script": "train.py", "params": {"number": [20, 21]}, "resources": resources}
    body = {"spec": spec, "files": {"train.py": SLEEPS}}
    plain = server.post("/jobs/preview", body)
    assert plain["check"] is None
    seen = server.client.post("/jobs/preview", params={"check": True}, json=body).json()
    assert seen["check"]["accepted"], seen
    assert seen["check"]["starts_at"]
    assert seen["allocations"] == 2

    job = server.post("/jobs", body, 201)["id"]
    one = backend_id(server, job)
    text = submitted_script(cluster, one)
    assert seen["batch_script"].replace("JOB", job).replace(f"SLURM_ARRAY_{job}_ID", "SLURM_ARRAY_JOB_ID") == text
    assert server.task(job)["allocation"]["script"] == text
    told = shown(cluster, one)
    assert (told["TimeLimit"], told["Nice"], told["Features"]) == ("01:30:00", "7", "fake")
    assert (told["Partition"], told["MinMemoryNode"], told["Requeue"]) == ("gpu", "300M", "0")
    assert told["TresPerNode"] == "gres:gpu:fake:1"
    server.post(f"/jobs/{job}/stop")
    server.wait(job, PATIENCE)

    wrong = {**body, "spec": {**spec, "resources": resources | {"account": "nobody"}}}
    said = server.client.post("/jobs/preview", params={"check": True}, json=wrong).json()["check"]
    assert (said["accepted"], said["starts_at"]) == (False, None)
    assert "Invalid account" in said["message"]


# --- orders -----------------------------------------------------------------------------------------------------------


def test_hold_and_release_reach_the_queue(cluster: Cluster, server: ServerProcess) -> None:
    full = cluster.submit("sleep 300", "-p", "one", "--exclusive", user="bob")
    cluster.wait_job(full, "RUNNING")
    job = server.submit(SLEEPS, params={"number": [1, 2]}, resources={"partition": "one"})
    one = backend_id(server, job)
    wait_for(lambda: server.get(f"/jobs/{job}")["waits"], PATIENCE, "a reason to wait")
    server.post(f"/jobs/{job}/hold")
    wait_for(lambda: shown(cluster, one)["Reason"] == "JobHeldUser", PATIENCE, "a hold in the queue")
    cluster.run("scancel", full)
    cluster.wait_job(full, "CANCELLED")
    wait_for(lambda: "held" in waits(server, job), PATIENCE, "the hold in words")
    time.sleep(3)
    assert {task["state"] for task in server.tasks(job)} == {"submitted"}
    assert shown(cluster, one)["JobState"] == "PENDING"
    server.post(f"/jobs/{job}/release")
    finished(server, job, 2)


def test_other_limits_for_what_waits_and_what_runs(cluster: Cluster, server: ServerProcess) -> None:
    other = cluster.submit("sleep 300", "-p", "one", "--gres=gpu:1", "--time=30", user="bob")
    cluster.wait_job(other, "RUNNING")
    # As many GPUs as are left: what is asked for without a word depends on whether the nodes are known yet.
    asked = {"partition": "one", "time_limit": "2h", "gpus": 1}
    job = server.submit(SLEEPS, params={"number": [300, 301]}, resources=asked)
    server.wait_state(job, "running", seconds=PATIENCE)

    def both() -> list[str] | None:
        """Until the server has seen which of the two runs, that one is shown for the task that waits too."""
        found = [backend_id(server, job, number) for number in (1, 2)]
        return found if len(set(found)) == 2 else None

    ids = wait_for(both, PATIENCE, "an allocation for each")
    assert [shown(cluster, one)["JobState"] for one in ids] == ["RUNNING", "PENDING"]
    changed = server.post(f"/jobs/{job}/limits", {"time_limit": "45m", "nice": 100})
    assert changed["spec"]["resources"]["time_limit"] == 45 * 60
    wait_for(lambda: {shown(cluster, one)["TimeLimit"] for one in ids} == {"00:45:00"}, PATIENCE, "the time limit")
    wait_for(lambda: shown(cluster, ids[1])["Nice"] == "100", PATIENCE, "the nice value")
    time.sleep(2)
    assert shown(cluster, ids[1])["Nice"] == "100"  # and it stays
    assert "refused" not in str(server.get(f"/jobs/{job}")["warnings"])


# --- for nobody else's eyes -------------------------------------------------------------------------------------------


def can_read(cluster: Cluster, user: str, path: Path) -> bool:
    try:
        cluster.run("cat" if path.is_file() else "ls", str(path), user=user)
    except subprocess.CalledProcessError as error:
        assert "Permission denied" in error.stderr
        return False
    return True


def test_the_folder_of_a_job_is_its_owners(cluster: Cluster, server: ServerProcess) -> None:
    job = server.submit(QUICK, params={"number": 1})
    finished(server, job, 1)
    folder = server.home.job(job)
    assert stat.S_IMODE(folder.root.stat().st_mode) == 0o700
    for path in (folder.root, folder.log(f"{job}-1", 1), folder.code, server.home.token, server.home.database):
        assert not can_read(cluster, "bob", path)


def test_a_group_may_read_jobs_and_nothing_else(cluster: Cluster, reachable: Path) -> None:
    with served(reachable / "group", cluster, group="bob") as server:
        job = server.submit(QUICK, params={"number": 1})
        [task] = finished(server, job, 1)
        folder = server.home.job(job)
        allocation = folder.allocation(task["allocation"]["key"])
        paths = [folder.root, folder.code / "train.py", folder.log(f"{job}-1", 1), allocation / "journal.1.jsonl"]
        paths += [Path(layout.manifest(str(allocation))), folder.task(f"{job}-1"), folder.spec]
        assert [can_read(cluster, "bob", path) for path in paths] == [True] * len(paths)
        assert [can_read(cluster, "alice", path) for path in paths] == [False] * len(paths)
        for path in (server.home.token, server.home.database, folder.tasks):  # the last has values of variables
            assert not can_read(cluster, "bob", path)


def test_no_secret_reaches_the_scheduler(cluster: Cluster, server: ServerProcess) -> None:
    job = server.submit(SHOWS, environment={"variables": {"WANDB_API_KEY": "sesame-own"}})
    server.wait_state(job, "running", seconds=PATIENCE)
    log = wait_for(lambda: log if "that is all" in (log := server.log_of(job)) else "", PATIENCE, "its environment")
    assert "HARMLESS=kept" in log
    assert re.findall("sesame-\\w+", log) == ["sesame-own"]  # what the job itself was given
    one = backend_id(server, job)
    told = submitted_script(cluster, one) + cluster.run("scontrol", "-d", "show", "job", one)
    told += server.task(job)["allocation"]["script"]
    assert "sesame" not in told
    assert server.token not in told + log
    processes = environs(f"SLURM_ARRAY_JOB_ID={one.partition('_')[0]}", f"SLURM_CONF={cluster.conf}")
    assert len(processes) >= 2  # the runner and the script
    for environ in processes:
        assert set(re.findall("sesame-\\w+", environ)) <= {"sesame-own"}
        assert server.token not in environ
    folders = [cluster.folder / "state", cluster.folder / "spool"]  # where Slurm keeps scripts and environments
    for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        assert b"sesame" not in content
        assert server.token.encode() not in content


def environs(*marks: str) -> list[str]:
    """The environments of processes that have these variables."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            text = path.read_text(errors="replace")
            if set(marks) <= set(text.split("\0")):
                found.append(text)
    return found
