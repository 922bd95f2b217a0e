"""Test a sweep of a real Keras script on a cluster with GPUs, from submission to the best task, in a real browser."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import conftest as browsers
from tests.slurm.cluster import Cluster
from tests.slurm.support import Lab, lab
from tests.support.server import ServerProcess, wait_for

ROOT = Path(__file__).resolve().parents[2]
TRAIN_SECONDS = 300.0

pytestmark = pytest.mark.frameworks

browser, visit = browsers.browser, browsers.visit


@pytest.fixture
def at(cluster: Cluster, tmp_path: Path) -> Iterator[Lab]:
    with lab(tmp_path, cluster) as made:
        yield made


@pytest.fixture
def server(at: Lab) -> ServerProcess:
    """The one that `visit` opens."""
    return at.server


@pytest.fixture(scope="module")
def train_python() -> str:
    """The python that has TensorFlow. The first call on a machine takes minutes."""
    program = [sys.executable, str(ROOT / "tools" / "train_env.py")]
    return subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def test_from_the_queue_to_the_best_task(at: Lab, visit: Callable[..., Page], train_python: str) -> None:
    server, cluster = at.server, at.cluster
    full = cluster.submit("sleep 600", "-p", "one", "--exclusive", "--time=20", user="bob")
    cluster.wait_job(full, "RUNNING")
    job = server.submit(
        (ROOT / "examples" / "keras_stfmanager" / "train.py").read_text(),
        name="Conv2D on a cluster",
        params={"batch_size": "64,32", "learning_rate": "0.001,0.01", "epochs": 4, "early_stopping": 50},
        environment={"python": train_python, "variables": {"TF_CPP_MIN_LOG_LEVEL": "3"}},
        resources={"partition": "one", "gpus": 1, "memory": "4G", "time_limit": "30m"},
    )
    page = visit(f"/jobs/{job}")
    waiting = page.get_by_role("region", name="Waiting")
    expect(waiting.get_by_text("Waits for a free GPU in partition one")).to_be_visible()
    expect(waiting.get_by_text("expected to start")).to_be_visible()
    expect(page.get_by_text("4 submitted").first).to_be_visible()

    cluster.run("scancel", full)
    expect(page.get_by_text("2 running").first).to_be_visible(timeout=90_000)
    canvas = page.locator("canvas").first
    wait_for(lambda: server.get(f"/jobs/{job}/metrics"), TRAIN_SECONDS, "a first point")
    expect(canvas).to_be_visible()
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    wait_for(lambda: canvas.evaluate("canvas => canvas.toDataURL()") != before, TRAIN_SECONDS, "the curve to move")

    expect(page.get_by_text("4 finished").first).to_be_visible(timeout=TRAIN_SECONDS * 1000)
    expect(waiting).to_have_count(0)
    tasks = server.wait(job)
    assert [task["state"] for task in tasks] == ["finished"] * 4
    assert {(task["node"], task["device"]) for task in tasks} == {(cluster.nodes[0], f"gpu {n}") for n in (0, 1)}
    best = min(tasks, key=lambda task: task["best_value"])
    assert server.get(f"/jobs/{job}")["best_task"] == best["id"]
    for task in tasks:
        [curve] = server.get(f"/tasks/{task['id']}/metrics", metric="val_loss")
        assert curve["steps"] == [0, 1, 2, 3]
        assert (server.home.job(job).task(task["id"]) / f"{task['id']}.csv").exists()
    assert len({server.task(job, number)["allocation"]["key"] for number in range(1, 5)}) == 2
    assert len(at.arrays(job)) == 1

    page.goto(f"{server.url}/tasks/{best['id']}")
    allocation = page.get_by_role("region", name="Allocation")
    expect(allocation.get_by_text(at.allocation(job, best["number"]), exact=True)).to_be_visible()
    expect(allocation.get_by_text(cluster.nodes[0], exact=True)).to_be_visible()
    allocation.get_by_role("button", name="Batch script", exact=True).click()
    script = allocation.get_by_role("region", name="Batch script")
    expect(script.get_by_text("#SBATCH --partition=one")).to_be_visible()
    shown = cluster.run("scontrol", "write", "batch_script", at.arrays(job)[0], "-")
    assert script.locator("pre").inner_text().strip() == shown.strip()
    expect(page.get_by_text(re.compile("finished")).first).to_be_visible()
    expect(page.get_by_text("val_loss").first).to_be_visible()
