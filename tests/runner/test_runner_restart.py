"""Test a second attempt: from the beginning, or from the checkpoint."""

import os
from pathlib import Path
from typing import Any

import pytest

from paddock.runner.process import resume
from tests.runner.folder import Folder, ended

SCRIPT = """
import json, os, sys
results, checkpoint = os.environ["PADDOCK_RESULTS_DIR"], os.environ["PADDOCK_CHECKPOINT_DIR"]
before = sorted(os.listdir(checkpoint) + os.listdir(".") + os.listdir(results))
print(" ".join(before))
n = os.environ["PADDOCK_ATTEMPT"]
for path in (checkpoint + "/model", "weights.h5", results + "/log.csv"):
    open(path, "a").write(n)
os.makedirs(checkpoint + "/deep/er", exist_ok=True)
"""
ASKED = "assert json.load(open(os.environ['PADDOCK_PARAMS'])) == {'n': int(n)}"


def attempts(folder: Folder, *resume: bool) -> None:
    for number, value in enumerate(resume, 1):
        folder.python_task("t-1", SCRIPT + ASKED, attempt=number, resume=value, params={"n": number})
    folder.end()
    folder.allocate()
    assert [r["exit"] for r in folder.run() if r["e"] == "ended"] == [0] * len(resume)


def test_fresh(folder: Folder) -> None:
    attempts(folder, False, False, False)
    results = folder.results("t-1")
    assert folder.log("t-1", 1) == folder.log("t-1", 3) == "attempts checkpoint results t-1.py work\n"
    for path, text in {
        "checkpoint/model": "3",
        "work/weights.h5": "3",
        "log.csv": "3",
        "attempts/1/kept/work/weights.h5": "1",
        "attempts/1/kept/log.csv": "1",
        "attempts/2/kept/work/weights.h5": "2",
        "attempts/2/kept/log.csv": "2",
        "attempts/2/params.json": '{"n": 2}',
    }.items():
        assert (results / path).read_text() == text
    assert os.listdir(results / "attempts/1/kept/work") == ["weights.h5"]
    assert not (results / "attempts/3/kept").exists()


def test_resume(folder: Folder) -> None:
    attempts(folder, False, True)
    results = folder.results("t-1")
    assert folder.log("t-1", 2) == "attempts checkpoint deep log.csv model results t-1.py weights.h5 work\n"
    for path in ("checkpoint/model", "work/weights.h5", "log.csv"):
        assert (results / path).read_text() == "12"
    assert not (results / "attempts/1/kept").exists()


def test_fresh_when_the_first_never_started(folder: Folder) -> None:
    folder.python_task("t-1", SCRIPT, attempt=2)
    folder.end()
    folder.allocate()
    assert ended(folder.run(), "t-1")["exit"] == 0
    assert not (folder.results("t-1") / "attempts/1").exists()


def test_a_linked_checkpoint_folder_is_not_emptied(folder: Folder) -> None:
    elsewhere = folder.root / "big disk"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("x")
    folder.results("t-1").mkdir(parents=True)
    (folder.results("t-1") / "checkpoint").symlink_to(elsewhere)
    folder.python_task("t-1", SCRIPT, attempt=2)
    folder.end()
    folder.allocate()
    assert ended(folder.run(), "t-1")["exit"] == 0
    assert (elsewhere / "precious").exists()
    assert not (folder.results("t-1") / "checkpoint").is_symlink()


def test_from_a_copy_of_another_checkpoint(folder: Folder, python: str) -> None:
    folder.python = python
    folder.python_task("t-1", SCRIPT)
    folder.python_task("t-2", SCRIPT)
    folder.python_task("t-2", SCRIPT, attempt=2, resume=True, **{"from": "t-1"})
    folder.code("t-1.py", SCRIPT + "\nopen(checkpoint + '/of', 'w').write('t-1')\n")
    folder.code("t-2.py", SCRIPT + "\nopen(checkpoint + '/mine', 'w').write('t-2')\n")
    folder.end()
    folder.allocate()
    assert [r["exit"] for r in folder.run() if r["e"] == "ended"] == [0, 0, 0]
    assert "deep log.csv model of results" in folder.log("t-2", 2), "not that of t-2, with all that it holds"
    mine, other = (folder.results(task) / "checkpoint" for task in ("t-2", "t-1"))
    assert ((mine / "model").read_text(), (other / "model").read_text()) == ("12", "1")
    assert sorted(path.name for path in mine.parent.iterdir()) == ["attempts", "checkpoint", "log.csv", "work"]


def test_the_other_one_has_no_checkpoint(folder: Folder) -> None:
    folder.python_task("t-2", SCRIPT, resume=True, **{"from": "t-9"})
    folder.end()
    folder.allocate()
    end = ended(folder.run(), "t-2")
    assert (end["cause"], "t-9" in end["reason"]) == ("launch_failed", True)


def test_a_copy_is_made_again_while_its_owner_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    (target / "old").write_text("mine")
    (source / "model").write_text("half")
    looks = []

    def pause(_: float) -> None:
        looks.append((source / "model").read_text())

    real = resume._stamps

    def stamps(folder: str) -> Any:
        found = real(folder)
        if len(looks) < 2 and (tmp_path / "target.new").exists():  # while the copy was made
            (source / "model").write_text("x" * (len(looks) + 5))
            return real(folder)
        return found

    monkeypatch.setattr(resume, "_stamps", stamps)
    resume.copy_checkpoint(str(source), str(target), pause)
    assert looks == ["x" * 5, "x" * 6]
    assert [(path.name, path.read_text()) for path in target.iterdir()] == [("model", "x" * 6)]
