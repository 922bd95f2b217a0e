"""The Unix socket in Paddock's home. Nobody else can listen there, so a client knows that the server is its own.

The address of such a socket has at most 107 bytes; a longer path is given through an open folder.
"""

import contextlib
import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paddock.paths import Home

NAME = "server.sock"
_LONGEST = 100
log = logging.getLogger("paddock.serve")


def path(home: Home) -> Path:
    return home.root / NAME


@contextmanager
def address(home: Home) -> Iterator[str]:
    """Give the address of the socket, which is valid inside the context. Raises OSError if there is no home."""
    if len(os.fsencode(path(home))) <= _LONGEST:
        yield str(path(home))
        return
    folder = os.open(home.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{NAME}"
    finally:
        os.close(folder)


@contextmanager
def opened(home: Home) -> Iterator[list[socket.socket]]:
    """Give the server's listening socket; none on file systems without sockets. The caller holds the home's lock."""
    with contextlib.ExitStack() as stack:
        made = []
        try:
            place = stack.enter_context(address(home))
            path(home).unlink(missing_ok=True)
            listener = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            listener.bind(place)
            path(home).chmod(0o600)
            stack.callback(path(home).unlink, missing_ok=True)
            made.append(listener)
        except OSError as error:
            log.info("there is no socket at %s (%s): clients use the port", path(home), error.strerror)
        yield made


def listens(place: str) -> bool:
    """Return True if a server accepts connections there."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
            one.settimeout(2)
            one.connect(place)
    except OSError:
        return False
    return True


def peer(connection: socket.socket) -> int:
    """Return the user at the other end of a Unix socket: who connected, or who listens there."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # pid, uid, gid
    return int.from_bytes(found[4:8], sys.byteorder)
