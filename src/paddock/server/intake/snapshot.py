"""The user's code: check the uploaded files, and write them into the job folder."""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from paddock.common.files import read_plain
from paddock.errors import InvalidInput, TooLarge
from paddock.models.units import size_text
from paddock.settings import UploadSettings

Files = Mapping[str, bytes]
MAX_NAMES = 20_000


def safe_path(given: str) -> PurePosixPath:
    """Return a relative path that cannot leave its folder. Raise InvalidInput for any other."""
    path = PurePosixPath(given.replace("\\", "/"))
    parts = path.parts
    unusable = "\0" in given or any("\ud800" <= char <= "\udfff" for char in given)
    if not parts or path.is_absolute() or any(part in ("..", "") for part in parts) or unusable:
        raise InvalidInput(f"{given!r} is not a path inside the job's folder.", fields={"files": given})
    if any(len(part.encode()) > 255 for part in parts) or len(given.encode()) > 1000:
        raise InvalidInput(f"The path {given[:60]!r}... is too long.", fields={"files": given[:60]})
    return path


def digest(files: Files) -> str:
    """Return a hash that is equal for equal files."""
    made = hashlib.sha256()
    for name, data in sorted(files.items()):
        made.update(f"{len(name.encode())} {len(data)} {name}\n".encode() + data)
    return made.hexdigest()


def checked(files: Files, limits: UploadSettings) -> dict[str, bytes]:
    """Return the files by normalised path. Raise if they exceed the limits or a path is a file and a folder."""
    if len(files) > limits.max_files:
        raise TooLarge(f"{len(files):,} files are more than the {limits.max_files:,} of the setting upload.max_files.")
    total = sum(map(len, files.values()))
    if total > limits.max_bytes:
        raise TooLarge(
            f"The files are {size_text(total)}, more than the {size_text(limits.max_bytes)} of the setting "
            "upload.max_bytes: leave data out with a .paddockignore file and read it from its place."
        )
    found: dict[str, bytes] = {}
    for given, data in files.items():
        name = str(safe_path(given))
        if name in found:
            raise InvalidInput(f"The file {name!r} was sent twice.", fields={"files": name})
        found[name] = data
    folders = {str(parent) for name in found for parent in PurePosixPath(name).parents}
    both = folders & set(found)
    if both:
        name = min(both)
        raise InvalidInput(f"{name!r} is both a file and a folder.", fields={"files": name})
    return found


def read_texts(folder: Path, limit: int) -> dict[str, str]:
    """Return the text files of a snapshot by relative path; none if all of them have more than `limit` bytes.

    Tasks can write in this folder, so everything but plain files is left out.
    """
    found: dict[str, str] = {}
    left = limit
    for name in _names(folder):
        try:
            data = read_plain(str(folder / name), left + 1, below=str(folder))
        except OSError:
            continue
        left -= len(data)
        if left < 0:
            return {}
        try:
            found[name.encode().decode()] = data.decode()
        except UnicodeError:  # of the content, or of the name
            continue
    return found


def read_files(folder: Path, limits: UploadSettings) -> dict[str, bytes]:
    """Return all files of a snapshot by relative path, without what running it has left there.

    Tasks can write in this folder, so everything but plain files is left out.
    """
    found: dict[str, bytes] = {}
    left = limits.max_bytes
    for name in _names(folder):
        if "__pycache__" in PurePosixPath(name).parts:
            continue
        with suppress(OSError, UnicodeError):
            found[name.encode().decode()] = data = read_plain(str(folder / name), left + 1, below=str(folder))
            left -= len(data)
        if left < 0 or len(found) > limits.max_files:
            raise TooLarge("The files of that job are more than the settings upload.max_bytes and max_files allow.")
    return found


def _names(folder: Path) -> list[str]:
    """Return the sorted relative paths of everything but folders; links are not followed."""
    names: list[str] = []
    for place, _, here in os.walk(folder):
        names += [os.path.relpath(os.path.join(place, name), folder) for name in here]  # noqa: PTH118
        if len(names) > MAX_NAMES:
            return []
    return sorted(names)


def lay_down(files: Files, folder: Path) -> None:
    """Write the files; scripts with a shebang become executable."""
    folder.mkdir(parents=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if data.startswith(b"#!"):
            path.chmod(0o755)
