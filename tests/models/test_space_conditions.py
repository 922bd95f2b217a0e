"""Test conditions and blocks: their text form, and what files and forms may give."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue, TypeAdapter, ValidationError

from paddock.errors import InvalidInput
from paddock.models.jobfile import validated
from paddock.models.space import Block, Choices, ParamSpace, Range, Space, parse, plain, same, text_of

_adapter: TypeAdapter[Space] = TypeAdapter(ParamSpace)
MOMENTUM = Range(low=0.5, high=0.99, when={"optimizer": ["sgd"]})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5..0.99 if optimizer=sgd", MOMENTUM),
        ("0.5..0.99  if  optimizer == sgd", MOMENTUM),
        ("0.5..0.99 if optimizer=sgd, rmsprop", Range(low=0.5, high=0.99, when={"optimizer": ["sgd", "rmsprop"]})),
        ("1,2 if a=1 and b=true", Choices(values=[1, 2], when={"a": [1], "b": [True]})),
        ("1..3 if a=none,0.5,[1]", Range(low=1, high=3, type="int", when={"a": [None, 0.5, [1]]})),
        ("x if a='b and c=d' and e=f", Choices(values=["x"], when={"a": ["b and c=d"], "e": ["f"]})),
        ("x if a=b and c", Choices(values=["x"], when={"a": ["b and c"]})),
        ("1..9:2 if a.b-c=1", Range(low=1, high=9, step=2, type="int", when={"a.b-c": [1]})),
        ('{"a": "b if c=d"} if e=f', Choices(values=[{"a": "b if c=d"}], when={"e": ["f"]})),
        # No condition: nothing like NAME= after the `if`.
        ("what if", Choices(values=["what if"])),
        ("what if 3=4", Choices(values=["what if 3=4"])),
        ("what if not,a", Choices(values=["what if not", "a"])),
        ("if a=b", Choices(values=["if a=b"])),
        ('"what if a=b"', Choices(values=["what if a=b"])),
        ("a,'what if a=b'", Choices(values=["a", "what if a=b"])),
        ("xif a=b", Choices(values=["xif a=b"])),
    ],
)
def test_conditions_in_text(text: str, expected: Space) -> None:
    assert parse(text) == expected
    assert parse(text_of(expected)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0..1.5 if", "NAME=VALUE"),
        ("0..1.5 if optimizer", "NAME=VALUE"),
        ("0..1.5 if optimizer!=sgd", "NAME=VALUE"),
        ("1 if a=", "no value after a="),
        ("1 if a=1 and b= and c=2", "no value after b="),
        ("1 if a=1,", "nothing after it"),
        ("1 if a=1 and a=2", "two conditions on a"),
        ("2..1 if a=1", "from the smaller to the larger"),
        ("1 if a=[1", "not valid JSON"),
        ('{"repeat": 1, "block": {"a": 1}, "when": {"b": 1}} if b=2', "once"),
        ('{"repeat": 1, "block": {"a": "2..1"}}', "block.a: a range goes from the smaller"),
        ('{"block": {"a": 1}}', "repeat: it is missing"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"values": [1], "when": {"a": "x"}}, Choices(values=[1], when={"a": ["x"]})),
        ({"values": [1], "when": {"a": ["x", 2]}}, Choices(values=[1], when={"a": ["x", 2]})),
        ({"low": 0.5, "high": 0.99, "when": {"optimizer": "sgd"}}, MOMENTUM),
        ({"repeat": 3, "block": {"a": [1, 2]}}, Block(repeat=(3, 3), block={"a": Choices(values=[1, 2])})),
        ({"repeat": "1..3", "block": {"a": 1}}, Block(repeat=(1, 3), block={"a": Choices(values=[1])})),
        ({"repeat": "3", "block": {"a": 1}}, Block(repeat=(3, 3), block={"a": Choices(values=[1])})),
        ({"repeat": [0, 64], "block": {"a": "1..3"}, "when": {"b": True}},
         Block(repeat=(0, 64), block={"a": Range(low=1, high=3, type="int")}, when={"b": [True]})),
        ('{"repeat": [1, 2], "block": {"a": "1 if b=2"}, "skips": true} if c=3',
         Block(repeat=(1, 2), block={"a": Choices(values=[1], when={"b": [2]})}, skips=True, when={"c": [3]})),
        # Objects that are values, as before.
        ('{"block": 3}', Choices(values=[{"block": 3}])),
        ('{"repeat": 3}', Choices(values=[{"repeat": 3}])),
        ([{"repeat": 3, "block": {"a": 1}}], Choices(values=[{"repeat": 3, "block": {"a": 1}}])),
    ],
)  # fmt: skip
def test_what_a_file_or_a_form_may_give(given: Any, expected: Space) -> None:
    assert _adapter.validate_python(given) == expected
    assert _adapter.validate_json(_adapter.dump_json(expected)) == expected
    assert _adapter.validate_python(plain(expected)) == expected
    assert parse(text_of(expected)) == expected


_FAULTS: list[tuple[Any, str, str]] = [
    ({"repeat": [1, 6], "block": {"width": "5..1"}}, "params.p.block.width", "smaller to the larger"),
    ({"repeat": [1, 6], "block": {"width": {"low": 1}}}, "params.p.block.width.high", "missing"),
    ({"repeat": [1, 6], "block": {"b": {"repeat": 1, "block": {"a": 1}}}}, "params.p.block.b", "cannot have blocks"),
    ({"repeat": [1, 6], "block": {"b c": 1}}, "params.p.block.b c", "cannot be used"),
    ({"repeat": [1, 6], "block": {}}, "params.p.block", "at least 1"),
    ({"repeat": [1, 6]}, "params.p.block", "missing"),
    ({"block": {"a": 1}}, "params.p.repeat", "missing"),
    ({"repeat": [1, 65], "block": {"a": 1}}, "params.p.repeat", "64 layers"),
    ({"repeat": 0, "block": {"a": 1}}, "params.p.repeat", "64 layers"),
    ({"repeat": [2, 1], "block": {"a": 1}}, "params.p.repeat", "smaller number"),
    ({"repeat": [-1, 1], "block": {"a": 1}}, "params.p.repeat", "from 0 on"),
    ({"repeat": "1..3:2", "block": {"a": 1}}, "params.p.repeat", "how many layers"),
    ({"repeat": "1..3 if a=1", "block": {"a": 1}}, "params.p.repeat", "how many layers"),
    ({"repeat": True, "block": {"a": 1}}, "params.p.repeat", "how many layers"),
    ({"repeat": 1.5, "block": {"a": 1}}, "params.p.repeat", "how many layers"),
    ({"repeat": [1], "block": {"a": 1}}, "params.p.repeat", "how many layers"),
    ({"repeat": 2, "block": {"skip": 1}, "skips": True}, "params.p", "skip"),
    ({"repeat": 2, "block": {"a": 1}, "skips": 1}, "params.p.skips", "true or false"),
    ({"repeat": 2, "block": {"a": 1}, "depth": 1}, "params.p.depth", "no such field"),
    ({"values": [1], "when": {"a": []}}, "params.p.when.a", "at least 1"),
    ({"values": [1], "when": {"a b": 1}}, "params.p.when.a b", "cannot be used"),
    ({"values": [1], "when": {"a": float("inf")}}, "params.p.when.a", "finite"),
    ({"values": [1], "when": {"a": "\0"}}, "params.p.when.a", "NUL"),
]


@pytest.mark.parametrize(("given", "field", "message"), _FAULTS)
def test_faults_are_told_at_their_field(given: Any, field: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        validated({"params": {"p": given}})
    assert list(caught.value.fields) == [field]
    assert message in caught.value.fields[field]


def test_no_conditions_are_not_written() -> None:
    assert Choices(values=[1]).model_dump() == {"values": [1]}
    assert "when" not in Range(low=1, high=2).model_dump_json()
    assert MOMENTUM.model_dump(exclude_defaults=True)["when"] == {"optimizer": ["sgd"]}


def test_a_value_with_a_condition_is_not_fixed() -> None:
    assert Choices(values=[1]).fixed
    assert not Choices(values=[1], when={"a": [1]}).fixed


@pytest.mark.parametrize(
    ("space", "value", "own"),
    [
        ("1,2,true", 1.0, 1),
        ("1,2,true", True, True),
        ("[1],[2]", [2.0], [2]),
        ("1..8", 8.0, 8),
        ("1..500:log", 7, 7),
        ("0..1.0", 1, 1.0),
        ("0.1..0.5:0.1", 0.1 + 0.2, 0.3),
        ("32..256:32", 64, 64),
        ("1..1152921504606846976", 1152921504606846975, 1152921504606846975),
    ],
)
def test_a_value_as_it_stands_in_its_space(space: str, value: JsonValue, own: JsonValue) -> None:
    found = parse(space)
    assert not isinstance(found, Block)
    assert json.dumps(found.own(value)) == json.dumps(own)


@pytest.mark.parametrize(
    ("space", "value"),
    [
        ("1,2", True),
        ("0,1", False),
        ("[1]", [True]),
        ('{"a": 1}', {"a": 1, "b": 2}),
        ("a,b", "c"),
        ("1..8", 9),
        ("1..8", 1.5),
        ("1..8", "1"),
        ("1..8", None),
        ("1..8", True),
        ("1..8", 10**400),
        ("0..1.0", -0.001),
        ("0..1:0.25", 0.3),
        ("0..1:0.25", 1.25),
        ("32..256:32", 65),
    ],
)
def test_a_value_that_is_not_in_its_space(space: str, value: JsonValue) -> None:
    found = parse(space)
    assert not isinstance(found, Block)
    with pytest.raises(ValueError, match="is not in"):
        found.own(value)


# --- any space ------------------------------------------------------------------------------------------------------

_names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,5}", fullmatch=True) | st.sampled_from(["if", "and", "a"])
_words = st.text("\"',[]{}=.: \\01-abifnd", max_size=14) | st.sampled_from(
    ["a if b=c", "a and b=c", "=a", "1..2 if x", "1..2", " if a=b", "if a=b", "a if", "a and", "true", '{"block": {}}']
)
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _words,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["block", "repeat", "a"]), inner, max_size=3)
    ),
    max_leaves=5,
)
_whens = st.dictionaries(_names, st.lists(_values, min_size=1, max_size=3), max_size=2)
_choices = st.builds(lambda values, when: Choices(values=values, when=when), st.lists(_values, min_size=1), _whens)


@st.composite
def _ranges(draw: st.DrawFn) -> Range:
    low = draw(st.integers(-50, 50))
    high = low + draw(st.integers(1, 100))
    kind = draw(st.sampled_from(["int", "float"]))
    log = low > 0 and draw(st.booleans())
    step = None if log else draw(st.none() | st.integers(1, high - low))
    return Range(low=low, high=high, step=step, log=log, type=kind, when=draw(_whens))


@st.composite
def _blocks(draw: st.DrawFn) -> Block:
    low, high = sorted((draw(st.integers(0, 64)), draw(st.integers(1, 64))))
    members = draw(st.dictionaries(_names, _choices | _ranges(), min_size=1, max_size=3))
    skips = "skip" not in members and draw(st.booleans())
    return Block(repeat=(low, high), block=members, skips=skips, when=draw(_whens))


@given(_choices | _ranges() | _blocks())
@example(Choices(values=[{"block": {"a": '"block"'}, "repeat": 1}]))
@example(Choices(values=[{"block": {}}, 'say "block"']))
@example(Choices(values=["a if b=c"], when={"if": ["and", "x and y=z", "==", ""]}))
def test_every_space_is_read_back_from_its_text_its_plain_form_and_its_json(space: Space) -> None:
    for again in (
        parse(text_of(space)),
        _adapter.validate_python(plain(space)),
        _adapter.validate_json(_adapter.dump_json(space)),
    ):
        assert again == space
        assert same(again.model_dump(mode="json"), space.model_dump(mode="json"))  # 1 and true are not the same


@given(st.text(" \t\"'[]{},=.:019abifnd", max_size=30))
def test_any_text_is_read_or_refused_with_a_reason(text: str) -> None:
    try:
        found = parse(text)
    except ValueError as error:
        assert str(error)
    else:
        assert parse(text_of(found)) == found


def test_a_block_in_a_block_is_refused_as_text_too() -> None:
    inner = json.dumps({"repeat": 1, "block": {"a": 1}})
    with pytest.raises(ValidationError, match="cannot have blocks"):
        Block.model_validate({"repeat": 1, "block": {"b": inner}})
