"""The GPUs of this machine."""

import shutil
import subprocess
from collections.abc import Sequence

from paddock.models import Device

_QUERY = ["--query-gpu=index,uuid,name,memory.total", "--format=csv,noheader,nounits"]


def find_gpus(given: Sequence[str] | None) -> list[Device]:
    """Those that the settings name, or all that nvidia-smi lists; none where there is no driver."""
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
