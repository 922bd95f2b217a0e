"""Build the runner's archive: this package and `common`, under a name of their own, for any Python from 3.8 on."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Dict

_PACKAGE = "paddock_runner"
_ROOMS = ("runner", "common")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_START = "import sys\nfrom %s.runner.__main__ import main\nsys.exit(main(%r))\n"


def digest() -> str:
    """Return eight hexadecimal digits that identify the content."""
    return _digest(_sources())


def build(target: Path) -> None:
    """Write the archive. The same content gives the same bytes, and readers never see half a file."""
    sources = _sources()
    content = _zip({**sources, "__main__.py": (_START % (_PACKAGE, _digest(sources))).encode()})
    fd, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _sources() -> Dict[str, bytes]:
    root = Path(__file__).parent.parent
    paths = sorted(path for room in _ROOMS for path in (root / room).rglob("*.py") if path != Path(__file__))
    sources = {"%s/%s" % (_PACKAGE, path.relative_to(root).as_posix()): path.read_bytes() for path in paths}
    return {**sources, "%s/__init__.py" % _PACKAGE: b""}


def _digest(sources: Dict[str, bytes]) -> str:
    return hashlib.sha256(_zip(sources)).hexdigest()[:8]


def _zip(files: Dict[str, bytes]) -> bytes:
    # Not compressed: some Pythons have no zlib.
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o644 << 16
            archive.writestr(info, files[name])
    return buffer.getvalue()
