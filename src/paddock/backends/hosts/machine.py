"""One host: what it reports of itself, and since when it does not."""

import json
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from paddock.agents.link import Link
from paddock.backends.entries import Entry, Equipment
from paddock.models import Device, Node
from paddock.models.load import GpuSample, NodeSample
from paddock.paths import write_once
from paddock.rules.load import with_measurements

LOOKS = 3.0  # a host that has missed this many looks is silent
SILENT_SECONDS = 15.0  # but not before this long: a connection that is cut is made again in a moment

log = logging.getLogger("paddock.backends")


class Machine:
    """A host and its monitor, which is a process of the account that ssh signs in as: nobody else can forge it.

    The last report is kept in a file, so that a restarted server knows what the host has before it answers.
    """

    def __init__(self, name: str, link: Link, slots: int | None, every: float, file: Path) -> None:
        """`slots`: CPU slots, if not as many as cores. `every`: seconds between two looks."""
        self.name = name
        self._link, self._slots, self._every, self._file = link, slots, every, file
        self._lock = threading.Lock()
        self._sample = _load(file)
        self._described = None if self._sample is None else _description(self._sample)  # as it is in the file
        self._asked_at = time.time()
        self._heard_at: float | None = None  # wall clock
        self._heard = 0.0  # monotonic

    def begin(self) -> None:
        self._link.machine(self._every, self._hear)

    def close(self) -> None:
        self._link.machine(0, self._hear)

    def _hear(self, given: Mapping[str, Any]) -> None:
        """Take a report. Raises if it is none, which ends the connection."""
        found = _with_places(NodeSample.model_validate(given))
        with self._lock:
            before, self._sample = self._sample, found
            self._heard_at, self._heard = time.time(), time.monotonic()
        description = _description(found)
        if description != self._described:
            self._described = description
            self._keep(before, found)

    def _keep(self, before: NodeSample | None, found: NodeSample) -> None:
        if before is not None:
            log.info("%s has %s now, and had %s", self.name, _in_words(found), _in_words(before))
        with suppress(OSError):
            write_once(self._file, json.dumps(self._described), mode=0o600)

    # --- what is known ------------------------------------------------------------------------------------------------

    @property
    def answers(self) -> bool:
        with self._lock:
            recently = time.monotonic() - self._heard < max(LOOKS * self._every, SILENT_SECONDS)
            return self._heard_at is not None and recently

    @property
    def is_new(self) -> bool:
        """Return True if this server has never heard from it, and has not waited long."""
        return self._heard_at is None and time.time() - self._asked_at < max(LOOKS * self._every, SILENT_SECONDS)

    @property
    def since(self) -> float:
        """Return when it was last heard from; if never, since when it is asked."""
        return self._heard_at or self._asked_at

    @property
    def silence(self) -> str:
        """Return since when it has not answered, in words."""
        at = time.localtime(self.since)
        today = time.localtime()[:3] == at[:3]
        return f"{self.name} has not answered since {time.strftime('%H:%M' if today else '%Y-%m-%d %H:%M', at)}"

    @property
    def problem(self) -> str | None:
        """Return why it cannot be reached, if that is known."""
        return self._link.problem

    @property
    def equipment(self) -> Equipment | None:
        """Return what it has to give, as last heard; None: it has never answered."""
        with self._lock:
            return None if self._sample is None else self._equipment(self._sample)

    def _equipment(self, sample: NodeSample) -> Equipment:
        gpus = [Device(id=one.place or one.id, kind="gpu", name=one.name, memory=one.memory) for one in sample.cards]
        return Equipment(gpus, self._slots or sample.cores, range(sample.cores))

    def node(self, backend: str, entries: Sequence[Entry], state: str, reason: str | None) -> Node | None:
        """Return the host as a node, with its own of these allocations; None: nothing is known of it."""
        with self._lock:
            sample = self._sample
        if sample is None:
            return None
        equipment = self._equipment(sample)
        devices = equipment.devices([one for one in entries if one.node == self.name])
        of_kind = [one for one in devices if one.kind == ("gpu" if equipment.gpus else "cpu")]
        node = Node(
            name=self.name,
            backend=backend,
            state=state,
            usable=state == "up",
            reason=reason,
            cpus=sample.cores,
            memory=sample.memory,
            slots=len(of_kind),
            slots_used=sum(one.busy for one in of_kind),
            cpu_slots=equipment.slots,
            devices=devices,
        )
        if not self.answers:
            return node
        return with_measurements(node.model_copy(update={"cpus_used": sample.busy, "memory_free": sample.free}), sample)


def _with_places(sample: NodeSample) -> NodeSample:
    """Return a report in which each GPU has its name as CUDA_VISIBLE_DEVICES takes it, in the order of the bus.

    That is its number; instances of one GPU have the same, so they are called by their ids.
    """
    numbers = [one.number for one in sample.cards]
    cards = sorted(sample.cards, key=lambda one: (one.number, one.id))
    named = [_named(one, str(one.number) if numbers.count(one.number) == 1 else one.id) for one in cards]
    return sample.model_copy(update={"cards": named})


def _named(gpu: GpuSample, place: str) -> GpuSample:
    return gpu.model_copy(update={"place": place})


def _description(sample: NodeSample) -> dict[str, Any]:
    """Return what seldom changes."""
    kept = {"id", "number", "place", "name", "memory"}
    return {
        "cores": sample.cores,
        "memory": sample.memory,
        "cards": [one.model_dump(include=kept) for one in sample.cards],
    }


def _in_words(sample: NodeSample) -> str:
    return f"{sample.cores} cores and {len(sample.cards)} GPUs ({', '.join(one.id for one in sample.cards)})"


def _load(file: Path) -> NodeSample | None:
    try:
        return NodeSample.model_validate_json(file.read_bytes())
    except (OSError, ValueError):
        return None
