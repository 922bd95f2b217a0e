"""Build the runner's archive: this package and `common`, under a name of their own, for any Python from 3.8 on."""

from __future__ import annotations

import contextlib
import hashlib
import io
import marshal
import os
import tempfile
import zipfile
from functools import lru_cache
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path
from typing import Dict

_PACKAGE = "paddock_runner"
_ROOMS = ("runner", "common")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNCHECKED = 1  # the flag of a compiled file that is not compared with its source
_SAME_BYTES = 2  # a format of `marshal` that gives the same bytes for the same code; later ones depend on references
_START = "import sys\nfrom %s.runner.__main__ import main\nsys.exit(main(%r))\n"


@lru_cache(maxsize=1)
def digest() -> str:
    """Return eight hexadecimal digits that identify the content."""
    return hashlib.sha256(_zip(_sources())).hexdigest()[:8]


def build(target: Path) -> None:
    """Write the archive. The same content gives the same bytes, and readers never see half a file."""
    content = archive()
    fd, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


@lru_cache(maxsize=1)
def archive() -> bytes:
    """Return the content of the archive."""
    sources = _sources()
    start = {"__main__.py": (_START % (_PACKAGE, digest())).encode()}
    return _zip({**sources, **_compiled(sources), **start})


@lru_cache(maxsize=1)
def archive_digest() -> str:
    """Return the whole SHA-256 of the archive's content, by which a copy of it is checked."""
    return hashlib.sha256(archive()).hexdigest()


def _sources() -> Dict[str, bytes]:
    root = Path(__file__).parent.parent
    aside = (Path(__file__), Path(__file__).with_name("elastic.py"))
    paths = sorted(path for room in _ROOMS for path in (root / room).rglob("*.py") if path not in aside)
    sources = {"%s/%s" % (_PACKAGE, path.relative_to(root).as_posix()): path.read_bytes() for path in paths}
    return {**sources, "%s/__init__.py" % _PACKAGE: b""}


def _compiled(sources: Dict[str, bytes]) -> Dict[str, bytes]:
    """Return the modules compiled for the version of this Python. Other versions ignore them and compile the sources.

    To compile them all at every start takes more time than everything else that a start does.
    """
    found = {}
    for name, source in sources.items():
        code = compile(source, name, "exec", dont_inherit=True)
        header = MAGIC_NUMBER + _UNCHECKED.to_bytes(4, "little") + source_hash(source)
        with contextlib.suppress(ValueError):  # Python 3.14 cannot write everything in this format
            found[name + "c"] = header + marshal.dumps(code, _SAME_BYTES)
    return found


def _zip(files: Dict[str, bytes]) -> bytes:
    # Not compressed: some Pythons have no zlib.
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o644 << 16
            archive.writestr(info, files[name])
    return buffer.getvalue()
