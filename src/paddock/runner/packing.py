"""Which card has room for another task. Pure: no clock, no driver.

A card is never promised more memory than it has: every task on it counts with what it is expected to need at most, or
with what it holds if that is more; what others hold is not ours to give; and a margin stays free.
"""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence, Tuple

MARGIN = 0.03  # of a card's memory: allocators round up, contexts differ
ROUND_UP = 1.02
EACH = 15 * 10**9  # with so much of a card's memory for each, tasks of which nothing is known begin: at least 2, ...
FIRST = 10  # ... at most so many


class Tenant(NamedTuple):
    """A task on a card."""

    need: Optional[int]  # bytes that it will want at most; None: not known yet
    used: int = 0  # bytes that it holds now
    alone: bool = False  # it has run out of memory beside others: nobody joins it


class Space(NamedTuple):
    """A card, and who is on it."""

    total: int
    used: int  # by whomever
    tenants: Tuple[Tenant, ...] = ()

    @property
    def free(self) -> int:
        """What is promised to nobody."""
        others = max(0, self.used - sum(tenant.used for tenant in self.tenants))
        promised = sum(max(tenant.need or 0, tenant.used) for tenant in self.tenants)
        return self.total - others - promised - self.margin

    @property
    def margin(self) -> int:
        return int(self.total * MARGIN)

    @property
    def unknown(self) -> int:
        return sum(tenant.need is None for tenant in self.tenants)


def choose(cards: Sequence[Space], need: Optional[int], alone: bool, most: int, few: int = FIRST) -> Optional[int]:
    """The place of the card that the next task should get: the one with the fewest, then with the most room.

    None: there is room on none of them now. `most` tasks may share a card, `few` of which nothing is known.
    """
    able = [place for place, card in enumerate(cards) if _admits(card, need, alone, most, few)]
    return min(able, key=lambda place: (len(cards[place].tenants), -cards[place].free, place), default=None)


def first(total: int, cores: int) -> int:
    """How many tasks of which nothing is known may be on a card at the same time."""
    return max(2, min(FIRST, total // EACH, cores * 5 // 8))


def _admits(card: Space, need: Optional[int], alone: bool, most: int, few: int) -> bool:
    if len(card.tenants) >= most or any(tenant.alone for tenant in card.tenants):
        return False
    if not card.tenants:
        return True  # whatever it needs: if it does not fit here, it fits nowhere
    if alone:
        return False
    if need is None:
        return card.unknown == len(card.tenants) < few and card.free > card.total // 2
    return card.unknown == 0 and need <= card.free


class Ledger:
    """What tasks of this job have needed so far, and so what the next one will."""

    def __init__(self, need: Optional[int] = None) -> None:
        """`need`: as another has told it."""
        self._most = None if need is None else int(need / ROUND_UP)

    def learn(self, peak: int) -> None:
        """What a task has come to, once it does not grow any more."""
        self._most = max(self._most or 0, peak)

    @property
    def need(self) -> Optional[int]:
        return None if self._most is None else int(self._most * ROUND_UP)


def fitting(card: Space, need: int, most: int) -> int:
    """How many tasks of this need could be on the card, with those that are there."""
    if need <= 0:
        return most
    return min(most, len(card.tenants) + max(0, card.free) // need)
