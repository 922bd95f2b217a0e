"""Test the measurements of this machine: its real /proc, and scripted GPUs."""

import os
import pwd
import subprocess
import sys
import time

import pytest

from paddock.backends.devices import NodeWatch
from paddock.common import node_stats, processes
from paddock.common.gpus import GpuDriver, GpuInfo, GpuReading
from paddock.common.node_stats import NodeStats
from paddock.models import Device

GB = 10**9
GPU = GpuInfo("GPU-a", 0, "H200", 140 * GB)
OTHER = GpuInfo("GPU-b", 1, "H200", 140 * GB)


class ScriptedDriver(GpuDriver):
    """GPUs as a test wants them."""

    def __init__(self, readings: dict[str, GpuReading | None]) -> None:
        self.readings = readings

    def gpus(self) -> list[GpuInfo]:
        return [GPU, OTHER]

    def read(self, gpu: GpuInfo) -> GpuReading | None:
        return self.readings.get(gpu.id)


def test_cores_and_memory() -> None:
    looker = NodeStats()
    began, cores = time.process_time(), os.cpu_count() or 1
    while time.process_time() - began < 0.2:
        pass
    look = looker.sample()
    assert look["cores"] == cores
    assert 0 < look["busy"] <= cores
    assert 0 < look["free"] < look["memory"]
    assert look["load"] >= 0
    assert look["cards"] == []
    assert look["processes"] >= 2


def test_busy_cores_are_those_between_two_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = iter([(100, 1000), (150, 1100), (150, 1100), (100, 1200)])
    monkeypatch.setattr(node_stats, "_ticks", lambda: next(seen))
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    looker = NodeStats()
    assert looker.sample()["busy"] == 4.0
    assert looker.sample()["busy"] == 4.0, "no tick has passed"
    assert looker.sample()["busy"] == 0.0, "counters of a core that was switched off fall"


def test_without_proc_nothing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "read", lambda path, most=0: b"")
    look = NodeStats().sample()
    assert (look["busy"], look["memory"], look["free"]) == (None, None, None)


def test_gpus_and_who_is_on_them() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()", "x" * 200],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PADDOCK_TASK": "k3v9x2ab-1"},
    ) as task:
        assert task.stdout
        task.stdout.readline()  # a process that has just begun has no environment to be read yet
        gone = 2**22 + 7  # larger than any id of a process
        reading = GpuReading(30 * GB, 0.5, {os.getpid(): GB, task.pid: 20 * GB, gone: 3})
        first, second = NodeStats(ScriptedDriver({"GPU-a": reading}), [GPU, OTHER], ["4", "5"]).sample()["cards"]
        task.communicate(b"\n")
    assert [first[name] for name in ("id", "number", "place", "name", "memory", "used", "load")] == [
        "GPU-a", 0, "4", "H200", 140 * GB, 30 * GB, 0.5,
    ]  # fmt: skip
    mine, me, nobody = first["processes"]
    assert (mine["pid"], mine["memory"], mine["task"]) == (task.pid, 20 * GB, "k3v9x2ab-1")
    assert mine["owner"] == pwd.getpwuid(os.getuid()).pw_name
    assert mine["command"].startswith("python")
    assert len(mine["command"]) == 80
    assert (me["pid"], me["start"]) == (os.getpid(), processes.started(os.getpid()))
    assert me["session"] == os.getsid(0)
    unknown = dict.fromkeys(("owner", "command", "start", "session", "task"))
    assert nobody == {"pid": gone, "memory": 3, **unknown}
    assert (second["used"], second["load"], second["processes"]) == (None, None, [])


def test_an_owner_without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert node_stats.describe(os.getpid())["owner"] == str(os.getuid())


@pytest.mark.parametrize(
    ("given", "places"), [({}, []), ({"SLURM_JOB_GPUS": "2,5"}, ["2", "5"]), ({"SLURM_JOB_GPUS": "a"}, [])]
)
def test_what_slurm_calls_the_gpus(given: dict[str, str], places: list[str]) -> None:
    assert node_stats.places(given) == places


def test_a_place_for_every_gpu_or_for_none() -> None:
    [gpu] = NodeStats(ScriptedDriver({}), [GPU], ["1", "2"]).gpus()
    assert gpu["place"] is None


class TestWatch:
    """How the server samples at its own machine."""

    def test_the_gpus_that_are_given(self) -> None:
        gpus = ScriptedDriver({"GPU-b": GpuReading(GB, 0.25, {})})
        watch = NodeWatch([Device(id="1", kind="gpu"), Device(id="nonsense", kind="gpu")], lambda: gpus)
        [gpu] = watch.sample().cards
        assert (gpu.id, gpu.place, gpu.load, gpu.used) == ("GPU-b", "1", 0.25, GB)

    def test_without_gpus_no_driver_is_asked(self) -> None:
        def refuse() -> GpuDriver:
            raise AssertionError

        assert NodeWatch([], refuse).sample().cards == []

    def test_a_driver_that_hangs_holds_up_nobody(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("paddock.backends.devices.PATIENCE", 0.5)
        calls = []

        class Hanging(ScriptedDriver):
            def read(self, gpu: GpuInfo) -> GpuReading | None:
                calls.append(gpu)
                if len(calls) > 2:  # read and processes of the first look
                    time.sleep(4)
                return GpuReading(GB, 0.5, {})

        watch = NodeWatch([Device(id="0", kind="gpu")], lambda: Hanging({}))
        assert watch.sample().cards[0].load == 0.5
        began = time.monotonic()
        samples = [watch.sample() for _ in range(20)]
        assert time.monotonic() - began < 5
        assert all(look.cards[0].load == 0.5 and look.memory for look in samples), "as last seen"
        monkeypatch.setattr("paddock.common.gpu_watch.OLD_SECONDS", 0.0)
        [gpu] = watch.sample().cards
        assert (gpu.id, gpu.load, gpu.used) == ("GPU-a", None, None), "but not for ever"
