"""Test that the examples do what their comments describe, run by hand without Paddock."""

import csv
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from paddock.models import JobSpec
from paddock.models.space import Choices
from tests.frameworks.conftest import EXAMPLES, Train

KERAS_COLUMNS = ["epoch", "accuracy", "loss", "val_accuracy", "val_loss"]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def epochs(rows: list[dict[str, str]]) -> list[int]:
    return [int(row["epoch"]) for row in rows]


# --- NumPy: with the python of the tests ----------------------------------------------------------------------------


def test_numpy_writes_a_row_an_epoch_and_the_seed_decides_them(train: Train, work: Path) -> None:
    texts = []
    for seed in (0, 0, 1):
        train(sys.executable, "numpy_mlp", "--epochs", 3, "--seed", seed)
        texts.append((work / "metrics.csv").read_text())
    rows = table(work / "metrics.csv")
    assert list(rows[0]) == KERAS_COLUMNS
    assert epochs(rows) == [0, 1, 2]
    assert texts[0] == texts[1] != texts[2]


def test_numpy_resumes_as_if_it_had_not_been_interrupted(train: Train, work: Path, tmp_path: Path) -> None:
    train(sys.executable, "numpy_mlp", "--epochs", 6)
    uninterrupted = (work / "metrics.csv").read_text()
    checkpoint = tmp_path / "checkpoint"
    train(sys.executable, "numpy_mlp", "--epochs", 2, checkpoint=checkpoint)
    resumed = train(sys.executable, "numpy_mlp", "--epochs", 6, checkpoint=checkpoint)
    assert "resuming" in resumed.stdout
    assert (work / "metrics.csv").read_text() == uninterrupted


def test_numpy_survives_being_killed(train: Train, work: Path, tmp_path: Path, train_environ: dict[str, str]) -> None:
    environ = train_environ | {"PADDOCK_CHECKPOINT_DIR": str(tmp_path / "checkpoint")}
    command = [sys.executable, str(EXAMPLES / "numpy_mlp" / "train.py"), "--epochs", "100000", "--early_stopping", "0"]
    with subprocess.Popen(command, cwd=work, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for number in (1, 2, 3):
            assert f"epoch {number}/" in process.stdout.readline()
            assert len(table(work / "metrics.csv")) >= number, "the row is on disk before the epoch is announced"
        process.send_signal(signal.SIGKILL)
    before = max(epochs(table(work / "metrics.csv")))
    train(sys.executable, "numpy_mlp", "--epochs", before + 3, checkpoint=tmp_path / "checkpoint")
    # The epoch that was cut off between its row and its checkpoint may stand there twice.
    assert sorted(set(epochs(table(work / "metrics.csv")))) == list(range(before + 3))


def test_numpy_learning_rates_give_curves_of_every_kind(train: Train, work: Path) -> None:
    losses: dict[str, list[float]] = {}
    for rate in ("2", "0.3", "0.003"):
        train(sys.executable, "numpy_mlp", "--learning_rate", rate, "--epochs", 15)
        losses[rate] = [float(row["val_loss"]) for row in table(work / "metrics.csv")]
    assert losses["0.3"][-1] < 0.05, "learns"
    assert losses["2"][-1] > 2 * min(losses["2"]), "starts well and falls apart"
    assert 0.4 < losses["0.003"][-1] < losses["0.003"][0], "slow"


def test_numpy_stops_early(train: Train, work: Path) -> None:
    ended = train(sys.executable, "numpy_mlp", "--learning_rate", 2, "--epochs", 80, "--early_stopping", 3)
    assert "stopping early" in ended.stdout
    assert len(table(work / "metrics.csv")) < 80


def test_lightning_csv_has_blank_cells_and_a_version_a_run(train: Train, work: Path) -> None:
    for _ in range(2):
        train(sys.executable, "lightning_csv", "--max_epochs", 3)
    first, second = (work / f"lightning_logs/version_{number}/metrics.csv" for number in (0, 1))
    assert first.read_text() == second.read_text()
    rows = table(first)
    assert list(rows[0]) == ["epoch", "step", "train_loss", "val_acc", "val_loss"]
    validation = [row for row in rows if row["val_loss"]]
    assert epochs(validation) == [0, 1, 2]
    assert all(row["val_acc"] and not row["train_loss"] for row in validation)
    assert all(row["train_loss"] and not row["val_acc"] for row in rows if row not in validation)
    assert float(validation[-1]["val_loss"]) < float(validation[0]["val_loss"])


def test_job_files_say_the_same_and_fit_the_script() -> None:
    from_yaml = JobSpec.model_validate(yaml.safe_load((EXAMPLES / "sweep.yaml").read_text()))
    from_toml = JobSpec.model_validate(tomllib.loads((EXAMPLES / "sweep.toml").read_text()))
    assert from_yaml == from_toml
    assert from_yaml.script is not None
    script = (EXAMPLES / from_yaml.script).read_text()
    count = 1
    for name, space in from_yaml.params.items():
        assert f'"--{name}"' in script
        assert isinstance(space, Choices)
        count *= len(space.values)
    assert count == 8


def test_every_example_is_in_the_readme() -> None:
    readme = (EXAMPLES / "README.md").read_text()
    for script in EXAMPLES.glob("*/train.py"):
        assert f"paddock submit examples/{script.parent.name}/train.py" in readme


# --- real frameworks: with the python of tools/train_env.py -------------------------------------------------------


@pytest.mark.frameworks
def test_stfmanager_contract(train: Train, work: Path, train_python: str) -> None:
    (work / "results/j/j-1").mkdir(parents=True)  # as S-TFManager and Paddock do before the script starts
    train(train_python, "keras_stfmanager", "j", "j-1", 64, 0.01, 2, 3)
    rows = table(work / "results/j/j-1/j-1.csv")
    assert list(rows[0]) == KERAS_COLUMNS
    assert epochs(rows) == [0, 1]
    assert float(rows[1]["loss"]) < float(rows[0]["loss"])


@pytest.mark.frameworks
def test_keras_goes_on_from_its_backup(train: Train, work: Path, tmp_path: Path, train_python: str) -> None:
    for total in (2, 3):
        train(train_python, "keras_argparse", "--epochs", total, checkpoint=tmp_path / "checkpoint")
    rows = table(work / "training.csv")
    assert list(rows[0]) == KERAS_COLUMNS
    assert epochs(rows) == [0, 1, 2]
    # Had the weights not been restored, the third epoch would look like a first one.
    assert float(rows[2]["loss"]) < float(rows[1]["loss"]) < float(rows[0]["loss"])


@pytest.mark.frameworks
def test_pytorch_prints_its_metrics_and_resumes(train: Train, tmp_path: Path, train_python: str) -> None:
    line = re.compile(r"epoch (\d+)/\d+ loss: (\S+) val_loss: (\S+) val_accuracy: (\S+)")
    uninterrupted = line.findall(train(train_python, "pytorch", "--epochs", 4).stdout)
    assert [int(epoch) for epoch, *_ in uninterrupted] == [1, 2, 3, 4]
    assert float(uninterrupted[-1][2]) < float(uninterrupted[0][2])
    parts = []
    for total in (2, 4):
        parts += line.findall(
            train(train_python, "pytorch", "--epochs", total, checkpoint=tmp_path / "checkpoint").stdout
        )
    assert parts == uninterrupted


@pytest.mark.frameworks
def test_broken_fails_although_tensorflow_is_there(train: Train, train_python: str) -> None:
    ended = train(train_python, "broken", fails=True)
    assert "building the model" in ended.stdout
    assert ended.stderr.splitlines()[-1] == "NameError: name 'tensorflow' is not defined"
