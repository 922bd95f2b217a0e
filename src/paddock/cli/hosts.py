"""The commands of hosts: machines that are reached by ssh."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.errors import Conflict, InvalidInput
from paddock.models import HostKey

_Host = Annotated[str, typer.Argument(metavar="HOST", help="Name of the host, as ssh knows it.")]
_Backend = Annotated[
    str | None, typer.Option("--backend", help="The backend of kind hosts; needed if there are several.")
]
_Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]


def ls(ctx: typer.Context, as_json: Json = False) -> None:
    """List the hosts that are reached by ssh, and whether they answer.

    Example:
        paddock hosts ls
    """
    client = base.client(ctx)
    found = client.hosts.all()
    base.only_json(as_json, found)
    if not found:
        base.note("This server has no hosts: docs/hosts.md describes how to use GPU servers over ssh.")
        return
    nodes = {(node.backend, node.name): node for node in client.nodes()}
    table = render.Listing("HOST", "BACKEND", "STATE", "GPUS", "CORES", "ALLOCATIONS", "WHY", flexible=("WHY",))
    for one in found:
        node = nodes.get((one.backend, one.name))
        gpus = [device for device in node.devices if device.kind == "gpu"] if node else []
        used = sum(bool(device.used_by) for device in gpus)
        has = (f"{used} of {len(gpus)} in use" if gpus else "none", str(node.cpus)) if node else ("", "")
        table.add_row(one.name, one.backend, one.state, *has, str(one.allocations), one.reason or "")
    base.screen().print(table)


def add(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="Name for ssh, such as gpu9, or several: gpu[1-8].")],
    backend: _Backend = None,
    fingerprint: Annotated[
        list[str] | None,
        typer.Option(help="A fingerprint that you expect (SHA256:...): nothing is asked; repeat it for several hosts."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Add a host: show the fingerprint of its key, ask, and use the machine from now on.

    Compare the fingerprint with the one on the machine itself: `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub`.

    Examples:
        paddock hosts add gpu9
        paddock hosts add gpu9 --fingerprint SHA256:2Xb0...
    """
    calls = base.client(ctx).hosts
    keys = calls.keys(host, backend)
    _warn_of_others(keys)
    new = [one for one in keys if one.known != "yes"]
    if fingerprint:
        accepted = _expected(keys, fingerprint)
    elif any(all(one.known != "yes" for one in keys if one.host == name) for name in {one.host for one in keys}):
        base.note(*(f"{one.host}  {one.kind}  {one.fingerprint}" for one in new))
        if not sys.stdin.isatty():
            raise InvalidInput(
                "Nothing was added, as there is no terminal to confirm it on: add --fingerprint SHA256:... with the "
                "fingerprint that you expect."
            )
        base.confirm("Are these the keys of the machines", "added")
        accepted = [one.line for one in new]
    else:
        accepted = []
    made = calls.add(host, backend, accepted)
    base.only_json(as_json, made)
    typer.echo(f"added: {', '.join(one.name for one in made)}")
    base.note("`paddock hosts ls` shows whether they answer; `paddock doctor` checks what they need.")


def _warn_of_others(keys: Sequence[HostKey]) -> None:
    changed = sorted({one.host for one in keys if one.known == "other"})
    if changed:
        names = ", ".join(changed)
        base.warn([f"ssh knows another key of {names}: the machine was installed anew, or this is another machine."])


def _expected(keys: Sequence[HostKey], given: Sequence[str]) -> list[str]:
    """Return the lines of the keys with these fingerprints. Raise if a host has none of them."""
    for name in sorted({one.host for one in keys}):
        own = [one.fingerprint for one in keys if one.host == name]
        if not set(own) & set(given):
            raise Conflict(f"{name} answers with other keys ({', '.join(own)}): it was not added.")
    if unused := set(given) - {one.fingerprint for one in keys}:
        raise InvalidInput(f"No host has the fingerprint {sorted(unused)[0]}.")
    return [one.line for one in keys if one.fingerprint in given]


def lost(ctx: typer.Context, host: _Host, backend: _Backend = None, yes: _Yes = False, as_json: Json = False) -> None:
    """Declare a host lost that does not answer: what it had is started again, on other hosts.

    Without this, Paddock waits for the host: its tasks may still be running there. When it answers again, what is left
    of them is killed before it gets anything new.

    Example:
        paddock hosts lost gpu3
    """
    calls = base.client(ctx).hosts
    if not yes:
        base.confirm(f"Start what {host} had again, elsewhere; without a shared home its files stay there", "changed")
    found = calls.lost(host, backend)
    base.only_json(as_json, found)
    typer.echo(f"{found.name}: lost")


def forget(ctx: typer.Context, host: _Host, backend: _Backend = None, as_json: Json = False) -> None:
    """Take a host off the list: it gets no more work. What runs there goes on to its end.

    Example:
        paddock hosts forget gpu9
    """
    base.client(ctx).hosts.forget(host, backend)
    base.only_json(as_json, {"forgotten": host})
    typer.echo(f"{host}: forgotten")
