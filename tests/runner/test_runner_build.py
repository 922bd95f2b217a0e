"""Test that the runner is one file that needs only a Python."""

import ast
import fnmatch
import subprocess
import sys
import zipfile
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
    names = fnmatch.filter(zipfile.ZipFile(pyz).namelist(), "paddock_runner/*.py")
    modules = [name[:-3].replace("/", ".").replace(".__init__", "") for name in names]
    text = f"import sys; sys.path.insert(0, {str(pyz)!r})\nfor name in {modules!r}: __import__(name)"
    subprocess.run([python, "-I", "-S", "-c", text], check=True)


def test_bytecode_is_used_by_the_python_that_made_it_and_passed_over_by_others(pyz: Path, tmp_path: Path) -> None:
    altered = tmp_path / "altered.pyz"
    with zipfile.ZipFile(pyz) as old, zipfile.ZipFile(altered, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"1 / 0" if name.endswith("loop.py") else old.read(name))
    text = f"import sys; sys.path.insert(0, {str(altered)!r}); import paddock_runner.runner.loop"

    def load(python: Path | str) -> str:
        return subprocess.run([python, "-I", "-S", "-c", text], check=False, capture_output=True, text=True).stderr

    assert load(sys.executable) == "", "the source was compiled"
    with zipfile.ZipFile(pyz) as old, zipfile.ZipFile(altered, "w") as new:
        for name in old.namelist():  # as by another Python
            new.writestr(name, b"????" + old.read(name)[4:] if name.endswith("c") else old.read(name))
    assert load(sys.executable) == ""


def test_usage_line(pyz: Path) -> None:
    done = subprocess.run([sys.executable, "-I", "-S", pyz], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage:" in done.stderr
