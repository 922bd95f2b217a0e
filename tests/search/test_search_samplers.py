"""Test TPE, GP, CMA-ES, Sobol and random search: results on known functions, and what holds for all methods."""

import importlib.util
import json
import math
import statistics
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from paddock.errors import InvalidInput
from paddock.models import Goal
from paddock.models.space import Block, Choices, Leaf, Range, Space
from paddock.search.axes import Axis, axes_of, close, complete, dice, key, next_number, unseen
from paddock.search.base import Condition, Configuration, Dimension, Outcome, Problem, Trial
from paddock.search.bayes import groups
from paddock.search.dimensions import dimensions_of, nest, size
from paddock.search.samplers import METHODS, searcher
from paddock.search.sobol import coordinate
from tests.search import search_problems as known
from tests.search.search_problems import (
    CONDITIONAL,
    MIXED,
    best,
    contains,
    dimensions,
    elsewhere,
    fits,
    leaf,
    problem,
    run,
)

HAVE_GP = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("scipy") is not None
ALL = [name for name in METHODS if name != "gp" or HAVE_GP]
MODELS = ("tpe", "cmaes")  # Optuna takes 10 ms or more per suggestion
QUICK = [name for name in ALL if name != "gp"]
SEEDS = range(3)


@pytest.mark.parametrize(
    ("method", "space", "function", "trials"),
    [
        ("tpe", known.MIXED, known.mixed, 60),
        ("cmaes", known.SPHERE, known.sphere, 100),
        ("evolution", known.SPHERE, known.sphere, 150),
    ],
)
def test_is_far_better_than_random_search(
    method: str, space: tuple[Dimension, ...], function: known.Function, trials: int
) -> None:
    """With one seed each; `python -m benchmarks.search` has all methods and functions, with several seeds."""
    found = [best(run(searcher(name, problem(space), trials), function, trials)) for name in (method, "random")]
    assert found[0] < 0.7 * found[1]


@pytest.mark.skipif(not HAVE_GP, reason="PyTorch or SciPy is not installed")
def test_gp_needs_few_trials_for_a_smooth_function() -> None:
    found = [best(run(searcher(name, problem(known.BRANIN, 2)), known.branin, 20)) for name in ("gp", "random")]
    assert found[0] < 0.3 * found[1]


def test_gp_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.search.bayes.find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match=r"paddock\[gp\]") as raised:
        searcher("gp", problem(known.BRANIN))
    assert "search.method" in raised.value.fields


def test_cmaes_refuses_what_it_cannot_do() -> None:
    with pytest.raises(InvalidInput, match="at least one range"):
        searcher("cmaes", problem(dimensions(kind="a,b,c")))
    with pytest.raises(InvalidInput, match="one objective"):
        searcher("cmaes", problem(known.BRANIN, goals=2))


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(InvalidInput, match="one of random"):
        searcher("best", problem(known.BRANIN))


def test_goals_may_be_a_maximum() -> None:
    space = dimensions(x="0..1.0")
    for method in ("tpe", "cmaes", "evolution"):
        asked = searcher(method, Problem(space, (Goal.MAX,), 1), 60)
        trials = run(asked, lambda config: (-((known.number(config, "x") - 0.7) ** 2),), 60)
        assert max(trial.values[0] for trial in trials) > -1e-3, method
        late = [known.number(trial.params, "x") for trial in trials[40:]]
        assert statistics.median(abs(x - 0.7) for x in late) < 0.2, method


# What all methods promise.


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize(("space", "function"), [(MIXED, known.mixed), (CONDITIONAL, known.conditional)])
def test_suggests_exactly_what_applies(method: str, space: tuple[Dimension, ...], function: known.Function) -> None:
    axes = axes_of(space)
    trials = 30 if method != "gp" else 9
    for trial in run(searcher(method, problem(space), 30), function, trials):
        assert fits(space, trial.params)
        assert all(axes[name].holds(value) for name, value in trial.params.items())


@pytest.mark.parametrize("method", ALL)
def test_goes_on_after_a_crash_as_if_nothing_had_happened(method: str) -> None:
    """A new searcher, and one that has its memory, suggest the same; another seed something else."""
    trials = 20 if method != "gp" else 9
    kept = searcher(method, problem(CONDITIONAL, 3), 40)
    history: list[Trial] = []
    for number in range(trials):
        if number >= 3:  # three run at a time
            ended = history[number - 3]
            history[number - 3] = replace(ended, outcome=Outcome.FINISHED, values=known.conditional(ended.params))
        config = kept.suggest(history)
        copied = [replace(one, params=json.loads(json.dumps(dict(one.params)))) for one in history]
        assert searcher(method, problem(CONDITIONAL, 3), 40).suggest(copied) == config
        assert config is not None
        history.append(Trial(number, config, Outcome.RUNNING))
    assert searcher(method, problem(CONDITIONAL, 4), 40).suggest(history) != kept.suggest(history)


@pytest.mark.parametrize("method", QUICK)
def test_a_history_that_changes_is_not_remembered_as_it_was(method: str) -> None:
    kept = searcher(method, problem(MIXED, 1), 40)
    history = run(kept, known.mixed, 30)
    kept.suggest(history)
    other = [replace(trial, values=(-trial.values[0],)) for trial in history[:25]]
    assert kept.suggest(other) == searcher(method, problem(MIXED, 1), 40).suggest(other)


@pytest.mark.parametrize("method", ALL)
def test_failed_trials_do_not_move_the_others(method: str) -> None:
    trials = 40 if method != "gp" else 9
    history = run(searcher(method, problem(MIXED, 2), 40), known.mixed, trials)
    last = history[-1]
    drawn = run(searcher("random", problem(MIXED, 77)), known.mixed, 20)
    broken = [Trial(number, one.params, Outcome.FAILED) for number, one in enumerate(drawn, trials - 1)]
    shifted = replace(last, number=trials + 19)
    with_them = searcher(method, problem(MIXED, 2), 40).suggest([*history[:-1], *broken, shifted])
    without = searcher(method, problem(MIXED, 2), 40).suggest([*history[:-1], shifted])
    assert with_them == without


@pytest.mark.parametrize("method", QUICK)
def test_losses_that_are_not_numbers_do_no_harm(method: str) -> None:
    def function(config: Configuration) -> tuple[float, ...]:
        return known.sphere(config) if known.number(config, "a") > -2 else (math.nan,)

    trials = run(searcher(method, problem(known.SPHERE, 1), 60), function, 60)
    assert len(trials) == 60
    if method not in ("random", "sobol"):
        assert sum(math.isnan(trial.values[0]) for trial in trials[40:]) <= 6


def test_what_was_stopped_early_counts_as_worse() -> None:
    def pruned(trial: Trial) -> Trial:
        bad = known.number(trial.params, "a") < 0
        return replace(trial, outcome=Outcome.PRUNED, values=(), curve=((1.0, 9.0), (2.0, 8.0))) if bad else trial

    for method in ("tpe", "cmaes", "evolution"):
        history: list[Trial] = []
        asked = searcher(method, problem(known.SPHERE, 5), 60)
        for number in range(60):
            config = asked.suggest(history)
            assert config is not None
            history.append(pruned(Trial(number, config, Outcome.FINISHED, known.sphere(config))))
        assert sum(trial.outcome is Outcome.PRUNED for trial in history[40:]) <= 6, method


@pytest.mark.parametrize("method", ALL)
def test_parallel_suggestions_are_spread(method: str) -> None:
    trials = 30 if method != "gp" else 8
    asked = searcher(method, problem(known.BRANIN, 1), trials)
    history = run(asked, known.branin, trials)
    for _ in range(8):
        config = asked.suggest(history)
        assert config is not None
        history.append(Trial(len(history), config, Outcome.RUNNING))
    running = [trial.params for trial in history[trials:]]
    axes = axes_of(known.BRANIN)
    assert not any(close(axes, one, other) for i, one in enumerate(running) for other in running[:i])


@pytest.mark.parametrize("method", QUICK)
def test_every_configuration_once_and_then_none(method: str) -> None:
    space = (
        *dimensions(kind="a,b", size="1..2", flag="true,1,1.0"),
        Dimension("extra", leaf("0.1..0.2:0.1"), (Condition("kind", ("b",)),)),
    )
    function = lambda config: (float(known.number(config, "size")),)  # noqa: E731
    trials = run(searcher(method, problem(space), 30), function, 30)
    assert len(trials) == len({key(trial.params) for trial in trials}) == 6 + 12


@pytest.mark.parametrize("method", QUICK)
def test_forty_at_a_time_are_forty(method: str) -> None:
    """On a space that has 48 configurations, the last of which are hard to come by."""
    space = dimensions(a="1..4", b="1,2,3,4", c="1..3")
    function = lambda config: (sum(known.numbers(config)),)  # noqa: E731
    trials = run(searcher(method, problem(space), 40), function, 80, 40)
    assert len(trials) == len({key(trial.params) for trial in trials}) == 48


def test_exhausted_spaces_with_cmaes_only_numbers() -> None:
    trials = run(searcher("cmaes", problem(dimensions(a="1..3", b="0..1:0.25"))), lambda config: (0.0,), 50)
    assert len(trials) == 15


def test_values_of_all_kinds_come_back_as_they_are() -> None:
    values = [1, 1.0, True, "1", None, [1, 2], [1.0, 2], {"a": 1}, "a"]
    space = (Dimension("one", Choices(values=values)), *dimensions(lr="0..1.0"))
    for method in ("tpe", "evolution", "nsga2", "sobol", "random"):
        trials = run(searcher(method, problem(space), 60), lambda config: (known.number(config, "lr"),), 60)
        assert {json.dumps(trial.params["one"]) for trial in trials} == {json.dumps(value) for value in values}, method
    wanted = run(
        searcher("tpe", problem(space)),
        lambda config: (known.number(config, "lr") + (config["one"] is not True),),
        80,
    )
    assert sum(trial.params["one"] is True for trial in wanted[60:]) > 6


def test_configurations_from_elsewhere_are_learnt_from_as_far_as_they_fit() -> None:
    """A person's own trial may hold values that are not in the space, or other names."""
    history = run(searcher("random", problem(MIXED)), known.mixed, 20)
    odd = {**history[0].params, "lr": 7.0, "width": 99, "more": 1}
    history.append(Trial(20, odd, Outcome.FINISHED, (0.0,)))
    for method in QUICK:
        config = searcher(method, problem(MIXED), 20).suggest(history)
        assert config is not None, method
        assert fits(MIXED, config), method


# Trials from elsewhere: an earlier job's, with numbers below 0.


@pytest.mark.parametrize("method", ALL)
def test_trials_from_elsewhere_do_not_count(method: str) -> None:
    before = elsewhere(known.SPHERE, known.sphere, 40)
    assert next_number(before) == next_number(before[5:]) == 0
    asked = searcher(method, problem(known.SPHERE, 1), 60)
    if method in ("random", "sobol"):
        assert asked.suggest(before) == asked.suggest([])
    assert asked.suggest(before) == searcher(method, problem(known.SPHERE, 1), 60).suggest(before[::-1])


@pytest.mark.parametrize("method", [name for name in QUICK if name not in ("random", "sobol")])
def test_trials_from_elsewhere_are_learnt_from(method: str) -> None:
    """The first ten suggestions are better than those without, and than the trials learnt from."""
    before = elsewhere(known.SPHERE, known.sphere, 60)

    def first_ten(history: list[Trial]) -> float:
        runs = [run(searcher(method, problem(known.SPHERE, s), 60), known.sphere, 10, before=history) for s in SEEDS]
        return statistics.median(trial.values[0] for one in runs for trial in one if trial.number >= 0)

    learnt = first_ten(before)
    assert learnt < 0.8 * first_ten([])
    assert learnt < 0.6 * statistics.median(trial.values[0] for trial in before)


@pytest.mark.parametrize("method", QUICK)
def test_configurations_from_elsewhere_are_not_run_again(method: str) -> None:
    space = (*dimensions(size="1..4", kind="a,b"), Dimension("extra", leaf("1..5"), (Condition("kind", ("b",)),)))
    before = elsewhere(space, lambda config: (known.number(config, "size"),), 16)
    assert len({key(trial.params) for trial in before}) == 16
    trials = run(
        searcher(method, problem(space), 24), lambda config: (known.number(config, "size"),), 50, before=before
    )
    assert [trial.number for trial in trials[16:]] == list(range(8))
    assert len({key(trial.params) for trial in trials}) == 24


@pytest.mark.parametrize("method", ALL)
def test_a_space_that_was_made_smaller_since(method: str) -> None:
    """Only some values of the earlier trials are still possible."""
    before = elsewhere(CONDITIONAL, known.conditional, 40)
    narrow = (
        Dimension("kind", leaf("sgd,lion")),
        Dimension("lr", leaf("1e-3..1e-1:log")),
        Dimension("momentum", leaf("0.5..1.0"), (Condition("kind", ("sgd",)),)),
        Dimension("layers.count", leaf("2")),
        *(Dimension(f"layers.{i}.width", leaf("64..128:16"), (Condition("layers.count", (2,)),)) for i in range(2)),
        Dimension("new", leaf("1..1000:log")),
    )
    count = 12 if method != "gp" else 4
    trials = run(searcher(method, problem(narrow), 12), known.conditional, count, 3, before=before)
    for trial in trials[40:]:
        assert fits(narrow, trial.params)
        assert all(axis.holds(trial.params[name]) for name, axis in axes_of(narrow).items() if name in trial.params)
    assert len(trials) == 40 + count


@pytest.mark.parametrize("method", QUICK)
def test_trials_that_never_told_their_values_say_nothing(method: str) -> None:
    history = run(searcher("random", problem(MIXED)), known.mixed, 30)
    silent = [Trial(-1 - trial.number, {**trial.params, "lr": 1e-5}, Outcome.FINISHED) for trial in history]
    asked = searcher(method, problem(MIXED), 30)
    assert asked.suggest([*silent, *history]) == asked.suggest(history)


# Any space.

_LEAVES: st.SearchStrategy[Leaf] = st.sampled_from(
    [
        Choices(values=["a", "b", None]),
        Choices(values=[True, 1, "1"]),
        Choices(values=[3, 1, 2.5]),
        Choices(values=["only"]),
        Range(low=1, high=3, type="int"),
        Range(low=0, high=1, step=0.5),
        Range(low=1e-4, high=1, log=True),
        Range(low=1, high=64, type="int", log=True),
        Range(low=-1, high=1),
    ]
)


@st.composite
def spaces(draw: st.DrawFn) -> dict[str, Space]:
    """Parameters, some with a condition on one before them, and perhaps a block."""

    def one(parents: dict[str, Leaf]) -> Leaf:
        usable = {name: parent.count() for name, parent in parents.items() if parent.count() is not None}
        made = draw(_LEAVES)
        if not usable or draw(st.booleans()):
            return made
        name = draw(st.sampled_from(sorted(usable)))
        picked = Axis(Dimension(name, parents[name])).value(draw(st.integers(0, (usable[name] or 1) - 1)))
        return made.model_copy(update={"when": {name: [picked]}})

    parents: dict[str, Leaf] = {}
    for name in ("a", "b", "c")[: draw(st.integers(1, 3))]:
        parents[name] = one(parents)
    if not draw(st.booleans()):
        return dict(parents)
    members = {"kind": one(parents)}
    members["width"] = one({**parents, **members})
    low, high = sorted((draw(st.integers(0, 2)), draw(st.integers(1, 3))))
    return {**parents, "layers": Block(repeat=(low, high), block=members, skips=draw(st.booleans()))}


_OUTCOMES = (Outcome.FINISHED, Outcome.FINISHED, Outcome.PRUNED, Outcome.FAILED, Outcome.RUNNING)


@pytest.mark.parametrize("method", QUICK)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(params=spaces(), seed=st.integers(0, 1000), goals=st.integers(1, 2))
def test_in_any_space_what_is_suggested_is_new_and_possible(
    method: str, params: dict[str, Space], seed: int, goals: int
) -> None:
    space = dimensions_of(params)
    try:
        asked = searcher(method, problem(space, seed, goals), 20)
    except InvalidInput:
        assume(False)
    chance, axes = dice(seed), axes_of(space)
    history = [
        Trial(-1 - i, complete(axes, {}, chance), Outcome.FINISHED, (chance.random(),) * goals) for i in range(8)
    ]
    for number in range(6 if method in MODELS else 14):
        suggested = asked.suggest(history)
        if suggested is None:
            assert size(params) == len({key(trial.params) for trial in history})
            return
        assert contains(params, nest(suggested, params))
        assert key(suggested) not in {key(trial.params) for trial in history}
        outcome = chance.choice(_OUTCOMES)
        values = tuple(chance.choice((chance.random(), math.nan)) for _ in range(goals))
        history.append(
            Trial(number, suggested, outcome, values if outcome is Outcome.FINISHED else (), ((1.0, chance.random()),))
        )


# The parts.


_AGAIN = """
import json, sys
from paddock.search.samplers import searcher
from tests.search import search_problems as known
history = known.elsewhere(known.CONDITIONAL, known.conditional, 25)
asked = {name: searcher(name, known.problem(known.CONDITIONAL, 5), 30) for name in sys.argv[1:]}
print(json.dumps({name: known.run(one, known.conditional, 12, 3, before=history)[-1].params
                  for name, one in asked.items()}))
"""


def test_another_process_suggests_the_same() -> None:
    """One with other hashes of texts than this one, as each process has its own."""
    history = elsewhere(CONDITIONAL, known.conditional, 25)
    here = {
        name: run(searcher(name, problem(CONDITIONAL, 5), 30), known.conditional, 12, 3, before=history)[-1].params
        for name in QUICK
    }
    done = subprocess.run(
        [sys.executable, "-c", _AGAIN, *QUICK],
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == here


def test_optuna_is_loaded_only_when_it_is_used() -> None:
    code = "import sys, paddock, paddock.cli, paddock.search.samplers; sys.exit('optuna' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_going_through_a_space_of_very_many_dimensions() -> None:
    axes = axes_of([*(Dimension(f"fixed{i}", leaf("1")) for i in range(1500)), *dimensions(a="1,2", b="x,y")])
    seen: set[str] = set()
    for _ in range(4):
        config = unseen(axes, seen, dice(0))
        assert config is not None
        seen.add(key(config))
    assert len(seen) == 4
    assert unseen(axes, seen, dice(0)) is None


def test_groups_are_of_what_applies_together() -> None:
    always = Condition("n", (1, 2, 3))  # whatever n is
    space = (
        *dimensions(n="1..3", lr="0..1.0"),
        Dimension("w0", leaf("1..9"), (always,)),
        Dimension("w1", leaf("1..9"), (Condition("n", (2, 3)),)),
        Dimension("d1", leaf("1..9"), (Condition("n", (2, 3)),)),
    )
    assert groups(space) == {
        **dict.fromkeys(("n", "lr", "w0"), ("n", "lr", "w0")),
        **dict.fromkeys(("w1", "d1"), ("w1", "d1")),
    }


@pytest.mark.parametrize("text", ["1e-5..1:log", "0..0.5", "1..8", "1..1000:log", "0..1:0.1", "8,16,4", "a,b", "5"])
def test_an_axis_goes_there_and_back(text: str) -> None:
    axis = Axis(Dimension("x", leaf(text)))
    values = [axis.at(step / 97) for step in range(97)]
    for value in values:
        assert axis.holds(value)
        assert axis.at(axis.where(value)) == value or axis.count is None
    if axis.ordered:
        assert all(one <= other for one, other in pairwise(values))  # type: ignore[operator]
    assert not axis.holds(-1)
    assert not axis.holds(True)
    assert not axis.holds("1e-2")
    if axis.ordered and isinstance(axis.space, Range) and axis.space.type == "int":
        assert not axis.holds(2.5)


def test_what_is_close() -> None:
    axes = axes_of(dimensions(lr="1e-4..1:log", many="1..1000", few="1..5", kind="a,true,1"))
    one: Configuration = {"lr": 1e-2, "many": 500, "few": 3, "kind": True}
    assert close(axes, one, one)
    assert close(axes, one, {**one, "lr": 1.05e-2, "many": 505})
    for other in ({"lr": 2e-2}, {"many": 520}, {"few": 4}, {"kind": 1}, {"lr": 7.0}):
        assert not close(axes, one, {**one, **other})


def test_numbers_in_a_list_are_in_order() -> None:
    axis = Axis(Dimension("x", leaf("64,16,32")))
    assert [axis.value(index) for index in range(3)] == [16, 32, 64]
    assert axis.index(32.0) == 1


def test_sobol_fills_every_axis_evenly() -> None:
    for axis in range(48):
        for seed in (0, 5):
            cells = sorted(int(coordinate(index, axis, seed) * 64) for index in range(64))
            assert cells == list(range(64)), axis
    assert coordinate(3, 60, 1) == coordinate(3, 60, 1) != coordinate(4, 60, 1)


def test_sobol_fills_the_plane_evenly() -> None:
    """Each of 16 by 16 squares once, for axes next to each other."""
    cells = {(int(coordinate(i, 0, 9) * 16), int(coordinate(i, 1, 9) * 16)) for i in range(256)}
    assert len(cells) == 256
