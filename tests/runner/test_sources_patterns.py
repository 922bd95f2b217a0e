"""Test patterns of metrics in a log, by which people mark what no rule finds."""

import re
import time
from pathlib import Path

import pytest

from paddock.common import patterns
from paddock.runner.sources import follower
from tests.runner.follow_rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_groups_are_metrics_and_places(rig: Rig) -> None:
    rig.start(marked=[r"pass (?P<epoch>\d+) gave (?P<quality>\S+) and (?P<noise>\S+)"])
    rig.say("pass 1 gave 0.5 and 12%\nnothing\npass 2 gave 0.75 and x\n")
    rig.close()
    assert rig.curves == {"quality": [(1, 0.5), (2, 0.75)], "noise": [(1, 12)]}


def test_a_name_in_the_line(rig: Rig) -> None:
    rig.start(marked=[r"\[(?P<step>\d+)\] (?P<name>\w+) -> (?P<value>\S+)"])
    rig.say("[10] energy -> -1.5\n[10] force -> 3\n[20] energy -> -2.5\r\n")
    rig.close()
    assert rig.curves == {"energy": [(10, -1.5), (20, -2.5)], "force": [(10, 3)]}


def test_without_a_place_they_are_counted(rig: Rig) -> None:
    rig.start(marked=[r"temperature now (?P<temp>\S+)"])
    rig.say("temperature now 3.5\ntemperature now 2.5\n")
    rig.close()
    assert rig.curves == {"temp": [(0, 3.5), (1, 2.5)]}


def test_what_is_found_without_patterns_stays(rig: Rig) -> None:
    rig.start(marked=[r"gave (?P<loss>\S+)"])
    rig.say("epoch 1 loss: 0.9 acc: 0.5\nthis gave 0.25 in the end\n")
    rig.close()
    assert rig.curves == {"loss": [(0, 0.25)], "acc": [(1, 0.5)]}


def test_they_work_beside_a_file(rig: Rig) -> None:
    rig.start(marked=[r"gave (?P<quality>\S+)"])
    rig.write("metrics.csv", "epoch,loss\n0,1\n")
    rig.say("this gave 0.25\n")
    rig.close()
    assert rig.curves == {"loss": [(0, 1)], "quality": [(0, 0.25)]}


def test_a_pattern_that_comes_later_reads_the_whole_log(rig: Rig) -> None:
    rig.start()
    rig.say("this gave 0.5\n")
    rig.poll()
    assert rig.curves == {}
    assert rig.follower
    rig.follower.mark([r"gave (?P<quality>\S+)"])
    rig.say("this gave 0.25\n")
    rig.close()
    assert rig.curves == {"quality": [(0, 0.5), (1, 0.25)]}


def test_a_pattern_that_takes_forever_is_given_up(rig: Rig) -> None:
    rig.start(marked=[r"(?P<x>(a|aa)+)$", r"gave (?P<quality>\S+)"])
    rig.say("a" * 200 + "!\nthis gave 0.5\n")
    began = time.process_time()
    rig.close()
    assert time.process_time() - began < 30  # of 2 s
    assert rig.curves == {"quality": [(0, 0.5)]}
    assert "takes too long" in rig.warnings[0]
    assert "(a|aa)+" in rig.warnings[0]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("loss (", "no regular expression"),
        (r"loss (\d+)", "name the number"),
        (r"epoch (?P<epoch>\d+)", "name the number"),
        (r"(?P<name>\w+) is", "both groups"),
        ("x" * 501 + "(?P<a>.)", "up to 500"),
    ],
)
def test_patterns_that_are_refused(pattern: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        patterns.compiled(pattern)


@pytest.mark.parametrize(
    ("line", "number", "others", "misses"),
    [
        ("pass 3 gave 0.5 points", "0.5", ["pass 4 gave 12 points"], ["pass 3 gave x points", "pass gave 0.5 points"]),
        ("epoch 3 quality*0.5*", "0.5", ["epoch 4 quality*1e-3*"], ["epoch 3 quality-0.5"]),
        ("12:30:01 | F = -1.25", "-1.25", ["12:31:44 | F = 3"], ["12:30:01 | G = 3"]),
        ("result [0.5]", "0.5", ["result [nan]"], ["results 0.5"]),
    ],
)
def test_a_pattern_for_a_marked_number(line: str, number: str, others: list[str], misses: list[str]) -> None:
    start = line.index(number)
    made = patterns.for_number(line, start, start + len(number), "quality")
    found = patterns.compiled(made)
    for one in (line, *others):
        match = found.search(one)
        assert match, (made, one)
        assert re.fullmatch(r"[-+]?(?:[\d.e-]+|nan)", match["quality"])
    assert found.search(line)["quality"] == number  # type: ignore[index]
    assert not any(found.search(one) for one in misses)
    if "epoch" in line:
        assert found.search(line)["epoch"] == "3"  # type: ignore[index]


def test_a_long_log_is_read_to_its_end(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the end of the process the runner polls until the follower has caught up, in bounded rounds."""
    monkeypatch.setattr(follower, "_CLOSE_SECONDS", 0.0)
    monkeypatch.setattr(follower, "_LONG_SECONDS", 0.0)
    rig.start()
    rig.say("nothing to see here\n" * 500_000 + "epoch 7 loss 0.5\n")  # 10 MB, in slices of 64 kB
    rounds = 0
    while True:
        rig.poll()
        rounds += 1
        assert rig.follower
        if not rig.follower.behind:
            break
    rig.close()
    assert rounds > 2
    assert rig.curves == {"loss": [(7, 0.5)]}
    assert rig.warnings == []


def test_numbers_without_a_metric_are_reported(rig: Rig) -> None:
    rig.start()
    rig.say("this gave 0.5 points\n" * 3)
    rig.close(well=True)
    assert rig.warnings == [patterns.NO_METRIC]


@pytest.mark.parametrize(
    "log", ["epoch 1 loss 0.5\nit gave 0.5\n", "12:30:01.5 begins\n" * 9, "torch 2.1.0\n" * 9, "it gave 0.5\n", ""]
)
def test_no_such_report_where_there_is_nothing_to_mark(rig: Rig, log: str) -> None:
    rig.start()
    rig.say(log)
    rig.close(well=True)
    assert rig.warnings == []
