"""People who reserve devices, without a server: the modules of `server/booking` on a database."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from paddock.models import (
    AccessRuleRequest,
    BookingResult,
    CancelRequest,
    QuotaRequest,
    Reservation,
    ReservationPatch,
    ReservationRequest,
    Role,
    SignInSource,
)
from paddock.server.api.caller import Caller
from paddock.server.booking import ending, finding, making
from paddock.server.booking.judging import Judge
from paddock.server.store import groups, quotas, reservations, rules, team, users
from paddock.server.store.db import Database
from paddock.settings import Settings
from tests.support.reservations import add_devices

HOUR = 3600.0
DAY = 24 * HOUR
NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC).timestamp()  # a Wednesday


def at(seconds: float) -> datetime:
    """A moment, so many seconds from now."""
    return datetime.fromtimestamp(NOW + seconds, UTC)


class Office:
    """A team: `ann` is an admin, `alice`, `bob` and `carol` are users, `gina` is a guest; carol is in `vision`."""

    def __init__(self, db: Database, settings: Settings, *, on: bool = True) -> None:
        self.db, self.settings, self.now, self.on = db, settings, NOW, on
        roles = {"ann": Role.ADMIN, "alice": Role.USER, "bob": Role.USER, "carol": Role.USER, "gina": Role.GUEST}
        with db.write() as c:
            team.switch(c, on, NOW)
            for name, role in roles.items():
                users.add(c, name, role, SignInSource.PASSWORD, NOW)
            groups.add(c, "vision", NOW)
            groups.set_members(c, "vision", ["carol"])
        self.roles = roles
        self.gpus = add_devices(db, ("gpu1", "gpu2"), 2)

    def caller(self, name: str) -> Caller:
        if not self.on:
            return Caller(self.settings.owner)
        member = frozenset(["vision"] if name == "carol" else [])
        return Caller(name, self.roles.get(name, Role.ADMIN), "session", groups=member, team=True)

    def reserve(self, who: str = "alice", since: float | None = 0.0, hours: float = 1.0, **given: Any) -> BookingResult:
        """Reserve from so many seconds from now on; the first GPU if nothing is named."""
        if "gpus" not in given:
            given.setdefault("devices", self.gpus[:1])
        start = None if since is None else at(since)
        what = ReservationRequest(starts_at=start, seconds=int(hours * HOUR), **given)
        with self.db.write() as c:
            found = making.make(c, self.settings, self.caller(who), what, self.now)
        return self.refused(found) if isinstance(found, making.Refusal) else found

    def refused(self, found: making.Refusal) -> BookingResult:
        """What the error of a refusal has."""
        with self.db.read() as c:
            error = making.error(c, self.settings, found, self.now)
        assert isinstance(error.booking, BookingResult)
        return error.booking

    def made(self, *given: Any, **named: Any) -> Reservation:
        """The one reservation that was made."""
        [found] = self.must(self.reserve(*given, **named))
        return found

    def must(self, result: BookingResult) -> list[Reservation]:
        assert result.reservations, result.problems
        return result.reservations

    def change(self, who: str, found: Reservation, **given: Any) -> Reservation | BookingResult:
        with self.db.write() as c:
            what = ReservationPatch(**{"version": found.version, **given})
            result = making.change(c, self.settings, self.caller(who), found.id, what, self.now)
        return self.refused(result) if isinstance(result, making.Refusal) else result

    def cancel(self, who: str, found: Reservation, **given: Any) -> list[Reservation]:
        with self.db.write() as c:
            return ending.cancel(c, self.settings, self.caller(who), found.id, CancelRequest(**given), self.now)

    def release(self, who: str, found: Reservation) -> Reservation:
        with self.db.write() as c:
            return ending.release(c, self.settings, self.caller(who), found.id, self.now)

    def get(self, id: str) -> Reservation:
        with self.db.read() as c:
            return reservations.get(c, id)

    def first(self, who: str, gpus: int, hours: float, after: float = 0.0, **given: Any) -> list[Any]:
        with self.db.read() as c:
            judge = Judge(c, self.settings, self.now)
            return finding.first(judge, who, finding.WantedDevices(gpus, **given), hours * HOUR, NOW + after)

    def rule(self, effect: str, **given: Any) -> None:
        with self.db.write() as c:
            rules.add(c, AccessRuleRequest.model_validate({"name": "r", "effect": effect, **given}), "ann", time.time())

    def quota(self, kind: str = "everyone", **given: Any) -> None:
        with self.db.write() as c:
            quotas.put(c, QuotaRequest.model_validate({"kind": kind, **given}), "ann", NOW)

    def audited(self) -> Sequence[str]:
        from paddock.server.store import audit

        with self.db.read() as c:
            return [one.act for one in reversed(audit.page(c).entries)]
