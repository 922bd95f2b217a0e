"""The policy: what it decides in plain cases, and what holds in all."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.policy.simulator import SLURM, Cluster, Job
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.models.choices import Giving, JobOrder
from paddock.rules.policy import PATIENCE, STARVED, Decision, GiveWay, Request, Start, Wait, Withdraw, plan
from paddock.rules.pool import GpuDevice, Holding, JobDemand, Need, PolicyNode, Pool


def node(name: str, gpus: int = 4, cpus: int = 8, **more: object) -> PolicyNode:
    return PolicyNode(name, tuple(GpuDevice(str(number)) for number in range(gpus)), cpus, **more)  # type: ignore[arg-type]


ONE = (node("n1"),)
TWO = (node("n1"), node("n2"))
ANYWHERE = frozenset({"n1", "n2", "n3"})


def need(gpus: int = 1, **more: object) -> Need:
    return Need(ANYWHERE, gpus, **more)  # type: ignore[arg-type]


def demand(job: str, owner: str = "anna", wanted: int = 100, **more: object) -> JobDemand:
    given = {"need": need(), "created": 0.0} | more
    return JobDemand(job, owner, wanted=wanted, **given)  # type: ignore[arg-type]


def holding(job: str, device: int, owner: str = "anna", name: str = "n1", **more: object) -> Holding:
    return Holding(f"{job}-{name}-{device}", job, owner, need(), (name,), (str(device),), **more)  # type: ignore[arg-type]


def started(decisions: Sequence[object]) -> Counter[str]:
    return Counter(one.job for one in decisions if isinstance(one, Start))


class TestShares:
    def test_one_job_gets_all(self) -> None:
        assert started(plan(Pool(TWO, (demand("a"),)), 0)) == {"a": 8}

    def test_no_more_than_it_can_use(self) -> None:
        assert started(plan(Pool(TWO, (demand("a", wanted=3),)), 0)) == {"a": 3}

    def test_jobs_of_one_person_share(self) -> None:
        found = plan(Pool(TWO, (demand("a"), demand("b", created=1))), 0)
        assert started(found) == {"a": 4, "b": 4}

    def test_owners_share_however_many_jobs_they_have(self) -> None:
        jobs = [demand(f"a{number}") for number in range(5)] + [demand("b", "bob")]
        counts = started(plan(Pool(TWO, tuple(jobs)), 0))
        assert counts["b"] == 4
        assert sum(counts.values()) == 8

    def test_weights(self) -> None:
        jobs = demand("a"), demand("b", "bob")
        assert started(plan(Pool(TWO, jobs, weights={"anna": 3.0}), 0)) == {"a": 6, "b": 2}

    def test_whoever_used_least_goes_first(self) -> None:
        jobs = demand("a"), demand("b", "bob", created=1)
        one = Pool((node("n1", 1),), jobs, past={"anna": 1.0})
        assert started(plan(one, 0)) == {"b": 1}
        counts = started(plan(replace(one, nodes=TWO, past={"anna": 8.0}), 0))
        assert counts == {"a": 2, "b": 6}, "a long use in the past counts, and leaves something"

    def test_the_higher_priority_of_one_person_takes_all_it_can_use(self) -> None:
        jobs = demand("a"), demand("b", wanted=6, priority=1, created=9)
        assert started(plan(Pool(TWO, jobs), 0)) == {"a": 2, "b": 6}

    def test_a_priority_takes_nothing_from_others(self) -> None:
        jobs = demand("a", priority=100), demand("b", "bob")
        assert started(plan(Pool(TWO, jobs), 0)) == {"a": 4, "b": 4}

    def test_the_oldest_go_first_where_there_are_more_jobs_than_devices(self) -> None:
        jobs = [demand(f"j{number}", created=number) for number in range(6)]
        assert started(plan(Pool(ONE, tuple(reversed(jobs))), 0)) == {"j0": 1, "j1": 1, "j2": 1, "j3": 1}

    def test_what_leaves_does_not_count_as_held(self) -> None:
        """A training made room: it goes on with one GPU, as what it had was too much, and others get the rest."""
        had = Holding("a-0", "a@4", "anna", need(4), leaving_for="b")
        jobs = demand("b", "bob", wanted=8), demand("a", wanted=1, created=5)
        assert started(plan(Pool(ONE, jobs, (had,)), 0)) == {"a": 1, "b": 3}

    def test_a_paused_job_gets_nothing_and_keeps_what_it_has(self) -> None:
        jobs = demand("a", paused=True), demand("b", "bob")
        found = plan(Pool(ONE, jobs, (holding("a", 0), holding("a", 1))), 0)
        assert started(found) == {"b": 2}
        assert not [one for one in found if isinstance(one, GiveWay)]


class TestOrder:
    def test_the_least_work_goes_first_whoever_owns_it(self) -> None:
        jobs = demand("long", left=9e4), demand("short", wanted=3, left=50.0, created=5), demand("b", "bob", left=1e5)
        pool = Pool(ONE, jobs, order=JobOrder.SHORT)
        assert started(plan(pool, 0)) == {"short": 3, "long": 1}

    def test_running_work_gives_way_to_less_of_it(self) -> None:
        held = tuple(holding("long", number) for number in range(4))
        jobs = demand("long", left=9e4), demand("short", "bob", wanted=2, left=50.0, created=5)
        found = plan(Pool(ONE, jobs, held, order=JobOrder.SHORT), 0)
        assert [one.to for one in found if isinstance(one, GiveWay)] == ["short", "short"]

    def test_of_equal_ones_the_oldest_goes_first(self) -> None:
        jobs = demand("late", left=10.0, created=5), demand("a", "bob", left=10.0)
        assert started(plan(Pool(ONE, jobs, order=JobOrder.SHORT), 0)) == {"a": 4}

    def test_the_oldest_goes_first(self) -> None:
        jobs = demand("young", created=5), demand("old", "bob", wanted=3, created=1)
        assert started(plan(Pool(ONE, jobs, order=JobOrder.FIRST), 0)) == {"old": 3, "young": 1}

    def test_a_priority_comes_before_the_order(self) -> None:
        jobs = demand("a", left=10.0), demand("b", left=1e5, priority=1)
        assert started(plan(Pool(ONE, jobs, order=JobOrder.SHORT), 0)) == {"b": 4}

    def test_nobody_is_overtaken_for_ever(self) -> None:
        held = tuple(holding("short", number) for number in range(4))
        jobs = demand("short", left=1.0), demand("long", "bob", need=need(2), left=1e9, idle_since=0.0)
        pool = Pool(ONE, jobs, held, order=JobOrder.SHORT)
        assert not [one for one in plan(pool, STARVED - 1) if isinstance(one, GiveWay)]
        late = plan(pool, STARVED + 1)
        assert [one.to for one in late if isinstance(one, GiveWay)] == ["long", "long"]


class TestDevices:
    def test_what_is_held_is_not_given_out(self) -> None:
        found = plan(Pool(ONE, (demand("a"),), (holding("gone", 1), holding("gone", 2))), 0)
        assert [one.devices for one in found if isinstance(one, Start)] == [("0",), ("3",)]

    def test_nodes_that_are_down_get_nothing(self) -> None:
        down = replace(TWO[0], usable=False)
        found = plan(Pool((down, TWO[1]), (demand("a"),)), 0)
        assert {one.node for one in found if isinstance(one, Start)} == {"n2"}

    def test_a_small_one_does_not_break_an_empty_node(self) -> None:
        found = plan(Pool(TWO, (demand("a", wanted=1),), (holding("b", 0, name="n2"),)), 0)
        assert [one.node for one in found if isinstance(one, Start)] == ["n2"]

    def test_kinds_of_gpus(self) -> None:
        mixed = PolicyNode("n1", (GpuDevice("0", "A100"), GpuDevice("1", "V100"), GpuDevice("2", "A100")), 8)
        found = plan(Pool((mixed,), (demand("a", need=need(1, gpu_type="a100")),)), 0)
        assert [one.devices for one in found if isinstance(one, Start)] == [("0",), ("2",)]

    def test_tasks_without_gpus_have_slots_of_their_own(self) -> None:
        jobs = demand("a"), demand("c", need=need(0, cpus=3))
        counts = started(plan(Pool(ONE, jobs), 0))
        assert counts == {"a": 4, "c": 2}


class TestGivingWay:
    def test_the_first_job_gives_half_of_it_to_the_second(self) -> None:
        held = tuple(holding("a", number, frees_at=number) for number in range(4))
        found = plan(Pool(ONE, (demand("a"), demand("b", created=1)), held), 0)
        gives = [one for one in found if isinstance(one, GiveWay)]
        assert gives == [GiveWay("a-n1-0", "b"), GiveWay("a-n1-1", "b")], "those that end first"
        promised = tuple(replace(one, leaving_for="b") if one.key in ("a-n1-0", "a-n1-1") else one for one in held)
        again = plan(Pool(ONE, (demand("a"), demand("b", created=1)), promised), 0)
        assert [type(one) for one in again] == [Wait, Wait], "nothing is promised twice"

    def test_what_was_promised_is_kept(self) -> None:
        big = demand("b", "bob", need=need(4))
        held = [holding("a", number) for number in range(4)]
        pool = Pool(ONE, (demand("a"), big), tuple(held), past={"anna": 8.0})
        gives = [one for one in plan(pool, 0) if isinstance(one, GiveWay)]
        assert len(gives) == 4
        left = replace(held[3], leaving_for="b")
        found = plan(replace(pool, holdings=(left,)), 0)
        assert not started(found), "three are free, and kept for the one that needs four"
        assert started(plan(replace(pool, holdings=()), 0)) == {"b": 1}

    def test_nobody_gives_way_for_less_than_a_whole_need(self) -> None:
        held = (holding("a", 0), holding("a", 1), holding("x", 2, "xenia"), holding("x", 3, "xenia"))
        jobs = demand("a"), demand("x", "xenia"), demand("b", "bob", need=need(4))
        assert not [one for one in plan(Pool(ONE, jobs, held), 0) if isinstance(one, GiveWay)]

    def test_a_job_that_never_gives_way_and_one_that_does_at_once(self) -> None:
        held = tuple(holding("a", number) for number in range(4))
        pool = Pool(ONE, (demand("a"), demand("b", created=1)), held, giving={"a": (Giving.NEVER, 1)})
        assert not [one for one in plan(pool, 0) if isinstance(one, GiveWay)]
        now = plan(replace(pool, giving={"a": (Giving.NOW, 1)}), 0)
        assert [one.now for one in now if isinstance(one, GiveWay)] == [True, True]

    def test_a_job_that_was_overtaken_for_long_gets_a_node(self) -> None:
        held = (holding("a", 0), holding("a", 1), holding("x", 2, "xenia"), holding("x", 3, "xenia"))
        big = demand("b", "bob", need=need(4), created=1)
        jobs = demand("a"), demand("x", "xenia"), replace(big, idle_since=0.0)
        late = [one for one in plan(Pool(ONE, jobs, held), PATIENCE + 1) if isinstance(one, GiveWay)]
        assert len(late) == 4


class TestQueue:
    def test_all_are_requested_where_a_job_is_alone(self) -> None:
        assert plan(Pool(TWO, (demand("a"),), traits=SLURM), 0) == [Request("a", 8)]

    def test_each_has_at_least_one_in_the_queue(self) -> None:
        held = tuple(holding("p", number, name=name) for name in ("n1", "n2") for number in range(4))
        jobs = demand("p", paused=True), demand("a"), demand("b", "bob")
        assert plan(Pool(TWO, jobs, held, traits=SLURM), 0) == [Request("a", 1), Request("b", 1)]

    def test_but_not_beside_a_job_of_the_same_owner_with_a_higher_priority(self) -> None:
        jobs = demand("a", priority=1), demand("b"), demand("c", "bob")
        found = plan(Pool(ONE, jobs, traits=SLURM), 0)
        assert found == [Request("a", 2), Wait("b", "jobs of anna with a higher priority come first"), Request("c", 2)]

    def test_what_waits_stays_while_nodes_are_down_and_nothing_is_added(self) -> None:
        down = tuple(replace(one, usable=False) for one in TWO)
        waiting = tuple(Holding(f"a{number}", "a", "anna", need()) for number in range(5))
        assert plan(Pool(down, (demand("a"),), waiting, traits=SLURM), 0) == []
        assert plan(Pool(down, (demand("a"),), traits=SLURM), 0) == [Request("a", 1)]

    def test_what_waits_for_a_job_without_work_is_taken_back(self) -> None:
        waiting = (Holding("a1", "a", "anna", need()), holding("a", 0))
        assert plan(Pool(TWO, (), waiting, traits=SLURM), 0) == [Withdraw("a", 1)]

    def test_what_a_job_without_work_still_has_does_not_count(self) -> None:
        """All are requested at once, not a part now and the rest when those have ended."""
        held = tuple(holding("old", number) for number in range(4))
        assert plan(Pool(ONE, (demand("a"),), held, traits=SLURM), 0) == [Request("a", 4)]

    def test_requests_above_the_share_are_taken_back(self) -> None:
        waiting = tuple(Holding(f"a{number}", "a", "anna", need()) for number in range(8))
        found = plan(Pool(TWO, (demand("a"), demand("b", created=1)), waiting, traits=SLURM), 0)
        assert found == [Withdraw("a", 4), Request("b", 4)]

    def test_running_ones_give_way_where_nobody_else_would_take_it(self) -> None:
        held = tuple(holding("a", number) for number in range(4))
        waiting = tuple(Holding(f"b{number}", "b", "bob", need()) for number in range(2))
        pool = Pool(ONE, (demand("a"), demand("b", "bob")), held + waiting, traits=SLURM)
        assert plan(pool, 0) == [GiveWay("a-n1-0", "b"), GiveWay("a-n1-1", "b")]
        assert plan(replace(pool, crowded=True), 0) == []


class TestReasons:
    def test_they_say_what_is_missing_and_who_comes_before(self) -> None:
        held = tuple(holding("x", number, "xenia", ends_at=50.0 + number) for number in range(4))
        jobs = demand("a"), demand("b", created=1), demand("c", need=need(5), created=2)
        waits = {one.job: one for one in plan(Pool(ONE, jobs, held), 0) if isinstance(one, Wait)}
        assert waits["a"] == Wait("a", "all 4 GPUs are in use; it is next", 50.0)
        assert waits["b"] == Wait("b", "all 4 GPUs are in use; 1 job comes before it", 51.0)
        assert waits["c"].reason.startswith("needs 5 GPUs on one node, and no node has more than 4")
        assert waits["c"].at is None

    def test_whoever_is_promised_something_knows_when(self) -> None:
        held = tuple(holding("a", number, frees_at=60.0 + number) for number in range(4))
        [wait] = [
            one
            for one in plan(Pool(ONE, (demand("a"), demand("b", created=1)), held), 0)
            if isinstance(one, Wait) and one.job == "b"
        ]
        assert wait == Wait("b", "next on n1, when tasks that run there have ended", 61.0)


class TestOneOwnerANode:
    def test_each_gets_whole_nodes(self) -> None:
        found = plan(Pool(TWO, (demand("a"), demand("b", "bob")), one_owner_a_node=True), 0)
        where = {(one.job, one.node) for one in found if isinstance(one, Start)}
        assert where in ({("a", "n1"), ("b", "n2")}, {("a", "n2"), ("b", "n1")})
        assert started(found) == {"a": 4, "b": 4}

    def test_jobs_of_one_owner_share_a_node(self) -> None:
        found = plan(Pool(ONE, (demand("a"), demand("b", created=1)), one_owner_a_node=True), 0)
        assert started(found) == {"a": 2, "b": 2}

    def test_what_is_free_beside_another_is_not_used_and_the_reason_says_so(self) -> None:
        held = (holding("x", 0, "xenia", ends_at=60.0),)
        found = plan(Pool(ONE, (demand("a"),), held, one_owner_a_node=True), 0)
        assert found == [
            Wait("a", "needs 1 GPU on a node without tasks of others, and there is none; it is next", 60.0)
        ]

    def test_a_node_is_left_as_a_whole_and_kept_until_then(self) -> None:
        held = [holding("a", number, name=name) for name in ("n1", "n2") for number in range(4)]
        pool = Pool(TWO, (demand("a"), demand("b", "bob", wanted=1)), tuple(held), one_owner_a_node=True)
        gives = [one for one in plan(pool, 0) if isinstance(one, GiveWay)]
        assert [one.key for one in gives] == [f"a-n1-{number}" for number in range(4)]
        left = replace(held[0], leaving_for="b")
        found = plan(replace(pool, holdings=(left, *held[4:])), 0)
        assert not started(found), "three are free, and kept for bob"
        assert started(plan(replace(pool, holdings=tuple(held[4:])), 0))["b"] == 1

    def test_an_owner_who_has_no_more_than_a_share_keeps_it(self) -> None:
        held = (holding("a", 0), holding("b", 0, "bob", name="n2"))
        jobs = demand("a", wanted=1), demand("b", "bob", wanted=1), demand("c", "cleo")
        pool = Pool(TWO, jobs, held, past={"cleo": 50.0}, one_owner_a_node=True)
        assert not [one for one in plan(pool, 0) if not isinstance(one, Wait)]


# --- in all cases -----------------------------------------------------------------------------------------------------

sizes = st.integers(1, 4)
job_lists = st.lists(
    st.builds(
        lambda owner, gpus, tasks, arrives, priority, parallel: (owner, gpus, tasks, arrives, priority, parallel),
        st.sampled_from(["anna", "bob", "cleo"]),
        st.sampled_from([0, 1, 1, 1, 2, 4]),
        st.lists(st.integers(10, 4000).map(float), min_size=1, max_size=12),
        st.integers(0, 5000).map(float),
        st.sampled_from([0, 0, 0, 5, -5]),
        st.sampled_from([None, None, 1, 3]),
    ),
    min_size=1,
    max_size=8,
)


def jobs_of(drawn: list[tuple[str, int, list[float], float, int, int | None]]) -> list[Job]:
    return [
        Job(f"j{number}", owner, need(gpus, cpus=2 if not gpus else 1), tasks, arrives, priority, parallel)
        for number, (owner, gpus, tasks, arrives, priority, parallel) in enumerate(drawn)
    ]


@given(job_lists, st.sampled_from([ONE, TWO, (node("n1", 8), node("n2", 2), node("n3", 0))]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_every_job_comes_to_its_end(
    drawn: list[tuple[str, int, list[float], float, int, int | None]], nodes: tuple[PolicyNode, ...], queued: bool
) -> None:
    """No device twice and none that does not exist (the simulator refuses), rest after a few rounds, nobody starves."""
    cluster = Cluster(nodes, jobs_of(drawn), queued=queued)
    cluster.run()
    for one in cluster.states.values():
        assert one.done is not None
        assert len(one.starts) == len(one.job.tasks)
    assert cluster.decide() == 0


@given(job_lists, st.integers(0, 9000))
@settings(max_examples=100, deadline=None)
def test_no_device_is_free_that_somebody_could_use(
    drawn: list[tuple[str, int, list[float], float, int, int | None]], until: int
) -> None:
    cluster = Cluster(TWO, jobs_of(drawn))
    cluster.run(float(until))
    pool = cluster.pool()
    kept = {one.nodes[0] for one in pool.holdings if one.leaving_for}
    for one in pool.demands:
        held = [x for x in pool.holdings if x.job == one.job and x.leaving_for is None]
        assert len(held) <= one.wanted, "no more than it can use"
        if len(held) == one.wanted:
            continue
        for place in pool.nodes:
            taken = {
                x
                for h in pool.holdings
                if place.name in h.nodes and (h.need.gpus > 0) == (one.need.gpus > 0)
                for x in h.devices
            }
            free = [device for device in place.devices(one.need) if device not in taken]
            assert len(free) < one.need.units or place.name in kept, (one.job, place.name)


@given(job_lists, st.integers(0, 9000))
@settings(max_examples=60, deadline=None)
def test_when_nothing_changes_nothing_is_decided(
    drawn: list[tuple[str, int, list[float], float, int, int | None]], until: int
) -> None:
    cluster = Cluster(TWO, jobs_of(drawn))
    cluster.run(float(until))
    before = dict(cluster.holdings)
    assert cluster.decide() == 0
    assert cluster.holdings == before


@given(job_lists, st.sampled_from([ONE, TWO, (node("n1", 8), node("n2", 2), node("n3", 0))]))
@settings(max_examples=150, deadline=None)
def test_where_owners_do_not_share_nodes_they_never_do_and_all_come_to_their_end(
    drawn: list[tuple[str, int, list[float], float, int, int | None]], nodes: tuple[PolicyNode, ...]
) -> None:
    def checked(pool: Pool, now: float) -> list[Decision]:
        decisions = plan(pool, now)
        owners = {one.job: one.owner for one in pool.demands}
        there: dict[str, set[str]] = {}
        for held in pool.holdings:
            there.setdefault(held.nodes[0], set()).add(held.owner)
        for one in decisions:
            if isinstance(one, Start):
                there.setdefault(one.node, set()).add(owners[one.job])
        assert all(len(some) == 1 for some in there.values()), there
        return decisions

    cluster = Cluster(nodes, jobs_of(drawn), one_owner_a_node=True, policy=checked)
    cluster.run()
    assert all(one.done is not None for one in cluster.states.values())
    assert cluster.decide() == 0


class TestWhereFilesAre:
    """Tasks that have to run where their files are."""

    def test_no_more_start_on_a_node_than_have_work_there(self) -> None:
        found = plan(Pool(TWO, (demand("a", wanted=5, most_on={"n1": 0, "n2": 2}),)), 0)
        assert [(one.job, one.node) for one in found if isinstance(one, Start)] == [("a", "n2")] * 2

    def test_what_it_has_elsewhere_is_not_above_its_share(self) -> None:
        own = tuple(holding("a", device) for device in range(4))
        jobs = demand("a", wanted=5, most_on={"n1": 4, "n2": 1}), demand("b", "bob", wanted=4)
        full = tuple(holding("b", device, "bob", "n2") for device in range(4))
        assert not [one for one in plan(Pool(TWO, jobs, own + full), 0) if isinstance(one, GiveWay | Start)]

    def test_nothing_more_starts_where_it_cannot_and_what_is_there_stays(self) -> None:
        own = (holding("a", 0),)
        jobs = demand("a", wanted=8, no_more_on={"n1": 1}), demand("b", "bob", wanted=8)
        found = plan(Pool(TWO, jobs, own), 0)
        assert {one.node for one in found if isinstance(one, Start) and one.job == "a"} == {"n2"}
        assert started(found) == {"a": 3, "b": 4}
        assert not [one for one in found if isinstance(one, GiveWay)]

    def test_the_reason_names_the_node(self) -> None:
        full = tuple(holding("b", device, "bob", "n2") for device in range(4))
        jobs = demand("a", wanted=1, most_on={"n1": 0, "n2": 1}), demand("b", "bob", wanted=4)
        [wait] = [one for one in plan(Pool(TWO, jobs, full), 0) if isinstance(one, Wait)]
        assert wait.reason == "waits for n2, which has its checkpoint: all 4 GPUs are in use; it is next"
        gone = Pool((node("n1"),), (demand("a", wanted=1, most_on={"n1": 0, "n2": 1}),))
        [wait] = [one for one in plan(gone, 0) if isinstance(one, Wait)]
        assert wait.reason.startswith("waits for n2, which has its checkpoint")

    @given(st.dictionaries(st.sampled_from(["n1", "n2"]), st.integers(0, 6)), st.integers(0, 8))
    def test_every_plan(self, most: dict[str, int], wanted: int) -> None:
        pool = Pool(TWO, (demand("a", wanted=wanted, most_on=most), demand("b", "bob", wanted=2)))
        decisions = plan(pool, 0)
        starts = [one for one in decisions if isinstance(one, Start)]
        there = Counter(one.node for one in starts if one.job == "a")
        assert all(count <= most.get(name, 0) for name, count in there.items())
        room = {name: min(most.get(name, 0), 4) for name in ("n1", "n2")}
        assert there.total() >= min(wanted, sum(room.values())) - 2, "what b has is all that can be missing"
        more = tuple(Holding(f"{n}", x.job, "", need(), (x.node,), x.devices) for n, x in enumerate(starts))
        assert not [one for one in plan(replace(pool, holdings=more), 0) if isinstance(one, Start | GiveWay)]
