"""Test attaching to a task on a host that is reached by a real ssh, from a machine that has none of its processes."""

import json
import os
import sys
from collections.abc import Iterator

import pytest

from tests.support.person import ELSEWHERE, LEAVE, NEEDS_ELSEWHERE, PersonAtTerminal
from tests.support.server import ServerProcess, running, wait_for
from tests.support.sshd import NEEDS_SSHD, SshRig, ssh_hosts

pytestmark = [NEEDS_SSHD, NEEDS_ELSEWHERE]

TALKS = """
import os
gpus = os.environ["CUDA_VISIBLE_DEVICES"]
print("ready", gpus, flush=True)
while (line := input()) != "end":
    print("heard", line, os.get_terminal_size().columns, flush=True)
raise SystemExit(7)
"""


class Lab:
    def __init__(self, server: ServerProcess, rig: SshRig, backends: str) -> None:
        self.server, self.rig, self._backends = server, rig, backends

    def person(self, *arguments: str) -> PersonAtTerminal:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        env = {**clean, "PADDOCK_HOME": str(self.server.home.root), "PADDOCK_BACKENDS": self._backends}
        return PersonAtTerminal([*ELSEWHERE, sys.executable, "-m", "paddock", *arguments], env)


def usable(server: ServerProcess) -> set[str]:
    return {one["name"] for one in server.get("/nodes") if one["usable"]}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("hosts")
    with ssh_hosts(1, gpus=2) as rig:
        path = rig.folder / "authorized_keys"
        path.write_text(path.read_text().replace("restrict ", "restrict,pty "))  # as people's own keys allow it
        hosts = {
            "kind": "hosts",
            "hosts": rig.names,
            "ssh": rig.ssh,
            "folder": f"{folder}/{{host}}",
            "look_seconds": 0.5,
        }
        backends = json.dumps({"lab": {**hosts, "python": "/usr/bin/python3"}})
        with running(folder / "home", backends=backends, backend="lab", runner__grace_seconds=1) as server:
            wait_for(lambda: set(rig.names) <= usable(server), what="the hosts to answer")
            yield Lab(server, rig, backends)


def test_the_terminal_and_a_shell_on_a_host(lab: Lab) -> None:
    job = lab.server.submit(TALKS, terminal=True, resources={"gpus": 1})
    wait_for(lambda: "ready" in lab.server.log_of(job))
    lab.server.wait_state(job, "running")
    task, gpus = f"{job}-1", lab.server.log_of(job).split()[1]
    assert gpus
    point = lab.server.get(f"/tasks/{task}/attach")
    assert (point["node"], point["kind"], point["sign_in"]) == ("gpu1", "hosts", False)
    with lab.person("attach", task) as me:
        me.sees("ready")
        me.type("one\r")
        me.sees("heard one 100")
        me.resize(30, 66)
        wait_for(lambda: me.says("again", "heard again 66"))
        me.type(LEAVE)
        me.sees("which goes on]")
        assert me.ends() == 0
    with lab.person("attach", task, "--shell") as me:
        me.sees("a shell beside it")
        me.type("echo =$CUDA_VISIBLE_DEVICES=$PADDOCK_TASK=; exit 4\r")
        me.sees(f"={gpus}={task}=")
        assert me.ends() == 4
    with lab.person("attach", task, "--", "cat", "/proc/self/cmdline") as me:
        me.sees("cat")
        assert me.ends() == 0
    with lab.person("attach", task) as me:
        me.sees("heard one")
        me.type("end\r")
        me.sees("exit code 7")
        assert me.ends() == 7


def test_a_shell_is_held_on_a_host(lab: Lab) -> None:
    with lab.person("shell", "--gpus", "1", "--for", "5m") as me:
        me.sees("its terminal")
        me.type("echo =$CUDA_VISIBLE_DEVICES=$PADDOCK_DEVICE=; exit\r")
        me.sees("=gpu ")
        me.sees("exit code 0]")
        assert me.ends() == 0
