"""The server of this machine, for everybody on it: /etc/paddock/client.toml, which `paddock team install` writes.

Only root can write it. It names the user that the server runs as, so that nobody else can pose as the server.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from paddock.errors import InvalidInput, NotAuthorised

FILE = "/etc/paddock/client.toml"
VARIABLE = "PADDOCK_CLIENT_FILE"  # another file, which must be root's as well


@dataclass(frozen=True)
class MachineServer:
    url: str
    door: str
    uid: int


def file() -> Path:
    return Path(os.environ.get(VARIABLE) or FILE)


def read() -> MachineServer | None:
    """Return the server of this machine; None if it has none. Raise NotAuthorised for a file that is not root's."""
    place = file()
    try:
        with open(place, "rb") as opened:
            found = os.fstat(opened.fileno())
            if found.st_uid != 0 or found.st_mode & 0o022 or not stat.S_ISREG(found.st_mode):
                raise NotAuthorised(f"{place} is not used, as others than root can write it: ask who runs the machine.")
            content = opened.read(100_000)
    except OSError:
        return None  # most machines have none, or it is not for this user
    import tomllib

    try:
        given = tomllib.loads(content.decode())
        url, door, uid = given["url"], given["door"], given["uid"]
    except (ValueError, KeyError) as error:
        raise InvalidInput(f"{place} is wrong ({error}): write it again with `sudo paddock team install`.") from None
    if not (isinstance(url, str) and isinstance(door, str) and isinstance(uid, int)):
        raise InvalidInput(f"{place} is wrong: write it again with `sudo paddock team install`.")
    return MachineServer(url, door, uid)
