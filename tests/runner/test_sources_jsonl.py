"""Test JSON lines of `paddock.report` and of other loggers."""

import json
import math
from pathlib import Path

import pytest

from paddock.runner import reporting
from tests.runner.follow_rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_report(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDOCK_REPORT", str(rig.attempt / "report.jsonl"))
    rig.start()
    reporting.report(epoch=3, val_loss=0.12)
    reporting.report(step=40, epoch=4, val_loss=float("nan"))
    assert rig.poll()[0] == {"e": "metric", "step": 3, "v": {"val_loss": 0.12}}
    assert rig.records[1]["step"] == 40
    assert rig.records[1]["epoch"] == 4
    assert math.isnan(rig.records[1]["v"]["val_loss"])


def test_how_many_steps_there_will_be(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDOCK_REPORT", str(rig.attempt / "report.jsonl"))
    rig.start()
    reporting.report(step=1, of=10, files=1)
    reporting.report(step=2, of=10, files=2)
    metrics = [{"e": "metric", "step": n, "v": {"files": n}} for n in (1, 2)]
    assert rig.poll() == [*metrics, {"e": "total", "epochs": 10}]
    reporting.report(step=3, of=0, files=3)
    assert rig.poll() == [{"e": "metric", "step": 3, "v": {"of": 0, "files": 3}}]


def test_report_without_a_step_is_counted(rig: Rig) -> None:
    rig.start()
    rig.append("../attempts/1/report.jsonl", '{"a": 1}\n{"a": 2}\n')
    assert rig.poll() == [{"e": "metric", "step": 0, "v": {"a": 1.0}}, {"e": "metric", "step": 1, "v": {"a": 2.0}}]


def test_nested_objects_and_what_is_no_number(rig: Rig) -> None:
    rig.start()
    line = {
        "step": 5,
        "train": {"loss": 0.5, "deep": {"x": 1}},
        "ok": True,
        "name": "a",
        "list": [1],
        "none": None,
        "n": 3,
    }
    rig.write("log.jsonl", json.dumps(line) + "\n[1, 2]\n3\n\n")
    assert rig.poll() == [{"e": "metric", "step": 5, "v": {"train/loss": 0.5, "n": 3.0}}]
    assert rig.warnings == []


def test_huge_numbers(rig: Rig) -> None:
    rig.start()
    rig.write("log.jsonl", '{"step": 1, "a": 1HUGE, "b": -1HUGE, "c": Infinity}\n'.replace("HUGE", "0" * 400))
    rig.poll()
    assert rig.records[0]["v"] == {"a": math.inf, "b": -math.inf, "c": math.inf}


def test_broken_lines_are_said_once_and_a_torn_end_is_not(rig: Rig) -> None:
    rig.start()
    rig.write("log.ndjson", '{"step": 0, "a": 1}\n{"step": 1, "a"\n\xff{]\n{"step": 2, "a": 3}\n{"step": 3, ')
    rig.poll()
    rig.close()
    assert rig.curves == {"a": [(0, 1), (2, 3)]}
    assert len(rig.warnings) == 1
    assert rig.warnings[0].startswith("log.ndjson: has lines that are not JSON")


def test_a_complete_last_line_without_its_end(rig: Rig) -> None:
    rig.start()
    rig.write("log.jsonl", '{"step": 0, "a": 1}')
    assert rig.poll() == []
    assert len(rig.close()) == 1


def test_other_json_lines_are_no_logs(rig: Rig) -> None:
    rig.start()
    rig.write("answers.jsonl", '{"id": 17, "score": 0.3}\n')
    rig.write("text.jsonl", "hello\n")
    rig.write("steps.jsonl", '{"step": 17, "score": 0.3}\n')
    rig.close()
    assert rig.curves == {"score": [(17, 0.3)]}
    assert rig.warnings == []


def test_a_named_file_of_any_name(rig: Rig) -> None:
    rig.start("out/progress", "state.json")
    rig.write("out/progress", "")
    rig.poll()
    rig.append("out/progress", '{"score": 0.3}\n')
    rig.write("state.json", '{\n "a": 1\n}\n')
    rig.close()
    assert rig.curves == {"score": [(0, 0.3)]}
    assert [text.split(":")[0] for text in rig.warnings] == ["state.json"]


def test_deeply_nested_junk(rig: Rig) -> None:
    rig.start()
    rig.write("log.jsonl", "[" * 200_000 + "\n" + '{"step": 0, "a": 1}\n')
    rig.close()
    assert rig.curves == {"a": [(0, 1)]}
