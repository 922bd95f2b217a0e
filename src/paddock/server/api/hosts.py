"""The routes of hosts: machines that are reached by ssh."""

import time
from typing import Annotated

from fastapi import APIRouter, Path, Query

from paddock.agents import host_keys
from paddock.errors import Conflict, InvalidInput, NotFound
from paddock.models.hosts import HostInfo, HostKey, HostRequest, expand
from paddock.server.api.caller import By
from paddock.server.api.server import At, Server
from paddock.server.store import audit, hosts

router = APIRouter(tags=["hosts"])
Named = Annotated[str, Path(max_length=255)]
Which = Annotated[str | None, Query(max_length=200, description="the backend; needed if several have this host")]
MOST_AT_ONCE = 32  # hosts whose keys are asked for in one request


@router.get("/hosts")
def list_hosts(at: At) -> list[HostInfo]:
    """Return the hosts of all backends of kind hosts, with their state."""
    return at.engine.hosts()


@router.post("/hosts/keys")
def scan_keys(what: HostRequest, at: At) -> list[HostKey]:
    """Return the keys with which hosts answer, for a person to compare with those of the machines themselves."""
    settings = at.settings.fleets[_backend(at, what.backend)]
    return [key for name in _few(what) for key in host_keys.scan(settings, at.home.root, name)]


@router.post("/hosts", status_code=201)
def add_hosts(what: HostRequest, at: At, by: By) -> list[HostInfo]:
    """Add a host, or several such as gpu[1-8]. ssh must know its key, or the request must have it."""
    backend = _backend(at, what.backend)
    settings, names = at.settings.fleets[backend], _few(what)
    there = {one.name for one in at.engine.hosts() if one.backend == backend and one.state != "leaving"}
    twice = [name for name in names if name in there]
    if twice:
        raise Conflict(f"{backend} has {', '.join(twice)} already.")
    host_keys.remember(settings, at.home.root, names, what.keys)
    for name in names:
        if not host_keys.known(settings, at.home.root, name):
            raise InvalidInput.at("keys", f"ssh does not know the key of {name}: `paddock hosts add {name}` asks")
    with at.db.write() as c:
        hosts.add(c, backend, names, by.name, time.time())
        for name in names:
            audit.write(c, by, "host.add", "host", name, {"backend": backend, "keys": what.keys})
    at.changed()
    return [one for one in at.engine.hosts() if one.backend == backend and one.name in names]


@router.post("/hosts/{name}/lost")
def lose_host(name: Named, at: At, by: By, backend: Which = None) -> HostInfo:
    """Declare a host that does not answer lost: what it had counts as ended, and is started elsewhere.

    When it answers again, what is left of it there is killed before it gets anything new.
    """
    found = _find(at, name, backend)
    if found.answers:
        raise Conflict(f"{name} answers, so nothing on it is lost: stop the jobs that run there instead.")
    with at.db.write() as c:
        hosts.lose(c, found.backend, name, by.name, time.time())
        audit.write(c, by, "host.lost", "host", name, {"backend": found.backend, "allocations": found.allocations})
    at.changed()
    return _find(at, name, found.backend)


@router.delete("/hosts/{name}", status_code=204)
def forget_host(name: Named, at: At, by: By, backend: Which = None) -> None:
    """Take a host that was added off the list: it gets nothing new. What runs there goes on to its end."""
    found = _find(at, name, backend)
    if name in at.settings.fleets[found.backend].names:
        raise Conflict(f"{name} is in the settings (backends.{found.backend}.hosts): take it out there.")
    with at.db.write() as c:
        hosts.forget(c, found.backend, name)
        audit.write(c, by, "host.forget", "host", name, {"backend": found.backend})
    at.changed()


def _backend(at: Server, given: str | None) -> str:
    """Return the backend that a request means."""
    fleets = list(at.settings.fleets)
    if given is None and len(fleets) == 1:
        return fleets[0]
    if not fleets:
        raise Conflict(
            'This server has no backend of kind hosts: add [backends.lab] with kind = "hosts" to its settings.toml, '
            "and start it again."
        )
    if given not in fleets:
        what = "say which backend" if given is None else f"there is no backend {given!r} of kind hosts"
        raise InvalidInput.at("backend", f"{what}; there are: {', '.join(fleets)}")
    return given


def _few(what: HostRequest) -> list[str]:
    names = expand(what.name)
    if len(names) > MOST_AT_ONCE:
        raise InvalidInput.at("name", f"up to {MOST_AT_ONCE} hosts can be added at once")
    return names


def _find(at: Server, name: str, backend: str | None) -> HostInfo:
    found = [one for one in at.engine.hosts() if one.name == name and backend in (None, one.backend)]
    if not found:
        raise NotFound(f"There is no host {name!r}: `paddock hosts ls` lists those that exist.")
    if len(found) > 1:
        raise InvalidInput.at("backend", f"say which: {', '.join(one.backend for one in found)}")
    return found[0]
