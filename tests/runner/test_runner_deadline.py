"""Test the end of the allocation: what is warned, cut off, and not started any more."""

import signal
import time
from typing import Any

import pytest

from paddock.runner.process.deadline import Deadline, Yield, parse_yield
from tests.runner.folder import Folder, Record, ended, kinds, wait_for
from tests.runner.test_runner_stop import POLITE, STUBBORN, ready

WARNED = """
import signal, time
signal.signal(signal.SIGUSR1, lambda *_: print("warned"))
print("ready")
while True: time.sleep(1)
"""


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def deadline(self, limit: float | None, warn: float, grace: float, environ: dict[str, str]) -> Deadline:
        return Deadline(limit, warn, grace, environ, lambda: self.now, lambda: 1_700_000_000 + self.now)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_no_end(clock: Clock) -> None:
    deadline = clock.deadline(None, 60, 10, {"SLURM_JOB_END_TIME": "soon"})
    deadline.learn(1e9)
    assert deadline.ends_at is None
    assert not deadline.warning_due
    assert not deadline.cut_due
    assert deadline.fits(None)
    assert deadline.fits(1e12)


def test_moments(clock: Clock) -> None:
    deadline = clock.deadline(7200, 60, 10, {})
    assert deadline.ends_at == 1_700_008_200
    assert deadline.reason == "ended by the time limit of its allocation (2:00:00)"
    for left, warned, cut in ((61, False, False), (59, True, False), (14, True, False), (12.9, True, True)):
        clock.now = 8200 - left
        assert (deadline.warning_due, deadline.cut_due) == (warned, cut)
    assert deadline.grace == 10


def test_the_scheduler_knows_better(clock: Clock) -> None:
    environ = {"SLURM_JOB_END_TIME": "1700001600", "SLURM_JOB_START_TIME": "1700000940"}
    assert clock.deadline(7200, 60, 10, environ).ends_at == 1_700_001_600
    assert clock.deadline(None, 60, 10, environ).reason.endswith("(0:11:00)")
    assert clock.deadline(None, 60, 10, {"SLURM_JOB_END_TIME": "1700001600"}).reason.endswith("allocation")
    assert clock.deadline(None, 60, 10, {"SLURM_JOB_END_TIME": "0"}).ends_at is None


def test_an_announcement(clock: Clock) -> None:
    """It makes an end known, or nearer; one that is known and near stays, for Slurm may announce it too early."""
    unknown, late, near, nearer = (clock.deadline(limit, 60, 10, {}) for limit in (None, 7200, 4140, 4030))
    clock.now = 5000
    for deadline in (unknown, late, near, nearer):
        deadline.announced()
    ends = [d.ends_at for d in (unknown, late, near, nearer)]
    assert ends == [1_700_005_060, 1_700_005_060, 1_700_005_140, 1_700_005_030]


def test_a_short_allocation_works_most_of_its_time(clock: Clock) -> None:
    deadline = clock.deadline(60, 60, 100, {})
    clock.now += 38
    assert deadline.fits(1e9)
    clock.now += 6
    assert not deadline.warning_due
    clock.now += 1.1
    assert deadline.warning_due
    assert not deadline.cut_due
    clock.now += 6
    assert deadline.cut_due
    assert deadline.grace == 6.75


def test_a_long_grace_period_begins_before_the_warning_would(clock: Clock) -> None:
    deadline = clock.deadline(7200, 60, 600, {})
    clock.now += 7200 - 602
    assert deadline.warning_due
    assert deadline.cut_due
    assert deadline.grace == 600


@pytest.mark.parametrize(
    ("took", "estimate", "left", "fits"),
    [
        ([], None, 160 + 1, True),  # nothing known: while a tenth is left, besides the warning
        ([], None, 160 - 1, False),
        ([200], None, 60 + 221, True),
        ([200], None, 60 + 219, False),
        ([200, 10], None, 60 + 219, False),  # the longest counts
        ([200, *[10] * 10], None, 60 + 12, True),  # of the last ten
        ([200], 10, 60 + 12, True),  # what is said of this one counts more
        ([10], 200, 60 + 219, False),
        ([], 900, 500, True),  # fits into no allocation: it goes on from its checkpoint
        ([900], None, 500, True),
        ([900], None, 150, False),
        ([], 853, 1000, True),  # an allocation is not given back for a second
    ],
)
def test_what_fits(clock: Clock, took: list[float], estimate: float | None, left: float, fits: bool) -> None:
    deadline = clock.deadline(1000, 60, 10, {})
    for seconds in took:
        deadline.learn(seconds)
    clock.now += 1000 - left
    assert deadline.fits(estimate) == fits


def test_it_makes_way_before_its_time_limit(clock: Clock) -> None:
    deadline = clock.deadline(7200, 60, 10, {})
    deadline.yield_at(Yield(1_700_000_000 + 1000 + 600, "bob has reserved it"))
    assert deadline.ends_at == 1_700_001_600
    clock.now += 541
    assert (deadline.warning_due, deadline.cut_due, deadline.cause) == (True, False, "preempted")
    assert deadline.reason == "it made way: bob has reserved it"
    deadline.yield_at(Yield(None))  # the reservation was cancelled
    assert (deadline.warning_due, deadline.cause, deadline.ends_at) == (False, "time_limit", 1_700_008_200)
    deadline.yield_at(Yield(1_700_090_000))
    assert (deadline.cause, deadline.ends_at) == ("time_limit", 1_700_008_200)


@pytest.mark.parametrize(
    "given", [None, 7, {}, {"at": "soon"}, {"at": True}, {"at": -1}, {"at": 1e300}, {"at": float("nan")}]
)
def test_what_is_no_time_to_make_way(given: Any) -> None:
    assert parse_yield(given) == Yield(None, "")


# Real runners


def cut_off(record: Record) -> bool:
    expected = ("shutdown", "time_limit", "ended by the time limit of its allocation (0:00:04)")
    return (record["by"], record["cause"], record["reason"]) == expected


def test_warned_and_cut_off(folder: Folder, python: str) -> None:
    folder.python = python
    folder.python_task("t-1", WARNED)
    folder.python_task("t-2", POLITE)
    folder.add("t-3", "true")
    folder.allocate(slots=2, time_limit=4)
    records = folder.run()
    began = records[0]["at"]
    assert 3 <= records[-1]["at"] - began < 5
    assert records[0]["start"] == 1
    assert abs(records[0]["ends_at"] - (began + 4)) < 1.5
    assert folder.log("t-1") == "ready\nwarned\n"
    assert cut_off(ended(records, "t-1"))
    assert cut_off(ended(records, "t-2"))
    assert folder.log("t-2").endswith("saved\n")
    assert not (folder.root / "claims" / "t-3.1").exists()


def test_one_that_ignores_it_is_killed_before_the_end(folder: Folder) -> None:
    folder.python_task("t-1", STUBBORN)
    folder.allocate(time_limit=4)
    records = folder.run()
    assert records[-1]["at"] < records[0]["at"] + 4.5
    assert ended(records, "t-1")["signal"] == signal.SIGKILL
    assert cut_off(ended(records, "t-1"))


def test_tasks_know_when(folder: Folder) -> None:
    folder.add("t-1", "sh", "-c", "echo $PADDOCK_ENDS_AT")
    folder.end()
    folder.allocate(time_limit=100)
    assert folder.run()[0]["ends_at"] == int(folder.log("t-1"))


def test_the_end_as_the_scheduler_reports_it(folder: Folder) -> None:
    folder.add("t-1", "true")
    folder.end()
    folder.allocate(time_limit=3)
    end = int(time.time()) + 1000
    assert folder.run(SLURM_JOB_END_TIME=str(end))[0]["ends_at"] == end


@pytest.mark.parametrize("settings", [{"time_limit": 60}, {}])
def test_terminated_long_before(folder: Folder, settings: dict[str, Any]) -> None:
    folder.python_task("t-1", POLITE)
    folder.allocate(**settings)
    runner = folder.start()
    ready(folder)
    runner.send_signal(signal.SIGTERM)
    assert runner.wait(120) == 0
    end = ended(folder.records(), "t-1")
    assert (end["by"], end["cause"], end["reason"]) == ("shutdown", None, None)


def test_terminated_shortly_before(folder: Folder) -> None:
    folder.python_task("t-1", WARNED)
    folder.allocate(warn_seconds=5, grace_seconds=0.5)
    runner = folder.start()
    ready(folder)
    for _ in range(3):
        runner.send_signal(signal.SIGUSR1)
        time.sleep(0.2)
    assert runner.poll() is None
    runner.send_signal(signal.SIGTERM)
    assert runner.wait(120) == 0
    end = ended(folder.records(), "t-1")
    assert (end["by"], end["cause"]) == ("shutdown", "time_limit")
    assert end["reason"] == "ended by the time limit of its allocation"
    assert folder.log("t-1") == "ready\nwarned\n"


def test_an_announced_end_comes(folder: Folder) -> None:
    folder.python_task("t-1", WARNED)
    folder.allocate(warn_seconds=1, grace_seconds=0.1)
    runner = folder.start()
    ready(folder)
    runner.send_signal(signal.SIGUSR1)
    assert runner.wait(120) == 0
    assert ended(folder.records(), "t-1")["cause"] == "time_limit"


def test_what_takes_too_long_is_left_for_another(folder: Folder) -> None:
    folder.add("t-1", "sleep", "1.5")
    folder.add("t-2", "sleep", "1.5")  # as long as the first: does not fit any more
    folder.add("t-3", "true", seconds=0.1)
    folder.allocate("a1.0", time_limit=4, idle_seconds=60)
    records = folder.run("a1.0")
    assert [r["task"] for r in records if r["e"] == "ended"] == ["t-1", "t-3"]
    assert all(r["exit"] == 0 for r in records if r["e"] == "ended")
    assert records[-1]["at"] - records[0]["at"] < 2.5  # it does not wait for its end
    assert not (folder.root / "claims" / "t-2.1").exists()
    folder.end()
    folder.allocate("a2.0", time_limit=4)
    assert ended(folder.run("a2.0"), "t-2")["exit"] == 0


def test_an_estimate_that_does_not_fit_is_skipped(folder: Folder) -> None:
    folder.add("t-1", "sleep", "1", seconds=1)
    folder.add("t-2", "true", seconds=2.2)
    folder.add("t-3", "true", seconds="nonsense")
    folder.add("t-4", "true", seconds=0.2)
    folder.end()
    folder.allocate(time_limit=4)
    assert kinds(folder.run()) == ["runner"] + ["started", "ended"] * 3 + ["bye"]
    assert not (folder.root / "claims" / "t-2.1").exists()


def test_a_new_line_may_fit(folder: Folder) -> None:
    folder.add("t-1", "sleep", "1", seconds=1)
    folder.add("t-2", "sleep", "1.5", seconds=1.5)
    folder.add("t-3", "true", seconds=2)
    folder.allocate(slots=2, time_limit=4)
    runner = folder.start()
    folder.await_record("ended", "t-1")
    folder.add("t-4", "true", seconds=0.1)
    folder.await_record("ended", "t-4")
    assert runner.wait(120) == 0
    assert not (folder.root / "claims" / "t-3.1").exists()
    wait_for(lambda: ended(folder.records(), "t-2")["exit"] == 0)


def test_another_limit_while_it_runs(folder: Folder) -> None:
    folder.python_task("t-1", "import time; time.sleep(60)")
    folder.end()
    folder.allocate(time_limit=3600)
    runner = folder.start()
    folder.await_record("started", "t-1")
    folder.order("limit", time_limit=4)
    assert runner.wait(120) == 0
    end = ended(folder.records(), "t-1")
    assert (end["by"], end["cause"]) == ("shutdown", "time_limit")
    assert "(0:00:04)" in end["reason"]


def test_warned_and_ended_for_a_reservation(folder: Folder, python: str) -> None:
    folder.python = python
    folder.python_task("t-1", WARNED)
    folder.add("t-2", "true")
    folder.allocate("a1.0", yields={"0": {"at": time.time() + 4, "why": "reserved"}, "1": {"at": 1}})
    records = folder.run("a1.0")
    end = ended(records, "t-1")
    assert (end["by"], end["cause"], end["reason"]) == ("shutdown", "preempted", "it made way: reserved")
    assert end["made_way"] is True
    assert folder.log("t-1") == "ready\nwarned\n"
    assert not (folder.root / "claims" / "t-2.1").exists()


def test_a_reservation_is_made_and_another_cancelled_while_it_runs(folder: Folder) -> None:
    folder.python_task("t-1", POLITE)
    folder.allocate("a1.0", yields={"0": {"at": time.time() + 3600}})
    runner = folder.start("a1.0")
    ready(folder)
    folder.order("yield", allocation="a2.0", at=1)
    folder.order("yield", allocation="a1.0", at=None)
    folder.add("t-2", "sh", "-c", "echo ${PADDOCK_ENDS_AT:-never}")
    folder.order("stop", task="t-1", attempt=1)
    folder.await_record("ended", "t-2")
    assert folder.log("t-2") == "never\n"
    folder.python_task("t-3", POLITE)
    folder.await_record("started", "t-3")
    folder.order("yield", allocation="a1.0", at=time.time() + 2, why="bob")
    assert runner.wait(120) == 0
    end = ended(folder.records(), "t-3")
    assert (end["cause"], end["reason"]) == ("preempted", "it made way: bob")
