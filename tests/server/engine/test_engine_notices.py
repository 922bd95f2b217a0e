"""Test which notices owners get of their jobs, and that each comes once."""

from typing import Any

import pytest
import sqlalchemy as sa

from paddock.models import AllocationState, AllocationStatus, Notice, NoticeKind, Waits
from paddock.rules.durations import Band
from paddock.server.engine import notices as step
from paddock.server.store import jobs, notices, tasks, team
from paddock.server.store.estimates import Estimate, Estimates
from paddock.server.store.notices import Parcel
from tests.server.engine.engine_rig import JOB, Rig

KEY = f"{JOB}-a1.0"


def told(rig: Rig, user: str | None = None) -> list[Notice]:
    """Oldest first."""
    with rig.db.read() as c:
        return notices.page(c, user or rig.settings.owner).items[::-1]


def kinds(rig: Rig) -> list[str]:
    return [one.kind.value for one in told(rig)]


def parcels(rig: Rig) -> list[Parcel]:
    with rig.db.read() as c:
        return notices.to_send(c)


def wish(rig: Rig, user: str, **chosen: list[str]) -> None:
    """An own address `x` that gets these kinds."""
    with rig.db.write() as c:
        notices.save_choices(c, user, {"addresses": [{"id": "x", "url": "json://h", "shown": "json", **chosen}]})


def end(rig: Rig, *ids: str, exit: int = 0, attempt: int = 1, key: str = KEY) -> None:
    for task in ids:
        rig.say(key, {"e": "started", "task": task, "attempt": attempt, "pid": 8})
        rig.say(key, {"e": "ended", "task": task, "attempt": attempt, "exit": exit})
    rig.step()


@pytest.fixture
def ids(rig: Rig) -> list[str]:
    made = rig.job(tasks=3, name="lr\nsweep")
    rig.step()
    rig.backend.run(f"id-{KEY}")
    rig.say(KEY, {"e": "runner"})
    return made


def test_a_job_that_has_ended_is_told_once(rig: Rig, ids: list[str]) -> None:
    end(rig, *ids[:2])
    assert told(rig) == []
    end(rig, ids[2])
    [one] = told(rig)
    assert (one.kind, one.title, one.link, one.job) == (
        NoticeKind.ENDED,
        "lr sweep has ended",
        f"/jobs/{JOB}",
        JOB,
    )
    assert "3 tasks: 3 finished." in one.text
    rig.reopen()
    rig.step(seconds=step.OVER_SECONDS + 60)
    assert kinds(rig) == ["ended"]


def test_tasks_that_fail_at_once_are_one_notice_and_the_end_is_another(rig: Rig, ids: list[str]) -> None:
    end(rig, *ids[:2], exit=1)
    assert told(rig) == [], "others may fail in a moment"
    rig.step(seconds=step.GATHER_SECONDS + 1)
    [one] = told(rig)
    assert (one.kind, one.title) == (NoticeKind.FAILED, "lr sweep: 2 of 3 tasks in error")
    rig.reopen()
    rig.step(seconds=step.GATHER_SECONDS + 1)
    rig.step(seconds=step.GATHER_SECONDS + 1)
    end(rig, ids[2], exit=1)
    assert kinds(rig) == ["failed", "ended"]
    assert told(rig)[1].title == "lr sweep has failed"


def band(unsure: bool = False) -> Band:
    """From 17:00 to 18:30 on some day."""
    return Band(2_000_048_400.0, 2_000_050_200.0, 2_000_053_800.0, unsure)


class Fixed(Estimates):
    """Jobs of which it is given when they are done."""

    def __init__(self, done: dict[str, Band | None]) -> None:
        super().__init__()
        self._done = done

    def of(self, c: sa.Connection, job: str, now: float, waits: Waits | None = None) -> Estimate:
        return Estimate(now, self._done.get(job))


def test_notices_say_when_the_rest_will_be_done(rig: Rig, ids: list[str]) -> None:
    rig.engine.context.estimates = Fixed({JOB: band()})
    end(rig, ids[0], exit=1)
    rig.step(seconds=step.GATHER_SECONDS + 1)
    assert told(rig)[0].text.endswith("The rest should be done between Wed 2033-05-18 17:00 and 18:30 UTC.")


@pytest.mark.parametrize(
    "unsure, word",
    [(False, "between Wed 2033-05-18 17:00 and "), (True, "about Wed 2033-05-18 17:30 UTC, but that is")],
)
def test_the_end_of_a_job_says_when_the_others_will_be_done(rig: Rig, ids: list[str], unsure: bool, word: str) -> None:
    for job in ("second00", "third000"):
        rig.job(tasks=1, job=job)
    rig.engine.context.estimates = Fixed({"second00": band(unsure), "third000": band(unsure)})
    end(rig, *ids)
    assert f" Your other 2 jobs should be done {word}" in told(rig)[0].text


def test_of_jobs_of_which_one_is_not_known_nothing_is_said(rig: Rig, ids: list[str]) -> None:
    rig.job(tasks=1, job="second00")
    rig.engine.context.estimates = Fixed({})
    end(rig, *ids)
    assert "should be done" not in told(rig)[0].text


def test_a_job_that_ends_soon_after_its_first_error_is_told_once(rig: Rig, ids: list[str]) -> None:
    wish(rig, rig.settings.owner, kinds=["ended"])
    end(rig, ids[0], exit=1)
    end(rig, *ids[1:])
    [one] = told(rig)
    assert (one.kind, one.title) == (NoticeKind.FAILED, "lr sweep has ended, 1 of 3 tasks in error")
    assert [parcel.address for parcel in parcels(rig)] == ["own:x"], "who wants ends gets this one too"


def test_a_job_that_is_restarted_is_told_again(rig: Rig, ids: list[str]) -> None:
    end(rig, ids[0], exit=1)
    end(rig, *ids[1:])
    with rig.db.write() as c:
        tasks.restart(c, JOB, None, failed=True, resume=False)
    rig.step(seconds=step.GATHER_SECONDS + 1)
    assert kinds(rig) == ["failed"]
    key = rig.keys()[-1]
    rig.backend.run(f"id-{key}")
    rig.say(key, {"e": "runner"})
    end(rig, ids[0], attempt=2, key=key)
    assert kinds(rig) == ["failed", "ended"]


def test_a_person_who_stops_all_of_a_job_needs_no_notice(rig: Rig) -> None:
    rig.job(tasks=2)
    with rig.db.write() as c:
        tasks.request_stop(c, JOB, None)
    rig.step()
    assert rig.detail().ended
    assert told(rig) == []
    with rig.db.read() as c:
        assert notices.unnoticed(c) == {}


def test_what_is_chosen_for_a_job_counts_more_than_what_is_chosen_for_all(rig: Rig) -> None:
    wish(rig, rig.settings.owner, kinds=["failed"])
    for job, notify in {"aaaaaaaa": None, "bbbbbbbb": ["ended"], "cccccccc": []}.items():
        [task] = rig.job(job=job, notify=notify)
        rig.step()
        rig.backend.run(f"id-{job}-a1.0")
        rig.say(f"{job}-a1.0", {"e": "runner"})
        end(rig, task, key=f"{job}-a1.0")
    assert kinds(rig) == ["ended"] * 3, "the page has all"
    assert [parcel.link for parcel in parcels(rig)] == ["/jobs/bbbbbbbb"]


def test_with_accounts_only_the_owner_is_told(rig: Rig, ids: list[str]) -> None:
    with rig.db.write() as c:
        team.switch(c, True, 1.0)
    wish(rig, "bob", kinds=["ended"])
    end(rig, *ids)
    assert [one.kind for one in told(rig, "ann")] == [NoticeKind.ENDED]
    assert told(rig, "bob") == told(rig) == [] and parcels(rig) == []


def test_a_runner_that_is_silent_for_long_is_told_and_again_when_that_was_over(rig: Rig, ids: list[str]) -> None:
    rig.say(KEY, {"e": "started", "task": ids[0], "pid": 8})
    rig.step()
    rig.step(seconds=step.SILENT_SECONDS - 30)
    assert told(rig) == []
    rig.step(seconds=60)
    [one] = told(rig)
    assert one.kind is NoticeKind.ATTENTION and "Nothing was heard of its tasks" in one.text
    rig.reopen()
    rig.step(seconds=3600)
    assert len(told(rig)) == 1, "it is the same silence"
    for _ in range(3):
        rig.say(KEY, {"e": "here"})
        rig.step(seconds=step.OVER_SECONDS / 2)
    rig.step(seconds=step.SILENT_SECONDS + 60)
    assert len(told(rig)) == 2


def test_a_job_that_never_starts_or_is_set_aside_needs_attention(rig: Rig) -> None:
    rig.job()
    rig.step()
    [row] = rig.rows()
    waits = AllocationStatus(state=AllocationState.PENDING, reason="no node has 9 GPUs", never=True)
    rig.backend.statuses[f"id-{row.key}"] = waits
    rig.step()
    rig.step(seconds=step.NEVER_SECONDS + 5)
    [one] = told(rig)
    assert one.kind is NoticeKind.ATTENTION and "no node has 9 GPUs" in one.text
    with rig.db.write() as c:
        jobs.set_aside(c, JOB, "Paddock cannot publish it: No space left on device.")
    rig.step()
    rig.step(seconds=step.ASIDE_SECONDS + 5)
    assert [one for one in told(rig) if "No space left" in one.text]


def test_nothing_is_told_if_the_transaction_fails(rig: Rig, ids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """As by a kill in the middle of it: then neither the notice nor the record is there, and the next server tells."""
    whole = notices.add

    def killed(*given: Any, **values: Any) -> int:
        whole(*given, **values)
        raise RuntimeError("killed")

    monkeypatch.setattr(notices, "add", killed)
    end(rig, *ids)
    assert told(rig) == []
    monkeypatch.setattr(notices, "add", whole)
    rig.reopen()
    rig.step()
    assert kinds(rig) == ["ended"]
