"""Test scripted GPUs, and the daemon that lets processes share them. Real ones are in tests/gpu."""

import os
import threading
import time
from pathlib import Path

import pytest

from paddock.common import gpus
from paddock.common.gpus import GpuDriver, GpuInfo, GpuReading, NvidiaSmi, visible
from paddock.runner.sharing import gpu_thread
from paddock.runner.sharing.gpu_thread import GpuThread
from paddock.runner.sharing.mps import CONTROL, Mps
from tests.runner.folder import wait_for
from tests.support.nvidia_smi import install_nvidia_smi

GPUS = [GpuInfo(f"GPU-{name}", number, "H200", 10**9) for number, name in enumerate(("aa1", "ab2", "b3"))]

# Starts a server of its own, as the real one does.
DAEMON = """#!/bin/sh
echo "$1 $CUDA_MPS_PIPE_DIRECTORY" > $CUDA_MPS_PIPE_DIRECTORY/said
sleep 600 &
echo $! > $CUDA_MPS_PIPE_DIRECTORY/server
wait
"""


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        (None, [0, 1, 2]),
        ("", []),
        ("2,0", [2, 0]),
        ("GPU-b3, GPU-aa", [2, 0]),
        ("0,9,1", [0]),  # as CUDA: what is not there ends the list
        ("1,1", [1]),
    ],
)
def test_the_gpus_that_an_allocation_has(given: str | None, numbers: list[int]) -> None:
    assert [gpu.number for gpu in visible(GPUS, given)] == numbers


def test_without_a_driver_there_are_no_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise OSError("libnvidia-ml.so.1: cannot open shared object file")

    monkeypatch.setattr("ctypes.CDLL", missing)
    found = gpus.find_driver()
    assert found.gpus() == []
    assert found.read(GPUS[0]) is None


def test_where_the_library_cannot_be_loaded_the_program_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = install_nvidia_smi(tmp_path, 2)
    asked.strange(0, 2**30)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = gpus.find_driver()
    if not isinstance(found, NvidiaSmi):
        pytest.skip("this machine has NVML")
    first, second = found.gpus()
    assert [first.number, second.number, second.id] == [0, 1, "GPU-00000001"]
    assert found.read(first) == GpuReading(2**30, 0.0, {1: 2**30}, 40.0, 100.5, None)
    assert found.read(second) == GpuReading(0, 0.0, {}, 41.0, 100.5, None)
    assert (found.processes(first), found.processes(second)) == ({1: 2**30}, {})
    assert found.read(GPUS[0]) is None


@pytest.mark.parametrize("text", ["", "No devices were found", "0, GPU-x, H200, [N/A]", "1\n2\n", "\\377, , ,,,,,,"])
def test_a_program_that_answers_otherwise_has_no_gpus(tmp_path: Path, text: str) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\nprintf '{text}'\n")
    program.chmod(0o755)
    found = NvidiaSmi(str(program))
    assert found.gpus() == []
    assert found.read(GPUS[0]) is None


class Hanging(GpuDriver):
    """A driver that answers when it is let."""

    def __init__(self) -> None:
        self.let = threading.Event()

    def gpus(self) -> list[GpuInfo]:
        return GPUS

    def read(self, gpu: GpuInfo) -> GpuReading:
        self.let.wait(120)
        return GpuReading(gpu.number, None, {7: 1})


def test_a_driver_that_hangs_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_thread, "SECONDS", 0.3)
    driver = Hanging()
    asked = GpuThread(lambda: driver)
    assert asked.gpus() == GPUS
    assert asked.read(GPUS[0]) is None
    began = time.monotonic()
    for _ in range(100):
        assert asked.read(GPUS[1]) is None
        assert asked.processes(GPUS[1]) == {}
    assert time.monotonic() - began < 20, "it is not asked again, and not waited for"
    driver.let.set()
    wait_for(lambda: asked.read(GPUS[2]))
    assert asked.read(GPUS[2]) == GpuReading(2, None, {7: 1})
    assert asked.processes(GPUS[2]) == {7: 1}


def test_a_driver_that_fails_is_asked_again() -> None:
    class Failing(GpuDriver):
        def read(self, gpu: GpuInfo) -> GpuReading:
            if gpu == GPUS[0]:
                raise OSError("GPU is lost")
            return GpuReading(5, None, {})

    asked = GpuThread(Failing)
    assert asked.read(GPUS[0]) is None
    assert asked.read(GPUS[1]) == GpuReading(5, None, {})


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / CONTROL
    program.write_text(DAEMON)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return program


def test_the_daemon_and_its_server_end_together(daemon: Path) -> None:
    mps = Mps()
    assert mps.start() is None
    folder = Path(mps.environment["CUDA_MPS_PIPE_DIRECTORY"])
    while not (folder / "server").exists() or not (folder / "server").read_text():
        time.sleep(0.01)
    server = int((folder / "server").read_text())
    assert (folder / "said").read_text() == f"-f {folder}\n"
    assert (mps.trouble(), folder.stat().st_mode & 0o777) == (None, 0o700)
    mps.stop()
    assert (mps.environment, folder.exists()) == ({}, False)
    deadline = time.monotonic() + 120
    while Path(f"/proc/{server}/stat").exists() and " Z " not in Path(f"/proc/{server}/stat").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_daemon_that_ends_by_itself_says_why(daemon: Path) -> None:
    daemon.write_text("#!/bin/sh\necho starting; echo no such device; exit 1\n")
    mps = Mps()
    assert mps.start() is None
    while mps.trouble() is None:
        time.sleep(0.01)
    assert mps.trouble() == f"{CONTROL} ended: no such device"
    mps.stop()


def test_one_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("paddock.runner.sharing.mps._PLACES", ())
    mps = Mps()
    assert mps.start() == f"{CONTROL} is not installed"
    assert mps.environment == {}
    mps.stop()
