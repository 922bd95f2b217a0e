"""Test that the runner is one file that needs only a Python."""

import ast
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import paddock.common
import paddock.runner
from paddock.runner.build import build, digest

ROOMS = [Path(room.__path__[0]) for room in (paddock.runner, paddock.common)]
SOURCES = sorted(path for room in ROOMS for path in room.rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_standard_library_and_python_3_8_only(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        else:
            continue
        assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


BUILD = "import pathlib, sys; from paddock.runner.build import build; build(pathlib.Path(sys.argv[1]))"


def test_same_bytes_every_time(tmp_path: Path) -> None:
    one, two = tmp_path / "1.pyz", tmp_path / "2.pyz"
    build(one)
    subprocess.run([sys.executable, "-c", BUILD, two], check=True)
    assert one.read_bytes() == two.read_bytes()
    assert sorted(tmp_path.iterdir()) == [one, two]
    assert len(digest()) == 8
    names = zipfile.ZipFile(one).namelist()
    assert "paddock_runner/runner/build.py" not in names
    inner = {f"paddock_runner/{name}" for name in ("__init__.py", "runner/loop.py", "common/files.py")}
    assert {"__main__.py", *inner} <= set(names)


def test_every_module_loads_without_paddock(pyz: Path, python: str) -> None:
    names = [name for name in zipfile.ZipFile(pyz).namelist() if name.startswith("paddock_runner/") and name[-1] == "y"]
    modules = [name[:-3].replace("/", ".").replace(".__init__", "") for name in names]
    text = f"import sys; sys.path.insert(0, {str(pyz)!r})\nfor name in {modules!r}: __import__(name)"
    subprocess.run([python, "-I", "-S", "-c", text], check=True)


def test_a_start_compiles_nothing_where_the_version_is_the_same(pyz: Path, tmp_path: Path) -> None:
    other = changed(pyz, tmp_path / "no-sources.pyz", ".py", lambda source: b"raise SystemExit('compiled')")
    assert usage(other, sys.executable) == usage(pyz, sys.executable)


def test_what_another_version_compiled_is_ignored(pyz: Path, tmp_path: Path, python: str) -> None:
    other = changed(pyz, tmp_path / "other.pyz", ".pyc", lambda compiled: b"\0\0\r\n" + compiled[4:])
    assert usage(other, python) == usage(pyz, sys.executable)


def changed(pyz: Path, target: Path, end: str, change: Callable[[bytes], bytes]) -> Path:
    """Write an archive in which the files with this end, other than the start, have another content."""
    with zipfile.ZipFile(pyz) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, change(data) if name.endswith(end) and name != "__main__.py" else data)
    return target


def usage(pyz: Path, python: str) -> str:
    done = subprocess.run([python, "-I", "-S", pyz], check=False, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    return done.stderr


def test_usage_line(pyz: Path) -> None:
    assert "usage:" in usage(pyz, sys.executable)
