"""Test that the quick commands import little, and that their shortcuts do what Typer and the models do."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

import paddock
from paddock import cli, models
from paddock.cli import quick
from paddock.cli.render import space_text
from paddock.client.light import MAPPINGS, LightClient, View, is_moment
from paddock.models.space import text_of
from tests.support.up import TINY, up

HEAVY = (
    "asyncio", "fastapi", "httpx2", "numpy", "paddock.models.every", "paddock.search", "paddock.settings", "pydantic",
    "pydantic_core", "rich.markdown", "sqlalchemy", "yaml",
)  # fmt: skip
RUN = """
import sys
from paddock.__main__ import main
sys.argv[0] = "paddock"
try:
    main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""
PARAMS = {
    "lr": "1e-4..1e-1:log", "n": "1..8", "s": "0.1..0.5:0.1", "opt": ["sgd", "a,b", None, {"block": {}}], "one": 3,
    "m": "0.5..0.9 if opt=sgd", "net": {"repeat": [1, 2], "block": {"w": "16..64:16"}},
}  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with up(tmp_path_factory.mktemp("start") / "home") as running:
        yield running


@pytest.fixture(scope="module")
def job(home: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    script = tmp_path_factory.mktemp("script") / "train.py"
    script.write_text(TINY)
    with paddock.Client(home=home) as client:
        made = client.submit(script, params={"lr": "0.4,0.2", "epochs": "1"}, resources={"gpus": 0})
        return made.wait(300).id


def _imported(home: Path, *arguments: str) -> tuple[str, set[str]]:
    """Return what a command prints, and the modules that it imported."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, "--home", home, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout, set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("command", ["submit", "again", "extend", "limits", "reserve", "run"])
def test_the_help_of_a_command_with_many_options_needs_no_models(tmp_path: Path, command: str) -> None:
    text, modules = _imported(tmp_path, command, "--help")
    assert "Examples" in text or "paddock" in text
    assert {"paddock.models.every", "paddock.settings", "yaml", "numpy"}.isdisjoint(modules)


@pytest.mark.parametrize(
    "command",
    [
        "ls", "ls --json", "show JOB", "show JOB --json", "show JOB-1", "stop JOB", "tasks JOB", "tasks JOB --json",
        "logs JOB-1", "metrics JOB", "best JOB", "objective JOB --json", "importance JOB --json", "export JOB",
        "restart JOB --failed", "hold JOB", "release JOB",
    ],
)  # fmt: skip
def test_quick_commands_import_little(home: Path, job: str, command: str) -> None:
    printed, modules = _imported(home, *command.replace("JOB", job).split())
    assert job in printed or printed.startswith(("note", '{\n  "tasks": []', '{\n  "objectives"', "{}"))
    assert "paddock.client.http" in modules
    assert modules.isdisjoint(HEAVY), modules.intersection(HEAVY)


def test_help_imports_no_command(home: Path) -> None:
    printed, modules = _imported(home, "--help")
    assert "Submit" in printed
    assert modules.isdisjoint({*HEAVY, "paddock.cli.submit", "paddock.cli.show"} - {"rich.markdown"})


# --- views and models -------------------------------------------------------------------------------------------------


def _types(annotation: Any) -> Iterator[Any]:
    """Return all types in an annotation."""
    yield get_origin(annotation) or annotation
    for inner in get_args(annotation):
        yield from _types(inner)


def _reachable(*found: type[BaseModel]) -> set[type[BaseModel]]:
    """Return these models and all in them, but for the spaces of parameters: they are read as plain data."""
    known: set[type[BaseModel]] = set()
    todo = list(found)
    while todo:
        one = todo.pop()
        if one not in known and one.__module__ != "paddock.models.space":
            known.add(one)
            inner = [kind for field in one.model_fields.values() for kind in _types(field.annotation)]
            todo += [kind for kind in inner if isinstance(kind, type) and issubclass(kind, BaseModel)]
    return known


ANSWERS = (models.JobPage, models.JobDetail, models.TaskPage, models.TaskDetail, models.SearchReport, models.MapPart)


def test_views_know_times_and_mappings_by_their_names() -> None:
    checked = 0
    for model in _reachable(*ANSWERS):
        for name, field in model.model_fields.items():
            kinds = set(_types(field.annotation))
            assert is_moment(name) == (datetime in kinds), f"{model.__name__}.{name}"
            assert list in kinds or (name in MAPPINGS) == (dict in kinds), f"{model.__name__}.{name}"
            checked += 1
    assert checked > 100


def _same(view: Any, model: Any) -> None:
    if isinstance(model, BaseModel):
        assert isinstance(view, View)
        for name in set(type(model).model_fields) - ({"params"} if isinstance(model, models.JobSpec) else set()):
            _same(getattr(view, name), getattr(model, name))
    elif isinstance(model, list):
        assert len(view) == len(model)
        for one, other in zip(view, model, strict=True):
            _same(one, other)
    else:
        assert view == model


def test_a_view_has_what_the_model_has(home: Path, job: str) -> None:
    with LightClient(home=home) as light, paddock.Client(home=home) as client:
        _same(light.jobs(), client.jobs())
        _same(light.detail(job), client.detail(job))
        _same(light.task(f"{job}-1"), client.task(f"{job}-1"))
        _same(light.search_report(job), client.search_report(job))
        with pytest.raises(paddock.errors.PaddockError, match="not understood"):
            View({}).nonsense  # noqa: B018


def test_the_values_of_parameters_without_their_models() -> None:
    spec = models.JobSpec(script="x.py", params=PARAMS)
    plain = spec.model_dump(mode="json")["params"]
    assert {name: space_text(one) for name, one in plain.items()} == {n: text_of(one) for n, one in spec.params.items()}


# --- command lines ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "ls", "ls --json", "ls --limit 7 --state running", "ls --limit=7 -q text", "ls --query a=b --tag x --owner y",
        "show k3v", "show --json k3v-1", "show k3v --spec", "stop k3v k3v-1 --json", "restart k3v --failed --resume -y",
        "hold a b", "rm a --yes", "tasks a --sort best --state error", "logs a-1 --tail 5 -f", "metrics a --points 9",
        "best a -n 3", "objective a", "objective a val_loss params:min --insist", "importance a --json", "export a",
    ],
)  # fmt: skip
def test_a_plain_command_line_is_read_as_typer_reads_it(line: str) -> None:
    name, *words = line.split()
    read = quick.values(cli._function(name), words)
    with cli.built().load(name).make_context(name, [*words]) as context:
        assert read == {name: None if value == () else value for name, value in context.params.items()}


@pytest.mark.parametrize(
    "line",
    [
        "ls --help", "ls -h", "ls --limit 0", "ls --limit 501", "ls --limit x", "ls --limit", "ls --state asleep",
        "ls --bogus", "ls k3v", "ls -qx", "ls --tag a --tag b", "ls --json=1", "ls --tag -x", "show", "show a b",
        "show -- a", "stop", "stop --json", "ls --lim 5", "tasks a --sort -best", "metrics a -m loss",
    ],
)  # fmt: skip
def test_everything_else_is_left_to_typer(line: str) -> None:
    name, *words = line.split()
    assert quick.values(cli._function(name), words) is None


def test_options_before_the_command() -> None:
    assert quick.root(cli._root, ["--home", "x", "--url=http://y", "ls", "--json"]) == (
        {"home": "x", "url": "http://y", "version": False},
        ["ls", "--json"],
    )
    assert quick.root(cli._root, ["--version"]) is None
    assert quick.root(cli._root, ["--home"]) is None
    assert quick.root(cli._root, []) == ({"home": None, "url": None, "version": False}, [])
