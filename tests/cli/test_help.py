"""Test what needs no server: help, usage errors, versions."""

import subprocess
import sys
from typing import Any, get_args

import pytest

from paddock import __version__
from paddock.cli import _COMMANDS, options
from paddock.models import JobSpec
from tests.support.up import Cli

NAMES = list(_COMMANDS)
NEEDS_SERVER = [
    ["ls"], ["show", "k3v"], ["tasks", "k3v"], ["logs", "k3v-1"], ["metrics", "k3v-1"], ["best", "k3v"],
    ["importance", "k3v"], ["extend", "k3v", "--trials", "5"],
    ["stop", "k3v"], ["restart", "k3v"], ["rm", "k3v", "--yes"], ["export", "k3v"], ["nodes"], ["token"],
    ["submit", "--command", "true"], ["hold", "k3v"], ["release", "k3v"], ["limits", "k3v", "--time", "4h"],
    ["prune"], ["prune", "--yes"], ["files", "k3v-1"], ["get", "k3v-1", "work"], ["diff", "k3v", "8wq"],
    ["note", "k3v"], ["rename", "k3v", "x"], ["tag", "k3v", "+a"], ["edit", "k3v"],
    ["whoami"], ["token", "ls"], ["token", "add", "x"], ["team", "on"], ["team", "status"], ["team", "off", "--yes"],
    ["reserve", "gpu1:0", "--for", "4h"], ["free"], ["reservations"], ["cancel", "3f9c21aa"], ["gpus"],
    ["users", "ls"], ["users", "edit", "bob", "--role", "admin"], ["groups", "ls"], ["invite"], ["audit"],
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_an_example(alone: Cli, name: str) -> None:
    help_text = alone.quick(*name.split(), "--help").out
    assert f"Usage: paddock {name}" in help_text
    assert "Example" in help_text
    assert "--json" in help_text


def test_the_whole_has_help(alone: Cli) -> None:
    done = alone("--help")
    assert all(name.split()[0] in done.out for name in NAMES)
    for group in {name.split()[0] for name in NAMES if " " in name}:
        shown = alone.quick(group, "--help").out
        assert all(name.split()[1] in shown for name in NAMES if name.startswith(f"{group} "))
    assert "--install-completion" in done.out
    assert alone("-h").out == done.out


def test_the_version(alone: Cli) -> None:
    assert alone("--version").out == f"paddock {__version__}\n"
    assert alone("version").out == f"paddock {__version__}\n"
    assert alone("version", "--json").json == {"version": __version__, "server": None}


@pytest.mark.parametrize("arguments", NEEDS_SERVER, ids=" ".join)
@pytest.mark.parametrize("extra", [[], ["--json"]], ids=["plain", "json"])
def test_without_a_server_the_code_is_4(alone: Cli, arguments: list[str], extra: list[str]) -> None:
    done = alone.quick(*arguments, *extra, code=4)
    assert done.out == ""
    assert done.err.startswith("error: No Paddock server runs on ")
    assert "paddock up" in done.err


def test_an_address_where_nobody_answers(alone: Cli) -> None:
    done = alone("--url", "http://127.0.0.1:1", "ls", code=4)
    assert "http://127.0.0.1:1" in done.err
    assert "http://127.0.0.1:1" in alone("ls", code=4, PADDOCK_URL="http://127.0.0.1:1").err
    alone("--url", "nonsense", "ls", code=4)


@pytest.mark.parametrize(
    "arguments",
    [
        ["ls", "--bogus"],
        ["bogus"],
        ["show"],
        ["ls", "--limit", "0"],
        ["ls", "--state", "asleep"],
        ["tasks", "k3v", "--sort", "x"],
        ["reserve", "--for", "4h"],
        ["reserve", "gpu1:0", "--gpus", "2", "--for", "4h"],
        ["reserve", "gpu1:0"],
        ["reserve", "gpu1:0", "--for", "4h", "--until", "18:00"],
        ["reserve", "gpu1:0", "--for", "4h", "--host", "gpu1"],
        ["reserve", "gpu1:0", "--for", "4h", "--first"],
        ["reserve", "--gpus", "0", "--for", "4h"],
        ["free", "--gpus", "0"],
        ["cancel"],
        ["run"],
        ["run", "--", "no-such-program"],
        ["run", "--for", "4", "--", "true"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2(alone: Cli, arguments: list[str]) -> None:
    done = alone.quick(*arguments, code=2)
    assert done.out == ""
    assert done.err.startswith("error: ")


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        (["-p", "lr"], "NAME=VALUE"),
        (["-p", "=3"], "NAME=VALUE"),
        (["-p", "lr=1..0"], "Parameter lr: a range goes from the smaller"),
        (["-p", "lr=1,,2"], "Parameter lr: there is a comma"),
        (["-p", "lr=[1"], "Parameter lr:"),
        (["-p", "lr=1", "-p", "lr=2"], "lr: it is given twice"),
        (["-p", "9x=1"], "params.9x"),
        (["--retry", "boredom=3"], "not a cause: write one of user_error"),
        (["--retry", "lost=many"], "retries"),
        (["--env", "A"], "NAME=VALUE"),
        (["--objective", "acc:best"], "METRIC:max"),
        (["--objective", "acc", "--objective", "loss:best"], "METRIC:max"),
        (["--search", "magic"], "'tpe'"),
        (["--trials", "0"], "--trials"),
        (["--time-budget", "5"], "5 of what?"),
        (["--stop-early", "never"], "'asha'"),
        (["--stop-early", "asha", "--min-steps", "0"], "stop_early.min_steps"),
        (["--min-steps", "3"], "--min-steps is about early stopping: also give --stop-early"),
        (["--interval", "-1"], "search.interval"),
        (["--venv", "a", "--conda", "b"], "not both"),
        (["--script", "other.py"], "other.py"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_flags_of_submit_are_2_without_asking_a_server(alone: Cli, flag: list[str], said: str) -> None:
    done = alone.quick("submit", alone.script(), *flag, code=2)
    assert done.err.startswith("error: ")
    assert said in done.err


def test_more_of_nothing(alone: Cli) -> None:
    assert "give --trials" in alone.quick("extend", "k3v", code=2).err
    assert "Parameter lr" in alone.quick("extend", "k3v", "-p", "lr=1..0", code=2).err


def test_forms_of_an_export_that_exclude_each_other(alone: Cli) -> None:
    for arguments in (["--optuna", "s.db", "-o", "x"], ["--optuna", "s.db", "--format", "csv"], ["--force"]):
        assert "--optuna" in alone.quick("export", "k3v", *arguments, code=2).err


def test_nothing_to_submit(alone: Cli) -> None:
    assert "give a script" in alone("submit", code=2).err
    assert "There is no file" in alone("submit", "nope.py", code=2).err
    assert "nope.yaml" in alone("submit", "nope.yaml", code=2).err
    (alone.folder / "job.yaml").write_text("script: train.py\nparms: {}\n")
    assert "did you mean params?" in alone("submit", "job.yaml", code=2).err


def test_inspect_needs_no_server(alone: Cli) -> None:
    script = alone.script()
    assert "lr" in alone("inspect", script).out
    names = [param["name"] for param in alone("inspect", script, "--json").json["params"]]
    assert names == ["lr", "epochs", "fail", "sleep", "note"]
    alone("inspect", "nope.py", code=2)


def test_settings_shows_what_is_in_force(alone: Cli) -> None:
    alone.home.mkdir()
    (alone.home / "settings.toml").write_text("max_tasks = 7\n[local]\nslots = 3\n")
    database = "postgresql://me:secret@host/db"
    found = alone("settings", "--json", PADDOCK_PORT="1234", PADDOCK_DATABASE=database)
    assert (found.json["max_tasks"], found.json["local"]["slots"], found.json["port"]) == (7, 3, 1234)
    assert "secret" not in found.out
    shown = alone("settings", PADDOCK_DATABASE=database).out
    assert "local.slots" in shown
    assert "secret" not in shown
    (alone.home / "settings.toml").write_text("max_tasks = 'many'\n")
    assert "max_tasks" in alone("settings", code=2).err
    (alone.home / "settings.toml").write_text("port = \n")
    assert "not valid TOML" in alone("settings", code=2).err


def test_importing_paddock_is_light() -> None:
    code = (
        "import sys, paddock; paddock.report; print([m for m in ('pydantic', 'httpx2', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_completion_is_silent_without_a_server(alone: Cli) -> None:
    done = alone.complete("paddock show k", 2)
    assert (done.out.strip(), done.err) == ("", "")


def test_parameters_are_completed_from_the_script(alone: Cli) -> None:
    done = alone.complete(f"paddock submit {alone.script()} -p e", 4)
    assert done.out.split() == ["epochs="]


@pytest.mark.parametrize("option", options.SUBMIT, ids=lambda option: option.name)
def test_every_option_of_submit_fills_a_field_of_a_job(option: options.JobOption) -> None:
    model: Any = JobSpec
    for name in option.fills.split("."):
        model = next((one for one in get_args(model) if hasattr(one, "model_fields")), model)  # it may be left out
        assert name in model.model_fields
        model = model.model_fields[name].annotation
