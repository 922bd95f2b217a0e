"""Test the safe opening of files that other people's programs can replace with anything."""

import os
from pathlib import Path

import pytest

from paddock.common import files


def test_a_plain_file_is_read_from_an_offset_and_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"0123456789")
    assert files.read_plain(str(path), 4) == b"0123"
    assert files.read_plain(str(path), 100, offset=7) == b"789"
    assert files.read_plain(str(path), 100, offset=-2) == b"89"
    assert files.read_plain(str(path), 100, offset=-200) == b"0123456789"


@pytest.mark.parametrize(
    "what", ["link", "broken link", "link to itself", "hard link", "folder", "pipe", "device", "parent"]
)
def test_anything_else_is_refused_at_once(tmp_path: Path, what: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    job = tmp_path / "job"
    job.mkdir()
    path = job / "tasks" / "1" / "out.log"
    path.parent.mkdir(parents=True)
    match what:
        case "link":
            path.symlink_to(secret)
        case "broken link":
            path.symlink_to(tmp_path / "nowhere")
        case "link to itself":
            path.symlink_to(path)
        case "hard link":
            os.link(secret, path)
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "parent":
            path.parent.rmdir()
            path.parent.symlink_to(tmp_path)
            path = path.parent / "secret"
    with pytest.raises(files.NotPlain):
        files.read_plain(str(path), 10, below=str(job))
    with pytest.raises(files.NotPlain):
        files.append_plain(str(path), b"x", below=str(job))
    assert secret.read_text() == "secret"
    assert not (tmp_path / "nowhere").exists()


def test_a_path_that_leads_out_of_the_trusted_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "secret").write_text("secret")
    with pytest.raises(files.NotPlain):
        files.read_plain(str(tmp_path / "job" / ".." / "secret"), 10, below=str(tmp_path / "job"))


def test_what_does_not_exist_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        files.read_plain(str(tmp_path / "a"), 10)
    with pytest.raises(FileNotFoundError):
        files.read_plain(str(tmp_path / "no" / "a"), 10, below=str(tmp_path))


def test_appending_makes_the_file_and_seals_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "a"
    files.append_plain(str(path), b"one\ntw", below=str(tmp_path))
    files.append_plain(str(path), b"three\n", below=str(tmp_path), seal=True)
    files.append_plain(str(path), b"four\n", below=str(tmp_path), seal=True)
    assert path.read_bytes() == b"one\ntw\nthree\nfour\n"
