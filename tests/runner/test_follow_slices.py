"""Test that the points are the same however a file grows between two rounds."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runner import tfevents_writer as tb
from tests.runner.follow_rig import Curves, Rig
from tests.runner.test_sources_csv import KERAS, LIGHTNING_2
from tests.runner.test_sources_stdout import epoch

STDOUT = "../attempts/1/out.log"
PRINTED = (
    "Total params: 12,345\n\x1b[1mModel\x1b[0m: x\r\nepoch 3 loss: 0.5\r\nval_f1: 0.25\n"
    + epoch(1, 3)
    + epoch(2, 3, "\nEpoch 2: val_loss improved from inf to 0.25\n")
    + epoch(3, 3)
    + "\xff\xfe\x00\n50%\r100%\rdone\ntest_f1: 0.5\nlast: 0.75"
)
EVENTS = tb.first() + b"".join(tb.keras(i, "epoch_loss", i / 4) + tb.simple(i, acc=i / 8, lr=0.5) for i in range(4))
LINES = '{"epoch": 0, "a": {"x": 1}}\r\n{"epoch": 1, "a": {"x": 2}, "b": NaN}\n[]\n{"epoch": 2, "b": 3.5}'

SAMPLES = {
    "keras": ("training.csv", KERAS),
    "lightning": ("metrics.csv", LIGHTNING_2.encode()),
    "csv": ("x.csv", b'\xef\xbb\xbf"epoch";"a"\r\n0;1,5\r\n1;"2"\r\n\r\nepoch;a;b\r\n2;3;"x\r\ny"\r\n3;4;5'),
    "jsonl": ("log.jsonl", LINES.encode()),
    "tensorboard": ("train/events.out.tfevents.1.host", EVENTS),
    "stdout": (STDOUT, PRINTED.encode()),
}


def follow(name: str, parts: list[bytes]) -> tuple[Curves, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder)).start()
        for part in parts:
            rig.append(name, part)
            rig.poll()
        rig.close()
        assert rig.resets == []
        return rig.curves, rig.warnings


@pytest.mark.parametrize("sample", SAMPLES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_slices(sample: str, data: st.DataObject) -> None:
    name, content = SAMPLES[sample]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=30)))
    parts = [content[a:b] for a, b in zip([0, *cuts], [*cuts, len(content)], strict=True)]
    whole = follow(name, [content])
    assert repr(follow(name, parts)) == repr(whole)  # by repr: nan is not itself
    assert whole[0]


@pytest.mark.parametrize("sample", SAMPLES)
def test_byte_by_byte(sample: str) -> None:
    name, content = SAMPLES[sample]
    content = content[:1500]
    assert repr(follow(name, [content[i : i + 1] for i in range(len(content))])) == repr(follow(name, [content]))


@settings(max_examples=60, deadline=None)
@given(junk=st.binary(max_size=3000), name=st.sampled_from([name for name, _ in SAMPLES.values()]))
def test_junk_never_fails(junk: bytes, name: str) -> None:
    _, warnings = follow(name, [junk[:100], junk[100:]])
    assert not any("cannot be followed" in text for text in warnings)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damage_never_fails(data: st.DataObject) -> None:
    name, content = data.draw(st.sampled_from(list(SAMPLES.values())))
    damaged = bytearray(content)
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=10)):
        damaged[place] = data.draw(st.integers(0, 255))
    _, warnings = follow(name, [bytes(damaged)])
    assert not any("cannot be followed" in text for text in warnings)


@settings(max_examples=60, deadline=None)
@given(versions=st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=6), min_size=1, max_size=6))
def test_written_anew_again_and_again(versions: list[list[int]]) -> None:
    """In the end there are the points of the last version, whatever the file was before."""
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder)).start()
        for rows in versions:
            rig.write("a.csv", "epoch,a\n" + "".join(f"{i},{value}\n" for i, value in enumerate(rows)))
            rig.poll()
        rig.close()
        assert rig.curves == {"a": list(enumerate(versions[-1]))}
