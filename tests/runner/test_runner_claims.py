"""Test which runner runs what, and when a runner leaves."""

import os
import time
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from paddock.runner import mailbox
from tests.runner.folder import Folder, ended, kinds, wait_for


def test_every_task_runs_exactly_once(folder: Folder) -> None:
    ran = folder.root / "ran"
    for i in range(60):
        folder.add(f"t-{i}", "sh", "-c", f"echo {i} >> '{ran}'")
    folder.end()
    runners = []
    for key in ("a1.0", "a2.0", "a3.0"):
        folder.allocate(key, slots=2)
        runners.append(folder.start(key))
    assert [runner.wait(120) for runner in runners] == [0, 0, 0]
    assert Counter(ran.read_text().split()) == {str(i): 1 for i in range(60)}
    both = [r["task"] for key in ("a1.0", "a2.0", "a3.0") for r in folder.records(key) if r["e"] == "ended"]
    assert sorted(both) == sorted(f"t-{i}" for i in range(60))


def test_two_starts_of_an_allocation(folder: Folder) -> None:
    for i in range(20):
        folder.add(f"t-{i}", "true")
    folder.end()
    folder.allocate()
    runners = [folder.start(), folder.start()]
    assert [runner.wait(120) for runner in runners] == [0, 0]
    first, second = folder.records(number=1), folder.records(number=2)
    assert first[0]["e"] == second[0]["e"] == "runner"
    assert first[-1]["e"] == second[-1]["e"] == "bye"
    assert kinds(first + second).count("ended") == 20

    folder.run()
    assert kinds(folder.records(number=3)) == ["runner", "bye"]


def test_withdrawn_is_not_run(folder: Folder) -> None:
    folder.add("t-1", "true")
    folder.add("t-2", "true")
    folder.end()
    os.symlink("withdrawn", folder.root / "claims" / "t-1.1")
    folder.allocate()
    records = folder.run()
    assert [r["task"] for r in records if r["e"] == "ended"] == ["t-2"]
    assert not folder.results("t-1").exists()


@pytest.mark.parametrize("op", ["stop", "prune"])
def test_stopped_before_it_was_claimed(folder: Folder, op: str) -> None:
    folder.add("t-1", "true")
    folder.add("t-1", "true", attempt=2)
    folder.end()
    folder.order(op, task="t-1", attempt=1)
    folder.allocate()
    records = folder.run()
    assert [r["attempt"] for r in records if r["e"] == "ended"] == [2]
    assert not (folder.root / "claims" / "t-1.1").exists()


def test_torn_and_foreign_lines_are_skipped(folder: Folder) -> None:
    folder.add("t-1", "true")
    folder.append("tasks.jsonl", b'{"task": "t-2", "attempt": 1, "argv": ["tr\n')
    folder.append("tasks.jsonl", b"\xff\xfe\x00 junk\n[1, 2]\n7\n\n" + b"[" * 100_000 + b"\n")
    folder.append("tasks.jsonl", b'{"task": "../../evil", "attempt": 1, "argv": ["true"]}\n{"task": "t-9"}\n')
    folder.append("control.jsonl", b'{"op": "stop"}\n{"op": "dance"}\n{"op": "stop", "ta\n')
    folder.add("t-2", "true")
    folder.add("t-2", "true")
    folder.end()
    folder.append("tasks.jsonl", b"not a valid line, so the end is still the last one\n")
    folder.allocate()
    records = folder.run()
    assert [r["task"] for r in records if r["e"] == "ended"] == ["t-1", "t-2"]


def test_half_a_line_is_left_until_it_is_whole(folder: Folder) -> None:
    folder.allocate()
    folder.append("tasks.jsonl", '{"task": "t-1", "attempt": 1, ')
    runner = folder.start()
    wait_for(folder.records)
    time.sleep(0.2)
    assert kinds(folder.records()) == ["runner"]
    folder.append("tasks.jsonl", '"argv": ["true"]}\n')
    folder.await_record("ended", "t-1")
    folder.end()
    assert runner.wait(120) == 0


def test_lines_after_the_end_are_valid(folder: Folder) -> None:
    folder.add("t-1", "sleep", "0.5")
    folder.end()
    folder.allocate()
    runner = folder.start()
    folder.await_record("started", "t-1")
    folder.add("t-2", "true")
    folder.await_record("ended", "t-2")
    time.sleep(0.2)
    assert runner.poll() is None
    folder.end()
    assert runner.wait(120) == 0


def test_leaves_when_idle(folder: Folder) -> None:
    folder.add("t-1", "sleep", "0.6")
    folder.allocate(idle_seconds=0.4)
    records = folder.run()
    assert kinds(records) == ["runner", "started", "ended", "bye"]
    assert records[-1]["at"] - ended(records, "t-1")["at"] >= 0.39


def test_drain(folder: Folder) -> None:
    folder.add("t-1", "sleep", "0.5")
    folder.add("t-2", "true")
    folder.allocate()
    runner = folder.start()
    folder.await_record("started", "t-1")
    folder.order("drain", allocation="another")
    folder.order("drain", allocation="a1.0")
    assert runner.wait(120) == 0
    records = folder.records()
    assert kinds(records) == ["runner", "started", "ended", "bye"]
    assert ended(records, "t-1")["exit"] == 0
    assert not (folder.root / "claims" / "t-2.1").exists()


def test_drained_now_it_ends_what_runs(folder: Folder) -> None:
    """Its scheduler has said that the allocation is over, and it did not know."""
    folder.add("t-1", "sleep", "600")
    folder.add("t-2", "true")
    folder.allocate()
    runner = folder.start()
    folder.await_record("started", "t-1")
    folder.order("drain", allocation="a1.0", start=0, now=True)  # of an earlier start: not meant
    folder.order("drain", allocation="a1.0", start=1, now=True)
    assert runner.wait(120) == 0
    end = ended(folder.records(), "t-1")
    assert (end["by"], end["cause"], end["signal"]) == ("shutdown", None, 15)
    assert not (folder.root / "claims" / "t-2.1").exists()


def test_a_later_start_than_the_one_that_was_drained_goes_on(folder: Folder) -> None:
    folder.add("t-1", "true")
    folder.end()
    folder.order("drain", allocation="a1.0", start=1, now=True)
    folder.allocate()
    assert kinds(folder.run()) == ["runner", "bye"]
    assert folder.start().wait(120) == 0
    assert ended(folder.records(number=2), "t-1")["exit"] == 0


def test_a_claim_is_a_file_that_names_the_allocation(folder: Folder) -> None:
    folder.add("t-1", "true")
    folder.end()
    folder.allocate()
    folder.run()
    assert (folder.root / "claims" / "t-1.1").read_text() == "a1.0\n"


@pytest.mark.parametrize("made", ["folder", "file", "link"])
def test_what_another_has_is_not_taken(folder: Folder, made: str) -> None:
    claim = folder.root / "claims" / "t-1.1"
    if made == "folder":  # by an older runner
        claim.mkdir()
    elif made == "file":
        claim.touch()
    else:
        claim.symlink_to(folder.root / "elsewhere")
    folder.add("t-1", "true")
    folder.end()
    folder.allocate()
    assert kinds(folder.run()) == ["runner", "bye"]
    assert not (folder.root / "elsewhere").exists()


def test_missing_claims_folder_is_waited_for(folder: Folder) -> None:
    claims = folder.root / "claims"
    claims.rmdir()
    folder.add("t-1", "true")
    folder.end()
    folder.allocate()
    runner = folder.start()
    wait_for(lambda: "cannot claim" in folder.complaints())
    claims.mkdir()
    assert runner.wait(120) == 0
    assert folder.complaints().count("cannot claim") == 1
    assert ended(folder.records(), "t-1")["exit"] == 0


def test_it_reads_orders_before_each_claim(folder: Folder) -> None:
    folder.add("t-1", "true")
    folder.add("t-2", "true")
    box = mailbox.Mailbox(str(folder.root), "a1.0")
    box.read()
    far = time.monotonic() + 60
    assert box.claim(far, lambda _: True) is not None
    folder.order("drain", allocation="a1.0", now=True)
    assert box.claim(far, lambda _: True) is None
    assert box.dismissed
    assert not (folder.root / "claims" / "t-2.1").exists()


class Calls:
    """Counts claims that are tried, and listings of folders."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tries = self.lists = 0
        self._open, self._scandir = os.open, os.scandir
        monkeypatch.setattr(os, "open", self.open)
        monkeypatch.setattr(os, "scandir", self.scandir)

    def open(self, path: Any, flags: int, *args: Any, **options: Any) -> int:
        self.tries += bool(flags & os.O_EXCL)
        return self._open(path, flags, *args, **options)

    def scandir(self, path: Any) -> Any:
        self.lists += 1
        return self._scandir(path)


def claim_all(box: mailbox.Mailbox, most: int = 10_000) -> list[int]:
    taken: list[int] = []
    while len(taken) < most and (attempt := box.claim(time.monotonic() + 60, lambda _: True)) is not None:
        taken.append(int(attempt.task.partition("-")[2]))
    return taken


def test_a_runner_that_is_alone_keeps_the_order(folder: Folder) -> None:
    for number in range(300):
        folder.add(f"t-{number}", "true")
    box = mailbox.Mailbox(str(folder.root), "a1.0")
    box.read()
    assert claim_all(box) == list(range(300))


def test_a_late_runner_looks_at_the_claims_once(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1000):
        folder.add(f"t-{number}", "true")
        if number < 900:
            (folder.root / "claims" / f"t-{number}.1").touch()
    box = mailbox.Mailbox(str(folder.root), "a1.0")
    box.read()
    calls = Calls(monkeypatch)
    assert claim_all(box, 1) == [900]
    assert (calls.tries, calls.lists) == (2, 1)
    assert claim_all(box) == list(range(901, 1000))
    assert calls.tries == 101


def test_runners_of_a_batch_begin_at_places_of_their_own(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(400):
        folder.add(f"t-{number}", "true")
    boxes = [mailbox.Mailbox(str(folder.root), f"a1.{number}") for number in range(40)]
    for box in boxes:
        box.read()
    calls = Calls(monkeypatch)
    assert [claim_all(box, 1) for box in boxes] == [[number] for number in range(40)]
    assert calls.tries == 40
    taken = sorted(number for box in [*boxes] * 20 for number in claim_all(box, 1))
    assert taken == list(range(40, 400)), "each once, and all of them"


def test_what_is_left_behind_is_claimed(folder: Folder) -> None:
    """A runner passes over attempts that others will have. When they end without claiming them, it comes back."""
    for number in range(500):
        folder.add(f"t-{number}", "true")
    one, other = (mailbox.Mailbox(str(folder.root), f"a1.{number}") for number in range(2))
    for box in (one, other):
        box.read()
    taken = [number for _ in range(20) for box in (one, other, other, other) for number in claim_all(box, 1)]
    assert sorted(taken + claim_all(one)) == list(range(500))


def test_it_keeps_places_instead_of_lines(folder: Folder) -> None:
    for number in range(2000):
        folder.add(f"t-{number}", "true", params={f"p{n}": number for n in range(20)})
    box = mailbox.Mailbox(str(folder.root), "a1.0")
    tracemalloc.start()
    box.read()
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert used < 400 * 2000
    attempt = box.claim(time.monotonic() + 60, lambda _: True)
    assert attempt is not None and attempt.params["p19"] == 0


def test_a_line_that_is_not_there_any_more_is_not_claimed(folder: Folder) -> None:
    for number in range(3):
        folder.add(f"t-{number}", "true")
    box = mailbox.Mailbox(str(folder.root), "a1.0")
    box.read()
    tasks = folder.root / "tasks.jsonl"
    tasks.write_bytes(tasks.read_bytes().replace(b"t-0", b"t-9"))
    assert claim_all(box) == [1, 2]
    assert sorted(os.listdir(folder.root / "claims")) == ["t-1.1", "t-2.1"]


def test_a_file_of_tasks_is_read_in_pieces(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "READ_BYTES", 300)
    for number in range(20):
        folder.add(f"t-{number}", "true")
        folder.end()
    folder.append("tasks.jsonl", b"x" * 1000 + b"\n")
    folder.add("t-20", "true")
    folder.end()
    box = mailbox.Mailbox(str(folder.root), "a1.0")
    taken = []
    for _ in range(100):
        box.read()
        while (attempt := box.claim(time.monotonic() + 60, lambda _: True)) is not None:
            taken.append(attempt.task)
        if box.closed:
            break
    assert taken == [f"t-{number}" for number in range(21)]


@pytest.mark.parametrize("name", ["tasks.jsonl", "control.jsonl"])
@pytest.mark.parametrize("kind", ["pipe", "link", "folder", "device"])
def test_whatever_else_stands_for_the_engines_files_is_not_read(folder: Folder, name: str, kind: str) -> None:
    path = folder.root / name
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        (folder.root / "real").write_text('{"end": true}\n{"op": "drain", "allocation": "a1.0"}\n')
        path.symlink_to("real")
    box = mailbox.Mailbox(str(folder.root), "a1.0")
    box.read()
    assert (box.empty, box.closed, box.drained) == (True, False, False)


def test_without_a_manifest_it_says_so(folder: Folder) -> None:
    (folder.root / "allocations" / "a1.0").mkdir()
    assert folder.start().wait(120) == 1
    assert "manifest.json" in folder.complaints()
    assert not list(Path(folder.root / "allocations" / "a1.0").glob("journal*"))


def test_dealt_tasks_are_each_allocation_s_own(folder: Folder) -> None:
    ran = folder.root / "ran"
    for key in ("a1.0", "a1.1"):
        (folder.allocate(key, dealt=True, node="gpu7", slots=2) / "claims").mkdir()
    folder.add("t-9", "sh", "-c", f"echo shared >> '{ran}'")  # the common list is nobody's
    lists = {"a1.0": ["t-1", "t-2", "t-3"], "a1.1": ["t-4", "t-5"]}
    for key, tasks in lists.items():
        for task in tasks:
            folder.deal(key, task, "sh", "-c", f"echo {task} >> '{ran}'")
    # Taken back from one, dealt to the other.
    os.symlink("withdrawn", folder.root / "allocations" / "a1.0" / "claims" / "t-3.1")
    folder.deal("a1.1", "t-3", "sh", "-c", f"echo t-3 >> '{ran}'")
    folder.order("stop", task="t-5", attempt=1)
    for key in lists:
        folder.append(f"allocations/{key}/tasks.jsonl", '{"end": true}\n')
    records = {key: folder.run(key) for key in lists}
    ends = {key: sorted(r["task"] for r in some if r["e"] == "ended") for key, some in records.items()}
    assert ends == {"a1.0": ["t-1", "t-2"], "a1.1": ["t-3", "t-4"]}
    assert Counter(ran.read_text().split()) == dict.fromkeys(("t-1", "t-2", "t-3", "t-4"), 1)
    assert {r["node"] for some in records.values() for r in some if r["e"] in ("runner", "started")} == {"gpu7"}
    assert not list((folder.root / "claims").iterdir())
    assert sorted(path.name for path in (folder.root / "allocations" / "a1.1" / "claims").iterdir()) == [
        "t-3.1",
        "t-4.1",
    ]


def test_what_is_dealt_later_is_found_while_it_waits(folder: Folder) -> None:
    folder.allocate("a1.0", dealt=True)
    runner = folder.start("a1.0")
    wait_for(lambda: folder.records("a1.0"))
    folder.deal("a1.0", "t-1", "true")
    folder.await_record("ended", "t-1", "a1.0")
    folder.order("hold")
    folder.deal("a1.0", "t-2", "true")
    folder.order("drain", allocation="a1.0")
    assert runner.wait(120) == 0
    assert [r["task"] for r in folder.records("a1.0") if r["e"] == "ended"] == ["t-1"]
