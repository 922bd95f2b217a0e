"""Test inputs made to be expensive: they take time in proportion to their size, or are refused with a clear message.

CPU time counts, and the bounds are generous: the bugs that these tests found took minutes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pydantic import JsonValue

from paddock.errors import Busy, InvalidInput
from paddock.models import JobSpec, Params, jobfile, space, units
from paddock.program.inspection import inspect_source
from paddock.search import dimensions, expand, resolved
from paddock.server.intake import apart, planning

SECONDS = 5.0


@contextmanager
def cheap(seconds: float = SECONDS) -> Iterator[None]:
    begin = time.process_time()
    yield
    assert time.process_time() - begin < seconds


def _plan(spec: dict[str, object], source: str | None = None) -> planning.Planned:
    given = {"script": "train.py"} if source is not None else {"command": "true"}
    made = JobSpec.model_validate(given | spec)
    return planning.plan(planning.PlanInput(made, source.encode() if source is not None else None, 20_000))


# --- texts ----------------------------------------------------------------------------------------------------------

N = 50_000
LONG = {
    "dots": "." * N,
    "a number and dots": "1" + "." * N,
    "digits and dots": "1" * N + "." * N,
    "digits and a letter": "1" * N + "x",
    "a fraction and a letter": "1." + "1" * N + "x",
    "spaces": "a" + " " * N + "b",
    "a range, spaces": "1..5" + " " * N + "b",
    "quotes": '"' + '""' * N + '"',
    "quotes inside": "a'" * N,
    "ifs": "x" + " if" * N,
    "ifs of one name": "x if a=1" + " and a" * N,
    "brackets": "[" * N,
    "colons": "1..5" + ":" * N,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
def test_a_long_text_of_a_parameter_is_read_in_proportion_to_its_length(text: str) -> None:
    with cheap():
        try:
            found = space.parse(text)
        except ValueError as error:
            assert len(str(error)) < 1000
        else:
            assert space.parse(space.text_of(found)) == found


def test_many_conditions_are_refused() -> None:
    text = "0..1 if " + " and ".join(f"a{n}=1" for n in range(50_000))
    with cheap(), pytest.raises(ValueError, match="more than 50 conditions"):
        space.parse(text)


def test_a_text_beyond_all_measure_is_refused() -> None:
    with cheap(), pytest.raises(ValueError, match=r"1,000,001 characters, more than 1,000,000"):
        space.parse("1" * 1_000_001)


def test_a_number_of_very_many_digits_is_refused() -> None:
    with cheap(), pytest.raises(ValueError, match="5,000 digits"):
        space.parse("1" * 5000)


@pytest.mark.parametrize("depth", [60, 900, 50_000])
def test_a_value_that_is_nested_too_deeply_is_refused(depth: int) -> None:
    with cheap(), pytest.raises(ValueError, match=r"nested too deeply|depth exceeded"):
        space.parse("[" * depth + "]" * depth)


@pytest.mark.parametrize("read", [units.seconds, units.size])
def test_a_long_duration_or_size_is_refused_in_a_short_sentence(read: Callable[[str], object]) -> None:
    for text in ("1" * N + "x", "1s" * N + "x", "1:" + "1" * N, "1" + " " * N + "x"):
        with cheap(), pytest.raises(ValueError, match="characters") as caught:
            read(text)
        assert len(str(caught.value)) < 200


def test_a_job_file_of_aliases_of_aliases_is_refused() -> None:
    lines = ["a0: &a0 [1,1,1,1,1,1,1,1,1]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with cheap(30), pytest.raises(InvalidInput, match="more than 500,000 values"):
        jobfile.loads("\n".join(lines))


@pytest.mark.parametrize(
    "text",
    ["[" * 3000, "{a: " * 3000, "- " * 3000, "".join(f"{' ' * n}a:\n" for n in range(1, 1500))],
    ids=["lists", "objects", "lists in lines", "objects in lines"],
)
def test_a_job_file_that_is_nested_too_deeply_is_refused_early(text: str) -> None:
    with cheap(1), pytest.raises(InvalidInput, match=r"line \d+, column \d+: it is nested more than 100 levels deep"):
        jobfile.loads(f"params:\n {text}")


def test_a_job_file_with_aliases_can_be_nested_too_deeply() -> None:
    lines = ["a0: &a0 [1]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 200))]
    with cheap(), pytest.raises(InvalidInput, match="nested more than 100 levels deep"):
        jobfile.loads("\n".join(lines))


# --- spaces ---------------------------------------------------------------------------------------------------------


def test_conditions_are_looked_up_not_gone_through() -> None:
    listed = ",".join(map(str, range(99_900, 100_000)))
    params = {"a": list(range(100_000)), **{f"p{n}": f"0..1.5 if a={listed}" for n in range(100)}}
    spec = JobSpec.model_validate({"params": params, "search": {"method": "random", "trials": 100}})
    with cheap(30):
        assert len(expand(spec.params, resolved(spec.params, spec.search), 20_000)) == 100


def test_what_is_looked_up_is_what_was_compared() -> None:
    values: list[JsonValue] = [1, True, "1", None, [1], [True], {"a": [1.5]}, {"a": {}}, 0, False, 2.0]
    choices = space.Choices(values=values)
    for value in values:
        assert space.same(choices.own(value), value)
    assert choices.own(1.0) == 1
    assert type(choices.own(2)) is float
    others: list[JsonValue] = [3, "true", [], {"a": [True]}, {"b": {}}]
    for other in others:
        with pytest.raises(ValueError, match="is not in"):
            choices.own(other)


def test_twenty_thousand_sobol_trials_take_seconds() -> None:
    spec = JobSpec.model_validate(
        {"params": {"a": "0..1.5", "b": "1..100"}, "search": {"method": "sobol", "trials": 20_000}}
    )
    with cheap(30):
        found = expand(spec.params, resolved(spec.params, spec.search), 20_000)
    assert len({str(one) for one in found}) == 20_000


def test_nine_hundred_dimensions_cost_in_proportion() -> None:
    params = {f"p{n}": "0..1.5" for n in range(900)}
    spec = JobSpec.model_validate({"command": "true", "params": params, "search": {"method": "sobol", "trials": 50}})
    asked = planning.PlanInput(spec, None, 20_000)
    assert not asked.small
    with cheap(15):  # here: the CPU time of a process of its own would not be counted
        assert len(planning.planned(asked).configurations) == 50


@pytest.mark.parametrize("method", ["random", "sobol"])
def test_many_configurations_of_many_parameters_are_refused(method: str) -> None:
    params = {f"p{n}": "0..1.5" for n in range(900)}
    with cheap(), pytest.raises(InvalidInput, match=r"20,000 configurations of up to 900 values each"):
        _plan({"params": params, "search": {"method": method, "trials": 20_000}})


def test_a_grid_of_many_configurations_of_many_parameters_is_refused() -> None:
    params: Params = {f"p{n}": 1 for n in range(900)}
    with cheap(), pytest.raises(InvalidInput, match=r"10,000 configurations of up to 902 values each"):
        _plan({"params": {**params, "a": "1..100", "b": "1..100"}, "search": "grid"})


def test_counting_a_tangle_of_conditions_gives_up() -> None:
    params: dict[str, object] = {f"a{n}": [0, 1] for n in range(300)}
    params |= {f"b{n}": f"1,2 if a{n}=1 and a{(n * 7 + 1) % 300}=1" for n in range(300)}
    spec = JobSpec.model_validate({"params": params})
    with cheap(60):
        assert dimensions.size(spec.params) is None


# --- scripts --------------------------------------------------------------------------------------------------------


def test_a_script_of_five_megabytes_is_refused() -> None:
    with cheap(), pytest.raises(InvalidInput, match=r"too large: it has 5 MiB, and no more than 1 MiB is read"):
        _plan({}, "x = 1\n" * (5 * 1024**2 // 6 + 1))


def test_a_script_with_very_many_options_is_read_in_proportion() -> None:
    lines = [f"p.add_argument('--a{n}', type=int, default={n})" for n in range(3_000)]
    with cheap(20):
        report = inspect_source("\n".join(["import argparse", "p = argparse.ArgumentParser()", *lines]), given=["a1"])
    assert (len(report.params), report.open_ended) == (1000, True)
    assert any("more than 1,000 parameters" in text for text in report.warnings)


def test_very_many_unknown_names_are_told_in_few_lines() -> None:
    lines = [f"p.add_argument('--alpha{n}', type=int)" for n in range(900)]
    source = "\n".join(["import argparse", "p = argparse.ArgumentParser()", *lines, "p.parse_args()"])
    with cheap(60):
        report = inspect_source(source, given=[f"alpha_beta_{n}" for n in range(1000)])
    assert len(report.warnings) < 30


def test_constants_that_hold_each_other_are_not_gone_through_again_and_again() -> None:
    source = "A = list(range(900))\n" + "".join(f"B{n} = [{','.join(['A'] * 400)}]\n" for n in range(100))
    with cheap():
        assert inspect_source(source).params == []


# --- apart ----------------------------------------------------------------------------------------------------------


def test_work_in_a_process_of_its_own_gives_the_same() -> None:
    asked = planning.PlanInput(JobSpec.model_validate({"command": "true", "params": {"a": [1, 2]}}), None, 100)
    assert apart.run("paddock.server.intake.planning:planned", asked, "This") == planning.planned(asked)


def test_a_refusal_there_is_the_same_refusal_here() -> None:
    spec = JobSpec.model_validate({"command": "true", "params": {"a": "1..1000"}, "search": "grid"})
    asked = planning.PlanInput(spec, None, 100)
    with pytest.raises(InvalidInput) as here:
        planning.planned(asked)
    with pytest.raises(InvalidInput) as there:
        apart.run("paddock.server.intake.planning:planned", asked, "This")
    assert (there.value.message, there.value.fields) == (here.value.message, here.value.fields)


def test_too_long_is_told() -> None:
    with pytest.raises(InvalidInput, match="Waiting takes longer than 1 s"):
        apart.run("time:sleep", 120, "Waiting", seconds=1)


def test_too_much_memory_is_told() -> None:
    with pytest.raises(InvalidInput, match=r"Filling takes more than 200 MiB of memory"):
        apart.run("builtins:bytearray", 10 * 1024**3, "Filling", bytes_=200 * 1024**2)


def test_no_more_wait_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(apart.WAITING):
        assert apart._queue.acquire(blocking=False)
    try:
        with pytest.raises(Busy, match="try again"):
            apart.run("time:sleep", 0, "Waiting")
    finally:
        for _ in range(apart.WAITING):
            apart._queue.release()


def test_the_environment_of_the_server_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDOCK_TOKEN", "secret")
    assert apart.run("os:getenv", "PADDOCK_TOKEN", "Looking") is None
