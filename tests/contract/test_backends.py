"""What every backend promises. A new one gets a rig and a subclass of each class here."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from paddock.backends import processes
from paddock.backends.base import Backend
from paddock.backends.local import LocalBackend
from paddock.models import AllocationSpec, AllocationState, AllocationStatus, Cause, Device
from paddock.settings import LocalSettings

T = TypeVar("T")
PENDING, RUNNING, ENDED = AllocationState.PENDING, AllocationState.RUNNING, AllocationState.ENDED
SLEEPER = ["/bin/sleep", "300"]


def eventually(answer: Callable[[], T | None], seconds: float = 20) -> T:
    """The first answer that is true."""
    end = time.monotonic() + seconds
    while not (found := answer()):
        assert time.monotonic() < end, f"still {found!r} after {seconds} s"
        time.sleep(0.02)
    return found


class Rig(ABC):
    """A place to run, and backends that are opened on it one after the other, as a server that is restarted does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: list[Backend] = []
        self.keys: list[str] = []
        self._token = secrets.token_hex(8)

    @abstractmethod
    def make(self, slots: int, gpus: list[str]) -> Backend: ...

    def open(self, slots: int = 2, gpus: Sequence[str] = ()) -> Backend:
        self.opened.append(self.make(slots, list(gpus)))
        return self.opened[-1]

    def spec(self, name: str, command: list[str], *, gpus: int = 0, cpus: int = 1) -> AllocationSpec:
        """With a key of its own on this machine: tests beside this one must not be told apart by luck."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        key = f"{self._token}-{name}"
        self.keys.append(key)
        return AllocationSpec(key=key, name=name, folder=str(folder), runner=command, gpus=gpus, cpus=cpus)

    def shell(self, name: str, text: str, *, gpus: int = 0, cpus: int = 1) -> AllocationSpec:
        return self.spec(name, ["/bin/sh", "-c", text], gpus=gpus, cpus=cpus)

    def close(self) -> None:
        for backend in self.opened:
            backend.cancel(self.keys)
        for backend in self.opened:
            eventually(lambda backend=backend: ended(backend, self.keys))  # type: ignore[misc]


def states(backend: Backend, *ids: str) -> list[AllocationState | None]:
    found = backend.poll(ids)
    return [found[one].state if one in found else None for one in ids]


def ended(backend: Backend, ids: Sequence[str]) -> bool:
    return all(state in (ENDED, None) for state in states(backend, *ids))


def wait_end(backend: Backend, one: str) -> AllocationStatus:
    return eventually(lambda: next((s for s in backend.poll([one]).values() if s.state is ENDED), None))


def wait_file(path: Path) -> str:
    return eventually(lambda: path.read_text().strip() if path.exists() else "")


class BackendContract:
    @pytest.fixture
    def rig(self, tmp_path: Path) -> Iterator[Rig]:
        raise NotImplementedError

    @pytest.fixture
    def backend(self, rig: Rig) -> Backend:
        return rig.open()

    def test_runs_the_command_in_its_folder_and_says_when_it_has_ended(self, rig: Rig, backend: Backend) -> None:
        one = backend.submit(rig.shell("a1", "pwd; echo oops >&2; touch here"))
        status = wait_end(backend, one)
        assert (status.state, status.cause) == (ENDED, None)
        assert status.node == socket.gethostname()
        assert (rig.folder / "a1" / "here").exists()
        assert (rig.folder / "a1" / "out.log").read_text() == f"{rig.folder}/a1\noops\n"

    def test_the_exit_code_of_a_runner_is_no_business_of_the_backend(self, rig: Rig, backend: Backend) -> None:
        one = backend.submit(rig.shell("a1", "exit 3"))
        assert wait_end(backend, one).state is ENDED

    def test_submit_is_idempotent_on_the_key(self, rig: Rig, backend: Backend) -> None:
        spec = rig.shell("a1", "echo x >> ran; sleep 0.2")
        ids = {backend.submit(spec) for _ in range(3)}
        assert len(ids) == 1
        wait_end(backend, *ids)
        assert {backend.submit(spec)} == ids
        assert states(backend, *ids) == [ENDED]
        assert (rig.folder / "a1" / "ran").read_text() == "x\n"

    def test_what_is_not_known_is_absent(self, rig: Rig, backend: Backend) -> None:
        one = backend.submit(rig.spec("a1", SLEEPER))
        assert set(backend.poll(["nope", one, "a1-not"])) == {one}
        assert backend.poll([]) == {}

    def test_an_end_is_kept_until_it_was_told(self, rig: Rig, backend: Backend) -> None:
        """The caller learns the id of an allocation after others were polled: its end must not be lost meanwhile."""
        one = backend.submit(rig.shell("a1", "true"))
        for _ in range(5):
            backend.poll([])
            time.sleep(0.02)
        wait_end(backend, one)

    def test_ended_only_when_nothing_of_it_runs(self, rig: Rig, backend: Backend) -> None:
        text = "(setsid sh -c 'echo $$ > left; exec sleep 300' &) ; while [ ! -s left ]; do sleep 0.01; done"
        one = backend.submit(rig.shell("a1", text))
        left = int(wait_file(rig.folder / "a1" / "left"))
        wait_end(backend, one)
        assert processes.started(left) is None

    def test_leftovers_of_a_killed_runner_are_ended_with_it(self, rig: Rig, backend: Backend) -> None:
        child = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.setsid(); "
        child += "open('child', 'w').write(str(os.getpid())); time.sleep(300)"
        code = f"import os, subprocess, sys; p = subprocess.Popen([sys.executable, '-I', '-S', '-c', {child!r}]); "
        code += "open('runner', 'w').write(str(os.getpid())); p.wait()"
        one = backend.submit(rig.spec("a1", [sys.executable, "-I", "-S", "-c", code]))
        runner, left = (int(wait_file(rig.folder / "a1" / name)) for name in ("runner", "child"))
        assert states(backend, one) == [RUNNING]
        os.kill(runner, signal.SIGKILL)
        wait_end(backend, one)
        assert processes.started(left) is None

    def test_not_ended_while_a_leftover_cannot_be_killed(
        self, rig: Rig, backend: Backend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        text = "(setsid sh -c 'echo $$ > left; exec sleep 300' &) ; while [ ! -s left ]; do sleep 0.01; done"
        with monkeypatch.context() as patched:  # a process in a system call that does not return stays for a while
            patched.setattr(processes, "kill_marked", lambda key: [])
            one = backend.submit(rig.shell("a1", text))
            left = int(wait_file(rig.folder / "a1" / "left"))
            time.sleep(0.2)
            assert states(backend, one) == [RUNNING]
            assert processes.started(left) is not None
        wait_end(backend, one)
        assert processes.started(left) is None

    def test_processes_of_others_are_left_alone(self, rig: Rig, backend: Backend) -> None:
        first = backend.submit(rig.shell("a1", "sleep 0.1"))
        second = backend.submit(rig.spec("a10", SLEEPER))
        wait_end(backend, first)
        assert states(backend, second) == [RUNNING]

    def test_a_command_that_cannot_be_started(self, rig: Rig, backend: Backend) -> None:
        one = backend.submit(rig.spec("a1", [str(rig.folder / "no such program")]))
        status = wait_end(backend, one)
        assert status.cause is Cause.LAUNCH_FAILED
        assert "no such program" in (status.reason or "")
        after = backend.submit(rig.shell("a2", "true"))
        assert wait_end(backend, after).cause is None

    def test_cancel_of_a_running_one(self, rig: Rig, backend: Backend) -> None:
        one = backend.submit(
            rig.shell("a1", "trap 'echo told > told; exit 0' TERM; touch up; while :; do sleep 0.05; done")
        )
        eventually((rig.folder / "a1" / "up").exists)
        backend.cancel([one])
        wait_end(backend, one)
        assert (rig.folder / "a1" / "told").exists()  # it was asked, not killed

    def test_cancel_of_ended_and_unknown_ones_is_nothing(self, rig: Rig, backend: Backend) -> None:
        one = backend.submit(rig.shell("a1", "true"))
        wait_end(backend, one)
        backend.cancel([one, "nope"])
        backend.cancel([])
        assert states(backend, one) == [ENDED]


class QueueContract:
    """For backends whose size we decide on."""

    def test_first_come_first_served(self, rig: Rig) -> None:
        backend = rig.open(slots=1)
        log = rig.folder / "order"
        ids = [backend.submit(rig.shell(key, f"echo {key} >> {log}; sleep 0.05")) for key in ("c", "a", "b", "a10")]
        assert states(backend, *ids) == [RUNNING, PENDING, PENDING, PENDING]
        eventually(lambda: ended(backend, ids))
        assert log.read_text().split() == ["c", "a", "b", "a10"]

    def test_a_wide_one_is_not_overtaken_for_ever(self, rig: Rig) -> None:
        backend = rig.open(slots=2)
        first = backend.submit(rig.shell("a1", "sleep 0.3"))
        wide = backend.submit(rig.spec("a2", SLEEPER, cpus=2))
        small = backend.submit(rig.spec("a3", SLEEPER))
        assert states(backend, first, wide, small) == [RUNNING, PENDING, PENDING]
        wait_end(backend, first)
        assert states(backend, wide, small) == [RUNNING, PENDING]

    def test_one_that_waits_for_a_gpu_does_not_hold_up_one_that_needs_none(self, rig: Rig) -> None:
        backend = rig.open(slots=1, gpus=["0"])
        ids = [backend.submit(rig.spec(f"a{i}", SLEEPER, gpus=gpus)) for i, gpus in enumerate((1, 1, 0, 0))]
        assert states(backend, *ids) == [RUNNING, PENDING, RUNNING, PENDING]

    def test_cancel_of_a_waiting_one_never_runs_it(self, rig: Rig) -> None:
        backend = rig.open(slots=1)
        first = backend.submit(rig.shell("a1", "sleep 0.2"))
        second = backend.submit(rig.shell("a2", "touch ran"))
        third = backend.submit(rig.shell("a3", "touch ran"))
        backend.cancel([second])
        assert states(backend, first, second, third) == [RUNNING, ENDED, PENDING]
        wait_end(backend, third)
        assert not (rig.folder / "a2" / "ran").exists()

    def test_each_has_a_gpu_of_its_own(self, rig: Rig) -> None:
        backend = rig.open(gpus=["0", "1"])
        lock = f"{rig.folder}/gpu-$CUDA_VISIBLE_DEVICES"
        text = f'echo "$CUDA_VISIBLE_DEVICES" > gpu; mkdir "{lock}" || touch clash; sleep 0.1; rmdir "{lock}"'
        ids = [backend.submit(rig.shell(f"a{i}", text, gpus=1)) for i in range(5)]
        eventually(lambda: ended(backend, ids))
        assert not list(rig.folder.glob("*/clash"))
        given = [(rig.folder / f"a{i}" / "gpu").read_text().strip() for i in range(5)]
        assert set(given) == {"0", "1"}

    def test_two_gpus_and_none(self, rig: Rig) -> None:
        backend = rig.open(gpus=["GPU-aa", "GPU-bb", "GPU-cc"])
        text = 'echo "gpus=${CUDA_VISIBLE_DEVICES-unset}" > gpus'
        wait_end(backend, backend.submit(rig.shell("a1", text, gpus=2)))
        wait_end(backend, backend.submit(rig.shell("a2", text)))
        assert (rig.folder / "a1" / "gpus").read_text() == "gpus=GPU-aa,GPU-bb\n"
        assert (rig.folder / "a2" / "gpus").read_text() == "gpus=\n"

    def test_nodes_show_what_is_used(self, rig: Rig) -> None:
        backend = rig.open(slots=3, gpus=["0", "1"])

        def used() -> dict[tuple[str, str], list[str]]:
            [node] = backend.nodes()
            assert node.slots_used == sum(bool(d.used_by) for d in node.devices if d.kind == "gpu")
            return {(device.kind, device.id): device.used_by for device in node.devices}

        [node] = backend.nodes()
        assert (node.slots, node.slots_used, node.backend) == (2, 0, backend.name)
        assert [d.kind for d in node.devices] == ["gpu", "gpu", "cpu", "cpu", "cpu"]
        assert all(isinstance(device, Device) for device in node.devices)
        g = backend.submit(rig.spec("g", SLEEPER, gpus=1))
        c = backend.submit(rig.spec("c", SLEEPER, cpus=2))
        waits = backend.submit(rig.spec("waits", SLEEPER, gpus=2))
        assert used() == {
            ("gpu", "0"): [rig.keys[0]],
            ("gpu", "1"): [],
            ("cpu", "0"): [rig.keys[1]],
            ("cpu", "1"): [rig.keys[1]],
            ("cpu", "2"): [],
        }
        backend.cancel([g, c, waits])
        eventually(lambda: ended(backend, [g, c, waits]))
        assert not any(used().values())

    def test_without_gpus_the_slots_are_those_of_the_cpu(self, rig: Rig) -> None:
        [node] = rig.open(slots=3).nodes()
        assert (node.slots, [device.kind for device in node.devices]) == (3, ["cpu"] * 3)


class RestartContract:
    """The server is killed and started again; what it had asked for goes on."""

    def test_running_stays_running_and_waiting_stays_waiting(self, rig: Rig) -> None:
        before = rig.open(slots=1)
        first = before.submit(rig.shell("a1", "echo x >> ran; while [ ! -e go ]; do sleep 0.02; done"))
        second = before.submit(rig.shell("a2", "echo x >> ran"))
        wait_file(rig.folder / "a1" / "ran")
        after = rig.open(slots=1)
        assert states(after, first, second) == [RUNNING, PENDING]
        assert after.nodes()[0].slots_used == 1
        (rig.folder / "a1" / "go").touch()
        wait_end(after, second)
        assert states(after, first, second) == [ENDED, ENDED]
        assert [(rig.folder / key / "ran").read_text() for key in ("a1", "a2")] == ["x\n", "x\n"]

    def test_an_end_meanwhile_is_seen(self, rig: Rig) -> None:
        before = rig.open()
        one = before.submit(rig.shell("a1", "echo $$ > pid"))
        pid = int(wait_file(rig.folder / "a1" / "pid"))
        eventually(lambda: processes.started(pid) is None)
        assert states(rig.open(), one) == [ENDED]

    def test_an_end_that_was_seen_stays(self, rig: Rig) -> None:
        before = rig.open()
        one = before.submit(rig.spec("a1", ["/no/such/program"]))
        wait_end(before, one)
        assert rig.open().poll([one])[one].cause is Cause.LAUNCH_FAILED

    def test_submit_again_after_it(self, rig: Rig) -> None:
        spec = rig.shell("a1", "echo x >> ran; sleep 0.2")
        rig.open().submit(spec)
        after = rig.open()
        wait_end(after, after.submit(spec))
        assert (rig.folder / "a1" / "ran").read_text() == "x\n"

    def test_a_running_one_can_be_cancelled(self, rig: Rig) -> None:
        one = rig.open().submit(rig.spec("a1", SLEEPER))
        after = rig.open()
        after.cancel([one])
        wait_end(after, one)


KILLED_SERVER = """
import os, pathlib, sys
from paddock.backends import local, processes
processes.started = lambda pid: os._exit(9)
settings = local.LocalSettings(slots=1, gpus=["0"])
spec = local.AllocationSpec.model_validate_json(sys.argv[2])
local.LocalBackend(pathlib.Path(sys.argv[1]), settings).submit(spec)
"""


class LocalRig(Rig):
    def make(self, slots: int, gpus: list[str]) -> Backend:
        return LocalBackend(self.folder / "queue", LocalSettings(slots=slots, gpus=gpus))


class TestLocalBackend(BackendContract, QueueContract, RestartContract):
    @pytest.fixture
    def rig(self, tmp_path: Path) -> Iterator[Rig]:
        rig = LocalRig(tmp_path)
        yield rig
        rig.close()

    def submit_and_die(self, rig: Rig, spec: AllocationSpec) -> None:
        """A server that is killed when it has started the runner and not yet written down its id."""
        server = [sys.executable, "-c", KILLED_SERVER, str(rig.folder / "queue"), spec.model_dump_json()]
        assert subprocess.run(server, check=False).returncode == 9

    def test_a_runner_is_found_again_without_its_id(self, rig: Rig) -> None:
        spec = rig.shell("a1", "echo x >> ran; while [ ! -e go ]; do sleep 0.02; done")
        self.submit_and_die(rig, spec)
        wait_file(rig.folder / "a1" / "ran")
        after = rig.open()
        one = after.submit(spec)
        assert states(after, one) == [RUNNING]
        (rig.folder / "a1" / "go").touch()
        wait_end(after, one)
        assert (rig.folder / "a1" / "ran").read_text() == "x\n"

    @pytest.mark.parametrize("gpus", [0, 1])
    def test_and_keeps_its_place(self, rig: Rig, gpus: int) -> None:
        self.submit_and_die(rig, rig.spec("a1", SLEEPER, gpus=gpus))
        after = rig.open(1, ["0"])
        after.submit(rig.spec("a2", SLEEPER, gpus=gpus))
        assert states(after, *rig.keys) == [RUNNING, PENDING]

    def test_a_new_process_with_the_same_id_is_not_taken_for_the_runner(self, rig: Rig) -> None:
        before = rig.open()
        one = before.submit(rig.shell("a1", "true"))
        wait_end(before, one)
        kept = rig.folder / "queue" / f"{one}.json"
        text = kept.read_text()
        pid = text.split('"pid": ')[1].split(",")[0]
        kept.write_text(text.replace(f'"pid": {pid}', f'"pid": {os.getpid()}').replace('"ended"', '"running"'))
        assert states(rig.open(), one) == [ENDED]

    def test_a_damaged_file_does_not_keep_the_server_from_starting(self, rig: Rig) -> None:
        before = rig.open()
        one = before.submit(rig.spec("a1", SLEEPER))
        for name, text in {"x.json": "", "y.json": '{"key": 1', "z.json": "[]", "w.json": '{"strange": 1}'}.items():
            (rig.folder / "queue" / name).write_text(text)
        assert states(rig.open(), one) == [RUNNING]

    def test_only_the_owner_can_read_the_queue(self, rig: Rig) -> None:
        one = rig.open().submit(rig.spec("a1", SLEEPER))
        assert (rig.folder / "queue").stat().st_mode & 0o777 == 0o700
        assert (rig.folder / "queue" / f"{one}.json").stat().st_mode & 0o777 == 0o600

    def test_what_was_told_and_is_no_longer_asked_for_is_forgotten(self, rig: Rig) -> None:
        backend = rig.open()
        one = backend.submit(rig.shell("a1", "true"))
        wait_end(backend, one)
        backend.poll([])
        assert list((rig.folder / "queue").iterdir()) == []
