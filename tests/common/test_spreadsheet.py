"""Test that tables opened in a spreadsheet contain no formulas."""

import csv
import io
import json
from typing import Any

import pytest

from paddock.cli import load, results
from paddock.common.spreadsheet import cell
from paddock.models import Curve, Device, Node
from paddock.models.load import LoadReport

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_text_that_looks_like_a_formula_stays_text(text: str) -> None:
    assert cell(text) == "'" + text


@pytest.mark.parametrize("value", [-1, -0.5, "-0.5", "+3", "-1e-3", "-inf", "a=b", "", None, True, "val-loss"])
def test_numbers_and_other_texts_stay_as_they_are(value: Any) -> None:
    assert cell(value) is value


def test_lists_are_json() -> None:
    assert cell(["=1"]) == json.dumps(["=1"])


def test_load(capsys: pytest.CaptureFixture[str]) -> None:
    gpu = Device(id="=1+1", name="@card", kind="gpu", memory=5, memory_used=8)
    node = Node(name="=node", backend="+b", state="-s", cpus=4, slots=1, cpu_slots=1, cpus_busy=1.0, devices=[gpu])
    load._print_csv(LoadReport(at=0, nodes=[node], users=[], jobs=[]))
    first, second = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (first["node"], first["backend"], first["state"], first["cores"]) == ("'=node", "'+b", "'-s", "4")
    assert (second["device"], second["kind"], second["memory_free"]) == ("'=1+1", "'@card", "-3")


def test_metrics(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Server:
        def curves(self, *_: Any, **__: Any) -> list[Curve]:
            return [Curve(task="j-1", metric="=loss", steps=[0], values=[-0.5], total=1)]

    monkeypatch.setattr("paddock.cli.base.light_client", lambda _: Server())
    monkeypatch.setattr("paddock.cli.base.is_terminal", lambda: False)
    results.metrics(None, "j-1", None, None, None)  # type: ignore[arg-type]
    assert capsys.readouterr().out == "step\t'=loss\n0.0\t-0.5\n"
