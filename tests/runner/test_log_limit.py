"""Test the largest size of a log: its middle is dropped, the task notices nothing, no metric comes twice."""

import os
from pathlib import Path

from paddock.runner.process.log_limit import LogLimit
from tests.runner.folder import Folder

MOST = 1024**2
SCRIPT = """
import sys, time
print("first line", flush=True)
for i in range(40):
    print(f"epoch: {i} loss: {i}.5", flush=True)
    sys.stdout.write(("x" * 99 + "\\n") * 2000)
    sys.stdout.flush()
    time.sleep(0.1)
print("last line", flush=True)
"""


def _lines(first: int, count: int) -> bytes:
    return b"".join(b"line %09d\n" % number for number in range(first, first + count))


def test_beginning_and_end_stay_and_a_line_says_what_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "out.log"
    limit = LogLimit(str(path), str(tmp_path), MOST)
    assert limit.check() is None
    writer = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    written = 0
    for _ in range(10):
        os.write(writer, _lines(written, 20_000))
        written += 20_000
        limit.check()
        assert path.stat().st_size <= MOST
    os.close(writer)
    lines = path.read_bytes().split(b"\n")
    [said] = [at for at, line in enumerate(lines) if line.startswith(b"[paddock]")]
    assert b"larger than 1 MiB" in lines[said]
    assert lines[0] == b"line 000000000"
    assert lines[-2] == b"line %09d" % (written - 1)
    assert all(
        line.startswith(b"line ") and len(line) == 14 for at, line in enumerate(lines[:-1]) if at != said and line
    )


def test_a_place_in_the_file_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "out.log"
    path.write_bytes(_lines(0, 100_000))
    size = path.stat().st_size
    mark = path.read_bytes()[size - 5000 : size - 4900]
    place = LogLimit(str(path), str(tmp_path), MOST).check()
    assert place is not None
    cut = path.read_bytes()
    assert cut[place(size - 5000) :].startswith(mark)
    assert (place(size), place(100)) == (len(cut), 100)
    assert cut[place(size // 2 + MOST // 4) :].startswith(b"line ")  # dropped: from the end's beginning on


def test_small_logs_and_holes_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.log"
    path.write_bytes(b"small\n")
    os.truncate(path, 50 * MOST)
    assert LogLimit(str(path), str(tmp_path), MOST).check() is None


def test_a_task_that_prints_much_is_not_disturbed_and_its_metrics_are_whole(folder: Folder) -> None:
    folder.allocate(log_bytes=MOST)
    folder.python_task("t-1", SCRIPT)
    folder.end()
    records = folder.run()
    [ended] = [r for r in records if r["e"] == "ended"]
    assert ended["exit"] == 0
    log = folder.log("t-1")
    assert len(log) < 3 * MOST  # 8 MB were printed
    assert log.startswith("first line")
    assert log.rstrip().endswith("last line")
    assert "[paddock] this log was larger than 1 MiB" in log
    assert not [r for r in records if r["e"] == "reset"]
    steps = [r["step"] for r in records if r["e"] == "metric"]
    assert steps == sorted(set(steps))
    assert not [r["text"] for r in records if r["e"] == "warning" and "could not follow" in r["text"]]
