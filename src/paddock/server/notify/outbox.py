"""Sends notices outside the page, in threads of its own: whatever hangs there holds nothing else.

What has to be sent is in the database, so it survives restarts. A message that was sent when the server was killed may
be sent again: outside the page, a notice comes at least once.
"""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from paddock.errors import Busy, InvalidInput, NotFound, TooManyTries
from paddock.models import NoticeKind
from paddock.server.notify import addresses, texts
from paddock.server.notify.addresses import Target, Unreachable
from paddock.server.notify.sending import Delivery, Message, Sending
from paddock.server.store import notices, team
from paddock.server.store.db import Connection, Database
from paddock.server.store.notices import Parcel
from paddock.settings import Settings

LOOK_SECONDS = 1.0
FIRST_RETRY = 30.0
LONGEST_RETRY = 3600.0
GIVE_UP_SECONDS = 86_400.0
HOUR = 3600.0
LANES = 8  # that are served at a time
MESSAGES = 10  # per process
TRY_SECONDS = 10.0  # between two tries of one person
TRIES_AT_ONCE = 2
log = logging.getLogger("paddock.notify")


class Outbox:
    def __init__(
        self, db: Database, home: Path, settings: Settings, page: str = "", clock: Callable[[], float] = time.time
    ) -> None:
        """`page`: the address of the page, for links; without it, messages have none."""
        self._db, self._home, self._settings, self._clock = db, home, settings, clock
        self._page = page.rstrip("/")
        self.sending = Sending(settings.notify)
        self._stop = threading.Event()
        self._busy: set[str] = set()
        self._rests: dict[str, float] = {}  # lane that failed as a whole -> until when
        self._tries = threading.BoundedSemaphore(TRIES_AT_ONCE)
        self._tried: dict[str, float] = {}

    def start(self) -> None:
        threading.Thread(target=self._run, name="outbox", daemon=True).start()

    def close(self) -> None:
        """End at once: what is not sent stays in the database."""
        self._stop.set()
        self.sending.close()

    # --- lanes --------------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        failing = ""
        while not self._stop.wait(LOOK_SECONDS):
            try:
                self.look()
                failing = ""
            except Exception as error:  # the database is away: the next look tries again
                if str(error) != failing:
                    log.exception("notices cannot be sent at the moment")
                failing = str(error)

    def look(self) -> None:
        """Begin to send what is due, each lane in a thread."""
        now = self._clock()
        by_lane: dict[str, list[Parcel]] = defaultdict(list)
        with self._db.read() as c:
            for one in notices.to_send(c):
                if one.next_at <= now:
                    by_lane[addresses.lane(one.user, one.address)].append(one)
        for lane, due in by_lane.items():
            if lane in self._busy or self._rests.get(lane, 0.0) > now or len(self._busy) >= LANES:
                continue
            self._busy.add(lane)
            threading.Thread(target=self._serve, args=(lane, due), name="outbox lane", daemon=True).start()

    def _serve(self, lane: str, due: list[Parcel]) -> None:
        try:
            self.deliver(due)
            self._rests.pop(lane, None)
        except Exception:
            self._rests[lane] = self._clock() + FIRST_RETRY
            if not self._stop.is_set():
                log.exception("notices cannot be sent at the moment")
        finally:
            self._busy.discard(lane)

    def deliver(self, due: Sequence[Parcel]) -> None:
        """Send these, one message per person and address, and record what became of it."""
        by_address: dict[tuple[str, str], list[Parcel]] = defaultdict(list)
        with self._db.read() as c:
            valid = notices.still_due(c, [one.id for one in due])  # the list may be a moment old
        for one in due:
            if one.id in valid:
                by_address[one.user, one.address].append(one)
        for_now = list(by_address.items())[:MESSAGES]
        ready: list[tuple[list[Parcel], Message]] = []
        with self._db.write() as c:
            for (user, address), some in for_now:
                found = self._ready(c, user, address, some)
                if found is not None:
                    ready.append((some, found))
        if not ready:
            return
        outcomes = self.sending.send([message for _, message in ready])
        if self._stop.is_set():
            return  # the next server sends them
        with self._db.write() as c:
            for (some, message), outcome in zip(ready, outcomes, strict=True):
                if outcome is not None:
                    self._record(c, some, message.target, outcome)

    def _ready(self, c: Connection, user: str, address: str, some: list[Parcel]) -> Message | None:
        """Return the message to send; None if it is not to be sent now, which is recorded."""
        now, ids = self._clock(), [one.id for one in some]
        sent = notices.sent_since(c, user, now - HOUR)
        if len(sent) >= self._settings.notify.per_hour:
            notices.put_off(c, ids, sent[-self._settings.notify.per_hour] + HOUR, None)
            return None
        target = addresses.target(c, self._settings, self._home, user, address)
        if isinstance(target, Target):
            several = [(one.title, one.text, self.link(one.link)) for one in some]
            return Message(target, *(texts.message(*several[0]) if len(several) == 1 else texts.digest(several)))
        if target is None:
            notices.put_off(c, ids, None, "the address was removed")
        else:
            self._record(c, some, Target("", address, True), Delivery(False, target.why))
        return None

    def link(self, path: str) -> str:
        """Return the whole address of a path of the page; nothing if that is not known."""
        return f"{self._page}{path}" if self._page else ""

    def _record(self, c: Connection, some: list[Parcel], target: Target, outcome: Delivery) -> None:
        now = self._clock()
        if outcome.ok:
            notices.mark_sent(c, [one.id for one in some], now)
            return
        problem = outcome.problem or "it was not accepted"
        given_up = [one for one in some if outcome.refused or now - one.created_at > GIVE_UP_SECONDS]
        for one in some:
            wait = min(FIRST_RETRY * 2**one.tries, LONGEST_RETRY)
            notices.put_off(c, [one.id], None if one in given_up else now + wait, problem)
        if given_up:
            log.warning("%d notices of %s are not sent: %s", len(given_up), some[0].user, problem)
            title, text = texts.unsent(len(given_up), target.shown, problem)
            about = {"user": some[0].user, "kind": NoticeKind.ATTENTION.value, "title": title, "text": text}
            link = "/profile" if team.is_on(c) else "/settings"
            notices.add(c, now, **about, link=link, job_id=None)

    # --- for the settings of a person ---------------------------------------------------------------------------------

    def check(self, url: str, trusted: bool) -> str:
        """Return how a new address is shown; raise InvalidInput if it may not be used."""
        with self._place():
            found = self.sending.check(Target(url, "", trusted))
        if not found.ok:
            raise InvalidInput.at("addresses", found.problem or "it cannot be used")
        return found.shown

    def try_now(self, user: str, address: str) -> Delivery:
        """Send a message to an address of a person now, and return what became of it."""
        now = time.monotonic()
        if now - self._tried.get(user, -TRY_SECONDS) < TRY_SECONDS:
            raise TooManyTries("You have just tried an address: try again in a few seconds.")
        self._tried[user] = now
        with self._db.read() as c:
            target = addresses.target(c, self._settings, self._home, user, address)
        if target is None:
            raise NotFound("There is no such address: save it first.")
        if isinstance(target, Unreachable):
            return Delivery(False, target.why)
        words = texts.message("this is a test", "Notices of your jobs will come here.", self.link("/"))
        with self._place():
            return self.sending.send([Message(target, *words)])[0] or Delivery(False, "it was not tried")

    @contextmanager
    def _place(self) -> Iterator[None]:
        """Take one of the few places for what a request waits for."""
        if not self._tries.acquire(blocking=False):
            raise Busy("Others are just trying their addresses: try again in a few seconds.")
        try:
            yield
        finally:
            self._tries.release()
