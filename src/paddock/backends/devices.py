"""The GPUs of this node, and how busy it is."""

import shutil
import subprocess
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from paddock.common.gpu_watch import GpuWatch
from paddock.common.node_stats import NodeStats
from paddock.models import Device
from paddock.models.load import NodeSample

if TYPE_CHECKING:
    from paddock.common.gpus import GpuDriver

PATIENCE = 0.5  # for one measurement of the GPUs

_QUERY = ["--query-gpu=index,uuid,name,memory.total", "--format=csv,noheader,nounits"]


def find_gpus(given: Sequence[str] | None) -> list[Device]:
    """Return the GPUs that the settings name, or all that nvidia-smi lists; none without a driver."""
    if given is not None:
        return [Device(id=one, kind="gpu", name="as set") for one in given]
    command = shutil.which("nvidia-smi")
    if command is None:
        return []
    try:
        answer = subprocess.run([command, *_QUERY], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [device for line in answer.stdout.splitlines() if (device := _device(line))]


def _device(line: str) -> Device | None:
    parts = [part.strip() for part in line.split(",")]
    if len(parts) != 4 or not parts[0].isdigit():
        return None
    memory = int(parts[3]) * 2**20 if parts[3].isdigit() else None
    return Device(id=parts[0], kind="gpu", name=parts[2], memory=memory)


class NodeWatch:
    """Measures this node."""

    def __init__(self, gpus: Sequence[Device], driver: "Callable[[], GpuDriver] | None" = None) -> None:
        self._ids = [gpu.id for gpu in gpus]
        self._driver = driver
        self._node = NodeStats()
        self._gpus = GpuWatch(self._find)

    def sample(self) -> NodeSample:
        if self._ids:
            self._gpus.look(PATIENCE)
        return NodeSample.model_validate(self._node.sample() | {"cards": self._gpus.gpus()})

    def _find(self) -> NodeStats:
        from paddock.common.gpus import find_driver, visible

        driver = (self._driver or find_driver)()
        listed = driver.gpus()
        found = {one: gpus[0] for one in self._ids if (gpus := visible(listed, one))}
        return NodeStats(driver, list(found.values()), list(found))
