"""Who sits where in an allocation: cards, cores, and whether there is room for another task.

A task gets a seat only when it is expected to fit: its GPU memory, by what tasks of this job have needed so far; the
memory of the machine; and, where Paddock is to find out how many share a card, as many as were found to pay.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from . import auto, cores, host, packing, processes
from .auto import Auto, View
from .gpus import Card, Gpus, Reading, visible
from .mailbox import Attempt, Identity
from .manifest import Manifest
from .mps import Mps
from .packing import Ledger, Space, Tenant
from .usage import Usage

STEADY_SECONDS = 1.0  # so long its memory has not grown, and it trains: what it needs is known
BUSY_SECONDS = 3.0  # the same of one that has not told of progress yet, while its card is busy
SILENT_SECONDS = 15.0  # and while it is not
UNUSED_SECONDS = 30.0  # and of one that does not use the card at all
BUSY = 0.1
PATIENCE = 60.0  # so long one that has to be alone waits for a card to become free by itself
GROWTH = 1.02
_HOST_MARGIN = 0.03


class Seat(NamedTuple):
    """What a task gets of the allocation."""

    group: Optional[int]
    cards: Tuple[Card, ...]
    cores: Tuple[int, ...]
    threads: Optional[int]
    place: int
    environment: Dict[str, str]
    sharing: Optional[str] = None
    why: Optional[str] = None

    @property
    def names(self) -> List[str]:
        """Its cards, where it has not all of them."""
        return [str(card.number) for card in self.cards] if "CUDA_VISIBLE_DEVICES" in self.environment else []

    def record(self) -> Optional[Dict[str, Any]]:
        """For the journal; nothing where the whole allocation is its own."""
        if self.group is None and not self.cores and self.threads is None:
            return None
        return {
            "gpus": [card.id for card in self.cards],
            "gpu_name": self.cards[0].name if self.cards else None,
            "cores": list(self.cores),
            "threads": self.threads,
            "sharing": self.sharing,
            "why": self.why,
        }


class Sitter:
    """A task in its seat, and what was seen of it."""

    def __init__(self, attempt: Attempt, seat: Seat, expected: Optional[int], now: float) -> None:
        self.attempt = attempt
        self.seat = seat
        self.expected = expected  # bytes on a card; None: nothing was known when it began
        self.alone = attempt.room.alone
        self.neighbours = False  # somebody shared its card at some time
        self.company = False  # somebody shared its allocation
        self.pid = 0
        self.used = 0
        self.peak = 0
        self.total_peak = 0  # on all its cards together
        self.total = 0
        self.memory = 0
        self.memory_peak = 0
        self.cpu: Optional[float] = None
        self.began = now
        self.grew_at = now
        self.progressed = False
        self.busy = False  # its card is
        self.step: Optional[Tuple[float, float, int]] = None  # step, when, how many were at it

    def steady(self, now: float) -> bool:
        still = now - self.grew_at
        if not self.peak:
            return self.progressed and now - self.began >= UNUSED_SECONDS
        if self.progressed:
            return still >= STEADY_SECONDS
        return still >= (BUSY_SECONDS if self.busy else SILENT_SECONDS)

    def need(self, now: float, ledger: Optional[int]) -> Optional[int]:
        """Bytes that it will hold at most on a card."""
        if self.steady(now):
            return int(self.peak * GROWTH)
        if self.expected is None:
            return None
        return max(self.expected, ledger or 0, int(self.peak * GROWTH))


class Group:
    """The cards that one task gets, and who is on them."""

    def __init__(self, cards: Tuple[Card, ...]) -> None:
        self.cards = cards
        self.sitters: Dict[Identity, Sitter] = {}
        self.readings: Dict[str, Reading] = {}
        self.base: Dict[str, int] = {}  # used by others before ours came
        self.free_since = 0.0

    def space(self, now: float, ledger: Optional[int]) -> Space:
        """As one card: the fullest of them."""
        tenants = tuple(Tenant(s.need(now, ledger), s.used, s.alone) for s in self.sitters.values())
        total = min((card.memory for card in self.cards), default=0)
        used = max((reading.used for reading in self.readings.values()), default=0)
        return Space(total, used, tenants)

    @property
    def load(self) -> Optional[float]:
        known = [reading.load for reading in self.readings.values() if reading.load is not None]
        return sum(known) / len(known) if known else None

    @property
    def computing(self) -> int:
        return sum(sitter.progressed or sitter.used > 0 for sitter in self.sitters.values())


class Floor:
    def __init__(self, manifest: Manifest, gpus: Gpus, environ: Mapping[str, str]) -> None:
        self._manifest = manifest
        self._gpus = gpus
        self._given = environ.get("CUDA_VISIBLE_DEVICES")
        self._cards = _cards(gpus, self._given) if manifest.task_gpus else []
        size = max(1, manifest.task_gpus)
        self.groups = [Group(tuple(self._cards[i : i + size])) for i in range(0, len(self._cards) - size + 1, size)]
        self._cores = cores.of_allocation(environ)
        self._sitters: Dict[Identity, Sitter] = {}
        self._owners: Dict[int, Optional[Identity]] = {}  # process on a card -> whose it is
        name = self._cards[0].name if self._cards else ""
        known = (manifest.known or {}).get(name) or {}
        self._ledger = Ledger(known.get("need"))
        self.known = bool(known)
        self._host_need = 0
        self._waits_alone: Optional[float] = None
        self._waits_host: Optional[float] = None
        self._short_of: Optional[str] = None  # what the last one that was refused had too little of
        self._limit: Optional[str] = None  # why there are not more, as long as there were more to begin
        self._reached = 0
        self.mps = Mps()
        self._mps_problem: Optional[str] = None
        self._mps_tried = bool(environ.get("CUDA_MPS_PIPE_DIRECTORY"))
        self._mps_ours = not self._mps_tried
        self.auto: Optional[Auto] = None
        self._few = packing.first(self._cards[0].memory if self._cards else 0, self._cores.count)
        if self.groups and manifest.per_gpu is None:
            most = max(1, manifest.slots // len(self.groups))
            self.auto = Auto(self._few, most, known.get("tasks"), known.get("limit"))

    # --- seats ----------------------------------------------------------------------------------------------------

    @property
    def shared(self) -> bool:
        """Whether several tasks may be on one card."""
        return bool(self.groups) and (self.auto is not None or (self._manifest.per_gpu or 1) > 1)

    @property
    def full(self) -> bool:
        if len(self._sitters) >= self._manifest.slots:
            return True
        return bool(self.groups) and all(len(group.sitters) >= self._most for group in self.groups)

    @property
    def _most(self) -> int:
        return self.auto.target if self.auto is not None else self._manifest.per_gpu or 1

    def seat(self, attempt: Attempt, now: float) -> Optional[Seat]:
        """None: there is no room for it now. Without others it has room in any case, sooner or later."""
        if len(self._sitters) >= self._manifest.slots or not self._host_admits(attempt, now):
            return None
        if not self.groups:
            alone = attempt.room.alone or any(sitter.alone for sitter in self._sitters.values())
            return None if alone and self._sitters else self._make(None, now)
        spaces = [group.space(now, self._ledger.need) for group in self.groups]
        need = max(attempt.room.gpu or 0, self._ledger.need or 0) if self._knows(attempt) else None
        if self.groups and not self.groups[0].cards[0].memory:
            need = 0  # a card of which nobody tells: only the number counts
        held = self._held_for_one(attempt, now)
        places = [place for place in range(len(spaces)) if place != held]
        place = packing.choose([spaces[one] for one in places], need, attempt.room.alone, self._most, self._few)
        if place is None:
            seats = any(len(spaces[one].tenants) < self._most for one in places)
            if seats and need is not None and not attempt.room.alone:
                self._short_of = auto.MEMORY
            return None
        return self._make(places[place], now)

    def _knows(self, attempt: Attempt) -> bool:
        return self._ledger.need is not None or attempt.room.gpu is not None

    def _held_for_one(self, attempt: Attempt, now: float) -> Optional[int]:
        """A card that takes nobody else, because one that has to be alone has waited long enough."""
        if attempt.room.alone:
            if self._waits_alone is None:
                self._waits_alone = now
            return None
        if self._waits_alone is None or now - self._waits_alone < PATIENCE:
            return None
        return min(range(len(self.groups)), key=lambda place: len(self.groups[place].sitters))

    def _host_admits(self, attempt: Attempt, now: float) -> bool:
        need = max(attempt.room.host or 0, self._host_need if self._sitters else 0)
        if not need:
            return True
        memory = host.look()
        if memory is None:
            return True
        to_come = sum(max(0, self._host_need - sitter.memory) for sitter in self._sitters.values())
        if need <= memory.available - to_come - int(memory.total * _HOST_MARGIN):
            return True
        if not self._sitters:  # others on this machine hold it: they may go, but it is not waited for ever
            self._waits_host = self._waits_host or now
            return now - self._waits_host >= PATIENCE
        self._short_of = auto.HOST_MEMORY
        return False

    def _make(self, group: Optional[int], now: float) -> Seat:
        seats = self._manifest.slots if self.auto is None else min(self._manifest.slots, self._wanted)
        taken = {sitter.seat.place for sitter in self._sitters.values()}
        place = next(number for number in range(len(taken) + 1) if number not in taken)
        dealt = cores.deal(max(seats, place + 1), self._cores.own) if self._manifest.slots > 1 else []
        own = tuple(dealt[place]) if dealt else ()
        own = () if len(own) == len(self._cores.own) else own
        threads = self._manifest.threads or max(1, self._cores.count // max(seats, 1))
        if self._manifest.members is not None:
            threads, own = 0, ()
        environment = {name: str(threads) for name in cores.THREADS} if threads else {}
        if threads and self._manifest.slots > 1:
            environment[cores.OPERATIONS] = str(max(1, min(threads, 2)))
        cards: Tuple[Card, ...] = ()
        sharing = why = None
        if group is not None:
            cards = self.groups[group].cards
            if len(cards) < len(self._cards):
                environment["CUDA_VISIBLE_DEVICES"] = ",".join(card.id for card in cards)
            if self.shared:
                environment["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
                environment["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
                sharing, why = self._sharing()
                environment.update(self.mps.environment if sharing == "mps" else {})
        return Seat(group, cards, own, threads or None, place, environment, sharing, why)

    @property
    def _wanted(self) -> int:
        return self._most * max(1, len(self.groups))

    def _sharing(self) -> Tuple[str, Optional[str]]:
        """Through MPS where it can be had, which is found out once; else the driver gives each its turn."""
        if not self._mps_tried:
            self._mps_tried = True
            off = None if self._manifest.mps else "MPS is switched off in the settings"
            self._mps_problem = off or self._foreign() or self.mps.start()
        if self._mps_ours and self._mps_problem is None:
            self._mps_problem = self.mps.trouble()
        return ("mps", None) if self._mps_problem is None else ("turns", self._mps_problem)

    def _foreign(self) -> Optional[str]:
        """MPS is for cards that are ours alone."""
        self._read()
        for group in self.groups:
            for reading in group.readings.values():
                if reading.processes:
                    return "another process uses the GPU (%s)" % ", ".join(map(str, sorted(reading.processes)[:3]))
        return None if any(card.memory for card in self._cards) else "the NVIDIA driver does not answer"

    # --- who comes and goes ---------------------------------------------------------------------------------------

    def sit(self, attempt: Attempt, seat: Seat, pid: int, now: float) -> Sitter:
        self._waits_host = None
        if attempt.room.alone:
            self._waits_alone = None
        expected = attempt.room.gpu or self._ledger.need if self._knows(attempt) else None
        sitter = Sitter(attempt, seat, expected, now)
        sitter.pid = pid
        for other in self._sitters.values():
            other.company = sitter.company = True
        self._sitters[attempt.identity] = sitter
        if seat.group is not None:
            group = self.groups[seat.group]
            if not group.sitters:
                group.base = {card: reading.used for card, reading in group.readings.items()}
            for other in group.sitters.values():
                other.neighbours = sitter.neighbours = True
            group.sitters[attempt.identity] = sitter
        if seat.cores and self._manifest.members is None:
            cores.bind(pid, seat.cores)
        return sitter

    def leave(self, identity: Identity, well: bool) -> Optional[Sitter]:
        sitter = self._sitters.pop(identity, None)
        if sitter is None:
            return None
        if sitter.seat.group is not None:
            del self.groups[sitter.seat.group].sitters[identity]
            self._owners = {pid: owner for pid, owner in self._owners.items() if owner != identity}
        if well:
            self._host_need = max(self._host_need, sitter.memory_peak)
            if sitter.seat.group is not None:
                self._ledger.learn(sitter.peak)
        return sitter

    # --- what is seen ---------------------------------------------------------------------------------------------

    def look(self, now: float, waiting: bool) -> None:
        """At every poll: the memory of all, and what follows from it."""
        if not self.groups or not self._sitters:
            return
        self._read()
        for group in self.groups:
            self._attribute(group, now)
            for sitter in group.sitters.values():
                if sitter.steady(now) and sitter.peak:
                    self._ledger.learn(sitter.peak)
        if self.auto is not None:
            self._steer(now, waiting)

    def _read(self) -> None:
        for group in self.groups:
            for card in group.cards:
                reading = self._gpus.read(card)
                if reading is not None:
                    group.readings[card.id] = reading

    def _attribute(self, group: Group, now: float) -> None:
        """Memory on the cards to the tasks: by process, or by what they have taken together."""
        used: Dict[Identity, Dict[str, int]] = {identity: {} for identity in group.sitters}
        for card, reading in group.readings.items():
            for pid, memory in reading.processes.items():
                owner = self._owner(pid)
                if owner in used:
                    used[owner][card] = used[owner].get(card, 0) + memory
            taken = reading.used - group.base.get(card, 0)
            total = min((one.memory for one in group.cards if one.id == card), default=0)
            if not any(card in one for one in used.values()) and taken > total * 0.002 and group.sitters:
                for one in used.values():
                    one[card] = taken // len(group.sitters)
        for identity, one in used.items():
            sitter = group.sitters[identity]
            sitter.busy = (group.load or 0.0) >= BUSY
            sitter.used, sitter.total = max(one.values(), default=0), sum(one.values())
            sitter.total_peak = max(sitter.total_peak, sitter.total)
            if sitter.used > sitter.peak:
                if sitter.used > sitter.peak * GROWTH:
                    sitter.grew_at = now
                sitter.peak = sitter.used

    def _owner(self, pid: int) -> Optional[Identity]:
        if pid not in self._owners:
            leaders = {sitter.pid: identity for identity, sitter in self._sitters.items()}
            self._owners[pid] = next((leaders[one] for one in processes.ancestry(pid) if one in leaders), None)
            if len(self._owners) > 4096:
                self._owners.clear()
        return self._owners.get(pid)

    def usage(self, identity: Identity, usage: Usage) -> Dict[str, Any]:
        """What was measured of a task; what there is to tell of its cards."""
        sitter = self._sitters[identity]
        sitter.memory, sitter.memory_peak = usage.memory, max(sitter.memory_peak, usage.memory)
        if sitter.progressed:
            sitter.cpu = usage.cpu
        self._host_need = max(self._host_need, usage.memory)
        if sitter.seat.group is None:
            return {}
        load = self.groups[sitter.seat.group].load
        return {"gpu_memory": sitter.total, "gpu_load": None if load is None else round(load, 3)}

    def progress(self, identity: Identity, step: Any, now: float) -> None:
        """A task has told how far it is."""
        sitter = self._sitters.get(identity)
        if sitter is None or isinstance(step, bool) or not isinstance(step, (int, float)):
            return
        sitter.progressed = True
        if sitter.seat.group is None or self.auto is None:
            return
        count = self.groups[sitter.seat.group].computing
        before = sitter.step
        if before is not None and step <= before[0]:
            return
        if before is not None and count == before[2] and now > before[1]:
            self.auto.paces.note(identity, count, (step - before[0]) / (now - before[1]))
        sitter.step = (step, now, count)

    # --- how many -------------------------------------------------------------------------------------------------

    def _steer(self, now: float, waiting: bool) -> None:
        assert self.auto is not None
        group = max(self.groups, key=lambda one: len(one.sitters))
        count = len(group.sitters)
        steady = all(sitter.steady(now) for sitter in group.sitters.values())
        if group.load is not None and count and group.computing == count:
            self.auto.paces.note_load(count, group.load)
        before = self.auto.target
        self.auto.look(
            View(
                tasks=count,
                steady=steady,
                waiting=waiting,
                load=group.load,
                fits=self._fits(group, now),
                cores=self._enough_cores(),
            )
        )
        if self.auto.target != before:
            self._short_of = self._limit = None
            self._bind_again()

    def _fits(self, group: Group, now: float) -> int:
        need = self._ledger.need
        if need is None or not group.cards[0].memory:
            return len(group.sitters)
        return packing.fitting(group.space(now, need), need, self._manifest.slots)

    def _enough_cores(self) -> int:
        """How many tasks a card the processor can feed."""
        known = [sitter.cpu for sitter in self._sitters.values() if sitter.cpu is not None]
        each = max(sum(known) / len(known), 0.25) if known else 1.0
        each = max(each, float(self._manifest.threads or 0) / auto.OVERBOOK)
        return max(1, int(auto.OVERBOOK * self._cores.count / each / len(self.groups)))

    def _bind_again(self) -> None:
        seats = min(self._manifest.slots, self._wanted)
        taken = {sitter.seat.place for sitter in self._sitters.values()}
        dealt = cores.deal(max([seats, *(place + 1 for place in taken)]), self._cores.own)
        for sitter in self._sitters.values():
            sitter.seat = sitter.seat._replace(cores=tuple(dealt[sitter.seat.place]))
            if self._manifest.members is None:
                cores.bind(sitter.pid, sitter.seat.cores)

    def packing(self, waiting: bool) -> Optional[Dict[str, Any]]:
        """How tasks share the cards, for the journal."""
        if not self.shared:
            return None
        group = max(self.groups, key=lambda one: len(one.sitters))
        self._reached = max(self._reached, len(group.sitters))
        count = min(self._reached, self._most)
        if waiting and len(group.sitters) < self._most:
            self._limit = self._short_of or self._limit
        elif waiting:
            self._limit = self.auto.limit if self.auto is not None else auto.ASKED
        return {
            "gpu": self._cards[0].name,
            "tasks": count,
            "target": self._most,
            "auto": self.auto is not None,
            "limit": self._limit or (None if waiting else auto.TASKS),
            "need": self._ledger.need,
            "total": self._cards[0].memory or None,
            "load": None if group.load is None else round(group.load, 2),
            "speedup": self.auto.paces.speedup(count) if self.auto is not None else None,
            "known": self.known,
        }


def _cards(gpus: Gpus, given: Optional[str]) -> List[Card]:
    """As the driver tells of them; where there is none that answers, as they were given."""
    found = visible(gpus.cards(), given)
    if found or not given:
        return found
    ids = [part.strip() for part in given.split(",") if part.strip()]
    return [Card(one, number, "GPU", 0) for number, one in enumerate(ids)]
