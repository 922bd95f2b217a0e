"""Test unmodified Keras and PyTorch scripts as jobs with a real server.

One task each, as each imports its framework: how sweeps have many tasks is tested with scripts that import nothing.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import ServerProcess, running

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

pytestmark = pytest.mark.frameworks


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("sweeps") / "home", local__slots=2) as server:
        yield server


def _submit(server: ServerProcess, train_python: Path, example: str, **spec: object) -> str:
    source = (EXAMPLES / example / "train.py").read_text()
    return server.submit(source, environment={"python": str(train_python)}, **spec)  # type: ignore[arg-type]


def test_keras_in_the_contract_of_stfmanager(server: ServerProcess, train_python: Path) -> None:
    params = {"batch_size": 64, "learning_rate": 0.001, "epochs": 3, "early_stopping": 50}
    job = _submit(server, train_python, "keras_stfmanager", name="Conv2D - no dropout", params=params)
    assert server.get(f"/jobs/{job}")["script"]["convention"] == "stfmanager"
    [task] = server.wait(job, 300)
    assert task["state"] == "finished", task["reason"]
    assert (server.home.job(job).task(task["id"]) / f"{task['id']}.csv").exists()
    assert (task["epoch"], task["progress"]) == (2, 1.0)
    assert task["peak_memory"] > 50_000_000
    assert task["cpu_seconds"] > 0.5
    # The progress bar on standard output tells the same; it must not be counted again.
    curves = {curve["metric"]: curve for curve in server.get(f"/tasks/{task['id']}/metrics")}
    assert curves["val_loss"]["steps"] == [0, 1, 2]
    assert {"loss", "val_loss"} <= set(curves)
    assert task["best_value"] == min(curves["val_loss"]["values"])


def test_keras_with_argparse_resumes_from_its_checkpoint(server: ServerProcess, train_python: Path) -> None:
    job = _submit(server, train_python, "keras_argparse", params={"epochs": 2})
    assert server.wait(job, 300)[0]["state"] == "finished"
    first = server.get(f"/tasks/{job}-1/metrics", metric="val_loss")[0]
    assert first["steps"] == [0, 1]
    server.post(f"/jobs/{job}/restart", {"resume": True})
    task = server.wait(job, 300)[0]
    assert (task["state"], task["attempt"]) == ("finished", 2)
    # Both epochs were done before: the resumed attempt has nothing left to train, and the curve is as it was.
    assert server.get(f"/tasks/{job}-1/metrics", metric="val_loss")[0]["values"] == first["values"]


def test_pytorch_from_its_printed_lines(server: ServerProcess, train_python: Path) -> None:
    params = {"lr": 0.1, "epochs": 3}
    job = _submit(server, train_python, "pytorch", objective="val_accuracy:max", params=params)
    [task] = server.wait(job, 300)
    assert task["state"] == "finished", task["reason"]
    curve = server.get(f"/tasks/{task['id']}/metrics", metric="val_accuracy")[0]
    assert curve["steps"] == [1, 2, 3]
    assert task["best_value"] == max(curve["values"])
    assert task["progress"] == 1.0


def test_elastic_comes_with_the_task_and_reports(server: ServerProcess, train_python: Path) -> None:
    job = _submit(server, train_python, "elastic", params={"lr": 0.1, "epochs": 3})
    assert server.get(f"/jobs/{job}")["script"]["checkpoints"], "so it can make way for others"
    [task] = server.wait(job, 300)
    assert task["state"] == "finished", task["reason"]
    assert task["progress"] == 1.0
    curves = {curve["metric"]: curve for curve in server.get(f"/tasks/{task['id']}/metrics")}
    assert {"val_loss", "val_accuracy", "elastic/gpus", "elastic/samples_per_second"} <= set(curves)
    assert curves["elastic/batch"]["values"] == [64, 64, 64]
    assert curves["val_loss"]["steps"] == [1, 2, 3]
    assert task["best_value"] == min(curves["val_loss"]["values"])


def test_lightning_style_log(server: ServerProcess, train_python: Path) -> None:
    job = _submit(server, train_python, "lightning_csv", params={})
    task = server.wait(job)[0]
    assert task["state"] == "finished", task["reason"]
    curves = {curve["metric"]: curve for curve in server.get(f"/tasks/{job}-1/metrics")}
    assert {"train_loss", "val_loss", "val_acc"} <= set(curves)
    assert curves["val_loss"]["steps"] == sorted(set(curves["val_loss"]["steps"]))
    assert task["best_value"] == min(curves["val_loss"]["values"])


def test_failure_of_the_paper_is_told_as_it_is(server: ServerProcess, train_python: Path) -> None:
    params = {"batch_size": "64,32", "learning_rate": 0.01}
    job = _submit(server, train_python, "broken", params=params)
    task = server.wait(job)[0]
    assert (task["state"], task["cause"]) == ("error", "user_error")
    assert task["reason"] == "NameError: name 'tensorflow' is not defined"
