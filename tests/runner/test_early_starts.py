"""Test tasks that start before it is known whether there is room for them on a GPU."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paddock.common import processes
from paddock.common.gpus import GpuInfo
from paddock.runner.sharing.admission import Admission
from paddock.runner.sharing.early_starts import MOST_PASSED, WAIT_SECONDS
from tests.runner.folder import Folder
from tests.runner.test_admission import GB, OneGpu, attempt, manifest
from tests.runner.test_sharing import Shop, ends

ENVIRON = {"CUDA_VISIBLE_DEVICES": "0", "PADDOCK_CORES": "0-15"}
FIRST_PID = 10**7


class SeeingGpu(OneGpu):
    """A large GPU whose driver names processes by the numbers that they have here."""

    sees_processes = True

    def gpus(self) -> list[GpuInfo]:
        return [GpuInfo("GPU-1", 0, "Card", 150 * GB)]


class Rig:
    """An admission, and the signals that it sends."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, gpu: OneGpu, **more: object) -> None:
        self.gpu = gpu
        self.signals: list[tuple[int, int]] = []
        monkeypatch.setattr(processes, "signal_process", lambda pid, number: self.signals.append((pid, number)))
        asked = {"slots": 48, "task_gpus": 1, "per_gpu": None, "mps": False, **more}
        self.made = Admission(manifest(**asked), gpu, ENVIRON)
        self.now = 0.0
        self.early: list[int] = []

    def start(self, number: int, **line: object) -> bool:
        one = attempt(number, **line)
        seat = None if self.made.full else self.made.seat(one, self.now)
        if seat is None:
            return False
        self.early += [number] if seat.early else []
        self.made.add(one, seat, FIRST_PID + number, self.now)
        return True

    def start_all(self, sizes: list[int]) -> int:
        return sum(self.start(number, params={"size": size}) for number, size in enumerate(sizes))

    def look(self, seconds: float = 2.0) -> None:
        until = self.now + seconds
        while self.now < until:
            self.now += 0.2
            self.made.observe(self.now, False)

    def train(self, numbers: list[int], memory: float) -> None:
        """They hold so much memory, and report progress."""
        for number in numbers:
            self.gpu.used[FIRST_PID + number] = int(memory * GB)
        self.look(0.4)
        for number in numbers:
            self.made.note_progress((f"t-{number}", 1), 1, self.now)
        self.look()

    def stopped(self) -> set[int]:
        state = {pid - FIRST_PID: number for pid, number in self.signals}
        return {number for number, last in state.items() if last == signal.SIGSTOP}

    def went_on(self) -> list[int]:
        return [pid - FIRST_PID for pid, number in self.signals if number == signal.SIGCONT]


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    return Rig(monkeypatch, SeeingGpu())


def test_equal_tasks_all_start_and_wait_where_they_use_the_gpu(rig: Rig) -> None:
    assert rig.start_all([1] * 24) == 24
    assert rig.early == list(range(10, 24))
    rig.gpu.used = {FIRST_PID + number: GB // 2 for number in range(24)}
    rig.look(1)
    assert rig.stopped() == set(rig.early), "the first ten go on"
    rig.train(list(range(10)), 1)
    assert sorted(rig.went_on()) == rig.early, "all of them fit"
    assert not rig.made.without_room(rig.now + 10 * WAIT_SECONDS)


def test_fewer_begin_if_sizes_seem_to_differ(rig: Rig) -> None:
    rig.start_all([1, 2, 3, 4] * 3)
    assert rig.early == list(range(6, 12))


def test_no_more_start_than_the_cores_are_enough_for(rig: Rig) -> None:
    assert rig.start_all([1] * 48) == 25


@pytest.mark.parametrize("why", ["hidden", "known", "two", "given"])
def test_where_none_starts_early(monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    gpu = SeeingGpu()
    gpu.sees_processes = why != "hidden"
    known = {"Card": {"need": 30 * GB, "tasks": 4, "limit": "gain"}}
    more: dict[str, dict[str, Any]] = {
        "known": {"known": known},
        "two": {"task_gpus": 2},
        "given": {"per_gpu": 4},
    }
    rig = Rig(monkeypatch, gpu, **more.get(why, {}))
    rig.start_all([1] * 24)
    assert not rig.early


def test_those_that_do_not_fit_are_given_back_after_a_while(rig: Rig) -> None:
    rig.start_all([1] * 24)
    rig.gpu.used = {FIRST_PID + number: GB // 2 for number in range(24)}
    rig.train(list(range(10)), 13.5)
    assert not rig.went_on(), "each needs 13.5 GB of 150"
    assert not rig.made.without_room(rig.now)
    rig.look(2)
    gone = rig.made.without_room(rig.now + WAIT_SECONDS)
    assert {task for task, _ in gone} == {f"t-{number}" for number in rig.early}


def test_one_that_ended_leaves_room_for_the_next(rig: Rig) -> None:
    rig.start_all([1] * 24)
    rig.gpu.used = {FIRST_PID + number: GB // 2 for number in range(24)}
    rig.train(list(range(10)), 13.5)
    rig.made.remove(("t-0", 1), True, rig.now)
    del rig.gpu.used[FIRST_PID]
    rig.look(0.4)
    assert len(rig.went_on()) == 1


def test_a_large_one_is_passed_by_few(rig: Rig) -> None:
    sizes = [5, 10, 15, 20, 30, 40, 60, 1, 2, 3, 4, 5, 6]
    rig.start_all(sizes)
    assert rig.early == list(range(6, 13))
    rig.gpu.used = {FIRST_PID + number: GB // 2 for number in range(len(sizes))}
    for number in range(6):
        rig.gpu.used[FIRST_PID + number] = sizes[number] * GB
    rig.train([], 0)
    for number in range(6):
        rig.made.note_progress((f"t-{number}", 1), 1, rig.now)
    rig.look(4)
    went = rig.went_on()
    assert 6 not in went, "there is no room for 60 GB"
    assert 0 < len(went) <= MOST_PASSED
    rig.made.remove(("t-4", 1), True, rig.now)
    rig.made.remove(("t-5", 1), True, rig.now)
    rig.gpu.used = {pid: used for pid, used in rig.gpu.used.items() if pid - FIRST_PID not in (4, 5)}
    rig.look(1)
    assert 6 in rig.went_on()


def test_one_that_was_not_seen_in_time_counts_once_it_trains(rig: Rig) -> None:
    rig.start_all([1] * 12)
    rig.made.note_progress(("t-11", 1), 1, 1.0)
    rig.look()
    assert FIRST_PID + 11 not in dict(rig.signals)
    assert ("t-11", 1) not in rig.made.without_room(1e9)


def test_one_that_holds_a_lock_goes_on_until_it_has_released_it(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rig.start_all([1] * 12)
    rig.gpu.used = {FIRST_PID + number: GB // 2 for number in range(12)}
    rig.look(0.4)
    assert rig.stopped() == {10, 11}
    monkeypatch.setattr(processes, "lock_holders", lambda: {FIRST_PID + 11})
    rig.look(0.2)
    assert rig.went_on() == [11]
    monkeypatch.setattr(processes, "lock_holders", set)
    rig.look(0.4)
    assert rig.stopped() == {10, 11}


def test_who_holds_locks(tmp_path: Path) -> None:
    with open(tmp_path / "lock", "w") as file:
        before = os.getpid() in processes.lock_holders()
        fcntl.flock(file, fcntl.LOCK_EX)
        assert os.getpid() in processes.lock_holders()
    assert (os.getpid() in processes.lock_holders()) is before


def test_one_that_ends_while_it_waits_is_forgotten(rig: Rig) -> None:
    rig.start_all([1] * 12)
    assert rig.made.remove(("t-11", 1), False, 1.0) is not None
    assert rig.start(30, params={"size": 1})


def test_a_real_sweep_with_early_starts(folder: Folder, tmp_path: Path) -> None:
    """All finish, none runs out of memory, and none is left stopped."""
    shop = Shop(folder, tmp_path / "gpus.json")
    shop.gpus.make(1, 150 * GB)
    shop.gpus.show_processes()
    for number in range(16):
        shop.add(number, 9 * GB, steps=8, seconds=0.2)
    records = shop.run(600)
    assert ends(records) == [None] * 16
    assert shop.gpus.look()["cards"][0]["most"] <= 150 * GB


def test_a_task_that_waits_ends_when_it_is_stopped() -> None:
    code = "import os, signal, time; os.kill(os.getpid(), signal.SIGSTOP); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    try:
        while processes.read(f"/proc/{child.pid}/stat").split()[2:3] != [b"T"]:
            assert child.poll() is None
        processes.signal_group(child.pid, signal.SIGTERM)
        processes.signal_group(child.pid, signal.SIGCONT)
        assert child.wait(30) == -signal.SIGTERM
    finally:
        child.kill()
        child.wait()
