"""Test the examples of architecture search and population-based training, run as tasks but without a server."""

import json
import math
import re
import shutil
import sys
from pathlib import Path

import pytest
from pydantic import JsonValue

from paddock.models import jobfile
from paddock.runner import reporting
from tests.frameworks.conftest import EXAMPLES, Train, run_warm
from tests.search.search_problems import contains

FRAMEWORKS = ["nas_keras", "nas_pytorch"]
ONE_LAYER: list[JsonValue] = [{"type": "conv", "width": 4, "activation": "tanh", "dropout": 0.3}]
ALL_KINDS: list[JsonValue] = [  # skips across pools, from a pool, to a pool, and between unequal widths
    {"type": "conv", "width": 8, "activation": "relu", "dropout": 0.0},
    {"type": "pool", "skip": None},
    {"type": "separable", "width": 16, "activation": "gelu", "dropout": 0.1, "skip": 0},
    {"type": "conv", "width": 16, "activation": "relu", "dropout": 0.0, "skip": 2},
    {"type": "pool", "skip": 1},
    {"type": "conv", "width": 12, "activation": "tanh", "dropout": 0.0, "skip": 0},
]
# Four of them leave one pixel; there are six.
TOO_MANY_POOLS: list[JsonValue] = [
    {"type": "pool"},
    {"type": "pool", "skip": 0},
    {"type": "pool", "skip": None},
    {"type": "pool", "skip": 2},
    {"type": "pool", "skip": 3},
    {"type": "pool", "skip": 0},
]

# Several trainings in one process: most of the time goes into loading the framework.
SEVERAL = """
import os, runpy, sys
for path in sys.argv[2:]:
    os.environ.update(PADDOCK_PARAMS=path, PADDOCK_REPORT=path + "l")
    runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.fixture
def task_environ(train_environ: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """As in a task: `import paddock` is always possible there. Given to `train` too."""
    package = tmp_path / "lib" / "paddock"
    package.mkdir(parents=True)
    shutil.copyfile(reporting.__file__, package / "__init__.py")
    train_environ["PYTHONPATH"] = str(package.parent)
    return train_environ


@pytest.fixture(autouse=True)
def one_core(train_environ: dict[str, str]) -> None:
    """Two of these on as many cores would wait for each other's threads."""
    train_environ |= {"OMP_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1"}


def params_file(folder: Path, name: str, **params: JsonValue) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(params))
    return path


def reports(path: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def column(reports: list[dict[str, float]], name: str) -> list[float]:
    return [one[name] for one in reports if name in one]


@pytest.mark.frameworks
@pytest.mark.parametrize("example", FRAMEWORKS)
def test_by_hand_it_needs_neither_parameters_nor_paddock(train: Train, train_python: str, example: str) -> None:
    printed = train(train_python, example).stdout
    assert "a network of 5 layers with 3636 weights" in printed
    found = [float(value) for value in re.findall(r"val_acc: (\S+)", printed)]
    assert len(found) == 8
    assert found[-1] > 0.65, "by chance it would be a quarter"


@pytest.mark.frameworks
@pytest.mark.parametrize("example", FRAMEWORKS)
def test_layers_of_all_kinds_are_built_and_a_resumed_training_goes_on(
    train: Train, train_python: str, task_environ: dict[str, str], tmp_path: Path, example: str
) -> None:
    found = []
    for epochs in (1, 2):
        path = params_file(tmp_path, f"params{epochs}", layers=ALL_KINDS, lr=0.01, epochs=epochs)
        report = tmp_path / f"report{epochs}"
        task_environ |= {"PADDOCK_PARAMS": str(path), "PADDOCK_REPORT": str(report)}
        train(train_python, example, checkpoint=tmp_path / "checkpoint")
        found.append(reports(report))
    first, resumed = found
    # Layer by layer, with the convolutions of one pixel between unequal widths, and the scores.
    assert column(first, "params") == [80 + (72 + 144 + 128) + 2320 + 128 + (1740 + 96) + 52]
    assert column(first, "epoch") == [1, 1]
    assert column(resumed, "epoch") == [2], "and the number of weights is not told again"
    assert all({"loss", "val_loss", "val_acc"} <= set(one) for one in [first[1], *resumed])
    # Had the weights not been restored, the second epoch would look like a first one.
    assert column(resumed, "loss")[0] < 0.9 * column(first, "loss")[0]


@pytest.mark.frameworks
@pytest.mark.parametrize("example", FRAMEWORKS)
def test_a_poor_network_is_a_result_and_an_unknown_layer_an_error(
    train_python: str, task_environ: dict[str, str], tmp_path: Path, example: str
) -> None:
    small = params_file(tmp_path, "small", layers=ONE_LAYER, epochs=1)
    pooled = params_file(tmp_path, "pooled", layers=TOO_MANY_POOLS, epochs=1)
    strange = params_file(tmp_path, "strange", layers=[{"type": "lstm", "width": 8, "activation": "relu"}])
    (tmp_path / "several.py").write_text(SEVERAL)
    command = [tmp_path / "several.py", EXAMPLES / example / "train.py", small, pooled, strange]
    ended = run_warm(train_python, [*map(str, command)], tmp_path, task_environ)
    assert ended.stderr.splitlines()[-1] == "ValueError: a layer is conv, separable or pool, not 'lstm'"
    for path, weights in ((small, 60), (pooled, 8)):
        told = reports(path.with_suffix(".jsonl"))
        assert column(told, "params") == [weights]
        assert 0 <= column(told, "val_acc")[0] < 0.6
        assert math.isfinite(column(told, "val_loss")[0])


@pytest.mark.parametrize("example", FRAMEWORKS)
def test_the_networks_of_these_tests_are_in_the_space_of_the_job_file(example: str) -> None:
    spec = jobfile.load(EXAMPLES / example / "search.yaml").spec
    for layers in (ONE_LAYER, ALL_KINDS, TOO_MANY_POOLS):
        assert contains(spec.params, {"lr": 0.01, "epochs": 8, "layers": layers})
    assert not contains(spec.params, {"lr": 0.01, "epochs": 8, "layers": [*ALL_KINDS, *ONE_LAYER]})


# --- population-based training: with the python of the tests --------------------------------------------------------


def losses(printed: str) -> dict[int, str]:
    return {int(epoch): loss for epoch, loss in re.findall(r"epoch (\d+)/\d+ loss: \S+ val_loss: (\S+)", printed)}


def test_pbt_goes_on_from_its_checkpoint_as_if_it_had_not_been_interrupted(train: Train, tmp_path: Path) -> None:
    whole = losses(train(sys.executable, "pbt_numpy", "--epochs", 4).stdout)
    parts: dict[int, str] = {}
    for total in (2, 4):
        parts |= losses(
            train(sys.executable, "pbt_numpy", "--epochs", total, checkpoint=tmp_path / "checkpoint").stdout
        )
    assert parts == whole
    assert [path.name for path in (tmp_path / "checkpoint").iterdir()] == ["checkpoint.npz"]


def test_pbt_the_best_learning_rate_changes_as_the_training_goes_on(train: Train, tmp_path: Path) -> None:
    def run(rate: float, checkpoint: str, epochs: int = 12) -> dict[int, str]:
        args = ["--learning_rate", rate, "--epochs", epochs]
        return losses(train(sys.executable, "pbt_numpy", *args, checkpoint=tmp_path / checkpoint).stdout)

    large, small = run(0.03, "large"), run(0.001, "small")
    assert float(large[3]) < float(small[3]) / 2, "at first the large one is better"
    run(0.03, "both", epochs=5)
    copied = run(0.001, "both")  # the rate of the arguments, the weights of the checkpoint
    assert min(copied) == 6
    assert float(copied[12]) < min(float(large[12]), float(small[12])) / 2, "then the small one, from where it got"
