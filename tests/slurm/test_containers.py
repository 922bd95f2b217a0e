"""Test a job in a container image inside an allocation of Slurm."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.support import lab
from tests.slurm.test_multi_node import FRAMEWORK_SECONDS, TORCH, line, train_python
from tests.support import image as images
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

__all__ = ["train_python"]
pytestmark = pytest.mark.skipif(shutil.which("ch-run") is None, reason="Charliecloud is not installed")


def test_a_task_runs_in_its_image_is_stopped_and_goes_on(tmp_path: Path, cluster: Cluster) -> None:
    image = images.make(tmp_path / "image")
    with lab(tmp_path, cluster) as at:
        container = {"image": str(image), "engine": "charliecloud"}
        job = at.server.submit(INSIDE, resources={"gpus": 0, "partition": "cpu", "container": container})
        wait_for(lambda: "image of the tests in" in at.server.log_of(job), what="the task to begin in its image")
        at.server.post(f"/jobs/{job}/stop")
        assert at.server.wait(job)[0]["state"] == "stopped"
        at.server.post(f"/jobs/{job}/restart", {"resume": True})
        assert at.server.wait(job)[0]["state"] == "finished", at.server.log_of(job)


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
