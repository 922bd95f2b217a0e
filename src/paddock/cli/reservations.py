"""The commands reserve, free, reservations, cancel and gpus: who has which GPUs when."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import typer

from paddock.cli import base, complete, render
from paddock.cli.base import Json
from paddock.client.client import Client
from paddock.errors import InvalidInput, NotFound, Refused
from paddock.models import moments, units

if TYPE_CHECKING:
    from paddock.models import BookingResult, FreeSlot, Me, ReservableDevice, Reservation

Gpus = Annotated[int | None, typer.Option("--gpus", "-g", min=1, help="Any GPUs of one host: their number.")]
Host = Annotated[str | None, typer.Option("--host", help="With --gpus: on this host.")]
Model = Annotated[str | None, typer.Option("--model", help="With --gpus: of this model, such as H200 or a100.")]
Backend = Annotated[str | None, typer.Option("--backend", help="Only of this backend.")]
Ids = Annotated[
    list[str],
    typer.Argument(metavar="RESERVATION", help="Ids of reservations.", autocompletion=complete.reservations),
]
_Named = Annotated[
    list[str] | None,
    typer.Argument(metavar="GPU", help="Which: gpu1:0, gpu1:0-3, or gpu1 for all of it.", show_default=False),
]
_For = Annotated[str | None, typer.Option("--for", metavar="DURATION", help="How long, such as 4h or 2d.")]
_From = Annotated[
    str, typer.Option("--from", metavar="TIME", help="When: 14:00, 'tomorrow 14:00', 'fri 9:00', an ISO date.")
]
_Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Until when, in place of --for.")]
_Guests = Annotated[
    list[str] | None, typer.Option(help="An account that may use it too; @NAME is a group. Repeat it for several.")
]
_Weekly = Annotated[str | None, typer.Option("--weekly-until", metavar="DAY", help="Again every week, until this day.")]
_Skip = Annotated[bool, typer.Option("--skip", help="With --weekly-until: leave out the weeks that are not possible.")]
_Grace = Annotated[
    float | None,
    typer.Option("--end-intruders", metavar="MINUTES", min=0, help="End processes of others on them after this long."),
]
_NUMBERS = re.compile(r"^(?:\d+(?:-\d+)?)(?:,\d+(?:-\d+)?)*$")


@dataclass(frozen=True)
class Desk:
    """What the commands need to read and to show reservations: the calls, who asks, and in which time zone."""

    client: Client
    now: datetime

    @classmethod
    def of(cls, ctx: typer.Context) -> Desk:
        return cls(base.client(ctx), datetime.now(UTC))

    @cached_property
    def me(self) -> Me:
        return self.client.team.me()

    @cached_property
    def zone(self) -> ZoneInfo | None:
        """The time zone of the account; None: that of this machine."""
        try:
            return ZoneInfo(self.me.zone) if self.me.zone else None
        except (OSError, ValueError, KeyError):  # this machine knows no such zone
            return None

    @cached_property
    def devices(self) -> list[ReservableDevice]:
        return self.client.calendar.devices()

    @cached_property
    def names(self) -> dict[str, ReservableDevice]:
        return {one.id: one for one in self.devices}

    def moment(self, option: str, text: str, **how: Any) -> datetime:
        try:
            return moments.read(text, self.now, self.zone, **how)
        except ValueError as error:
            raise InvalidInput(f"{option}: {error}.") from None

    def shown(self, at: datetime) -> str:
        """Return a moment for a person: the time, with the day when it is not today."""
        local, today = at.astimezone(self.zone), self.now.astimezone(self.zone)
        if local.date() == today.date():
            return f"{local:%H:%M}"
        return f"{local:%a %d %b, %H:%M}" if abs((at - self.now).days) < 180 else f"{local:%Y-%m-%d %H:%M}"

    def times(self, starts_at: datetime, ends_at: datetime) -> tuple[str, str]:
        """Return both ends for a person; the day of the second only if it is another."""
        first, last = starts_at.astimezone(self.zone), ends_at.astimezone(self.zone)
        return self.shown(starts_at), f"{last:%H:%M}" if first.date() == last.date() else self.shown(ends_at)

    def stretch(self, starts_at: datetime, ends_at: datetime) -> str:
        """Return `from Fri 20 Nov, 14:00 until 18:00 (Europe/Warsaw)`."""
        first, last = self.times(starts_at, ends_at)
        zone = self.me.zone or starts_at.astimezone(self.zone).tzname()
        return f"from {'now' if self.begun(starts_at) else first} until {last} ({zone})"

    def begun(self, starts_at: datetime) -> bool:
        """Return True if something begins now, or has begun; the clock of the server may be a little ahead."""
        return starts_at <= self.now + timedelta(seconds=60)

    def called(self, ids: Iterable[str]) -> str:
        """Return devices in short: `gpu1:0-3, gpu2:1`."""
        return in_short([self.names[one] for one in ids if one in self.names]) or "devices that are gone"

    def mine(self, one: Reservation) -> bool:
        return one.owner == self.me.name or self.guest(one)

    def guest(self, one: Reservation) -> bool:
        return self.me.name in one.guests or bool(set(self.me.groups) & set(one.guest_groups))


# --- devices ----------------------------------------------------------------------------------------------------------


def in_short(devices: Sequence[ReservableDevice]) -> str:
    """Return the names of devices, with numbers of one host together."""
    by_host: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    for one in devices:
        by_host[one.backend, one.host].append(one.number)
    return ", ".join(_numbered(host, numbers) for (_, host), numbers in by_host.items())


def _numbered(host: str, given: list[int | None]) -> str:
    numbers = sorted(one for one in given if one is not None)
    if not numbers:
        return host
    runs: list[list[int]] = []
    for one in numbers:
        if runs and one == runs[-1][-1] + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return f"{host}:" + ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs)


def chosen(devices: Sequence[ReservableDevice], texts: Iterable[str]) -> list[str]:
    """Return the ids of devices that people name: gpu1:0, gpu1:0-3, gpu1 (all of it), node7, or an id."""
    found: dict[str, None] = {}
    for text in texts:
        own = _meant(devices, text)
        if not own:
            raise NotFound(f"There is no GPU {text!r}: `paddock gpus` lists them.")
        if len({one.backend for one in own}) > 1:
            several = ", ".join(sorted({one.backend for one in own}))
            raise InvalidInput(f"{text} is in several backends ({several}): add --backend.")
        found |= dict.fromkeys(one.id for one in own)
    return list(found)


def _meant(devices: Sequence[ReservableDevice], text: str) -> list[ReservableDevice]:
    exact = [one for one in devices if text in (one.id, one.name)]
    if exact:
        return exact
    whole = [one for one in devices if one.host == text]
    host, colon, numbers = text.rpartition(":")
    if whole or not colon or not _NUMBERS.match(numbers):
        return whole
    wanted = _listed(numbers)
    own = [one for one in devices if one.host == host and one.number in wanted]
    missing = wanted - {one.number for one in own}
    if own and missing:
        raise NotFound(f"There is no GPU {host}:{min(missing)}: `paddock gpus` lists them.")
    return own


def _listed(text: str) -> set[int]:
    """Return the numbers of `0,2-3`."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        if high - low > 1000 or high < low:
            raise InvalidInput(f"{part} is no range of GPUs: write 0-3.")
        found.update(range(low, high + 1))
    return found


# --- reserving --------------------------------------------------------------------------------------------------------


def reserve(
    ctx: typer.Context,
    devices: _Named = None,
    gpus: Gpus = None,
    length: _For = None,
    begin: _From = "now",
    until: _Until = None,
    first: Annotated[bool, typer.Option("--first", help="If it is not free then: the first time that is.")] = False,
    title: Annotated[str, typer.Option(help="What it is for; everybody sees it.")] = "",
    guest: _Guests = None,
    weekly: _Weekly = None,
    skip: _Skip = False,
    host: Host = None,
    model: Model = None,
    backend: Backend = None,
    notify: Annotated[bool, typer.Option("--notify", help="If it is taken: a notice when it becomes free.")] = False,
    grace: _Grace = None,
    owner: Annotated[str | None, typer.Option("--owner", help="For another person (admins).")] = None,
    maintenance: Annotated[bool, typer.Option("--maintenance", help="Nobody may use them then (admins).")] = False,
    as_json: Json = False,
) -> None:
    """Reserve GPUs: those that you name, or any number of one host.

    Without --from it begins now. If it is not possible, the reasons and the first free times are shown.

    Examples:
        paddock reserve --gpus 2 --for 4h
        paddock reserve gpu1:0-3 --from 'fri 9:00' --until 'fri 18:00' --title 'paper deadline' --guest bob
        paddock reserve gpu1:0 --from 'mon 9:00' --for 8h --weekly-until 2026-12-24
    """
    _check(devices, gpus, length, until, host or model, notify=notify, first=first)
    desk = Desk.of(ctx)
    starts_at = None if begin == "now" else desk.moment("--from", begin)
    asked: dict[str, Any] = {
        "devices": chosen(_of_backend(desk.devices, backend), devices or ()),
        "starts_at": starts_at,
        "seconds": _seconds(length),
        "ends_at": desk.moment("--until", until) if until else None,
        "repeat_until": desk.moment("--weekly-until", weekly, bare=time(23, 59)) if weekly else None,
        "guests": [one for one in guest or () if not one.startswith("@")],
        "guest_groups": [one[1:] for one in guest or () if one.startswith("@")],
    }
    if gpus:
        asked |= {"gpus": gpus, "host": host, "model": model, "backend": backend}
    asked |= {"kind": "maintenance"} if maintenance else {}
    asked |= {"owner": owner, "title": title, "skip_conflicts": skip, "notify_if_free": notify}
    asked["end_intruders_minutes"] = grace
    try:
        made = _made(desk, asked, first)
    except Refused as refusal:
        raise typer.Exit(_report(desk, refusal)) from None
    base.only_json(as_json, made)
    for one in made.reservations:
        typer.echo(f"{one.id}  {render.clean(desk.called(one.devices))} {desk.stretch(one.starts_at, one.ends_at)}")
    base.warn(problem.message for problem in made.problems)


def _check(
    devices: Sequence[str] | None,
    gpus: int | None,
    length: str | None,
    until: str | None,
    narrowed: str | None,
    *,
    notify: bool,
    first: bool,
) -> None:
    """Raise InvalidInput if options are missing, or exclude each other."""
    if bool(devices) == bool(gpus):
        raise InvalidInput("Name the GPUs (`paddock gpus` lists them), or give their number with --gpus.")
    if bool(length) == bool(until):
        raise InvalidInput("How long? Give --for, such as 4h, or --until.")
    if narrowed and not gpus:
        raise InvalidInput("--host and --model choose among all GPUs: give --gpus with them.")
    if first and not (gpus and length):
        raise InvalidInput("--first looks for any free GPUs: give --gpus and --for with it.")
    if notify and first:
        raise InvalidInput("Give --first or --notify, not both.")


def _made(desk: Desk, asked: dict[str, Any], first: bool) -> BookingResult:
    """Make a reservation; `first`: if it is refused as others have it, at the first time that is free."""
    calls = desk.client.calendar
    try:
        return calls.reserve(**asked)
    except Refused as refusal:
        slots = refusal.booking.free if refusal.booking else []
        if not first or not slots:
            raise
        slot = slots[0]
        times = {"starts_at": slot.starts_at, "devices": slot.devices}
        plain = {name: value for name, value in asked.items() if name not in ("gpus", "host", "model", "backend")}
        return calls.reserve(**plain | times)


def _report(desk: Desk, refusal: Refused) -> int:
    """Print all reasons of a refusal, and what could be reserved instead; return the exit code."""
    code = base.report(refusal)
    booking = refusal.booking
    if booking is None:
        return code
    lines = [one.message for one in booking.problems if one.message != refusal.message]
    lines += [f"free: {desk.called(one.devices)} {desk.stretch(one.starts_at, one.ends_at)}" for one in booking.free]
    lines += [_again(desk, booking.free[0])] if booking.free else []
    lines += ["You get a notice when it becomes free."] if booking.waits_for is not None else []
    base.note(*(f"  {render.clean(line)}" for line in dict.fromkeys(lines)))
    return code


def _again(desk: Desk, slot: FreeSlot) -> str:
    """Return the command that reserves a slot."""
    words = ["paddock", "reserve", *desk.called(slot.devices).split(", ")]
    if not desk.begun(slot.starts_at):
        words += ["--from", f"{slot.starts_at.astimezone(desk.zone):%Y-%m-%d %H:%M}"]
    length = units.words((slot.ends_at - max(slot.starts_at, desk.now)).total_seconds() // 60 * 60)
    return shlex.join([*words, "--for", length.replace(" min", "m").replace(" ", "")])


def _of_backend(devices: Sequence[ReservableDevice], backend: str | None) -> list[ReservableDevice]:
    return [one for one in devices if one.retired_at is None and backend in (None, one.backend)]


def _seconds(text: str | None) -> int | None:
    try:
        return None if text is None else int(units.seconds(text))
    except ValueError as error:
        raise InvalidInput(f"--for: {error}.") from None


def free(
    ctx: typer.Context,
    gpus: Annotated[int, typer.Option("--gpus", "-g", min=1, help="Number of GPUs, all of one host.")] = 1,
    length: Annotated[str, typer.Option("--for", metavar="DURATION", help="For how long, such as 8h.")] = "1h",
    after: Annotated[str, typer.Option("--after", metavar="TIME", help="Not before: 'tomorrow 9:00', ...")] = "now",
    host: Annotated[str | None, typer.Option("--host", help="On this host.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Of this model, such as H200.")] = None,
    backend: Backend = None,
    as_json: Json = False,
) -> None:
    """Show the first times when so many GPUs of one host are free together, and yours to reserve.

    Examples:
        paddock free --gpus 2 --for 8h
        paddock free --gpus 1 --for 2d --model H200 --after 'mon 9:00'
    """
    desk = Desk.of(ctx)
    moment = None if after == "now" else desk.moment("--after", after)
    found = desk.client.calendar.free(
        gpus, _seconds(length) or 0, model=model, host=host, backend=backend, after=moment
    )
    base.only_json(as_json, found)
    if not found:
        base.note("There is no such time within the days that may be reserved: ask for less, or wait until the page")
        base.note("or `paddock reservations --all` shows that others have released theirs.")
        raise typer.Exit(base.FAILED)
    for slot in found:
        typer.echo(f"{render.clean(desk.called(slot.devices))} {desk.stretch(slot.starts_at, slot.ends_at)}")
    base.note(f"  {render.clean(_again(desk, found[0]))}")


# --- what there is ----------------------------------------------------------------------------------------------------


def reservations(
    ctx: typer.Context,
    every: Annotated[bool, typer.Option("--all", "-a", help="Those of everybody, not only yours.")] = False,
    since: Annotated[
        str, typer.Option("--since", metavar="TIME", help="Also those before: 7d, mon, 2026-11-01.")
    ] = "now",
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="Only those that begin before.")] = None,
    as_json: Json = False,
) -> None:
    """List your reservations that run or are to come, with those that you are a guest of.

    Examples:
        paddock reservations
        paddock reservations --all --since 7d
    """
    desk = Desk.of(ctx)
    begin, back = desk.moment("--since", since, bare=time(), back=True), since != "now"
    end = desk.moment("--until", until, bare=time(23, 59)) if until else None
    shown = desk.client.calendar.reservations(since=begin, until=end, mine=not every, cancelled=back)
    base.only_json(as_json, shown)
    if not shown:
        more = "" if every else "; --all lists those of everybody"
        base.note(f"There are no reservations{more}. `paddock reserve --gpus 1 --for 2h` makes one.")
        return
    table = render.Listing(
        "ID", "GPUS", "FROM", "UNTIL", "WHO", "TITLE", "STATE", flexible=("TITLE", "GPUS", "WHO"), optional=("TITLE",)
    )
    for one in shown:
        who = "maintenance" if one.kind == "maintenance" else (one.owner or "")
        times = desk.times(one.starts_at, one.ends_at)
        table.add_row(one.id, desk.called(one.devices), *times, who, one.title, _state(desk, one))
    base.screen().print(table)
    for one in shown:
        if "not enforced" in _state(desk, one) and one.enforced_why:
            base.note(f"{one.id} is not enforced: {one.enforced_why}")
    base.note(f"Times are those of {desk.me.zone or f'this machine ({desk.now.astimezone().tzname()})'}.")


def _state(desk: Desk, one: Reservation) -> str:
    if one.cancelled_at:
        return "cancelled"
    if one.released_at:
        return "released"
    if one.ends_at <= desk.now:
        return "over"
    refused = "" if one.enforced != "no" else ", not enforced"
    outside = ", outside the rules" if one.outside_since else ""
    return ("now" if desk.begun(one.starts_at) else "to come") + refused + outside


def cancel(
    ctx: typer.Context,
    ids: Ids,
    series: Annotated[bool, typer.Option("--series", help="And all of its series that have not begun.")] = False,
    why: Annotated[str, typer.Option("--why", help="For those who see that it is cancelled.")] = "",
    as_json: Json = False,
) -> None:
    """Cancel reservations that have not begun. One that has begun is released: `paddock release`.

    Examples:
        paddock cancel 3f9c21aa
        paddock cancel 3f9c21aa --series
    """
    calls = base.client(ctx).calendar
    done: list[Reservation] = []

    def one(id: str) -> None:
        found = calls.cancel(id, why=why, series=series)
        done.extend(found)
        if not as_json:
            typer.echo(f"cancelled: {', '.join(each.id for each in found)}")

    code = base.for_each(ids, one)
    if as_json:
        base.emit(done)
    raise typer.Exit(code)


def gpus(
    ctx: typer.Context,
    env: Annotated[
        bool, typer.Option("--env", help="Print CUDA_VISIBLE_DEVICES with what you have reserved here and now.")
    ] = False,
    host: Annotated[str | None, typer.Option("--host", help="Only of this host.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Only of this model, such as H200.")] = None,
    as_json: Json = False,
) -> None:
    """List all GPUs: who has them now and until when, or until when they are free.

    --env is for the shell: `export $(paddock gpus --env)`. If you have none here, no GPU is visible.

    Examples:
        paddock gpus
        paddock gpus --model H200
        env $(paddock gpus --env) python train.py
    """
    desk = Desk.of(ctx)
    found = [one for one in desk.devices if one.retired_at is None and host in (None, one.host)]
    found = [one for one in found if (model or "").lower() in one.model.lower()]
    booked = [one for one in desk.client.calendar.reservations(since=desk.now) if one.ends_at > desk.now]
    if env:
        _print_environment(desk, found, booked, as_json)
        return
    by_device: dict[str, list[Reservation]] = defaultdict(list)
    for each in sorted(booked, key=lambda each: each.starts_at):
        for id in each.devices:
            by_device[id].append(each)
    base.only_json(as_json, [_row(desk, one, by_device[one.id]) for one in found])
    if not found:
        base.note("There are no GPUs here that can be reserved: `paddock nodes` shows what the server has.")
        return
    table = render.Listing("GPU", "MODEL", "MEMORY", "LOAD", "NOW", "NEXT", flexible=("MODEL", "NEXT", "NOW"))
    for one in found:
        table.add_row(one.name, one.model, render.size(one.memory), _load(one), *_now_and_next(desk, one, by_device))
    base.screen().print(table)


def _print_environment(
    desk: Desk, devices: Sequence[ReservableDevice], booked: Sequence[Reservation], as_json: bool
) -> None:
    from paddock.client import here

    mine = {id for one in booked if one.starts_at <= desk.now and desk.mine(one) for id in one.devices}
    own = [one for one in here.on_this_machine(devices) if one.id in mine]
    variables = here.environment(own) if own else {"CUDA_VISIBLE_DEVICES": ""}
    base.only_json(as_json, variables)
    typer.echo(here.as_words(variables))
    if not own:
        base.note("You have reserved no GPU of this machine now: `paddock reserve --gpus 1 --for 2h` does it.")
        raise typer.Exit(base.FAILED)


def _row(desk: Desk, device: ReservableDevice, booked: Sequence[Reservation]) -> dict[str, Any]:
    plain = [one.model_dump(mode="json") for one in booked[:2]]
    runs = bool(booked) and booked[0].starts_at <= desk.now
    now, later = (plain[0], plain[1:]) if runs else (None, plain)
    return device.model_dump(mode="json") | {"reservation": now, "next": later[0] if later else None}


def _load(device: ReservableDevice) -> str:
    return "" if device.load is None else f"{100 * device.load:.0f} %"


def _now_and_next(
    desk: Desk, device: ReservableDevice, by_device: Mapping[str, Sequence[Reservation]]
) -> tuple[str, str]:
    booked = by_device[device.id]
    runs = [one for one in booked if one.starts_at <= desk.now]
    later = [one for one in booked if one.starts_at > desk.now]
    ahead = f"{_who(desk, later[0])} from {desk.shown(later[0].starts_at)}" if later else ""
    if runs:
        return f"{_who(desk, runs[0])} until {desk.shown(runs[0].ends_at)}", ahead
    free = f"free until {desk.shown(later[0].starts_at)}" if later else "free"
    return (free if device.online else "does not answer"), ahead


def _who(desk: Desk, one: Reservation) -> str:
    if one.kind == "maintenance":
        return "maintenance"
    return "you" if one.owner == desk.me.name else (one.owner or "")
