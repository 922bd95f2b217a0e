"""Which processes on GPUs are where they ought not to be, and what is to be done about them when. Pure.

A process is known by its node, its pid and its start time, since another one may get its pid later.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # the benchmark on a real GPU has no packages
    from paddock.models.violations import StepAct, ViolationKind

Protection = Literal["reserved", "strict"]
PROGRAM_MEMORY = 2 * 2**30
ONCE_SECONDS = 3600.0  # notices and mails about the same person and reservation are this far apart


@dataclass(frozen=True)
class GuardedBooking:
    """The part of a reservation on one device."""

    reservation: str
    device: str
    owner: str | None  # null: maintenance
    users: frozenset[str]  # accounts that may use it: its owner, guests and members of their groups
    starts_at: float
    ends_at: float
    end_minutes: float | None = None  # processes of others are ended after this long


@dataclass(frozen=True)
class WatchedProcess:
    """A process on a GPU, as the monitor of its node reports it."""

    backend: str
    host: str
    device: str
    pid: int
    start: int | None  # null: not visible
    unix_name: str | None  # null: not visible, or of an account that the node does not know
    account: str | None  # whose Unix account that is
    command: str | None
    protect: Protection
    memory: int | None = None  # bytes on the GPU
    ours: bool = False  # Paddock has given the device to its owner


@dataclass(frozen=True)
class ExemptProcesses:
    """Processes that are no violation: all that is given must hold."""

    account: str | None
    command: str | None
    device: str | None
    until: float

    def covers(self, one: WatchedProcess, now: float) -> bool:
        if now >= self.until or (self.account is None and self.command is None and self.device is None):
            return False
        return (
            (self.account is None or self.account in (one.account, one.unix_name))
            and (self.command is None or (one.command or "").startswith(self.command))
            and (self.device is None or self.device == one.device)
        )


@dataclass(frozen=True)
class Intrusion:
    """A process that is where it ought not to be."""

    process: WatchedProcess
    kind: ViolationKind
    booking: GuardedBooking | None = None

    @property
    def key(self) -> tuple[str, str, int, int, str, str | None]:
        """Return by what it is the same violation: that of another reservation is another one."""
        one = self.process
        reservation = None if self.booking is None else self.booking.reservation
        return one.host, one.device, one.pid, one.start or 0, self.kind, reservation


@dataclass(frozen=True)
class Judgement:
    """The violations, and those processes that would be ones if they were not exempt."""

    intrusions: list[Intrusion]
    exempt: list[Intrusion]


def judge(
    processes: Iterable[WatchedProcess],
    bookings: Sequence[GuardedBooking],
    may_run: Callable[[WatchedProcess], bool],
    exempt: Sequence[ExemptProcesses],
    now: float,
    *,
    settle: float = 0.0,
    programs: Sequence[str] = (),
) -> Judgement:
    """Return which of these processes are violations now.

    `may_run`: whether the access rules allow its owner to use its device now, without a reservation. `settle`: the
    first seconds of a reservation do not count: what runs from before has them to end. `programs`: those whose names
    begin like one of these are none, such as display servers. As everybody can give a process any name, only those
    count that need little memory.
    """
    by_device: dict[str, list[GuardedBooking]] = {}
    for booking in bookings:
        if booking.starts_at <= now < booking.ends_at:
            by_device.setdefault(booking.device, []).append(booking)
    found: list[Intrusion] = []
    spared: list[Intrusion] = []
    for one in processes:
        named = (one.command or "").startswith(tuple(programs))
        if one.ours or (named and (one.memory or 0) <= PROGRAM_MEMORY):
            continue
        intrusion = _judged(one, by_device.get(one.device, []), may_run, now, settle)
        if intrusion is not None:
            (spared if any(rule.covers(one, now) for rule in exempt) else found).append(intrusion)
    return Judgement(found, spared)


def _judged(
    one: WatchedProcess,
    bookings: Sequence[GuardedBooking],
    may_run: Callable[[WatchedProcess], bool],
    now: float,
    settle: float,
) -> Intrusion | None:
    if any(one.account in booking.users for booking in bookings if one.account is not None):
        return None
    for booking in bookings:
        return None if now < booking.starts_at + settle else Intrusion(one, "reserved", booking)
    if not may_run(one):
        return Intrusion(one, "rule")
    return Intrusion(one, "unreserved") if one.protect == "strict" else None


# --- what is done ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GuardTimes:
    """When each step is taken, in seconds after the violation began; None: never."""

    terminal: float | None
    repeat: float  # messages on terminals
    page: float | None
    mail: float | None
    admins: float | None
    grace: float | None
    kill: float  # from SIGTERM to SIGKILL


@dataclass(frozen=True)
class StepTaken:
    at: float
    act: StepAct
    ok: bool


@dataclass(frozen=True)
class OpenCase:
    """A violation that goes on, with what was done about it and about others of the same case.

    A case is one person on one node, and one reservation: who was told about one process need not be told at once about
    the next.
    """

    since: float  # when the case began
    first_seen: float
    known: bool = True  # whose process it is
    endable: bool = True  # and which one, for certain
    own: Sequence[StepTaken] = ()
    told: Mapping[StepAct, float] = field(default_factory=dict)  # when each was last done in this case
    end_minutes: float | None = None  # of its reservation
    end_asked: bool = False  # an admin wants it ended now


def due(case: OpenCase, times: GuardTimes, now: float) -> list[StepAct]:
    """Return the steps that are to be taken now. Admins get what is due for them in one message, from time to time."""
    age, done = now - case.first_seen, {one.act for one in case.own}

    def is_due(act: StepAct, after: float | None, again: float) -> bool:
        return after is not None and age >= after and now - case.told.get(act, -math.inf) >= again

    found: list[StepAct] = []
    if case.known and is_due("terminal", times.terminal, times.repeat):
        found.append("terminal")
    if "page" not in done and is_due("page", times.page, ONCE_SECONDS):
        found.append("page")
    if "mail" not in done and is_due("mail", times.mail, ONCE_SECONDS):
        found.append("mail")
    if "admins" not in done and is_due("admins", times.admins, 0.0):
        found.append("admins")
    if (ends := _ends(case, times, now)) is not None:
        found.append(ends)
    return found


def _ends(case: OpenCase, times: GuardTimes, now: float) -> StepAct | None:
    """Return the signal that is due."""
    grace = times.grace if case.end_minutes is None else case.end_minutes * 60
    if not case.endable or not (case.end_asked or (grace is not None and now - case.since >= grace)):
        return None
    term = _last(case.own, "term")
    if term is None:
        return "term"
    kill = _last(case.own, "kill")
    if kill is not None:  # it was sent, and the process is in the kernel; or it cannot be sent, and is tried again
        return None if kill.ok or now - kill.at < times.repeat else "kill"
    return "kill" if now - term.at >= times.kill else None


def _last(steps: Sequence[StepTaken], act: StepAct) -> StepTaken | None:
    return max((one for one in steps if one.act == act), key=lambda one: one.at, default=None)


def owner_of(unix_name: str | None, accounts: Mapping[str, str | None]) -> str | None:
    """Return the account of whoever owns a process. `accounts`: name -> Unix name, or None if it has none.

    An account without a Unix name is that of the Unix account of the same name.
    """
    if unix_name is None:
        return None
    for name, unix in accounts.items():
        if unix == unix_name:
            return name
    return unix_name if unix_name in accounts and accounts[unix_name] is None else None


def in_one_line(names: Collection[str]) -> str:
    """Return names as a text: gpu1:0, gpu1:1 and gpu1:2."""
    *first, last = sorted(names)
    return f"{', '.join(first)} and {last}" if first else last
