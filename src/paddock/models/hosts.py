"""Hosts: machines that are reached by ssh. Their names, and what is kept of each."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from paddock.models.base import Model

MOST_HOSTS = 1000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,252}")
_RANGE = re.compile(r"(.*)\[(\d+)-(\d+)\](.*)")


def expand(text: str) -> list[str]:
    """Return the hosts that a text such as gpu[1-8] stands for. Raise ValueError for one that names none."""
    found = _RANGE.fullmatch(text)
    if found is None:
        if not _NAME.fullmatch(text):
            raise ValueError(f"{text!r} is not the name of a host: write it like gpu1 or gpu[1-8]")
        return [text]
    before, first, last, after = found.groups()
    numbers = range(int(first), int(last) + 1)
    if not 0 < len(numbers) <= MOST_HOSTS:
        raise ValueError(f"{text!r} stands for no host, or for more than {MOST_HOSTS}")
    return [name for number in numbers for name in expand(f"{before}{number:0{len(first)}}{after}")]


def _checked(text: str) -> str:
    expand(text)
    return text


HostNames = Annotated[str, AfterValidator(_checked)]


@dataclass(frozen=True)
class ListedHost:
    """A host that a backend is to use."""

    name: str
    added_by: str | None = None  # None: it is in the settings
    lost_at: float | None = None  # when an admin declared it lost: what it had is not waited for


class HostRequest(Model):
    """A host to be added."""

    name: HostNames
    backend: str | None = Field(None, description="the backend of kind hosts; needed if there are several")
    keys: list[Annotated[str, Field(max_length=2000)]] = Field(
        default_factory=list,
        max_length=320,
        description="lines of known_hosts that a person has confirmed; none: ssh knows the host already",
    )


class HostKey(Model):
    """A key with which a host answers, for a person to compare."""

    host: str
    line: str = Field(description="the line of known_hosts")
    kind: str = Field(description="such as ssh-ed25519")
    fingerprint: str = Field(description="such as SHA256:...")
    known: Literal["no", "yes", "other"] = Field(
        description="whether ssh knows this key already; other: it knows another key of this host, of the same kind"
    )


class HostInfo(Model):
    """A host of a backend of kind hosts."""

    name: str
    backend: str
    state: str = Field(description="up, new (not yet heard from), silent, lost or leaving")
    answers: bool = Field(False, description="it was heard from a moment ago")
    reason: str | None = Field(None, description="why it takes no work")
    since: datetime | None = Field(None, description="since when it is in this state")
    added_by: str | None = Field(None, description="who added it; null: it is in the settings")
    allocations: int = Field(0, description="allocations that it has, also those that are not known to have ended")
