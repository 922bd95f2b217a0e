"""Test attaching to tasks on a real Slurm, from a machine that does not see their processes: through srun."""

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.slurm.support import Lab
from tests.support.person import ELSEWHERE, LEAVE, NEEDS_ELSEWHERE, PersonAtTerminal
from tests.support.server import wait_for

TALKS = """
import os
print("ready", flush=True)
while True:
    line = input()
    if line == "end":
        raise SystemExit(7)
    print("heard", line, os.get_terminal_size().columns, flush=True)
"""

pytestmark = NEEDS_ELSEWHERE


def from_login_node(at: Lab, *arguments: str) -> PersonAtTerminal:
    """A person on a machine that shares files with the nodes, and has none of their processes."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PADDOCK_", "SLURM_"))}
    env = {**clean, "PADDOCK_HOME": str(at.server.home.root), "SLURM_CONF": str(at.cluster.conf)}
    return PersonAtTerminal([*ELSEWHERE, sys.executable, "-m", "paddock", *arguments], env)


@pytest.fixture
def begin(at: Lab) -> Callable[..., str]:
    def begun(text: str, **spec: Any) -> str:
        job = at.server.submit(text, **spec)
        wait_for(lambda: "ready" in at.server.log_of(job))
        at.server.wait_state(job, "running")
        return f"{job}-1"

    return begun


def test_the_terminal_of_a_task_through_srun(at: Lab, begin: Callable[..., str]) -> None:
    task = begin(TALKS, terminal=True)
    with from_login_node(at, "attach", task) as me:
        me.sees("Ctrl-] leaves")
        me.sees("ready")
        me.type("one\r")
        me.sees("heard one 100")
        me.resize(30, 66)
        wait_for(lambda: me.says("again", "heard again 66"))
        me.type(LEAVE)
        me.sees(f"[left {task}, which goes on]")
        assert me.ends() == 0
    with from_login_node(at, "attach", task) as me:
        me.sees("heard one")
        me.type("end\r")
        me.sees("exit code 7")
        assert me.ends() == 7
    assert at.server.wait(task.rpartition("-")[0])[0]["exit_code"] == 7


def test_a_shell_beside_a_task_has_its_gpus_and_ends_with_it(at: Lab, begin: Callable[..., str]) -> None:
    text = "import os, time; print('ready', os.environ['CUDA_VISIBLE_DEVICES'], flush=True); time.sleep(600)"
    task = begin(text, resources={"gpus": 1})
    gpu = at.server.log_of(task.rpartition("-")[0]).split()[1]
    point = at.server.get(f"/tasks/{task}/attach")
    with from_login_node(at, "attach", task) as me:
        me.sees("a shell beside it")
        me.type("echo =$CUDA_VISIBLE_DEVICES=$PADDOCK_TASK=$SLURM_JOB_ID=$SLURMD_NODENAME=; pwd\r")
        me.sees(f"={gpu}={task}=")
        me.sees(f"={point['node']}=")
        me.sees(f"{task}/work")
        at.server.post(f"/tasks/{task}/stop")
        me.sees("has ended, and this shell with it")
        me.ends()
    with from_login_node(at, "attach", task) as me:
        me.sees("does not run: it is stopped")
        assert me.ends() == 5


def test_a_command_has_its_exit_code(at: Lab, begin: Callable[..., str]) -> None:
    task = begin("import time; print('ready', flush=True); time.sleep(600)")
    with from_login_node(at, "attach", task, "--", "sh", "-c", "echo in $PADDOCK_TASK; exit 3") as me:
        me.sees(f"in {task}")
        assert me.ends() == 3


def test_a_shell_is_held_on_a_node(at: Lab) -> None:
    with from_login_node(at, "shell", "--gpus", "1", "--for", "5m") as me:
        me.sees("its terminal")
        me.type("echo =$CUDA_VISIBLE_DEVICES=$SLURM_JOB_ID=; exit\r")
        me.sees("[")
        me.sees("exit code 0]")
        assert me.ends() == 0
    wait_for(lambda: not at.cluster.run("squeue", "-h", "-t", "R,PD", "-o", "%i").split())
