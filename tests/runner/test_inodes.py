"""Test how many files and folders a task has in the job folder: sites limit their number."""

import os
import sys
from pathlib import Path

import pytest

from paddock.runner.mailbox import QueuedAttempt
from paddock.runner.process.prepare import MANY_FILES, AttemptPlace, Preparer
from tests.runner.folder import Folder, ended, wait_for
from tests.runner.test_runner_members import Cluster, cluster, team

__all__ = ["cluster"]

WAIT = "import os, time\nprint('ready', flush=True)\nwhile not os.path.exists({go!r}): time.sleep(0.02)\n"
PLAIN = "print('epoch 1 loss 0.5')\n"
BUSY = """
import json, os
with open(os.environ["PADDOCK_REPORT"], "a") as file: file.write('{"loss": 1.0}\\n')
with open(os.environ["PADDOCK_CHECKPOINT_DIR"] + "/model", "w") as file: file.write("x")
"""


def inodes(folder: Folder, task: str = "t-1") -> list[str]:
    """All that is there of a task, by its path."""
    found = [path for path in (folder.root / "claims").iterdir() if path.name.startswith(task + ".")]
    results = folder.results(task)
    found += [results, *results.rglob("*")] if results.exists() else []  # which follows no links
    return sorted(str(path.relative_to(folder.root)).replace(f"results/{folder.job}/", "") for path in found)


@pytest.mark.parametrize(
    ("script", "running", "over"),
    [
        (PLAIN, 10, ["attempts/1/out.log", "attempts/1/params.json"]),
        (BUSY, 12, ["attempts/1/out.log", "attempts/1/params.json", "attempts/1/report.jsonl", "checkpoint/model"]),
    ],
    ids=["plain", "with a report and a checkpoint"],
)
def test_a_task_takes_few(folder: Folder, tmp_path: Path, script: str, running: int, over: list[str]) -> None:
    go = tmp_path / "go"
    folder.add("t-1", sys.executable, folder.code("train.py", script + WAIT.format(go=str(go))), params={"lr": 0.1})
    folder.end()
    folder.allocate()
    runner = folder.start()
    wait_for(lambda: (folder.results("t-1") / "attempts/1/out.log").exists() and "ready" in folder.log("t-1"))
    assert len(inodes(folder)) <= running
    go.touch()
    assert runner.wait(120) == 0
    folders = {f"t-1/{parent}".rstrip("/.") for path in over for parent in Path(path).parents}
    assert inodes(folder) == sorted(["claims/t-1.1", *folders, *(f"t-1/{path}" for path in over)])


def test_what_the_task_wrote_stays_and_nothing_is_removed_through_a_link(folder: Folder, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    for path in (elsewhere / "work", elsewhere / "checkpoint"):
        path.mkdir(parents=True)
    (folder.root / "code" / "data" / "in").mkdir(parents=True)
    (folder.root / "code" / "data" / "in" / "a.txt").write_text("shipped")
    (folder.root / "code" / "data" / "b.txt").write_text("shipped")
    # Its own file in place of a link, one in a folder of the snapshot, a link of its own, other parameters.
    writes = """
import json, os
os.unlink("data/b.txt")
open("data/b.txt", "w").write("mine")
open("model.h5", "w").write("mine")
os.symlink("model.h5", "latest")
os.unlink("train.py")
os.symlink("/nowhere", "train.py")
open(os.environ["PADDOCK_PARAMS"], "a").write("mine")
os.rmdir(os.environ["PADDOCK_CHECKPOINT_DIR"])
os.symlink(%r, os.environ["PADDOCK_CHECKPOINT_DIR"])
"""
    folder.add("t-1", sys.executable, folder.code("train.py", writes % str(elsewhere / "checkpoint")))
    # The whole working folder is a link to one that looks like it.
    swaps = """
import os
work = os.getcwd()
for name in ("train.py", "swap.py", "results"): os.symlink(os.readlink(name), os.path.join(%r, name))
os.rename(work, work + ".mine")
os.symlink(%r, work)
"""
    there = str(elsewhere / "work")
    folder.add("t-2", sys.executable, folder.code("swap.py", swaps % (there, there)))
    folder.end()
    folder.allocate()
    records = folder.run()
    assert [ended(records, task)["exit"] for task in ("t-1", "t-2")] == [0, 0], folder.log("t-1") + folder.log("t-2")
    work = folder.results("t-1") / "work"
    found = sorted(str(path.relative_to(work)) for path in work.rglob("*"))
    assert found == ["data", "data/b.txt", "latest", "model.h5", "train.py"]
    assert (work / "data/b.txt").read_text() == "mine"
    assert (folder.results("t-1") / "attempts/1/params.json").read_text() == "{}mine"
    assert (folder.results("t-1") / "checkpoint").is_symlink()
    assert (elsewhere / "checkpoint").is_dir()
    assert sorted(path.name for path in (elsewhere / "work").iterdir()) == ["results", "swap.py", "train.py"]
    assert (folder.results("t-2") / "work.mine" / "swap.py").is_symlink()
    assert (folder.root / "code/data/in/a.txt").read_text() == "shipped"


@pytest.mark.parametrize("resume", [False, True])
def test_the_next_attempt_has_all_of_it_again(folder: Folder, resume: bool) -> None:
    (folder.root / "code" / "data").mkdir()
    (folder.root / "code" / "data" / "a.txt").write_text("shipped")
    script = """
import json, os
print(json.load(open(os.environ["PADDOCK_PARAMS"])), os.listdir(os.environ["PADDOCK_CHECKPOINT_DIR"]))
print(open("data/a.txt").read(), os.path.samefile("results", os.environ["PADDOCK_RESULTS_DIR"] + "/../.."))
"""
    for number in (1, 2):
        folder.python_task("t-1", script, attempt=number, resume=resume and number > 1, params={"n": number})
    folder.end()
    folder.allocate()
    assert [r["exit"] for r in folder.run() if r["e"] == "ended"] == [0, 0]
    for number in (1, 2):
        assert folder.log("t-1", number) == f"{{'n': {number}}} []\nshipped True\n"
    logs = [f"t-1/attempts/{n}{end}" for n in (1, 2) for end in ("", "/out.log", "/params.json")]
    assert inodes(folder) == ["claims/t-1.1", "claims/t-1.2", "t-1", "t-1/attempts", *logs]


def test_one_that_never_started_leaves_little(folder: Folder) -> None:
    folder.code("train.py", "")
    folder.add("t-1", "/no/such/program")
    folder.end()
    folder.allocate()
    assert ended(folder.run(), "t-1")["cause"] == "launch_failed"
    written = [f"t-1/attempts/1{end}" for end in ("", "/out.log", "/params.json")]
    assert inodes(folder) == ["claims/t-1.1", "t-1", "t-1/attempts", *written]


def test_files_of_members_are_removed(folder: Folder, cluster: Cluster) -> None:
    folder.python_task("t-1", "print('done')")
    folder.end()
    folder.allocate(members=team(2, 2, "srun"))
    assert ended(folder.run(**cluster.env), "t-1")["exit"] == 0
    written = [f"t-1/attempts/1{end}" for end in ("", "/out.log", "/params.json")]
    assert inodes(folder) == ["claims/t-1.1", "t-1", "t-1/attempts", *written]


def test_a_runner_that_is_late_takes_nothing_from_the_next_attempt(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").touch()
    preparer = Preparer(str(tmp_path), "j")

    def prepare(number: int) -> AttemptPlace:
        attempt = QueuedAttempt("j-1", number, {"task": "j-1", "attempt": number, "resume": True})
        return preparer.prepare(attempt)

    first, second = prepare(9), prepare(10)
    preparer.tidy(first)
    assert os.path.isdir(second.checkpoint)
    assert os.path.lexists(os.path.join(second.work, "train.py"))
    preparer.tidy(second)
    assert not os.path.exists(second.checkpoint)
    assert not os.path.exists(second.work)


def test_from_a_task_that_has_no_checkpoint_so_far(folder: Folder) -> None:
    folder.python_task("t-1", "print(1)")
    folder.python_task("t-2", BUSY)
    folder.python_task("t-2", BUSY, attempt=2, resume=True, **{"from": "t-1"})
    folder.code("t-2.py", "import os\nprint(os.listdir(os.environ['PADDOCK_CHECKPOINT_DIR']))\n" + BUSY)
    folder.end()
    folder.allocate()
    assert [r["exit"] for r in folder.run() if r["e"] == "ended"] == [0, 0, 0]
    assert folder.log("t-2", 2) == "[]\n"


def test_copies_with_the_values_of_a_task(tmp_path: Path) -> None:
    code = tmp_path / "code"
    (code / "conf" / "deep").mkdir(parents=True)
    for number in range(MANY_FILES + 1):  # then a folder is linked as a whole
        (code / "conf" / f"{number}.txt").touch()
    (code / "train.py").write_text("LR = 0.1\n")
    (code / "conf" / "deep" / "a.yaml").write_text("lr: 0.1\n")
    edits = {"train.py": {"size": 9, "put": [[5, 8, "0.5"]]}, "conf/deep/a.yaml": {"size": 8, "put": [[4, 7, "7"]]}}
    preparer = Preparer(str(tmp_path), "j")
    line = {"task": "j-1", "attempt": 1, "edits": edits}
    place = preparer.prepare(QueuedAttempt("j-1", 1, line))
    work = Path(place.work)
    assert (work / "train.py").read_text() == "LR = 0.5\n"
    assert (work / "conf" / "deep" / "a.yaml").read_text() == "lr: 7\n"
    assert (work / "conf" / "7.txt").resolve() == code / "conf" / "7.txt"
    assert (code / "train.py").read_text() == "LR = 0.1\n"
    (work / "conf" / "deep" / "mine.txt").write_text("kept")
    preparer.tidy(place)
    assert [str(p.relative_to(work)) for p in sorted(work.rglob("*"))] == ["conf", "conf/deep", "conf/deep/mine.txt"]
    again = preparer.prepare(QueuedAttempt("j-1", 2, {**line, "attempt": 2, "resume": True}))
    assert (Path(again.work) / "train.py").read_text() == "LR = 0.5\n"
    (code / "train.py").write_text("LR = 0.1  # changed by a task\n")
    with pytest.raises(OSError, match="submit the job again"):
        preparer.prepare(QueuedAttempt("j-1", 3, {**line, "attempt": 3, "resume": True}))
    with pytest.raises(OSError, match="not a path inside"):
        preparer.prepare(QueuedAttempt("j-2", 1, {"edits": {"../x": {"size": 0}}}))
