"""An engine with a scripted cluster of two nodes with two GPUs each, of which nodes can be reserved."""

import sqlalchemy as sa

from paddock.backends.base import WantedReservation
from paddock.models import AllocationBatch, Device, Node
from paddock.server.engine.engine import Engine
from paddock.server.store import devices, notices
from paddock.server.store.tables import bookings, reservations
from tests.server.engine.engine_rig import Rig
from tests.support.reservations import add_reservation

HOUR = 3600.0


class ClusterRig(Rig):
    """A cluster of two nodes with two GPUs each."""

    def open(self) -> Engine:
        gpus = [Device(id=str(n), kind="gpu", name="h200") for n in range(2)]
        nodes = [Node(name=name, backend="fake", cpus=8, slots=2, cpu_slots=8, devices=gpus) for name in ("n1", "n2")]
        self.backend.nodes = lambda: nodes  # type: ignore[method-assign]
        return super().open()

    def devices(self) -> dict[str, str]:
        with self.db.read() as c:
            return {row.name: row.id for row in devices.in_use(c)}

    def reserve(self, *names: str, start: float = HOUR, **given: object) -> str:
        self.step(rounds=1)
        known, now = self.devices(), self.now()
        return add_reservation(self.db, [known[name] for name in names], now + start, now + start + HOUR, **given)  # type: ignore[arg-type]

    def asked(self) -> list[WantedReservation]:
        return list(self.backend.reserved[-1][0])

    def enforced(self, id: str) -> tuple[str, str | None]:
        with self.db.read() as c:
            row = c.execute(sa.select(reservations).where(reservations.c.id == id)).one()
        return row.enforced, row.enforced_why

    def told(self, user: str) -> list[str]:
        with self.db.read() as c:
            return [one.title for one in notices.page(c, user).items]

    def change(self, id: str, live: bool = True, **values: object) -> None:
        """Change a reservation, as its owner would."""
        with self.db.write() as c:
            c.execute(sa.update(reservations).where(reservations.c.id == id).values(**values))
            times = {name: value for name, value in values.items() if name in ("starts_at", "ends_at")}
            c.execute(sa.update(bookings).where(bookings.c.reservation == id).values(live=live, **times))

    def requests(self) -> list[tuple[str | None, int]]:
        """The batches that were requested: for which reservation, and how many."""
        assert all(one.resources.slurm.reservation == one.entered for one in self.backend.batches)
        return [(one.entered, one.count) for one in self.backend.batches]

    def batch(self, entered: str | None) -> AllocationBatch:
        return next(one for one in self.backend.batches if one.entered == entered)
