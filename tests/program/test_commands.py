"""Test the exact argv and environment of a task."""

import argparse
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.errors import InvalidInput
from paddock.models import Convention, FlagStyle, JobSpec, Params, ScriptParam, ScriptReport
from paddock.program import shebang
from paddock.program.commands import Command, build, text_of


def command(
    params: Params,
    report: ScriptReport | None = None,
    *,
    script: str = "train.py",
    convention: Convention = Convention.AUTO,
) -> Command:
    spec = JobSpec(script=script, convention=convention)
    return build(spec, report, params, job="j1", task="j1-1", code_dir="/code", interpreter=["/usr/bin/python3"])


def arguments(params: Params, report: ScriptReport | None = None, **how: Any) -> list[str]:
    return command(params, report, **how).argv[2:]


def flags(*params: ScriptParam) -> ScriptReport:
    return ScriptReport(convention=Convention.FLAGS, params=list(params))


# --- the script -----------------------------------------------------------------------------------------------------


def test_the_script_is_absolute_and_the_interpreter_stands_first() -> None:
    assert command({}, script="src/train.py").argv == ["/usr/bin/python3", "/code/src/train.py"]


@pytest.mark.parametrize(
    ("script", "first", "argv"),
    [
        ("train.sh", "", ["/bin/sh"]),
        ("train.sh", "#!/usr/bin/env bash", ["bash"]),
        ("train.sh", "#!/bin/bash -e", ["/bin/bash", "-e"]),
        ("train.py", "", ["/usr/bin/python3"]),
        ("train.py", "#!/usr/bin/env python3", ["/usr/bin/python3"]),
        ("train.py", "#!/usr/bin/env python3 -u", ["/usr/bin/python3", "-u"]),
        ("train.py", "#!/usr/bin/env -S python -u -W ignore", ["/usr/bin/python3", "-u", "-W", "ignore"]),
        ("train.py", "#!/usr/bin/env bash", ["bash"]),
        ("train", "#! /opt/py/bin/python3.9", ["/usr/bin/python3"]),
        ("fit.R", "", ["Rscript"]),
        ("fit", "#!/usr/bin/env Rscript", ["Rscript"]),
        ("fit", "#!/usr/bin/env -S A=1 julia -O3", ["julia", "-O3"]),
        ("x.jl", "", ["julia"]),
        ("old", "", []),  # a job of an earlier version: its file is executable
    ],
)
def test_the_first_line_or_the_suffix_names_what_starts_a_script(script: str, first: str, argv: list[str]) -> None:
    report = ScriptReport(convention=Convention.ENV, shebang=shebang.read(f"{first}\r\nrest"))
    assert command({}, report, script=script).argv == [*argv, f"/code/{script}"]


def test_a_module_is_started_from_the_folder_that_contains_its_package() -> None:
    report = ScriptReport(convention=Convention.ENV, module="pkg.train", shebang=["python3", "-u"])
    made = command({}, report, script="src/pkg/train.py")
    assert made.argv == ["/usr/bin/python3", "-u", "-m", "pkg.train"]
    assert made.python_path == ["/code/src"]
    spec = JobSpec(script="pkg/__main__.py", module="pkg", workdir="/data")
    made = build(spec, None, {}, job="j", task="j-1", code_dir="/code", interpreter=["py"])
    assert (made.argv, made.python_path, made.cwd) == (["py", "-m", "pkg"], ["/code"], "/data")


def test_nothing_to_run() -> None:
    with pytest.raises(InvalidInput) as caught:
        build(JobSpec(), None, {}, job="j", task="t", code_dir="/c", interpreter=[])
    assert "script" in caught.value.fields


# --- flags ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.01, ["--lr", "0.01"]),
        (1e-05, ["--lr", "1e-05"]),
        (64, ["--lr", "64"]),
        (-1, ["--lr=-1"]),
        (True, ["--lr", "True"]),
        ("a b", ["--lr", "a b"]),
        ("-x", ["--lr=-x"]),
        (None, []),
        ({"a": [1, None]}, ["--lr", '{"a":[1,null]}']),
        ([64, 32], ["--lr", "64", "32"]),
    ],
)
def test_unknown_flags(value: Any, expected: list[str]) -> None:
    assert arguments({"lr": value}, convention=Convention.FLAGS) == expected


def test_flags_are_written_as_the_script_has_them_in_the_order_given() -> None:
    report = flags(ScriptParam(name="batch_size", flag="--batch-size"), ScriptParam(name="lr", flag="-l"))
    assert arguments({"lr": 1, "batch_size": 2}, report) == ["-l", "1", "--batch-size", "2"]
    assert arguments({"batch-size": 2, "lr": -1}, report) == ["--batch-size", "2", "-l-1"]


@pytest.mark.parametrize(
    ("style", "value", "expected"),
    [
        (FlagStyle.EQUALS, True, ["--x=true"]),
        (FlagStyle.EQUALS, "a b", ["--x=a b"]),
        (FlagStyle.SWITCH, True, ["--x"]),
        (FlagStyle.SWITCH, False, []),
        (FlagStyle.SWITCH, "yes", ["--x"]),
        (FlagStyle.SWITCH_OFF, True, []),
        (FlagStyle.SWITCH_OFF, False, ["--x"]),
        (FlagStyle.ON_OFF, 1, ["--x"]),
        (FlagStyle.ON_OFF, False, ["--no-x"]),
        (FlagStyle.ON_OFF, None, []),
    ],
)
def test_styles(style: FlagStyle, value: Any, expected: list[str]) -> None:
    assert arguments({"x": value}, flags(ScriptParam(name="x", flag="--x", style=style, type="bool"))) == expected


def test_a_switch_takes_no_other_value() -> None:
    with pytest.raises(InvalidInput, match="--x is a switch"):
        arguments({"x": "maybe"}, flags(ScriptParam(name="x", flag="--x", style=FlagStyle.SWITCH)))


def test_a_boolean_for_an_integer_is_a_number() -> None:
    assert arguments({"x": True}, flags(ScriptParam(name="x", flag="--x", type="int"))) == ["--x", "1"]
    assert arguments({"x": 64.0}, flags(ScriptParam(name="x", flag="--x", type="int"))) == ["--x", "64"]


def test_lists() -> None:
    several = ScriptParam(name="x", flag="--x", type="list")
    assert arguments({"x": ["a", "b"]}, flags(several)) == ["--x", "a", "b"]
    repeated = several.model_copy(update={"style": FlagStyle.EQUALS})
    assert arguments({"x": ["a", "-b"]}, flags(repeated)) == ["--x=a", "--x=-b"]
    absl = ScriptParam(name="x", flag="--x", type="str", style=FlagStyle.EQUALS)
    assert arguments({"x": ["a", "b"]}, flags(absl)) == ["--x=a,b"]
    one_text = ScriptParam(name="x", flag="--x")
    assert arguments({"x": [64, 32]}, flags(one_text)) == ["--x", "[64,32]"]


def test_positionals_of_a_parser_come_last() -> None:
    report = flags(
        ScriptParam(name="data", position=1), ScriptParam(name="out", position=2), ScriptParam(name="lr", flag="--lr")
    )
    assert arguments({"out": "o", "data": "d", "lr": 1}, report) == ["--lr", "1", "d", "o"]
    assert arguments({"out": "-o", "data": "d", "lr": 1}, report) == ["--lr", "1", "--", "d", "-o"]


@pytest.mark.parametrize("value", ["nul\0", "half \ud800"])
def test_what_cannot_be_passed_on_is_refused(value: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        arguments({"x": value}, convention=Convention.FLAGS)
    assert "params" in caught.value.fields


# Python 3.11's argparse drops the two dashes of `--x=--`, whoever writes them.
_TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).filter(lambda t: t != "--")


@settings(deadline=None)
@given(
    text=_TEXTS,
    short=_TEXTS,
    number=st.integers(),
    rate=st.floats(allow_nan=False),
    several=st.lists(st.integers(min_value=0)),
    on=st.booleans(),
    off=st.booleans(),
    data=_TEXTS,
)
def test_a_real_parser_reads_the_same_values(on: bool, off: bool, **values: Any) -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--some-text", dest="text")
    parser.add_argument("-s", dest="short")
    parser.add_argument("--number", type=int)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--several", type=int, nargs="*")
    parser.add_argument("--on", action="store_true")
    parser.add_argument("--no-off", dest="off", action="store_false")
    parser.add_argument("data")
    report = flags(
        ScriptParam(name="text", flag="--some-text"),
        ScriptParam(name="short", flag="-s"),
        ScriptParam(name="several", flag="--several", type="list"),
        ScriptParam(name="on", flag="--on", style=FlagStyle.SWITCH),
        ScriptParam(name="off", flag="--no-off", style=FlagStyle.SWITCH_OFF),
        ScriptParam(name="data", position=1),
    )
    params = {**values, "on": on, "off": off}
    assert vars(parser.parse_args(arguments(params, report))) == params


# --- other conventions ----------------------------------------------------------------------------------------------

STFMANAGER = ScriptReport(
    convention=Convention.STFMANAGER,
    params=[
        ScriptParam(name=n, position=i, required=True)
        for i, n in enumerate(["bs", "lr", "epochs", "early_stopping"], start=3)
    ],
)
FOUR: Params = {"epochs": 5, "lr": 0.1, "bs": 64, "early_stopping": False}


def test_stfmanager_gives_job_task_and_the_four() -> None:
    expected = ["j1", "j1-1", "64", "0.1", "5", "False"]
    assert arguments(FOUR, STFMANAGER) == expected
    canonical: Params = {"batch_size": 64, "learning_rate": 0.1, "epochs": 5, "early_stopping": False}
    assert arguments(canonical, STFMANAGER) == expected
    assert arguments(canonical, None, convention=Convention.STFMANAGER) == expected


def test_stfmanager_names_what_is_missing_or_too_much() -> None:
    with pytest.raises(InvalidInput, match="`early_stopping` has no value") as caught:
        arguments({**FOUR, "early_stopping": None}, STFMANAGER)
    assert "early_stopping" in caught.value.fields["params"]
    with pytest.raises(InvalidInput, match="`momentum`"):
        arguments({**FOUR, "momentum": 0.9}, STFMANAGER)


def positional(*params: ScriptParam, open_ended: bool = False) -> ScriptReport:
    return ScriptReport(convention=Convention.POSITIONAL, params=list(params), open_ended=open_ended)


def test_positional() -> None:
    first = ScriptParam(name="lr", position=1, required=True)
    second = ScriptParam(name="epochs", position=2, default=5)
    third = ScriptParam(name="seed", position=3)
    report = positional(third, first, second)
    assert arguments({"epochs": 3, "lr": "-x"}, report) == ["-x", "3"]
    assert arguments({"lr": 1}, report) == ["1"]
    with pytest.raises(InvalidInput, match="`lr` has no value"):
        arguments({"epochs": 3}, report)
    with pytest.raises(InvalidInput, match="`epochs` has no value, but `seed`"):
        arguments({"lr": 1, "seed": 2}, report)
    with pytest.raises(InvalidInput, match="`other`"):
        arguments({"lr": 1, "other": 2}, report)
    with pytest.raises(InvalidInput, match="does not read argument 2"):
        arguments({"lr": 1, "seed": 2}, positional(first, third))
    assert arguments({"lr": 1, "more": "m"}, positional(first, open_ended=True)) == ["1", "m"]
    assert arguments({"b": 1, "a": 2}, None, convention=Convention.POSITIONAL) == ["1", "2"]


def test_environment() -> None:
    report = ScriptReport(convention=Convention.ENV, params=[ScriptParam(name="LEARNING_RATE", type="float")])
    made = command({"learning_rate": 0.1, "Other": "x", "none": None}, report)
    assert made.argv == ["/usr/bin/python3", "/code/train.py"]
    assert made.env == {
        "learning_rate": "0.1",
        "LEARNING_RATE": "0.1",
        "Other": "x",
        "PADDOCK_PARAM_LEARNING_RATE": "0.1",
        "PADDOCK_PARAM_OTHER": "x",
        "PADDOCK_PARAM_NONE": "",
    }


def test_the_variables_of_paddock_are_not_replaced() -> None:
    with pytest.raises(InvalidInput, match="PADDOCK_REPORT"):
        command({"PADDOCK_REPORT": "x"})


@pytest.mark.parametrize("convention", [c for c in Convention if c is not Convention.STFMANAGER])
def test_every_convention_has_the_parameters_in_the_environment(convention: Convention) -> None:
    env = command({"learning-rate": 0.1, "model.size": "s"}, convention=convention).env
    assert env["PADDOCK_PARAM_LEARNING_RATE"] == "0.1"
    assert env["PADDOCK_PARAM_MODEL_SIZE"] == "s"


def test_a_convention_that_was_chosen_is_kept() -> None:
    assert arguments({"bs": 1}, STFMANAGER, convention=Convention.FLAGS) == ["--bs", "1"]


def test_text() -> None:
    assert [text_of(v) for v in (None, True, 1.0, 3, "é")] == ["", "True", "1.0", "3", "é"]
