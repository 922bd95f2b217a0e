"""Save a file or folder of a task: a part of it is never taken for all of it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from paddock.client.connection import Connection
from paddock.errors import InvalidInput, ServerUnreachable

FOLDER = "application/gzip"  # the server answers a folder with this type, and all else with another


def save(connection: Connection, address: str, path: str, name: str, to: Path | None, *, replace: bool) -> Path:
    """Save what is at this address: in the file `to`, in the folder `to`, or in the working folder.

    Without a name in `to`, the file has that of `path`; a folder becomes `name` with its path, and .tar.gz.
    """
    with connection.stream(address, path=path) as answer:
        folder = answer.headers.get("Content-Type") == FOLDER
        last = path.rstrip("/").rpartition("/")[2]
        archive = "-".join([name, *path.strip("/").split("/")]) if path.strip("/") else name
        default = f"{archive}.tar.gz" if folder else last
        target = to / default if to is not None and to.is_dir() else to or Path(default)
        with _written(target, replace=replace) as file:
            copy(answer.parts(), file, answer.headers.get("Content-Length"))
    return target


def copy(parts: Iterator[bytes], file: BinaryIO, length: str | None) -> None:
    """Write all parts into a file. Raise ServerUnreachable if there are fewer bytes than were announced."""
    size = 0
    for part in parts:
        file.write(part)
        size += len(part)
    if length is not None and size != int(length):
        raise ServerUnreachable(f"Only {size:,} of {int(length):,} bytes arrived; the file may have become shorter.")


@contextmanager
def _written(target: Path, *, replace: bool) -> Iterator[BinaryIO]:
    """Open a file that gets its name when all is written."""
    if not replace and os.path.lexists(target):
        raise InvalidInput(f"{target} already exists: give another file, or allow to replace it.")
    part = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            yield file
        part.replace(target)
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written ({error.strerror}): give another file.") from None
    finally:
        part.unlink(missing_ok=True)
