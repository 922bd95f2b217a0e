"""Test what a task of `paddock map` runs, as a separate process without a server."""

import ast
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

import pytest

from paddock.client.mapping import _FIELDS, File, part_files
from paddock.program import shell_template
from paddock.runner import map_driver
from paddock.runner.map_driver import FOLDER
from tests.support.server import wait_for


class Part:
    """A part with inputs named, and its outputs in out/."""

    def __init__(self, folder: Path, command: str, names: Sequence[str], outputs: bool = True) -> None:
        self.folder = folder
        self.out, self.checkpoint, self.code = folder / "out", folder / "checkpoint", folder / "code"
        self.report = folder / "report.jsonl"
        self.checkpoint.mkdir()
        files = []
        for name in names:
            source = folder / "in" / name
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text(name.encode("utf-8", "backslashreplace").decode())
            files.append(File(source, PurePath(name), self.out / name if outputs else None))
        rendered = shell_template.render(command, _FIELDS, params=(), numbers=())
        for name, data in part_files([files], rendered, folder).items():
            path = self.code / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def start(self) -> "subprocess.Popen[bytes]":
        env = os.environ | {
            "PADDOCK_CHECKPOINT_DIR": str(self.checkpoint),
            "PADDOCK_REPORT": str(self.report),
            "PADDOCK_TASK": "k3v-1",
        }
        script = self.code / FOLDER / "map.py"
        with open(self.folder / "log", "ab") as log:
            argv = [sys.executable, "-I", "-S", str(script), "--part", "1"]
            return subprocess.Popen(argv, stdout=log, stderr=log, env=env, cwd="/", start_new_session=True)

    def run(self) -> int:
        (self.folder / "log").unlink(missing_ok=True)
        return self.start().wait(120)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    @property
    def reports(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.report.read_text().splitlines()]

    @property
    def done(self) -> set[int]:
        return map_driver.Done(str(self.checkpoint)).numbers

    def made(self) -> list[str]:
        return sorted(str(path.relative_to(self.out)) for path in self.out.rglob("*") if path.is_file())


def test_names_of_all_kinds(tmp_path: Path) -> None:
    names = ["a b", "it's", '"q"', "-rf", "new\nline", "sub/$(touch pwned)", "ü", os.fsdecode(b"\xff\xfe"), "*"]
    part = Part(tmp_path, "cp {input} {output}; echo {input} >> seen", names)
    assert part.run() == 0, part.log
    assert part.made() == sorted(names)
    assert not (tmp_path / "pwned").exists()
    assert (tmp_path / "seen").exists(), "commands run in the folder of the call"
    assert [(one["step"], one["of"]) for one in part.reports] == [(n, 9) for n in range(1, 10)]


def test_one_that_fails_costs_no_other_and_is_named(tmp_path: Path) -> None:
    command = 'test "$(cat {input})" != b || { echo half > {output}; echo why >&2; exit 3; }; cp {input} {output}'
    part = Part(tmp_path, command, ["a", "b", "c"])
    assert part.run() == 1
    assert part.made() == ["a", "c"]
    assert (
        part.log.splitlines()[-1] == f"FilesFailed: 1 of 3 files failed; the first: {tmp_path}/in/b (exit code 3: why)"
    )
    assert part.done == {0, 2}
    (tmp_path / "in/b").write_text("mended")
    assert part.run() == 0
    assert part.log.splitlines() == ["2 of 3 files are done already", f"file 3 of 3: {tmp_path}/in/b"]
    assert part.made() == ["a", "b", "c"]
    assert [one["step"] for one in part.reports] == [1, 2, 3, 3]
    assert [one.get("failed") for one in part.reports] == [None, 1, 1, None]
    timed = ["file_seconds" in one for one in part.reports]
    assert timed == [True, False, True, True], "what failed at once is not the fastest"


def test_a_file_alone_has_no_figures_beside_those_of_its_task(tmp_path: Path) -> None:
    part = Part(tmp_path, "cp {input} {output}", ["a"])
    assert part.run() == 0, part.log
    assert not part.report.exists()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("true {input} {output}", "FilesFailed: its exit code is 0, but it did not write {output}"),
        ("cp {input} {output}.npy", "did not write {output}; it wrote a.npy: see --suffix"),
        ("kill -9 $$ {input} {output}", "FilesFailed: signal 9"),
        ("nowhere {input} {output}", "not found"),
    ],
)
def test_what_went_wrong_is_reported(tmp_path: Path, command: str, why: str) -> None:
    part = Part(tmp_path, command, ["a"])
    assert part.run() != 0
    assert part.log.splitlines()[-1].endswith(why)
    assert list(part.out.iterdir()) == []


def test_folders_and_several_files_as_outputs(tmp_path: Path) -> None:
    part = Part(tmp_path, "mkdir {output} && cp {input} {output}/x && cp {input} {output}.txt", ["a", "b"])
    for _ in range(2):
        assert part.run() == 0, part.log
        assert part.made() == ["a.txt", "a/x", "b.txt", "b/x"]
        (part.checkpoint / "done.jsonl").unlink()
        (part.out / "a/old").touch()


def test_without_outputs(tmp_path: Path) -> None:
    part = Part(tmp_path, "basename {input} >> seen", ["a", "b"], outputs=False)
    assert part.run() == 0
    assert (tmp_path / "seen").read_text() == "a\nb\n"
    assert part.run() == 0
    assert (tmp_path / "seen").read_text() == "a\nb\n"


def test_a_line_that_was_cut_short_counts_for_nothing(tmp_path: Path) -> None:
    part = Part(tmp_path, "cp {input} {output}", [f"{number:02}" for number in range(13)])
    (part.checkpoint / "done.jsonl").write_text('{"done": 0}\n{"done": 1')
    assert part.done == {0}
    assert part.run() == 0
    assert part.made()[0] == "01"
    assert part.done == set(range(13))


SLOW = "echo half > {output}; test -e go || sleep 60; cp {input} {output}"


def test_killed_in_the_middle(tmp_path: Path) -> None:
    part = Part(
        tmp_path, f'test "$(basename {{input}})" = a && cp {{input}} {{output}} || {{ {SLOW}; }}', ["a", "b", "c"]
    )
    process = part.start()
    wait_for((part.out / ".paddock-k3v-1/b").exists)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert [path.name for path in part.out.iterdir() if path.is_file()] == ["a"], "nothing half is there"
    (tmp_path / "go").touch()
    assert part.run() == 0
    assert part.made() == ["a", "b", "c"]
    assert {path.name for path in part.out.iterdir()} == {"a", "b", "c"}
    assert (part.out / "b").read_text() == "b"
    assert "file 2 of 3" in part.log


def test_a_signal_to_end(tmp_path: Path) -> None:
    part = Part(tmp_path, SLOW, ["a", "b"])
    process = part.start()
    wait_for((part.out / ".paddock-k3v-1/a").exists)
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait(120) == 128 + signal.SIGTERM
    assert list(part.out.iterdir()) == []
    assert "file 2" not in part.log
    assert "Traceback" not in part.log


def test_its_reports_and_checkpoints_are_not_those_of_the_commands(tmp_path: Path) -> None:
    part = Part(tmp_path, "env > {output}; : {input}", ["a"])
    assert part.run() == 0
    seen = (part.out / "a").read_text()
    assert "PADDOCK_TASK=k3v-1" in seen
    assert "PADDOCK_REPORT" not in seen
    assert "PADDOCK_CHECKPOINT_DIR" not in seen


def test_it_runs_on_python_3_8() -> None:
    ast.parse(Path(map_driver.__file__).read_text(), feature_version=(3, 8))
