"""Test standard output: Keras' bars, lines of pairs, and everything that is neither."""

import math
import random
import time
from pathlib import Path
from typing import Any

import pytest

from paddock.runner.sources.pairs import parse
from tests.runner.follow_rig import Rig
from tests.runner.log_formats import METRICS, NOTHING, expected


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path).start()


def bar(n: int, of: int, took: str, *metrics: str, width: int = 20) -> str:
    """As Keras 3 draws it (keras/src/utils/progbar.py)."""
    done = width * n // of
    text = f"\x1b[1m{n:{len(str(of))}d}/{of}\x1b[0m "
    text += f"\x1b[32m{'━' * done}\x1b[0m" if done else ""
    text += f"\x1b[37m{'━' * (width - done)}\x1b[0m"
    return text + f" \x1b[1m{took}\x1b[0m 5ms/step" + "".join(" - " + metric for metric in metrics)


def drawn(*bars: str) -> str:
    out, before = "", 0
    for one in bars:
        out += "\b" * before + "\r" + one
        before = len(one) - 24
    return out


def epoch(n: int, of: int, message: str = "") -> str:
    steps = drawn(
        bar(1, 16, "12s", "accuracy: 0.1000", "loss: 9.0000"),
        bar(9, 16, "0s", "accuracy: 0.2000", "loss: 8.0000"),
        bar(16, 16, "0s", "accuracy: 0.9062", "loss: 0.3012"),
    )
    last = drawn(bar(16, 16, "1s", f"accuracy: 0.9{n}", f"loss: 0.3{n}", "val_accuracy: 0.8", "val_loss: 2.5000e-04"))
    return f"Epoch {n}/{of}\n" + steps + message + "\b" * 60 + last + "\n"


KERAS_CURVES = {
    "accuracy": [(0, 0.91), (1, 0.92)],
    "loss": [(0, 0.31), (1, 0.32)],
    "val_accuracy": [(0, 0.8), (1, 0.8)],
    "val_loss": [(0, 0.00025), (1, 0.00025)],
}


def test_keras_bar(rig: Rig) -> None:
    rig.say(epoch(1, 100))
    assert [record["e"] for record in rig.poll()] == ["metric", "total"]
    assert rig.records[1] == {"e": "total", "epochs": 100}
    rig.say(epoch(2, 100))
    rig.close()
    assert rig.curves == KERAS_CURVES


def test_keras_bar_with_a_message_of_a_callback(rig: Rig) -> None:
    message = "\nEpoch %d: val_loss improved from inf to 0.25120, saving model to best.keras\n"
    rig.say(epoch(1, 2, message % 1))
    rig.poll()
    rig.say(epoch(2, 2, message % 2))
    rig.close()
    assert rig.curves == KERAS_CURVES


def test_keras_without_validation_and_evaluate(rig: Rig) -> None:
    for n in (1, 2):
        rig.say(f"Epoch {n}/2\n" + drawn(bar(16, 16, "0s", "loss: 0.3000"), bar(16, 16, "1s", f"loss: 0.2{n}")) + "\n")
    rig.say(drawn(bar(16, 16, "0s", "loss: 7.0000")) + "\n")
    rig.close()
    assert rig.curves == {"loss": [(0, 0.21), (1, 0.22)]}


def test_keras_2_and_its_quiet_forms(rig: Rig) -> None:
    rig.say("Epoch 1/4\n 1/16 [>.............................] - ETA: 3s - loss: 9.0\r")
    rig.say("16/16 [==============================] - 1s 5ms/step - loss: 0.5 - acc: 0.25 - val_loss: nan\n")
    rig.say("Epoch 2/4\n16/16 - 1s - 5ms/step - accuracy: 0.5 - loss: 0.25 - val_loss: 1.0000e-05\n")
    rig.say("Epoch 3/4\n16/16 - 1s - loss: 0.125 - val_loss: 0.5 - 1s/epoch - 5ms/step\n")
    rig.say("Epoch 4/4\n     16/Unknown 1s 5ms/step - loss: 0.0625\n")
    rig.close()
    assert rig.curves["loss"] == [(0, 0.5), (1, 0.25), (2, 0.125), (3, 0.0625)]
    assert math.isnan(rig.curves["val_loss"][0][1])
    assert rig.curves["val_loss"][1:] == [(1, 1e-05), (2, 0.5)]
    assert set(rig.curves) == {"loss", "acc", "accuracy", "val_loss"}


def test_an_unfinished_bar_is_not_a_point(rig: Rig) -> None:
    rig.say("Epoch 1/4\n" + drawn(bar(9, 16, "0s", "loss: 8.0000")))
    rig.close()
    assert rig.curves == {}


def test_own_prints_beside_the_bar_do_not_double(rig: Rig) -> None:
    rig.say(epoch(1, 2) + "epoch: 1 loss: 0.31 f1: 0.5\n" + epoch(2, 2))
    rig.close()
    assert rig.curves == {**KERAS_CURVES, "f1": [(1, 0.5)]}


@pytest.mark.parametrize(("text", "points"), [row[1:] for row in METRICS], ids=[row[0] for row in METRICS])
def test_lines_of_widely_used_scripts(rig: Rig, text: str, points: list[Any]) -> None:
    rig.say(text if text.endswith("\n") else text + "\n")
    rig.close()
    assert [record for record in rig.records if record["e"] == "metric"] == expected(points)
    assert rig.warnings == []


@pytest.mark.parametrize("text", NOTHING)
def test_text_that_is_no_metric(rig: Rig, text: str) -> None:
    rig.say(text + "\n")
    rig.close()
    assert rig.curves == {}


@pytest.mark.parametrize(
    ("line", "place", "values"),
    [
        ("epoch: 3 loss: 0.12 val_loss: 0.1", {"step": 3}, {"loss": 0.12, "val_loss": 0.1}),
        ("Epoch 3: loss=0.12, val_loss=0.3", {"step": 3}, {"loss": 0.12, "val_loss": 0.3}),
        ("[Epoch 3/20] train_loss: 0.1", {"step": 3}, {"train_loss": 0.1}),
        ("epoch 3/20 | loss: 0.12 | acc: 91.2%", {"step": 3}, {"loss": 0.12, "acc": 91.2}),
        ("Epoch [3/20], Step [100/500], Loss: 0.5", {"step": 100, "epoch": 3}, {"loss": 0.5}),
        ("Epoch 003 - loss: -1.5e-3 - time: 12.3s - ETA: 0:12:30", {"step": 3}, {"loss": -0.0015}),
        ("Epoch 3 | Train Loss: 0.5 | Val Loss: 0.25", {"step": 3}, {"train_loss": 0.5, "val_loss": 0.25}),
        ("iter 200: loss=2.5, lr=0.001, 55.2ms", {"step": 200}, {"loss": 2.5, "lr": 0.001}),
        ("step=7 loss=inf", {"step": 7}, {"loss": math.inf}),
        ("2024-01-02 12:30:01,123 - INFO - Epoch 3 - loss: 0.5", {"step": 3}, {"loss": 0.5}),
        ("INFO:root:epoch=3 loss=0.5", {"step": 3}, {"loss": 0.5}),
        ("[12:30:01] [INFO] epoch 3 loss: 0.5", {"step": 3}, {"loss": 0.5}),
        ("{'loss': 0.5, 'learning_rate': 4e-05, 'epoch': 1.5}", {"step": 1.5}, {"loss": 0.5, "learning_rate": 4e-05}),
        ("\x1b[32mepoch 3\x1b[0m loss: \x1b[1m0.5\x1b[0m", {"step": 3}, {"loss": 0.5}),
        ("val_loss: 0.123", {"step": 0}, {"val_loss": 0.123}),
        ("loss:0.5", {"step": 0}, {"loss": 0.5}),
    ],
)
def test_lines_of_pairs(rig: Rig, line: str, place: dict[str, float], values: dict[str, float]) -> None:
    rig.say(line + "\n")
    rig.close()
    assert [record for record in rig.records if record["e"] == "metric"] == [{"e": "metric", "v": values, **place}]


@pytest.mark.parametrize(
    "line",
    [
        "Total params: 12345",
        "Total params: 12,345 (48.22 KB)",
        "total_params: 12345",
        "params: 12,345",
        "time: 12:30:01",
        "http://host:80",
        "localhost:8080",
        "port: 8080.0",
        "lr: 0.1 (fixed)",
        "lr: 0.1",
        "seed=42",
        "batch_size: 64",
        "Found: 1000",
        "Found 1000 images in 2.5 s",
        "Epoch 3: val_loss improved from inf to 0.25120, saving model to best.keras",
        "Epoch 00005: reducing learning rate of group 0 to 1.0000e-04.",
        "Epoch 3 finished, best loss: 0.3 so far",
        "The loss: 0.5 is good",
        "ValueError: 3.5",
        "KeyError: 0.5",
        '  File "train.py", line 3, in <module>',
        "    loss = 0.5 * x",
        "Loaded model version: 1.2.3",
        "version: 1.2.3",
        "2024-01-02 12:30:01.5 I tensorflow/core/util/port.cc:153] oneDNN custom operations are on: 0.5",
        "epoch 3",
        "epochs: 100",
        "0.5",
        ": 0.5",
        "loss: ",
        "loss: 1_000.5",
        "{}",
        "x == 0.5",
    ],
)
def test_lines_that_are_no_metrics(rig: Rig, line: str) -> None:
    rig.say(line + "\n")
    rig.close()
    assert rig.curves == {}


def test_lines_without_a_place_are_counted_for_each_name(rig: Rig) -> None:
    rig.say("loss: 0.5\nloss: 0.25 acc: 0.75\nloss: 0.125\n")
    rig.poll()
    assert rig.curves == {"loss": [(0, 0.5), (1, 0.25), (2, 0.125)], "acc": [(0, 0.75)]}


def test_overwritten_lines_count_as_they_ended(rig: Rig) -> None:
    rig.say("epoch 1 loss: 0.9\repoch 1 loss: 0.8\r\nepoch 2 loss: 0.7\r\nepoch 3 loss: 0.6")
    rig.close()
    assert rig.curves == {"loss": [(1, 0.8), (2, 0.7), (3, 0.6)]}


def test_steps_that_start_anew_each_epoch_go_on(rig: Rig) -> None:
    for e in (1, 2):
        for s in (100, 200):
            rig.say(f"Epoch [{e}/2], Step [{s}/200], Loss: 0.5\n")
    rig.poll()
    assert [record["step"] for record in rig.records if record["e"] == "metric"] == [100, 200, 300, 400]


def test_an_objective_keeps_its_name(tmp_path: Path) -> None:
    """Jobs from before may have an objective as names were written then."""
    rig = Rig(tmp_path).start(objective="Train_Loss")
    rig.say("Epoch 3 | Train Loss: 0.5 | Val Loss: 0.25\n")
    rig.close()
    assert rig.curves == {"Train_Loss": [(3, 0.5)], "val_loss": [(3, 0.25)]}


def test_total_is_said_when_it_is_news(tmp_path: Path) -> None:
    rig = Rig(tmp_path).start(epochs=100)
    rig.say(epoch(1, 100) + epoch(2, 100) + "epoch 3/50 loss: 0.5\n")
    rig.close()
    assert [record for record in rig.records if record["e"] == "total"] == [{"e": "total", "epochs": 50}]


def test_not_asked_for(tmp_path: Path) -> None:
    rig = Rig(tmp_path).start(stdout=False)
    rig.say(epoch(1, 100))
    assert rig.close() == []


def test_long_lines_are_skipped(rig: Rig) -> None:
    rig.say("x" * 70_000 + " loss: 0.5\nloss: 0.25\n")
    rig.say("=" * 300_000)
    rig.poll()
    rig.say("loss: 0.5\nloss: 0.125\n" + "y" * 500_000 + "\rloss: 0.0625\n")
    rig.close()
    assert [value for _, value in rig.curves["loss"]] == [0.25, 0.125, 0.0625]


def test_binary_junk(rig: Rig) -> None:
    rig.say(random.Random(1).randbytes(2_000_000) + b"\nepoch 1 loss: 0.5\n")
    rig.close()
    assert rig.curves["loss"] == [(1, 0.5)]
    assert rig.warnings == []


@pytest.mark.parametrize(
    "line",
    ["INFO some line of a chatty library, the 12th: all is well = fine\n", "step 12 loss: 0.123456 acc: 0.5\n"],
    ids=["chat", "metrics"],
)
def test_a_million_lines_hold_up_nobody(rig: Rig, line: str) -> None:
    rig.say(line * 1_000_000)
    began = time.process_time()  # what others do on this machine does not count
    rig.poll()
    assert time.process_time() - began < 1.0  # a round, of 0.05 s
    began = time.process_time()
    rig.close()
    assert time.process_time() - began < 15.0  # of 5 s
    assert all("too large" in text for text in rig.warnings)


@pytest.mark.parametrize(
    "text", ["a" * 16_000, "a " * 8_000, "a: 1 " * 3_000, "[" * 16_000, "a.b-c " * 2_500, "1:" * 8_000]
)
def test_no_line_takes_long(text: str) -> None:
    began = time.process_time()
    parse(text)
    parse("epoch 1 " + text + ": 0.5 !")
    assert time.process_time() - began < 0.5
