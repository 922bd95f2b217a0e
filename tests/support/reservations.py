"""Devices to reserve, and reservations of them, in a database."""

import secrets
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from paddock.rules.devices import SeenDevice
from paddock.server.store import devices
from paddock.server.store.db import Database
from paddock.server.store.tables import bookings, reservations

GB = 2**30


def add_devices(
    db: Database,
    hosts: Sequence[str] = ("gpu1",),
    gpus: int = 4,
    *,
    backend: str = "lab",
    model: str = "NVIDIA H200",
    now: float = 1.0,
) -> list[str]:
    """The ids of the devices: those of the first host first, by their numbers from 0."""
    with db.write() as c:
        return [
            devices.add(c, backend, host, SeenDevice(n, str(n), f"GPU-{host}-{n}", model, 141 * GB), now)
            for host in hosts
            for n in range(gpus)
        ]


def add_node_devices(
    db: Database, hosts: Sequence[str], gpus: int = 4, *, backend: str = "cluster", partitions: Sequence[str] = ("gpu",)
) -> list[str]:
    """The ids of whole nodes, as on Slurm."""
    with db.write() as c:
        seen = SeenDevice(None, None, None, "h200", None, gpus, tuple(partitions))
        return [devices.add(c, backend, host, seen, 1.0) for host in hosts]


def add_reservation(
    db: Database, on: Sequence[str], starts_at: float, ends_at: float, *, owner: str | None = "alice", **given: Any
) -> str:
    """The id of a reservation that is written as it is, whatever rules and quotas say."""
    id = secrets.token_hex(4)
    values = {
        "id": id,
        "kind": "reservation" if owner is not None else "maintenance",
        "owner": owner,
        "title": "",
        "description": "",
        "starts_at": starts_at,
        "ends_at": ends_at,
        "planned_end": ends_at,
        "guests": [],
        "guest_groups": [],
        "by": owner or "admin",
        "created_at": starts_at,
        "told": {},
    } | given
    live = values.get("cancelled_at") is None
    with db.write() as c:
        c.execute(sa.insert(reservations).values(**values))
        for device in on:
            booked = {"reservation": id, "device": device, "starts_at": starts_at, "ends_at": ends_at, "live": live}
            c.execute(sa.insert(bookings).values(**booked))
    return id
