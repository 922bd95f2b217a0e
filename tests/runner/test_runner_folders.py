"""Test the working folder: reads come from the snapshot, writes stay with the task."""

from pathlib import Path

from paddock.runner.mailbox import QueuedAttempt
from paddock.runner.process import prepare
from paddock.runner.process.prepare import AttemptPlace, Preparer


def _prepare(job: Path, task: str, number: int = 1, *, resume: bool = False) -> AttemptPlace:
    line = {"task": task, "attempt": number, "resume": resume, "params": {}}
    return Preparer(str(job), "j").prepare(QueuedAttempt(task, number, line))


def _job(root: Path) -> Path:
    (root / "code" / "logs" / "old").mkdir(parents=True)
    (root / "code" / "train.py").write_text("script")
    (root / "code" / "logs" / "old" / "a.txt").write_text("shipped")
    (root / "results").mkdir()
    return root


def test_folders_of_the_snapshot_are_the_tasks_own(tmp_path: Path) -> None:
    job = _job(tmp_path)
    works = [Path(_prepare(job, f"j-{n}").work) for n in (1, 2)]
    for work in works:
        assert (work / "train.py").read_text() == "script"
        assert (work / "logs" / "old" / "a.txt").read_text() == "shipped"
        (work / "logs" / "new.csv").write_text(str(work))
        (work / "results" / "j" / work.parent.name / "x.csv").write_text("x")
    assert [(work / "logs" / "new.csv").read_text() for work in works] == [str(work) for work in works]
    assert not (job / "code" / "logs" / "new.csv").exists()
    assert (job / "results" / "j" / "j-1" / "x.csv").exists()


def test_plain_restart_keeps_what_was_written_and_not_the_links(tmp_path: Path) -> None:
    job = _job(tmp_path)
    first = _prepare(job, "j-1")
    (Path(first.work) / "logs" / "new.csv").write_text("old result")
    second = _prepare(job, "j-1", 2)
    kept = Path(first.attempt_dir) / "kept" / "work"
    assert (kept / "logs" / "new.csv").read_text() == "old result"
    assert not (kept / "train.py").is_symlink()
    assert not (Path(second.work) / "logs" / "new.csv").exists()
    assert (Path(second.work) / "logs" / "old" / "a.txt").read_text() == "shipped"


def test_very_many_files_are_linked_by_their_folders(tmp_path: Path) -> None:
    job = _job(tmp_path)
    many = job / "code" / "data"
    many.mkdir()
    for n in range(prepare.MANY_FILES + 1):
        (many / str(n)).touch()
    work = Path(_prepare(job, "j-1").work)
    assert (work / "data").is_symlink()
    assert (work / "logs" / "old" / "a.txt").read_text() == "shipped"
