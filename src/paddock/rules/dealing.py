"""Decide which allocation gets which attempt, where each attempt is dealt to one allocation. Pure.

An allocation gets as many attempts as it runs at a time, and some ahead, so that its runner need not wait for the next
one. Attempts that may run on one node only are dealt first, the others to where the least is. What is ahead of an
allocation is taken back when another one would be idle without it.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

AHEAD = 1
AHEAD_TO_CHOOSE = 12  # where the runner finds out how many tasks share a GPU, and begins with large ones


@dataclass(frozen=True)
class DealableAttempt:
    """An attempt that no runner has begun."""

    id: int
    node: str | None = None  # the only node on which it may run; None: any
    not_to: frozenset[str] = frozenset()  # allocations from which it was taken back: their runners never take it again


@dataclass(frozen=True)
class Hand:
    """What was dealt to an allocation."""

    key: str
    node: str
    seats: int  # tasks that run there at a time
    running: int = 0
    waiting: tuple[DealableAttempt, ...] = ()  # not begun, in the order in which they were dealt
    ahead: int = AHEAD
    open: bool = True  # its runner takes further attempts
    answers: bool = True  # its node can be asked to give attempts back, and gets what is dealt

    @property
    def load(self) -> int:
        return self.running + len(self.waiting)


@dataclass
class Deals:
    """What to do: attempts by id, each with an allocation."""

    given: dict[int, str] = field(default_factory=dict)
    taken: dict[int, str] = field(default_factory=dict)  # to be taken back from there


def deal(hands: Sequence[Hand], waiting: Sequence[DealableAttempt], coming: Sequence[DealableAttempt] = ()) -> Deals:
    """Return which of the waiting attempts go where, and which are to be taken back.

    `coming` are those that are being taken back, and not in any hand: room is kept for them.
    """
    table = _Table([one for one in hands if one.open and one.answers])
    deals = Deals(given=table.give(waiting))
    table.give(coming)
    for one in hands:
        if not one.open and one.answers:
            deals.taken |= {attempt.id: one.key for attempt in one.waiting}
    deals.taken |= table.take_for_idle([one for one in hands if one.open and one.answers])
    return deals


class _Table:
    """The allocations that get attempts, with what they have so far."""

    def __init__(self, hands: Sequence[Hand]) -> None:
        self._hands = {one.key: one for one in hands}
        self._order = {one.key: number for number, one in enumerate(hands)}
        self._load = {one.key: one.load for one in hands}
        self._of_node: dict[str, list[str]] = defaultdict(list)
        for one in hands:
            self._of_node[one.node].append(one.key)

    def give(self, attempts: Sequence[DealableAttempt]) -> dict[int, str]:
        """Give attempts to where the least is, those for one node first."""
        pinned: dict[str, list[DealableAttempt]] = defaultdict(list)
        for one in attempts:
            if one.node is not None:
                pinned[one.node].append(one)
        given: dict[int, str] = {}
        for node, some in pinned.items():
            given |= self._give_in_turn(some, self._of_node.get(node, []))
        return given | self._give_in_turn([one for one in attempts if one.node is None], list(self._hands))

    def _give_in_turn(self, attempts: Sequence[DealableAttempt], keys: Sequence[str]) -> dict[int, str]:
        heap = [self._rank(key) for key in keys if self._has_room(key)]
        heapq.heapify(heap)
        given: dict[int, str] = {}
        for one in attempts:
            passed = []
            while heap and heap[0][2] in one.not_to:
                passed.append(heapq.heappop(heap))
            if heap:
                key = heapq.heappop(heap)[2]
                given[one.id] = key
                self._load[key] += 1
                if self._has_room(key):
                    heapq.heappush(heap, self._rank(key))
            for entry in passed:
                heapq.heappush(heap, entry)
            if not heap:
                break
        return given

    def take_for_idle(self, hands: Sequence[Hand]) -> dict[int, str]:
        """Return what to take back from those that have more than they can run, for those that would be idle."""
        left = {one.key: list(one.waiting) for one in hands}
        taken: dict[int, str] = {}
        for one in hands:
            for _ in range(one.seats - self._load[one.key]):
                found = self._spare(one, left)
                if found is None:
                    break
                key, attempt = found
                left[key].remove(attempt)
                taken[attempt.id] = key
                self._load[key] -= 1
                self._load[one.key] += 1
        return taken

    def _spare(self, idle: Hand, left: Mapping[str, Sequence[DealableAttempt]]) -> tuple[str, DealableAttempt] | None:
        """Return the last dealt attempt of the fullest allocation that has one for the idle one."""
        full = [key for key, some in left.items() if some and self._load[key] > self._hands[key].seats]
        for key in sorted(full, key=self._rank, reverse=True):
            for attempt in reversed(left[key]):
                if attempt.node in (None, idle.node) and idle.key not in attempt.not_to:
                    return key, attempt
        return None

    def _has_room(self, key: str) -> bool:
        return self._load[key] < self._hands[key].seats + self._hands[key].ahead

    def _rank(self, key: str) -> tuple[float, int, str]:
        """Return the place in the order: the smallest goes first."""
        return self._load[key] / self._hands[key].seats, self._order[key], key
