"""Test frames: whatever way they are cut, the same ones arrive; anything else is refused, and nothing large is kept."""

import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.common.frames import MOST_DATA, MOST_HEADER, BadFrame, Frame, Frames, encode

VALUES = st.recursive(st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(), st.lists, max_leaves=5)
HEADERS = st.dictionaries(st.text().filter(lambda name: name != "n"), VALUES, max_size=4)


@given(st.lists(st.tuples(HEADERS, st.binary(max_size=300)), max_size=6), st.lists(st.integers(1, 50), max_size=40))
def test_frames_arrive_as_they_were_sent_however_they_are_cut(sent: list[Frame], cuts: list[int]) -> None:
    stream = b"".join(encode(header, data) for header, data in sent)
    frames, got, at = Frames(), [], 0
    for size in [*cuts, len(stream) + 1]:
        got += [(_without_count(header), data) for header, data in frames.feed(stream[at : at + size])]
        at += size
    assert got == sent


def _without_count(header: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in header.items() if name != "n"}


@given(st.binary(max_size=2000))
def test_anything_else_is_refused_or_waited_for(data: bytes) -> None:
    frames = Frames()
    try:
        for header, body in frames.feed(data + b"\n"):
            assert isinstance(header, dict)
            assert len(body) == header.get("n", 0)
    except BadFrame:
        pass


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"1",
        b"null",
        b"{",
        b"",
        b'{"n":-1}',
        b'{"n":true}',
        b'{"n":1.0}',
        b'{"n":"1"}',
        b'{"n":%d}' % (MOST_DATA + 1),
        b'{"n":%s}' % (b"9" * 5000),
        b"[" * 100_000,
        b'{"a":"\xff"}',
    ],
)
def test_headers_that_are_none(line: bytes) -> None:
    with pytest.raises(BadFrame):
        list(Frames().feed(line + b"\n"))


def test_a_line_without_an_end_is_not_kept_for_ever() -> None:
    frames = Frames()
    with pytest.raises(BadFrame):
        for _ in range(MOST_HEADER // 1000 + 2):
            list(frames.feed(b"x" * 1000))


def test_what_is_too_large_is_not_sent() -> None:
    assert len(encode({}, bytes(MOST_DATA))) > MOST_DATA
    with pytest.raises(BadFrame):
        encode({}, bytes(MOST_DATA + 1))
    with pytest.raises(BadFrame):
        encode({"a": "x" * MOST_HEADER})


def test_names_that_are_no_text_survive() -> None:
    name = os.fsdecode(b"caf\xe9 \xff")
    [(header, _)] = Frames().feed(encode({"path": name}))
    assert os.fsencode(header["path"]) == b"caf\xe9 \xff"
    assert json.dumps(header)
