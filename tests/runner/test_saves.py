"""When a task has saved something from which it can go on."""

import json
from pathlib import Path

from paddock.runner.process.saves import MOST_LOOKS, SaveWatch
from tests.runner.folder import Folder

SAVES = """
import os, time
folder = os.environ["PADDOCK_CHECKPOINT_DIR"]
time.sleep(0.5)
open(os.path.join(folder, "state"), "w").write("1")
time.sleep(2)
"""


def looks(watch: SaveWatch, count: int) -> list[bool]:
    return [watch.look() for _ in range(count)]


def test_what_was_there_before_is_not_saved_by_this_attempt(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("1")
    watch = SaveWatch(str(tmp_path))
    assert looks(watch, 3) == [False] * 3
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "new").write_text("12")
    assert looks(watch, 3) == [False, True, False]


def test_an_empty_file_is_nothing(tmp_path: Path) -> None:
    watch = SaveWatch(str(tmp_path))
    (tmp_path / "new").touch()
    (tmp_path / "folder").mkdir()
    assert looks(watch, 9) == [False] * 9


def test_one_that_writes_all_the_time_counts_after_a_while(tmp_path: Path) -> None:
    watch, found = SaveWatch(str(tmp_path)), []
    for size in range(1, MOST_LOOKS + 3):
        (tmp_path / "state").write_bytes(b"x" * size)
        found.append(watch.look())
    assert found == [False] * MOST_LOOKS + [True, False]


def test_a_folder_that_is_gone_or_has_very_many_files(tmp_path: Path) -> None:
    assert not any(looks(SaveWatch(str(tmp_path / "none")), 2))
    watch = SaveWatch(str(tmp_path))
    for number in range(500):
        (tmp_path / str(number)).write_text("x")
    assert looks(watch, 2) == [False, True]


def test_a_runner_reports_it_once_for_tasks_that_can_be_resized(folder: Folder) -> None:
    folder.python_task("t-1", SAVES, size=1)
    folder.python_task("t-2", SAVES)
    folder.end()
    folder.allocate(gpus={"task": 1, "per": 1, "mps": False, "known": {}})
    records = folder.run(CUDA_VISIBLE_DEVICES="0")
    saved = [one for one in records if one["e"] == "saved"]
    assert [(one["task"], one["attempt"]) for one in saved] == [("t-1", 1)], json.dumps(records)
