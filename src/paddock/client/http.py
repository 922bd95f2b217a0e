"""HTTP/1.1 with the standard library's http.client: a larger client takes longer to import than a command to run.

Connections are kept open and used again. Whatever goes wrong on the way is raised as `Interrupted`.
"""

import http.client
import json
import os
import select
import socket
import ssl
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlencode, urlsplit

from paddock.home import unix_socket

_PART = 65_536
_GZIP = 16 + zlib.MAX_WBITS
# As browsers write the names of files in forms.
_ESCAPES = str.maketrans({'"': "%22", "\\": "\\\\"} | {code: f"%{code:02X}" for code in range(0x20) if code != 0x1B})
Connect = Callable[[SplitResult], http.client.HTTPConnection]


class Interrupted(Exception):
    """The exchange failed. `sent`: the server may have received the request; `slow`: it did not answer in time."""

    def __init__(self, why: Exception, *, sent: bool) -> None:
        super().__init__(str(why) or type(why).__name__)
        self.sent, self.slow = sent, isinstance(why, TimeoutError)


class BadAddress(Exception):
    """This is not the address of a server."""


class Timeout(NamedTuple):
    """Seconds to wait for a connection, and for the next bytes."""

    connect: float
    read: float


@dataclass(frozen=True)
class FormPart:
    """A field of a form; with a `filename`, a file."""

    name: str
    content: bytes
    filename: str | None = None


@dataclass(frozen=True)
class Response:
    status: int
    reason: str
    headers: http.client.HTTPMessage
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", errors="replace")


class Stream:
    """An answer while it arrives."""

    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self._answer = answer
        self.status, self.reason, self.headers = answer.status, answer.reason, answer.headers

    @property
    def read(self) -> bool:
        """True when the whole answer was read."""
        return self._answer.isclosed()

    def close(self) -> None:
        self._answer.close()

    def parts(self) -> Iterator[bytes]:
        while part := self._answer.read1(_PART):
            yield part

    def whole(self) -> Response:
        content = self._answer.read()
        if self._answer.headers.get("Content-Encoding") == "gzip":
            content = zlib.decompress(content, _GZIP)
        return Response(self.status, self.reason, self._answer.headers, content)


class Http:
    """Requests over connections that `connect` makes; safe in several threads."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._idle: dict[str, list[http.client.HTTPConnection]] = {}

    def close(self) -> None:
        for kept in self._idle.values():
            while kept:
                kept.pop().close()

    def request(self, method: str, url: str, *, headers: Mapping[str, str], **options: Any) -> Response:
        """Return a whole answer. The options are those of `stream`."""
        with self.stream(method, url, headers={"Accept-Encoding": "gzip", **headers}, **options) as answer:
            return answer.whole()

    @contextmanager
    def stream(
        self,
        method: str,
        url: str,
        *,
        timeout: Timeout,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        form: list[FormPart] | None = None,
    ) -> Iterator[Stream]:
        """Give an answer while it arrives. The request has a `body` as JSON, or a `form`."""
        address = _address(url)
        content, kind = _content(body, form)
        target = (address.path or "/") + (f"?{_query(params)}" if params else "")
        idle = self._idle.setdefault(f"{address.scheme}://{address.netloc}", [])
        connection = _kept(idle) or _opened(self._connect(address), timeout)
        answer, reusable = None, False
        try:
            connection.sock.settimeout(timeout.read)
            if isinstance(connection, _ToProxy):
                target, kind = f"http://{address.netloc}{target}", {**kind, **connection.asks}
            connection.request(method, target, content, {**(headers or {}), **kind})
            answer = Stream(connection.getresponse())
            yield answer
            reusable = answer.read and connection.sock is not None
        except (OSError, http.client.HTTPException, zlib.error) as error:
            raise Interrupted(error, sent=True) from None
        finally:
            if answer is not None:
                answer.close()
            if reusable:
                idle.append(connection)
            else:
                connection.close()


def _kept(idle: list[http.client.HTTPConnection]) -> http.client.HTTPConnection | None:
    """Return a connection that the server has not closed meanwhile, if there is one."""
    with suppress(IndexError):
        while True:
            found = idle.pop()
            poll = select.poll()
            poll.register(found.sock, select.POLLIN)
            if not poll.poll(0):  # nothing is expected from the server: bytes would be its farewell
                return found
            found.close()
    return None


def _opened(connection: http.client.HTTPConnection, timeout: Timeout) -> http.client.HTTPConnection:
    connection.timeout = timeout.connect
    try:
        connection.connect()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        raise Interrupted(error, sent=False) from None
    return connection


# --- where connections go ---------------------------------------------------------------------------------------------


class _ToSocket(http.client.HTTPConnection):
    def __init__(self, place: str, listener: int | None) -> None:
        super().__init__("localhost")
        self._place, self._listener = place, listener

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._place)
        if self._listener is not None and unix_socket.peer(self.sock) != self._listener:
            self.sock.close()
            raise PermissionError("another user listens there, so nothing was sent")


class _ToProxy(http.client.HTTPConnection):
    """A connection to a proxy that is asked for whole addresses, with these headers."""

    asks: Mapping[str, str]


def to_socket(place: str, listener: int | None = None) -> Connect:
    """Return what connects to a Unix socket, whatever the address is; only where the user `listener` listens."""
    return lambda _: _ToSocket(place, listener)


def to_port(trust: Callable[[], ssl.SSLContext], *, proxies: bool) -> Connect:
    """Return what connects to the port of an address; `proxies`: through those that the environment names.

    `trust` is called for https only: to load what a system trusts takes longer than a call.
    """

    def connect(address: SplitResult) -> http.client.HTTPConnection:
        proxy = _proxy(address) if proxies else None
        host, port = (proxy or address).hostname or "", (proxy or address).port
        if address.scheme == "http" and proxy is not None:
            made = _ToProxy(host, port)
            made.asks = _sign_in(proxy)
            return made
        if address.scheme == "http":
            return http.client.HTTPConnection(host, port)
        secure = http.client.HTTPSConnection(host, port, context=trust())
        if proxy is not None:
            secure.set_tunnel(address.hostname or "", address.port, dict(_sign_in(proxy)))
        return secure

    return connect


def _proxy(address: SplitResult) -> SplitResult | None:
    from urllib.request import getproxies, proxy_bypass

    found = getproxies()
    given = found.get(address.scheme) or found.get("all")
    if not given or proxy_bypass(address.hostname or ""):
        return None
    return _address(given if "//" in given else f"http://{given}")


def _sign_in(proxy: SplitResult) -> dict[str, str]:
    from base64 import b64encode

    if proxy.username is None:
        return {}
    name = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {b64encode(name.encode()).decode()}"}


def _address(url: str) -> SplitResult:
    try:
        found = urlsplit(url)
        if found.scheme not in ("http", "https"):
            raise BadAddress("it begins with neither http:// nor https://")
        if not found.hostname or (found.port is not None and not found.port):
            raise BadAddress("it has no host or no port")
        found.hostname.encode("idna")
    except ValueError as error:
        raise BadAddress(str(error)) from None
    if any(char <= " " or char == "\x7f" for char in url):
        raise BadAddress("it contains spaces")
    return found


# --- what is sent -----------------------------------------------------------------------------------------------------


def _query(params: Mapping[str, Any]) -> str:
    plain = {name: str(value).lower() if isinstance(value, bool) else value for name, value in params.items()}
    return urlencode(plain, doseq=True)


def _content(body: Any, form: list[FormPart] | None) -> tuple[bytes | Iterator[bytes] | None, dict[str, str]]:
    """Return the content of a request, and the headers that describe it."""
    if form is not None:
        boundary = os.urandom(16).hex()
        parts = [part for one in form for part in _form_part(one, boundary)] + [f"--{boundary}--\r\n".encode()]
        kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        return iter(parts), kind | {"Content-Length": str(sum(map(len, parts)))}
    if body is None:
        return None, {}
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode(), {"Content-Type": "application/json"}


def _form_part(part: FormPart, boundary: str) -> tuple[bytes, bytes, bytes]:
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{part.name}"'
    if part.filename is not None:
        filename = part.filename.translate(_ESCAPES)
        head += f'; filename="{filename}"\r\nContent-Type: application/octet-stream'
    return f"{head}\r\n\r\n".encode(), part.content, b"\r\n"
