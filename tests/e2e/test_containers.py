"""Test jobs in a container image with a real engine: Charliecloud, or PADDOCK_TEST_ENGINE (see tests/containers)."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock.common import containers, layout, processes
from tests.support import image as images
from tests.support.container_engine import ENGINE, INSTALLED, LIMIT, memory_cgroup, prepared
from tests.support.person import PersonAtTerminal
from tests.support.server import ServerProcess, running, wait_for

pytestmark = pytest.mark.skipif(not INSTALLED, reason=f"{ENGINE} is not installed")
PODMAN = ENGINE == containers.PODMAN

INSIDE = f"""
import argparse, os, sys
from paddock import report
import {images.ONLY_THERE}
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=int)
args = parser.parse_args()
print("image:", open("/etc/image").read().strip(), "python:", sys.executable)
print("data:", open(os.environ["DATA"] + "/table").read().strip())
print("answer:", {images.ONLY_THERE}.ANSWER, "home:", os.environ["HOME"] == os.getcwd())
print("node's:", os.environ.get("VIRTUAL_ENV"), os.environ.get("LD_LIBRARY_PATH"))
print("seen:", sorted(os.listdir("/home")))
open("result.txt", "w").write(str(args.x))
report(epoch=1, loss=args.x / 2)
"""
# Holds memory, goes on from its checkpoint, and saves it when it is told to end.
LONG = """
import os, signal, sys, time
state = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "state")
held = b"x" * 60_000_000
def save(*_):
    open(state, "w").write("saved")
    sys.exit(1)
signal.signal(signal.SIGTERM, save)
if os.path.exists(state):
    print("goes on from", open(state).read(), flush=True)
    sys.exit(0)
print("ready", flush=True)
time.sleep(600)
"""
# One process handles the warning; the other one would die of it.
WARNED = """
import os, signal, sys, time
told = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "told")
if os.path.exists(told):
    sys.exit(0)
child = os.fork()
if child == 0:
    time.sleep(600)
def warned(*_):
    time.sleep(0.5)
    print("warned; the other one lives:", os.waitpid(child, os.WNOHANG) == (0, 0), flush=True)
    open(told, "w").close()
signal.signal(signal.SIGUSR1, warned)
print("ready", flush=True)
time.sleep(600)
"""
HOG = """
import os, sys
blocks = []
print("ready", flush=True)
while True:
    blocks.append(b"x" * (16 << 20))
"""
RANKS = """
import os
place = os.environ["PADDOCK_RESULTS_DIR"]
open(os.path.join(place, "rank " + os.environ["RANK"]), "w").write(open("/etc/image").read())
print("gpus", sorted(name for name in os.environ if name.startswith("TEST_GPU")), flush=True)
"""
# In place of torch.distributed.run: starts as many processes as it is asked for.
LAUNCHER = """
import os, subprocess, sys
options = [one for one in sys.argv[1:] if one.startswith("--")]
[count] = [int(one.partition("=")[2]) for one in options if one.startswith("--nproc_per_node=")]
given = {"WORLD_SIZE": str(count)}
started = [
    subprocess.Popen([sys.executable, *sys.argv[1 + len(options):]], env={**os.environ, **given, "RANK": str(rank)})
    for rank in range(count)
]
sys.exit(max(one.wait() for one in started))
"""
IDLE = "import os, time\nprint('ready', os.getpid(), flush=True)\ntime.sleep(600)\n"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with prepared(tmp_path_factory.mktemp("containers")) as name:
        yield name


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, image: str) -> Iterator[ServerProcess]:
    home = tmp_path_factory.mktemp("containers") / "home"
    settings = {"local__slots": 2, "local__gpus": '["0", "1"]', "runner__warn_seconds": 5, "runner__mps": "off"}
    with pytest.MonkeyPatch.context() as node:
        node.setenv("VIRTUAL_ENV", "/venv")
        node.setenv("LD_LIBRARY_PATH", "/node")
        with running(home, runner__grace_seconds=30, runner__usage_seconds=0.2, **settings) as made:
            yield made


def submit(server: ServerProcess, source: str, image: str | Path, **spec: Any) -> str:
    container = {"image": str(image), "engine": ENGINE, **spec.pop("container", {})}
    resources = {"gpus": 0, **spec.pop("resources", {})}
    return server.submit(source, resources={"container": container, **resources}, **spec)


def processes_of(job: str) -> list[int]:
    mine = [one for one in processes.all_pids() if processes.variable(one, "PADDOCK_JOB") == job]
    return [one for one in mine if processes.variable(one, "PADDOCK_TASK") and processes.started(one)]


def runner_of(job: str) -> int:
    return int((processes.variable(processes_of(job)[0], "PADDOCK_RUNNER") or "").split()[1])


def test_a_sweep_sees_the_image_its_own_folder_and_what_is_mounted(
    server: ServerProcess, image: str, tmp_path: Path
) -> None:
    (tmp_path / "table").write_text("rows")
    job = submit(
        server,
        INSIDE,
        image,
        params={"x": [1, 2]},
        container={"mounts": [str(tmp_path)]},
        environment={"variables": {"DATA": str(tmp_path), "LD_LIBRARY_PATH": "/mine"}},
    )
    tasks = server.wait(job)
    assert [task["state"] for task in tasks] == ["finished"] * 2, server.log_of(job)
    log = server.log_of(job, 2)
    assert "image: of the tests python: /usr/bin/python3" in log
    assert "data: rows" in log
    assert f"answer: 42 home: {ENGINE != containers.APPTAINER}" in log
    assert "node's: None /mine" in log
    assert ENGINE == containers.APPTAINER or "seen: []" in log, "the homes of the node are not there"
    assert [task["best_value"] for task in tasks] == [0.5, 1.0]
    task = layout.task(str(server.home.job(job).root), job, f"{job}-2")
    assert Path(layout.work(task), "result.txt").read_text() == "2"
    assert not server.get(f"/jobs/{job}")["warnings"]


def test_modules_are_looked_for_in_the_image(server: ServerProcess, image: str) -> None:
    container = {"image": image, "engine": ENGINE}
    body = {
        "spec": {"script": "train.py", "container": container},
        "files": {"train.py": "import numpy\n"},  # the node has it
    }
    refused = server.post("/jobs", body, 422)["error"]
    assert "has no numpy" in refused["message"]
    assert f"of the image {image}" in refused["message"]


def test_a_stop_reaches_the_task_and_the_next_attempt_goes_on(server: ServerProcess, image: str) -> None:
    job = submit(server, LONG, image)
    wait_for(lambda: "ready" in server.log_of(job), what="the task to begin")
    wait_for(lambda: (server.task(job)["peak_memory"] or 0) > 60_000_000, what="its memory to be measured")
    server.post(f"/jobs/{job}/stop")
    assert server.wait(job)[0]["state"] == "stopped"
    assert not processes_of(job)
    server.post(f"/jobs/{job}/restart", {"resume": True})
    assert server.wait(job)[0]["state"] == "finished"
    assert "goes on from saved" in server.log_of(job)


def test_one_that_does_not_end_when_it_is_told_to_is_killed(server: ServerProcess, image: str) -> None:
    source = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + IDLE
    job = submit(server, source, image, grace_seconds=1)
    wait_for(lambda: "ready" in server.log_of(job), what="the task to begin")
    server.post(f"/jobs/{job}/stop")
    assert server.wait(job)[0]["state"] == "stopped"
    wait_for(lambda: not processes_of(job), what="its processes to be gone")


def test_a_warning_reaches_only_what_handles_it(server: ServerProcess, image: str) -> None:
    job = submit(server, WARNED, image, resources={"time_limit": "1h"}, grace_seconds=1)
    wait_for(lambda: "ready" in server.log_of(job), what="the task to begin")
    os.kill(runner_of(job), signal.SIGUSR1)  # as schedulers do before the end
    assert server.wait(job)[0]["state"] == "finished"
    assert "warned; the other one lives: True" in server.log_of(job, attempt=1)
    assert server.task(job)["attempts"][0]["cause"] == "time_limit"


def test_out_of_memory_is_judged_as_without_a_container(image: str, tmp_path: Path) -> None:
    options = [f"--memory={LIMIT}"] if PODMAN else []  # its containers are in cgroups of their own
    with memory_cgroup(LIMIT) as cgroup, running(tmp_path / "home", local__slots=1) as server:
        if cgroup is None:
            pytest.skip("no memory cgroup can be made here")
        assert server.process is not None
        (cgroup / "cgroup.procs").write_text(str(server.process.pid))
        retries = {"host_oom": 0}
        plain = server.submit(HOG, resources={"gpus": 0}, retries=retries)
        inside = submit(server, HOG, image, container={"options": options}, retries=retries)
        ends = [server.wait(job)[0] for job in (plain, inside)]
        assert [(one["state"], one["cause"]) for one in ends] == [("error", "host_oom")] * 2, ends
        assert all("out of memory" in one["reason"] for one in ends)
        assert all(one["peak_memory"] > LIMIT / 4 for one in ends)


def test_a_launcher_starts_its_processes_in_the_image(server: ServerProcess, image: str, tmp_path: Path) -> None:
    launcher = tmp_path / "torch" / "distributed" / "run.py"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(LAUNCHER)
    job = submit(
        server,
        RANKS,
        image,
        resources={"gpus": 2, "launcher": "torchrun"},
        container={"mounts": [str(tmp_path)]},
        environment={"variables": {"PYTHONPATH": str(tmp_path)}},
    )
    assert server.wait(job)[0]["state"] == "finished", server.log_of(job)
    task = layout.task(str(server.home.job(job).root), job, f"{job}-1")
    assert {path.name: path.read_text() for path in Path(task).glob("rank *")} == {
        "rank 0": "of the tests\n",
        "rank 1": "of the tests\n",
    }
    if PODMAN:
        assert "['TEST_GPU_0', 'TEST_GPU_1']" in server.log_of(job)


def attached(server: ServerProcess, task: str, *arguments: str) -> PersonAtTerminal:
    env = {**os.environ, "PADDOCK_HOME": str(server.home.root)}
    return PersonAtTerminal([sys.executable, "-m", "paddock", "attach", task, *arguments], env)


def test_who_attaches_is_in_the_image(server: ServerProcess, image: str) -> None:
    job = submit(server, IDLE, image)
    wait_for(lambda: "ready" in server.log_of(job), what="the task to begin")
    with attached(server, f"{job}-1") as me:
        me.sees("a shell beside it")
        me.type("echo in-the-$(cat /etc/image)\r")
        me.sees("in-the-of the tests")
        me.type('[ "$(pwd)" = "$PADDOCK_RESULTS_DIR/work" ] && echo $PADDOCK_TASK-; exit 5\r')
        me.sees(f"{job}-1-")
        assert me.ends() == 5
    with attached(server, f"{job}-1", "--", "python3", "-c", f"import {images.ONLY_THERE} as o; print(o.ANSWER)") as me:
        me.sees("42")
        assert me.ends() == 0
    with attached(server, f"{job}-1") as me:
        me.sees("a shell beside it")
        server.post(f"/jobs/{job}/stop")
        me.ends()
    assert server.wait(job)[0]["state"] == "stopped"


def test_a_terminal_is_that_of_the_program_in_the_image(server: ServerProcess, image: str) -> None:
    source = "print('ready', flush=True)\nprint('heard', input(), open('/etc/image').read(), flush=True)\n"
    job = submit(server, source, image, terminal=True)
    wait_for(lambda: "ready" in server.log_of(job), what="the task to begin")
    with attached(server, f"{job}-1") as me:
        me.type("a word\r")
        me.sees("heard a word of the tests")
    assert server.wait(job)[0]["state"] == "finished"


def test_nothing_is_left_when_the_runner_is_killed(server: ServerProcess, image: str) -> None:
    """Neither a process, nor what an engine starts beside the task, nor a file in the folder for temporary ones."""
    before = temporary()
    job = submit(server, IDLE, image, retries={"lost": 0})
    wait_for(lambda: "ready" in server.log_of(job), what="the task to begin")
    pids = processes_of(job)
    namespace = os.readlink("/proc/self/ns/mnt")
    assert any(os.readlink(f"/proc/{pid}/ns/mnt") != namespace for pid in pids), "it is in a container"
    runner = runner_of(job)
    everything = {*processes.tree(runner)}
    sessions = {processes.session(pid) for pid in everything} - {processes.session(runner)}
    os.kill(runner, signal.SIGKILL)
    assert server.wait(job)[0]["cause"] == "lost"

    def left() -> list[int]:
        beside = [one for one in processes.all_pids() if processes.session(one) in sessions]
        return [one for one in {*everything, *beside, *processes_of(job)} if processes.started(one)]

    wait_for(lambda: not left(), what="its processes to be gone")
    wait_for(lambda: temporary() <= before, what="its temporary files to be gone")
    if PODMAN:
        assert not subprocess.run(["podman", "ps", "-aq"], capture_output=True, check=True).stdout


def temporary() -> set[str]:
    """Return what engines have put into folders for temporary files."""
    names = ("ch-*", "*.ch", "apptainer*", "rootfs-*", "bundle-temp-*", "storage*", "podman*", "runc*")
    return {str(one) for folder in ("/tmp", "/var/tmp") for name in names for one in Path(folder).glob(name)}


def test_an_image_that_is_not_there(server: ServerProcess, tmp_path: Path) -> None:
    job = submit(server, IDLE, tmp_path / "none", retries={"launch_failed": 0})
    assert server.get(f"/jobs/{job}")["warnings"]
    task = server.wait(job)[0]
    assert (task["state"], task["cause"]) == ("error", "launch_failed")
    assert "there is no image" in task["reason"]


def test_doctor_tries_an_image(image: str, tmp_path: Path) -> None:
    def findings(asked: str | Path) -> dict[str, Any]:
        argv = [sys.executable, "-m", "paddock", "--home", str(tmp_path / "home"), "doctor", "--json"]
        done = subprocess.run([*argv, "--container", str(asked)], capture_output=True, text=True, check=False)
        return {one["name"]: one for one in json.loads(done.stdout)}

    good = findings(image)
    assert (good["image"]["status"], good["environment"]["status"]) == ("ok", "ok")
    assert f"with {ENGINE}" in good["image"]["detail"]
    assert "neither TensorFlow nor PyTorch" in good["environment"]["detail"]
    assert f"in the image {image}" in good["environment"]["detail"]
    assert findings(tmp_path / "none")["image"]["status"] == "error"
    (tmp_path / "text").write_text("no image")
    assert "error" in {one.get("status") for name, one in findings(tmp_path / "text").items() if name != "server"}


@pytest.mark.skipif(os.getuid() != 0 or ENGINE != containers.CHARLIECLOUD, reason="only root can become somebody else")
def test_an_ordinary_user_runs_it_as_well(image: str) -> None:
    # Its folders are below one that only root may enter.
    for above in [Path(image).parent, *Path(image).parent.parents]:
        if str(above).startswith("/tmp/"):
            above.chmod(above.stat().st_mode | 0o011)
    env = {"USER": "nobody"}
    before = containers.wrapped(containers.ContainerImage(image, ENGINE), [], "/", env, {})
    code = "import os; print(os.getuid(), open('/etc/image').read())"
    done = subprocess.run(
        [*before, "python3", "-c", code], env=env, user=65534, group=65534, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["65534", "of", "the", "tests"], done.stderr
