"""Test files in Paddock's home: complete or not there, and private."""

import json
import os
import threading
from pathlib import Path

import pytest

from paddock.paths import Home, append_lines, write_once


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


class TestHome:
    def test_is_private(self, tmp_path: Path) -> None:
        home = Home(tmp_path / "a" / "home")
        home.create()
        home.create()
        assert {mode(path) for path in (home.root, home.jobs, home.incoming, home.local, home.runners)} == {0o700}

    def test_the_token_is_made_once_and_only_the_owner_can_read_it(self, home: Home) -> None:
        assert home.read_token() is None
        token = home.ensure_token()
        assert len(token) >= 32
        assert mode(home.token) == 0o600
        assert home.ensure_token() == home.read_token() == token

    def test_an_empty_token_file_is_no_token(self, home: Home) -> None:
        home.token.write_text("\n")
        assert home.read_token() is None
        assert home.ensure_token()

    def test_names_in_a_job_folder(self, home: Home) -> None:
        job = home.job("k3v")
        assert job.log("k3v-1", 2) == home.jobs / "k3v/results/k3v/k3v-1/attempts/2/out.log"
        assert job.journal("k3v-a1", 1) == home.jobs / "k3v/allocations/k3v-a1/journal.1.jsonl"
        assert job.claim("k3v-1", 2) == home.jobs / "k3v/claims/k3v-1.2"


class TestWriteOnce:
    @pytest.mark.parametrize("wanted", [0o600, 0o644])
    def test_content_and_mode(self, tmp_path: Path, wanted: int) -> None:
        path = tmp_path / "file"
        write_once(path, "ü\n", mode=wanted)
        write_once(path, "☃\n", mode=wanted)
        assert path.read_bytes() == "☃\n".encode()
        assert mode(path) == wanted & ~_umask()
        assert list(tmp_path.iterdir()) == [path]

    def test_a_failure_leaves_what_was_there_and_nothing_else(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        write_once(path, "old")
        with pytest.raises(UnicodeEncodeError):
            write_once(path, "new \ud800")
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]

    def test_readers_see_all_or_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        texts = {letter * 200_000 for letter in "abcd"}
        write_once(path, "a" * 200_000)

        def write() -> None:
            for text in sorted(texts) * 3:
                write_once(path, text)

        writers = [threading.Thread(target=write) for _ in range(2)]
        for writer in writers:
            writer.start()
        seen = {path.read_text() for _ in range(50)}
        for writer in writers:
            writer.join()
        assert seen <= texts
        assert list(tmp_path.iterdir()) == [path]


class TestAppendLines:
    def test_one_record_a_line(self, tmp_path: Path) -> None:
        path = tmp_path / "x.jsonl"
        append_lines(path, [{"a": "ü\n"}, {"b": 1}])
        append_lines(path, [])
        append_lines(path, [{"c": None}])
        assert [json.loads(line) for line in path.read_text().splitlines()] == [{"a": "ü\n"}, {"b": 1}, {"c": None}]

    def test_nothing_to_write_makes_no_file(self, tmp_path: Path) -> None:
        append_lines(tmp_path / "x", [])
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("torn", ['{"a": 1', '{"a": 1}', "\u00fc"])
    def test_a_torn_line_is_sealed_off(self, tmp_path: Path, torn: str) -> None:
        path = tmp_path / "x.jsonl"
        path.write_text('{"first": 1}\n' + torn)
        append_lines(path, [{"b": 2}])
        append_lines(path, [{"c": 3}])
        assert path.read_text() == '{"first": 1}\n' + torn + '\n{"b":2}\n{"c":3}\n'

    def test_what_cannot_be_written_changes_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "x.jsonl"
        with pytest.raises(TypeError):
            append_lines(path, [{"a": 1}, {"b": object()}])
        assert not path.exists()


def _umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now
