"""The command doctor: check the installation, and print how to fix what is wrong."""

from typing import Annotated, Any, NoReturn

import typer
from rich.table import Table
from rich.text import Text

from paddock.cli import base, options, render
from paddock.cli.base import Json
from paddock.cli.doctor.checks import run_all
from paddock.cli.doctor.finding import Finding, Scope, Status
from paddock.cli.options import pick, takes
from paddock.models import Container, Environment, jobfile

_STYLES = {Status.OK: "green", Status.WARN: "yellow", Status.ERROR: "red"}
_SLURM = "Slurm clusters"

_PARTITION = pick("partition", _SLURM, partition="Partition of the tiny job.")
_CONTAINER = pick(
    "container mount",
    container="Image to try here, and on the node in place of an environment.",
    mount="Folder that is seen in the image.",
)
_ENVIRONMENT = pick(
    "python venv conda",
    _SLURM,
    python="Interpreter to try on the node.",
    venv="Virtual environment to try on the node.",
    conda="Conda environment (name or folder) to try on the node.",
)
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show only warnings and errors.")]


def _option(*names: str, **given: Any) -> Any:
    return typer.Option(*names, rich_help_panel=_SLURM, **given)


@takes(_ENVIRONMENT + _PARTITION + _CONTAINER)
def doctor(
    ctx: typer.Context,
    backend: Annotated[
        str | None, _option(help="Check only this backend: one of the settings, or slurm; local checks none.")
    ] = None,
    quick: Annotated[bool, _option("--quick", help="Leave out the tiny job.")] = False,
    partition: str | None = None,
    gpus: Annotated[int, _option(min=0, max=1024, help="GPUs of the tiny job.")] = 0,
    python: str | None = None,
    venv: str | None = None,
    conda: str | None = None,
    container: str | None = None,
    mount: list[str] | None = None,
    wait: Annotated[float, _option(min=1, help="Seconds to wait for the tiny job to start.")] = 120,
    team: Annotated[
        bool, typer.Option("--team", help="Check only what a team needs: acting as each person, sudo, PAM, the door.")
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Check the installation, and print how to fix what is wrong. The exit code is 1 if there is an error.

    On a Slurm cluster a tiny job checks what only a compute node can see: the home folder, the clock, the training
    environment and its GPUs. On Kubernetes the rights, the storage and the nodes are checked, and a tiny pod runs.
    Hosts that are reached by ssh are asked what they have. With --team, the server acts once as each of its people, and
    reports what is missing.

    Examples:
        paddock doctor
        paddock doctor --team
        paddock doctor --container /images/torch.sif
    """
    at = base.place(ctx)
    if team:
        from paddock.cli.doctor.team import run_all as run_team

        _finish(run_team(at.home, at.url), quiet, as_json)
    asked = Scope(
        backend=backend,
        quick=quick,
        environment=_environment(python=python, venv=venv, conda=conda),
        container=_container(container=container, mount=mount),
        partition=partition,
        gpus=gpus,
        wait=wait,
        note=lambda line: base.note(render.clean(line)),
    )
    _finish(run_all(at.home, at.url, asked), quiet, as_json)


def _finish(found: list[Finding], quiet: bool, as_json: bool) -> NoReturn:
    """Print what was found, and end the command."""
    shown = [finding for finding in found if not quiet or finding.status is not Status.OK]
    if as_json:
        base.emit(shown)
    else:
        _print(shown)
    raise typer.Exit(base.FAILED if any(finding.status is Status.ERROR for finding in found) else 0)


def _environment(**given: str | None) -> Environment:
    chosen = options.changes(_ENVIRONMENT, given).get("environment", {})
    return jobfile.validated({"environment": chosen}, "The environment").environment


def _container(**given: Any) -> Container | None:
    chosen = options.changes(_CONTAINER, given).get("resources", {})
    return jobfile.validated({"resources": chosen}, "The image").resources.container


def _print(found: list[Finding]) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for finding in found:
        text = render.paragraph(finding.detail) + (f"\n-> {render.clean(finding.fix)}" if finding.fix else "")
        table.add_row(Text(finding.status.value, _STYLES[finding.status]), render.clean(finding.name), text)
    base.screen().print(table)
