"""Test the search of ended logs for marked metrics: in portions, and again after a server that was killed."""

from collections.abc import Iterator

import pytest

from paddock.paths import Home
from paddock.server.engine import marked_metrics
from paddock.server.store import jobs, metrics
from paddock.settings import Settings
from tests.server.engine.engine_rig import JOB, rigged
from tests.server.engine.test_engine_search import SearchRig
from tests.support.server import wait_for

TASKS = 5
PATTERN = r"gave (?P<score>\S+)"


class MarkedRig(SearchRig):
    def scores(self) -> int:
        with self.db.read() as c:
            return len(metrics.curves(c, [task.id for task in self.tasks()], ["score"], None))

    def searched(self) -> bool:
        self.settle(1)
        with self.db.read() as c:
            return not jobs.unsearched(c)


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[MarkedRig]:
    monkeypatch.setattr(marked_metrics, "AT_ONCE", 1)
    with rigged(MarkedRig, home, settings, monkeypatch) as made:
        made.job(tasks=TASKS)
        made.settle()
        for number in range(1, TASKS + 1):
            made.begin(number)
            log = home.job(JOB).log(f"{JOB}-{number}", 1)
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(f"turn 1 gave 0.{number}\n")
            made.end(number)
        with made.db.write() as c:
            jobs.mark_metric(c, JOB, PATTERN)
        yield made


def test_all_logs_are_searched_once(rig: MarkedRig) -> None:
    wait_for(rig.searched)
    assert rig.scores() == TASKS
    assert [text for text in rig.detail().warnings if marked_metrics.ABOUT in text] == []
    with rig.db.write() as c:
        jobs.hold(c, JOB)
    rig.reopen()
    rig.settle()
    assert not rig.engine._marked._searches, "a hold is no reason to search again"


def test_what_a_killed_server_had_begun_is_begun_again(rig: MarkedRig) -> None:
    wait_for(lambda: rig.searched() or rig.scores(), what="the first portion")
    with rig.db.read() as c:
        assert jobs.unsearched(c) == {JOB: [PATTERN]}
    rig.reopen()
    wait_for(rig.searched)
    assert rig.scores() == TASKS
    assert [text for text in rig.detail().warnings if marked_metrics.ABOUT in text] == []
