"""Asks schedulers to keep others away from what is reserved, and records whether they do."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby

from paddock.backends.base import Enforcement, WantedReservation
from paddock.models import NoticeKind
from paddock.server.engine.context import Context
from paddock.server.notify import texts
from paddock.server.notify.tell import tell
from paddock.server.store import enforcement, groups, team
from paddock.server.store.db import Connection
from paddock.server.store.enforcement import BookedPlace

AGAIN_SECONDS = 15.0  # how often a scheduler is asked although nothing has changed: others may change it, too
Answers = Mapping[str, Enforcement]


class Enforcer:
    """Keeps the reservations of schedulers as the calendar has them."""

    def __init__(self, context: Context) -> None:
        self._context = context
        clusters = context.settings.clusters
        self._backends = [name for name in context.workers if name in clusters and clusters[name].reservations != "off"]
        self._asked: dict[str, tuple[float, Sequence[WantedReservation]]] = {}  # backend -> when, and for what
        self._answers: dict[str, Answers] = {}  # by backend

    def run(self, now: float) -> None:
        """Take up the answers, record what is new, and ask again if something has changed."""
        if not self._backends:
            return
        with self._context.db.read() as c:
            places = enforcement.places(c, self._backends, now)
            known = enforcement.known(c, now)
            people = _People(c, as_user=team.is_on(c) and self._context.settings.team.run_as == "user")
        for name in self._backends:
            worker = self._context.workers[name]
            answers = worker.reserved()
            if answers is not None:
                self._answers[name] = answers
            wanted = _wanted([one for one in places if one.backend == name], people)
            at, before = self._asked.get(name, (-AGAIN_SECONDS, None))
            if (wanted != before or now - at >= AGAIN_SECONDS) and worker.reserve(wanted, known):
                self._asked[name] = (now, wanted)
                same = {one.id for one in wanted if one in (before or ())}  # of others, the answers are old
                self._answers[name] = {id: one for id, one in self._answers.get(name, {}).items() if id in same}
        self._record(places, now)

    def _record(self, places: Sequence[BookedPlace], now: float) -> None:
        """Write what the schedulers answered, where it is not known yet."""
        news = []
        for _, some in groupby(places, key=lambda one: one.reservation):
            of = list(some)
            found = _joined([self._answers.get(one.backend, {}).get(one.reservation) for one in of])
            if found is not None and (found.state, found.why) != (of[0].enforced, of[0].enforced_why):
                news.append((of[0], found))
        if not news:
            return
        with self._context.db.write() as c:
            for place, found in news:
                enforcement.record(c, place.reservation, found.state, found.why)
                if found.state == "no" and place.enforced != "no" and place.owner is not None:
                    words = texts.not_enforced(place.title, place.host, found.why or "")
                    link = f"/calendar?reservation={place.reservation}"
                    kind, settings = NoticeKind.RESERVATION, self._context.settings
                    tell(c, settings, kind, user=place.owner, words=words, link=link, now=now)


class _People:
    """Which Unix accounts may use a reservation. Without `as_user`, all work is the server's own account's."""

    def __init__(self, c: Connection, *, as_user: bool) -> None:
        self._unix = enforcement.unix_names(c) if as_user else {}
        self._groups: dict[str, list[str]] = defaultdict(list)
        for user, of in groups.by_user(c).items() if as_user else ():
            for group in of:
                self._groups[group].append(user)

    def of(self, place: BookedPlace) -> frozenset[str]:
        members = [user for group in place.guest_groups for user in self._groups[group]]
        names = [place.owner or "", *place.guests, *members]
        return frozenset(self._unix[name] for name in names if name in self._unix)


def _wanted(places: Sequence[BookedPlace], people: _People) -> list[WantedReservation]:
    """Return what a scheduler should have: one reservation for all its nodes that one of the calendar has."""
    found = []
    for _, some in groupby(places, key=lambda one: one.reservation):
        of = list(some)
        first = of[0]
        nodes: dict[str, int | None] = {}
        for one in of:
            nodes[one.host] = None if one.number is None else (nodes.get(one.host) or 0) + 1
        maintenance = first.kind == "maintenance"
        whose = frozenset[str]() if maintenance else people.of(first)
        id, starts_at, ends_at = first.reservation, first.starts_at, first.ends_at
        found.append(WantedReservation(id, nodes, whose, starts_at, ends_at, maintenance))
    return found


def _joined(answers: Sequence[Enforcement | None]) -> Enforcement | None:
    """Return what is true of a reservation on several clusters; None if one has not answered."""
    if None in answers:
        return None
    refused = [one for one in answers if one is not None and one.state == "no"]
    return refused[0] if refused else Enforcement("yes")
