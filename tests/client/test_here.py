"""Test which GPUs of a server are those of this machine, and how programs are told which they may use."""

import socket
from pathlib import Path
from typing import Any

import pytest

from paddock.client import here
from paddock.models import ReservableDevice
from tests.support.nvidia_smi import install_nvidia_smi


def device(host: str, number: int | None, uuid: str | None = None, **more: Any) -> ReservableDevice:
    given = {"id": f"{host}{number}", "backend": "lab", "host": host, "name": f"{host}:{number}", "online": True}
    return ReservableDevice(**given, number=number, uuid=uuid, **more)


@pytest.fixture
def two_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_nvidia_smi(tmp_path, 2)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")


@pytest.mark.usefixtures("two_gpus")
def test_a_machine_is_known_by_its_gpus_whatever_ssh_calls_it() -> None:
    devices = [device("lambda7", 0, "GPU-00000000"), device("lambda7", 1, "GPU-00000001"), device("gpu2", 0, "GPU-x")]
    assert here.on_this_machine(devices) == devices[:2]


@pytest.mark.usefixtures("two_gpus")
def test_another_machine_with_the_same_name_is_another() -> None:
    assert here.on_this_machine([device(socket.gethostname(), 0, "GPU-x")]) == []


def test_without_a_driver_the_name_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    own = socket.gethostname()
    named = device(f"{own.partition('.')[0]}.example.org", 0, "GPU-x")
    assert here.on_this_machine([named, device(f"{own}x", 0, "GPU-y")]) == [named]


def test_variables_for_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert here.environment([device("a", 0, "GPU-a"), device("a", 1, "GPU-b")]) == {
        "CUDA_VISIBLE_DEVICES": "GPU-a,GPU-b"
    }
    by_number = here.environment([device("a", 0), device("a", 2, "GPU-b")])
    assert here.as_words(by_number) == "CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES=0,2"
    assert here.environment([device("a", None)]) == {}
    planted = here.environment([device("a", 1, "GPU-a LD_PRELOAD=/tmp/evil.so")])
    assert here.as_words(planted) == "CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES=1"


@pytest.mark.usefixtures("two_gpus")
def test_a_whole_node_is_all_its_gpus() -> None:
    assert here.environment([device("a", None, gpus=2)]) == {"CUDA_VISIBLE_DEVICES": "GPU-00000000,GPU-00000001"}
