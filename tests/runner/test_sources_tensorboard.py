"""Test TensorBoard event files of Keras and PyTorch."""

import math
import struct
from pathlib import Path

import pytest

from paddock.runner.sources.tfevents import masked_crc
from tests.runner import tfevents_writer as tb
from tests.runner.follow_rig import Rig

NAME = "events.out.tfevents.1700000000.host.123.0.v2"


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path).start()


def test_checksum() -> None:
    assert tb.crc32c(b"123456789") == 0xE3069283  # the published check value of CRC-32C
    assert masked_crc(b"123456789") == tb.mask(0xE3069283)


def test_keras_callback(rig: Rig) -> None:
    for folder, values in (("train", [0.5, 0.25]), ("validation", [0.75, 0.625])):
        data = tb.first() + b"".join(tb.keras(i, "epoch_loss", v) for i, v in enumerate(values))
        rig.write(f"logs/{folder}/{NAME}", data)
    rig.poll()
    assert rig.curves == {"loss": [(0, 0.5), (1, 0.25)], "val_loss": [(0, 0.75), (1, 0.625)]}
    assert rig.resets == rig.warnings == []


def test_pytorch_writer(rig: Rig) -> None:
    data = tb.first() + tb.simple(10, **{"Loss/train": 0.5, "acc": math.nan}) + tb.simple(10, lr=0.125)
    rig.write("runs/Jan01_host/" + NAME, data + tb.simple(20, **{"Loss/train": 0.25, "epoch": 1.0}))
    records = rig.poll()
    assert [record["step"] for record in records] == [10, 20]
    assert set(records[0]["v"]) == {"Loss/train", "acc", "lr"}  # one step, one record
    assert records[1]["v"] == {"Loss/train": 0.25}


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (tb.tensor(tb.FLOAT, tb.block(4, struct.pack("<f", 1.5))), 1.5),
        (tb.tensor(tb.FLOAT, tb.block(5, struct.pack("<f", 1.5))), 1.5),
        (tb.tensor(tb.FLOAT, tb.varint(5 << 3 | 5) + struct.pack("<f", 1.5)), 1.5),
        (tb.tensor(tb.FLOAT, tb.block(4, struct.pack("<f", 1.5)), (1,)), 1.5),
        (tb.tensor(tb.DOUBLE, tb.block(4, struct.pack("<d", 0.1))), 0.1),
        (tb.tensor(tb.DOUBLE, tb.block(6, struct.pack("<d", 0.1))), 0.1),
        (tb.tensor(tb.INT32, tb.block(4, struct.pack("<i", -3))), -3),
        (tb.tensor(tb.INT32, tb.block(7, tb.varint(-3))), -3),
        (tb.tensor(tb.INT64, tb.integer(10, 5)), 5),
        (tb.tensor(tb.INT64, tb.block(4, struct.pack("<q", 2**40))), 2**40),
        (tb.tensor(tb.HALF, tb.block(4, struct.pack("<e", 0.5))), 0.5),
        (tb.tensor(tb.HALF, tb.block(13, tb.varint(struct.unpack("<H", struct.pack("<e", 0.5))[0]))), 0.5),
        (tb.tensor(tb.BFLOAT16, tb.block(4, struct.pack("<f", 0.5)[2:])), 0.5),
        (tb.tensor(tb.BFLOAT16, tb.integer(13, 0x3F00)), 0.5),
        (tb.tensor(tb.FLOAT, tb.block(4, struct.pack("<2f", 1, 2)), (2,)), None),
        (tb.tensor(7, tb.block(8, b"text")), None),
        (tb.tensor(tb.FLOAT, b""), None),
    ],
)
def test_tensors(rig: Rig, content: bytes, value: float | None) -> None:
    rig.write("x/" + NAME, tb.first() + tb.as_tensor(7, "a", content))
    rig.poll()
    assert rig.curves == ({} if value is None else {"a": [(7, value)]})
    assert rig.warnings == []


def test_other_plugins_are_left_out(rig: Rig) -> None:
    number = tb.tensor(tb.FLOAT, tb.block(4, struct.pack("<f", 1.5)))
    rig.write("x/" + NAME, tb.first() + tb.as_tensor(7, "a", number, b"histograms") + tb.as_tensor(7, "b", number))
    rig.poll()
    assert rig.curves == {"b": [(7, 1.5)]}


def test_large_payloads_pass_by(rig: Rig) -> None:
    length = struct.pack("<Q", 3_000_000)
    graph = length + struct.pack("<I", tb.mask(tb.crc32c(length))) + b"g" * 3_000_000 + b"crc?"
    rig.write("x/" + NAME, tb.first() + graph + tb.simple(1, a=0.5))
    rig.close()
    assert rig.curves == {"a": [(1, 0.5)]}


def test_negative_steps(rig: Rig) -> None:
    rig.write("x/" + NAME, tb.first() + tb.simple(-1, a=0.5))
    rig.poll()
    assert rig.curves == {"a": [(-1, 0.5)]}


def test_a_truncated_tail_waits(rig: Rig) -> None:
    data = tb.simple(1, a=0.5)
    path = "x/" + NAME
    rig.write(path, tb.first() + data[:-3])
    assert rig.poll() == []
    rig.append(path, data[-3:] + data[:5])
    assert len(rig.poll()) == 1
    assert rig.close() == []


@pytest.mark.parametrize("place", [3, 9, 20, -2])
def test_damage_is_said_once(rig: Rig, place: int) -> None:
    bad = bytearray(tb.simple(2, a=0.5))
    bad[place] ^= 0xFF
    path = "x/" + NAME
    rig.write(path, tb.first() + tb.simple(1, a=0.25) + bytes(bad) + tb.simple(3, a=0.5))
    rig.poll()
    rig.append(path, tb.simple(4, a=0.5))
    rig.close()
    assert rig.curves == {"a": [(1, 0.25)]}
    assert len(rig.warnings) == 1
    assert rig.warnings[0].startswith(f"x/{NAME}: damaged TensorBoard file")


def test_several_files_of_one_folder_are_one_run(rig: Rig) -> None:
    rig.write("x/" + NAME, tb.first() + tb.simple(1, a=0.25))
    rig.poll()
    rig.write("x/" + NAME + ".later", tb.first() + tb.simple(2, a=0.5))
    rig.poll()
    assert rig.curves == {"a": [(1, 0.25), (2, 0.5)]}
    assert rig.resets == []


def test_folders_that_give_the_same_tag_are_kept_apart(rig: Rig) -> None:
    """As SummaryWriter.add_scalars writes: the main folder, and one a curve."""
    rig.write("runs/X/" + NAME, tb.first() + tb.simple(1, lr=0.5))
    rig.write("runs/X/Loss_a/" + NAME, tb.first() + tb.simple(1, Loss=0.25))
    rig.poll()
    assert rig.curves == {"lr": [(1, 0.5)], "Loss": [(1, 0.25)]}
    rig.write("runs/X/Loss_b/" + NAME, tb.first() + tb.simple(1, Loss=0.75))
    rig.poll()
    rig.append("runs/X/Loss_a/" + NAME, tb.simple(2, Loss=0.125))
    rig.poll()
    assert rig.curves == {"lr": [(1, 0.5)], "Loss_a/Loss": [(1, 0.25), (2, 0.125)], "Loss_b/Loss": [(1, 0.75)]}


def test_a_damaged_file_keeps_its_points_when_names_change(rig: Rig) -> None:
    rig.write("runs/a/" + NAME, tb.first() + tb.simple(1, Loss=0.25) + b"\xff" * 40)
    rig.poll()
    rig.write("runs/b/" + NAME, tb.first() + tb.simple(1, Loss=0.75))
    rig.poll()
    assert rig.curves == {"a/Loss": [(1, 0.25)], "b/Loss": [(1, 0.75)]}
    assert len(rig.warnings) == 1


def test_resume_goes_on_in_an_event_file(rig: Rig) -> None:
    path = "x/" + NAME
    rig.write(path, tb.first() + tb.simple(1, a=0.25))
    rig.start(resume=True)
    rig.poll()
    rig.append(path, tb.simple(2, a=0.5))
    rig.poll()
    assert rig.curves == {"a": [(2, 0.5)]}
    assert rig.resets == []
