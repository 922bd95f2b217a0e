"""Find the devices that can be reserved, from the nodes that backends report."""

from collections.abc import Sequence
from itertools import groupby

from paddock.models import Node
from paddock.rules.devices import Reservable, SeenDevice, match, of_node
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.context import Context
from paddock.server.store import devices
from paddock.server.store.devices import DeviceRow

MISSING_SECONDS = 600.0  # a device that its node has not listed for this long is gone
Key = tuple[str, str]  # backend, node


class DeviceFinder:
    """Keeps the table of devices as the nodes are."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._looked: dict[str, Sequence[Node]] = {}  # backend -> its nodes when they were last looked at
        self._missing: dict[str, float] = {}  # device -> since when its node does not list it
        self._swept_at = 0.0

    def run(self, now: float) -> None:
        """Look at the nodes of those backends that have new ones."""
        workers = self._context.workers
        fresh = [one for name, one in workers.items() if one.nodes is not self._looked.get(name)]
        if not fresh and now - self._swept_at < MISSING_SECONDS / 4:
            return
        self._swept_at = now
        with self._context.db.read() as c:
            rows = devices.every(c)
        known = {key: list(part) for key, part in groupby(rows, key=lambda row: (row.backend, row.host))}
        for worker in fresh:
            self._looked[worker.backend.name] = worker.nodes
            self._look(worker, known, now)
        listed = {name: {node.name for node in one.nodes} for name, one in workers.items()}
        silent = {name for name, one in workers.items() if not one.nodes or not one.fresh}
        gone = [row for row in rows if row.backend not in silent and row.host not in listed.get(row.backend, ())]
        self._retire([row for row in gone if row.retired_at is None], now)

    def _look(self, worker: BackendWorker, known: dict[Key, list[DeviceRow]], now: float) -> None:
        name = worker.backend.name
        what = self._reservable(name)
        pairs: list[tuple[str, DeviceRow | None, SeenDevice]] = []
        absent: list[DeviceRow] = []
        for node in worker.nodes:
            found, missing = match(known.get((name, node.name), []), of_node(node, what) if what else [])
            pairs += [(node.name, row, seen) for row, seen in found]
            if what is None or node.usable:  # a node that is down may not know what it has
                absent += missing
        self._store(name, pairs, now)
        taken = {(host, seen.number) for host, _, seen in pairs}
        replaced = [row for row in absent if what is None or (row.host, row.number) in taken]
        self._retire(replaced, now, at_once=True)
        self._retire([row for row in absent if row not in replaced], now)

    def _store(self, backend: str, pairs: Sequence[tuple[str, DeviceRow | None, SeenDevice]], now: float) -> None:
        changed = [one for one in pairs if one[1] is None or devices.differs(one[1], one[2])]
        stale = [row.id for _, row, _ in pairs if row is not None and now - row.last_seen >= devices.SEEN_SECONDS]
        for _, row, _ in pairs:
            if row is not None:
                self._missing.pop(row.id, None)
        if not changed and not stale:
            return
        with self._context.db.write() as c:
            for host, row, seen in changed:
                if row is None:
                    devices.add(c, backend, host, seen, now)
                else:
                    devices.update(c, row.id, seen, now)
            devices.saw(c, stale, now)
            if changed:
                devices.announce(c)

    def _retire(self, rows: Sequence[DeviceRow], now: float, *, at_once: bool = False) -> None:
        """Retire devices that have been missing for long enough."""
        gone = [row.id for row in rows if at_once or now - self._missing.setdefault(row.id, now) >= MISSING_SECONDS]
        if gone:
            for id in gone:
                self._missing.pop(id, None)
            with self._context.db.write() as c:
                devices.retire(c, gone, now)
                devices.announce(c)

    def _reservable(self, backend: str) -> Reservable | None:
        """Return what can be reserved of a backend."""
        cluster = self._context.settings.clusters.get(backend)
        if cluster is None:
            return "gpus"
        return None if cluster.reservations == "off" else cluster.reservations
