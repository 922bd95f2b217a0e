"""Run each block of docs/python.md against a real server, in order and in one namespace."""

import os
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import paddock
from paddock import models
from paddock.errors import InvalidInput, NotFound
from tests.support.nvidia_smi import install_nvidia_smi
from tests.support.server import wait_for
from tests.support.up import TINY, up

PAGE = Path(__file__).parent.parent.parent / "docs" / "python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
PANDAS = find_spec("pandas") is not None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("page")
    (made / "train.py").write_text(TINY)
    install_nvidia_smi(made / "bin", 4)
    with (
        mock.patch.dict(os.environ, {"PATH": f"{made / 'bin'}{os.pathsep}{os.environ['PATH']}"}),
        up(made / "home"),
        paddock.Client(home=made / "home") as client,
    ):
        wait_for(client.calendar.devices, what="the GPUs")
        yield made


@pytest.fixture(autouse=True)
def _there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PADDOCK_URL", "PADDOCK_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PADDOCK_HOME", str(folder / "home"))
    monkeypatch.chdir(folder)


def test_the_blocks_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in BLOCKS:
        if "dataframe" in block and not PANDAS:
            with pytest.raises(ImportError, match="pip install pandas"):
                exec(block, names)
        else:
            exec(block, names)
    printed = capsys.readouterr().out
    best = names["best"]
    assert len(BLOCKS) >= 6
    assert f"{best.params} {best.best_value}" in printed
    assert best.params["lr"] == 0.1
    assert [curve.metric for curve in best.curves(["val_loss"])] == ["val_loss"]
    assert "no job 'zzzz'" in printed
    assert "Scripted 10G" in printed
    with paddock.Client() as client:
        (held,) = client.calendar.reservations(since="2026-01-01T00:00:00Z")
        assert (held.title, bool(held.released_at)) == ("from a notebook", True)


def test_tasks_with_their_logs_and_curves() -> None:
    job = paddock.submit("train.py", lr=(0.4, 0.2), epochs=range(1, 2), resources={"gpus": 0}).wait(600)
    first, second = job.tasks()
    assert (first.params, second.params) == ({"lr": 0.4, "epochs": 1}, {"lr": 0.2, "epochs": 1})
    assert isinstance(first, models.Task)
    assert first.log() == job.task(1).log() == first.refresh().log()
    assert first.curve("val_loss").values == job.task(1).curves(["val_loss"])[0].values
    with pytest.raises(NotFound, match=r"has not reported 'accuracy': it has reported .*val_loss"):
        first.curve("accuracy")
    assert [task.id for task in job.tasks(sort="best", limit=1)] == [second.id]
    assert second.restart() == [second.id]
    job.wait(600).remove()


def test_names_that_are_no_parameters() -> None:
    with pytest.raises(InvalidInput, match="write resources, or params"):
        paddock.submit("train.py", lr=0.1, resource={"gpus": 0})
    with pytest.raises(InvalidInput, match="lr is given twice"):
        paddock.submit("train.py", lr=0.1, params={"lr": 0.2})


def test_rows_of_a_data_frame_keep_parameters_apart_from_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever pandas makes of them: the rows are ours."""
    rows: list[dict[str, Any]] = []

    class _Pandas:
        @staticmethod
        def DataFrame(given: list[dict[str, Any]], columns: list[str] | None) -> None:
            rows.extend(given)

    monkeypatch.setitem(sys.modules, "pandas", _Pandas)
    job = paddock.submit(command="echo {node} {lr}", params={"node": ["a", "b"]}, lr=0.5, resources={"gpus": 0})
    job.wait(600).to_dataframe()
    assert [(row["number"], row["state"], row["param.node"], row["lr"]) for row in rows] == [
        (1, "finished", "a", 0.5),
        (2, "finished", "b", 0.5),
    ]
    assert rows[0]["node"] not in ("a", "b")
    job.remove()
