"""What the engine makes of the decisions of the policy, on a backend with a queue and on one without."""

from paddock.errors import BackendUnavailable
from paddock.models import AllocationState as S
from paddock.models import LimitsRequest, TaskState, Traits
from paddock.server.store import jobs, tasks
from tests.server.engine.engine_rig import JOB, Rig
from tests.server.store.given import told


def drained(rig: Rig, job: str) -> list[str]:
    return [line["allocation"] for line in rig.control(job) if line["op"] == "drain"]


def announced(rig: Rig) -> int:
    with rig.db.read() as c:
        return sum(event.data.get("change") == "waits" for event in told(c, 0))


def run_all(rig: Rig) -> None:
    """The first four allocations run: the backend is full."""
    for number in range(4):
        rig.backend.run(f"id-{JOB}-a1.{number}")


def bare(rig: Rig) -> None:
    """The backend has no queue: it starts at once what it is told."""
    rig.backend.traits = Traits()


class TestQueued:
    def test_the_last_that_wait_and_are_of_no_use_are_taken_back(self, rig: Rig) -> None:
        ids = rig.job(tasks=3)
        rig.step()
        rig.backend.run(f"id-{JOB}-a1.0")
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, ids[2:])
        rig.step()
        assert rig.backend.withdrawn == [f"id-{JOB}-a1.2"]

    def test_two_jobs_share_the_queue(self, rig: Rig) -> None:
        rig.job(tasks=4)
        rig.step()
        rig.job(tasks=4, job="second")
        rig.step()
        assert sorted(rig.backend.withdrawn) == [f"id-{JOB}-a1.2", f"id-{JOB}-a1.3"]
        assert [(batch.key, batch.count) for batch in rig.backend.batches] == [(f"{JOB}-a1", 4), ("second-a1", 2)]

    def test_those_that_run_give_way_between_tasks(self, rig: Rig) -> None:
        rig.job(tasks=8)
        rig.step()
        run_all(rig)
        rig.step()
        rig.job(tasks=8, job="second")
        rig.step()
        assert len(drained(rig, JOB)) == 2
        assert rig.backend.cancelled == [], "they end by themselves"
        assert sorted(row.key for row in rig.rows() if row.leaving_for == "second") == sorted(drained(rig, JOB))
        rig.step(5, seconds=100)
        assert len(drained(rig, JOB)) == 2, "no more than that, and only once"


class TestBare:
    def test_every_allocation_has_devices_of_its_own(self, rig: Rig) -> None:
        bare(rig)
        rig.job(tasks=9)
        rig.step()
        [batch] = rig.backend.batches
        assert [(place.node, place.devices) for place in batch.places] == [("n1", [str(n)]) for n in range(4)]

    def test_nothing_is_requested_that_does_not_fit_now(self, rig: Rig) -> None:
        bare(rig)
        rig.job(tasks=4)
        rig.step()
        run_all(rig)
        rig.job(tasks=4, job="second")
        rig.step()
        assert len(rig.backend.batches) == 1
        leaving = drained(rig, JOB)
        assert len(leaving) == 2
        rig.backend.end(f"id-{leaving[0]}")
        rig.step()
        device = leaving[0].rpartition(".")[2]
        assert [place.devices for place in rig.backend.batches[-1].places] == [[device]]
        assert rig.backend.batches[-1].key == "second-a1"

    def test_a_job_of_a_higher_priority_goes_first(self, rig: Rig) -> None:
        bare(rig)
        rig.job(tasks=4)
        rig.job(tasks=4, job="urgent", priority=5)
        rig.step()
        assert [batch.key for batch in rig.backend.batches] == ["urgent-a1"]

    def test_also_if_its_priority_is_changed_while_it_waits(self, rig: Rig) -> None:
        bare(rig)
        rig.job(tasks=8)
        rig.step()
        run_all(rig)
        rig.job(tasks=8, job="second")
        rig.step()
        assert len(drained(rig, JOB)) == 2
        with rig.db.write() as c:
            jobs.limit(c, "second", LimitsRequest(priority=7))
        rig.step()
        assert len(drained(rig, JOB)) == 4

    def test_a_held_job_gets_nothing_and_holds_up_nobody(self, rig: Rig) -> None:
        bare(rig)
        rig.job(tasks=4)
        with rig.db.write() as c:
            jobs.hold(c, JOB)
        rig.job(tasks=4, job="second")
        rig.step()
        assert [batch.key for batch in rig.backend.batches] == ["second-a1"]

    def test_what_an_older_version_had_planned_is_planned_again(self, rig: Rig) -> None:
        rig.backend.trouble["submit"] = BackendUnavailable("down")
        rig.job(tasks=2)
        rig.step()
        assert [row.state for row in rig.rows()] == [S.PLANNED] * 2
        rig.wait_for_backends()  # the last request has failed, too
        del rig.backend.trouble["submit"]
        bare(rig)
        rig.step(5)
        assert [len(batch.places) for batch in rig.backend.batches] == [2]

    def test_devices_of_allocations_that_nobody_knows_are_not_given_away(self, rig: Rig) -> None:
        bare(rig)
        rig.backend.users = {"0": "lost-a1.0", "3": "lost-a1.1"}
        rig.engine.context.workers["fake"].refresh_nodes()
        rig.job(tasks=4)
        rig.step()
        assert [place.devices for batch in rig.backend.batches for place in batch.places] == [["1"], ["2"]]

    def test_what_is_not_started_is_decided_again(self, rig: Rig) -> None:
        bare(rig)
        rig.backend.takes = 1
        rig.job(tasks=2)
        rig.step()
        assert [place.devices for place in rig.backend.batches[0].places] == [["0"], ["1"]]
        assert [place.devices for place in rig.backend.batches[1].places] == [["1"]]


class TestReasons:
    def test_a_waiting_job_says_why(self, rig: Rig) -> None:
        bare(rig)
        rig.job(tasks=4)
        rig.step()
        run_all(rig)
        rig.job(tasks=1, job="second", resources={"backend": "fake", "cpus": 3})
        rig.job(tasks=1, job="third", priority=-1)
        rig.step()
        waits = rig.engine.context.waits
        assert waits["second"].reason == "next on n1, when tasks that run there have ended"
        assert waits["third"].reason.startswith("all 4 CPU slots are in use; ")
        assert rig.engine.context.lines == {"fake": ["second", JOB, "third"]}

    def test_one_that_runs_as_many_as_it_may_says_so(self, rig: Rig) -> None:
        bare(rig)
        one, _ = rig.job(tasks=2, parallel=1)
        rig.step()
        rig.started(f"{JOB}-a1.0", one)
        assert rig.task(one).state is TaskState.RUNNING
        reason = "up to 1 of its tasks run at a time, as requested: the next starts when one has ended"
        assert rig.engine.context.waits[JOB].reason == reason
        with rig.db.read() as c:
            found = jobs.detail(c, JOB, "", waits=rig.engine.context.waits).waits
        assert found is not None and found.reason == reason

    def test_the_reason_is_announced_once(self, rig: Rig) -> None:
        bare(rig)
        one, *_ = rig.job(tasks=9)
        rig.step()
        rig.started(f"{JOB}-a1.0", one)
        rig.step(6)
        before = announced(rig)
        assert before > 0
        rig.step(6, seconds=20)
        assert announced(rig) == before


class TestUse:
    def test_who_has_used_more_lately_comes_later(self, rig: Rig) -> None:
        bare(rig)
        rig.job(tasks=4)
        rig.step()
        run_all(rig)
        rig.step()
        rig.step(seconds=24 * 3600)
        for number in range(4):
            rig.backend.end(f"id-{JOB}-a1.{number}")
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, [f"{JOB}-{number}" for number in range(1, 5)])
        rig.step(5)
        rig.reopen()  # it is not forgotten
        rig.job(tasks=9, job="again")
        rig.job(tasks=9, job="other", owner="bob")
        rig.step()
        assert {batch.key: batch.count for batch in rig.backend.batches[1:]} == {"again-a1": 1, "other-a1": 3}
