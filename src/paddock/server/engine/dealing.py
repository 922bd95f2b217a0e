"""Deals attempts to allocations, where the nodes of a backend have no common file system: see `rules/dealing.py`.

An attempt has one allocation at a time. The database has it first, then the allocation's list; a new server writes the
lines of all attempts again that have not begun. What is taken back is withdrawn at its node before another gets it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from paddock.models import AllocationState, Cause, Method, TaskState
from paddock.rules import placement
from paddock.rules.dealing import AHEAD, AHEAD_TO_CHOOSE, DealableAttempt, Deals, Hand, deal
from paddock.rules.lifecycle import Verdict
from paddock.server.engine.apply import changing
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.context import Context, JobFacts
from paddock.server.engine.mailbox import lines_of
from paddock.server.outposts.claims import Identity
from paddock.server.outposts.outpost import Outpost
from paddock.server.store import allocations, attempts, deals, places
from paddock.server.store.allocations import AllocationRow
from paddock.server.store.attempts import Demand, UnbegunAttempt
from paddock.server.store.deals import AttemptInHand, PinnedAttempt

DEALING = "deal its tasks to its allocations"
MOST_AT_ONCE = 2_000  # attempts of a job that are looked at in a round
UNANSWERING = ("silent", "lost")  # states of nodes


@dataclass
class _Job:
    """What is known of a job whose attempts are dealt, in one round."""

    facts: JobFacts
    worker: BackendWorker
    outpost: Outpost
    demand: Demand | None  # None: nothing is left to do
    rows: list[AllocationRow] = field(default_factory=list)
    hands: dict[str, list[AttemptInHand]] = field(default_factory=lambda: defaultdict(list))  # by allocation
    pinned: list[PinnedAttempt] = field(default_factory=list)  # not dealt


def _by_job(demands: Sequence[Demand]) -> dict[str, Demand]:
    """Return what is left to do of each job, in all numbers of GPUs together."""
    found: dict[str, Demand] = {}
    for one in demands:
        known = found.get(one.job)
        waiting, running = (known.waiting, known.running) if known else (0, 0)
        found[one.job] = replace(one, waiting=waiting + one.waiting, running=running + one.running)
    return found


class Dealer:
    """Deals in every round. What it remembers makes rounds quicker; a new server begins without it."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._nodes: dict[str, str] = {}  # allocation -> its node
        self._gpus: dict[str, int] = {}  # allocation -> its GPUs
        self._written: set[int] = set()  # attempts whose lines are in the lists of their allocations
        self._begun: set[int] = set()  # attempts that could not be taken back
        self._taking: dict[int, Identity] = {}  # attempts that are being withdrawn
        self._not_to: dict[int, frozenset[str]] = {}  # attempt -> where it was withdrawn
        self._ended: set[str] = set()  # allocations whose list has `end` as its last line

    def run(self, rows: Sequence[AllocationRow], now: float) -> None:
        """Take back and deal what has to be, and end the lists to which nothing will be added."""
        jobs = self._gather(rows)
        self._forget(jobs)
        for job, one in jobs.items():
            with self._context.boundary.job(job, DEALING):
                self._take_back(one)
                self._write_again(one, now)
                self._deal(one, now)

    # --- what there is ------------------------------------------------------------------------------------------------

    def _gather(self, rows: Sequence[AllocationRow]) -> dict[str, _Job]:
        context = self._context
        dealing = {name for name, worker in context.workers.items() if worker.backend.traits.dealt}
        if not dealing:
            return {}
        open_rows = [row for row in rows if row.backend in dealing]
        unknown = {row.batch for row in open_rows if row.key not in self._nodes}
        with context.db.read() as c:
            in_hand, pinned = deals.in_hand(c), deals.pinned(c)
            facts = context.facts(c, list({row.job_id for row in open_rows}))
            demands = _by_job(attempts.demands(c))
            self._nodes |= allocations.nodes_of(c, unknown)
            self._gpus |= allocations.gpus_of(c, unknown)
            lost = {node for name in dealing if pinned for node in places.lost(c, name)}
        in_hand = self._without_dangling(in_hand, {row.key for row in rows})
        pinned = self._without_lost(pinned, lost)
        found: dict[str, _Job] = {}
        for row in open_rows:
            outpost = context.outposts.of(row.job_id)
            if row.job_id in facts and outpost.dealt and not context.boundary.rests(row.job_id, DEALING):
                worker = context.workers[row.backend]
                made = _Job(facts[row.job_id], worker, outpost, demands.get(row.job_id))
                found.setdefault(row.job_id, made).rows.append(row)
        for held in in_hand:
            if held.job_id in found:
                found[held.job_id].hands[held.dealt_to].append(held)
        for pin in pinned:
            if pin.job_id in found and pin.dealt_to is None and pin.published:
                found[pin.job_id].pinned.append(pin)
        return found

    def _forget(self, jobs: Mapping[str, _Job]) -> None:
        keys = {row.key for job in jobs.values() for row in job.rows}
        ids = {held.id for job in jobs.values() for some in job.hands.values() for held in some}
        self._nodes = {key: node for key, node in self._nodes.items() if key in keys}
        self._gpus = {key: gpus for key, gpus in self._gpus.items() if key in keys}
        self._ended &= keys
        self._written &= ids
        self._begun &= ids
        self._taking = {one: identity for one, identity in self._taking.items() if one in ids}
        self._not_to = {one: left for one, some in self._not_to.items() if (left := some & keys)}

    def _without_lost(self, pinned: list[PinnedAttempt], lost: Collection[str]) -> list[PinnedAttempt]:
        """Let attempts whose node was declared lost begin anew elsewhere: their checkpoints are gone with it."""
        gone = [one for one in pinned if one.node in lost and one.dealt_to is None]
        if gone:
            with self._context.db.write() as c:
                deals.begin_anew(c, gone)
        return [one for one in pinned if one not in gone]

    def _without_dangling(self, in_hand: list[AttemptInHand], keys: Collection[str]) -> list[AttemptInHand]:
        """Take back what was dealt to allocations that never existed: a backend may take less than it was asked for."""
        gone = [one for one in in_hand if one.state == TaskState.SUBMITTED and one.dealt_to not in keys]
        if gone:
            with self._context.db.write() as c:
                deals.take_back(c, [one.id for one in gone])
        return [one for one in in_hand if one not in gone]

    # --- taking back --------------------------------------------------------------------------------------------------

    def _take_back(self, job: _Job) -> None:
        """Withdraw what is to be taken back, as far as its nodes have answered."""
        wanted = {
            held.id: held
            for some in job.hands.values()
            for held in some
            if held.id in self._taking and held.state == TaskState.SUBMITTED
        }
        if not wanted:
            return
        known = job.outpost.withdraw([self._taking[one] for one in wanted])
        back = [held for one, held in wanted.items() if known.get(self._taking[one])]
        if back:
            with self._context.db.write() as c:
                deals.take_back(c, [held.id for held in back])
        for held in back:
            self._not_to[held.id] = self._not_to.get(held.id, frozenset()) | {held.dealt_to}
            job.hands[held.dealt_to].remove(held)
        for one in wanted:
            if self._taking[one] in known:
                self._begun |= set() if known[self._taking[one]] else {one}
                del self._taking[one]

    # --- dealing ------------------------------------------------------------------------------------------------------

    def _write_again(self, job: _Job, now: float) -> None:
        """Write the lines that an earlier server may not have written. The claims make a second line harmless."""
        live = {row.key for row in job.rows if row.state != AllocationState.ENDED}
        lacking = {
            held.id: key
            for key, some in job.hands.items()
            for held in some
            if key in live and held.state == TaskState.SUBMITTED and held.id not in self._written | self._taking.keys()
        }
        if lacking:
            with self._context.db.read() as c:
                rows = deals.unbegun(c, list(lacking))
            self._write(job, {row.id: lacking[row.id] for row in rows}, rows, now)

    def _deal(self, job: _Job, now: float) -> None:
        hands = [hand for row in job.rows if (hand := self._hand(job, row)) is not None]
        room = sum(max(one.seats + one.ahead - one.load, 0) for one in hands if one.open and one.answers)
        rows: list[UnbegunAttempt] = []
        resources = job.facts.spec.resources
        if room and job.demand is not None and job.demand.waiting and not job.demand.held:
            with self._context.db.read() as c:
                limit = MOST_AT_ONCE if resources.most_gpus is not None else min(room, MOST_AT_ONCE)
                rows = deals.undealt(c, job.facts.id, {one.node for one in hands}, limit)
        decided = Deals()
        for size in {resources.unusual(self._gpus.get(one.key)) for one in hands}:  # only such a runner takes them
            able = [one for one in hands if resources.unusual(self._gpus.get(one.key)) == size]
            keys = {one.key for one in able}
            waiting = [
                DealableAttempt(row.id, row.node, self._not_to.get(row.id, frozenset()))
                for row in rows
                if row.size == size
            ]
            coming = [
                DealableAttempt(held.id, held.node, frozenset([held.dealt_to]))
                for key, some in job.hands.items()
                for held in some
                if held.id in self._taking and key in keys
            ]
            found = deal(able, waiting, coming)
            decided = Deals(decided.given | found.given, decided.taken | found.taken)
        if job.demand is None or not job.demand.held:
            identities = {held.id: (held.task_id, held.number) for some in job.hands.values() for held in some}
            self._taking |= {one: identities[one] for one in decided.taken}
        if decided.given:
            self._write(job, decided.given, [row for row in rows if row.id in decided.given], now)
        if not self._taking.keys() & {held.id for some in job.hands.values() for held in some}:
            self._end(job, hands, len(decided.given), {row.id for row in rows if row.id in decided.given})

    def _hand(self, job: _Job, row: AllocationRow) -> Hand | None:
        """Return what an allocation has; None: it has ended, or its node is not known."""
        node = self._nodes.get(row.key)
        if node is None or row.state == AllocationState.ENDED:
            return None
        context, resources = self._context, job.facts.spec.resources
        mine = job.hands[row.key]
        running = sum(held.state == TaskState.RUNNING or held.id in self._begun for held in mine)
        shape = placement.shape(resources, job.worker.nodes)
        chooses = shape.per_gpu == "auto"
        seats = min(shape.tasks_at_once(), job.facts.spec.parallel or shape.slots)
        states = {one.name: one.state for one in job.worker.nodes}
        note = context.notes[row.key]
        return Hand(
            row.key,
            node,
            max(seats, running) if chooses else seats,
            running,
            tuple(
                DealableAttempt(held.id, held.node, self._not_to.get(held.id, frozenset()))
                for held in mine
                if held.state == TaskState.SUBMITTED and held.id not in self._begun | self._taking.keys()
            ),
            AHEAD_TO_CHOOSE if chooses else AHEAD,
            open=not (row.ending or row.leaving_for is not None or note.stuck or note.too_much),
            answers=states.get(node, "silent") not in UNANSWERING and job.outpost.problem(node) is None,
        )

    def _write(self, job: _Job, keys: Mapping[int, str], rows: Sequence[UnbegunAttempt], now: float) -> None:
        """Store to whom attempts are dealt, then write their lines. Those that have no command end."""
        by_key: dict[str, list[UnbegunAttempt]] = defaultdict(list)
        for row in rows:
            by_key[keys[row.id]].append(row)
        made = {key: lines_of(self._context, job.facts, some, self._nodes[key]) for key, some in by_key.items()}
        bad = {one: why for _, faults in made.values() for one, why in faults.items()}
        good = [row for row in rows if (row.task_id, row.number) not in bad]
        with changing(self._context) as (c, changes):
            deals.give(c, {row.id: keys[row.id] for row in good})
            failed = list(attempts.lookup(c, bad).values())
            changes.end(
                failed,
                lambda edit: Verdict(TaskState.ERROR, Cause.LAUNCH_FAILED, bad[edit.row.id, edit.row.attempt_number]),
                now,
            )
        for key, (lines, _) in made.items():
            if lines:
                job.outpost.deal(key, lines)
                self._ended.discard(key)
        self._written |= {row.id for row in good}

    # --- the end ------------------------------------------------------------------------------------------------------

    def _end(self, job: _Job, hands: Sequence[Hand], given: int, ids: Collection[int]) -> None:
        """Report to runners that no more tasks come, where none will: others can use their GPUs."""
        spec, demand = job.facts.spec, job.demand
        more = spec.search.method is Method.PBT or spec.reduce is not None or spec.resources.most_gpus is not None
        if job.facts.id in self._context.searching or (more and demand is not None):
            return
        pins = Counter(pin.node for pin in job.pinned if pin.id not in ids)
        dealt = sum(held.state == TaskState.SUBMITTED for some in job.hands.values() for held in some)
        free = (demand.waiting if demand else 0) - dealt - given - pins.total()
        for hand in hands:
            if hand.key not in self._ended and hand.open and hand.answers and free <= 0 and not pins[hand.node]:
                job.outpost.deal(hand.key, [{"end": True}])
                self._ended.add(hand.key)
