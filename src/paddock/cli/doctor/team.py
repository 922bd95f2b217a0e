"""The checks of `paddock doctor --team`. The server tries what it needs, and this program what a member needs here."""

import os
from typing import TYPE_CHECKING

from paddock.cli.doctor.finding import Finding, Status, error, guarded, ok, warn
from paddock.client import site
from paddock.client.client import Client
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from paddock.models import TeamCheck


def run_all(home: str | None, url: str | None) -> list[Finding]:
    """Return what the server found, and what can be seen from here. It takes a few seconds per person at most."""
    with Client(url=url, home=home, timeout=120) as client:
        return [*_server(client), guarded("this machine", _site)]


def _server(client: Client) -> list[Finding]:
    try:
        me = client.team.me()
        state = client.team.check() if me.role == "admin" else client.team.state()
    except PaddockError as fault:
        return [error(fault.message, "start the server, or sign in").named("server")]
    if not state.on:
        fix = "paddock team on"
        return [warn(f"{client.url} has no accounts: it is one person's", fix).named("accounts"), *_found(state.checks)]
    first = ok(f"on: {state.accounts}; you are {me.name} ({me.role})").named("accounts")
    if me.role != "admin":
        rest = warn("only admins see what the server finds", "ask an admin to run `paddock doctor --team`")
        return [first, rest.named("server")]
    return [first, *_found(state.checks)]


def _found(checks: "list[TeamCheck]") -> list[Finding]:
    return [
        Finding(name=one.name, status=Status.OK if one.ok else Status.ERROR, detail=one.detail, fix=one.run or "")
        for one in checks
    ]


def _site() -> Finding:
    found = site.read()
    if found is None:
        return ok(f"no {site.file()}: people here sign in with `paddock login`")
    if os.geteuid() == found.uid:
        return ok(f"{site.file()} names {found.url}, whose service account you are")
    with Client(timeout=10) as client:
        if client.url != found.url.rstrip("/"):
            return ok(f"{site.file()} names {found.url}; you use {client.url}")
        try:
            me = client.team.me()
        except PaddockError as fault:
            return warn(f"through {found.door}: {fault.message}", "paddock users edit NAME --unix UNIX_NAME")
    return ok(f"through {found.door} you are {me.name}")
