"""Test that anything put into one job's folder harms no other job and no other file, and can be fixed."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from paddock.models import Cause, TaskState
from paddock.paths import JobFolder
from paddock.server.engine import boundary, observe
from paddock.server.store import jobs, tasks
from tests.server.engine.conftest import rig
from tests.server.engine.engine_rig import JOB, Rig

__all__ = ["rig"]

S = TaskState
OTHER = "zzz"
KEY = f"{JOB}-a1.0"
VICTIM = "ssh-ed25519 AAAA victim\n"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed is tried again in the next round."""
    monkeypatch.setattr(boundary, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(boundary, "LONGEST_SECONDS", 0.0)


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "authorized_keys"
    path.write_text(VICTIM)
    return path


def as_folder(path: Path, victim: Path) -> None:
    path.mkdir()


def as_pipe(path: Path, victim: Path) -> None:
    os.mkfifo(path)


def as_file(path: Path, victim: Path) -> None:
    path.write_text("x")


def as_link(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def as_hard_link(path: Path, victim: Path) -> None:
    path.hardlink_to(victim)


def as_link_to_itself(path: Path, victim: Path) -> None:
    path.symlink_to(path.name)


def as_link_to_a_folder(path: Path, victim: Path) -> None:
    path.symlink_to(victim.parent)


Harm = Callable[[Path, Path], None]
INSTEAD_OF_A_FILE = [as_folder, as_pipe, as_link, as_hard_link, as_link_to_itself]
INSTEAD_OF_A_FOLDER = [as_file, as_pipe, as_link_to_itself, as_link_to_a_folder]


def clear(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path)


def assert_aside(rig: Rig, doing: str) -> None:
    assert any(text.startswith(f"Paddock cannot {doing}") for text in rig.detail().warnings), rig.detail().warnings


def assert_goes_on(rig: Rig) -> None:
    assert not [text for text in rig.detail().warnings if text.startswith("Paddock cannot")]


def both(rig: Rig) -> tuple[JobFolder, str, str]:
    """Two jobs with a task each; the folder of the first."""
    [one], [two] = rig.job(), rig.job(job=OTHER)
    return rig.home.job(JOB), one, two


@pytest.mark.parametrize("harm", INSTEAD_OF_A_FILE)
def test_instead_of_the_tasks(rig: Rig, victim: Path, harm: Harm) -> None:
    folder, _, _ = both(rig)
    harm(folder.tasks, victim)
    rig.step()
    assert_aside(rig, "write its tasks")
    assert len(rig.published(OTHER)) == 1
    assert victim.read_text() == VICTIM
    clear(folder.tasks)
    rig.step()
    assert_goes_on(rig)
    assert len(rig.published()) == 1


@pytest.mark.parametrize("harm", INSTEAD_OF_A_FILE)
def test_instead_of_the_orders(rig: Rig, victim: Path, harm: Harm) -> None:
    folder, one, two = both(rig)
    rig.step()
    rig.started(KEY, one)
    clear(folder.control)
    harm(folder.control, victim)
    with rig.db.write() as c:
        for job in (JOB, OTHER):
            tasks.request_stop(c, job, None)
    rig.step()
    assert_aside(rig, "stop its tasks")
    assert rig.task(two).state is S.STOPPED
    assert victim.read_text() == VICTIM
    clear(folder.control)
    rig.step()
    assert_goes_on(rig)
    assert rig.control() == [{"op": "stop", "task": one, "attempt": 1}]


@pytest.mark.parametrize("harm", INSTEAD_OF_A_FOLDER)
def test_instead_of_the_claims(rig: Rig, victim: Path, harm: Harm) -> None:
    folder, one, two = both(rig)
    rig.step()
    clear(folder.claims)
    harm(folder.claims, victim)
    before = set(victim.parent.iterdir())
    with rig.db.write() as c:
        for job in (JOB, OTHER):
            tasks.request_stop(c, job, None)
    rig.step()
    assert_aside(rig, "stop its tasks")
    assert (rig.task(one).state, rig.task(two).state) == (S.SUBMITTED, S.STOPPED)
    assert set(victim.parent.iterdir()) == before
    clear(folder.claims)
    rig.step()
    assert_goes_on(rig)
    assert rig.task(one).state is S.STOPPED


@pytest.mark.parametrize("harm", INSTEAD_OF_A_FOLDER)
def test_instead_of_the_allocations(rig: Rig, victim: Path, harm: Harm) -> None:
    folder, _, _ = both(rig)
    harm(folder.allocations, victim)
    before = set(victim.parent.iterdir())
    rig.step()
    assert_aside(rig, "ask for allocations for it")
    assert rig.keys(OTHER) == [f"{OTHER}-a1.0"]
    assert set(victim.parent.iterdir()) == before
    clear(folder.allocations)
    rig.step()
    assert_goes_on(rig)
    assert rig.keys() == [KEY]


def test_the_folder_is_gone_and_comes_back(rig: Rig, tmp_path: Path) -> None:
    folder, _, _ = both(rig)
    folder.root.rename(tmp_path / "away")
    rig.step()
    assert_aside(rig, "write its tasks")
    assert rig.keys(OTHER) == [f"{OTHER}-a1.0"]
    assert not folder.root.exists()
    (tmp_path / "away").rename(folder.root)
    rig.step()
    assert_goes_on(rig)
    assert rig.keys() == [KEY]


def test_very_many_tasks_that_cannot_be_written_hold_up_nobody(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.server.engine.mailbox.PUBLISH_AT_ONCE", 3)
    monkeypatch.setattr(boundary, "FIRST_SECONDS", 60.0)
    rig.job(tasks=5)
    rig.home.job(JOB).tasks.mkdir()
    rig.job(job=OTHER)
    rig.step()
    assert len(rig.published(OTHER)) == 1


def test_a_submission_that_fails_for_its_folder_is_not_the_backends_fault(rig: Rig) -> None:
    both(rig)
    rig.backend.trouble["submit"] = FileNotFoundError(2, "No such file or directory", "/jobs/a1.asked")
    rig.step()
    assert_aside(rig, "submit its allocations")
    assert rig.engine.backends == {"fake": "ok"}
    del rig.backend.trouble["submit"]
    rig.step()
    assert_goes_on(rig)
    assert {row.state for row in rig.rows()} == {"pending"}


@pytest.mark.parametrize("harm", [as_folder, as_pipe, as_link, as_hard_link])
def test_instead_of_what_a_runner_printed(rig: Rig, victim: Path, harm: Harm) -> None:
    [task] = rig.job()
    for number in range(1, observe.FAILED_STARTS + 1):
        rig.step()
        key = f"{JOB}-a{number}.0"
        harm(rig.home.job(JOB).allocation(key) / "out.log", victim)
        rig.backend.end(f"id-{key}")
        rig.step()
    assert (rig.task(task).state, rig.task(task).cause) == (S.ERROR, Cause.LAUNCH_FAILED)
    assert "it printed nothing" in (rig.task(task).reason or "")


@pytest.mark.parametrize("harm", [None, as_file, as_pipe, as_link, as_link_to_itself, as_link_to_a_folder])
def test_a_job_with_a_strange_folder_can_be_removed(rig: Rig, victim: Path, harm: Harm | None) -> None:
    folder, _, _ = both(rig)
    rig.step()
    clear(folder.root)
    if harm is not None:
        harm(folder.root, victim)
    with rig.db.write() as c:
        jobs.mark_removing(c, JOB)
    rig.step()
    rig.backend.end(f"id-{KEY}")
    rig.step()
    with rig.db.read() as c:
        assert jobs.removing(c) == []
    assert rig.rows() == []
    assert not os.path.lexists(folder.root)
    rig.engine._sweeper.submit(lambda: None).result(120)
    assert list(rig.home.incoming.iterdir()) == []
    assert victim.read_text() == VICTIM
    assert rig.detail(OTHER).id == OTHER


def test_also_one_whose_allocations_cannot_be_submitted(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundary, "FIRST_SECONDS", 60.0)
    both(rig)
    rig.backend.trouble["submit"] = FileNotFoundError(2, "No such file or directory", "/jobs/a1.asked")
    rig.step()
    with rig.db.write() as c:
        jobs.mark_removing(c, JOB)
    rig.step()
    assert rig.rows() == []
