"""How many GPUs each training gets, of those of one kind: one decision over all of them. Pure.

What it is worth to give a training k GPUs is
`weight * (left + 8 h)^-0.4 * (1 + age / 1 h)^0.5 * log(1 + speed[k] * discount / 0.3)`.
Short ones come first, but the longer one is there, the less it has to stand back. The logarithm makes the first GPU of
one worth more than the tenth of another. A change costs a restart, so other sizes than the present one are
discounted. The sizes of the largest sum that fit are found exactly (a knapsack of which one size per training is
chosen). Nothing more keeps trainings from going to and fro: each change makes the sum larger, so it comes to rest
when nothing else changes.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

LEFT_POWER = 0.4
AGE_POWER = 0.5
SLOW = 0.3  # a speed-up: far below it twice as fast is worth twice as much, far above it little more
HOUR = 3600.0
LEFT_MORE = 8 * HOUR  # what takes minutes is not worth far more than what takes an hour
LEAST_LEFT = 30.0  # seconds; below it nobody is shorter
UNKNOWN_LEFT = 60.0  # seconds: what is not known is tried first
STAYS = 1800.0  # seconds: about how long a size is kept, until others come and go; as long again as it was, if longer
RESTARTS = 2.0  # a change counts as so many restarts: not all that are worth it now are so when others come
CHANGED = 0.25  # of the trainings that run, at most, per round
PATIENCE = 1800.0  # seconds without a GPU, while others have more than an equal share

EFFORT = 4_000_000  # cells of the tables of a knapsack with limited changes: 20 to 30 ms

Place = tuple[tuple[str, int], ...]  # nodes, and how many GPUs of each


@dataclass(frozen=True)
class ElasticTraining:
    """A task that runs or waits. `speed` contains the sizes that it allows, and their speed-ups over one GPU."""

    id: str
    speed: Mapping[int, float]
    arrived: float
    place: Place = ()
    left: float | None = None  # seconds on one GPU
    waits_since: float | None = None  # since when it has nothing; None: since it arrived
    begun: bool = False
    cost: float = 30.0  # seconds of a restart
    kept: float = 0.0  # seconds for which it has had its present size
    weight: float = 1.0
    fixed: bool = False  # it cannot be stopped
    stays: bool = False  # it can be resized, but not stopped for others

    @property
    def size(self) -> int:
        return sum(gpus for _, gpus in self.place)


def weight_of(priority: int, share_used: float, equal_share: float) -> float:
    """Return the weight of a training: doubled for each 10 of priority, less for who has used more than others.

    The shares are of the last day: what the owner has used, and what each owner would have if all had the same.
    """
    fair = equal_share / share_used if share_used > 0 else math.inf
    return float(2.0 ** (priority / 10)) * min(max(fair, 0.5), 2.0)


def possible_sizes(nodes: Mapping[str, int]) -> dict[int, int]:
    """Return the sizes, and the nodes of each: 1, 2, 4, .. GPUs of a node, then 1, 2, 4, .. whole nodes."""
    largest = max(nodes.values(), default=0)
    sizes = {1 << power: 1 for power in range(largest.bit_length()) if 1 << power <= largest}
    count, whole = 1, sum(gpus == largest for gpus in nodes.values())
    while largest and count <= whole:
        sizes[largest * count] = count
        count *= 2
    return sizes


def decide(trainings: Sequence[ElasticTraining], nodes: Mapping[str, int], now: float) -> dict[str, Place]:
    """Return where each training runs next, the empty place for who waits. `nodes`: GPUs for trainings on each.

    Who has a place on a node that is gone, or of which more is used than there is, has lost it.
    """
    placing = Placing(nodes)
    ordered = sorted(trainings, key=lambda one: (not one.fixed, one.arrived, one.id))
    held = {one.id: one.size if one.place and placing.take(one.id, one.place) else 0 for one in ordered}
    most = changes(held.values())
    sizes = possible_sizes(nodes)
    first = _overdue(ordered, held, sizes, sum(nodes.values()), most, now)
    options = [_options(one, held[one.id], sizes, one.id in first, now) for one in ordered]
    chosen = dict(zip(held, _knapsack(options, sum(nodes.values()), most), strict=True))
    keep = {one.id for one in ordered if one.fixed and held[one.id]}
    allowed = {one.id: [size for size in sizes if size in one.speed] for one in ordered}
    return placing.place(chosen, allowed, keep, most)


def changes(held: Iterable[int]) -> int:
    """Return how many of the trainings that run may be changed in a round; one always may."""
    return max(int(CHANGED * sum(size > 0 for size in held)), 1)


@dataclass(frozen=True)
class _Options:
    """The sizes of a training, the smallest first, what each is worth, and whether it changes one that runs."""

    sizes: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    changed: list[bool] = field(default_factory=list)

    def add(self, size: int, value: float, changed: bool) -> None:
        self.sizes.append(size)
        self.values.append(value)
        self.changed.append(changed)


def _options(one: ElasticTraining, held: int, sizes: Mapping[int, int], must: bool, now: float) -> _Options:
    """Return what it may have; `must`: it gets something, whatever it is worth."""
    found = _Options()
    if one.fixed and held:
        found.add(held, 0.0, changed=False)
        return found
    left = max(UNKNOWN_LEFT if one.left is None else one.left, LEAST_LEFT)
    age = max(now - one.arrived, 0.0)
    discount = _discount(one, held, left if one.left is not None else max(age, left))
    unit, best = one.weight * (left + LEFT_MORE) ** -LEFT_POWER * (1 + age / HOUR) ** AGE_POWER, 0.0
    ours = held in one.speed  # what it no longer allows is not ours to keep
    if not must and not (one.stays and held):
        found.add(0, 0.0, changed=held > 0 and ours)
    for size in sorted({*sizes, held} & one.speed.keys() - {0}):
        best = max(best, one.speed[size])
        value = unit * math.log1p(best * (1.0 if size == held else discount) / SLOW)
        found.add(size, value, changed=held not in (0, size) and ours)
    return found


def _discount(one: ElasticTraining, held: int, left: float) -> float:
    """Return what a size other than the present one counts, as it costs a restart.

    It is the part that remains of the time until the next change, or until it ends: if that is not known, it will go
    on for as long as it has been there.
    """
    if not (one.begun or held):
        return 1.0
    ahead = min(left / max(one.speed.get(held, 1.0), 1e-3), max(STAYS, one.kept))
    return max(1 - RESTARTS * one.cost / ahead, 0.0)


def _overdue(
    ordered: Sequence[ElasticTraining],
    held: Mapping[str, int],
    sizes: Mapping[int, int],
    gpus: int,
    most: int,
    now: float,
) -> set[str]:
    """Return who has waited too long, and can have what is free or what others have beyond an equal share."""
    share = max(gpus // max(len(ordered), 1), 1)
    spare = gpus - sum(held.values())
    given = [  # what those with more can give, when each of them is changed once
        held[one.id] - max((size for size in sizes if size <= share and size in one.speed), default=0)
        for one in ordered
        if held[one.id] > share and not one.fixed
    ]
    spare += sum(sorted(given, reverse=True)[:most])
    waiting = [
        (one.arrived if one.waits_since is None else one.waits_since, one) for one in ordered if not held[one.id]
    ]
    found = set()
    for since, one in sorted(waiting, key=lambda pair: (pair[0], pair[1].id)):
        least = min((size for size in sizes if size in one.speed), default=gpus + 1)
        if now - since > PATIENCE and least <= spare:
            spare -= least
            found.add(one.id)
    return found


def _knapsack(options: Sequence[_Options], gpus: int, most: int) -> list[int]:
    """Return the sizes of the largest value that fit, with at most `most` changed."""
    if not options:
        return []
    shape = len(options), max(len(one.sizes) for one in options)
    sizes, values, changed = np.zeros(shape, int), np.full(shape, -np.inf), np.zeros(shape, int)
    for row, one in enumerate(options):
        count = len(one.sizes)
        sizes[row, :count], values[row, :count], changed[row, :count] = one.sizes, one.values, one.changed
    free = _solve(sizes, values, np.zeros_like(changed), gpus, 0)
    rows = np.arange(len(options))
    if changed[rows, free].sum() > most:
        free = _solve(sizes, values, changed, gpus, most)
    return [int(size) for size in sizes[rows, free]]


def _solve(sizes: np.ndarray, values: np.ndarray, changed: np.ndarray, gpus: int, most: int) -> np.ndarray:
    """Return the column of each row that is chosen.

    With a price per GPU and per change, no choice is worth more than a bound, and each column has a loss against the
    best one of its row. What is worth w is beaten by no choice with a column that loses more than the bound less w.
    So first few columns are looked at, then those that may be better than what was found: that is exact. Only if
    changes are limited and the problem is very large, what was found is taken: it is a little below the best then.
    """
    price, toll = _prices(sizes, values, changed, gpus, most)
    reduced = values - price * sizes - toll * changed
    best = reduced.max(axis=1)
    bound, loss = price * gpus + toll * most + float(best.sum()), best[:, None] - reduced
    tiny = 1e-9 * max(bound, 1.0)
    gap, known, found, everything = price / 16 + tiny, -math.inf, None, int(np.isfinite(values).sum())
    while True:
        left = [np.flatnonzero(row <= gap) for row in loss]
        columns = sum(map(len, left))
        if found is not None and columns * (most + 1) * (gpus + 1) > EFFORT:
            return found
        chosen = _program(left, sizes, values, changed, gpus, most)
        worth = -math.inf if chosen is None else float(values[np.arange(len(values)), chosen].sum())
        if worth > known:
            known, found = worth, chosen
        if found is not None and (known >= bound - gap or columns == everything):
            return found
        if columns == everything:
            raise ValueError("what cannot be changed needs more GPUs than there are")
        gap = gap * 4 if found is None else bound - known + tiny


def _prices(sizes: np.ndarray, values: np.ndarray, changed: np.ndarray, gpus: int, most: int) -> tuple[float, float]:
    """Return the prices of a GPU and of a change at which about as many are wanted as there are."""
    rows = np.arange(len(values))
    top = float((values / np.maximum(sizes, 1)).max())

    def wanted(price: float, toll: float) -> np.ndarray:
        found: np.ndarray = (values - toll * changed - price * sizes).argmax(axis=1)
        return found

    def at(toll: float) -> tuple[float, bool]:
        """Return the price with this toll, and whether no more changes are wanted than allowed."""
        low, high = 0.0, top
        if sizes[rows, wanted(0.0, toll)].sum() <= gpus:
            high = 0.0
        for _ in range(20 if high else 0):
            price = (low + high) / 2
            low, high = (price, high) if sizes[rows, wanted(price, toll)].sum() > gpus else (low, price)
        return high, changed[rows, wanted(high, toll)].sum() <= most

    price, few = at(0.0)
    if few:
        return price, 0.0
    low, high = 0.0, float(values.max())
    for _ in range(14):
        toll = (low + high) / 2
        low, high = (low, toll) if at(toll)[1] else (toll, high)
    return at(high)[0], high


def _program(
    left: Sequence[np.ndarray], sizes: np.ndarray, values: np.ndarray, changed: np.ndarray, gpus: int, most: int
) -> np.ndarray | None:
    """Choose among the columns that are left, by dynamic programming; None if nothing fits.

    `best[m, c]` is the largest value with at most m changes and c GPUs. Rows with one column are taken at once.
    """
    chosen = np.array([int(some[0]) for some in left])
    open_rows = [row for row, some in enumerate(left) if len(some) > 1]
    alone = [row for row, some in enumerate(left) if len(some) == 1]
    gpus -= int(sizes[alone, chosen[alone]].sum())
    most -= int(changed[alone, chosen[alone]].sum())
    if gpus < 0 or most < 0:
        return None
    tables = [np.zeros((most + 1, gpus + 1))]
    for row in open_rows:
        best = np.full((most + 1, gpus + 1), -np.inf)
        for column in left[row]:
            size, move = int(sizes[row, column]), int(changed[row, column])
            if size <= gpus and move <= most:
                part = best[move:, size:]
                np.maximum(part, tables[-1][: most + 1 - move, : gpus + 1 - size] + values[row, column], out=part)
        tables.append(best)
    if not np.isfinite(tables[-1][most, gpus]):
        return None
    for row, best, before in zip(open_rows[::-1], tables[:0:-1], tables[-2::-1], strict=True):
        for column in left[row]:
            size, move = int(sizes[row, column]), int(changed[row, column])
            if (
                size <= gpus
                and move <= most
                and before[most - move, gpus - size] + values[row, column] == best[most, gpus]
            ):
                chosen[row], most, gpus = column, most - move, gpus - size
                break
    return chosen


@dataclass
class Placing:
    """Who is where. Who keeps its size keeps its place; others are moved only if a larger one fits nowhere else."""

    nodes: Mapping[str, int]
    places: dict[str, Place] = field(default_factory=dict)
    free: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.free = dict(self.nodes)

    def take(self, who: str, place: Place) -> bool:
        if any(gpus < 1 or self.free.get(name, 0) < gpus for name, gpus in place):
            return False
        if len({name for name, _ in place}) < len(place):
            return False
        self.places[who] = place
        for name, gpus in place:
            self.free[name] -= gpus
        return True

    def leave(self, who: str) -> Place:
        place = self.places.pop(who, ())
        for name, gpus in place:
            self.free[name] += gpus
        return place

    def fit(self, who: str, size: int) -> bool:
        """Place it where others need not be moved, if there is room."""
        return self._room(who, size, set(), 0) is not None

    def place(
        self, chosen: Mapping[str, int], allowed: Mapping[str, Sequence[int]], fixed: set[str], most: int
    ) -> dict[str, Place]:
        """Return the places for the sizes; a smaller size for whom there is no room in one piece."""
        held = {who: sum(gpus for _, gpus in place) for who, place in self.places.items()}
        changed = [who for who, size in chosen.items() if size != held.get(who, 0)]
        moves = most - sum(who in held for who in changed)
        old = {who: self.leave(who) for who in changed}
        movable = chosen.keys() - fixed - set(changed)
        for who in sorted(changed, key=lambda one: -chosen[one]):
            for size in sorted({*allowed[who], chosen[who]}, reverse=True):
                if not 0 < size <= chosen[who]:
                    continue
                if size == held.get(who) and self.take(who, old[who]):
                    break
                moved = self._room(who, size, movable, moves)
                if moved is not None:
                    moves -= moved
                    break
        return {who: self.places.get(who, ()) for who in chosen}

    def _room(self, who: str, size: int, movable: set[str], moves: int) -> int | None:
        """Place it, and return how many others were moved for it, None if there is no room."""
        largest = max(self.nodes.values())
        count = max(size // largest, 1)
        each = size if count == 1 else largest
        before, moved = (dict(self.free), dict(self.places)), 0
        while (names := self._fitting(each))[count - 1 : count] == []:
            more = self._clear(each, movable, names, moves - moved)
            if more is None:
                self.free, self.places = before
                return None
            moved += more
        self.take(who, tuple((name, each) for name in names[:count]))
        return moved

    def _fitting(self, gpus: int) -> list[str]:
        """Return the nodes on which this many are free, the fullest first."""
        return sorted(
            (name for name, free in self.free.items() if free >= gpus), key=lambda name: (self.free[name], name)
        )

    def _clear(self, gpus: int, movable: set[str], done: Sequence[str], moves: int) -> int | None:
        """Make this many free on one more node, by moving as few as possible that fit on other nodes."""
        there: dict[str, list[str]] = {}
        for who, place in self.places.items():
            if len(place) == 1 and who in movable:
                there.setdefault(place[0][0], []).append(who)
        for name in sorted(there, key=lambda one: (len(there[one]), one)):
            if name in done or self.nodes[name] < gpus:
                continue
            before, moved = (dict(self.free), dict(self.places)), 0
            for who in sorted(there[name], key=lambda one: self.places[one][0][1]):
                size = self.places[who][0][1]
                to = [one for one in self._fitting(size) if one != name and one not in done]
                if moved >= moves or not to or self.free[name] >= gpus:
                    break
                self.leave(who)
                self.take(who, ((to[0], size),))
                moved += 1
            if self.free[name] >= gpus:
                return moved
            self.free, self.places = before
        return None
