"""Test the backend of hosts on real sshd: the contract of every backend, and what hosts do that one node does not."""

import json
import os
import pwd
import shutil
import signal
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

import pytest

from paddock.backends import processes
from paddock.backends.base import Backend
from paddock.backends.hosts import machine
from paddock.backends.hosts.backend import HostsBackend
from paddock.common.processes import children, read
from paddock.errors import BackendUnavailable
from paddock.models import AllocationBatch, Cause, Place
from paddock.models.hosts import ListedHost
from paddock.settings import TeamSettings
from tests.backends.contract import SLEEPER, BackendContract, BareContract, BatchContract, RestartContract, placed
from tests.backends.hosts_rig import HostsRig
from tests.backends.rig import ENDED, RUNNING, Rig, states
from tests.support.server import wait_for
from tests.support.sshd import NEEDS_SSHD, SshRig, ssh_hosts
from tests.team.unix_users import ROOT, unix_users

pytestmark = NEEDS_SSHD


@pytest.fixture(scope="module")
def ssh() -> Iterator[SshRig]:
    with ssh_hosts(2) as made:
        yield made


class TestHostsBackend(BackendContract, BatchContract, BareContract, RestartContract):
    @pytest.fixture
    def rig(self, tmp_path: Path, ssh: SshRig) -> Iterator[Rig]:
        rig = HostsRig(tmp_path, ssh)
        yield rig
        rig.close()

    def test_two_gpus_and_none(self, rig: Rig) -> None:
        backend = rig.open(gpus=["0", "1", "2"])
        text = 'echo "gpus=${CUDA_VISIBLE_DEVICES-unset} cores=$PADDOCK_CORES" > gpus'
        rig.wait_end(backend, rig.one(backend, rig.shell("a1", text, gpus=2)))
        rig.wait_end(backend, rig.one(backend, rig.shell("a2", text)))
        assert (rig.of("a1") / "gpus").read_text().startswith("gpus=0,1 cores=0")
        assert (rig.of("a2") / "gpus").read_text().startswith("gpus= cores=0")

    def test_a_command_that_cannot_be_started_is_told_with_its_cause(self, rig: Rig, backend: Backend) -> None:
        status = rig.wait_end(backend, rig.one(backend, rig.batch("a1", [str(rig.folder / "no such program")])))
        assert status.cause is Cause.LAUNCH_FAILED
        assert "no such program" in (status.reason or "")


@pytest.fixture
def rig(tmp_path: Path, ssh: SshRig, monkeypatch: pytest.MonkeyPatch) -> Iterator[HostsRig]:
    monkeypatch.setattr(machine, "SILENT_SECONDS", 2.0)
    made = HostsRig(tmp_path, ssh, hosts=ssh.names)
    yield made
    for host in ssh.hosts.values():
        host.resume()
    made.close()


@pytest.fixture
def backend(rig: HostsRig) -> HostsBackend:
    made = rig.open(gpus=["0", "1"])
    assert isinstance(made, HostsBackend)
    return made


def state(backend: HostsBackend, host: str) -> str:
    [found] = [one.state for one in backend.hosts() if one.name == host]
    return found


def test_each_host_is_a_node_with_its_devices_and_its_load(rig: HostsRig, backend: HostsBackend) -> None:
    first, second = backend.nodes()
    assert (first.name, second.name) == ("gpu1", "gpu2")
    assert [one.id for one in first.devices] == ["0", "1", "0", "1", "2"]
    assert [one.uuid for one in second.devices if one.kind == "gpu"] == ["GPU-gpu2-00000000", "GPU-gpu2-00000001"]
    assert first.cpus == os.cpu_count() and first.usable and first.memory_used
    one = rig.one(backend, placed(rig.batch("a1", SLEEPER, gpus=1), ["1"]))
    both = rig.batch("a2", SLEEPER, gpus=1, count=2)
    both = both.model_copy(update={"places": [Place(node="gpu2", devices=["1"]), Place(node="gpu1", devices=["0"])]})
    ids = rig.submit(backend, both)
    assert [status.node for status in backend.poll([one, *ids]).values()] == ["gpu1", "gpu2", "gpu1"]
    used = {node.name: [d.used_by for d in node.devices if d.kind == "gpu"] for node in backend.nodes()}
    assert used == {"gpu1": [[ids[1]], [one]], "gpu2": [[], [ids[0]]]}


def at_gpu1(batch: AllocationBatch) -> AllocationBatch:
    return batch.model_copy(update={"places": [Place(node="gpu1", devices=["1"])]})


def test_a_host_that_does_not_answer_keeps_what_it_has_and_gets_nothing(
    rig: HostsRig, backend: HostsBackend, ssh: SshRig
) -> None:
    one = rig.one(backend, rig.shell("a1", "while [ ! -e go ]; do sleep 0.05; done", gpus=1))
    ssh["gpu1"].stop()
    wait_for(lambda: state(backend, "gpu1") == "silent")
    [status] = backend.poll([one]).values()
    assert (status.state, status.node) == (RUNNING, "gpu1")
    assert (status.reason or "").startswith("gpu1 has not answered since ")
    [silent] = [node for node in backend.nodes() if node.name == "gpu1"]
    assert (silent.usable, silent.state, len(silent.devices)) == (False, "silent", 5)
    assert state(backend, "gpu2") == "up"
    assert backend.submit(at_gpu1(rig.batch("a2", SLEEPER))) == [], "chosen when it answered, and silent since"
    again = rig.begin()  # a restarted server
    assert states(again, one) == [RUNNING]
    assert [len(node.devices) for node in again.nodes()] == [5, 5], "what they have is known all the same"
    again.close()
    (rig.of("a1") / "go").touch()
    ssh["gpu1"].resume()
    rig.wait_end(backend, one)
    assert state(backend, "gpu1") == "up"
    assert backend.poll([one])[one].reason is None


def test_what_was_lost_is_killed_before_the_host_gets_anything(
    rig: HostsRig, backend: HostsBackend, ssh: SshRig
) -> None:
    one = rig.one(backend, rig.shell("a1", "echo $$ > pid; exec sleep 600", gpus=1))
    pid = int(rig.wait_file(rig.of("a1") / "pid"))
    ssh["gpu1"].stop()
    wait_for(lambda: state(backend, "gpu1") == "silent")
    rig.roster.hosts["gpu1"] = ListedHost("gpu1", lost_at=1.0)
    [status] = backend.poll([one]).values()
    assert (status.state, status.cause, status.reason) == (ENDED, Cause.NODE_FAILURE, "gpu1 was declared lost")
    backend.poll([])  # the caller knows
    assert processes.started(pid) is not None
    assert state(backend, "gpu1") == "lost"
    assert backend.submit(at_gpu1(rig.batch("a2", SLEEPER))) == []
    again = rig.folder / "queue" / f"{one}.json"
    assert json.loads(again.read_text())["haunts"]
    ssh["gpu1"].resume()

    def usable() -> bool:
        backend.poll([])
        [node] = [node for node in backend.nodes() if node.name == "gpu1"]
        assert not node.usable or processes.started(pid) is None
        return node.usable

    wait_for(usable)
    assert rig.roster.back == ["gpu1"]
    backend.poll([])
    assert not again.exists()


def test_a_machine_that_was_restarted_has_ended_everything(rig: HostsRig) -> None:
    before = rig.open()
    one = rig.one(before, rig.batch("a1", SLEEPER))
    kept = rig.folder / "queue" / f"{one}.json"
    entry = json.loads(kept.read_text())
    assert entry["boot"]
    kept.write_text(json.dumps({**entry, "boot": "another boot"}))
    status = rig.wait_end(rig.open(), one)
    assert (status.cause, status.reason) == (Cause.NODE_FAILURE, "gpu1 was restarted")


def test_a_host_that_leaves_the_list_ends_what_it_has_and_gets_nothing(rig: HostsRig, backend: HostsBackend) -> None:
    one = rig.one(backend, rig.shell("a1", "while [ ! -e go ]; do sleep 0.05; done"))
    left = rig.roster.hosts.pop("gpu1")
    assert states(backend, one) == [RUNNING]
    assert {node.name: node.usable for node in backend.nodes()} == {"gpu2": True, "gpu1": False}
    assert backend.submit(at_gpu1(rig.batch("a2", SLEEPER))) == []
    (rig.of("a1") / "go").touch()
    rig.wait_end(backend, one)
    assert [node.name for node in backend.nodes()] == ["gpu2"]
    rig.roster.hosts["gpu1"] = replace(left, added_by="anna")
    rig.eventually(lambda: state(backend, "gpu1") == "up")


def test_other_devices_after_a_restart_of_its_agent(rig: HostsRig, backend: HostsBackend, ssh: SshRig) -> None:
    gpus = ssh["gpu1"].gpus
    gpus.make(1, 10**10)
    ssh["gpu1"].cut()
    rig.eventually(lambda: [len(node.devices) for node in backend.nodes()] == [4, 5])
    assert rig.submit(backend, placed(rig.batch("a1", SLEEPER, gpus=1), ["1"])) == []


def test_ssh_that_is_killed_or_stopped_changes_nothing(rig: HostsRig, backend: HostsBackend, ssh: SshRig) -> None:
    text = "echo x >> ran; while [ ! -e go ]; do sleep 0.05; done"
    one = rig.one(backend, rig.shell("a1", text))
    for number in (signal.SIGKILL, signal.SIGSTOP):
        clients = rig.eventually(lambda: _ssh_clients(ssh, 2))
        for pid in clients:
            os.kill(pid, number)
        rig.eventually(partial(_ssh_clients, ssh, 2, without=clients))  # others have taken their place
        rig.eventually(lambda: backend.poll([one]) and [host.state for host in backend.hosts()] == ["up", "up"])
        assert states(backend, one) == [RUNNING]
    (rig.of("a1") / "go").touch()
    rig.wait_end(backend, one)
    assert (rig.of("a1") / "ran").read_text() == "x\n"


def _ssh_clients(ssh: SshRig, count: int, without: Collection[int] = ()) -> list[int] | None:
    """Return the processes of ssh that this process has started, if there are so many and none of `without`."""
    config = str(ssh.folder / "config").encode()
    found = [pid for pid in children(os.getpid()) if config in read(f"/proc/{pid}/cmdline").split(b"\0")]
    return found if len(found) == count and set(found).isdisjoint(without) else None


def test_without_hosts_it_says_what_to_do(tmp_path: Path, ssh: SshRig) -> None:
    rig = HostsRig(tmp_path, ssh, hosts=[])
    with pytest.raises(BackendUnavailable, match="it has no hosts: `paddock hosts add NAME`"):
        rig.open().nodes()
    rig.close()


@ROOT
@pytest.mark.parametrize("how", ["ssh", "sudo"])
def test_runners_of_two_people_are_their_own_processes(tmp_path: Path, how: Literal["ssh", "sudo"]) -> None:
    with unix_users() as users, ssh_hosts(1, login=users.service, reader=users.service) as ssh:
        rig = HostsRig(tmp_path, ssh)
        rig.team = TeamSettings(agent=users.agent)
        rig.settings = rig.settings.model_copy(update={"as_user": how, "folder": "~/jobs", "shared_home": False})
        backend = rig.open()
        try:
            pids = {}
            for number, user in enumerate((users.alice, users.bob)):
                own = users.home(user) / "jobs"
                (own / "a1.0").mkdir(parents=True)
                for path in (own, own / "a1.0"):
                    shutil.chown(path, user)
                    path.chmod(0o700)
                batch = rig.shell(f"b{number}", "echo $$ > pid; exec sleep 600")
                places = [Place(node="gpu1", devices=[str(number)])]
                batch = batch.model_copy(update={"folder": str(own / "a1"), "places": places, "user": user})
                rig.ids += backend.submit(batch)
                pids[user] = int(rig.wait_file(own / "a1.0/pid"))
                rig.wait_state(backend, batch.keys[0], RUNNING)
            for user, pid in pids.items():
                assert os.stat(f"/proc/{pid}").st_uid == pwd.getpwnam(user).pw_uid
        finally:
            rig.close()
        assert [processes.started(pid) for pid in pids.values()] == [None, None]
