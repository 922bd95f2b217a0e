"""Find processes on GPUs that others have reserved, and do what the settings say about them.

Everything is judged by what the monitor of each node reports, which is a process of the server's account: never by
journals, which people can write. What is done, is recorded before: a server that is killed does nothing twice.
"""

import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from zoneinfo import ZoneInfo

from paddock.models import Device, GpuProcess
from paddock.models.violations import StepAct
from paddock.rules import access
from paddock.rules.access import AccessPerson, AccessTarget
from paddock.rules.booking import Booked
from paddock.rules.guarding import (
    ONCE_SECONDS,
    GuardedBooking,
    GuardTimes,
    Intrusion,
    Judgement,
    OpenCase,
    Protection,
    StepTaken,
    WatchedProcess,
    due,
    in_one_line,
    judge,
    owner_of,
)
from paddock.server.engine.context import Context
from paddock.server.engine.requests import Requests
from paddock.server.engine.warden_calls import ReachOutcome, WardenCalls, own_name
from paddock.server.notify import violation_notices
from paddock.server.notify.hooks import HookOutcome, HookRunner, name_of
from paddock.server.notify.violation_notices import Told
from paddock.server.store import devices, reservations, rules, team, users, violations
from paddock.server.store.db import Connection
from paddock.server.store.devices import DeviceRow
from paddock.server.store.violations import OpenViolation, StepRow
from paddock.settings import HostsSettings, LocalSettings, ViolationSettings

GONE_SECONDS = 5.0  # a process that was not seen for this long has left: a driver may leave one out once
CASE_SECONDS = 600.0  # who comes back within this time goes on with the same case
SEEN_SECONDS = 30.0  # how exact `last_seen` is stored
AT_ONCE = 8  # nodes that are reached at a time
UNDER_WAY = "under way"
Case = tuple[str, str, str]  # host, Unix name, reservation or kind


@dataclass(frozen=True)
class _Look:
    """What is known at one moment."""

    now: float
    rows: Mapping[str, DeviceRow]
    bookings: Mapping[str, Booked]  # by reservation
    looked_at: frozenset[str]  # devices whose processes are known
    judgement: Judgement


class ViolationGuard:
    def __init__(self, context: Context, calls: WardenCalls, hooks: HookRunner, wake: Callable[[], None]) -> None:
        self._context, self._calls, self._hooks, self._wake = context, calls, hooks, wake
        self._page = (context.settings.public_url or "").rstrip("/")
        self._settings: ViolationSettings = context.settings.violations
        every = context.settings.every_backend
        self._protect: dict[str, Protection] = {
            name: one.protect
            for name, one in every.items()
            if isinstance(one, LocalSettings | HostsSettings) and one.protect != "off"
        }
        self._executor = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="guard")
        self._acts = Requests[tuple[int, ...], ReachOutcome](self._executor, lambda _: wake())
        self._hooked: deque[tuple[int, HookOutcome, str]] = deque()
        self._told: dict[Case, dict[StepAct, float]] | None = None
        self._digest_at = -math.inf
        self._since: dict[Case, tuple[float, float]] = {}  # when the case began, and when it was last seen
        self._seen: dict[int, float] = {}  # violation -> when its process was last seen

    def close(self) -> None:
        """Begin nothing more. What is under way is not waited for."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def run(self, now: float) -> None:
        """Look at all processes, and do what is due."""
        self._take_outcomes()
        with self._context.db.read() as c:
            known = violations.unended(c)
            if not self._protect and not known:
                return
            look = self._look(c, now)
        self._compare(look, known)
        with self._context.db.read() as c:
            known, steps = violations.unended(c), violations.open_steps(c)
            if self._told is None:
                self._remember(violations.steps_since(c, now - ONCE_SECONDS))
        self._act(look, known, steps)

    # --- what is there ------------------------------------------------------------------------------------------------

    def _look(self, c: Connection, now: float) -> _Look:
        workers = self._context.workers
        rows = {row.id: row for row in devices.in_use(c)}
        places = {(row.backend, row.host, row.place): row for row in rows.values() if row.place is not None}
        found: list[tuple[DeviceRow, Device]] = []
        for name in self._protect:
            worker = workers.get(name)
            for node in worker.nodes if worker is not None and worker.fresh else ():
                pairs = [(places.get((name, node.name, one.id)), one) for one in node.devices if _is_measured(one)]
                found += [(row, one) for row, one in pairs if row is not None]
        processes = self._processes(c, found)
        live = reservations.live(c, now, now + 1.0)
        people = rules.people(c)
        seen = {one.account: people[one.account] for one in processes if one.account is not None}
        admins = frozenset(name for name, one in seen.items() if one.admin)
        bookings = [_guarded(one, seen.values(), admins) for one in live]
        stored, default = rules.listed(c), self._context.settings.team.access == "open"

        def may_run(one: WatchedProcess) -> bool:
            if one.account is None and not team.is_on(c):
                return True
            row = rows[one.device]
            who = seen[one.account] if one.account is not None else AccessPerson("")
            target = AccessTarget(row.id, row.backend, row.host, frozenset(row.partitions))
            moment = (now, now + access.INSTANT)
            return access.judge(stored, who, target, "run", moment, default=default).allowed

        judgement = judge(
            processes,
            bookings,
            may_run,
            violations.exempt(c),
            now,
            settle=self._settings.settle_seconds,
            programs=self._settings.exempt_commands,
        )
        return _Look(
            now, rows, {one.reservation: one for one in live}, frozenset(row.id for row, _ in found), judgement
        )

    def _processes(self, c: Connection, found: Sequence[tuple[DeviceRow, Device]]) -> list[WatchedProcess]:
        """Return the processes on these devices, with whose they are."""
        used = [(row, one) for row, one in found if one.processes]
        if not used:
            return []
        accounts = users.unix_names(c) if team.is_on(c) else {self._context.settings.owner: own_name()}
        held = {key.partition("-")[0] for _, one in used for key in one.used_by}
        run_as = violations.unix_names_of_jobs(c, held)
        return [
            WatchedProcess(
                backend=row.backend,
                host=row.host,
                device=row.id,
                pid=one.pid,
                start=one.start,
                unix_name=unix,
                account=owner_of(unix, accounts),
                command=one.command,
                protect=self._protect[row.backend],
                memory=one.memory,
                ours=_is_ours(one, device, run_as),
            )
            for row, device in used
            for one in device.processes
            for unix in [None if one.owner is None or one.owner.isdigit() else one.owner]
        ]

    # --- what has changed ---------------------------------------------------------------------------------------------

    def _compare(self, look: _Look, known: Sequence[OpenViolation]) -> None:
        """Store which violations are new, go on, or are over."""
        now = look.now
        found = {one.key: one for one in look.judgement.intrusions}
        spared = {one.key for one in look.judgement.exempt}
        open_keys = {one.key for one in known}
        new = [one for key, one in found.items() if key not in open_keys]
        over: list[tuple[OpenViolation, float, str]] = []
        for one in known:
            if one.key in found:
                self._seen[one.id] = now
                continue
            self._seen.setdefault(one.id, now)
            outcome = self._outcome(one, look, one.key in spared)
            if outcome is not None:
                over.append((one, self._seen[one.id] if outcome == "left" else now, outcome))
        going_on = [one.id for one in known if one.key in found and now - one.last_seen >= SEEN_SECONDS]
        if new or over or going_on:
            with self._context.db.write() as c:
                self._store(c, look, new, over, going_on)

    def _store(
        self,
        c: Connection,
        look: _Look,
        new: Sequence[Intrusion],
        over: Sequence[tuple[OpenViolation, float, str]],
        going_on: Sequence[int],
    ) -> None:
        steps = violations.open_steps(c) if over else {}
        for intrusion in new:
            violations.begin(c, intrusion, look.now)
        if going_on:
            violations.see(c, going_on, look.now)
        for one, at, outcome in over:
            signalled = any(step.act in ("term", "kill") and step.ok for step in steps.get(one.id, ()))
            violations.end(c, one.id, at, "ended" if outcome == "left" and signalled else outcome)
            self._seen.pop(one.id, None)
            self._hook("over", [one], look, "")

    def _outcome(self, one: OpenViolation, look: _Look, exempt: bool) -> str | None:
        """Return how a violation ended that was not found this time; None: that is not known yet."""
        if exempt:
            return "exempt"
        row = look.rows.get(one.device)
        if row is None or row.backend not in self._protect:
            return "over"
        if one.reservation is not None and one.reservation not in look.bookings:
            return "over"
        if one.device not in look.looked_at:
            self._seen[one.id] = look.now  # its node is silent: nobody knows
            return None
        return "left" if look.now - self._seen[one.id] >= GONE_SECONDS else None

    # --- what is done -------------------------------------------------------------------------------------------------

    def _act(self, look: _Look, known: Sequence[OpenViolation], steps: Mapping[int, Sequence[StepRow]]) -> None:
        """Begin the steps that are due: those of one person, node and reservation together."""
        now, times = look.now, _times(self._settings)
        present = {one.key for one in look.judgement.intrusions}
        wanted: dict[StepAct, dict[Case, list[OpenViolation]]] = defaultdict(lambda: defaultdict(list))
        for one in known:
            if one.key not in present:
                continue
            case = _case(one)
            began = self._began(case, one, now)
            booking = look.bookings.get(one.reservation or "")
            state = OpenCase(
                since=began,
                first_seen=one.first_seen,
                known=one.unix_name is not None,
                endable=one.unix_name is not None and one.start > 0,
                own=[StepTaken(step.at, step.act, step.ok) for step in steps.get(one.id, ())],
                told=(self._told or {}).get(case, {}),
                end_minutes=None if booking is None else booking.end_intruders_minutes,
                end_asked=one.end_by is not None,
            )
            for act in due(state, times, now):
                wanted[act][case].append(one)
            if one.ask_by is not None and state.known and one not in wanted["terminal"][case]:
                wanted["terminal"][case].append(one)
        self._since = {case: times for case, times in self._since.items() if now - times[1] < CASE_SECONDS}
        for case, some in wanted["terminal"].items():
            self._reach("terminal", case, some, look)
        for act in ("term", "kill"):
            for some in wanted[act].values():
                for one in some:
                    self._reach(act, _case(one), [one], look)
        for act in ("page", "mail"):
            for case, some in wanted[act].items():
                self._tell(act, case, some, look)
        self._tell_admins([one for some in wanted["admins"].values() for one in some], look)

    def _began(self, case: Case, one: OpenViolation, now: float) -> float:
        began, _ = self._since.get(case, (one.first_seen, now))
        self._since[case] = (min(began, one.first_seen), now)
        return self._since[case][0]

    def _reach(self, act: StepAct, case: Case, some: Sequence[OpenViolation], look: _Look) -> None:
        """Begin what is done on the node. It is recorded first, so it is done once."""
        if not some:
            return
        one, text = some[0], self._text(self._settings.text_intruder, some, look)
        with self._context.db.write() as c:
            ids = tuple(violations.add_steps(c, [of.id for of in some], look.now, act, False, UNDER_WAY))
        self._note(act, case, look.now)
        where = (one.backend, one.host, one.unix_name or "")
        if act == "terminal":
            self._acts.begin(ids, self._calls.write, *where, f"Paddock: {text}")
        else:
            signal = "TERM" if act == "term" else "KILL"
            self._acts.begin(ids, self._calls.end, *where, one.pid, one.start, signal)
        self._hook(act, some, look, text)

    def _take_outcomes(self) -> None:
        done = self._acts.take()
        if not done and not self._hooked:
            return
        with self._context.db.write() as c:
            for ids, future in done.items():
                error = future.exception() if not future.cancelled() else None
                outcome = ReachOutcome(False, f"{type(error).__name__}: {error}") if error else future.result()
                violations.finish_steps(c, ids, outcome.ok, outcome.detail)
            now = self._context.clock.now()
            while self._hooked:
                id, hooked, name = self._hooked.popleft()
                violations.add_steps(c, [id], now, "hook", hooked.ok, f"{name}: {hooked.detail}".rstrip(": "))

    def _tell(self, act: StepAct, case: Case, some: Sequence[OpenViolation], look: _Look) -> None:
        """Write notices, or have them sent by mail."""
        if not some:
            return
        booking = look.bookings.get(some[0].reservation or "")
        words = self._text(self._settings.text_intruder, some, look)
        told = Told(some[0].account, None if booking is None else booking.owner, some[0].id)
        with self._context.db.write() as c:
            if act == "page":
                owners = self._text(self._settings.text_owner, some, look)
                ok, detail = violation_notices.tell(c, self._context.settings, told, words, owners, look.now)
            else:
                ok, detail = violation_notices.mail(c, self._context.settings, told, words, look.now)
            violations.add_steps(c, [one.id for one in some], look.now, act, ok, detail)
        self._note(act, case, look.now)
        self._hook(act, some, look, words)

    def _tell_admins(self, some: Sequence[OpenViolation], look: _Look) -> None:
        """Send admins all that is new in one message, not too often."""
        if not some or look.now - self._digest_at < self._settings.admins_repeat_minutes * 60:
            return
        self._digest_at = look.now
        by_case: dict[Case, list[OpenViolation]] = defaultdict(list)
        for one in some:
            by_case[_case(one)].append(one)
        lines = [self._text(self._settings.text_admins, part, look) for part in by_case.values()]
        with self._context.db.write() as c:
            ok, detail = violation_notices.digest(c, self._context.settings, lines, look.now)
            violations.add_steps(c, [one.id for one in some], look.now, "admins", ok, detail)
        self._hook("admins", some, look, " ".join(lines))

    def _hook(self, step: str, some: Sequence[OpenViolation], look: _Look, text: str) -> None:
        """Have the hooks of the settings called with each violation that a step is about."""
        for hook in self._settings.hooks:
            for one in some:
                about = {"event": "violation", "step": step, "at": _iso(look.now), "text": text}
                then = partial(self._add, one.id, name_of(hook))
                self._hooks.submit(hook, about | _described(one, look), then)

    def _add(self, id: int, name: str, outcome: HookOutcome) -> None:
        self._hooked.append((id, outcome, name))
        self._wake()

    def _note(self, act: StepAct, case: Case, now: float) -> None:
        if self._told is not None:
            self._told.setdefault(case, {})[act] = now

    def _remember(self, done: Iterable[tuple[StepRow, OpenViolation]]) -> None:
        """Take up what an earlier server has told."""
        self._told = {}
        for step, one in done:
            self._note(step.act, _case(one), step.at)
            if step.act == "admins":
                self._digest_at = max(self._digest_at, step.at)

    def _text(self, template: str, some: Sequence[OpenViolation], look: _Look) -> str:
        """Return a text of the settings about violations of one case."""
        booking = look.bookings.get(some[0].reservation or "")
        names = {look.rows[one.device].name for one in some if one.device in look.rows} or {some[0].device}
        zone = self._context.settings.team.zone
        ends = datetime.fromtimestamp(look.now if booking is None else booking.ends_at, ZoneInfo(zone))
        until = "" if booking is None else f"{ends:%a %d %b %H:%M} {zone}"
        owner = "nobody" if booking is None else booking.owner or "the admins, for maintenance,"
        verb = "is" if len(names) == 1 else "are"
        state = {
            "reserved": f"{verb} reserved by {owner} until {until}",
            "unreserved": f"{verb} not reserved for this person",
            "rule": f"{verb} closed to this person now by an access rule",
        }[some[0].kind]
        fields = {
            "gpu": in_one_line(names),
            "host": some[0].host,
            "state": state,
            "owner": owner,
            "until": until or "then",
            "user": some[0].account or some[0].unix_name or "somebody unknown",
            "pid": in_one_line({str(one.pid) for one in some}),
            "command": in_one_line({one.command or "unknown" for one in some}),
            "link": f"{self._page}/violations",
        }
        return template.format(**fields)


def _is_measured(device: Device) -> bool:
    """Return True if the processes on a GPU are known: its driver has answered a short time ago."""
    measured = device.load is not None or device.memory_used is not None or bool(device.processes)
    return device.kind == "gpu" and measured


def _is_ours(one: GpuProcess, device: Device, run_as: Mapping[str, str | None]) -> bool:
    """Return True if Paddock has given this GPU to whoever owns the process, as far as that is known for certain.

    Where tasks run as the account of the monitor itself, it can read which task a process belongs to.
    """
    for job in {key.partition("-")[0] for key in device.used_by}:
        user = run_as.get(job)
        if one.owner == user if user is not None else (one.task or "").partition("-")[0] == job:
            return True
    return False


def _guarded(one: Booked, seen: Iterable[AccessPerson], admins: frozenset[str]) -> GuardedBooking:
    groups = frozenset(one.guest_groups)
    guests = frozenset(person.name for person in seen if person.groups & groups)
    owners = frozenset([one.owner]) if one.owner is not None else admins
    minutes = one.end_intruders_minutes
    return GuardedBooking(
        one.reservation, one.device, one.owner, owners | set(one.guests) | guests, one.starts_at, one.ends_at, minutes
    )


def _times(settings: ViolationSettings) -> GuardTimes:
    def seconds(minutes: float | None) -> float | None:
        return None if minutes is None else minutes * 60

    return GuardTimes(
        terminal=seconds(settings.terminal_minutes),
        repeat=settings.repeat_minutes * 60,
        page=seconds(settings.page_minutes),
        mail=seconds(settings.mail_minutes),
        admins=seconds(settings.admins_minutes),
        grace=seconds(settings.grace_minutes),
        kill=settings.kill_seconds,
    )


def _case(one: OpenViolation) -> Case:
    return one.host, one.unix_name or "", one.reservation or one.kind


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def _described(one: OpenViolation, look: _Look) -> dict[str, object]:
    row = look.rows.get(one.device)
    booking = look.bookings.get(one.reservation or "")
    return {
        "violation": one.id,
        "kind": one.kind,
        "device": one.device,
        "device_name": row.name if row is not None else "",
        "host": one.host,
        "pid": one.pid,
        "command": one.command,
        "unix_name": one.unix_name,
        "account": one.account,
        "reservation": one.reservation,
        "owner": None if booking is None else booking.owner,
    }
