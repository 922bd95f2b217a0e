"""Test the reading of journals: no record is lost or made up, and every record can be stored."""

import dataclasses
import itertools
import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paddock.models import Cause, FreeMemory, Seat
from paddock.server.journal import (
    KINDS,
    MAX_NAMES,
    Bye,
    Ended,
    Metric,
    NodeSeen,
    Packed,
    Record,
    Reset,
    Started,
    Usage,
    Warned,
    parse,
)

ABOUT: dict[str, Any] = {"at": 1, "task": "k3v9x2ab-1", "attempt": 1}
LEAST: dict[str, dict[str, Any]] = {
    "metric": {"step": 1, "v": {"loss": 0.5}},
    "reset": {"names": ["loss"]},
    "total": {"epochs": 3},
    "warning": {"text": "look"},
    "node": {"node": "n1", "cores": 4},
    "packing": {"gpu": "H200", "tasks": 2, "auto": True},
}

_attempts = st.fixed_dictionaries(
    {"task": st.from_regex(r"[a-z0-9]{8}-[1-9]", fullmatch=True), "attempt": st.integers(1, 99)}
)
_records = st.builds(
    lambda kind, at, about, more: {"e": kind, "at": at, **about, **LEAST.get(kind, {}), "more": more},
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


def one(kind: str, **fields: Any) -> Record:
    batch = parse(lines([{"e": kind, **ABOUT, **LEAST.get(kind, {}), **fields}]))
    assert not batch.malformed
    [record] = batch.records
    return record


@given(st.lists(_records | _junk, max_size=12), st.lists(st.integers(1, 300), min_size=1, max_size=6))
def test_any_portions_and_any_junk_between(parts: list[dict[str, Any] | bytes], portions: list[int]) -> None:
    whole = b"".join((lines([part]) if isinstance(part, dict) else part + b"\n") for part in parts)
    got: list[Record] = []
    offset = end = 0
    sizes = itertools.cycle(portions)
    while end < len(whole):
        end = min(end + next(sizes), len(whole))
        batch = parse(whole[offset:end])
        got += batch.records
        offset += batch.consumed
        assert batch.consumed == 0 or whole[offset - 1 : offset] == b"\n"
    assert offset == len(whole)
    assert got == parse(lines([part for part in parts if isinstance(part, dict)])).records
    assert len(got) == sum(isinstance(part, dict) for part in parts)


@given(st.lists(_records, min_size=1, max_size=3), st.integers(1, 1000))
def test_a_torn_last_line_waits_for_the_rest(records: list[dict[str, Any]], cut: int) -> None:
    whole = lines(records)
    last = len(lines(records[-1:]))
    batch = parse(whole[: len(whole) - 1 - cut % last])
    assert batch.records == parse(lines(records[:-1])).records
    assert batch.consumed == len(whole) - last


@given(st.binary())
@example(b"[" * 100_000 + b"\n")
@example(b'{"e":[],"at":1}\n')
@example(b'{"e":{},"at":1}\n')
@example(b'{"e":"bye","at":1e999}\n')
@example(b'{"e":"bye","at":' + b"9" * 5000 + b"}\n")
@example(b"\xff\xfe\n")
@example('{"e":"bye","at":1}'.encode("utf-16-le") + b"\n")
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
        '{"e":"started","at":1,"task":"a-1","attempt":0}',
        '{"e":"started","at":1,"task":"a-1","attempt":18446744073709551616}',
        '{"e":"started","at":1,"task":7,"attempt":1}',
        '{"e":"started","at":"now","task":"a-1","attempt":1}',
        '{"e":"bye","at":NaN}',
        '{"e":"bye","at":Infinity}',
        '{"e":"bye","at":-1}',
        '{"e":"bye","at":1e300}',
        '{"e":"bye","at":true}',
        '{"e":"bye"}',
        '{"at":1}',
        '["e","bye"]',
        "garbage",
        '{"e":"bye","at":1}{"e":"bye","at":1}',
    ],
)
def test_what_is_no_record_is_counted_and_kept_out(line: str) -> None:
    batch = parse(f'{line}\n{{"e":"bye","at":5}}\n'.encode())
    assert batch.records == [Bye(5)]
    [malformed] = batch.malformed
    assert malformed.reason


HUGE = 10**400
WRONG: list[tuple[str, dict[str, Any]]] = [
    ("started", {"pid": 2**31}),
    ("started", {"pid": 1.5}),
    ("started", {"node": 7}),
    ("started", {"seat": {"cores": list(range(200_000))}}),
    ("started", {"seat": {"threads": 2**64}}),
    ("metric", {"step": None}),
    ("metric", {"step": math.inf}),
    ("metric", {"step": HUGE}),
    ("metric", {"epoch": HUGE}),
    ("metric", {"epoch": math.nan}),
    ("metric", {"epoch": "1"}),
    ("metric", {"v": 5}),
    ("metric", {"v": {"loss": "low"}}),
    ("metric", {"v": {"x" * 201: 1}}),
    ("metric", {"v": {f"m{n}": 1 for n in range(MAX_NAMES + 1)}}),
    ("reset", {"names": 5}),
    ("reset", {"names": [["loss"]]}),
    ("reset", {"names": ["x"] * (MAX_NAMES + 1)}),
    ("total", {"epochs": 2**31}),
    ("total", {"epochs": 0}),
    ("usage", {"memory": math.inf}),
    ("usage", {"memory": -1}),
    ("usage", {"gpu_memory": 2**64}),
    ("usage", {"cpu": math.nan}),
    ("usage", {"gpu_load": HUGE}),
    ("warning", {"text": None}),
    ("warning", {"text": ["x"]}),
    ("ended", {"cause": ["x"]}),
    ("ended", {"cause": "bad luck"}),
    ("ended", {"by": {}}),
    ("ended", {"by": "magic"}),
    ("ended", {"exit": 2**63}),
    ("ended", {"signal": "9"}),
    ("ended", {"peak_memory": math.inf}),
    ("ended", {"peak_gpu_memory": 2**63}),
    ("ended", {"cpu_seconds": -math.inf}),
    ("ended", {"reason": 5}),
    ("ended", {"again": {"gpu": 2**63}}),
    ("node", {"node": 7}),
    ("node", {"node": "x" * 256}),
    ("node", {"cores": "x"}),
    ("node", {"cores": 2**64}),
    ("node", {"load": math.inf}),
    ("node", {"cards": [{}]}),
    ("node", {"cards": [{"id": "g", "number": 0}] * 1000}),
    ("node", {"cards": [{"id": "g", "number": 0, "name": "x" * 1000}]}),
    ("node", {"cards": [{"id": "g", "number": 0, "processes": [{"pid": 1, "command": "x" * 1000}]}]}),
    ("packing", {"gpu": 7}),
    ("packing", {"gpu": "x" * 201}),
    ("packing", {"tasks": 2**31}),
    ("packing", {"need": 2**63}),
    ("packing", {"speedup": math.inf}),
    ("packing", {"load": math.nan}),
    ("packing", {"limit": "bad luck"}),
]


@pytest.mark.parametrize(("kind", "fields"), WRONG, ids=lambda value: str(value)[:40])
def test_a_field_that_is_wrong_makes_the_record_wrong(kind: str, fields: dict[str, Any]) -> None:
    batch = parse(lines([{"e": kind, **ABOUT, **LEAST.get(kind, {}), **fields}, {"e": "bye", "at": 5}]))
    assert (batch.records, len(batch.malformed)) == ([Bye(5)], 1)


def test_a_kind_of_a_newer_version_is_left_out_without_a_word() -> None:
    assert parse(b'{"e":"of a newer version","at":1}\n').malformed == []
    assert parse(b'{"e":"of a newer version","at":1}\n').records == []


def test_empty_lines_are_no_fault() -> None:
    assert parse(b"\n\n  \n").malformed == []
    assert parse(b"").consumed == 0


def test_what_a_runner_writes() -> None:
    about = (1.0, "k3v9x2ab-1", 1, 1)
    seat = {"gpus": ["0"], "cores": [1, 2]}
    assert one("started", pid=7, seat=seat) == Started(*about, pid=7, seat=Seat(gpus=["0"], cores=[1, 2]))
    assert one("started", seat={"of another": "version"}) == Started(*about)
    assert one("usage", memory=1e9, cpu=0.5) == Usage(*about, memory=10**9, cpu=0.5)
    again = {"gpu": 5, "host": None, "alone": True}
    ended = Ended(*about, exit=1, cause=Cause.GPU_OOM, reason="x", again=FreeMemory(gpu=5, alone=True))
    assert one("ended", exit=1, cause="gpu_oom", reason="x", again=again) == ended
    packed, seen = one("packing", need=5), one("node", cards=[{"id": "g", "number": 0}])
    assert isinstance(packed, Packed)
    assert (packed.packing.gpu, packed.packing.need) == ("H200", 5)
    assert isinstance(seen, NodeSeen)
    assert seen.look.cards[0].id == "g"


def test_values_may_be_infinite_and_a_name_too_long_costs_only_itself() -> None:
    found = one("metric", v={"loss": math.inf, "x" * 201: 1, "bad": "x", "huge": HUGE, "good": 2})
    assert isinstance(found, Metric)
    assert found.values == {"loss": math.inf, "good": 2}


def test_long_texts_are_cut_off() -> None:
    found = one("warning", text="x" * 5000)
    assert isinstance(found, Warned)
    assert len(found.text) == 2000


def test_each_record_says_of_which_start_it_is() -> None:
    [found] = parse(lines([{"e": "total", **ABOUT, "epochs": 1}]), 3).records
    assert dataclasses.asdict(found)["start"] == 3


def test_text_that_no_database_takes_is_made_harmless() -> None:
    found = one("metric", v={"a\0b": 1, "\ud800": 2})
    assert isinstance(found, Metric)
    assert found.values == {"a\ufffdb": 1, "\ufffd": 2}
    text = one("warning", text="x\udfff ü☃😀")
    assert isinstance(text, Warned)
    assert text.text == "x\ufffd ü☃😀"
    names = one("reset", names=["\udc00"])
    assert isinstance(names, Reset)
    assert names.names == {"\ufffd"}
    raw = lines([{"e": "warning", **ABOUT, "text": "?"}]).replace(b"?", b"\xed\xa0\x80")
    assert len(parse(raw).malformed) == 1, "not UTF-8"
