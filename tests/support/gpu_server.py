"""A server on this machine with GPUs that a file describes, for tests of what people do with GPUs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.runner.scripted import ScriptedGpus
from tests.support.nvidia_smi import install_nvidia_smi
from tests.support.server import ServerProcess, running, wait_for


@dataclass(frozen=True)
class GpuServer:
    server: ServerProcess
    gpus: ScriptedGpus
    path: str  # for programs that shall find these GPUs

    @property
    def devices(self) -> list[dict[str, Any]]:
        """The devices by their numbers, from 0."""
        found: list[dict[str, Any]] = self.server.get("/devices")
        return sorted(found, key=lambda one: one["number"])


@contextmanager
def gpu_server(folder: Path, count: int, **settings: Any) -> Iterator[GpuServer]:
    """A server whose local backend has this many GPUs, all of which can be reserved."""
    gpus = install_nvidia_smi(folder / "bin", count)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    with running(folder / "home", environment={"PATH": path}, **settings) as server:
        made = GpuServer(server, gpus, path)
        wait_for(lambda: sum(bool(one["uuid"]) for one in made.devices) == count, what="the devices")
        yield made
