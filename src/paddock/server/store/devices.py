"""Devices that can be reserved: GPUs, and whole nodes of a cluster. A device keeps its id for ever."""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from paddock.models.events import CalendarChanged
from paddock.rules.devices import SeenDevice
from paddock.server.store import events
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import columns, fetch, portions
from paddock.server.store.tables import devices

SEEN_SECONDS = 600.0  # how exact `last_seen` is


@dataclass(frozen=True, slots=True)
class DeviceRow:
    id: str
    backend: str
    host: str
    number: int | None  # of the GPU on its node, from 0; None: the whole node
    place: str | None  # what the node calls it: the id of the policy's device
    uuid: str | None
    model: str
    memory: int | None
    gpus: int  # that it stands for
    partitions: list[str]
    first_seen: float
    last_seen: float
    retired_at: float | None

    @property
    def name(self) -> str:
        """Return what people call it: gpu1:0, or the name of a whole node."""
        return self.host if self.number is None else f"{self.host}:{self.number}"


_ALL = sa.select(*columns(DeviceRow, devices.c)).order_by(devices.c.backend, devices.c.host, devices.c.number)
_IN_USE = _ALL.where(devices.c.retired_at.is_(None))


def in_use(c: sa.Connection) -> list[DeviceRow]:
    """Return the devices that there are."""
    return fetch_kept(c, DeviceRow, _IN_USE)


def every(c: sa.Connection) -> list[DeviceRow]:
    """Return all devices, also those that are gone."""
    return fetch_kept(c, DeviceRow, _ALL)


def by_ids(c: sa.Connection, ids: Collection[str]) -> dict[str, DeviceRow]:
    """Return those of these devices that are known, also if they are gone."""
    found: dict[str, DeviceRow] = {}
    for some in portions(sorted(set(ids))):
        found |= {row.id: row for row in fetch(c, DeviceRow, _ALL.where(devices.c.id.in_(some)))}
    return found


def add(c: sa.Connection, backend: str, host: str, seen: SeenDevice, now: float) -> str:
    """Store a new device, and return its id."""
    id = secrets.token_hex(4)
    values = _values(seen) | {"id": id, "backend": backend, "host": host, "first_seen": now, "last_seen": now}
    c.execute(sa.insert(devices).values(**values))
    return id


def update(c: sa.Connection, id: str, seen: SeenDevice, now: float) -> None:
    """Store how a device is now. One that was retired is there again."""
    values = _values(seen) | {"last_seen": now, "retired_at": None}
    c.execute(sa.update(devices).where(devices.c.id == id).values(**values))


def retire(c: sa.Connection, ids: Sequence[str], now: float) -> None:
    """Note that there are no such devices any more."""
    for some in portions(ids):
        c.execute(sa.update(devices).where(devices.c.id.in_(some)).values(retired_at=now))


def saw(c: sa.Connection, ids: Sequence[str], now: float) -> None:
    """Note that these devices are there, as before."""
    for some in portions(ids):
        c.execute(sa.update(devices).where(devices.c.id.in_(some)).values(last_seen=now))


def announce(c: sa.Connection) -> None:
    """Record that devices have changed, for everybody who shows them."""
    events.write_for_all(c, CalendarChanged(what=["devices"]))


def differs(row: DeviceRow, seen: SeenDevice) -> bool:
    """Return True if a device is not as it is stored."""
    stored: dict[str, Any] = {name: getattr(row, name) for name in _values(seen)}
    return row.retired_at is not None or stored != _values(seen)


def _values(seen: SeenDevice) -> dict[str, Any]:
    return {
        "number": seen.number,
        "place": seen.place,
        "uuid": seen.uuid,
        "model": seen.model[:200],
        "memory": seen.memory,
        "gpus": seen.gpus,
        "partitions": list(seen.partitions),
    }
