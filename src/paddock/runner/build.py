"""Build the runner's archive: this package and `common`, under a name of their own, for any Python from 3.8 on.

Beside each module lies its bytecode for the Python that builds the archive: a runner with the same Python starts in
half the time. Every other Python ignores the bytecode and compiles the source.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import marshal
import os
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Dict

_PACKAGE = "paddock_runner"
_ROOMS = ("runner", "common")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_START = "import sys\nfrom %s.runner.__main__ import main\nsys.exit(main(%r))\n"


@lru_cache(maxsize=1)
def digest() -> str:
    """Return eight hexadecimal digits that identify the sources."""
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
    """Return the content of the archive, which is made once per process."""
    sources = _sources()
    start = (_START % (_PACKAGE, digest())).encode()
    return _zip({**sources, **_bytecode(sources), "__main__.py": start})


def _sources() -> Dict[str, bytes]:
    root = Path(__file__).parent.parent
    paths = sorted(path for room in _ROOMS for path in (root / room).rglob("*.py") if path != Path(__file__))
    sources = {"%s/%s" % (_PACKAGE, path.relative_to(root).as_posix()): path.read_bytes() for path in paths}
    return {**sources, "%s/__init__.py" % _PACKAGE: b""}


def _bytecode(sources: Dict[str, bytes]) -> Dict[str, bytes]:
    """Return what zipimport takes in place of a source if its first bytes are those of the Python that reads it."""
    found = {}
    for name, source in sources.items():
        code = compile(source, name, "exec", dont_inherit=True, optimize=0)
        try:
            content = marshal.dumps(code, 2)  # later formats depend on what else refers to an object
        except ValueError:  # this format does not know all constants of newer Pythons
            continue
        # 1: the source is identified by its hash, which nobody compares.
        head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + importlib.util.source_hash(source)
        found[name + "c"] = head + content
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
