"""Test which files of a task are followed, and when they are searched for."""

import itertools
from pathlib import Path

import pytest

from paddock.runner.sources import finder, follower
from tests.runner.follow_rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_results_by_the_path_that_the_script_sees(rig: Rig) -> None:
    rig.start("results/*/*/scores.dat", "results/k3v9x2ab/k3v9x2ab-1/more.dat", "sub/**/x.dat", "../up.dat")
    rig.write("results/k3v9x2ab/k3v9x2ab-1/scores.dat", "epoch,a\n0,1\n")
    rig.write("results/k3v9x2ab/k3v9x2ab-1/more.dat", "epoch,b\n0,2\n")
    rig.write("sub/deep/er/x.dat", "epoch,c\n0,3\n")
    rig.write("../up.dat", "epoch,d\n0,4\n")
    rig.write("other.dat", "epoch,e\n0,5\n")
    rig.close()
    assert rig.curves == {"a": [(0, 1)], "b": [(0, 2)], "c": [(0, 3)], "d": [(0, 4)]}
    assert rig.warnings == []


def test_the_files_of_other_tasks_are_not_ours(rig: Rig) -> None:
    rig.start("results/*/*/*.csv", "**/*.csv", "results/k3v9x2ab/k3v9x2ab-2/metrics.csv")
    rig.write("results/k3v9x2ab/k3v9x2ab-2/metrics.csv", "epoch,a\n0,1\n")
    rig.close()
    assert rig.curves == {}
    assert len(rig.warnings) == 3


def test_a_pattern_without_a_file(rig: Rig) -> None:
    rig.start("logs/*.csv")
    rig.poll()
    assert rig.warnings == []
    rig.close()
    assert len(rig.warnings) == 1
    assert "logs/*.csv" in rig.warnings[0]
    assert "wrote no such file" in rig.warnings[0]


def test_an_absolute_name(rig: Rig, tmp_path: Path) -> None:
    elsewhere = tmp_path / "scratch" / "run.txt"
    rig.start(str(elsewhere))
    elsewhere.parent.mkdir()
    elsewhere.write_text("epoch,a\n0,1\n")
    rig.close()
    assert rig.curves == {"a": [(0, 1)]}
    assert rig.warnings == []


def test_named_in_the_checkpoint_folder(rig: Rig) -> None:
    rig.start("checkpoint/*.csv")
    rig.write("../checkpoint/log.csv", "epoch,a\n0,1\n")
    rig.close()
    assert rig.curves == {"a": [(0, 1)]}


def test_a_file_that_comes_and_goes(rig: Rig) -> None:
    rig.start()
    path = rig.write("a.csv", "epoch,a\n0,1\n")
    rig.poll()
    path.unlink()
    assert rig.poll() == []
    rig.write("a.csv", "epoch,a\n0,1\n1,2\n")
    rig.poll()
    assert rig.curves == {"a": [(0, 1), (1, 2)]}


def test_folders_of_data_are_passed_by(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "_FOLDER", 50)
    rig.start()
    for i in range(60):
        rig.write(f"data/{i}.csv", "epoch,a\n0,1\n")
    rig.write("few/1.csv", "epoch,b\n0,1\n")
    rig.close()
    assert rig.curves == {"b": [(0, 1)]}


def test_a_search_of_very_many_files_is_not_repeated_at_once(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "_CHEAP", 20)
    monkeypatch.setattr(finder, "_RATE", 1)
    rig.start()
    for i in range(30):
        rig.write(f"{i}.txt", "")
    rig.poll()
    rig.write("a.csv", "epoch,a\n0,1\n")
    assert rig.poll() == []
    assert len(rig.close()) == 1


def test_more_logs_than_are_followed(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "MAX_FILES", 5)
    rig.start("named.csv")
    for i in range(10):
        rig.write(f"{i}.csv", f"epoch,a{i}\n0,1\n")
    rig.write("named.csv", "epoch,named\n0,1\n")
    rig.close()
    assert len(rig.curves) == 5
    assert "named" in rig.curves
    assert rig.warnings == ["more than 5 logs; only the first are read, and those that the job names"]


def test_searches_become_rarer_but_stay_frequent(tmp_path: Path) -> None:
    now = 1000.0
    one = finder.Finder(str(tmp_path), str(tmp_path), [], lambda: now)
    looks = []
    for _ in range(300):
        now += 0.2
        if one.due():
            looks.append(now)
            one.find(set())
    gaps = [later - earlier for earlier, later in itertools.pairwise(looks)]
    assert max(gaps[:20]) < 0.25
    assert max(gaps) < 3.1
    assert len(looks) < 80
    for _ in range(20_000):  # more than an hour without a find
        now += 0.2
        if one.due():
            looks.append(now)
            one.find(set())
    assert 19 < looks[-1] - looks[-2] < 21


@pytest.mark.parametrize(
    "name",
    [
        "k3v9x2ab-1.csv",
        "k3v9x2ab/run_k3v9x2ab-1.csv",
        "logs/k3v9x2ab-1_seed3.jsonl",
        "logs/k3v9x2ab-1/version_0/values.csv",
    ],
)
def test_a_file_in_the_results_that_carries_the_id(rig: Rig, name: str) -> None:
    rig.start()
    jsonl = name.endswith("jsonl")
    rig.write(f"results/{name}", '{"epoch": 0, "a": 1}\n' if jsonl else "epoch,a\n0,1\n")
    rig.close()
    assert rig.curves == {"a": [(0, 1)]}
    assert rig.warnings == []


@pytest.mark.parametrize(
    "name",
    ["k3v9x2ab-12.csv", "logs/xk3v9x2ab-1.csv", "k3v9x2ab-1.txt", "k3v9x2ab/k3v9x2ab-2/k3v9x2ab-1.csv", "other.csv"],
)
def test_a_file_in_the_results_of_another_task(rig: Rig, name: str) -> None:
    rig.start()
    rig.write(f"results/{name}", "epoch,a\n0,1\n")
    rig.close()
    assert rig.curves == {}


def test_results_of_many_tasks_are_not_listed_all_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(tmp_path)
    now = 1000.0
    looks: list[float] = []
    one = finder.Finder(str(rig.task), str(rig.work), [], lambda: now)
    search = one._find_outside

    def look() -> list[str]:
        looks.append(now)
        return search()

    monkeypatch.setattr(one, "_find_outside", look)
    for _ in range(100):
        one.find(set())
        now += 0.2
    assert len(looks) == 4
    one.find(set(), final=True)
    assert len(looks) == 5
