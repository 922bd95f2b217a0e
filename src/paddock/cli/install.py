"""The command team install: what root sets up once."""

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from paddock.agents import installation
from paddock.agents.installation import InstallChoices, PlannedCommand, PlannedFile
from paddock.cli import base
from paddock.cli.base import Json
from paddock.errors import InvalidInput, NotAuthorised


def install(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Change nothing: print every file and every command.")
    ] = False,
    uninstall: Annotated[
        bool, typer.Option("--uninstall", help="Remove the files again. Accounts and jobs stay.")
    ] = False,
    url: Annotated[
        str, typer.Option(help="Address of the server for people on this machine.")
    ] = "http://127.0.0.1:54322",
    user: Annotated[str, typer.Option(help="The service account that the server runs as.")] = "paddock",
    group: Annotated[str, typer.Option(help="Unix group of the people whom it may act as.")] = "paddock-users",
    admin: Annotated[
        str | None, typer.Option(help="The first admin of the team; whoever calls sudo when not given.")
    ] = None,
    home: Annotated[Path, typer.Option(help="The server's home.")] = Path("/var/lib/paddock"),
    libexec: Annotated[Path, typer.Option(help="Folder of the two programs that sudo starts.")] = Path(
        "/usr/local/libexec/paddock"
    ),
    program: Annotated[
        Path | None, typer.Option(help="The `paddock` that the service runs; this one when not given.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Set up a machine for a team, as root: service account, group, sudo rule, PAM, systemd unit, door.

    The service account can then act as every member of that Unix group, and as nobody else. Files that this command
    did not write are never replaced; it may be run again at any time.

    Examples:
        sudo paddock team install --dry-run
        sudo paddock team install
        sudo usermod -aG paddock-users alice
    """
    caller = os.environ.get("SUDO_USER")
    chosen = InstallChoices(
        program=program or _this_program(),
        user=user,
        group=group,
        libexec=libexec,
        home=home,
        url=url,
        admin=admin or (caller if caller != "root" else None),
    )
    if dry_run:
        _show(chosen, as_json)
        return
    if os.geteuid() != 0:
        raise NotAuthorised("Only root can set this up: run it with sudo, or look at it first with --dry-run.")
    done = _Done(quiet=as_json)
    (installation.uninstall if uninstall else installation.install)(chosen, done)
    base.only_json(as_json, done.changes)
    if not done.changes:
        typer.echo("Nothing to change: everything is as it should be." if not uninstall else "Nothing to remove.")
    for line in _left(chosen) if uninstall else _next(chosen):
        base.note(line)


class _Done(installation.Reporter):
    def __init__(self, *, quiet: bool) -> None:
        self.changes: list[dict[str, str]] = []
        self._quiet = quiet

    def command(self, one: PlannedCommand) -> None:
        self._add("ran", shlex.join(one.argv))

    def file(self, one: PlannedFile) -> None:
        self._add("wrote", str(one.path))

    def removed(self, path: Path) -> None:
        self._add("removed", str(path))

    def _add(self, what: str, thing: str) -> None:
        self.changes.append({"what": what, "object": thing})
        if not self._quiet:
            typer.echo(f"{what:8} {thing}")


def _this_program() -> Path:
    """Return the program that runs now; of a virtual environment the link in it, not what it points to."""
    beside = Path(sys.executable).parent / "paddock"
    return beside if beside.exists() else Path(sys.argv[0]).absolute()


def _show(chosen: InstallChoices, as_json: bool) -> None:
    made = installation.plan(chosen)
    if as_json:
        commands = [shlex.join(one.argv) for one in (*made.accounts, *made.after)]
        files = [{"path": str(one.path), "mode": f"{one.mode:04o}", "text": one.text} for one in made.files]
        base.emit({"commands": commands, "files": files})
        return
    for one in made.accounts:
        typer.echo(f"# {one.why}\n{shlex.join(one.argv)}\n")
    for file in made.files:
        once = ", only if there is none" if file.kept else ""
        typer.echo(f"# file {file.path} (mode {file.mode:04o}, {file.owner}{once})")
        if file.path in (chosen.agent, chosen.warden):
            typer.echo(f"  {len(file.text.splitlines())} lines of Python, standard library only: see that file\n")
        else:
            typer.echo("".join(f"  {line}\n" for line in file.text.splitlines()))
    for one in made.after:
        typer.echo(f"# {one.why}\n{shlex.join(one.argv)}\n")
    try:
        installation.refuse_writable(chosen.program)
    except InvalidInput as error:
        base.warn([error.message])


def _next(chosen: InstallChoices) -> list[str]:
    as_service = f"sudo -u {chosen.user} {chosen.program} --home {chosen.home}"
    return [
        "",
        "What is left to do:",
        f"  sudo usermod -aG {chosen.group} NAME    (everybody whose tasks shall run as themselves)",
        *(
            []
            if Path("/run/systemd/system").is_dir()
            else [f"  {as_service} up &    (there is no systemd to start it)"]
        ),
        f"  {as_service} team on",
        f"  {as_service} doctor --team",
    ]


def _left(chosen: InstallChoices) -> list[str]:
    return [
        "",
        f"The accounts and {chosen.home} are still there. To remove them and all jobs in them:",
        f"  sudo userdel {chosen.user}; sudo groupdel {chosen.group}; sudo rm -r {chosen.home}",
    ]
