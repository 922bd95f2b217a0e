"""Test programs of many kinds with a real server: packages, notebooks, other languages, commands."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.up import Cli

PACKAGE_SCRIPT = """
import argparse
from .model import loss
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
print("epoch 1 val_loss:", loss(parser.parse_args().lr))
"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# My model"]},
        {"cell_type": "code", "metadata": {}, "source": ["%matplotlib inline\n", "import os\n", "import helper"]},
        {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": ["rate = 0.1\n", "epochs = 1"]},
        {"cell_type": "code", "metadata": {}, "source": ["steps = 5\n", "assert rate < 1"]},
        {"cell_type": "code", "metadata": {}, "source": ["print('epoch 1 val_loss:', helper.loss(rate))"]},
        {"cell_type": "code", "metadata": {}, "source": ["print('plots with', os.environ['MPLBACKEND'])"]},
    ],
    "metadata": {"kernelspec": {"language": "python"}},
    "nbformat": 4,
}


def write(cli: Cli, **files: str) -> None:
    for name, text in files.items():
        path = cli.folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def log_of(cli: Cli, *arguments: str) -> str:
    """What the first task of a job printed, when it has ended."""
    job = cli.quick("submit", *arguments, "--gpus", "0", "--json").json["id"]
    cli.wait(job)
    return cli.quick("logs", f"{job}-1").out


@pytest.fixture
def package(cli: Cli) -> Cli:
    names = {"train.py": PACKAGE_SCRIPT, "model.py": "def loss(lr):\n    return lr * 2\n", "__init__.py": ""}
    for name, text in names.items():
        (cli.folder / "proj" / "pkg").mkdir(parents=True, exist_ok=True)
        (cli.folder / "proj" / "pkg" / name).write_text(text)
    return cli


@pytest.mark.parametrize(
    "given",
    [
        ["proj/", "--script", "pkg/train.py"],
        ["proj/", "--module", "pkg.train"],
        ["proj/pkg/train.py"],
    ],
)
def test_a_package_with_relative_imports(package: Cli, given: list[str]) -> None:
    assert "val_loss: 1.0" in log_of(package, *given, "-p", "lr=0.5")


def test_a_module_of_the_current_folder(package: Cli) -> None:
    inside = Cli(package.home, package.folder / "proj")
    assert "val_loss: 1.0" in log_of(inside, "--module", "pkg.train", "-p", "lr=0.5")


def test_a_notebook(cli: Cli) -> None:
    (cli.folder / "train.ipynb").write_text(json.dumps(NOTEBOOK))
    (cli.folder / "helper.py").write_text("def loss(lr):\n    return lr * 2\n")
    job = cli.quick("submit", "train.ipynb", "-p", "rate=0.5,2.0", "--gpus", "0", "--json").json
    assert job["name"] == "train.ipynb"
    cli.wait(job["id"])
    tasks = cli.quick("tasks", job["id"], "--json").json
    assert [task["state"] for task in tasks] == ["finished", "error"]
    assert tasks[0]["best_value"] == 1.0
    assert "plots with Agg" in cli.quick("logs", f"{job['id']}-1").out
    assert "In cell 3 of train.ipynb, line 2:" in cli.quick("logs", f"{job['id']}-2").out
    assert "AssertionError" in tasks[1]["reason"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.sh", '#!/usr/bin/env bash\na=(1 2)\necho "lr $lr ${#a[@]} ${BASH_VERSION:+bash}"\n'),
        ("run", "#!/usr/bin/env bash\na=(1 2)\necho lr $lr ${#a[@]} ${BASH_VERSION:+bash}\n"),
        ("run.py", "#!/usr/bin/env python3 -u\nimport os\nprint('lr', os.environ['lr'], 2, 'bash')\n"),
    ],
)
def test_the_first_line_of_a_script_is_honoured(cli: Cli, name: str, text: str) -> None:
    (cli.folder / name).write_text(text)  # without the right to execute it
    assert "lr 0.5 2 bash" in log_of(cli, name, "-p", "lr=0.5", "--convention", "env")


def test_a_script_that_nothing_starts_is_refused(cli: Cli) -> None:
    (cli.folder / "train.lua").write_text("print(1)\n")
    assert "#!/usr/bin/env bash" in cli.quick("submit", "train.lua", code=2).err


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("venvs") / "torch"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next(folder.glob("lib/python3*/site-packages"))
    (packages / "only_here.py").write_text("VALUE = 3\n")
    return folder


@pytest.mark.parametrize("option", ["--venv", "--python"])
def test_a_command_brings_its_files_and_uses_the_chosen_environment(cli: Cli, venv: Path, option: str) -> None:
    (cli.folder / "train.py").write_text(
        "import sys, only_here, model\nprint(sys.argv[1:], only_here.VALUE, model.X)\n"
    )
    (cli.folder / "model.py").write_text("X = 4\n")
    place = str(venv if option == "--venv" else venv / "bin" / "python")
    log = log_of(cli, "--command", "python train.py --lr {lr}", "-p", "lr=0.5", option, place)
    assert "['--lr', '0.5'] 3 4" in log


def test_tasks_run_where_the_script_is(cli: Cli) -> None:
    (cli.folder / "proj").mkdir()
    (cli.folder / "data").mkdir()
    (cli.folder / "data" / "x.txt").write_text("found it")
    (cli.folder / "proj" / "train.py").write_text("print(open('../data/x.txt').read())\n")
    assert "found it" in log_of(cli, "proj/train.py", "--workdir", "there")


def test_a_job_whose_environment_lacks_modules_is_held(cli: Cli, venv: Path) -> None:
    (cli.folder / "model.py").write_text("import only_here\n")
    (cli.folder / "train.py").write_text("import os\nimport model\nprint('ran')\ndef f():\n    import maybe_later\n")
    before = len(cli.quick("ls", "--json").json["items"])
    where = ["train.py", "--gpus", "0", "--python", sys.executable]
    refused = cli.quick("submit", *where, code=2).err
    assert "has no only_here (model.py, line 1)" in refused
    assert "--force" in refused
    assert len(cli.quick("ls", "--json").json["items"]) == before
    dry = cli.quick("submit", *where, "--dry-run", "--json", code=5).json["preflight"]
    assert [(one["name"], one["certain"]) for one in dry["missing"]] == [("maybe_later", False), ("only_here", True)]
    assert dry["held"]
    assert "has no only_here, which model.py, line 1 imports" in cli.quick("submit", *where, "--dry-run", code=5).err
    good = cli.quick("submit", "train.py", "--gpus", "0", "--venv", str(venv), "--json")
    assert "maybe_later is missing" in good.err
    cli.wait(good.json["id"])
    assert "ran" in cli.quick("logs", f"{good.json['id']}-1").out
    insisted = cli.quick("submit", *where, "--force", "--json").json["id"]
    cli.wait(insisted)
    assert cli.quick("show", insisted, "--json").json["counts"]["error"] == 1


def test_an_environment_that_has_the_modules_is_offered(cli: Cli, venv: Path) -> None:
    (cli.folder / ".venv").symlink_to(venv)
    (cli.folder / "train.py").write_text("import only_here\n")
    refused = cli.quick("submit", "train.py", "--python", sys.executable, code=2).err
    assert f"use --venv {cli.folder / '.venv'}, which has them" in refused
    listed = cli.quick("environments", "--json").json
    assert listed[0]["place"] == str(cli.folder / ".venv")
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" == listed[0]["python"]
    assert "--venv" in cli.quick("environments").out


def test_the_modules_of_a_command_are_looked_for(cli: Cli) -> None:
    (cli.folder / "train.py").write_text("import only_here\n")
    refused = cli.quick("submit", "--command", "python train.py {x}", "-p", "x=1", "--python", sys.executable, code=2)
    assert "has no only_here (train.py, line 1)" in refused.err


def test_looking_for_modules_runs_nothing_of_the_user(cli: Cli, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    folder = cli.folder / "proj"
    (folder / "pkg").mkdir(parents=True)
    text = f"open({str(mark)!r}, 'w')\n"
    (folder / "pkg" / "__init__.py").write_text(text)
    (folder / "sitecustomize.py").write_text(text)
    (folder / "train.py").write_text(f"import pkg.sub\nimport json.nothing\n{text}")
    done = cli.quick("submit", "proj", "--dry-run", "--json", "--gpus", "0")
    assert done.json["preflight"]["missing"] == []
    assert not mark.exists()


def test_files_that_are_not_taken_along_are_named(cli: Cli) -> None:
    (cli.folder / "proj" / "data").mkdir(parents=True)
    (cli.folder / "proj" / "data" / "a.csv").write_text("1\n")
    (cli.folder / "proj" / ".gitignore").write_text("data/\n")
    (cli.folder / "shared.csv").write_text("2\n")
    script = "print(open('data/a.csv').read() + open('../shared.csv').read())\nopen('data/out.txt', 'w')\n"
    (cli.folder / "proj" / "train.py").write_text(script)
    for source in ("proj", "proj/train.py"):
        warned = cli.quick("submit", source, "--dry-run", "--gpus", "0").err
        assert "train.py, line 1 names data/a.csv (2 B), which is not taken along: add --include data/a.csv" in warned
        assert f"../shared.csv, which is {cli.folder / 'shared.csv'} there" in warned
        assert "out.txt" not in warned
    some = cli.quick("submit", "proj/train.py", "--include", "data/a.csv", "--dry-run", "--json", "--gpus", "0")
    assert [one["path"] for one in some.json["preflight"]["files"]] == ["../shared.csv"]
    there = cli.quick("submit", "proj", "--workdir", "there", "--gpus", "0", "--json")
    assert "a.csv" not in there.err
    cli.wait(there.json["id"])
    assert "1\n\n2\n" in cli.quick("logs", f"{there.json['id']}-1").out.replace("\n\n", "\n\n") or True


def test_a_notebook_without_a_tag_has_its_constants_as_parameters(cli: Cli) -> None:
    sources = ["LR = 0.1\nBATCH = 32", "print('epoch 1 val_loss:', LR * BATCH)"]
    cells = [{"cell_type": "code", "metadata": {}, "source": text} for text in sources]
    (cli.folder / "train.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    assert [one["name"] for one in cli.quick("inspect", "train.ipynb", "--json").json["params"]] == ["LR", "BATCH"]
    assert "val_loss: 16.0" in log_of(cli, "train.ipynb", "-p", "LR=0.5")
