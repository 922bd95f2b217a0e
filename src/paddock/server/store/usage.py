"""How much of a backend each person has used lately."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import sqlalchemy as sa

from paddock.server.store.tables import usage

NOTHING = 0.001


@dataclass(frozen=True)
class PastUse:
    """The mean amount that each owner had at the time `at`; what was had a half-life before counts half."""

    half_life: float
    at: float = 0.0
    amounts: Mapping[str, float] = field(default_factory=dict)

    def mean(self, now: float) -> dict[str, float]:
        """Return the amounts as they count now."""
        keeps = self._keeps(now)
        return {owner: amount * keeps for owner, amount in self.amounts.items()}

    def after(self, now: float, held: Mapping[str, float]) -> "PastUse":
        """Return the usage at a later time, if each owner had this much since."""
        keeps = self._keeps(now)
        owners = self.amounts.keys() | held.keys()
        new = {one: self.amounts.get(one, 0.0) * keeps + held.get(one, 0.0) * (1 - keeps) for one in owners}
        return PastUse(self.half_life, now, {one: amount for one, amount in new.items() if amount > NOTHING})

    def _keeps(self, now: float) -> float:
        return math.exp2(-max(now - self.at, 0.0) / self.half_life)


def load(c: sa.Connection, backend: str, half_life: float) -> PastUse:
    """Return the usage as it was last stored."""
    rows = c.execute(sa.select(usage).where(usage.c.backend == backend)).all()
    return PastUse(half_life, max((row.at for row in rows), default=0.0), {row.owner: row.amount for row in rows})


def store(c: sa.Connection, backend: str, new: PastUse) -> None:
    """Store the usage of a backend in place of what was stored before."""
    c.execute(sa.delete(usage).where(usage.c.backend == backend))
    if new.amounts:
        rows = [{"owner": owner, "amount": amount} for owner, amount in new.amounts.items()]
        c.execute(sa.insert(usage), [{"backend": backend, "at": new.at, **row} for row in rows])
