"""Sends messages with apprise, in a process of its own: `python -m paddock.server.notify.sender`.

So the server does not load apprise (0.6 s, 40 MB), a mail server that hangs is ended with the process, and messages
to people's own addresses cannot reach what is inside the network: this process refuses such connections, whatever a
name resolves to and wherever an answer redirects.

It reads one JSON object from its standard input and writes one line of JSON per message. It prints no address, as
addresses contain secrets.
"""

import ipaddress
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

# What an own address may set. Others of apprise read files of this machine (`template`, `pgpkey`), or call elsewhere.
PARAMETERS = frozenset(
    ("to", "from", "channel", "topic", "mode", "priority", "tags", "format", "image", "footer", "avatar", "ts")
) | {"id", "group", "workflow", "signature", "ver", "wf", "auth", "token", "user", "thread", "team", "power_automate"}
# These contact one host, whatever stands in the place of the host.
FIXED = frozenset(("slack", "discord", "tgram", "pover", "msteams"))
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_INSIDE = "it is inside this network: an admin can allow it in `notify.hosts`"
_LONGEST = 200


class RefusedAddress(Exception):
    """An address that may not be used, with the reason."""


def is_inside(address: str) -> bool:
    """Return True if an IP address is not one of the internet, or is no IP address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return True
    if isinstance(found, ipaddress.IPv6Address):
        hidden = found.ipv4_mapped or found.sixtofour
        if found in _NAT64:
            hidden = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if hidden is not None:
            found = hidden
    return not found.is_global or found.is_multicast


def resolved(host: str) -> set[str]:
    """Return the IP addresses of a host; none if there is no such host."""
    try:
        return {str(one[4][0]).partition("%")[0] for one in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return set()


class NetworkGuard:
    """Refuses connections of this process to what is inside the network, but for hosts that are allowed."""

    def __init__(self, hosts: Iterable[str]) -> None:
        self._hosts = {host.lower() for host in hosts}
        self._allowed = {address for host in self._hosts for address in (host, *resolved(host))}
        self.refused = False

    def install(self) -> None:
        sys.addaudithook(self._look)

    def _look(self, event: str, args: tuple[Any, ...]) -> None:
        if event not in ("socket.connect", "socket.sendto", "socket.sendmsg") or args[0].family == socket.AF_NETLINK:
            return
        address = args[1]
        host = str(address[0]).partition("%")[0] if isinstance(address, tuple) else ""
        if host not in self._allowed and is_inside(host):
            self.refused = True
            raise PermissionError(f"connections to {host or 'sockets of this machine'} are refused")

    def check(self, url: str) -> None:
        """Raise RefusedAddress for a URL whose host is inside, or that sets what it may not."""
        parts = urlsplit(url)
        for name, _ in parse_qsl(parts.query, keep_blank_values=True):
            if name.lower() not in PARAMETERS:
                raise RefusedAddress(f"the parameter {name[:40]!r} cannot be used here: leave it out")
        host = (parts.hostname or "").lower()
        cloud = parts.scheme in ("ntfy", "ntfys") and not parts.path.strip("/")
        if parts.scheme in FIXED or cloud or host in self._hosts:
            return
        if any(is_inside(one) for one in resolved(host) - self._allowed):
            raise RefusedAddress(f"{host} cannot be used: {_INSIDE}")


def _service(apprise: Any, url: str, schemes: list[str] | None, guard: NetworkGuard | None) -> Any:
    scheme = url.partition("://")[0].lower()
    if schemes is not None and scheme not in schemes:
        raise RefusedAddress(f"an address must begin with one of: {', '.join(f'{one}://' for one in schemes)}")
    try:
        if guard is not None:
            guard.check(url)
        asset = apprise.AppriseAsset(app_id="Paddock", app_desc="Paddock", app_url="", image_url_mask="")
        asset.image_url_logo = ""
        found = apprise.Apprise.instantiate(url, asset=asset)
    except ValueError:
        found = None
    if not isinstance(found, apprise.NotifyBase):
        raise RefusedAddress(
            "this is not an address as apprise writes them: https://appriseit.com/services/ lists them"
        )
    return found


class _LastWarning(logging.Handler):
    """Keeps why apprise could not send something: it returns only that."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = record.getMessage()


def _outcome(
    asked: dict[str, Any], guard: NetworkGuard | None, message: dict[str, str], heard: _LastWarning
) -> dict[str, Any]:
    import apprise

    heard.text = ""
    try:
        service = _service(apprise, message["url"], asked["schemes"], guard)
        if asked["check"]:
            return {"ok": True, "shown": service.url(privacy=True).partition("?")[0][:_LONGEST]}
        sender = apprise.Apprise()
        sender.add(service)
        sent = sender.notify(body=message["body"], title=message["title"], body_format=apprise.NotifyFormat.TEXT)
    except RefusedAddress as error:
        return {"ok": False, "problem": str(error), "refused": True}
    except Exception as error:  # a plugin: what it raises stays with this message
        return {"ok": False, "problem": type(error).__name__}
    if sent:
        return {"ok": True}
    if guard is not None and guard.refused:
        return {"ok": False, "problem": f"its host was not called: {_INSIDE}"}
    text = " ".join(heard.text.split()) or "it was not accepted"
    return {"ok": False, "problem": text[:_LONGEST]}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what plugins print
    asked: dict[str, Any] = json.load(sys.stdin)
    signal.alarm(int(asked["seconds"]) + 10)  # if nobody ends it, as the server was killed
    heard = _LastWarning()
    logging.getLogger("apprise").addHandler(heard)
    guard = None if asked["hosts"] is None else NetworkGuard(asked["hosts"])
    if guard is not None:
        guard.install()
    for message in asked["messages"]:
        if guard is not None:
            guard.refused = False
        print(json.dumps(_outcome(asked, guard, message, heard)), file=answers, flush=True)


if __name__ == "__main__":
    main()
