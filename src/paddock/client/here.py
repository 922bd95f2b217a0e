"""Which of a server's GPUs are those of this machine."""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.models import ReservableDevice

# A shell makes words of what is printed: whatever a host calls its GPU, it is one.
_UUID = re.compile(r"[A-Za-z0-9_.:/-]{1,100}")


def on_this_machine(devices: Sequence[ReservableDevice]) -> list[ReservableDevice]:
    """Return the devices that are here: by the UUIDs of the GPUs, or where none can be read, by the machine's name."""
    uuids = set(_uuids())
    hosts = {(one.backend, one.host) for one in devices if one.uuid in uuids}
    if not hosts:
        # A machine whose GPUs are others has the same name by chance, as laptops often have.
        hosts = {(one.backend, one.host) for one in devices if _named(one.host) and not (uuids and one.uuid)}
    return [one for one in devices if (one.backend, one.host) in hosts]


def environment(devices: Sequence[ReservableDevice]) -> dict[str, str]:
    """Return the variables with which programs on this machine see these of its devices, and no other GPU."""
    if any(one.number is None for one in devices):  # the whole machine
        return {"CUDA_VISIBLE_DEVICES": ",".join(_uuids())} if _uuids() else {}
    if all(one.uuid and _UUID.fullmatch(one.uuid) for one in devices):
        return {"CUDA_VISIBLE_DEVICES": ",".join(str(one.uuid) for one in devices)}
    numbers = ",".join(str(one.number) for one in devices)
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": numbers}


def as_words(variables: Mapping[str, str]) -> str:
    """Return variables as lines that `export $(...)` and `env $(...)` take: no value has spaces."""
    return "\n".join(f"{name}={value}" for name, value in variables.items())


def _uuids() -> list[str]:
    from paddock.common.gpus import find_driver

    return [gpu.id for gpu in find_driver().gpus()]


def _named(host: str) -> bool:
    own = socket.gethostname().lower()
    host = host.lower()
    return host == own or host.partition(".")[0] == own.partition(".")[0]
