"""Reading journals: whatever is in them, no record is lost, none is made up."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paddock.journal import KINDS, parse

_attempts = st.fixed_dictionaries(
    {"task": st.from_regex(r"[a-z0-9]{8}-[1-9]", fullmatch=True), "attempt": st.integers(1, 99)}
)
_records = st.builds(
    lambda kind, at, about, more: {"e": kind, "at": at, **about, "more": more},
    st.sampled_from(sorted(KINDS)),
    st.floats(0, 2e9),
    _attempts,
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])) | st.integers() | st.none(),
)
_junk = st.one_of(
    st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"").replace(b"\r", b"")),
    st.sampled_from(
        [b"", b"  ", b"{}", b"null", b"[1]", b'{"e": "metric"}', b'{"e": "new kind", "at": 1}', b'{"e": []}']
    ),
    st.binary(max_size=8).map(lambda data: b'{"e":"bye","at":1,' + data.replace(b"\n", b"").replace(b"\r", b"")),
)


def lines(records: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@given(st.lists(_records | _junk, max_size=12), st.lists(st.integers(1, 300), min_size=1, max_size=6))
def test_any_portions_and_any_junk_between(parts: list[dict[str, Any] | bytes], portions: list[int]) -> None:
    whole = b"".join((lines([part]) if isinstance(part, dict) else part + b"\n") for part in parts)
    got, offset, end = [], 0, 0
    sizes = itertools.cycle(portions)
    while end < len(whole):
        end = min(end + next(sizes), len(whole))
        batch = parse(whole[offset:end])
        got += batch.records
        offset += batch.consumed
        assert batch.consumed == 0 or whole[offset - 1 : offset] == b"\n"
    assert offset == len(whole)
    assert got == [part for part in parts if isinstance(part, dict)]


@given(st.lists(_records, min_size=1, max_size=3), st.integers(1, 1000))
def test_a_torn_last_line_waits_for_the_rest(records: list[dict[str, Any]], cut: int) -> None:
    whole = lines(records)
    last = len(lines(records[-1:]))
    batch = parse(whole[: len(whole) - 1 - cut % last])
    assert batch.records == records[:-1]
    assert batch.consumed == len(whole) - last


@given(st.binary())
@example(b"[" * 100_000 + b"\n")
@example(b'{"e":[],"at":1}\n')
@example(b'{"e":{},"at":1}\n')
@example(b'{"e":"bye","at":1e999}\n')
@example(b'{"e":"bye","at":' + b"9" * 5000 + b"}\n")
@example(b"\xff\xfe\n")
def test_nothing_makes_it_fail(data: bytes) -> None:
    batch = parse(data)
    assert batch.consumed == data.rfind(b"\n") + 1


@pytest.mark.parametrize(
    "line",
    [
        '{"e":"started","at":1}',
        '{"e":"started","at":1,"task":"a-1"}',
        '{"e":"started","at":1,"task":"a-1","attempt":"1"}',
        '{"e":"started","at":1,"task":"a-1","attempt":true}',
        '{"e":"started","at":1,"task":7,"attempt":1}',
        '{"e":"started","at":"now","task":"a-1","attempt":1}',
        '{"e":"bye","at":NaN}',
        '{"e":"bye","at":Infinity}',
        '{"e":"bye","at":-1}',
        '{"e":"bye","at":1e300}',
        '{"e":"bye","at":true}',
        '{"e":"bye"}',
        '{"at":1}',
        '{"e":"of a newer version","at":1}',
        '["e","bye"]',
        "garbage",
        '{"e":"bye","at":1}{"e":"bye","at":1}',
    ],
)
def test_what_is_no_record_is_counted_and_kept_out(line: str) -> None:
    batch = parse(f'{line}\n{{"e":"bye","at":5}}\n'.encode())
    assert batch.records == [{"e": "bye", "at": 5}]
    assert batch.skipped == 1


def test_empty_lines_are_no_fault() -> None:
    assert parse(b"\n\n  \n").skipped == 0
    assert parse(b"").consumed == 0


def test_text_that_no_database_takes_is_made_harmless() -> None:
    record = {
        "e": "metric",
        "at": 1,
        "task": "a-1",
        "attempt": 1,
        "v": {"a\0b": 1, "\ud800": 2},
        "text": ["x\udfff", "ü☃😀"],
    }
    [found] = parse(lines([record])).records
    assert found["v"] == {"a\ufffdb": 1, "\ufffd": 2}
    assert found["text"] == ["x\ufffd", "ü☃😀"]
