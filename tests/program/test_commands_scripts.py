"""Test the command of a task by running it: the script gets the given values."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from paddock.models import JobSpec, Params
from paddock.program.commands import build
from paddock.program.inspection import inspect_source

HOSTILE = ["$(touch pwned)", "`id`", "'; rm -rf x #", "a\nb", "ünï ☃", "-1", "--other", "*", "", " ", '"', "a=b", "{x}"]


def ran(tmp_path: Path, source: str, params: Params) -> Any:
    """What a real script makes of the command: it prints JSON."""
    source = textwrap.dedent(source)
    (tmp_path / "train.py").write_text(source)
    report = inspect_source(source)
    made = build(
        JobSpec(script="train.py"),
        report,
        params,
        job="j",
        task="j-1",
        code_dir=str(tmp_path),
        interpreter=[sys.executable],
    )
    done = subprocess.run(made.argv, env={**os.environ, **made.env}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (made.argv, done.stderr)
    return json.loads(done.stdout)


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_values_reach_a_real_script(value: str, tmp_path: Path) -> None:
    source = """
        import argparse, json
        p = argparse.ArgumentParser()
        p.add_argument("--a-text", dest="text")
        p.add_argument("where")
        print(json.dumps(vars(p.parse_args())))
    """
    assert ran(tmp_path, source, {"text": value, "where": value}) == {"text": value, "where": value}


def test_click_reads_the_same_values(tmp_path: Path) -> None:
    source = """
        import json, click
        @click.command()
        @click.option("--lr", "-l", default=0.1)
        @click.option("-n", "n", type=int)
        @click.option("--shout/--no-shout", default=True)
        @click.option("--fast", is_flag=True)
        @click.option("--tag", multiple=True)
        @click.option("--size", nargs=2, type=int)
        @click.option("-v", "--verbose", count=True)
        @click.option("--opt", type=click.Choice(["adam", "sgd"]))
        @click.argument("data")
        def main(**given):
            print(json.dumps(given))
        main()
    """
    params: Params = {
        "lr": -0.5, "n": -3, "shout": False, "fast": True, "tag": ["-a", "b c"], "size": [1, 2], "verbose": 3,
        "opt": "sgd", "data": "-x y",
    }  # fmt: skip
    assert ran(tmp_path, source, params) == params


def test_typer_reads_the_same_values(tmp_path: Path) -> None:
    source = """
        import json
        from typing import Annotated, List, Optional
        import typer
        app = typer.Typer()
        @app.command()
        def main(data: str, lr: float = 0.1, batch_size: int = typer.Option(32, "--bs", help="size"),
                 augment: bool = True, tags: List[str] = typer.Option([]),
                 name: Annotated[Optional[str], typer.Option("--run-name")] = None):
            print(json.dumps(dict(data=data, lr=lr, batch_size=batch_size, augment=augment, tags=tags, name=name)))
        if __name__ == "__main__":
            app()
    """
    params: Params = {"data": "-d", "lr": 0.5, "batch_size": 8, "augment": False, "tags": ["a", "b"], "name": "-n"}
    assert ran(tmp_path, source, params) == params


def test_argv_reads_the_same_values(tmp_path: Path) -> None:
    source = """
        import json, sys
        job_id, task_id, batch_size, lr, epochs, early = sys.argv[1:]
        print(json.dumps([job_id, task_id, int(batch_size), float(lr), int(epochs), early == "True"]))
    """
    params: Params = {"batch_size": 8, "lr": 0.5, "epochs": 2, "early_stopping": True}
    assert ran(tmp_path, source, params) == ["j", "j-1", 8, 0.5, 2, True]
