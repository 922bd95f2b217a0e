"""Whether what lies in a home is its person's own: nobody else's settings, token or programs are used."""

import os
import pwd
from collections.abc import Iterable
from pathlib import Path

from paddock.errors import NotAuthorised

_ANOTHER = "or choose a home of your own with --home or PADDOCK_HOME"


def refuse_foreign(home: Path) -> None:
    """Raises NotAuthorised when somebody else owns the home or can write in it. One that is not there is nobody's."""
    found = _look(home)
    if found is None:
        return
    if found.st_uid not in _own():
        raise NotAuthorised(
            f"{home} belongs to {_name(found.st_uid)}, and you are {_name(os.geteuid())}: "
            "choose a home of your own with --home or PADDOCK_HOME."
        )
    if found.st_mode & 0o022:
        raise NotAuthorised(f"Others can write in {home}: take that from them with `chmod go-w {home}`, {_ANOTHER}.")


def refuse_foreign_inside(home: Path, paths: Iterable[Path]) -> None:
    """The same of files and folders in it. What its group can write counts only where that group gets into the home."""
    passable = _look(home)
    bits = 0o022 if passable and passable.st_mode & 0o011 else 0o002
    for path in paths:
        found = _look(path)
        if found is None:
            continue
        if found.st_uid not in _own():
            raise NotAuthorised(
                f"{path} belongs to {_name(found.st_uid)}, and you are {_name(os.geteuid())}: look at what it is, then "
                f"remove it, or make it yours with `chown {_name(os.geteuid())} {path}`."
            )
        if found.st_mode & bits:
            raise NotAuthorised(
                f"Others can write {path}: look whether it is as you left it, then call `chmod go-w {path}`."
            )


def _look(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise NotAuthorised(f"{path} cannot be looked at ({error.strerror}): {_ANOTHER[3:]}.") from None


def _own() -> tuple[int, int]:
    """Root can write everything anyway."""
    return os.geteuid(), 0


def _name(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"
