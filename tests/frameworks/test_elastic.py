"""Test `paddock.elastic` with PyTorch: real processes that average by gloo, end, are killed, and go on."""

import json
import socket
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from paddock.runner.elastic import TOLD_TO_END
from paddock.server.intake.submission import _lay_down_report
from tests.frameworks.conftest import EXAMPLES, MODULES
from tests.support.warm import WarmScript

pytestmark = pytest.mark.frameworks

SCRIPT = Path(__file__).with_name("elastic_script.py")
Start = Callable[..., "Ended"]
KILLED = -9


class Ended:
    """What the processes of a training left: exit codes, and what the first one printed."""

    def __init__(self, codes: list[int | None], printed: str, errors: str) -> None:
        self.codes, self.printed, self.errors = codes, printed, errors
        self.epochs: list[dict[str, Any]] = [json.loads(line) for line in printed.splitlines() if line[:1] == "{"]


@pytest.fixture
def start(train_python: str, train_environ: dict[str, str], tmp_path: Path) -> Start:
    """Runs a training to its end: start("name", world=2, END_AT=700, batch=63)."""
    _lay_down_report(tmp_path, None)

    def run(name: str, world: int = 1, script: Path = SCRIPT, args: tuple[object, ...] = (), **given: Any) -> Ended:
        variables = {key: str(given.pop(key)) for key in [*given] if key.isupper()}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        environ = train_environ | variables | {
            "PYTHONPATH": str(tmp_path / "lib"), "PADDOCK_REPORT": str(tmp_path / f"{name}.jsonl"),
            "PADDOCK_CHECKPOINT_DIR": str(tmp_path / name), "ELASTIC": json.dumps(given),
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
        }  # fmt: skip
        places = [{"RANK": str(n), "LOCAL_RANK": str(n), "WORLD_SIZE": str(world)} for n in range(world)]
        pipe = subprocess.PIPE
        command = [str(script), *map(str, args)]
        started = [
            WarmScript(
                command, train_python, MODULES["torch"], cwd=tmp_path, env=environ | place, stdout=pipe, stderr=pipe
            )
            for place in (places if world > 1 else [{}])
        ]  # fmt: skip
        ended = [process.communicate(timeout=300) for process in started]
        codes = [process.returncode for process in started]
        return Ended(codes, ended[0][0].decode(), "\n".join(err.decode() for _, err in ended))

    return run


def assert_same(parts: list[dict[str, Any]], whole: list[dict[str, Any]]) -> None:
    assert [one["epoch"] for one in parts] == [one["epoch"] for one in whole]
    for one, other in zip(parts, whole, strict=True):
        assert one["loss"] == pytest.approx(other["loss"], abs=1e-5)
        assert one["weights"] == pytest.approx(other["weights"], abs=1e-5)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_a_resized_training_equals_one_that_was_never_resized(start: Start, tmp_path: Path, optimizer: str) -> None:
    whole = start("whole", optimizer=optimizer)
    assert whole.codes == [0], whole.errors
    assert whole.epochs[-1]["loss"] < 0.8 * whole.epochs[0]["loss"], "else equality would say nothing"
    parts = []
    # Told to end in the middle of an epoch, once through a process that is not the first.
    for world, told, by in ((1, 700, 0), (2, 1000, 1), (1, -1, 0)):
        ended = start("parts", world, optimizer=optimizer, END_AT=told, END_RANK=by)
        assert ended.codes == ([0] if told < 0 else [TOLD_TO_END] * world), ended.errors
        assert ("goes on after" in ended.printed) == (told != 700)
        parts += ended.epochs
    assert_same(parts, whole.epochs)
    told_of = [json.loads(line) for line in (tmp_path / "parts.jsonl").read_text().splitlines()]
    assert [(one["epoch"], one["of"], one["elastic/gpus"]) for one in told_of] == [
        (1, 4, 2),
        (2, 4, 1),
        (3, 4, 1),
        (4, 4, 1),
    ]
    assert all(one["elastic/batch"] == 63 and one["elastic/samples_per_second"] > 0 for one in told_of)


def test_a_kill_in_the_middle_of_a_save_loses_only_what_came_after_the_last_one(start: Start, tmp_path: Path) -> None:
    whole = start("whole").epochs
    killed = start("killed", DIE_IN_SAVE=3)
    assert killed.codes == [KILLED]
    assert [one["epoch"] for one in killed.epochs] == [1, 2, 3], "the third was being saved"
    left = {path.name: path.stat().st_size for path in (tmp_path / "killed").iterdir()}
    assert left["elastic.pt.0.new"] < left["elastic.pt"]
    went_on = start("killed")
    assert went_on.codes == [0], went_on.errors
    assert_same(went_on.epochs, whole[2:])
    assert [path.name for path in (tmp_path / "killed").iterdir()] == ["elastic.pt"]


@pytest.mark.parametrize("world", [1, 2])
def test_a_step_for_which_memory_is_too_small_is_done_in_parts(start: Start, tmp_path: Path, world: int) -> None:
    whole = start("whole").epochs
    small = start("small", world, TOO_MANY=20)
    assert small.codes == [0] * world, small.errors
    assert_same(small.epochs, whole)
    remembered = json.loads((tmp_path / "small" / "elastic-memory.json").read_text())
    assert 10 <= remembered["samples"] <= 20
    too_small = start("too small", on_gpu=[1, 1], TOO_MANY=0.5)
    assert too_small.codes == [1]
    assert "OutOfMemoryError" in too_small.errors


@pytest.mark.parametrize(("optimizer", "rule", "factor"), [("sgd", "linear", 1.0), ("adam", "sqrt", 0.5)])
def test_a_batch_grows_with_the_noise_but_not_at_once(
    start: Start, tmp_path: Path, optimizer: str, rule: str, factor: float
) -> None:
    ended = start("grown", 2, batch=16, most=256, epochs=20, optimizer=optimizer, lr="auto")
    assert ended.codes == [0, 0], ended.errors
    sizes = [16] + [one["batch"] for one in ended.epochs]
    assert sizes[1] == 16, "the first epoch is 5 % of the training"
    assert all(after <= 2 * before for before, after in pairwise(sizes))
    assert 16 < sizes[-1] <= 256
    assert ended.epochs[-1]["noise"] > 1
    last = json.loads((tmp_path / "grown.jsonl").read_text().splitlines()[-1])
    assert last["elastic/noise"] == pytest.approx(ended.epochs[-1]["noise"])
    steady = sizes[-6:] == sizes[-6:-5] * 6  # then the learning rate has had its 50 steps
    assert not steady or last["elastic/lr_factor"] == pytest.approx((sizes[-1] / 16) ** factor)


def test_adascale_takes_more_epochs_if_steps_bring_less(start: Start) -> None:
    ended = start("gained", 2, batch=16, most=256, epochs=20, lr="adascale")
    assert ended.codes == [0, 0], ended.errors
    last = ended.epochs[-1]
    assert last["batch"] > 16
    assert 20 <= last["epoch"] <= 40
    assert last["epoch"] == 40 or 19.4 < last["progress"] < 21
    assert last["progress"] < last["epoch"]


def test_the_example_goes_on_with_another_number_of_processes(start: Start, tmp_path: Path) -> None:
    script = EXAMPLES / "elastic" / "train.py"
    by_hand = start("hand", script=script, args=("--epochs", 3))
    assert by_hand.codes == [0], by_hand.errors
    first = start("two", 2, script=script, args=("--epochs", 1))
    second = start("two", 1, script=script, args=("--epochs", 3))
    assert (first.codes, second.codes) == ([0, 0], [0]), first.errors + second.errors

    def lines(printed: str) -> list[str]:
        return [line for line in printed.splitlines() if line.startswith("epoch")]

    assert len(lines(by_hand.printed)) == 3
    assert lines(first.printed) + lines(second.printed) == [
        line.replace("1/3", "1/1") if "1/3" in line else line for line in lines(by_hand.printed)
    ]


def test_what_is_asked_for_wrongly_is_refused(start: Start, tmp_path: Path) -> None:
    script = tmp_path / "wrong.py"
    script.write_text(
        "import torch\nfrom paddock import elastic\nmodel = torch.nn.Linear(1, 1)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "most, parts, lr = dict(batch=4, most=2), dict(batch=4, on_gpu=(3, 2)), dict(batch=4, lr='cubic')\n"
        "for wrong in (dict(batch=0), most, parts, lr):\n"
        "    try:\n        elastic.Training(model, optimizer, **wrong)\n"
        "    except ValueError as error:\n        print(error)\n"
        "run = elastic.Training(model, optimizer, batch=2)\n"
        "batch = next(run.batches(torch.zeros(4, 1)))\n"
        "run.step(batch, lambda x: model(x).sum())\n"
        "run.step(batch, lambda x: model(x).sum())\n"
    )
    ended = start("wrong", script=script)
    assert ended.codes == [1]
    assert len(ended.printed.splitlines()) == 4
    assert "cubic" in ended.printed
    assert "step() takes one batch of batches(), once" in ended.errors
