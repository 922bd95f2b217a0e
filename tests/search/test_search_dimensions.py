"""Test spaces without their nesting: order of dimensions, conversion of configurations, all of them, one of them."""

import json
from itertools import islice
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue

from paddock.errors import InvalidInput
from paddock.models import JobSpec, Params, Search
from paddock.models.space import Block, Choices, Leaf, Range, Space
from paddock.rules.varying import varying
from paddock.search import dimensions, resolved
from paddock.search.axes import axes_of, complete, dice
from paddock.search.base import Condition
from paddock.search.expand import expand as expand_resolved
from paddock.search.samplers import searcher
from tests.search.search_problems import contains, problem, run

LIMIT = 1000


def expand(spaces: dict[str, Space], search: Search, limit: int) -> list[Params]:
    return expand_resolved(spaces, resolved(spaces, search), limit)


def space(**given: Any) -> dict[str, Space]:
    return dict(JobSpec.model_validate({"params": given}).params)


SGD = space(optimizer="adam,sgd", momentum="0.5,0.9 if optimizer=sgd", nesterov="true,false if momentum=0.9", lr="1,2")
LAYERS = space(
    layers={
        "repeat": [1, 3],
        "block": {"type": ["conv", "pool"], "width": "16..48:16 if type=conv", "act": "relu,tanh if deep=true"},
        "skips": True,
    },
    deep="true,false",
)


# --- dimensions -----------------------------------------------------------------------------------------------------


def test_plain_parameters_are_dimensions_as_they_stand() -> None:
    given = space(lr="1e-4..1e-1:log", units="64,32", epochs="3")
    assert [(dimension.name, dimension.space, dimension.when) for dimension in dimensions.dimensions_of(given)] == [
        (n, s, ()) for n, s in given.items()
    ]


def test_what_has_a_condition_comes_after_what_it_speaks_of() -> None:
    found = dimensions.dimensions_of(space(c="1 if b=2", a="1..3", b="2 if a=1,3.0", d="1"))
    assert [dimension.name for dimension in found] == ["a", "b", "d", "c"]
    assert found[1].when == (Condition("a", (1, 3)),)
    assert found[1].space == Choices(values=[2])


def test_a_block_is_a_count_and_the_members_of_its_layers() -> None:
    found = {dimension.name: dimension for dimension in dimensions.dimensions_of(LAYERS)}
    members = [f"layers.{layer}.{name}" for layer in range(3) for name in ("type", "width", "skip")]
    members.remove("layers.0.skip")
    acts = [f"layers.{layer}.act" for layer in range(3)]
    assert list(found) == ["layers.count", *members, "deep", *acts]
    assert found["layers.count"].space == Range(low=1, high=3, type="int")
    at_least_two = Condition("layers.count", (2, 3))
    assert found["layers.1.type"].when == (at_least_two,)
    assert found["layers.1.width"].when == (at_least_two, Condition("layers.1.type", ("conv",)))
    assert found["layers.1.act"].when == (at_least_two, Condition("deep", (True,)))
    assert found["layers.2.skip"].space == Choices(values=[None, 0, 1])


def test_a_block_of_a_fixed_number_of_layers_and_one_with_a_condition() -> None:
    found = dimensions.dimensions_of(space(a="x,y", b={"repeat": 2, "block": {"w": "1,2"}, "when": {"a": "y"}}))
    assert [dimension.name for dimension in found] == ["a", "b.count", "b.0.w", "b.1.w"]
    assert found[1].space == Choices(values=[2])
    assert found[1].when == (Condition("a", ("y",)),)
    assert found[2].when == (Condition("b.count", (2,)),)


def test_a_member_hides_a_parameter_of_the_same_name() -> None:
    found = {
        dimension.name: dimension
        for dimension in dimensions.dimensions_of(space(t="x", b={"repeat": 1, "block": {"t": "1,2", "w": "3 if t=2"}}))
    }
    assert found["b.0.w"].when[1] == Condition("b.0.t", (2,))


def test_conditions_may_speak_of_the_number_of_layers() -> None:
    given = space(b={"repeat": "1..3", "block": {"w": "1,2 if b.count=3"}}, extra="1,2 if b.count=2,3")
    assert dimensions.size(given) == 1 + 2 + 2 * 2**3


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"a": "1 if optimiser=sgd", "optimizer": "sgd"}, "params.a", "did you mean `optimizer`?"),
        ({"a": "1 if zzz=sgd"}, "params.a", "`zzz`, which is not a parameter"),
        ({"a": "1 if lr=0.1", "lr": "0..1.0"}, "params.a", "continuous"),
        ({"a": "1 if o=sdg", "o": "adam,sgd"}, "params.a", '"sdg" is not in adam,sgd'),
        ({"a": "1 if o=1", "o": "true,false"}, "params.a", "1 is not in true,false"),
        ({"a": "1 if n=9", "n": "1..8"}, "params.a", "9 is not in 1..8"),
        ({"a": "1 if n=2", "n": "1..9:2"}, "params.a", "2 is not in 1..9:2"),
        ({"a": "1 if a=1"}, "params.a", "a if a"),
        ({"x": "1", "a": "1 if b=1", "b": "1 if c=1", "c": "1 if b=1"}, "params.b", "b if c if b"),
        ({"a": "1 if b=1", "b": {"repeat": 1, "block": {"w": 1}}}, "params.a", "`b.count`"),
        ({"b": {"repeat": 2, "block": {"w": "1 if v=1", "v": "1 if w=1"}}}, "params.b.block.w", "depends on itself"),
        ({"b": {"repeat": 2, "block": {"w": "1 if u=1", "v": 1}}}, "params.b.block.w", "not a parameter"),
        ({"b": {"repeat": 2, "block": {"w": 1}}, "a": "1 if b.0.w=1"}, "params.a", "not a parameter"),
        ({"b": {"repeat": 2, "block": {"w": 1}}, "b.count": 1}, "params.b.count", "also a part of `b`"),
        ({"b.0.w": 1, "b": {"repeat": 2, "block": {"w": 1}}}, "params.b", "also a part of `b.0.w`"),
        ({"b": {"repeat": 64, "block": {f"m{i}": 1 for i in range(16)}}}, "params", "1,025 dimensions"),
    ],
)
def test_conditions_that_make_no_sense_name_the_field(given: dict[str, Any], field: str, message: str) -> None:
    for search in (Search(), Search(method="random")):
        with pytest.raises(InvalidInput) as caught:
            expand(space(**given), search, LIMIT)
        assert list(caught.value.fields) == [field]
        assert message in caught.value.fields[field]


def test_as_many_dimensions_as_the_limit() -> None:
    wide = space(
        b={"repeat": 62, "block": {f"m{i}": 1 for i in range(15)}, "skips": True}, **{f"p{i}": 1 for i in range(8)}
    )
    assert len(dimensions.dimensions_of(wide)) == dimensions.MAX_DIMENSIONS
    chain = space(p0="1,2", **{f"p{i}": f"1,2 if p{i - 1}=2" for i in range(999, 0, -1)})
    assert len(dimensions.dimensions_of(chain)) == dimensions.MAX_DIMENSIONS
    assert dimensions.size(chain) == 1001
    assert len(list(dimensions.grid(chain))) == 1001


# --- there and back -------------------------------------------------------------------------------------------------

_CONFIG: Params = {"layers": [{"type": "pool"}, {"type": "conv", "width": 32, "skip": None}], "deep": False}


def test_nest_leaves_out_what_does_not_apply_and_keeps_the_order_of_the_parameters() -> None:
    assert dimensions.nest({"optimizer": "adam", "lr": 1}, SGD) == {"optimizer": "adam", "lr": 1}
    found = dimensions.nest(dimensions.spread({"deep": False, "layers": _CONFIG["layers"]}, LAYERS), LAYERS)
    assert json.dumps(found) == json.dumps(_CONFIG)


@pytest.mark.parametrize(
    ("config", "field", "message"),
    [
        ({**_CONFIG, "depp": 1}, "params.depp", "did you mean `deep`?"),
        ({"deep": False, "layers": 3}, "params.layers", "list of layers"),
        ({"deep": False, "layers": [3]}, "params.layers.0", "an object"),
        ({"deep": False, "layers": [{"typ": 3}]}, "params.layers.0.typ", "type, width, act, skip"),
    ],
)
def test_what_has_another_shape_than_the_space_is_refused(config: Params, field: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        dimensions.spread(config, LAYERS)
    assert list(caught.value.fields) == [field]
    assert message in caught.value.fields[field]


# --- all of it ------------------------------------------------------------------------------------------------------


def test_a_grid_does_not_multiply_by_what_does_not_apply() -> None:
    found = expand(SGD, Search(method="grid"), LIMIT)
    assert [list(c.values()) for c in found] == [
        ["adam", 1],
        ["adam", 2],
        ["sgd", 0.5, 1],
        ["sgd", 0.5, 2],
        ["sgd", 0.9, True, 1],
        ["sgd", 0.9, True, 2],
        ["sgd", 0.9, False, 1],
        ["sgd", 0.9, False, 2],
    ]
    assert varying(found) == ["optimizer", "lr", "momentum", "nesterov"]
    assert varying([{"a": 1}, {"a": 1, "b": 2}]) == varying([{"a": 1, "b": 2}, {"a": 1}]) == ["b"]


def test_a_grid_of_architectures() -> None:
    one = 4  # conv of three widths, or pool
    assert dimensions.size(LAYERS) == sum((one**n + (2 * one) ** n) * (1, 2, 6)[n - 1] for n in (1, 2, 3))
    found = expand(LAYERS, Search(method="grid"), 10_000)
    assert len(found) == dimensions.size(LAYERS)
    assert len({json.dumps(c) for c in found}) == len(found)
    assert found[0] == {"layers": [{"type": "conv", "width": 16, "act": "relu"}], "deep": True}


def test_a_grid_that_is_too_large_is_refused_before_it_is_made() -> None:
    many = {"repeat": [1, 60], "block": {"w": "1..1000 if t=2", "t": "1,2"}}
    with pytest.raises(InvalidInput, match="countless configurations, more than the 1,000") as caught:
        expand(space(b=many), Search(method="grid"), LIMIT)
    assert list(caught.value.fields) == ["params"]
    with pytest.raises(InvalidInput, match="1,002 configurations, more"):
        expand(space(a="1,2", b="1..1001 if a=1"), Search(method="grid"), LIMIT)


def test_a_grid_that_cannot_be_counted_beforehand() -> None:
    """Every parent must be kept in mind until the end."""
    parents = {f"p{i}": "0,1" for i in range(16)}
    children = {f"c{i}": f"1,2 if p{i}=1" for i in range(16)}
    assert dimensions.size(space(**parents, **children)) is None
    with pytest.raises(InvalidInput, match="countless"):
        expand(space(**parents, **children), Search(method="grid"), LIMIT)


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"b": {"repeat": 1, "block": {"w": "0..0.5"}}}, "params.b.block.w", "continuous range"),
        ({"a": "1..200000 if b=1", "b": 1}, "params.a", "200,000 values"),
    ],
)
def test_a_grid_without_end_names_the_field(given: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        expand(space(**given), Search(method="grid"), LIMIT)
    assert list(caught.value.fields) == [field]


def test_the_method_that_fits_a_block() -> None:
    assert resolved(LAYERS, Search()).method == "tpe"
    assert resolved(space(b={"repeat": 1, "block": {"w": "0..0.5"}}), Search()).method == "tpe"


def test_large_spaces_are_counted_without_being_made() -> None:
    assert dimensions.size(space(a="1..1000000000", b="1,2 if a=7")) == 10**9 + 1
    assert dimensions.size(space(a="0..1.0")) is None
    assert dimensions.size({}) == 1
    deep = {"repeat": [1, 64], "block": {"t": "a,b", **{f"m{i}": "1..8 if t=a" for i in range(13)}}, "skips": True}
    count = dimensions.size(space(b=deep))
    assert count is not None
    assert count > 10**700


# --- any space ------------------------------------------------------------------------------------------------------

_words: st.SearchStrategy[list[JsonValue]] = st.lists(
    st.sampled_from(["a", "b", 1, 2, 0.5, None, True, False, [1], {"x": 2}]),
    min_size=1,
    max_size=3,
    unique_by=json.dumps,
)
_countable = st.one_of(
    _words.map(lambda values: Choices(values=values)),
    st.sampled_from(
        [Range(low=1, high=3, type="int"), Range(low=0, high=0.5, step=0.25), Range(low=0.1, high=0.4, step=0.1)]
    ),
)
_endless = st.sampled_from(
    [Range(low=0, high=1), Range(low=1e-5, high=0.1, log=True), Range(low=1, high=90, log=True, type="int")]
)


def _values_of(one: Leaf) -> list[JsonValue]:
    return one.values if isinstance(one, Choices) else list(one.values() or [1, 2])


@st.composite
def _conditional(draw: st.DrawFn, one: Leaf, parents: dict[str, Leaf]) -> Leaf:
    """With conditions on up to two of these."""
    usable = [name for name, parent in parents.items() if parent.count() is not None]
    names = draw(st.lists(st.sampled_from(usable), max_size=2, unique=True)) if usable else []
    when = {name: draw(st.lists(st.sampled_from(_values_of(parents[name])), min_size=1, max_size=2)) for name in names}
    return one.model_copy(update={"when": when})


@st.composite
def spaces(draw: st.DrawFn, leaves: st.SearchStrategy[Leaf], most: int = 4) -> dict[str, Space]:
    """Made such that conditions look back, and then given in any order."""
    made: dict[str, Space] = {}
    parents: dict[str, Leaf] = {}
    for name in draw(st.lists(st.sampled_from(["lr", "opt", "a-b", "x.y"]), max_size=most, unique=True)):
        made[name] = parents[name] = draw(_conditional(draw(leaves), parents))
    if draw(st.booleans()):
        members: dict[str, Leaf] = {}
        for name in draw(st.lists(st.sampled_from(["type", "lr", "w.0"]), min_size=1, max_size=2, unique=True)):
            members[name] = draw(
                _conditional(draw(leaves), {n: p for n, p in parents.items() if n not in ("lr",)} | members)
            )
        low, high = sorted((draw(st.integers(0, 2)), draw(st.integers(1, 2))))
        made["layers"] = Block(repeat=(low, high), block=members, skips=draw(st.booleans()))
    return {name: made[name] for name in draw(st.permutations(list(made)))}


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@given(spaces(st.one_of(_countable, _endless)))
@example(LAYERS)
def test_conditions_never_look_forward(params: dict[str, Space]) -> None:
    seen: set[str] = set()
    for dimension in dimensions.dimensions_of(params):
        assert all(condition.name in seen for condition in dimension.when)
        assert not dimension.space.when
        assert dimension.name not in seen
        seen.add(dimension.name)


@given(spaces(st.one_of(_countable, _endless)), st.integers(0, 2**31))
@example(LAYERS, 3)
def test_what_is_drawn_is_in_the_space_and_comes_back(params: dict[str, Space], seed: int) -> None:
    order = dimensions.dimensions_of(params)
    drawn = complete(axes_of(order), {}, dice(seed))
    assert drawn == complete(axes_of(order), {}, dice(seed))
    assert list(drawn) == [dimension.name for dimension in order if dimension.applies(drawn)]
    nested = dimensions.nest(drawn, params)
    assert [name for name in params if name in nested] == list(nested)
    assert contains(params, nested)
    assert _key(dimensions.spread(json.loads(json.dumps(nested)), params)) == _key(drawn)


@given(spaces(_countable, most=3))
@example(LAYERS)
@example(SGD)
def test_a_grid_has_every_configuration_once(params: dict[str, Space]) -> None:
    count = dimensions.size(params)
    assert count is not None
    found = [dimensions.nest(one, params) for one in islice(dimensions.grid(params), 500)]
    assert len(found) == min(count, 500)
    assert len({_key(one) for one in found}) == len(found)
    assert all(contains(params, one) for one in found[:50])
    drawn = dimensions.nest(complete(axes_of(dimensions.dimensions_of(params)), {}, dice(0)), params)
    assert count > 500 or _key(drawn) in {_key(one) for one in found}


@given(spaces(st.one_of(_countable, _endless)), st.integers(0, 100))
def test_random_search_takes_any_space(params: dict[str, Space], seed: int) -> None:
    search = Search(method="random", trials=5, seed=seed)
    found = expand(params, search, LIMIT)
    assert found == expand(params, search, LIMIT)
    assert 1 <= len(found) <= 5
    assert len({_key(one) for one in found}) == len(found)
    assert all(contains(params, one) for one in found)


@pytest.mark.parametrize("method", ["random", "sobol"])
@given(params=spaces(st.one_of(_countable, _endless)), seed=st.integers(0, 100))
def test_the_same_seed_gives_the_same_configurations_at_submission_and_one_by_one(
    method: str, params: dict[str, Space], seed: int
) -> None:
    """And sobol's are those with which the methods that learn begin."""
    known = expand(params, Search(method=method, trials=6, seed=seed), LIMIT)
    asked = problem(dimensions.dimensions_of(params), seed)
    for name in (method, "evolution", "nsga2") if method == "sobol" else (method,):
        suggested = run(searcher(name, asked, 60), lambda config: (0.0,), 3)
        assert [dimensions.nest(trial.params, params) for trial in suggested] == known[:3]
