"""Test the text form of hyperparameters."""

import json
import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, example, given, reject
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from paddock.models.space import MAX_VALUES, Choices, ParamSpace, Range, Space, parse, text_of

_adapter: TypeAdapter[Space] = TypeAdapter(ParamSpace)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("64", [64]),
        ("64,32, 16", [64, 32, 16]),
        ("0.1", [0.1]),
        ("1e-3,.5,2.", [1e-3, 0.5, 2.0]),
        ("-1,+2,-.5", [-1, 2, -0.5]),
        ("adam,sgd", ["adam", "sgd"]),
        ("true,False,none,NULL", [True, False, None, None]),
        ("\"1.10\",'a,b'", ["1.10", "a,b"]),
        ('"true"', ["true"]),
        ("[64,32],[128]", [[64, 32], [128]]),
        ('{"a": [1, 2]},{"b": 3}', [{"a": [1, 2]}, {"b": 3}]),
        ('["a],b", "c"],2', [["a],b", "c"], 2]),
        ('["\\"],", 1],2', [['"],', 1], 2]),
        ("", [""]),
        ('""', [""]),
        ("a b", ["a b"]),
        ("it's", ["it's"]),
        ('"say ""hi"", it\'s"', ['say "hi", it\'s']),
        ("nan,inf", ["nan", "inf"]),
        ("1e999", ["1e999"]),
        ("/data/x:y", ["/data/x:y"]),
        ("a..b", ["a..b"]),
        ("../data", ["../data"]),
        ("1.2.3", ["1.2.3"]),
    ],
)
def test_lists_of_values(text: str, values: list[Any]) -> None:
    parsed = parse(text)
    assert isinstance(parsed, Choices)
    assert json.dumps(parsed.values) == json.dumps(values)  # 1, 1.0 and true are not the same
    assert parsed.fixed == (len(values) == 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e-4..1e-1:log", Range(low=1e-4, high=1e-1, log=True)),
        ("0..0.5", Range(low=0, high=0.5)),
        ("1..8", Range(low=1, high=8, type="int")),
        ("-8..-1", Range(low=-8, high=-1, type="int")),
        ("1..1000:log", Range(low=1, high=1000, log=True, type="int")),
        ("32..256:32", Range(low=32, high=256, step=32, type="int")),
        ("0..1:0.25", Range(low=0, high=1, step=0.25)),
        (" 1.0..8 ", Range(low=1, high=8)),
        ("1...5", None),
    ],
)
def test_ranges(text: str, expected: Range | None) -> None:
    if expected is None:
        with pytest.raises(ValueError, match="smaller to the larger"):
            parse(text)  # 1 to .5
    else:
        assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1..", None),
        ("1,2,", "nothing after it"),
        ("1,,2", "nothing before it"),
        (",1", "nothing before it"),
        ("2..1", "from the smaller to the larger"),
        ("1..1", "from the smaller to the larger"),
        ("0..1:log", "must start above 0"),
        ("1..2:lag", "`log` or a step"),
        ("1..2:5", "positive and fit into it"),
        ("1..9:-1", "positive and fit into it"),
        ("1..9:0", "positive and fit into it"),
        ("1e18..1e19:1", "too small"),
        ("[1,2", "not valid JSON"),
        ("{a: 1}", "not valid JSON"),
        ("[NaN]", "finite"),
        ("a\0b", "NUL"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str | None) -> None:
    if message is None:
        assert parse(text) == Choices(values=[text])
    else:
        with pytest.raises(ValueError, match=message):
            parse(text)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (5, Choices(values=[5])),
        (True, Choices(values=[True])),
        (None, Choices(values=[None])),
        ([1, "a", None], Choices(values=[1, "a", None])),
        ("1..8", Range(low=1, high=8, type="int")),
        ({"low": 1, "high": 8}, Range(low=1, high=8, type="int")),
        ({"low": 1, "high": 8, "step": 0.5}, Range(low=1, high=8, step=0.5)),
        ({"low": 0.1, "high": 1, "log": True}, Range(low=0.1, high=1, log=True)),
        ({"values": [1, 2]}, Choices(values=[1, 2])),
    ],
)
def test_what_a_file_or_a_form_may_give(given: Any, expected: Choices | Range) -> None:
    assert _adapter.validate_python(given) == expected
    assert _adapter.validate_python(expected.model_dump(mode="json")) == expected


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"min": 1, "max": 2},
        [],
        {"low": 1},
        {"low": 1.5, "high": 3, "type": "int"},
        {"low": 0, "high": math.inf},
        {"low": 1, "high": 2, "step": 1, "log": True},
        {"values": [1], "low": 0},
        float("nan"),
        [1, float("inf")],
        {"values": [{"deep": [math.nan]}]},
        ["\ud800"],
        ["a\0"],
        [{"\0": 1}],
    ],
)
def test_what_makes_no_sense_is_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        _adapter.validate_python(given)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_tricky = st.text("\"',[]{}.:\\ 019-eatrunlof", max_size=12)


@given(st.lists(_json | _tricky, min_size=1, max_size=5))
@example(["a\"b',c"])
@example([["a],b"], 1])
@example(["1..2", "1..2:log"])
@example([" padded "])
@example(["", ""])
@example(['"', "'", "'\""])
def test_text_of_values_is_read_as_the_same_values(values: list[Any]) -> None:
    assume("\0" not in json.dumps(values) and "\\u0000" not in json.dumps(values))
    again = parse(text_of(Choices(values=values)))
    assert isinstance(again, Choices)
    assert json.dumps(again.values) == json.dumps(values)


@st.composite
def ranges(draw: st.DrawFn) -> Range:
    kind = draw(st.sampled_from(["int", "float"]))
    number: st.SearchStrategy[Any] = (
        st.integers(-(2**53), 2**53) if kind == "int" else st.floats(allow_nan=False, allow_infinity=False)
    )
    low, high = sorted((draw(number), draw(number)))
    assume(low < high and math.isfinite(high - low))
    log = low > 0 and draw(st.booleans())
    step = None
    if not log and draw(st.booleans()):
        step = draw(st.integers(1, int(high - low)) if kind == "int" else st.floats(0, high - low, exclude_min=True))
    try:
        return Range(low=low, high=high, step=step, log=log, type=kind)
    except ValidationError as error:
        assert "too small for numbers of this size" in str(error)
        reject()


@given(ranges())
def test_text_of_a_range_is_read_as_the_same_range(space: Range) -> None:
    assert parse(text_of(space)) == space


@given(st.text())
def test_any_text_is_read_or_refused_with_a_reason(text: str) -> None:
    try:
        parse(text)
    except ValueError as error:
        assert str(error)


@given(ranges())
@example(Range(low=0, high=2 / 3, step=1 / 9))
@example(Range(low=1e15, high=1e15 + 4, step=0.5))
def test_the_values_of_a_range_lie_in_it_and_go_up(space: Range) -> None:
    count = space.count()
    assert (count is None) == (space.step is None and (space.type == "float" or space.log))
    if count is None:
        assert space.values() is None
    elif count > MAX_VALUES:
        with pytest.raises(ValueError, match="too fine"):
            space.values()
    else:
        values = space.values()
        assert values is not None
        assert len(values) == count
        assert values[0] == space.low
        assert all(a < b for a, b in pairwise(values))
        assert values[-1] <= space.high
        assert all(type(value).__name__ == space.type for value in values)


def test_the_values_are_those_that_a_person_means() -> None:
    assert Range(low=0.1, high=0.5, step=0.1).values() == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert Range(low=32, high=256, step=32, type="int").values() == [32, 64, 96, 128, 160, 192, 224, 256]
    assert Range(low=1, high=10, step=4, type="int").values() == [1, 5, 9]
