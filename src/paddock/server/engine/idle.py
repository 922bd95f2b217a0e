"""Tell owners of reservations that are idle, and release those that were never used, if the settings say so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from paddock.models import NoticeKind
from paddock.rules.booking import Booked
from paddock.rules.use import ReservedSums
from paddock.server.engine.context import Context
from paddock.server.notify import texts
from paddock.server.notify.tell import tell
from paddock.server.store import audit, device_use, devices, reservations, team
from paddock.server.store.db import Connection
from paddock.server.store.device_use import UseKey

WARNED_SECONDS = 600.0  # from the warning to the release
LEFT_SECONDS = 900.0  # what ends within this time is left alone
IDLE, UNUSED = "idle", "unused"  # what was told about a reservation


@dataclass(frozen=True)
class _Engine:
    """Who releases a reservation."""

    team: bool
    name: str = "server"
    via: str = "engine"
    address: str = ""


class IdleReservations:
    def __init__(self, context: Context) -> None:
        self._context = context

    def run(self, uses: Mapping[UseKey, ReservedSums], now: float) -> None:
        """Judge each reservation that goes on by how all its devices were used."""
        with self._context.db.read() as c:
            booked = [one for one in reservations.live(c, now, now) if one.owner is not None]
            told = {one.id: one.told for one in reservations.unfinished(c)}
            names = {row.id: row.name for row in devices.in_use(c)}
        booked.sort(key=lambda one: one.reservation)
        for id, group in groupby(booked, key=lambda one: one.reservation):
            parts = list(group)
            found = [uses.get((id, one.device)) for one in parts]
            known = [use for use in found if use is not None]
            if len(known) == len(parts) and parts[0].ends_at - now > LEFT_SECONDS:
                self._judge(
                    parts, known, told.get(id, {}), sorted(names.get(one.device, one.device) for one in parts), now
                )

    def _judge(
        self,
        parts: Sequence[Booked],
        uses: Sequence[ReservedSums],
        told: Mapping[str, float],
        names: Sequence[str],
        now: float,
    ) -> None:
        settings = self._context.settings.reservations
        after, seen = settings.release_after_minutes, min(use.seen for use in uses)
        if after is not None and all(use.first_used_at is None for use in uses):
            if UNUSED not in told and seen >= after * 60 - WARNED_SECONDS:
                self._tell(parts[0], UNUSED, texts.unused(names, max(after - seen / 60, WARNED_SECONDS / 60)), now)
            elif UNUSED in told and seen >= after * 60 and now - told[UNUSED] >= WARNED_SECONDS:
                self._release(parts[0], names, now)
            return
        since = [use.idle_since for use in uses if use.idle_since is not None]
        if len(since) == len(uses) and now - max(since) >= settings.idle_minutes * 60 and IDLE not in told:
            self._tell(parts[0], IDLE, texts.idle(names, now - max(since)), now)

    def _tell(self, one: Booked, what: str, words: tuple[str, str], now: float) -> None:
        with self._context.db.write() as c:
            if device_use.claim(c, one.reservation, what, now):
                self._write(c, one, words, now)

    def _release(self, one: Booked, names: Sequence[str], now: float) -> None:
        with self._context.db.write() as c:
            if device_use.claim(c, one.reservation, "released", now):
                reservations.release(c, one.reservation, now)
                detail = {"owner": one.owner, "why": "it was not used since its start"}
                audit.write(c, _Engine(team.is_on(c)), "reservation.release", "reservation", one.reservation, detail)
                self._write(c, one, texts.released_unused(names), now)

    def _write(self, c: Connection, one: Booked, words: tuple[str, str], now: float) -> None:
        link = f"/calendar?reservation={one.reservation}"
        settings, owner = self._context.settings, one.owner or ""
        tell(c, settings, NoticeKind.RESERVATION, user=owner, words=words, link=link, now=now)
