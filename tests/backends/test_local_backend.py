"""Test the local backend: the contract of every backend, and what only the local one does."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from paddock.backends import processes
from paddock.backends.base import Backend
from paddock.backends.local import LocalBackend
from paddock.models import AllocationBatch, Cause, Place
from paddock.settings import LocalSettings
from tests.backends.contract import (
    LEAVES_A_CHILD,
    SLEEPER,
    BackendContract,
    BareContract,
    BatchContract,
    RestartContract,
    placed,
)
from tests.backends.rig import ENDED, RUNNING, Rig, states

KILLED_SERVER = """
import os, pathlib, sys
from paddock.backends import local, processes
processes.started = lambda pid: os._exit(9)
settings = local.LocalSettings(slots=1, gpus=["0"])
batch = local.AllocationBatch.model_validate_json(sys.argv[2])
local.LocalBackend(pathlib.Path(sys.argv[1]), settings).submit(batch)
"""


class LocalRig(Rig):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.chosen: dict[str, list[Place]] = {}

    def make(self, slots: int, gpus: list[str]) -> Backend:
        return LocalBackend(self.folder / "queue", LocalSettings(slots=slots, gpus=gpus))

    def node_names(self) -> set[str]:
        return {socket.gethostname()}

    def open(self, slots: int = 3, gpus: Sequence[str] = ()) -> Backend:
        return super().open(slots, gpus)

    def submit(self, backend: Backend, batch: AllocationBatch) -> list[str]:
        """Submit to free devices, as the engine would, unless the test has chosen others; the same ones each time."""
        if batch.key not in self.chosen:
            kind, each = ("gpu", batch.resources.gpus) if batch.resources.gpus else ("cpu", batch.resources.cpus or 1)
            free = [d.id for node in backend.nodes() for d in node.devices if d.kind == kind and not d.used_by]
            count = min(batch.count, len(free) // each)
            parts = [free[n * each : (n + 1) * each] for n in range(count)]
            self.chosen[batch.key] = [Place(node="here", devices=one) for one in parts]
        if "places" not in batch.model_fields_set:
            batch = batch.model_copy(update={"places": self.chosen[batch.key]})
        return super().submit(backend, batch)

    def batch(self, name: str, command: list[str], *, count: int = 1, gpus: int = 0, cpus: int = 1) -> AllocationBatch:
        made = super().batch(name, command, count=count, gpus=gpus, cpus=cpus)
        self.ids += made.keys  # also of those that a killed server submitted
        return made


class TestLocalBackend(BackendContract, BatchContract, BareContract, RestartContract):
    @pytest.fixture
    def rig(self, tmp_path: Path) -> Iterator[Rig]:
        rig = LocalRig(tmp_path)
        yield rig
        rig.close()

    def submit_and_die(self, rig: Rig, batch: AllocationBatch) -> None:
        """A server that is killed when it has started the runner and not yet written down its id."""
        server = [sys.executable, "-c", KILLED_SERVER, str(rig.folder / "queue"), batch.model_dump_json()]
        assert subprocess.run(server, check=False).returncode == 9

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
        batch = placed(batch, ["0"])
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
        batch = placed(batch, ["0"], ["1"], ["2"])
        self.submit_and_die(rig, batch)
        after = rig.open()
        ids = rig.submit(after, batch)
        assert states(after, *ids) == [RUNNING] * 3
        (rig.folder / "go").touch()
        rig.eventually(lambda: states(after, *ids) == [ENDED] * 3)
        assert [(rig.of("a1", n) / "ran").read_text() for n in range(3)] == ["x\n"] * 3

    @pytest.mark.parametrize("gpus", [0, 1])
    def test_and_keeps_its_place(self, rig: Rig, gpus: int) -> None:
        first, second = (placed(rig.batch(name, SLEEPER, gpus=gpus), ["0"]) for name in ("a1", "a2"))
        self.submit_and_die(rig, first)
        after = rig.open(1, ["0"])
        assert rig.submit(after, second) == []
        assert states(after, *first.keys) == [RUNNING]

    def test_a_server_that_is_killed_before_the_start_starts_it_when_asked_again(self, rig: Rig) -> None:
        batch = placed(rig.shell("a1", "echo x >> ran"), ["0"])
        rig.open()
        spec = {"folder": batch.folder_of(0), "runner": batch.command_of(0), "grace": 1.0}
        entry = {"key": batch.keys[0], "spec": spec, "state": "pending", "slots": [0]}
        (rig.folder / "queue" / f"{batch.keys[0]}.json").write_text(json.dumps(entry))
        after = rig.open()
        assert after.poll(batch.keys) == {}
        rig.wait_end(after, rig.one(after, batch))
        assert (rig.of("a1") / "ran").read_text() == "x\n"

    def test_what_an_older_version_had_started_goes_on(self, rig: Rig) -> None:
        batch = placed(rig.shell("a1", "echo x >> ran; while [ ! -e go ]; do sleep 0.02; done"), ["0"])
        entry = self.old_entry(rig, batch)
        self.submit_and_die(rig, batch)
        rig.wait_file(rig.of("a1") / "ran")
        [pid] = processes.marked(batch.keys[0])[:1]
        entry |= {"state": "running", "pid": pid, "start": processes.started(pid), "slots": [0]}
        (rig.folder / "queue" / f"{batch.keys[0]}.json").write_text(json.dumps(entry))
        backend = rig.open(slots=1)
        assert states(backend, *batch.keys) == [RUNNING]
        assert rig.submit(backend, placed(rig.batch("a2", SLEEPER), ["0"])) == [], "its slot is in use"
        (rig.of("a1") / "go").touch()
        rig.wait_end(backend, batch.keys[0])
        assert (rig.of("a1") / "ran").read_text() == "x\n"

    def test_what_waited_in_the_queue_of_an_older_version_is_given_back(self, rig: Rig) -> None:
        """The engine then decides anew; that is no failed start."""
        batch = rig.shell("a1", "touch ran")
        rig.open()
        (rig.folder / "queue" / f"{batch.keys[0]}.json").write_text(json.dumps(self.old_entry(rig, batch)))
        status = rig.open().poll(batch.keys)[batch.keys[0]]
        assert (status.state, status.cause) == (ENDED, Cause.PREEMPTED)
        assert not (rig.of("a1") / "ran").exists()

    def old_entry(self, rig: Rig, batch: AllocationBatch) -> dict[str, Any]:
        """One file an allocation, with the whole request in it."""
        key, folder = batch.keys[0], batch.folder_of(0)
        spec = {"key": key, "name": "old", "folder": folder, "runner": batch.runner, "gpus": 0, "cpus": 1}
        entry = {"key": key, "order": 1.5, "spec": spec, "state": "pending", "pid": None, "start": None}
        return entry | {"devices": [], "slots": [], "reason": None, "cause": None, "held": False}

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
