"""Test CSV logs as Keras, Lightning and others write them."""

import math
import os
from pathlib import Path

import pytest

from paddock.runner.sources import tail
from paddock.runner.sources.csv_file import detect, split
from tests.runner.follow_rig import Rig

KERAS = (
    b"epoch,accuracy,loss,val_accuracy,val_loss\r\n"
    b"0,0.5078125,0.6931471824645996,0.515625,0.6925\r\n"
    b"1,0.5546875,0.6899999976158142,NA,NA\r\n"
    b"2,0.6,nan,0.61,inf\r\n"
)
LIGHTNING_1 = "epoch,step,train_loss\n0,49,0.9\n0,99,0.8\n"
LIGHTNING_2 = "epoch,step,train_loss,val_acc,val_loss\n0,49,0.9,,\n0,99,0.8,,\n0,99,,0.5,0.7\n1,149,0.6,,\n"


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_keras_csv_logger(rig: Rig) -> None:
    rig.start()
    rig.write("training.csv", KERAS)
    assert rig.poll()[0] == {
        "e": "metric",
        "step": 0,
        "v": {"accuracy": 0.5078125, "loss": 0.6931471824645996, "val_accuracy": 0.515625, "val_loss": 0.6925},
    }
    assert rig.records[1]["v"] == {"accuracy": 0.5546875, "loss": 0.6899999976158142}
    assert math.isnan(rig.records[2]["v"]["loss"])
    assert math.isinf(rig.records[2]["v"]["val_loss"])
    assert rig.poll() == []
    assert rig.close() == []


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", ", "])
def test_separators(rig: Rig, separator: str) -> None:
    rig.start()
    rows = [["epoch", "loss", "val_loss"], ["0", "0.5", "0.6"], ["1", "0.4", "-1e-3"]]
    rig.write("a.csv", "".join(separator.join(row) + "\n" for row in rows))
    rig.poll()
    assert rig.curves == {"loss": [(0, 0.5), (1, 0.4)], "val_loss": [(0, 0.6), (1, -0.001)]}


def test_quotes_bom_comment_and_text_cells(rig: Rig) -> None:
    rig.start()
    rig.write(
        "a.csv",
        '\ufeff"epoch","loss, mean",name,conf\n0,"0.5","a, b","""[0.1, 0.2]"""\n# a comment\n\n'
        '1,0.4,"two\nlines",x\n2,0.3,"",\n',
    )
    rig.poll()
    assert rig.curves == {"loss, mean": [(0, 0.5), (1, 0.4), (2, 0.3)]}
    assert rig.warnings == []


def test_only_complete_lines_until_the_end(rig: Rig) -> None:
    rig.start()
    rig.write("a.csv", "epoch,loss,acc\n0,0.5,0.1\n1,0.2")
    assert len(rig.poll()) == 1
    rig.append("a.csv", "5,0.7")
    assert rig.poll() == []
    rig.append("a.csv", "\n2,0.125,0.2")
    assert rig.poll() == [{"e": "metric", "step": 1, "v": {"loss": 0.25, "acc": 0.7}}]
    assert rig.close() == [{"e": "metric", "step": 2, "v": {"loss": 0.125, "acc": 0.2}}]


def test_a_row_cut_short_does_not_give_half_a_number(rig: Rig) -> None:
    rig.start()
    rig.write("a.csv", "epoch,loss,acc\n0,0.5,0.1\n1,0.25,0.7\n2,0.12")
    rig.close()
    assert rig.curves["loss"] == [(0, 0.5), (1, 0.25)]


def test_lightning_is_rewritten_with_more_columns(rig: Rig) -> None:
    rig.start()
    path = "lightning_logs/version_0/metrics.csv"
    rig.write(path, LIGHTNING_1)
    assert rig.poll() == [
        {"e": "metric", "step": 49, "v": {"train_loss": 0.9}, "epoch": 0},
        {"e": "metric", "step": 99, "v": {"train_loss": 0.8}, "epoch": 0},
    ]
    rig.write(path, LIGHTNING_2)
    assert rig.poll()[0] == {"e": "reset", "names": ["train_loss"]}
    assert rig.curves == {
        "train_loss": [(49, 0.9), (99, 0.8), (149, 0.6)],
        "val_acc": [(99, 0.5)],
        "val_loss": [(99, 0.7)],
    }


def test_rewritten_with_the_same_and_more_is_read_on(rig: Rig) -> None:
    """As by pandas' to_csv each epoch: another file, but the same log."""
    rig.start()
    for n in range(1, 5):
        content = "epoch,loss\n" + "".join(f"{i},0.{i}\n" for i in range(n))
        rig.replace("history.csv", content) if n % 2 else rig.write("history.csv", content)
        rig.poll()
    assert rig.resets == []
    assert rig.curves == {"loss": [(0, 0.0), (1, 0.1), (2, 0.2), (3, 0.3)]}


def test_seen_while_being_rewritten(rig: Rig) -> None:
    rig.start()
    whole = "epoch,loss\n0,0.5\n1,0.4\n"
    rig.write("a.csv", whole)
    rig.poll()
    for moment in ("", "epoch,loss\n0,0.5\n", whole + "2,0.3\n"):
        rig.write("a.csv", moment)
        assert [record["e"] for record in rig.poll()] == (["metric"] if len(moment) > len(whole) else [])
    assert rig.curves == {"loss": [(0, 0.5), (1, 0.4), (2, 0.3)]}


def test_truncated_for_good(rig: Rig) -> None:
    rig.start()
    rig.write("a.csv", "epoch,loss\n0,0.5\n1,0.4\n")
    rig.poll()
    rig.write("a.csv", "epoch,loss\n0,0.5\n")
    rig.poll()
    assert rig.poll()[0] == {"e": "reset", "names": ["loss"]}
    assert rig.curves == {"loss": [(0, 0.5)]}


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_new_run_over_the_old(rig: Rig, rows: int) -> None:
    rig.start()
    rig.write("a.csv", "epoch,loss\n0,0.5\n1,0.4\n")
    rig.poll()
    rig.write("a.csv", "epoch,loss\n" + "".join(f"{i},0.9\n" for i in range(rows)))
    assert rig.poll()[0] == {"e": "reset", "names": ["loss"]}
    assert rig.curves == {"loss": [(i, 0.9) for i in range(rows)]}


def test_replaced_by_another_file(rig: Rig) -> None:
    rig.start()
    rig.write("a.csv", "epoch,loss\n0,0.5\n1,0.4\n")
    rig.poll()
    rig.replace("a.csv", "epoch,loss,acc\n0,0.5,0.1\n1,0.4,0.2\n")
    rig.poll()
    assert rig.resets == ["loss"]
    assert rig.curves == {"loss": [(0, 0.5), (1, 0.4)], "acc": [(0, 0.1), (1, 0.2)]}


def test_header_again_and_with_new_columns(rig: Rig) -> None:
    rig.start()
    rig.write("a.csv", "epoch,loss\n0,0.5\nepoch,loss\n1,0.4\nepoch,loss,acc\n2,0.3,0.9\n")
    rig.poll()
    assert rig.curves == {"loss": [(0, 0.5), (1, 0.4), (2, 0.3)], "acc": [(2, 0.9)]}


def test_rows_longer_than_the_header(rig: Rig) -> None:
    rig.start()
    rig.write("a.csv", "epoch,loss\n0,0.5,\n1,0.4,0.9\n2,0.3,0.9\n")
    rig.poll()
    assert rig.curves == {"loss": [(0, 0.5), (1, 0.4), (2, 0.3)]}
    assert len(rig.warnings) == 1
    assert "a.csv" in rig.warnings[0]
    assert "longer than the header" in rig.warnings[0]


@pytest.mark.parametrize(
    ("header", "row", "place"),
    [
        ("Epoch,loss", "3,0.5", {"step": 3}),
        ("Step,loss", "30,0.5", {"step": 30}),
        ("trainer/global_step,epoch,loss", "30,3,0.5", {"step": 30, "epoch": 3}),
        ("epoch,iteration,loss", "3,30.0,0.5", {"step": 30, "epoch": 3}),
        ("epoch,step,loss", "3,3,0.5", {"step": 3}),
        ("epoch,loss", "1.5,0.5", {"step": 1.5}),
        ("BATCH,loss", "7,0.5", {"step": 7}),
    ],
)
def test_steps(rig: Rig, header: str, row: str, place: dict[str, float]) -> None:
    rig.start()
    rig.write("x.csv", header + "\n" + row + "\n")
    assert rig.poll() == [{"e": "metric", "v": {"loss": 0.5}, **place}]


def test_without_a_counter_rows_are_counted(rig: Rig) -> None:
    rig.start()
    rig.write("history.csv", ",loss,timestamp\n0,0.5,1.7e9\n1,0.4,1.7e9\n")
    rig.poll()
    assert rig.curves == {"loss": [(0, 0.5), (1, 0.4)]}


def test_batches_counted_anew_in_each_epoch_go_on(rig: Rig) -> None:
    rig.start()
    rig.write("a.csv", "epoch,batch,loss\n0,0,5\n0,1,4\n1,0,3\n1,1,2\n")
    rig.poll()
    assert rig.curves == {"loss": [(0, 5), (1, 4), (2, 3), (3, 2)]}


@pytest.mark.parametrize(
    ("name", "adopted"),
    [
        ("predictions.csv", False),
        ("metrics.csv", True),
        ("sub/folder/History.csv", True),
        ("train_log_2.tsv", True),
        ("../k3v9x2ab-1.csv", True),
        ("other-task.csv", False),
        ("../checkpoint/metrics.csv", False),
        ("../attempts/1/metrics.csv", False),
        (".cache/metrics.csv", False),
        ("1/2/3/4/5/6/7/metrics.csv", False),
    ],
)
def test_which_files_without_a_counter_are_logs(rig: Rig, name: str, adopted: bool) -> None:
    rig.start()
    rig.write(name, "a,b\n0.1,0.2\n")
    rig.close()
    assert bool(rig.curves) == adopted
    assert rig.warnings == []


def test_keras_csv_logger_to_a_log_file(rig: Rig) -> None:
    rig.start()
    rig.write("training.log", KERAS)
    rig.write("debug.log", "starting epoch now\nepoch 1 of 2\n")
    rig.poll()
    assert len(rig.curves["val_loss"]) == 2
    assert set(rig.curves) == {"accuracy", "loss", "val_accuracy", "val_loss"}


def test_two_logs_with_the_same_metric(rig: Rig) -> None:
    rig.start()
    rig.write("train.csv", "epoch,loss\n0,0.5\n")
    rig.write("val.csv", "epoch,loss\n0,0.7\n")
    rig.poll()
    rig.append("val.csv", "1,0.6\n")
    rig.poll()
    assert rig.curves == {"loss": [(0, 0.5)], "val/loss": [(0, 0.7), (1, 0.6)]}
    assert rig.resets == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x00\x01\x02PK\n" * 10, "not text"),
        (b"0.1,0.2\n0.3,0.4\n", "header"),
        (b"\xff\xfe\xfd,\xff\n1,2\n", "header"),
        (b"x" * 3_000_000, "1 MiB"),
    ],
)
def test_what_cannot_be_read_is_said_once(rig: Rig, content: bytes, says: str) -> None:
    rig.start("numbers.dat", "*.csv")
    rig.write("numbers.dat", content)
    rig.write("data.csv", content)
    for _ in range(20):
        rig.poll()
    rig.append("numbers.dat", b"\n1,2\n")
    rig.close()
    assert sorted(text.split(":")[0] for text in rig.warnings) == ["data.csv", "numbers.dat"]
    assert all(says in text for text in rig.warnings)
    assert rig.curves == {}


def test_what_is_not_named_is_not_warned_about(rig: Rig) -> None:
    rig.start()
    rig.write("data.csv", b"\x00\x01\x02PK\n" * 10)
    rig.write("numbers.csv", "0.1,0.2\n0.3,0.4\n")
    rig.close()
    assert rig.records == []


def test_no_permission(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.start()

    def refuse(self: tail.Tail, f: object, final: bool) -> tail.Chunk:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as m:
        m.setattr(tail.Tail, "_read", refuse)
        path = rig.write("metrics.csv", KERAS)
        rig.poll()
        rig.poll()
        assert rig.warnings == [
            "metrics.csv: cannot be read (Permission denied); make it readable for the user the training runs as"
        ]
    os.utime(path)
    assert len(rig.poll()) == 3


def test_parts() -> None:
    assert detect('"a, b";c') == ";"
    assert detect("a") == ","
    assert split('1,"2,5",3', ",") == ["1", "2,5", "3"]
    assert split("1   2  3 ", " ") == ["1", "2", "3"]
    assert split('"' + "x" * 200_000, ",")[0]
