"""Test a runner of which nothing is heard: its tasks show since when, and nothing else changes."""

import json
import os
from datetime import datetime
from typing import Any

import pytest

from paddock.models import JobDetail, Task, TaskState
from paddock.server.engine import ingest
from paddock.server.store import jobs, tasks
from paddock.server.store.sight import EVERYTHING
from paddock.settings import Settings
from tests.server.engine.engine_rig import JOB, Rig
from tests.server.store import given

SILENCE = Settings().runner.silence_seconds
KEY = f"{JOB}-a1.0"


def shown(rig: Rig, task: str) -> Task:
    with rig.db.read() as c:
        return tasks.get(c, task, rig.engine.context.silent)


def shown_job(rig: Rig) -> JobDetail:
    with rig.db.read() as c:
        return jobs.detail(c, JOB, "", rig.engine.context.silent)


def told(rig: Rig, task: str) -> list[Any]:
    """What those who follow were told of it."""
    with rig.db.read() as c:
        found = [one.data.get("live", {}).get(task, {}) for one in given.told(c, 0, JOB)]
    return [live["no_word_since"] for live in found if "no_word_since" in live]


@pytest.fixture
def task(rig: Rig) -> str:
    [made] = rig.job()
    rig.step()
    rig.started(KEY, made)
    return made


def test_a_task_says_since_when_nothing_is_heard_of_it(rig: Rig, task: str) -> None:
    heard = rig.rows()[0].heard_at
    rig.step(seconds=SILENCE - 5)
    assert shown(rig, task).no_word_since is None
    assert shown_job(rig).no_word is None
    rig.step(seconds=10)
    now = shown(rig, task)
    assert now.state is TaskState.RUNNING
    assert now.no_word_since is not None and now.no_word_since.timestamp() == pytest.approx(heard)
    job = shown_job(rig)
    assert job.counts.running == 1
    assert job.no_word is not None and (job.no_word.tasks, job.no_word.since) == (1, now.no_word_since)
    rig.step(seconds=10)
    assert [datetime.fromisoformat(one) for one in told(rig, task)] == [now.no_word_since], "once"


def test_it_goes_away_when_the_runner_speaks(rig: Rig, task: str) -> None:
    rig.step(seconds=SILENCE + 1)
    assert shown(rig, task).no_word_since is not None
    rig.say(KEY, {"e": "here"})  # anything will do
    rig.round()
    assert shown(rig, task).no_word_since is None
    assert told(rig, task)[1:] == [None]


def test_a_runner_that_speaks_all_the_time_is_never_called_silent(rig: Rig, task: str) -> None:
    for _ in range(8):
        rig.say(KEY, {"e": "here"})
        rig.step(seconds=SILENCE / 2)
        assert shown(rig, task).no_word_since is None
    assert told(rig, task) == []


def test_what_was_written_while_the_server_was_down_counts_before_anything_is_said(rig: Rig, task: str) -> None:
    rig.ahead += 10 * SILENCE
    rig.say(KEY, {"e": "usage", "task": task, "memory": 5})
    rig.reopen()
    rig.engine.round()
    assert shown(rig, task).no_word_since is None
    assert told(rig, task) == []


def test_after_a_restart_of_the_server_it_is_said_again(rig: Rig, task: str) -> None:
    rig.step(seconds=SILENCE + 1)
    rig.reopen()
    rig.step()
    assert shown(rig, task).no_word_since is not None


def test_a_journal_that_cannot_be_read_is_not_a_silent_runner(rig: Rig, task: str) -> None:
    journal = rig.home.job(JOB).journal(KEY, 1)
    whole = journal.read_bytes()
    journal.unlink()
    os.mkfifo(journal)  # not a plain file: it is not read
    rig.step(seconds=SILENCE + 1)
    assert shown_job(rig).warnings
    assert shown(rig, task).no_word_since is None
    journal.unlink()
    journal.write_bytes(whole)


def test_one_whose_journal_is_far_behind_is_not_silent(rig: Rig, task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "READ_BYTES", 300)
    rig.say(KEY, *[{"e": "usage", "task": task, "memory": n} for n in range(400)])
    rig.ahead += SILENCE + 1
    rig.engine.round()
    assert shown(rig, task).no_word_since is None


def test_what_is_known_of_a_silent_one_stays_while_its_journal_cannot_be_read(rig: Rig, task: str) -> None:
    rig.step(seconds=SILENCE + 1)
    journal = rig.home.job(JOB).journal(KEY, 1)
    os.rename(journal, f"{journal}.away")
    os.mkfifo(journal)
    rig.step()
    assert shown(rig, task).no_word_since is not None
    os.rename(f"{journal}.away", journal)


def test_only_tasks_that_run_say_it(rig: Rig) -> None:
    one, two, three = rig.job(tasks=3)
    rig.step()
    rig.started(KEY, one)
    rig.say(KEY, {"e": "ended", "task": one, "exit": 0}, {"e": "started", "task": two, "pid": 8})
    rig.step()
    rig.step(seconds=SILENCE + 1)
    assert [shown(rig, task).no_word_since is not None for task in (one, two, three)] == [False, True, False]
    job = shown_job(rig)
    assert job.no_word is not None and job.no_word.tasks == 1


def test_all_tasks_of_one_runner_say_it(rig: Rig) -> None:
    ids = rig.job(tasks=3)
    rig.step()
    rig.started(KEY, ids[0])
    rig.say(KEY, *[{"e": "started", "task": task, "pid": 8} for task in ids[1:]])
    rig.step()
    rig.step(seconds=SILENCE + 1)
    job = shown_job(rig)
    assert job.no_word is not None and job.no_word.tasks == 3
    with rig.db.read() as c:
        page = tasks.page(c, JOB, silent=rig.engine.context.silent)
        [listed] = jobs.page(c, EVERYTHING, silent=rig.engine.context.silent).items
    assert all(task.no_word_since for task in page.items)
    assert listed.no_word == job.no_word


def test_a_task_that_is_lost_says_it_no_more(rig: Rig, task: str) -> None:
    rig.step(seconds=SILENCE + 1)
    rig.backend.end(f"id-{KEY}")
    rig.step(6)
    again = shown(rig, task)
    assert (again.attempt, again.no_word_since) == (2, None)
    assert rig.engine.context.silent == {}


def test_runners_are_told_how_often_to_speak(rig: Rig, task: str) -> None:
    manifest = rig.home.job(JOB).root / "allocations" / f"{JOB}-a1.manifest.json"
    assert 0 < json.loads(manifest.read_text())["word_seconds"] <= SILENCE / 3
