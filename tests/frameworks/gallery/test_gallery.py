"""Every script of the gallery runs as a sweep of two without a change to it, and shows its curve and its best."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from paddock.client.client import Client
from tests.support.server import PATIENCE
from tests.support.up import Cli, up

pytestmark = pytest.mark.frameworks

SCRIPTS = Path(__file__).parent / "scripts"
POINTS = 3  # at least this many per curve
QUADRATIC = (5 * 0.8**4) ** 2  # the loss after 4 epochs with a learning rate of 0.1; smaller rates are slower


class Style(NamedTuple):
    """How a user submits a script, the objective that is then chosen, and its best value."""

    name: str
    submitted: str  # in the folder of that name, with further options
    param: str
    objective: str
    best: float | None  # None: only the better of the two values is known
    values: str = "0.01,0.1"  # the second is better


STYLES = [
    Style("pytorch_mnist", "main.py", "lr", "test_loss:min", (5 * 0.95**16) ** 2),
    Style("pytorch_imagenet", "main.py", "lr", "Acc@1:max", 100 / (1 + (5 * (1 - 0.2 / 3) ** 12) ** 2)),
    Style("nanogpt", ". --script train.py", "learning_rate", "val_loss:min", 1.1 * (5 * 0.8**8) ** 2),
    Style("timm", "train.py", "lr", "eval_loss:min", QUADRATIC),
    Style("fairseq", "train.py", "lr", "valid_loss:min", QUADRATIC),
    Style("word_language_model", "main.py", "lr", "valid_loss:min", (2 * 0.8**4) ** 2),
    Style("mmengine", ". --script tools/train.py -p config=configs/tiny.py", "lr", "coco/bbox_mAP:max", None),
    Style("huggingface", "run_glue.py", "learning_rate", "eval_loss:min", QUADRATIC),
    Style("tqdm_postfix", "train.py", "lr", "acc:max", 1 / (1 + (5 * 0.99**80) ** 2)),
    Style("keras_constants", "mnist_convnet.py", "LEARNING_RATE", "val_loss:min", None, "1e-5,0.5"),
    Style("hydra_app", ". --script train.py", "optimizer.lr", "val/loss:min", QUADRATIC),
    Style("omegaconf_cli", ". --script train.py", "optim.lr", "loss_val:min", QUADRATIC),
    Style("sacred_experiment", "experiment.py", "learning_rate", "validation_error:min", QUADRATIC),
    Style("config_file", "train.py", "optimizer.lr", "valid_loss:min", QUADRATIC),
    Style("tyro_app", "train.py", "optimizer.lr", "val/loss:min", QUADRATIC),
    Style("simple_parsing_app", "train.py", "learning_rate", "dev_loss:min", QUADRATIC),
    Style("click_app", "train.py", "lr", "val_loss:min", 1.1 * QUADRATIC),
    Style("typer_app", "train.py", "learning_rate", "test_mse:min", QUADRATIC),
    Style("absl_app", "main.py", "learning_rate", "test_loss:min", QUADRATIC),
    Style("fire_app", "train.py", "lr", "accuracy:max", 1 / (1 + QUADRATIC)),
    Style("package", ". --script pkg/train.py", "lr", "val_loss:min", QUADRATIC),
    Style("shell_script", "run.sh", "LR", "loss:min", QUADRATIC),
    Style("environ", "train.py", "LR", "val_loss:min", QUADRATIC),
    Style(
        "stfmanager",
        "train.py -p batch_size=8 -p epochs=4 -p early_stopping=2",
        "learning_rate",
        "val_loss:min",
        1.1 * QUADRATIC,
    ),
    Style("xgboost_like", "train.py", "eta", "eval-rmse:min", 5 * 0.8**6),
    Style("torch_lightning_like", "fit.py", "optimizer.lr", "val_loss:min", None),
    Style("tensorboard_only", "train.py", "lr", "val_loss:min", QUADRATIC),
    Style("perl_script", "fit.pl", "LR", "error:min", QUADRATIC),
    Style("data_beside", ". --script src/train.py", "lr", "val_loss:min", QUADRATIC),
    Style("notebook", "Regression.ipynb", "lr", "val_loss:min", QUADRATIC),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with up(tmp_path_factory.mktemp("gallery") / "home") as home:
        yield home


def test_there_is_a_style_per_script() -> None:
    assert sorted(style.name for style in STYLES) == sorted(path.name for path in SCRIPTS.iterdir())
    assert len(STYLES) >= 25


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_unmodified(style: Style, home: Path, train_python: str) -> None:
    cli = Cli(home, SCRIPTS / style.name)
    swept = f"{style.param}={style.values}"
    arguments = [*style.submitted.split(), "-p", swept, "--python", train_python, "--gpus", "0"]
    submitted = cli.quick("submit", *arguments, "--json").json["id"]
    with Client(home=home) as client:
        tasks = client.job(submitted).wait(PATIENCE).tasks()
        assert [task.state for task in tasks] == ["finished", "finished"], [client.log(task.id) for task in tasks]
        job = client.detail(submitted)
        curves = client.curves(submitted, [job.objective.metric])
    assert f"{job.objective.metric}:{job.objective.goal}" == style.objective
    assert job.best_task == tasks[1].id
    if style.best is not None:
        assert job.best_value == pytest.approx(style.best, abs=0.006, rel=0.01)
    assert {curve.task for curve in curves} == {task.id for task in tasks}
    assert all(len(curve.values) >= POINTS for curve in curves)
