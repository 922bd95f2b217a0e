"""What the server writes when something changes, and what the event stream sends."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import TypedDict  # pydantic needs this one on Python 3.11

from paddock.models.base import Model
from paddock.models.tasks import Task


class JobChange(Model):
    """What changed in a job."""

    kind: ClassVar = "job"
    change: Literal[
        "submitted",
        "edited",
        "held",
        "released",
        "limits",
        "objective",
        "search",
        "waits",
        "warned",
        "packing",
        "set aside",
        "taken up",
    ]
    tasks: int | None = Field(None, description="how many tasks the job begins with; only with `submitted`")


class TasksRequested(Model):
    """A person stopped, restarted or resized tasks, or wrote a note."""

    kind: ClassVar = "tasks"
    change: Literal["stopping", "restarted", "noted", "resizing"]
    ids: list[str] = Field(description="the tasks concerned")


class LiveFields(TypedDict, total=False):
    """The fields of a task that change while it runs. Those that are absent have not changed."""

    epoch: float | None
    last_value: float | None
    best_value: float | None
    best_epoch: float | None
    epochs: int | None
    epochs_done: float | None
    progress: float | None
    seconds_left: float | None
    reported_at: datetime | None
    quiet_after: datetime | None
    no_word_since: datetime | None


StepValue = tuple[float, float | None]


class TasksUpdate(Model):
    """What runners reported about the tasks of one job."""

    kind: ClassVar = "tasks"
    tasks: list[Task] = Field(description="tasks whose state changed")
    live: dict[str, LiveFields] = Field(description="task -> what changed in it, its state apart")
    points: dict[str, dict[str, list[StepValue]]] | None = Field(
        None, description="task -> metric -> new points, as step and value; a value that is not a number is null"
    )
    reset: dict[str, list[str]] | None = Field(None, description="task -> metrics whose curves must be fetched again")
    more: Literal[True] | None = Field(None, description="too many new points to send: fetch the job's curves again")


class JobRemoved(Model):
    """The job was deleted."""

    kind: ClassVar = "removed"


class NoticesChanged(Model):
    """A person has a new notice, or has read some."""

    kind: ClassVar = "notice"
    user: str = Field(description="whose notices")
    unread: int


class CalendarChanged(Model):
    """Reservations, devices, rules, quotas or violations have changed: a page fetches them again."""

    kind: ClassVar = "calendar"
    what: list[Literal["reservations", "devices", "rules", "quotas", "violations"]]


EventData = JobChange | TasksRequested | TasksUpdate | JobRemoved | NoticesChanged | CalendarChanged


class _EventOfJob(Model):
    id: int = Field(description="the position of the event in the stream")
    at: datetime
    job: str


class JobEvent(_EventOfJob):
    kind: Literal["job"]
    data: JobChange


class TasksEvent(_EventOfJob):
    kind: Literal["tasks"]
    data: TasksRequested | TasksUpdate


class RemovedEvent(_EventOfJob):
    kind: Literal["removed"]
    data: JobRemoved


class NoticeEvent(Model):
    id: int = Field(description="the position of the event in the stream")
    at: datetime
    job: None = None
    kind: Literal["notice"]
    data: NoticesChanged


class CalendarEvent(Model):
    id: int = Field(description="the position of the event in the stream")
    at: datetime
    job: None = None
    kind: Literal["calendar"]
    data: CalendarChanged


ServerEvent = Annotated[JobEvent | TasksEvent | RemovedEvent | NoticeEvent | CalendarEvent, Field(discriminator="kind")]


class StreamPosition(Model):
    """The data of `hello` and `reset`, which begin a stream."""

    position: int = Field(description="the id of the newest event that the client has, or need not have")


class Event(Model):
    """An event as the SDK returns it. Its data are not checked: a newer server may send more."""

    id: int
    at: datetime
    job: str | None = None
    kind: Literal["job", "tasks", "removed", "notice", "calendar"]
    data: dict[str, Any] = Field(default_factory=dict)
