"""The time between reservations: who may use which device until when, and what the policy makes of it."""

import math
from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from benchmarks.policy.simulator import Cluster, Job, Made
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.rules.gaps import Booking, Gaps, clock_time, in_words, maintained, yield_time
from paddock.rules.policy import Decision, Leave, Start, Wait, plan
from paddock.rules.pool import GpuDevice, Holding, JobDemand, Need, PolicyNode, Pool

HOUR = 3600.0
NODE = PolicyNode("gpu1", tuple(GpuDevice(str(n)) for n in range(2)), 8)
ON = frozenset({"gpu1", "gpu2"})


def need(gpus: int = 1, **more: object) -> Need:
    return Need(ON, gpus, **more)  # type: ignore[arg-type]


def demand(job: str = "a", owner: str = "alice", wanted: int = 1, **more: object) -> JobDemand:
    return JobDemand(job, owner, need(**more), wanted, 0.0)  # type: ignore[arg-type]


def booked(device: str | None, start: float, end: float, owner: str = "bob", **more: object) -> Booking:
    """Hours from now on; reserved by bob."""
    why = f"is reserved by {owner}" if owner else "is under maintenance"
    return Booking("gpu1", device, start * HOUR, end * HOUR, owner, why=why, **more)  # type: ignore[arg-type]


def decide(demands: Sequence[JobDemand], *bookings: Booking, **more: object) -> list[Decision]:
    return plan(Pool((NODE,), tuple(demands), bookings=bookings, **more), 0.0)  # type: ignore[arg-type]


def starts(decisions: Sequence[Decision]) -> list[tuple[str, tuple[str, ...], float | None]]:
    return [(one.job, one.devices, one.until) for one in decisions if isinstance(one, Start)]


def reasons(decisions: Sequence[Decision]) -> dict[str, str]:
    return {one.job: one.reason for one in decisions if isinstance(one, Wait)}


class TestWhoGetsWhat:
    def test_what_will_be_done_takes_the_tightest_gap(self) -> None:
        found = decide([demand(seconds=HOUR)], booked("0", 9, 10), booked("1", 2, 4))
        assert starts(found) == [("a", ("1",), 2 * HOUR)]

    def test_what_will_not_be_done_waits_and_says_why(self) -> None:
        found = decide([demand(seconds=3 * HOUR)], booked("0", 1, 10), booked("1", 2, 4))
        assert starts(found) == []
        assert reasons(found) == {"a": "gpu1:1 is free until 02:00, this needs 3 h; it is next"}
        assert next(one.at for one in found if isinstance(one, Wait)) == 4 * HOUR

    def test_what_can_make_way_takes_the_longest_gap(self) -> None:
        found = decide([demand(seconds=20 * HOUR, yields=True)], booked("0", 1, 10), booked("1", 2, 4))
        assert starts(found) == [("a", ("1",), 2 * HOUR)]

    def test_but_none_that_is_too_short(self) -> None:
        found = decide([demand(yields=True)], booked("0", 0.4, 10), booked("1", 0.3, 4))
        assert reasons(found) == {"a": "gpu1:0 is free until 00:24, too soon to begin; it is next"}

    def test_if_nobody_knows_how_long_it_takes_no_reservation_may_be_in_sight(self) -> None:
        far = booked("1", 200, 210)
        assert starts(decide([demand()], booked("0", 20, 21), far)) == [("a", ("1",), 200 * HOUR)]
        found = decide([demand()], booked("0", 20, 21), booked("1", 0, 9))
        assert reasons(found)["a"].startswith("gpu1:0 is free until 20:00, and it is not known how long this takes")

    def test_ones_own_reservation_comes_first(self) -> None:
        mine = booked("1", 0, 4, "alice")
        assert starts(decide([demand()], mine)) == [("a", ("1",), None)]
        assert starts(decide([demand("b", "carol", 9)], mine)) == [("b", ("0",), None)]

    def test_unless_it_is_too_short_and_another_device_is_free(self) -> None:
        mine, then = booked("1", -1, 1, "alice"), booked("1", 1, 5)
        assert starts(decide([demand(seconds=9 * HOUR)], mine, then)) == [("a", ("0",), None)]
        found = starts(decide([demand(seconds=9 * HOUR, wanted=2)], mine, then))
        assert found == [("a", ("0",), None), ("a", ("1",), HOUR)], "it is their own time"

    def test_guests_may_use_it(self) -> None:
        party = booked("0", 0, 4, who=frozenset({"alice"}))
        assert starts(decide([demand(wanted=2)], party, booked("1", 0, 1))) == [("a", ("0",), None)]

    def test_maintenance_is_for_nobody(self) -> None:
        found = decide([demand()], booked("0", 0, 4, ""), booked("1", 0, 3, ""))
        assert reasons(found) == {
            "a": "gpu1:1 is under maintenance until 03:00, and 1 more is not free sooner; it is next"
        }

    def test_gpus_that_are_reserved_leave_the_cores_to_others(self) -> None:
        both = booked("0", 0, 4), booked("1", 0, 4)
        assert len(starts(decide([demand(gpus=0, wanted=3)], *both))) == 3
        found = decide([demand(gpus=0, wanted=3)], booked(None, 0, 4, ""))
        assert reasons(found) == {"a": "gpu1 is under maintenance until 04:00; it is next"}

    def test_a_rule_is_against_some(self) -> None:
        rule = Booking("gpu1", None, 0, 4 * HOUR, against=frozenset({"alice"}), why="is closed to alice by a rule")
        found = decide([demand(), demand("b", "bob")], rule)
        assert starts(found) == [("b", ("0",), None)]
        assert reasons(found)["a"].startswith("gpu1:1 is closed to alice by a rule until 04:00")

    def test_several_gpus_need_a_gap_in_common(self) -> None:
        both = demand(gpus=2, seconds=HOUR)
        assert starts(decide([both], booked("0", 3, 4), booked("1", 2, 4))) == [("a", ("1", "0"), 2 * HOUR)]
        assert starts(decide([both], booked("0", 1, 4))) == []

    def test_what_is_over_does_not_count(self) -> None:
        assert starts(decide([demand()], booked("0", -4, 0))) == [("a", ("0",), None)]


class TestShares:
    def test_what_people_reserved_is_not_taken_off_their_share(self) -> None:
        nodes = (PolicyNode("gpu1", tuple(GpuDevice(str(n)) for n in range(8)), 8),)
        own = tuple(booked(str(n), 0, 9, "bob") for n in range(4))
        jobs = demand("a", "alice", 99), demand("b", "bob", 99)
        found = starts(plan(Pool(nodes, jobs, bookings=own), 0.0))
        assert sorted(job for job, _, _ in found) == ["a"] * 2 + ["b"] * 6

    def test_nobody_gives_way_to_somebody_who_may_not_use_it(self) -> None:
        held = tuple(Holding(f"k{n}", "b", "bob", need(), ("gpu1",), (str(n),)) for n in range(2))
        jobs = demand("a", "alice", 99), demand("b", "bob", 99)
        found = decide(jobs, booked("0", 0, 9), booked("1", 0, 9), holdings=held)
        assert [type(one) for one in found] == [Wait, Wait]


class TestLeaving:
    def held(self, until: float | None = None, **more: object) -> Holding:
        return Holding("k", "a", "alice", need(), ("gpu1",), ("0",), until=until, **more)  # type: ignore[arg-type]

    def leaves(self, holding: Holding, *bookings: Booking) -> list[tuple[float | None, str]]:
        found = decide([demand()], *bookings, holdings=(holding,))
        return [(one.at, one.why) for one in found if isinstance(one, Leave)]

    def test_a_reservation_over_running_work_shortens_it_with_notice(self) -> None:
        assert self.leaves(self.held(), booked("0", 2, 3)) == [(2 * HOUR, "gpu1:0 is reserved by bob since 02:00")]
        assert self.leaves(self.held(), booked("0", -1, 3)) == [(900, "gpu1:0 is reserved by bob since 31 Dec 23:00")]
        assert self.leaves(self.held(900), booked("0", 0, 3)) == []

    def test_one_that_is_cancelled_or_moved_lengthens_it(self) -> None:
        assert self.leaves(self.held(2 * HOUR)) == [(None, "")]
        assert self.leaves(self.held(2 * HOUR), booked("0", 3, 4)) == [
            (3 * HOUR, "gpu1:0 is reserved by bob since 03:00")
        ]

    def test_reservations_of_other_devices_and_ones_own_do_not_matter(self) -> None:
        assert self.leaves(self.held(), booked("1", 0, 3), booked("0", 0, 3, "alice")) == []

    @pytest.mark.parametrize(
        ("told", "wanted", "now", "at"),
        [
            (None, None, 0, None),
            (5000, None, 0, None),
            (None, 7200, 0, 7200),
            (None, 100, 100, 1000),
            (1000, 100, 500, 1000),  # the notice does not begin again
            (5000, 6000, 0, 6000),
            (5000, 4000, 0, 4000),
            (5000, 4000, 3500, 4400),
            (4400, 4000, 3600, 4400),
            (5000, 4000, 4900, 5000),
            (5000, 4000, 9000, 5000),  # it should have left: that does not move
        ],
    )
    def test_when(self, told: float | None, wanted: float | None, now: float, at: float | None) -> None:
        assert yield_time(wanted, told, now, 900) == at

    def test_who_waits_for_it_knows_when_it_leaves(self) -> None:
        small = PolicyNode("gpu1", NODE.gpus[:1], 8)
        jobs = demand("b", "bob"), replace(demand(), wanted=1)
        found = plan(Pool((small,), jobs, (self.held(600.0),), bookings=(booked("0", 0, 3),)), 0.0)
        assert [one.at for one in found if isinstance(one, Wait)] == [600.0]


def test_words() -> None:
    assert [in_words(seconds) for seconds in (5, 2400, 5400, 9000, 3 * HOUR, 4 * 24 * HOUR)] == [
        "1 min", "40 min", "1.5 h", "2.5 h", "3 h", "4 days",
    ]  # fmt: skip
    warsaw, noon = ZoneInfo("Europe/Warsaw"), 1_700_000_000.0  # a Tuesday, 23:13 in Warsaw
    assert [clock_time(noon + hours * HOUR, noon, warsaw) for hours in (0, 1, 200)] == [
        "23:13", "Wed 00:13", "23 Nov 07:13",
    ]  # fmt: skip


def test_maintenance_of_all_gpus_of_a_node_is_of_its_cores_too() -> None:
    both = booked("0", 0, 4, ""), booked("1", 0, 4, "")
    assert maintained(both, {"gpu1": ["0", "1"]}) == [booked(None, 0, 4, "")]
    assert maintained(both, {"gpu1": ["0", "1", "2"]}) == []
    assert maintained(both[:1], {"gpu1": ["0", "1"], "gpu2": []}) == []


# --- what holds in all cases ------------------------------------------------------------------------------------------

PEOPLE = st.sampled_from(["alice", "bob", "carol"])
WHERE = (NODE, PolicyNode("gpu2", (GpuDevice("0"),), 8))


@st.composite
def calendars(draw: st.DrawFn) -> list[Made]:
    """Reservations that do not overlap, made at some time before they end; some are cancelled."""
    found = []
    for node in WHERE:
        for gpu in node.gpus:
            at = 0.0
            for _ in range(draw(st.integers(0, 3))):
                starts_at = at + draw(st.integers(0, 8)) * 1800
                at = starts_at + draw(st.integers(1, 8)) * 1800
                owner = draw(st.sampled_from(["alice", "bob", "carol", ""]))
                made = draw(st.sampled_from([0.0, starts_at, max(starts_at - 3600, 0.0)]))
                cancelled = draw(st.sampled_from([math.inf, math.inf, (made + at) / 2]))
                found.append(Made(made, Booking(node.name, gpu.id, starts_at, at, owner), cancelled))
    return found


WORK = st.lists(
    st.tuples(PEOPLE, st.integers(1, 2), st.lists(st.integers(1, 40), min_size=1, max_size=6), st.booleans()),
    min_size=1,
    max_size=4,
)


def jobs_of(drawn: list[tuple[str, int, list[int], bool]]) -> list[Job]:
    return [
        Job(f"j{n}", owner, need(gpus, seconds=max(tasks) * 600.0, yields=yields), [one * 600.0 for one in tasks])
        for n, (owner, gpus, tasks, yields) in enumerate(drawn)
    ]


@settings(deadline=None, max_examples=150)
@given(WORK, calendars())
def test_nothing_runs_into_a_reservation_of_somebody_else(
    drawn: list[tuple[str, int, list[int], bool]], made: list[Made]
) -> None:
    cluster = Cluster(WHERE, jobs_of(drawn), made=made, notice=900.0)

    def checked(pool: Pool, now: float) -> list[Decision]:
        for one in pool.holdings:
            for entry in made:
                its = entry.booking
                there = its.node in one.nodes and its.device in one.devices and entry.at <= now < entry.cancelled
                if there and its.bars(one.owner) and its.starts_at < now < its.ends_at:
                    assert now <= max(its.starts_at, entry.at + 900.0), (one, its)
        return plan(pool, now)

    cluster.policy = checked
    cluster.run()
    assert all(one.done is not None for one in cluster.states.values()), "all come to their end"


@settings(deadline=None, max_examples=150)
@given(WORK, calendars())
def test_nothing_is_idle_that_somebody_could_use(
    drawn: list[tuple[str, int, list[int], bool]], made: list[Made]
) -> None:
    """Looked at plainly: a device that is free from now on for as long as a task takes, or long enough to begin."""
    cluster = Cluster(WHERE, jobs_of(drawn), made=made)

    def checked(pool: Pool, now: float) -> list[Decision]:
        found = plan(pool, now)
        started = [one for one in found if isinstance(one, Start)]
        if [one for one in found if not isinstance(one, Wait | Leave)]:
            assert all(
                plainly_free(pool, one.node, device, pool_owner(pool, one.job), one, now)
                for one in started
                for device in one.devices
            )
            return found
        if any(one.leaving_for for one in pool.holdings):
            return found  # what is free is kept for somebody
        for one in pool.demands:
            have = sum(holding.job == one.job for holding in pool.holdings)
            for node in pool.nodes:
                open_now = [gpu.id for gpu in node.gpus if usable(pool, node.name, gpu.id, one, now)]
                assert have >= one.wanted or len(open_now) < one.need.gpus, (one, node.name, open_now)
        return found

    cluster.policy = checked
    cluster.run()


def pool_owner(pool: Pool, job: str) -> str:
    return next(one.owner for one in pool.demands if one.job == job)


def plainly_free(pool: Pool, node: str, device: str, owner: str, start: Start, now: float) -> bool:
    mine = [one for one in pool.bookings if (one.node, one.device) == (node, device) and one.bars(owner)]
    return not any(one.starts_at <= now < one.ends_at for one in mine) and all(
        start.until is not None and start.until <= one.starts_at for one in mine if one.starts_at > now
    )


def usable(pool: Pool, node: str, device: str, demand: JobDemand, now: float) -> bool:
    if any(node in one.nodes and device in one.devices for one in pool.holdings):
        return False
    barred = [one for one in pool.bookings if (one.node, one.device) == (node, device) and one.bars(demand.owner)]
    next_at = min((max(one.starts_at, now) for one in barred if one.ends_at > now), default=math.inf)
    seconds = demand.need.seconds or 0.0
    return next_at - now >= seconds + 120 or (demand.need.yields and next_at - now >= 1800)


def test_gaps_are_found_as_a_look_at_each_minute_finds_them() -> None:
    bookings = [booked("0", 1, 2), booked("0", 2, 4, "alice"), booked("0", 6, 7), booked(None, 9, 10, "")]
    for minute in range(0, 720, 7):
        now = minute * 60.0
        gap = Gaps(bookings, now, 1800, {}).gap("alice", "gpu1", "0")
        later = (at * 60.0 for at in range(minute, 900))
        barred = next(
            (at for at in later if any(o.bars("alice") and o.starts_at <= at < o.ends_at for o in bookings)), math.inf
        )
        assert gap.until == barred or abs(gap.until - barred) < 60
        assert gap.mine == (2 * HOUR <= now < 4 * HOUR)
