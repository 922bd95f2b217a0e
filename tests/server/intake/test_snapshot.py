"""Test the snapshot of the user's code: nothing leaves its folder."""

import os
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from paddock.errors import InvalidInput, TooLarge
from paddock.server.intake.snapshot import checked, lay_down, safe_path
from paddock.settings import UploadSettings

_parts = st.sampled_from(["..", ".", "", "a", "b.py", "...", " ", "~", "c:", "ü", "-", "..a", "\0", "$HOME", "a\nb"])
_paths = st.builds(
    lambda parts, separators, root: root + "".join(p + s for p, s in zip(parts, separators, strict=False)),
    st.lists(_parts, min_size=1, max_size=5),
    st.lists(st.sampled_from(["/", "\\", "//", ""]), min_size=5, max_size=5),
    st.sampled_from(["", "/", "\\", "//", "\\\\server\\share\\", "C:\\", "./"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_paths | st.text())
@example("\ud800")
@example("..\\..\\etc/passwd")
@example("a/../../b")
@example("ü" * 128)
@example("a/" * 499 + "aa")
def test_no_path_leaves_the_folder(tmp_path: Path, given: str) -> None:
    try:
        path = safe_path(given)
    except InvalidInput as error:
        assert list(error.fields) == ["files"]
        return
    assert not path.is_absolute()
    assert path.parts
    assert ".." not in path.parts
    target = os.path.normpath(tmp_path / path)
    assert target.startswith(f"{tmp_path}/")
    os.stat(tmp_path)
    os.fsencode(str(path))  # can be a file's name


@pytest.mark.parametrize("path", ["", ".", "..", "/", "/etc/passwd", "../x", "a/../x", "a\\..\\x", "\\x", "a\0b", "./"])
def test_refused(path: str) -> None:
    with pytest.raises(InvalidInput):
        safe_path(path)


@pytest.mark.parametrize("path", ["a" * 256, "ü" * 128, "d/" * 500 + "x"])
def test_too_long_for_a_file_system(path: str) -> None:
    with pytest.raises(InvalidInput, match="too long"):
        safe_path(path)


@pytest.mark.parametrize(
    ("given", "path"),
    [("a.py", "a.py"), ("./a//b/./c.py", "a/b/c.py"), ("a\\b.py", "a/b.py"), ("...", "..."), ("..a", "..a")],
)
def test_normalised(given: str, path: str) -> None:
    assert safe_path(given) == PurePosixPath(path)


def test_limits() -> None:
    limits = UploadSettings(max_bytes=10, max_files=2)
    assert checked({"a": b"12345", "b": b"12345"}, limits) == {"a": b"12345", "b": b"12345"}
    with pytest.raises(TooLarge, match=r"upload\.max_bytes"):
        checked({"a": b"12345", "b": b"123456"}, limits)
    with pytest.raises(TooLarge, match=r"upload\.max_files"):
        checked({"a": b"", "b": b"", "c": b""}, limits)


@pytest.mark.parametrize(
    ("names", "at_fault"),
    [(["a", "a/b"], "a"), (["x/y/z", "x/y"], "x/y"), (["a/b", "a\\b"], "a/b"), (["a", "./a"], "a")],
)
def test_one_thing_a_path(names: list[str], at_fault: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        checked(dict.fromkeys(names, b""), UploadSettings())
    assert caught.value.fields == {"files": at_fault}


def test_laid_down_as_given(tmp_path: Path) -> None:
    files = {"train.py": b"print()", "pkg/deep/data.bin": b"\x00\xff", "run.sh": b"#!/bin/sh\n", "empty": b""}
    lay_down(files, tmp_path / "job" / "code")
    root = tmp_path / "job" / "code"
    found = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert found == files
    assert os.access(root / "run.sh", os.X_OK)
    assert not (root / "train.py").stat().st_mode & 0o111
    with pytest.raises(FileExistsError):
        lay_down(files, root)
