"""Test jobs in a container image inside an allocation of Slurm."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paddock.common import processes
from tests.slurm.cluster import Cluster
from tests.slurm.support import Lab, lab
from tests.slurm.test_multi_node import FRAMEWORK_SECONDS, TORCH, line, train_python
from tests.support import image as images
from tests.support.person import ELSEWHERE, NEEDS_ELSEWHERE
from tests.support.server import wait_for

INSIDE = f"""
import os, sys, time
import {images.ONLY_THERE}
print("image", open("/etc/image").read().strip(), "in", os.environ["SLURM_JOB_ID"], flush=True)
saved = os.path.join(os.environ["PADDOCK_CHECKPOINT_DIR"], "saved")
if os.path.exists(saved):
    sys.exit(0)
open(saved, "w").close()
time.sleep(600)
"""

WARNED = """
import os, signal, time
child = os.fork()
if child == 0:
    time.sleep(600)
def warned(*_):
    time.sleep(0.5)
    print("warned; the other one lives:", os.waitpid(child, os.WNOHANG) == (0, 0), flush=True)
signal.signal(signal.SIGUSR1, warned)
print("image", open("/etc/image").read().strip(), "in", os.environ["SLURM_JOB_ID"], flush=True)
while True:
    time.sleep(600)
"""

__all__ = ["train_python"]
pytestmark = pytest.mark.skipif(shutil.which("ch-run") is None, reason="Charliecloud is not installed")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return images.make(tmp_path_factory.mktemp("containers") / "image")


def submit(at: Lab, source: str, image: Path | None, **resources: Any) -> str:
    """Submit a script that begins in its image, or without one."""
    container = {"image": str(image), "engine": "charliecloud"} if image else None
    asked = {"gpus": 0, "partition": "cpu", "container": container, **resources}
    return at.server.submit(source, resources=asked, retries={"host_oom": 0, "lost": 0})


def begun(at: Lab, source: str, image: Path) -> str:
    job = submit(at, source, image)
    wait_for(lambda: "image of the tests in" in at.server.log_of(job), what="the task to begin in its image")
    at.server.wait_state(job, "running")
    return job


def test_a_task_runs_in_its_image_is_stopped_and_goes_on(at: Lab, image: Path) -> None:
    job = begun(at, INSIDE, image)
    at.server.post(f"/jobs/{job}/stop")
    assert at.server.wait(job)[0]["state"] == "stopped"
    at.server.post(f"/jobs/{job}/restart", {"resume": True})
    assert at.server.wait(job)[0]["state"] == "finished", at.server.log_of(job)


def test_the_warning_of_slurm_reaches_only_what_handles_it(at: Lab, image: Path) -> None:
    job = begun(at, WARNED, image)
    at.cluster.run("scancel", "--batch", "--signal=USR1", at.allocation(job))
    wait_for(lambda: "warned; the other one lives: True" in at.server.log_of(job), what="the task to be warned")
    at.server.post(f"/jobs/{job}/stop")
    assert at.server.wait(job)[0]["state"] == "stopped"


def test_out_of_memory_is_judged_as_without_a_container(at: Lab, image: Path) -> None:
    if not at.cluster.cgroups:
        pytest.skip("the cluster limits no memory")
    hog = "blocks = [bytearray(b'x' * (10 << 20)) for _ in range(60)]"
    ends = [at.server.wait(submit(at, hog, one, memory="150M"))[0] for one in (None, image)]
    assert [(one["state"], one["cause"]) for one in ends] == [("error", "host_oom")] * 2, ends
    assert all("out of memory" in one["reason"] for one in ends)
    assert all(one["peak_memory"] > 50 << 20 for one in ends)


def test_nothing_is_left_of_a_runner_that_is_killed(at: Lab, image: Path) -> None:
    job = begun(at, INSIDE, image)
    pid = at.attempts(job)[0]["pid"]
    os.kill(at.runner(pid), signal.SIGKILL)
    assert at.server.wait(job)[0]["cause"] == "lost"
    wait_for(lambda: processes.variable(pid, "PADDOCK_JOB") != job, what="its process to be gone")
    at.wait_gone(job)


@NEEDS_ELSEWHERE
def test_who_attaches_by_srun_is_in_the_image(at: Lab, image: Path) -> None:
    job = begun(at, INSIDE, image)
    env = {**os.environ, "PADDOCK_HOME": str(at.server.home.root), "SLURM_CONF": str(at.cluster.conf)}
    argv = [*ELSEWHERE, sys.executable, "-m", "paddock", "attach", f"{job}-1", "--", "cat", "/etc/image"]
    done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "of the tests\n"), done.stderr
    at.server.post(f"/jobs/{job}/stop")
    at.server.wait(job)


@pytest.mark.frameworks
def test_two_processes_by_torchrun_in_the_image(tmp_path: Path, cluster: Cluster, train_python: str) -> None:
    environment = Path(train_python).parent.parent
    [torch] = environment.glob("lib/python*/site-packages/torch/lib/libtorch_cpu.so")
    image = images.make(tmp_path / "image", also=[torch])
    container = {
        "image": str(image),
        "engine": "charliecloud",
        "python": train_python,
        "mounts": [str(environment), sys.base_prefix],
    }
    source = TORCH.replace('print("ranks"', 'print("image", open("/etc/image").read().strip())\n    print("ranks"')
    asked = {"gpus": 2, "launcher": "torchrun", "memory": "5G", "time_limit": "20m", "container": container}
    with lab(tmp_path, cluster) as at:
        job = at.server.submit(source, environment={"variables": {"OMP_NUM_THREADS": "1"}}, resources=asked)
        [task] = at.server.wait(job, FRAMEWORK_SECONDS)
        log = at.server.log_of(job)
        assert task["state"] == "finished", (task["reason"], log)
        assert (line(log, "image"), line(log, "ranks"), line(log, "same")) == ("of the tests", "[0, 1]", "True")
