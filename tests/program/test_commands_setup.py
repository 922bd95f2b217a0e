"""Test set-up lines that run before a task."""

import os
import subprocess
import sys

import pytest

from paddock.program.commands import Command, wrap_setup

HOSTILE = ["$(touch pwned)", "`id`", "'; rm -rf x #", "a\nb", "-1", "*", "", " "]
SHOW = [sys.executable, "-c", "import os, sys; print(sys.argv[1:], os.environ.get('MODULE'))"]


def run(made: Command) -> subprocess.CompletedProcess[str]:
    return subprocess.run(made.argv, env={**os.environ, **made.env}, capture_output=True, text=True, check=False)


def test_no_setup_changes_nothing() -> None:
    made = Command(["a"], {"B": "c"})
    assert wrap_setup(made, []) is made


def test_setup_runs_first_and_leaves_the_arguments_alone() -> None:
    made = wrap_setup(Command([*SHOW, *HOSTILE], {"B": "c"}), ["export MODULE=cuda", "set -- other", "cd /"])
    assert made.env == {"B": "c"}
    done = run(made)
    assert (done.returncode, done.stdout) == (0, f"{HOSTILE} cuda\n"), done.stderr


def test_setup_does_not_see_the_arguments() -> None:
    done = run(wrap_setup(Command([*SHOW, "x"], {}), ["export MODULE=$#"]))
    assert done.stdout == "['x'] 0\n"


@pytest.mark.parametrize(
    ("setup", "status"),
    [
        (["(exit 7)", "export MODULE=late"], 7),
        (["exit 9"], 9),
        (["no-such-command-here"], 127),
        (["echo 'unfinished"], None),
        (["if true; then"], None),
    ],
)
def test_a_setup_that_fails_ends_the_task(setup: list[str], status: int | None) -> None:
    done = run(wrap_setup(Command(SHOW, {}), setup))
    assert done.returncode != 0 if status is None else done.returncode == status
    assert "None" not in done.stdout


@pytest.mark.parametrize("setup", [["export MODULE=1 \\"], ["cat >/dev/null <<EOF", "export MODULE=1"]])
def test_an_unfinished_setup_line_does_not_swallow_the_task(setup: list[str]) -> None:
    assert run(wrap_setup(Command(SHOW, {}), setup)).stdout.startswith("[]")


def test_setup_over_several_lines() -> None:
    lines = ["if true; then", "  export MODULE=two", "fi"]
    assert run(wrap_setup(Command(SHOW, {}), lines)).stdout == "[] two\n"
