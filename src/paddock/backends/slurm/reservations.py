"""Keep the reservations of Slurm as they are wanted: compare, then create, update and delete.

Seen on Slurm 22.05: jobs in a reservation are ended when it ends, and it cannot be deleted while they run. So they are
taken out of one that is deleted, and go on like others.
"""

import logging
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

from paddock.backends.base import RESERVATION_PREFIX, Enforcement, WantedReservation
from paddock.backends.slurm import parse
from paddock.backends.slurm.commands import Commands, Result, complaint
from paddock.backends.slurm.complaints import Trouble, diagnose, message
from paddock.backends.slurm.parse import OccupantRow, ReservationRow

log = logging.getLogger("paddock.slurm")

ENFORCED = Enforcement("yes")
OVER_SECONDS = 60.0
MOST_OCCUPANTS = 3  # that are named where nodes are busy
_NODE = re.compile(r"[A-Za-z0-9_.-]+")
_USER = re.compile(r"[A-Za-z_][A-Za-z0-9_.@-]*")  # a minus before it would mean: everybody else
_NOT_WORDS = re.compile(r"^(Error (creating|updating) the reservation|slurm_update error|delete_reservation \S+): ")


class Reserver:
    """Makes the reservations of one cluster. `who` is the account of the server's own allocations."""

    def __init__(self, commands: Commands, who: Callable[[], str], clock: Callable[[], float]) -> None:
        self._commands, self._who, self._clock = commands, who, clock
        self._own: str | None = None

    def enforce(self, wanted: Sequence[WantedReservation], known: Collection[str]) -> dict[str, Enforcement]:
        """Make what is wanted, and return what became of each; see `Backend.reserve`."""
        rows = self._listed()
        names = {one.name for one in wanted}
        for name in sorted((rows.keys() & {f"{RESERVATION_PREFIX}{one}" for one in known}) - names):
            if rows[name].ends_at > self._clock() + OVER_SECONDS:  # else Slurm ends it, and what is inside
                self._delete(name)
        found: dict[str, Enforcement] = {}
        missing = []
        for one in wanted:
            row, fault = rows.get(one.name), _fault(one)
            updated = Enforcement("no", fault) if fault else row and self._update(one, row)
            if updated:
                found[one.id] = updated
            else:
                missing.append(one)
        return found | {one.id: self._create(one) for one in missing}  # at last: others may have made room

    def _listed(self) -> dict[str, ReservationRow]:
        out = self._commands.run("scontrol", "show", "reservations", "-o")
        return {row.name: row for row in parse.reservations(out)}

    def _update(self, one: WantedReservation, row: ReservationRow) -> Enforcement | None:
        """Change what is not as it is wanted. Returns None if it has to be made anew."""
        begun = row.active or row.starts_at <= self._clock()
        changed = _changes(one, self._fields(one), row, begun=begun)
        if not changed:
            return ENFORCED
        result = self._operate("update", f"ReservationName={one.name}", *changed)
        if not result.code:
            return ENFORCED
        if begun:
            return Enforcement("no", self._why(one, result))
        self._delete(one.name)  # what it was is not wanted any more
        return None

    def _fields(self, one: WantedReservation) -> dict[str, str]:
        """Return what Slurm is asked for. Seconds since 1970 are the same in every time zone."""
        starts, ends = int(one.starts_at), -int(-one.ends_at // 1)
        users = [] if one.maintenance else sorted(user for user in one.users if _USER.fullmatch(user))
        fields = {
            "StartTime": f"uts{starts}" if starts > self._clock() else "now",
            "EndTime": f"uts{ends}",
            "Nodes": ",".join(sorted(one.nodes)),
            "Users": ",".join(users or [self._name()]),
        }
        count = next(iter(one.nodes.values()), None)
        if count is not None:
            fields["TRESPerNode"] = f"gres/gpu={count}"
        if one.maintenance:
            fields["Flags"] = "MAINT,IGNORE_JOBS"
        return fields

    def _name(self) -> str:
        """Return the name of the server's account, as Slurm lists it."""
        if self._own is None:
            who = self._who()
            self._own = self._commands.run("id", "-un").strip() if who.isdigit() else who
        return self._own

    def _create(self, one: WantedReservation) -> Enforcement:
        fields = [f"{name}={value}" for name, value in self._fields(one).items()]
        result = self._operate("create", "reservation", f"ReservationName={one.name}", *fields)
        return Enforcement("no", self._why(one, result)) if result.code else ENFORCED

    def _delete(self, name: str) -> None:
        """Delete a reservation; whatever waits or runs in it goes on without it.

        If that fails, the next round tries again. To set its end would end what runs in it.
        """
        result = self._commands.try_run("squeue", "-h", "-R", name, "-o", "%F")
        if not result.code:
            for job in sorted(set(result.out.split())):  # the answer is not looked at: some may have ended
                self._operate("update", f"JobId={job}", "Reservation=")
            result = self._operate("delete", f"ReservationName={name}")
        if result.code:
            log.warning("the reservation %s cannot be deleted: %s", name, _words(result))

    def _operate(self, *argv: str) -> Result:
        """Run scontrol. Raise BackendUnavailable if nobody answers: that is no refusal."""
        result = self._commands.operate(*argv)
        if result.code and diagnose(result.err) is Trouble.UNREACHABLE:
            raise complaint("scontrol", result)
        return result

    def _why(self, one: WantedReservation, refused: Result) -> str:
        """Return Slurm's words, and who is on the nodes if they are busy."""
        words = _words(refused)
        if words == "Invalid user id":
            return f"{words}: it does not know one of {self._fields(one)['Users']}, or this server may not reserve"
        if "busy" not in words:
            return words
        asked = ("squeue", "-h", "-t", "RUNNING,SUSPENDED", "-w", ",".join(sorted(one.nodes)))
        listed = self._commands.try_run(*asked, "-o", parse.OCCUPANT_FORMAT)
        rows = [] if listed.code else parse.occupants(listed.out)
        staying = [row for row in rows if row.ends_at is None or row.ends_at > one.starts_at]
        return f"{words}: {_in_words(staying, one)}" if staying else words


def _fault(one: WantedReservation) -> str | None:
    """Return why Slurm need not be asked."""
    if not all(_NODE.fullmatch(node) for node in one.nodes):
        return "the name of a node is not one of Slurm's"
    if len(set(one.nodes.values())) > 1:
        return "Slurm reserves the same number of GPUs on each node of one reservation: make one for each node"
    return None


def _changes(one: WantedReservation, asked: Mapping[str, str], row: ReservationRow, *, begun: bool) -> list[str]:
    """Return the fields of a reservation that are not as they are wanted. The start of one that has begun stays."""
    counts = [count for count in one.nodes.values() if count is not None]
    differs = {
        "StartTime": not begun and abs(row.starts_at - one.starts_at) >= 1,
        "EndTime": abs(row.ends_at - one.ends_at) >= 1,
        "Nodes": row.nodes != frozenset(one.nodes),
        "Users": row.users != frozenset(asked["Users"].split(",")),
        "TRESPerNode": (row.gpus or 0) != sum(counts),
    }
    return [f"{name}={asked.get(name, '')}" for name, differ in differs.items() if differ]


def _words(result: Result) -> str:
    """Return what Slurm said, without the names of its functions and its advice."""
    lines = [_NOT_WORDS.sub("", line) for line in message(result.err).splitlines()]
    kept = [line for line in lines if not line.startswith(("Note,", "If no partition"))]
    return "; ".join(dict.fromkeys(kept)) or f"`scontrol` ended with code {result.code}"


def _in_words(staying: Sequence[OccupantRow], one: WantedReservation) -> str:
    """Return which jobs keep the nodes busy, the longest first."""
    longest = sorted(staying, key=lambda row: -(row.ends_at or float("inf")))
    named = [_occupant(row, one) for row in longest[:MOST_OCCUPANTS]]
    more = len(staying) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _occupant(row: OccupantRow, one: WantedReservation) -> str:
    nodes = ",".join(sorted(row.nodes & frozenset(one.nodes))) or "they"
    until = "without a time limit"
    if row.ends_at is not None:
        until = f"until {datetime.fromtimestamp(row.ends_at, UTC):%Y-%m-%d %H:%M} UTC"
    return f"{nodes} {until} with job {row.id} of {row.user}"
