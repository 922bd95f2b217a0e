"""Test the local backend: the contract of every backend, and what only the local one does."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.backends import processes
from paddock.backends.base import Backend
from paddock.backends.local import LocalBackend
from paddock.models import AllocationBatch, Cause
from paddock.settings import LocalSettings
from tests.backends.contract import (
    LEAVES_A_CHILD,
    SLEEPER,
    BackendContract,
    BatchContract,
    QueueContract,
    RestartContract,
)
from tests.backends.rig import ENDED, PENDING, RUNNING, Rig, states

KILLED_SERVER = """
import os, pathlib, sys
from paddock.backends import local, processes
processes.started = lambda pid: os._exit(9)
settings = local.LocalSettings(slots=1, gpus=["0"])
batch = local.AllocationBatch.model_validate_json(sys.argv[2])
local.LocalBackend(pathlib.Path(sys.argv[1]), settings).submit(batch)
"""


class LocalRig(Rig):
    def make(self, slots: int, gpus: list[str]) -> Backend:
        return LocalBackend(self.folder / "queue", LocalSettings(slots=slots, gpus=gpus))

    def node_names(self) -> set[str]:
        return {socket.gethostname()}

    def batch(self, name: str, command: list[str], *, count: int = 1, gpus: int = 0, cpus: int = 1) -> AllocationBatch:
        made = super().batch(name, command, count=count, gpus=gpus, cpus=cpus)
        self.ids += made.keys  # also of those that a killed server submitted
        return made


class TestLocalBackend(BackendContract, BatchContract, QueueContract, RestartContract):
    @pytest.fixture
    def rig(self, tmp_path: Path) -> Iterator[Rig]:
        rig = LocalRig(tmp_path)
        yield rig
        rig.close()

    def submit_and_die(self, rig: Rig, batch: AllocationBatch) -> None:
        """A server that is killed when it has started the runner and not yet written down its id."""
        server = [sys.executable, "-c", KILLED_SERVER, str(rig.folder / "queue"), batch.model_dump_json()]
        assert subprocess.run(server, check=False).returncode == 9

    def test_it_takes_all_of_a_batch_and_knows_them_by_their_keys(self, rig: Rig, backend: Backend) -> None:
        batch = rig.batch("a1", SLEEPER, count=5)
        assert rig.submit(backend, batch) == batch.keys
        assert states(backend, *batch.keys) == [RUNNING, RUNNING, PENDING, PENDING, PENDING]

    def test_a_command_that_cannot_be_started_is_told_with_its_cause(self, rig: Rig, backend: Backend) -> None:
        status = rig.wait_end(backend, rig.one(backend, rig.batch("a1", [str(rig.folder / "no such program")])))
        assert status.cause is Cause.LAUNCH_FAILED
        assert "no such program" in (status.reason or "")

    def test_not_ended_while_a_leftover_cannot_be_killed(
        self, rig: Rig, backend: Backend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patched:  # a process in a system call that does not return stays for a while
            patched.setattr(processes, "kill_marked", lambda key: None)
            one = rig.one(backend, rig.shell("a1", LEAVES_A_CHILD))
            left = int(rig.wait_file(rig.of("a1") / "left"))
            time.sleep(0.2)
            assert states(backend, one) == [RUNNING]
            assert processes.started(left) is not None
        rig.wait_end(backend, one)
        assert processes.started(left) is None

    def test_a_runner_is_found_again_without_its_id(self, rig: Rig) -> None:
        batch = rig.shell("a1", "echo x >> ran; while [ ! -e go ]; do sleep 0.02; done")
        self.submit_and_die(rig, batch)
        rig.wait_file(rig.of("a1") / "ran")
        after = rig.open()
        one = rig.one(after, batch)
        assert states(after, one) == [RUNNING]
        (rig.of("a1") / "go").touch()
        rig.wait_end(after, one)
        assert (rig.of("a1") / "ran").read_text() == "x\n"

    def test_so_is_one_of_a_batch_and_the_others_follow(self, rig: Rig) -> None:
        batch = rig.shell("a1", "echo x >> ran; while [ ! -e ../go ]; do sleep 0.02; done", count=3)
        self.submit_and_die(rig, batch)
        after = rig.open()
        ids = rig.submit(after, batch)
        assert states(after, *ids) == [RUNNING, RUNNING, PENDING]
        (rig.folder / "go").touch()
        rig.eventually(lambda: states(after, *ids) == [ENDED] * 3)
        assert [(rig.of("a1", n) / "ran").read_text() for n in range(3)] == ["x\n"] * 3

    @pytest.mark.parametrize("gpus", [0, 1])
    def test_and_keeps_its_place(self, rig: Rig, gpus: int) -> None:
        first, second = (rig.batch(name, SLEEPER, gpus=gpus) for name in ("a1", "a2"))
        self.submit_and_die(rig, first)
        after = rig.open(1, ["0"])
        rig.submit(after, second)
        assert states(after, *first.keys, *second.keys) == [RUNNING, PENDING]

    def test_a_new_process_with_the_same_id_is_not_taken_for_the_runner(self, rig: Rig) -> None:
        before = rig.open()
        one = rig.one(before, rig.shell("a1", "true"))
        rig.wait_end(before, one)
        kept = rig.folder / "queue" / f"{one}.json"
        text = kept.read_text()
        pid = text.split('"pid": ')[1].split(",")[0]
        kept.write_text(text.replace(f'"pid": {pid}', f'"pid": {os.getpid()}').replace('"ended"', '"running"'))
        assert states(rig.open(), one) == [ENDED]

    def test_a_damaged_file_does_not_keep_the_server_from_starting(self, rig: Rig) -> None:
        before = rig.open()
        one = rig.one(before, rig.batch("a1", SLEEPER))
        for name, text in {"x.json": "", "y.json": '{"key": 1', "z.json": "[]", "w.json": '{"strange": 1}'}.items():
            (rig.folder / "queue" / name).write_text(text)
        assert states(rig.open(), one) == [RUNNING]

    @pytest.mark.parametrize("state", ["pending", "running"])
    def test_what_an_older_version_kept_is_understood(self, rig: Rig, state: str) -> None:
        """One file an allocation, with the whole request in it, and nothing of holding."""
        batch = rig.shell("a1", "echo x >> ran; while [ ! -e go ]; do sleep 0.02; done")
        key, folder = batch.keys[0], batch.folder_of(0)
        spec = {"key": key, "name": "old", "folder": folder, "runner": batch.runner, "gpus": 0, "cpus": 1}
        entry = {"key": key, "order": 1.5, "spec": spec, "state": "pending", "pid": None, "start": None}
        entry |= {"devices": [], "slots": [], "reason": None, "cause": None}
        if state == "running":
            self.submit_and_die(rig, batch)
            rig.wait_file(rig.of("a1") / "ran")
            kept = json.loads((rig.folder / "queue" / f"{key}.json").read_text())
            [pid] = processes.marked(key)[:1]
            entry |= {"state": "running", "pid": pid, "start": processes.started(pid), "slots": kept["slots"]}
        (rig.folder / "queue").mkdir(exist_ok=True)
        (rig.folder / "queue" / f"{key}.json").write_text(json.dumps(entry))
        backend = rig.open(slots=1)
        rig.wait_state(backend, key, RUNNING)
        later = rig.one(backend, rig.batch("a2", SLEEPER))
        assert states(backend, key, later) == [RUNNING, PENDING]
        (rig.of("a1") / "go").touch()
        rig.wait_end(backend, key)
        assert (rig.of("a1") / "ran").read_text() == "x\n"

    def test_only_the_owner_can_read_the_queue(self, rig: Rig) -> None:
        one = rig.one(rig.open(), rig.batch("a1", SLEEPER))
        assert (rig.folder / "queue").stat().st_mode & 0o777 == 0o700
        assert (rig.folder / "queue" / f"{one}.json").stat().st_mode & 0o777 == 0o600

    def test_what_was_told_and_is_no_longer_asked_for_is_forgotten(self, rig: Rig) -> None:
        backend = rig.open()
        one = rig.one(backend, rig.shell("a1", "true"))
        rig.wait_end(backend, one)
        backend.poll([])
        assert list((rig.folder / "queue").iterdir()) == []
