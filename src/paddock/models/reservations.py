"""Reservations: devices for a person from one time until another. Times are in UTC."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from paddock.models.accounts import AccountName, GroupName
from paddock.models.base import Model, Seconds, Text

MOST_DEVICES = 512  # of one reservation
MOST_REPEATS = 26

DeviceId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]{4,32}$")]
ReservationTitle = Annotated[Text, StringConstraints(strip_whitespace=True, max_length=100)]
ReservationText = Annotated[Text, StringConstraints(max_length=2000)]


class ReservableDevice(Model):
    """A GPU that can be reserved; on Slurm, a whole node."""

    id: str
    backend: str
    host: str = Field(description="the name of the node")
    number: int | None = Field(description="of the GPU on its node, from 0; null: the whole node")
    name: str = Field(description="what people call it: gpu1:0, or node7")
    uuid: str | None = Field(None, description="as the driver calls it; CUDA_VISIBLE_DEVICES takes it")
    model: str = ""
    memory: int | None = Field(None, description="bytes; of a whole node with GPUs: of all its GPUs")
    gpus: int = Field(1, description="number of GPUs that it stands for")
    partitions: list[str] = Field(default_factory=list)
    load: float | None = Field(None, description="share of the time in which it is busy, as last measured")
    memory_used: int | None = None
    online: bool = Field(description="its node reports, and takes work")
    retired_at: datetime | None = Field(None, description="since when there is no such device any more")


class Reservation(Model):
    id: str
    kind: Literal["reservation", "maintenance"] = "reservation"
    owner: str | None = Field(description="an account; null: maintenance")
    title: str = ""
    description: str = ""
    devices: list[str] = Field(description="ids of devices")
    starts_at: datetime
    ends_at: datetime = Field(description="when it ends, or has ended")
    planned_end: datetime = Field(description="when it was to end; later than `ends_at` if it was released early")
    guests: list[str] = Field(default_factory=list, description="accounts who may use it, too")
    guest_groups: list[str] = Field(default_factory=list)
    series: str | None = Field(None, description="common to those that were made together, one a week")
    end_intruders_minutes: float | None = Field(
        None, description="processes of others on it are ended after this long; as the settings say when not given"
    )
    by: str = Field(description="who made it")
    created_at: datetime
    cancelled_at: datetime | None = None
    cancelled_by: str | None = None
    cancelled_why: str | None = None
    released_at: datetime | None = None
    enforced: Literal["yes", "no", "pending"] = Field("yes", description="whether its scheduler keeps others away")
    enforced_why: str | None = Field(None, description="why not, in the scheduler's own words")
    outside_since: datetime | None = Field(
        None, description="since when a rule no longer allows it; it is cancelled a day later unless that changes"
    )
    version: int = Field(description="grows with every change; a change names the version that it is about")


class ReservationRequest(Model):
    """Devices to reserve: these ones, or any that fit."""

    devices: list[DeviceId] = Field(default_factory=list, max_length=MOST_DEVICES)
    gpus: int | None = Field(None, ge=1, le=MOST_DEVICES, description="instead of `devices`: any that are free")
    model: str | None = Field(None, max_length=200, description="with `gpus`: of this model (a part of its name)")
    host: str | None = Field(None, max_length=255, description="with `gpus`: on this host")
    backend: str | None = Field(None, max_length=200, description="with `gpus`: of this backend")
    starts_at: AwareDatetime | None = Field(None, description="now when not given")
    ends_at: AwareDatetime | None = None
    seconds: Seconds | None = Field(None, ge=60, description="how long, instead of `ends_at`: 4h, or seconds")
    title: ReservationTitle = ""
    description: ReservationText = ""
    guests: list[AccountName] = Field(default_factory=list, max_length=100)
    guest_groups: list[GroupName] = Field(default_factory=list, max_length=100)
    repeat_until: AwareDatetime | None = Field(None, description="again every week, as long as it begins before this")
    skip_conflicts: bool = Field(False, description="with `repeat_until`: leave out those weeks that are refused")
    owner: AccountName | None = Field(None, description="for another person (admins); judged by that person's rules")
    kind: Literal["reservation", "maintenance"] = Field("reservation", description="maintenance: for admins")
    end_intruders_minutes: float | None = Field(None, ge=0, le=10_080)
    notify_if_free: bool = Field(False, description="if it is refused for other reservations: a notice when it is free")


class ReservationPatch(Model):
    """Changes to a reservation; what is not given stays."""

    version: int
    title: ReservationTitle | None = None
    description: ReservationText | None = None
    devices: list[DeviceId] | None = Field(None, min_length=1, max_length=MOST_DEVICES)
    starts_at: AwareDatetime | None = None
    ends_at: AwareDatetime | None = None
    guests: list[AccountName] | None = Field(None, max_length=100)
    guest_groups: list[GroupName] | None = Field(None, max_length=100)


class FreeSlot(Model):
    """Devices of one host that are free together."""

    devices: list[str]
    host: str
    backend: str
    starts_at: datetime
    ends_at: datetime


class BookingProblem(Model):
    """Why a reservation, or one week of a series, is refused."""

    kind: Literal["taken", "rule", "quota", "past", "length", "ahead", "notice", "device"]
    message: str
    device: str | None = None
    reservation: str | None = Field(None, description="taken: by this one")
    owner: str | None = None
    starts_at: datetime | None = Field(None, description="the stretch that is refused")
    ends_at: datetime | None = None


class BookingResult(Model):
    """What became of a request. With problems and no reservations, nothing was reserved."""

    reservations: list[Reservation] = Field(default_factory=list, description="several for a series")
    problems: list[BookingProblem] = Field(default_factory=list, max_length=200)
    free: list[FreeSlot] = Field(default_factory=list, description="if it was refused: the first that are free")
    waits_for: int | None = Field(None, description="the number of the wish, with `notify_if_free`")


class WantedSlot(Model):
    """A notice is sent when these devices become free."""

    id: int
    owner: str
    devices: list[str]
    gpus: int | None = Field(None, description="that many of these devices on one host; null: all of them")
    starts_at: datetime
    ends_at: datetime
    created_at: datetime


class ReservationPage(Model):
    """The reservations of a stretch of time."""

    items: list[Reservation]
    more: bool = False


class CancelRequest(Model):
    version: int | None = Field(None, description="the version that it is about; any when not given")
    why: Annotated[Text, StringConstraints(max_length=500)] = ""
    series: bool = Field(False, description="all of its series that have not begun")
