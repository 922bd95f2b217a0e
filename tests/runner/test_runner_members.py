"""Test tasks of several processes on several nodes; a stand-in for srun starts all of them here."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from paddock.common.cores import Cores
from paddock.runner import manifest
from paddock.runner.multinode import member, members
from paddock.runner.sharing.seats import Seats
from tests.runner.folder import Folder, ended, is_running, wait_for

SRUN = """#!{python}
import json, os, re, signal, subprocess, sys, time
options = [a for a in sys.argv[1:] if a.startswith("--") and "=" in a or a == "--overcommit"]
options = options[:next((i for i, a in enumerate(sys.argv[1:]) if not a.startswith("--")), len(options))]
argv = sys.argv[1 + len(options):]
values = dict(o.lstrip("-").split("=") for o in options if "=" in o)
count, per_node = int(values["ntasks"]), int(values["ntasks-per-node"])
json.dump(options, open("{room}/srun.json", "w"))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGCHLD])
def start(rank):
    env = dict(os.environ, SLURM_PROCID=str(rank), SLURM_NODEID=str(rank // per_node), SLURM_STEP_ID="0",
               SLURM_LOCALID=str(rank % per_node), SLURM_LAUNCH_NODE_IPADDR="127.0.0.1")
    unblock = lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1, signal.SIGCHLD])
    return subprocess.Popen(argv, env=env, start_new_session=True, preexec_fn=unblock)
processes = [start(rank) for rank in range(count)]
open("{room}/pids", "w").write("\\n".join(str(p.pid) for p in processes))
worst = 0
while any(p.poll() is None for p in processes):
    if signal.sigtimedwait([signal.SIGUSR1], 0.05):
        for p in processes: os.killpg(p.pid, signal.SIGUSR1)
    codes = [p.poll() for p in processes]
    worst = max([worst] + [c if c >= 0 else 128 - c for c in codes if c is not None])
    if worst:
        for p in processes: p.poll() is None and os.killpg(p.pid, signal.SIGTERM)
codes = [p.returncode for p in processes]
sys.exit(max([worst] + [c if c >= 0 else 128 - c for c in codes]))
"""
SCANCEL = """#!/bin/sh
echo "$@" >> '{room}/orders'
for pid in $(cat '{room}/pids'); do kill -"${{1#--signal=}}" "-$pid"; done
"""
TELL = """
import json, os, sys
keys = "RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE NODE_RANK MASTER_ADDR MASTER_PORT TF_CONFIG PADDOCK_TASK".split()
told = {key: os.environ[key] for key in keys if key in os.environ}
open("told." + os.environ.get("SLURM_PROCID", "0"), "w").write(json.dumps([told, sys.argv[1:], os.getcwd()]))
"""
# A module of this name in the working folder takes the place of the real one.
ELASTIC = (
    "import json, sys, os\nopen('ran.' + os.environ.get('SLURM_PROCID', '0'), 'w').write(json.dumps(sys.argv[1:]))"
)
MEMBER = """
import os, signal, sys, time
rank = os.environ["RANK"]
def leave(*_): print("saving " + rank); time.sleep(0.3); print("saved " + rank); sys.exit(0)
signal.signal(signal.SIGTERM, {term})
if rank == "0": signal.signal(signal.SIGUSR1, lambda *_: print("warned " + rank))
print("ready " + rank)
while True: time.sleep(1)
"""


class Cluster:
    def __init__(self, room: Path) -> None:
        self.room = room
        self.env = {"PATH": f"{room}:{os.environ['PATH']}", "SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "5"}
        for name, text in (("srun", SRUN), ("scancel", SCANCEL)):
            path = room / name
            path.write_text(text.format(python=sys.executable, room=room))
            path.chmod(0o755)

    @property
    def options(self) -> list[str]:
        found: list[str] = json.loads((self.room / "srun.json").read_text())
        return found

    @property
    def orders(self) -> list[str]:
        path = self.room / "orders"
        return path.read_text().splitlines() if path.exists() else []

    def left(self) -> list[int]:
        return [pid for pid in map(int, (self.room / "pids").read_text().split()) if is_running(pid)]


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    room = tmp_path / "cluster"
    room.mkdir()
    return Cluster(room)


def team(nodes: int, processes: int, launcher: str) -> dict[str, Any]:
    return {"nodes": nodes, "processes": processes, "launcher": launcher}


def told(folder: Folder, name: str, count: int) -> list[Any]:
    return [json.loads((folder.results("t-1") / f"work/{name}.{rank}").read_text()) for rank in range(count)]


def test_tensorflow(folder: Folder, cluster: Cluster, python: str) -> None:
    folder.python = python
    folder.python_task("t-1", TELL)
    folder.end()
    folder.allocate(members=team(2, 3, "tensorflow"))
    assert ended(folder.run(**cluster.env), "t-1")["exit"] == 0
    assert cluster.options == [
        "--nodes=2",
        "--ntasks=2",
        "--ntasks-per-node=1",
        "--kill-on-bad-exit=1",
        "--cpu-bind=none",
        "--mem=0",
        "--export=ALL",
        "--cpus-per-task=5",
    ]
    members = [json.loads(one[0]["TF_CONFIG"]) for one in told(folder, "told", 2)]
    assert [one["task"] for one in members] == [{"type": "worker", "index": 0}, {"type": "worker", "index": 1}]
    workers = members[0]["cluster"]["worker"]
    assert members[1]["cluster"]["worker"] == workers
    assert len({int(worker.rpartition(":")[2]) for worker in workers}) == 2
    assert all(worker.startswith("127.0.0.1:") for worker in workers)


def test_srun(folder: Folder, cluster: Cluster) -> None:
    folder.add("t-1", sys.executable, folder.code("tell.py", TELL), "--lr", "a b")
    folder.end()
    folder.allocate(members=team(2, 2, "srun"))
    assert ended(folder.run(**cluster.env), "t-1")["exit"] == 0
    assert {"--ntasks=4", "--ntasks-per-node=2", "--cpus-per-task=2"} <= set(cluster.options)
    found = told(folder, "told", 4)
    assert len({one[0].pop("MASTER_PORT") for one in found}) == 1
    for rank, (env, argv, cwd) in enumerate(found):
        assert argv == ["--lr", "a b"]
        assert cwd == str(folder.results("t-1") / "work")
        assert env == {
            "RANK": str(rank),
            "WORLD_SIZE": "4",
            "LOCAL_RANK": str(rank % 2),
            "LOCAL_WORLD_SIZE": "2",
            "NODE_RANK": str(rank // 2),
            "MASTER_ADDR": "127.0.0.1",
            "PADDOCK_TASK": "t-1",
        }


@pytest.mark.parametrize("nodes", [1, 2])
def test_torchrun(folder: Folder, cluster: Cluster, nodes: int) -> None:
    package = folder.root / "code/torch/distributed"
    package.mkdir(parents=True)
    for path in (package.parent / "__init__.py", package / "__init__.py"):
        path.touch()
    (package / "run.py").write_text(ELASTIC)
    folder.add("t-1", sys.executable, "-u", folder.code("train.py", ""), "--lr", "0.1")
    folder.end()
    folder.allocate(members=team(nodes, 4, "torchrun"))
    assert ended(folder.run(**cluster.env, SLURM_PROCID="0" if nodes == 2 else "5"), "t-1")["exit"] == 0
    assert (cluster.room / "srun.json").exists() == (nodes == 2)
    found = told(folder, "ran", 2) if nodes == 2 else [json.loads((folder.results("t-1") / "work/ran.5").read_text())]
    assert len({one.pop(4) for one in found}) == 1
    for rank, one in enumerate(found):
        options = [f"--nnodes={nodes}", "--nproc_per_node=4", f"--node_rank={rank}", "--master_addr=127.0.0.1"]
        assert one == [*options, str(folder.root / "code/train.py"), "--lr", "0.1"]


@pytest.mark.parametrize(
    ("argv", "command"),
    [
        ("/env/bin/python3 a.py -u", "/env/bin/python3 -m torch.distributed.run O a.py -u"),
        ("python -uB -W ignore a.py", "python -uB -W ignore -m torch.distributed.run O a.py"),
        ("python -X dev -m pkg.train -x", "python -X dev -m torch.distributed.run O -m pkg.train -x"),
        ("python -c code", "python -m torch.distributed.run O --no_python python -c code"),
        ("./train.sh -x", "torchrun O --no_python ./train.sh -x"),
    ],
)
def test_commands_under_torchrun(argv: str, command: str) -> None:
    assert member.torchrun(["O"], argv.split()) == command.split()


def test_one_node_needs_no_scheduler(folder: Folder) -> None:
    folder.python_task("t-1", TELL)
    folder.end()
    folder.allocate(members=team(1, 2, "tensorflow"))
    assert ended(folder.run(), "t-1")["exit"] == 0
    assert told(folder, "told", 1)[0][0] == {"PADDOCK_TASK": "t-1"}


@pytest.mark.parametrize("settings", [team(2, 1, "torchrun"), team(1, 2, "srun")])
def test_without_a_scheduler(folder: Folder, settings: dict[str, Any]) -> None:
    folder.add("t-1", "true")
    folder.end()
    folder.allocate(members=settings)
    end = ended(folder.run(SLURM_JOB_ID=""), "t-1")
    assert end["cause"] == "launch_failed"
    assert "choose a Slurm backend" in end["reason"]


def test_one_fails_and_all_end(folder: Folder, cluster: Cluster) -> None:
    folder.python_task(
        "t-1", "import os, time\nif os.environ['RANK'] == '1': raise ValueError('bad rank')\ntime.sleep(60)"
    )
    folder.end()
    folder.allocate(members=team(2, 1, "srun"))
    end = ended(folder.run(**cluster.env), "t-1")
    assert (end["cause"], end["reason"]) == ("user_error", "ValueError: bad rank")
    assert cluster.left() == []


def test_one_that_is_killed_is_named_by_its_rank(folder: Folder, cluster: Cluster) -> None:
    source = "import os, time\nif os.environ['RANK'] == '1': os.kill(os.getpid(), 9)\ntime.sleep(60)"
    folder.python_task("t-1", source)
    folder.end()
    folder.allocate(members=team(2, 1, "srun"))
    end = ended(folder.run(**cluster.env, SLURMD_NODENAME="n7"), "t-1")
    assert end["reason"] == "rank 1 on n7: killed by signal 9 (SIGKILL), not by Paddock"
    assert end["cause"] == "user_error"
    assert cluster.left() == []


def test_what_the_members_use_is_counted_not_what_srun_does(folder: Folder, cluster: Cluster) -> None:
    source = "import time\nheld = b'x' * (120 << 20)\nend = time.time() + 2.5\nwhile time.time() < end: pass"
    folder.python_task("t-1", source)
    folder.end()
    folder.allocate(members=team(2, 1, "srun"), usage_seconds=0.5)
    records = folder.run(**cluster.env)
    usage = [record for record in records if record["e"] == "usage"]
    assert usage
    assert max(record["memory"] for record in usage) > 2 * (120 << 20)
    end = ended(records, "t-1")
    assert end["exit"] == 0
    assert end["peak_memory"] > 2 * (120 << 20)
    assert end["cpu_seconds"] > 1


@pytest.mark.parametrize(
    ("launcher", "threads", "expected"),
    [("srun", 8, "4"), ("torchrun", 8, "4"), ("tensorflow", 8, "8"), ("srun", 1, "1"), ("srun", None, "2")],
)
def test_threads_follow_the_cores_of_each(launcher: str, threads: int | None, expected: str) -> None:
    made = SimpleNamespace(members=manifest.Members(2, 2, launcher), slots=1, threads=threads)
    seat = Seats(made, Cores([], 5), {}).make(1, [])  # type: ignore[arg-type]
    assert seat.environment["OMP_NUM_THREADS"] == expected


def running(folder: Folder, cluster: Cluster, term: str, **settings: Any) -> subprocess.Popen[bytes]:
    folder.python_task("t-1", MEMBER.format(term=term))
    folder.end()
    folder.allocate(members=team(2, 1, "srun"), **settings)
    runner = folder.start(**cluster.env)
    folder.await_record("started", "t-1")
    wait_for(lambda: "ready 0" in folder.log("t-1") and "ready 1" in folder.log("t-1"))
    return runner


def test_stop_leaves_all_of_them_time(folder: Folder, cluster: Cluster) -> None:
    runner = running(folder, cluster, "leave")
    folder.order("stop", task="t-1", attempt=1)
    assert runner.wait(120) == 0
    assert ended(folder.records(), "t-1")["by"] == "stop"
    assert cluster.orders == ["--signal=TERM 7.0"]
    assert "saved 0" in folder.log("t-1")
    assert "saved 1" in folder.log("t-1")


def test_what_survives_srun_is_killed(folder: Folder, cluster: Cluster) -> None:
    runner = running(folder, cluster, "signal.SIG_IGN", grace_seconds=0.3)
    folder.order("stop", task="t-1", attempt=1)
    assert runner.wait(120) == 0
    end = ended(folder.records(), "t-1")
    assert end["by"] == "stop"
    assert cluster.orders == ["--signal=TERM 7.0", "--signal=KILL 7.0"]
    assert cluster.left() == []


def test_srun_killed_by_somebody(folder: Folder, cluster: Cluster) -> None:
    runner = running(folder, cluster, "leave")
    os.kill(folder.await_record("started", "t-1")["pid"], signal.SIGKILL)
    assert runner.wait(120) == 0
    assert ended(folder.records(), "t-1")["signal"] == signal.SIGKILL
    assert cluster.orders == ["--signal=KILL 7.0"]


def test_the_warning_reaches_those_who_ask_for_it(folder: Folder, cluster: Cluster) -> None:
    runner = running(folder, cluster, "leave")
    runner.send_signal(signal.SIGUSR1)
    wait_for(lambda: "warned 0" in folder.log("t-1"))
    assert len(cluster.left()) == 2
    runner.send_signal(signal.SIGTERM)
    assert runner.wait(120) == 0
    assert ended(folder.records(), "t-1")["cause"] == "time_limit"


def test_a_scheduler_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scancel").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "scancel").chmod(0o755)
    (tmp_path / "0.json").write_text('{"step": "7.0"}')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(members, "TERM_SECONDS", 0.2)
    crew = members.SrunMembers(manifest.Members(2, 1, "srun"), str(tmp_path))
    assert not crew.terminate()
    assert "timed out" in capfd.readouterr().err


def test_one_that_comes_too_late_does_not_begin(tmp_path: Path, pyz: Path, python: str) -> None:
    members.SrunMembers(manifest.Members(2, 1, "srun"), str(tmp_path)).kill()
    command = [python, "-I", "-S", str(pyz), "--member", str(tmp_path), "srun", "2", "1", "--", "echo", "hello"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "ended before this process began" in done.stderr


def test_who_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(member, "WAIT_SECONDS", 0.2)
    before = signal.getsignal(signal.SIGUSR1)
    try:
        assert member.main([str(tmp_path), "tensorflow", "3", "1", "--", "true"]) == 1
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert "rank 1, 2 of 3 did not report" in capsys.readouterr().err


def test_a_program_that_is_not_there(folder: Folder) -> None:
    folder.add("t-1", "/no/such/program")
    folder.end()
    folder.allocate(members=team(1, 1, "srun"))
    end = ended(folder.run(SLURM_JOB_ID=""), "t-1")
    assert end["exit"] == 1
    assert "cannot start /no/such/program: No such file" in end["reason"]


def test_the_launcher_runs_in_the_image_of_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDOCK_WRAP", json.dumps(["ch-run", "/image", "--"]))
    command = member.torchrun(["--nnodes=1"], ["python3", "train.py"])
    assert member._in_container(command, 0) == ["ch-run", "/image", "--", *command]
    assert "PADDOCK_WRAP" not in os.environ
    assert member._in_container(command, 0) == command
