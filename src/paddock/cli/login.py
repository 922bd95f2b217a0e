"""The commands login, join, logout and whoami: who one is to a server of a team."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from paddock.cli import base, render
from paddock.cli.base import Json
from paddock.client import logins, site
from paddock.client.client import Client
from paddock.client.connection import LOOPBACK, Connection
from paddock.client.logins import Login
from paddock.errors import InvalidInput, NotAuthorised, PaddockError

if TYPE_CHECKING:
    from paddock.client.team import SignInExchange

Server = Annotated[
    str | None,
    typer.Argument(metavar="URL", help="Address of the server, such as https://paddock.example.org."),
]
Days = Annotated[float, typer.Option(min=0.01, max=3650, help="How long to stay signed in.")]
Insecure = Annotated[bool, typer.Option("--insecure", help="Send the password over the network without HTTPS.")]


def login(
    ctx: typer.Context,
    url: Server = None,
    name: Annotated[str | None, typer.Option("--name", "-n", help="Your name there; asked for when not given.")] = None,
    token: Annotated[
        bool,
        typer.Option("--token", help="Ask for a token from the page (Profile) instead of a password: single sign-on."),
    ] = False,
    days: Days = 90,
    insecure: Insecure = False,
    as_json: Json = False,
) -> None:
    """Sign in to a server of a team. From then on, all commands use that server, until `paddock logout`.

    A personal token is kept in your configuration folder, readable by you alone. What is typed is not shown; without
    a terminal it is read from standard input. On the server's own machine you need not sign in.

    Examples:
        paddock login https://paddock.example.org
        paddock login https://paddock.example.org --token
    """
    known = logins.read()
    address = url or base.place(ctx).url or os.environ.get("PADDOCK_URL")
    if not address and not name and not token and _at_the_door(as_json):
        return
    address = _address(address or known.default or _machine_address())
    _refuse_clear_text(address, insecure)
    there = known.of(address)
    if there and not name and not token and _still_valid(there):
        logins.write(known.adding(there))
        _report(there, as_json, "You are still signed in")
        return
    _keep(_by_token(address) if token else _by_password(address, name, days), as_json)


def join(
    link: Annotated[str, typer.Argument(metavar="LINK", help="The link of `paddock team on` or `paddock invite`.")],
    name: Annotated[str | None, typer.Option("--name", "-n", help="The name that you choose, if you may.")] = None,
    days: Days = 90,
    insecure: Insecure = False,
    as_json: Json = False,
) -> None:
    """Take the account that a one-time link is for: choose a name and a password, and sign in. Needs no browser.

    Example:
        paddock join 'https://paddock.example.org/setup?code=...'
    """
    url, _, code = link.partition("/setup?code=")
    if not code:
        raise InvalidInput("That is not a link to join: it looks like https://paddock.example.org/setup?code=...")
    address = _address(url)
    _refuse_clear_text(address, insecure)
    with _exchange(address) as exchange:
        about = exchange.invited(code)
        chosen = about.name or name or asked("Name")
        if about.name and name and name != about.name:
            raise InvalidInput(f"This link is for {about.name}: leave --name out.")
        base.note(f"You become {render.clean(chosen)} ({about.role}). A password has at least 10 characters.")
        password = asked("Password", hidden=True)
        if sys.stdin.isatty() and asked("Once more", hidden=True) != password:
            raise InvalidInput("These were two different passwords: nothing was changed.")
        exchange.join(code, None if about.name else chosen, password)
        made = _with_token(exchange, address, chosen, days)
    _keep(made, as_json)


def logout(
    ctx: typer.Context,
    url: Server = None,
    every: Annotated[bool, typer.Option("--all", help="Sign out of all servers.")] = False,
    as_json: Json = False,
) -> None:
    """Sign out of a server: the token that `paddock login` made is revoked there, and forgotten here.

    Example:
        paddock logout
    """
    known = logins.read()
    given = url or base.place(ctx).url
    chosen = list(known.servers) if every else [_address(given) if given else known.default or ""]
    leaving = [one for one in map(known.of, chosen) if one]
    if not leaving and not every:
        raise InvalidInput(
            f"You are not signed in at {chosen[0]}: `paddock whoami --all` lists where you are."
            if chosen[0]
            else "You are not signed in anywhere."
        )
    for one in leaving:
        known = known.without(one.url)
        logins.write(known)  # first: whatever the server answers, nothing stays here
        if not one.made:
            base.note(f"The token for {one.url} stays valid: revoke it on the page if you do not need it any more.")
        elif not _revoke(one):
            base.note(f"{one.url} did not answer: the token stays valid there until it expires.")
    base.only_json(as_json, {"signed_out": [one.url for one in leaving], "default": known.default})
    for one in leaving:
        typer.echo(f"Signed out of {one.url}.")
    if known.default:
        base.note(f"Commands now use {known.default}.")


def whoami(
    ctx: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="List all servers that you are signed in to.")] = False,
    as_json: Json = False,
) -> None:
    """Show which server the commands use, and who you are there.

    Example:
        paddock whoami
    """
    if every:
        _list(logins.read(), as_json)
        return
    client = base.client(ctx)
    me = client.team.me()
    base.only_json(as_json, {"url": client.url, **me.model_dump(mode="json")})
    known = logins.read().of(client.url)
    how = {"door": "this machine", "server": "the server's own token"}.get(me.via, me.via)
    rows = [
        ("server", client.url + ("" if me.team else " (one person, no accounts)")),
        ("name", f"{me.name} ({me.full_name})" if me.full_name else me.name),
        ("role", str(me.role) if me.team else ""),
        ("groups", ", ".join(me.groups)),
        ("tasks run as", me.unix_name or "" if me.team else ""),
        ("known by", how if me.team else ""),
        ("signed in until", until(known.expires_at) if known and known.name == me.name and me.via != "door" else ""),
    ]
    base.screen().print(render.fields([(one, render.clean(text)) for one, text in rows]))


def until(moment: float | None) -> str:
    """Return a moment of the future as text."""
    return f"{datetime.fromtimestamp(moment, UTC).astimezone():%d %b %Y, %H:%M}" if moment else ""


def asked(question: str, *, hidden: bool = False) -> str:
    """Ask the person at the terminal, or read a line from standard input."""
    if sys.stdin.isatty():
        import getpass

        found = getpass.getpass(f"{question}: ") if hidden else input(f"{question}: ")
    else:
        found = sys.stdin.readline().rstrip("\n")
    if not found.strip():
        raise InvalidInput(f"{question}: nothing was given.")
    return found if hidden else found.strip()


def _list(known: logins.Logins, as_json: bool) -> None:
    rows = [
        {"url": one.url, "name": one.name, "expires_at": one.expires_at, "default": url == known.default}
        for url, one in known.servers.items()
    ]
    base.only_json(as_json, rows)
    if not known.servers:
        base.note("You are not signed in anywhere: `paddock login URL` signs in.")
        return
    table = render.Listing("SERVER", "NAME", "UNTIL", "DEFAULT", flexible=("SERVER",))
    for url, one in known.servers.items():
        table.add_row(url, one.name, until(one.expires_at), "yes" if url == known.default else "")
    base.screen().print(table)


def _at_the_door(as_json: bool) -> bool:
    """Report who the machine's own server takes the caller for; False if it does not know them, or there is none."""
    found = site.read()
    if found is None:
        return False
    with Client() as client:
        if client.url != found.url.rstrip("/"):
            return False  # signed in elsewhere
        try:
            me = client.team.me()
        except NotAuthorised as error:
            base.note(error.message)
            return False
    base.only_json(as_json, {"url": found.url, "name": me.name, "expires_at": None})
    typer.echo(f"On this machine you are {me.name} at {found.url} without signing in.")
    return True


def _machine_address() -> str | None:
    found = site.read()
    return found.url if found else None


def _address(given: str | None) -> str:
    if not given:
        raise InvalidInput("Give the address of the server: `paddock login https://paddock.example.org`.")
    whole = given if "://" in given else f"https://{given}"
    try:
        parts = urlsplit(whole)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise InvalidInput(f"{given!r} is not the address of a server: write it as https://paddock.example.org.")
    return logins.plain(whole)


def _refuse_clear_text(url: str, insecure: bool) -> None:
    if url.startswith("http://") and urlsplit(url).hostname not in LOOPBACK and not insecure:
        raise InvalidInput(
            f"{url} is plain HTTP: anybody who can read the traffic on the way would see your password. Use its https "
            "address, or a tunnel (`ssh -L`); `--insecure` sends it all the same."
        )


def _still_valid(there: Login) -> bool:
    try:
        with Client(there.url, there.token) as client:
            client.team.me()
    except NotAuthorised:
        return False
    return True


def _keep(made: Login, as_json: bool) -> None:
    """Keep a new login in place of an earlier one at the same server, whose token is revoked."""
    known = logins.read()
    before = known.of(made.url)
    logins.write(known.adding(made))
    if before and before.made and before.token != made.token:
        _revoke(before)
    _report(made, as_json, "Signed in")


def _by_password(url: str, name: str | None, days: float) -> Login:
    with _exchange(url) as exchange:
        methods = exchange.methods()
        if not methods.team:
            raise InvalidInput(
                f"{url} is the server of one person: it has no accounts (`paddock team on` makes a team of it). Set "
                "PADDOCK_URL and PADDOCK_TOKEN to use it from here."
            )
        if not methods.passwords:
            raise InvalidInput(
                f"{url} has no passwords: sign in with your browser, make a token under Profile, then run "
                f"`paddock login {url} --token`."
            )
        name = name or asked("Name")
        exchange.begin(name, asked("Password", hidden=True))
        return _with_token(exchange, url, name, days)


@contextmanager
def _exchange(url: str) -> "Iterator[SignInExchange]":
    from paddock.client.team import SignInExchange

    with closing(Connection(url, None, None, 30.0)) as connection:
        yield SignInExchange(connection)


def _with_token(exchange: "SignInExchange", url: str, name: str, days: float) -> Login:
    """Make a token with a session, and end the session."""
    try:
        made = exchange.token(f"paddock login on {socket.gethostname()}"[:100], days)
    finally:
        exchange.end()
    return Login(url, made.token or "", name, made.id, made.expires_at, made=True)


def _by_token(url: str) -> Login:
    given = asked("Token", hidden=True).strip()
    if not given.startswith(logins.PERSONAL):
        raise InvalidInput(f"That is not a personal token: they begin with {logins.PERSONAL} (make one under Profile).")
    with Client(url, given) as client:
        me = client.team.me()
        own = [one for one in client.team.tokens() if given.startswith(f"{logins.PERSONAL}{one.id}_")]
    return Login(url, given, me.name, own[0].id if own else "", own[0].expires_at if own else None)


def _revoke(one: Login) -> bool:
    try:
        with Client(one.url, one.token, timeout=5) as client:
            client.team.revoke_token(one.id)
    except NotAuthorised:
        return True  # it was not valid any more
    except PaddockError:
        return False
    return True


def _report(one: Login, as_json: bool, what: str) -> None:
    base.only_json(as_json, {"url": one.url, "name": one.name, "expires_at": one.expires_at})
    end = f" until {until(one.expires_at)}" if one.expires_at else ""
    typer.echo(f"{what} at {one.url} as {render.clean(one.name)}{end}.")
