"""The door: a Unix socket by which the people on the server's machine sign in as themselves, without a password.

The kernel tells the server who is at the other end (SO_PEERCRED). The socket speaks the same HTTP as the port. A
request that comes through it with `Authorization: Door` is that person's; there is no token that could be stolen.
Clients check in turn that the service account listens there (client/site.py). Only that account may be able to write
the socket's folder.
"""

import logging
import os
import pwd
import socket
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from paddock.errors import InvalidInput

SCHEME = "door"  # Authorization: Door
_LONGEST = 100
log = logging.getLogger("paddock.serve")


def unix_name(uid: int) -> str | None:
    """Return the name of a user of this machine; None if there is none, as in somebody's container."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None


@contextmanager
def opened(path: Path | None) -> Iterator[list[socket.socket]]:
    """Give the listening socket of the door; none if there shall be none. Raises InvalidInput if it is not safe."""
    if path is None:
        yield []
        return
    _check(path)
    with ExitStack() as stack:
        path.unlink(missing_ok=True)
        listener = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        try:
            listener.bind(str(path))
            path.chmod(0o666)
        except OSError as error:
            raise _wrong(
                f"{path} cannot be made ({error.strerror}): make its folder, or leave the setting out"
            ) from None
        stack.callback(path.unlink, missing_ok=True)
        log.info("people on this machine sign in through %s", path)
        yield [listener]


def _check(path: Path) -> None:
    if not path.is_absolute() or len(os.fsencode(path)) > _LONGEST:
        raise _wrong(f"it must be an absolute path of at most {_LONGEST} characters, such as /run/paddock/door.sock")
    try:
        folder = path.parent.lstat()
    except OSError as error:
        who = unix_name(os.geteuid())
        make = f"`sudo install -d -o {who} -m 755 {path.parent}`"
        raise _wrong(f"{path.parent} cannot be used ({error.strerror}): make it with {make}") from None
    if not stat.S_ISDIR(folder.st_mode) or folder.st_uid not in (os.geteuid(), 0) or folder.st_mode & 0o022:
        raise _wrong(
            f"others can write {path.parent}, and could pose as the server: choose a folder of this user alone"
        )
    if os.path.lexists(path) and not stat.S_ISSOCK(path.lstat().st_mode):
        raise _wrong(f"{path} is there, and is not a socket: remove it, or choose another path")


def _wrong(message: str) -> InvalidInput:
    return InvalidInput.at("team.door", message, "The setting team.door is wrong")
