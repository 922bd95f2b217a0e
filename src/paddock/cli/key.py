"""The command key: how the server is let in on hosts."""

import typer

from paddock.agents.ssh_key import authorized_line, key_file
from paddock.cli import base
from paddock.cli.base import Json
from paddock.errors import InvalidInput
from paddock.paths import home_folder, refuse_foreign


def key(ctx: typer.Context, as_json: Json = False) -> None:
    """Print the line for ~/.ssh/authorized_keys that lets the server in on a host. The key is made if there is none.

    Run it where the server runs, as its user. If people's tasks run by `as_user = "ssh"`, everybody adds the line to
    their own account on the hosts: with it the server can act as that account.

    Example:
        paddock key | ssh gpu1 'cat >> .ssh/authorized_keys'
    """
    at = base.place(ctx)
    if at.url:
        raise InvalidInput("The key is in the server's home: run `paddock key` where the server runs, without --url.")
    home = home_folder(at.home)
    refuse_foreign(home)
    line = authorized_line(home)
    base.only_json(as_json, {"line": line, "file": str(key_file(home))})
    typer.echo(line)
    base.note(f"The private key is {key_file(home)}; keep it there.")
