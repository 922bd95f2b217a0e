"""Make a container image: a folder with a Python of its own, for tests of containers with a real Charliecloud."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ONLY_THERE = "only_in_the_image"  # a module
FOLDERS = (
    "var/tmp",
    "usr/bin",
    "usr/lib",
    "usr/lib64",
    "etc",
    "tmp",
    "proc",
    "sys",
    "dev",
    "run",
    "root",
    "home",
    "mnt",
)
FILES = ("passwd", "group", "hosts", "resolv.conf")
PROGRAMS = ("/bin/bash", "/bin/sh", "/usr/bin/env", "/bin/cat", "/bin/sleep")
_LIBRARY = re.compile(r"(/\S+) \(0x")


def make(folder: Path, also: Iterable[Path] = ()) -> Path:
    """Make an image of the Python that runs the tests, of a shell and of a few programs, with all their libraries.

    `also`: files whose libraries are to be there, too.
    """
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    for name in ("bin", "lib", "lib64"):
        (folder / name).symlink_to(f"usr/{name}")
    for name in FILES:
        (folder / "etc" / name).touch()
    (folder / "etc" / "image").write_text("of the tests\n")
    base = Path(sys.base_prefix)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    python = folder / "opt" / "python"
    (python / "bin").mkdir(parents=True)
    shutil.copy(base / "bin" / version, python / "bin" / "python3")
    left_out = shutil.ignore_patterns("site-packages", "dist-packages", "test", "tests", "__pycache__", "*.a")
    library = python / "lib" / version
    shutil.copytree(base / "lib" / version, library, ignore=left_out)
    (library / "site-packages").mkdir()
    (library / "site-packages" / f"{ONLY_THERE}.py").write_text("ANSWER = 42\n")
    (folder / "usr" / "bin" / "python3").symlink_to("/opt/python/bin/python3")
    for program in PROGRAMS:
        _copy(Path(program), folder)
    _libraries([*map(Path, PROGRAMS), base / "bin" / version, *library.rglob("*.so"), *also], folder)
    return folder


def _libraries(files: Iterable[Path], folder: Path) -> None:
    listed = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True, check=False).stdout
    for found in sorted(set(_LIBRARY.findall(listed))):
        _copy(Path(found), folder)


def _copy(file: Path, folder: Path) -> None:
    to = folder / str(file).lstrip("/")
    if not to.exists():
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)
