"""The Unix socket in Paddock's home: nobody else can listen there, so who connects knows whom it speaks to.

Addresses of such sockets are short (107 bytes): a longer one is given through an open folder.
"""

import contextlib
import logging
import os
import socket
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
    """Of the socket, valid for as long as this lasts. Raises OSError when there is no such folder."""
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
    """Where the server listens; nothing on file systems that have no sockets. The home is ours alone by then."""
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
    """Whether somebody answers there; this also refuses what is no socket."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
            one.settimeout(2)
            one.connect(place)
    except OSError:
        return False
    return True
