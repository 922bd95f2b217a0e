"""Notices: what a person is told about their jobs and reservations, in the page and where they want it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from paddock.models.base import Model, Text

MOST_ADDRESSES = 5


class NoticeKind(StrEnum):
    """What a notice is about. Whoever adds a kind adds its words in `notify/texts.py` and in `lib/notices.ts`."""

    ENDED = "ended"  # a job has ended
    FAILED = "failed"  # tasks of a job are in error
    ATTENTION = "attention"  # a job does not go on by itself, or something is wrong with it
    RESERVATION = "reservation"  # a reservation begins, ends, or was changed by somebody else
    SLOT = "slot"  # devices that somebody waits for have become free
    VIOLATION = "violation"  # a process is on a device that somebody else has reserved


OF_JOBS = (NoticeKind.ENDED, NoticeKind.FAILED, NoticeKind.ATTENTION)


class Notice(Model):
    id: int
    kind: NoticeKind
    title: str
    text: str = ""
    link: str = Field(description="a path of the page")
    job: str | None = None
    created_at: datetime
    read_at: datetime | None = None


class NoticePage(Model):
    items: list[Notice] = Field(description="newest first")
    unread: int = Field(description="number of all that are not read")
    more: bool = False


RowNumber = Annotated[int, Field(ge=0, lt=2**63)]


class NoticesRead(Model):
    """Which notices were read."""

    ids: list[RowNumber] | None = Field(None, max_length=500, description="these; all when not given")
    up_to: RowNumber | None = Field(
        None, description="with all: only up to this one, the newest that the person has seen"
    )


class AddressRequest(Model):
    """An address of one's own, and what is sent there."""

    id: str | None = Field(None, max_length=32, description="of one that is known")
    url: Annotated[Text, Field(max_length=1000)] | None = Field(
        None, description="of a new one, as apprise writes it: ntfys://ntfy.sh/TOPIC, slack://..."
    )
    kinds: list[NoticeKind] = Field(default_factory=list, max_length=10)


class NoticeAddress(Model):
    """An address as it is shown: without its secrets."""

    id: str
    shown: str
    kinds: list[NoticeKind]
    problem: str | None = Field(None, description="why the last notice could not be sent there")


class ChoicesRequest(Model):
    """What a person wants to be told outside the page, and where. The page shows every notice."""

    mail: list[NoticeKind] = Field(default_factory=list, max_length=10, description="by mail to one's own address")
    addresses: list[AddressRequest] = Field(default_factory=list, max_length=MOST_ADDRESSES)


class NoticeChoices(Model):
    mail: list[NoticeKind] = Field(default_factory=list)
    mail_to: str | None = Field(None, description="one's own address; null: mail cannot be sent, see `mail_why`")
    mail_why: str | None = Field(None, description="why mail cannot be sent")
    mail_problem: str | None = Field(None, description="why the last mail could not be sent")
    addresses: list[NoticeAddress] = Field(default_factory=list)
    schemes: list[str] | None = Field(None, description="how addresses may begin; null: as apprise knows them")
    others: int = Field(0, description="addresses in the settings of the server that get the notices too")


class TryRequest(Model):
    to: str = Field(max_length=32, description="`mail`, or the id of an address")


class TryResult(Model):
    sent: bool
    problem: str | None = None
