"""doctor: is everything as it should be here, and if not, what is to be done?"""

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from paddock.cli import base, flags, render
from paddock.cli.base import Json
from paddock.cli.doctor.checks import run_all
from paddock.cli.doctor.finding import Finding, Scope, Status
from paddock.errors import InvalidInput
from paddock.models import Environment

_STYLES = {Status.OK: "green", Status.WARN: "yellow", Status.ERROR: "red"}
_SLURM = "Slurm clusters"

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only what is not as it should be.")]


def _option(*names: str, **given: Any) -> Any:
    return typer.Option(*names, rich_help_panel=_SLURM, **given)


def doctor(
    ctx: typer.Context,
    backend: Annotated[
        str | None, _option(help="Only this cluster; `slurm` also when no settings name it, `local` for none.")
    ] = None,
    quick: Annotated[bool, _option("--quick", help="Without the checks that submit a job.")] = False,
    partition: Annotated[str | None, _option(help="Where the tiny job runs.")] = None,
    gpus: Annotated[int, _option(min=0, max=1024, help="GPUs of the tiny job.")] = 0,
    python: Annotated[str | None, _option(help="Interpreter to try on the node.")] = None,
    venv: Annotated[str | None, _option(help="Virtual environment to try on the node.")] = None,
    conda: Annotated[str | None, _option(help="Conda environment (name or folder) to try on the node.")] = None,
    wait: Annotated[float, _option(min=1, help="Seconds that the tiny job may wait in the queue.")] = 120,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Check the installation, and say how to mend what is wrong. Exits with 1 when something is.

    On a Slurm cluster a tiny job looks at what only a compute node sees: the home folder, the clock, the training
    environment and its GPUs.
    """
    at = base.place(ctx)
    asked = Scope(
        backend=backend,
        quick=quick,
        environment=_environment(python, venv, conda),
        partition=partition,
        gpus=gpus,
        wait=wait,
        say=lambda line: base.say(render.clean(line)),
    )
    found = run_all(at.home, at.url, asked)
    shown = [finding for finding in found if not quiet or finding.status is not Status.OK]
    if as_json:
        base.emit(shown)
    else:
        _print(shown)
    raise typer.Exit(base.FAILED if any(finding.status is Status.ERROR for finding in found) else 0)


def _environment(python: str | None, venv: str | None, conda: str | None) -> Environment:
    """What the flags say."""
    given = {name: value for name, value in (("python", python), ("venv", venv), ("conda", conda)) if value}
    if len(given) > 1:
        message = f"give one of {' and '.join(given)}, not both"
        raise InvalidInput.at("environment", message, "The environment is ambiguous")
    changes: dict[str, Any] = flags.nested(flags.environment(python, venv, conda)).get("environment", {})
    return Environment(**changes)


def _print(found: list[Finding]) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for finding in found:
        text = render.paragraph(finding.detail) + (f"\n-> {render.clean(finding.fix)}" if finding.fix else "")
        table.add_row(Text(finding.status.value, _STYLES[finding.status]), render.clean(finding.name), text)
    base.screen().print(table)
