"""Test jobs in a container image, with a real Charliecloud, which needs no root."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock.common import containers, layout, processes
from tests.support import image as images
from tests.support.server import ServerProcess, running, wait_for

pytestmark = pytest.mark.skipif(shutil.which("ch-run") is None, reason="Charliecloud is not installed")

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
IDLE = "import os, time\nprint('ready', os.getpid(), flush=True)\ntime.sleep(600)\n"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return images.make(tmp_path_factory.mktemp("containers") / "image")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    home = tmp_path_factory.mktemp("containers") / "home"
    with pytest.MonkeyPatch.context() as node:
        node.setenv("VIRTUAL_ENV", "/venv")
        node.setenv("LD_LIBRARY_PATH", "/node")
        with running(home, local__slots=2, runner__grace_seconds=30, runner__usage_seconds=0.2) as made:
            yield made


def submit(server: ServerProcess, source: str, image: Path, **spec: Any) -> str:
    container = {"image": str(image), "engine": "charliecloud", **spec.pop("container", {})}
    return server.submit(source, resources={"container": container}, **spec)


def test_a_sweep_sees_the_image_its_own_folder_and_what_is_mounted(
    server: ServerProcess, image: Path, tmp_path: Path
) -> None:
    (tmp_path / "table").write_text("rows")
    job = submit(
        server,
        INSIDE,
        image,
        params={"x": [1, 2]},
        container={"mounts": [str(tmp_path)]},
        environment={"variables": {"DATA": str(tmp_path), "LD_LIBRARY_PATH": "mine"}},
    )
    tasks = server.wait(job)
    assert [task["state"] for task in tasks] == ["finished"] * 2, server.log_of(job)
    log = server.log_of(job, 2)
    assert "image: of the tests python: /usr/bin/python3" in log
    assert "data: rows" in log
    assert "answer: 42 home: True" in log
    assert "node's: None mine" in log
    assert "seen: []" in log, "the homes of the node are not there"
    assert [task["best_value"] for task in tasks] == [0.5, 1.0]
    task = layout.task(str(server.home.job(job).root), job, f"{job}-2")
    assert Path(layout.work(task), "result.txt").read_text() == "2"
    assert not server.get(f"/jobs/{job}")["warnings"]


def test_modules_are_looked_for_in_the_image(server: ServerProcess, image: Path) -> None:
    container = {"image": str(image), "engine": "charliecloud"}
    body = {
        "spec": {"script": "train.py", "container": container},
        "files": {"train.py": "import numpy\n"},  # the node has it
    }
    refused = server.post("/jobs", body, 422)["error"]
    assert "has no numpy" in refused["message"]
    assert f"of the image {image}" in refused["message"]


def test_a_stop_reaches_the_task_and_the_next_attempt_goes_on(server: ServerProcess, image: Path) -> None:
    job = submit(server, LONG, image)
    wait_for(lambda: "ready" in server.log_of(job), what="the task to begin")
    wait_for(lambda: (server.task(job)["peak_memory"] or 0) > 60_000_000, what="its memory to be measured")
    server.post(f"/jobs/{job}/stop")
    assert server.wait(job)[0]["state"] == "stopped"
    server.post(f"/jobs/{job}/restart", {"resume": True})
    assert server.wait(job)[0]["state"] == "finished"
    assert "goes on from saved" in server.log_of(job)


def test_nothing_is_left_when_the_runner_is_killed(server: ServerProcess, image: Path) -> None:
    job = submit(server, IDLE, image, retries={"lost": 0})
    wait_for(lambda: "ready" in server.log_of(job), what="the task to begin")
    pid = int(server.log_of(job).split()[1])
    assert os.readlink(f"/proc/{pid}/ns/mnt") != os.readlink("/proc/self/ns/mnt"), "it is in a container"
    runner = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(runner, signal.SIGKILL)
    assert server.wait(job)[0]["cause"] == "lost"

    def left() -> list[int]:
        mine = [one for one in processes.all_pids() if processes.variable(one, "PADDOCK_JOB") == job]
        return [one for one in mine if processes.variable(one, "PADDOCK_TASK")]

    wait_for(lambda: not left(), what="its processes to be gone")


def test_an_image_that_is_not_there(server: ServerProcess, tmp_path: Path) -> None:
    job = submit(server, IDLE, tmp_path / "none", retries={"launch_failed": 0})
    assert "there is no image" in server.get(f"/jobs/{job}")["warnings"][-1]
    task = server.wait(job)[0]
    assert (task["state"], task["cause"]) == ("error", "launch_failed")
    assert "there is no image" in task["reason"]


def test_doctor_tries_an_image(image: Path, tmp_path: Path) -> None:
    def findings(asked: Path) -> dict[str, Any]:
        argv = [sys.executable, "-m", "paddock", "--home", str(tmp_path / "home"), "doctor", "--json"]
        done = subprocess.run([*argv, "--container", str(asked)], capture_output=True, text=True, check=False)
        return {one["name"]: one for one in json.loads(done.stdout)}

    good = findings(image)
    assert (good["image"]["status"], good["environment"]["status"]) == ("ok", "ok")
    assert "with charliecloud" in good["image"]["detail"]
    assert "neither TensorFlow nor PyTorch" in good["environment"]["detail"]
    assert findings(tmp_path / "none")["image"]["status"] == "error"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_user_runs_it_as_well(image: Path) -> None:
    # Its folders are below one that only root may enter.
    for above in [image.parent, *image.parent.parents]:
        if str(above).startswith("/tmp/"):
            above.chmod(above.stat().st_mode | 0o011)
    env = {"USER": "nobody"}
    before = containers.wrapped(containers.ContainerImage(str(image), containers.CHARLIECLOUD), [], "/", env, {})
    code = "import os; print(os.getuid(), open('/etc/image').read())"
    done = subprocess.run(
        [*before, "python3", "-c", code], env=env, user=65534, group=65534, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["65534", "of", "the", "tests"], done.stderr
