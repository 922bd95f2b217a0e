"""How well reservations and GPUs were used."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from paddock.models.base import Model


class ReservationUse(Model):
    """How a device of a reservation was used, so far."""

    reservation: str
    device: str
    seen: float = Field(description="seconds in which it was looked at")
    busy: float = Field(description="seconds")
    idle: float = Field(description="seconds")
    load_mean: float | None = Field(None, description="0 to 1; null: it was never measured")
    load_peak: float | None = None
    memory_mean: float | None = Field(None, description="bytes")
    memory_peak: float | None = None
    first_used_at: datetime | None = None
    last_used_at: datetime | None = None
    foreign: float = Field(0.0, description="seconds in which processes of others were on it")
    idle_since: datetime | None = Field(None, description="it is idle now, since then")
    release: bool = Field(False, description="it seems that it could be released")


class UsageRow(Model):
    """GPU-hours of one account, group, device or week."""

    key: str
    name: str
    reserved: float = Field(description="GPU-hours that were reserved")
    used: float = Field(description="GPU-hours in which something ran there, reserved or not")
    idle: float = Field(description="GPU-hours reserved in which nothing ran")
    efficiency: float | None = Field(
        None, description="share of the reserved time that was measured in which it was used; null: none was"
    )


class UsageReport(Model):
    by: Literal["account", "group", "device", "week"]
    since: datetime
    until: datetime
    rows: list[UsageRow]
    mine_only: bool = Field(False, description="the caller sees only their own")


class DeviceHours(Model):
    """One device, hour by hour, for the overview. The lists are equally long and begin at the report's `since`."""

    device: str
    reserved: list[str | None] = Field(description="owner of the reservation of most of the hour; empty: maintenance")
    load: list[float | None]


class Overview(Model):
    since: datetime
    hours: int
    devices: list[DeviceHours]
