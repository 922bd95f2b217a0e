"""Devices over REST: what can be reserved of a real server with scripted GPUs."""

import os
from collections.abc import Iterator

import pytest

from tests.runner.scripted import GB, ScriptedGpus
from tests.support.nvidia_smi import install_nvidia_smi
from tests.support.server import ServerProcess, running, wait_for


class GpuServer:
    """A server and the GPUs of its own node."""

    def __init__(self, server: ServerProcess, gpus: ScriptedGpus) -> None:
        self.server, self.gpus = server, gpus


@pytest.fixture(scope="module")
def gpu_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GpuServer]:
    folder = tmp_path_factory.mktemp("devices")
    gpus = install_nvidia_smi(folder / "bin", 2)
    environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    with running(folder / "home", environment=environment) as server:
        yield GpuServer(server, gpus)


def test_the_gpus_of_this_node_can_be_reserved(gpu_server: GpuServer) -> None:
    server = gpu_server.server

    def measured() -> object:
        found = server.get("/devices")
        return found if found and all(one["uuid"] and one["load"] is not None for one in found) else None

    first, second = wait_for(measured, what="the GPUs, measured")
    assert (first["number"], second["number"]) == (0, 1), "GPU 0 is one"
    host = server.get("/nodes")[0]["name"]
    assert (first["name"], first["backend"], first["host"]) == (f"{host}:0", "local", host)
    assert (first["uuid"], first["model"], first["gpus"]) == ("GPU-00000000", "Scripted 10G", 1)
    assert abs(first["memory"] - 10 * GB) < 2**20
    assert (first["online"], first["retired_at"], first["memory_used"]) == (True, None, 0)
    assert [one["id"] for one in server.get("/devices", retired=True)] == [first["id"], second["id"]]
