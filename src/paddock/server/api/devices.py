"""The routes of devices: what can be reserved."""

import re
from collections.abc import Mapping
from statistics import fmean
from typing import Annotated

from fastapi import APIRouter, Query

from paddock.models import Device, Node, ReservableDevice
from paddock.server.api.server import At
from paddock.server.store import devices
from paddock.server.store.devices import DeviceRow
from paddock.server.store.rows import moment

router = APIRouter(tags=["reservations"])
Key = tuple[str, str]  # backend, node


@router.get("/devices")
def list_devices(
    at: At, retired: Annotated[bool, Query(description="also those that are gone")] = False
) -> list[ReservableDevice]:
    """Return the GPUs that can be reserved, and on Slurm the nodes, in the order of their hosts."""
    with at.db.read() as c:
        rows = devices.every(c) if retired else devices.in_use(c)
    nodes = {(node.backend, node.name): node for node in at.engine.nodes_now()}
    return [described(row, nodes) for row in sorted(rows, key=_order)]


def described(row: DeviceRow, nodes: Mapping[Key, Node]) -> ReservableDevice:
    """Return a device with what was last measured of it."""
    node = nodes.get((row.backend, row.host))
    gpus = [one for one in node.devices if one.kind == "gpu" and _is_part(one, row)] if node is not None else []
    loads = [one.load for one in gpus if one.load is not None]
    used = [one.memory_used for one in gpus if one.memory_used is not None]
    return ReservableDevice(
        id=row.id,
        backend=row.backend,
        host=row.host,
        number=row.number,
        name=row.name,
        uuid=row.uuid,
        model=row.model,
        memory=row.memory,
        gpus=row.gpus,
        partitions=row.partitions,
        load=fmean(loads) if loads else None,
        memory_used=sum(used) if used else None,
        online=node is not None and node.usable and row.retired_at is None,
        retired_at=moment(row.retired_at),
    )


def _is_part(gpu: Device, row: DeviceRow) -> bool:
    return row.number is None or gpu.id == row.place


def _order(row: DeviceRow) -> tuple[str, list[tuple[int, str]], int]:
    """Return what sorts gpu10 after gpu9."""
    parts = [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]{1,18})", row.host)]
    return row.backend, parts, -1 if row.number is None else row.number
