"""Which allocations leave for other users of a cluster: plain cases, and what holds in all."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.policy.simulator import SLURM
from hypothesis import given
from hypothesis import strategies as st

from paddock.models.choices import Giving
from paddock.rules import giving_way
from paddock.rules.giving_way import Look, Others, Room, Waiting
from paddock.rules.policy import Decision, GiveWay, Request, Wait, Withdraw, plan
from paddock.rules.pool import GpuDevice, Holding, JobDemand, Need, PolicyNode, Pool

GPU = frozenset({"gpu"})
NODES = ("n1", "n2", "n3", "n4")


def need(gpus: int = 1, cpus: int = 1) -> Need:
    return Need(frozenset(NODES), gpus, cpus=cpus)


def holding(number: int, name: str = "n1", job: str = "a", **more: object) -> Holding:
    return Holding(f"{job}-{number}", job, "anna", need(), (name,) if name else (), **more)  # type: ignore[arg-type]


def waiting(id: str = "38", user: str = "bob", gpus: int = 1, **more: object) -> Waiting:
    return Waiting(id, user, GPU, gpus, **more)  # type: ignore[arg-type]


def rooms(free: Sequence[int], gpus: int = 2, kind: str = "fake") -> tuple[Room, ...]:
    return tuple(
        Room(name, GPU, gpus, 8, left, 8 - (gpus - left), frozenset({kind}))
        for name, left in zip(NODES, free, strict=False)
    )


def look(*others: Waiting, free: Sequence[int] = (0, 0, 0), at: float = 0.0, **more: object) -> Look:
    return Look(at, Others(others, partitions=GPU), rooms(free), waited_at=at, called_at=at, **more)  # type: ignore[arg-type]


def pool(seen: Look | None, held: Sequence[Holding], wanted: int = 100, **more: object) -> Pool:
    nodes = [
        PolicyNode(room.name, tuple(GpuDevice(str(n)) for n in range(room.gpus)), room.cpus)
        for room in (seen.rooms if seen else rooms((0, 0, 0)))
    ]
    jobs = (JobDemand("a", "anna", need(), wanted, 0.0),)
    return Pool(tuple(nodes), jobs, tuple(held), SLURM, look=seen, **more)  # type: ignore[arg-type]


FULL = tuple(holding(number, NODES[number // 2], frees_at=float(number)) for number in range(6))


def gives(decisions: Sequence[Decision]) -> dict[str, str]:
    return {one.key: one.to for one in decisions if isinstance(one, GiveWay)}


class TestToGive:
    def test_the_cheapest_leaves(self) -> None:
        decisions = plan(pool(look(waiting()), FULL), 0)
        assert decisions == [GiveWay("a-0", "@38", "bob's job 38")]

    def test_both_of_a_node_for_one_that_needs_two_there(self) -> None:
        assert gives(plan(pool(look(waiting(gpus=2)), FULL), 0)) == {"a-0": "@38", "a-1": "@38"}

    def test_a_whole_node(self) -> None:
        assert gives(plan(pool(look(waiting(gpus=0, whole=True)), FULL), 0)) == {"a-0": "@38", "a-1": "@38"}
        others_there = replace(look(waiting(gpus=0, whole=True)), rooms=rooms((0, 0, 0), gpus=3))
        assert not gives(plan(pool(others_there, FULL), 0)), "the others on these nodes stay"

    def test_nothing_for_what_the_scheduler_has_not_looked_at(self) -> None:
        assert not gives(plan(pool(look(waiting(count=6, new=True)), FULL), 0)), "it may wait for something else"

    def test_what_is_free_counts(self) -> None:
        one = look(waiting(gpus=2), free=(0, 0, 1))
        soon = replace(FULL[5], frees_at=0.5)
        assert list(gives(plan(pool(one, (*FULL[:4], soon)), 0))) == ["a-5"]
        assert not gives(plan(pool(look(waiting(), free=(1, 0, 0)), FULL[1:]), 0)), "the scheduler will start it there"

    def test_an_array_gets_up_to_an_equal_share(self) -> None:
        assert len(gives(plan(pool(look(waiting(count=20)), FULL), 0))) == 3

    def test_two_users_leave_it_a_third(self) -> None:
        both = waiting(count=20), waiting("39", "cleo", count=20)
        assert Counter(gives(plan(pool(look(*both), FULL), 0)).values()) == {"@38": 2, "@39": 2}

    def test_who_has_as_much_as_others_gets_no_more(self) -> None:
        seen = look(waiting())
        seen = replace(seen, others=replace(seen.others, held={"bob": (3, 3)}))
        assert not gives(plan(pool(seen, FULL), 0))

    def test_not_for_less_than_a_whole_need(self) -> None:
        assert not gives(plan(pool(look(waiting(gpus=2, nodes=2)), FULL), 0)), "that would be more than half"
        assert not gives(plan(pool(look(waiting(gpus=3)), FULL), 0)), "no node has three"
        assert not gives(plan(pool(look(waiting(gpu_type="big")), FULL), 0))
        assert not gives(plan(pool(look(Waiting("1", "bob", frozenset({"other"}), 1)), FULL), 0))

    def test_a_promise_is_kept_in_mind(self) -> None:
        left = (replace(FULL[0], leaving_for="@38"), *FULL[1:])
        assert not gives(plan(pool(look(waiting()), left), 0))
        ended = look(waiting(), served=frozenset({"38"}))
        assert not gives(plan(pool(ended, FULL[1:]), 0)), "until somebody has looked again"

    def test_a_job_that_never_gives_way(self) -> None:
        assert not gives(plan(pool(look(waiting()), FULL, giving={"a": (Giving.NEVER, 1)}), 0))

    def test_a_job_keeps_what_it_asked_to_keep(self) -> None:
        assert len(gives(plan(pool(look(waiting(count=9)), FULL, giving={"a": (Giving.BETWEEN, 5)}), 0))) == 1

    def test_now(self) -> None:
        [found] = plan(pool(look(waiting()), FULL, giving={"a": (Giving.NOW, 1)}), 0)
        assert isinstance(found, GiveWay) and found.now

    def test_cores_that_the_scheduler_gave_in_addition(self) -> None:
        """Each of ours has 4 of the 8 cores, although it asked for 2."""
        held = [replace(one, need=need(cpus=2)) for one in FULL]
        full = tuple(replace(room, free_cpus=0) for room in rooms((0, 0, 0)))
        seen = replace(look(waiting(gpus=0, whole=True)), rooms=full)
        assert len(gives(plan(pool(seen, held), 0))) == 2


class TestAskingForLess:
    def test_what_waits_is_taken_back_while_others_wait(self) -> None:
        held = (*FULL[:4], holding(10, ""), holding(11, ""))
        seen = look(waiting(count=5), free=(0, 0, 0))
        assert Withdraw("a", 2) in plan(pool(seen, held), 0)

    def test_up_to_its_share_it_asks_for_more(self) -> None:
        assert Request("a", 2) in plan(pool(look(waiting(count=9)), FULL[:1]), 0)

    def test_who_was_not_looked_at_by_the_scheduler_has_a_share_too(self) -> None:
        just_left = look(waiting(count=6, new=True), free=(2, 1, 0), there={"a": 3})
        assert plan(pool(just_left, FULL[3:]), 0) == [], "what three allocations have just left is for somebody else"

    def test_a_job_without_anything_says_why_it_waits(self) -> None:
        jobs = JobDemand("a", "anna", need(), 9, 0.0), JobDemand("b", "anna", need(), 9, 1.0)
        found = plan(replace(pool(look(waiting()), FULL), demands=jobs), 0)
        assert Wait("b", "other users wait, and their jobs come first") in found

    def test_later_it_grows_into_what_is_free(self) -> None:
        quiet = replace(look(free=(1, 0, 0), at=20.0), waited_at=0.0, called_at=0.0, there={"a": 4})
        quiet = replace(quiet, others=replace(quiet.others, held={"bob": (1, 1)}))
        assert plan(pool(quiet, FULL[2:]), 29) == []
        assert plan(pool(quiet, FULL[2:]), 41) == [Request("a", 1)]
        begun = FULL[1:]
        assert plan(pool(quiet, begun), 41) == [], "what it has got since then is not free any more"

    def test_when_all_others_are_gone_it_does_not_wait(self) -> None:
        quiet = replace(look(free=(2, 0, 0), at=20.0), waited_at=0.0, called_at=0.0, there={"a": 4})
        assert plan(pool(quiet, FULL[2:]), 21) == [Request("a", 2)]

    def test_much_later_it_asks_for_all_again(self) -> None:
        quiet = replace(look(at=700.0), waited_at=0.0, called_at=0.0)
        assert plan(pool(quiet, FULL[2:]), 701) == [Request("a", 2)]

    def test_before_the_first_look_it_asks_for_nothing_and_withdraws_nothing(self) -> None:
        held = (*FULL[2:4], replace(FULL[4], leaving_for="@38"), holding(10, ""))
        assert plan(pool(None, held, blind=True), 0) == []

    def test_without_a_look_it_asks_for_all(self) -> None:
        assert plan(pool(None, FULL[2:]), 701) == [Request("a", 2)]


# --- in all cases -----------------------------------------------------------------------------------------------------

wishes = st.lists(
    st.builds(
        lambda number, user, gpus, nodes, whole, count: (number, user, gpus, nodes, whole, count),
        st.integers(1, 9),
        st.sampled_from(["bob", "cleo", "dora"]),
        st.integers(0, 3),
        st.integers(1, 2),
        st.booleans(),
        st.integers(1, 4),
    ),
    max_size=6,
    unique_by=lambda one: one[0],
)
sizes = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@st.composite
def worlds(draw: st.DrawFn) -> Pool:
    """A full or partly free cluster of up to four nodes, with jobs of ours and of others on it."""
    gpus = draw(sizes)
    held, taken = [], list[Room]()
    for name, size in zip(NODES, gpus, strict=False):
        who = draw(st.lists(st.sampled_from(["a", "b", "other", ""]), min_size=size, max_size=size))
        for place, job in enumerate(who):
            if job in ("a", "b"):
                at = draw(st.none() | st.floats(0, 100))
                held.append(Holding(f"{job}-{name}-{place}", job, "anna", need(), (name,), frees_at=at))
        taken.append(Room(name, GPU, size, 8, who.count(""), 8 - size + who.count(""), frozenset({"fake"})))
    wants = [
        Waiting(str(number), user, GPU, g, 1, n, None, whole, count)
        for number, user, g, n, whole, count in draw(wishes)
    ]
    have = draw(st.dictionaries(st.sampled_from(["bob", "cleo"]), st.integers(0, 2).map(lambda n: (n, n))))
    seen = Look(0.0, Others(tuple(wants), have, GPU), tuple(taken), waited_at=0.0, called_at=0.0)
    modes = st.tuples(st.sampled_from(list(Giving)), st.integers(0, 3))
    giving = {"a": draw(modes), "b": draw(modes)}
    return replace(pool(seen, held), giving=giving)


@given(worlds())
def test_what_is_given_completes_a_need_and_leaves_an_equal_share(given_pool: Pool) -> None:
    seen = given_pool.look
    assert seen is not None
    found = giving_way.to_give(given_pool)
    keys = [holding.key for holding, _ in found]
    assert len(keys) == len(set(keys)), "no allocation is given twice"
    left = Counter(one.job for one in given_pool.holdings if one.key not in keys)
    for job in {holding.job for holding, _ in found}:
        assert given_pool.gives(job) is not Giving.NEVER
        assert left[job] >= given_pool.keep(job)
    if found:
        assert left.total() >= giving_way.equal_share(given_pool, seen) - 1e-6
    by = defaultdict[str, list[Holding]](list)
    for one, waiting in found:
        by[waiting.id].append(one)
    for id, leaving in by.items():
        [wish] = [one for one in seen.others.waiting if one.id == id]
        nodes = Counter(one.nodes[0] for one in leaving)
        for name, count in nodes.items():
            [room] = [one for one in seen.rooms if one.name == name]
            gpus = room.gpus if wish.whole else wish.gpus
            assert room.free_gpus + count >= gpus, "whole need or nothing"


@given(worlds())
def test_a_second_plan_gives_nothing_more(given_pool: Pool) -> None:
    promised = {one.key: one.to for one in plan(given_pool, 0) if isinstance(one, GiveWay)}
    held = tuple(
        replace(one, leaving_for=promised[one.key]) if one.key in promised else one for one in given_pool.holdings
    )
    again = replace(given_pool, holdings=held)
    assert not set(gives(plan(again, 1)).values()) & set(promised.values()), "no second promise"


@given(worlds())
def test_nothing_moves_when_nothing_changes(given_pool: Pool) -> None:
    """Requests and withdrawals that were carried out lead to no others."""
    current, moved = given_pool, list[Request | Withdraw]()
    for _ in range(4):
        moved = [one for one in plan(current, 1) if isinstance(one, Request | Withdraw)]
        held = list(current.holdings)
        for one in moved:
            if isinstance(one, Request):
                held += [Holding(f"new-{one.job}-{len(held)}-{n}", one.job, "anna", need()) for n in range(one.count)]
            else:
                mine = [x for x in held if x.job == one.job and not x.nodes][-one.count :]
                held = [x for x in held if x not in mine]
        current = replace(current, holdings=tuple(held))
    assert moved == []
