"""Test which of several sources a metric is taken from, resumed attempts, and the cost of a round."""

import os
from pathlib import Path

import pytest

from paddock.runner.sources import finder, follower
from paddock.runner.sources.csv_file import CsvSource
from tests.runner import tfevents_writer as tb
from tests.runner.follow_rig import Rig

EVENTS = "logs/train/events.out.tfevents.1.host"


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


# Ranks


def test_a_file_mutes_standard_output(rig: Rig) -> None:
    rig.start()
    rig.say("epoch 0 loss: 0.5 acc: 0.25\n")
    rig.poll()
    assert set(rig.curves) == {"loss", "acc"}
    rig.write("a.csv", "epoch,loss\n0,0.51\n")
    rig.say("epoch 1/9 loss: 0.4 acc: 0.35\n")
    assert rig.poll() == [
        {"e": "reset", "names": ["acc", "loss"]},
        {"e": "metric", "step": 0, "v": {"loss": 0.51}},
        {"e": "total", "epochs": 9},  # that is still news
    ]
    rig.say("epoch 2 loss: 0.3 acc: 0.45\n")
    assert rig.close() == []


def test_every_better_source_takes_over(rig: Rig) -> None:
    rig.start("named.txt")
    rig.say("epoch 0 loss: 1.0\n")
    rig.poll()
    steps = [
        (EVENTS, tb.first() + tb.keras(0, "epoch_loss", 2.0)),
        ("a.jsonl", b'{"epoch": 0, "loss": 3.0}\n'),
        ("a.csv", b"epoch,loss\n0,4.0\n"),
        ("named.txt", b"epoch,loss\n0,5.0\n"),
        ("../attempts/1/report.jsonl", b'{"epoch": 0, "loss": 6.0}\n'),
    ]
    for n, (name, content) in enumerate(steps):
        rig.write(name, content)
        assert rig.poll()[0] == {"e": "reset", "names": ["loss"]}
        assert rig.curves == {"loss": [(0, n + 2.0)]}


def test_a_lesser_source_gives_what_the_better_has_not(rig: Rig) -> None:
    rig.start()
    rig.write("a.csv", "epoch,loss\n0,0.5\n")
    rig.write("a.jsonl", '{"epoch": 0, "loss": 9, "f1": 0.75}\n')
    rig.poll()
    rig.append("a.jsonl", '{"epoch": 1, "loss": 9, "f1": 0.8}\n')
    rig.poll()
    assert rig.curves == {"loss": [(0, 0.5)], "f1": [(0, 0.75), (1, 0.8)]}
    assert rig.resets == []


def test_too_many_metrics(rig: Rig) -> None:
    rig.start()
    names = [f"m{i}" for i in range(1500)]
    rig.write("a.csv", ",".join(["epoch", *names]) + "\n" + ",".join("1" for _ in range(1501)) + "\n")
    rig.poll()
    rig.append("a.csv", ",".join("2" for _ in range(1501)) + "\n")
    rig.poll()
    assert len(rig.curves) == 1000
    assert rig.warnings == ["more than 1000 metrics; the others are not stored, report fewer names"]


# What was there before


def test_files_that_came_with_the_code_are_ignored(rig: Rig, tmp_path: Path) -> None:
    code = tmp_path / "code"
    (code / "data").mkdir(parents=True)
    for name in ("metrics.csv", "data/log.csv"):
        (code / name).write_text("epoch,loss\n0,0.5\n")
    (rig.work / "metrics.csv").symlink_to(code / "metrics.csv")
    (rig.work / "data").symlink_to(code / "data")
    rig.write("history.csv", "epoch,loss\n0,0.5\n")
    rig.start("*.csv", "**/log.csv", "data/log.csv")
    rig.poll()
    assert rig.curves == {}
    rig.close()
    assert rig.curves == {}
    assert len(rig.warnings) == 3


def test_a_shipped_file_that_the_script_writes_anew_is_its_own(rig: Rig) -> None:
    rig.write("history.csv", "epoch,loss\n0,0.5\n1,0.4\n")
    rig.start()
    rig.poll()
    rig.write("history.csv", "epoch,loss\n0,0.75\n")
    rig.poll()
    assert rig.records == [{"e": "metric", "step": 0, "v": {"loss": 0.75}}]


def test_resume_goes_on_where_the_attempt_before_ended(rig: Rig) -> None:
    rig.write("a.csv", "epoch,loss\n0,0.5\n1,0.4\n")
    rig.write("history.csv", "loss\n9\n8\n")
    rig.start(resume=True)
    assert rig.poll() == []
    rig.append("a.csv", "2,0.3\n")
    rig.append("history.csv", "7\n")
    rig.write("late.jsonl", '{"epoch": 2, "f1": 0.5}\n')
    rig.poll()
    assert rig.curves == {"loss": [(2, 0.3)], "history/loss": [(2, 7)], "f1": [(2, 0.5)]}
    assert rig.resets == []


def test_resume_after_a_torn_line(rig: Rig) -> None:
    """The half row was reported by the attempt before, or was lost with it."""
    rig.write("a.csv", "epoch,loss\n0,0.5\n1,0.")
    rig.start(resume=True)
    rig.append("a.csv", "1,0.4\n2,0.3\n")
    rig.poll()
    assert rig.curves == {"loss": [(2, 0.3)]}


@pytest.mark.parametrize("how", ["truncated", "grown", "replaced"])
def test_resume_with_a_file_written_anew(rig: Rig, how: str) -> None:
    old = "epoch,loss\n0,0.5\n1,0.4\n"
    rig.write("a.csv", old)
    rig.start(resume=True)
    rig.poll()
    new = {
        "truncated": "epoch,loss\n0,0.7\n",
        "grown": "epoch,loss\n0,0.7\n1,0.6\n2,0.55\n",
        "replaced": old + "2,0.3\n",
    }
    if how == "replaced":
        rig.replace("a.csv", new[how])
    else:
        rig.write("a.csv", new[how])
    assert rig.poll()[0] == {"e": "reset", "names": ["loss"]}
    assert len(rig.curves["loss"]) == new[how].count("\n") - 1
    assert rig.resets == ["loss"]


def test_resume_with_a_file_emptied_and_written_later(rig: Rig) -> None:
    rig.write("a.csv", "epoch,loss\n0,0.5\n")
    rig.start(resume=True)
    rig.write("a.csv", "")
    assert rig.poll() == []
    rig.append("a.csv", "epoch,loss\n5,0.25\n6,0.125\n")
    rig.poll()
    assert rig.curves == {"loss": [(5, 0.25), (6, 0.125)]}


# Cost and failures


def test_rounds_without_news_cost_a_stat_a_file(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.start(stdout=True)
    rig.write("a.csv", "epoch,a\n0,1\n")
    rig.poll()
    calls: list[str] = []
    real = os.lstat

    def count(path: str) -> os.stat_result:
        calls.append(os.path.basename(path))
        return real(path)

    monkeypatch.setattr(finder.Finder, "due", lambda self: False)
    monkeypatch.setattr(os, "lstat", count)
    monkeypatch.setattr(os, "open", None)
    assert rig.poll() == []
    monkeypatch.undo()
    assert sorted(calls) == ["a.csv", "out.log", "report.jsonl"]


def test_a_defect_is_said_and_the_rest_goes_on(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.start()

    def fail(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(CsvSource, "read", fail)
    rig.write("a.csv", "epoch,a\n0,1\n")
    rig.write("a.jsonl", '{"epoch": 0, "b": 1}\n')
    for _ in range(3):
        rig.poll()
    rig.close()
    assert rig.curves == {"b": [(0, 1)]}
    assert rig.warnings == ["a.csv: cannot be followed (RuntimeError: a defect)"]


def test_nothing_there_at_all(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    one = follower.Follower(missing, missing + "/work", missing + "/attempts/1", [""], True, True, None)
    assert one.poll() == []
    assert one.close() == []


def test_a_large_log_is_read_in_portions(rig: Rig) -> None:
    rig.start()
    rows = 50_000
    rig.write("a.csv", "epoch,loss\n" + "".join(f"{i},0.5\n" for i in range(rows)))
    assert 0 < len(rig.poll()) < rows
    while rig.poll():
        pass
    assert [step for step, _ in rig.curves["loss"]] == list(range(rows))
