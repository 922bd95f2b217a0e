"""Test measuring and deleting folders in which users may have put anything."""

import os
import time
from pathlib import Path

import pytest

from paddock.common import folders


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a link to elsewhere, a link to itself, a pipe, and one that cannot be written."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "deep").mkdir(parents=True)
    (elsewhere / "deep" / "mine.bin").write_bytes(b"x" * 1_000_000)
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "file").write_bytes(b"x" * 10_000)
    (root / "a" / "out").symlink_to(elsewhere)
    (root / "a" / "file").symlink_to(elsewhere / "deep" / "mine.bin")
    (root / "round").symlink_to(root)
    os.mkfifo(root / "pipe")
    locked = root / "locked"
    locked.mkdir()
    (locked / "file").write_text("x")
    locked.chmod(0o500)
    return root


def soon() -> float:
    return time.monotonic() + 60


def test_what_is_measured(tree: Path, tmp_path: Path) -> None:
    size = folders.measure(tree, below=tmp_path, until=soon())
    assert 10_000 <= size.bytes < 200_000, "what the links lead to is not part of it"
    assert size.whole
    whole = folders.Size()
    whole.add(size)
    whole.add(folders.measure(tree / "a" / "b" / "file", below=tmp_path, until=soon()))
    assert whole.files == size.files + 1
    assert folders.measure(tree / "none", below=tmp_path, until=soon()) == folders.Size()


def test_behind_a_link_there_is_nothing(tree: Path) -> None:
    assert folders.measure(tree / "a" / "out" / "deep", below=tree, until=soon()) == folders.Size()


def test_it_gives_up_when_its_time_is_over(tree: Path, tmp_path: Path) -> None:
    size = folders.measure(tree, below=tmp_path, until=time.monotonic() - 1)
    assert not size.whole


def test_delete_follows_no_link(tree: Path, tmp_path: Path) -> None:
    assert folders.delete(tree)
    assert not os.path.lexists(tree)
    assert (tmp_path / "elsewhere" / "deep" / "mine.bin").stat().st_size == 1_000_000


@pytest.mark.parametrize("kind", ["link", "file", "nothing"])
def test_delete_takes_whatever_is_there(tree: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "one"
    if kind == "link":
        path.symlink_to(tree)
    elif kind == "file":
        path.write_text("x")
    assert folders.delete(path)
    assert not os.path.lexists(path)
    assert (tree / "a" / "b" / "file").exists()


def test_delete_can_be_left_and_taken_up_again(tree: Path) -> None:
    left = iter([False, False, True])
    assert not folders.delete(tree, lambda: next(left))
    assert tree.exists()
    assert folders.delete(tree)
