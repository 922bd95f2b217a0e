"""Test tasks that replace the files through which the runner and the members of a task communicate.

Each file is read in a separate process with little memory, so a reader that waits at a pipe, or reads all of a huge
file, makes the test fail.
"""

import json
import multiprocessing
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paddock.backends.slurm import backend
from paddock.common import layout
from paddock.common.files import NotPlain, write_plain
from paddock.runner import manifest, map_driver
from paddock.runner.journal import Journal
from paddock.runner.mailbox import QueuedAttempt
from paddock.runner.multinode import member, member_watch, members
from paddock.runner.process.fence import Fence
from paddock.runner.process.prepare import Preparer
from paddock.runner.sharing.mps import Mps
from tests.runner.folder import Folder, ended
from tests.runner.test_runner_members import Cluster, cluster, team

__all__ = ["cluster"]

SECONDS = 60.0
MEMORY = 600_000_000  # bytes besides what a process has already
HUGE = 1_000_000_000
PLANTED = ["pipe", "link to itself", "link to another", "link to nowhere", "huge", "deep"]


def plant(path: Path, what: str, told: str = "{}") -> Path:
    """Put it there; the file that a link leads to, which says `told`."""
    other = path.parent.parent / "other" / "file"
    other.parent.mkdir(exist_ok=True)
    other.write_text(told)
    if what == "pipe":
        os.mkfifo(path)
    elif what == "link to itself":
        path.symlink_to(path)
    elif what == "link to another":
        path.symlink_to(other)
    elif what == "link to nowhere":
        path.symlink_to(other.parent / "nowhere")
    elif what == "huge":
        with open(path, "wb") as file:
            file.truncate(HUGE)
    else:
        path.write_text("[" * 60_000)
    return other


def looked(call: Callable[[], Any]) -> Any:
    """What it gives, in time and with little memory."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)

    def run() -> None:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        try:
            there.send(call())
        except Exception as error:
            there.send(type(error))

    process = context.Process(target=run)
    process.start()
    there.close()
    try:
        assert here.poll(SECONDS), "it waits for ever"
        return here.recv()
    finally:
        process.kill()
        process.join()


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """The members' folder of an attempt."""
    made = tmp_path / "members"
    made.mkdir()
    return made


TWO = manifest.Members(2, 1, "srun")


@pytest.mark.parametrize("what", PLANTED)
def test_what_members_report(room: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    told = json.dumps({"memory": 10, "cpu": 1, "at": 1, "exit": 1, "signal": 9, "peak_memory": 10, "step": "1.2"})
    for path in (layout.member, layout.member_usage, layout.member_end):
        plant(Path(path(str(room), 0)), what, told)
        Path(path(str(room), 1)).write_text(told)
    crew = members.SrunMembers(TWO, str(room))
    assert looked(lambda: (crew.usage(), len(crew.ends()), crew.used(), crew.step)) == ((10, 1), 1, (10, 0.0), "1.2")


@pytest.mark.parametrize("what", ["pipe", "link to itself", "link to another"])
def test_a_members_folder_that_is_none(room: Path, what: str) -> None:
    room.rmdir()
    plant(room, what)
    crew = members.SrunMembers(TWO, str(room))
    assert looked(lambda: (crew.usage(), crew.ends(), crew.step)) == (None, [], None)
    assert looked(crew.kill) is None


@pytest.mark.parametrize("step", ["--user=me", "7.0 8.0", "8.0", "7", "", 7, None, "7.0\n"])
def test_only_a_step_of_this_job_is_signalled(room: Path, step: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    (room / "0.json").write_text(json.dumps({"step": step}))
    assert members.SrunMembers(TWO, str(room)).step is None
    (room / "1.json").write_text(json.dumps({"step": "7.12"}))
    assert members.SrunMembers(TWO, str(room)).step == "7.12"


@pytest.mark.parametrize("what", PLANTED)
def test_that_it_is_over_is_written_nowhere_else(room: Path, what: str) -> None:
    other = plant(room / "over", what, "somebody's")
    assert looked(members.SrunMembers(TWO, str(room)).kill) is None
    assert [path.name for path in other.parent.iterdir()] == ["file"]
    assert other.read_text() == "somebody's"
    with pytest.raises(member.MemberError, match="ended before this process began"):
        member._publish(str(room), 0, ("127.0.0.1", 1))


@pytest.mark.parametrize("what", PLANTED)
def test_a_member_finds_the_others(room: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member, "WAIT_SECONDS", 0.3)
    other = plant(room / "0.json.tmp", what, "somebody's")
    assert looked(lambda: member._prepared(manifest.Members(1, 1, "srun"), str(room), ["true"])) == ["true"]
    assert other.read_text() == "somebody's"
    plant(room / "1.json", what, '{"address": "127.0.0.1", "port": 1}')
    assert looked(lambda: member._await(TWO, str(room), [0, 1])) is member.MemberError


def test_a_member_that_reports_nonsense(room: Path) -> None:
    found: dict[int, tuple[str, int]] = {}
    for text in ('{"address": "a", "port": Infinity}', '{"address": "a", "port": NaN}', "[]", "{", "5", '{"port": 1}'):
        (room / "0.json").write_text(text)
        member._read(str(room / "0.json"), 0, found)
    assert found == {}


@pytest.mark.parametrize("what", PLANTED)
def test_a_member_reports_its_end(room: Path, what: str) -> None:
    other = plant(room / "0.end.tmp", what, "somebody's")
    plant(room / "0.end", what, "somebody's")
    assert looked(lambda: member_watch._write(str(room / "0.end"), {"exit": 0})) is None
    assert other.read_text() == "somebody's"
    assert not (room / "0.end").is_symlink()
    assert json.loads((room / "0.end").read_text()) == {"exit": 0}


def test_ranks_with_pipes_in_their_way_come_to_their_end(folder: Folder, cluster: Cluster) -> None:
    script = """
import os, time
room = os.path.join(os.path.dirname(os.environ["PADDOCK_REPORT"]), "members")
rank = os.environ["RANK"]
for name in (".usage", ".usage.tmp", ".end", ".end.tmp", ".json.tmp"): os.mkfifo(os.path.join(room, rank + name))
time.sleep(2)
"""
    folder.python_task("t-1", script)
    folder.end()
    folder.allocate(members=team(2, 1, "srun"))
    assert ended(folder.run(**cluster.env), "t-1")["exit"] == 0


@pytest.mark.parametrize("what", ["pipe", "link to itself", "link to another", "link to nowhere"])
def test_a_journal_that_is_none_is_not_written(room: Path, what: str) -> None:
    journal = Journal.create(str(room))
    journal.write("runner")
    Path(journal.path).unlink()
    other = plant(Path(journal.path), what, "somebody's")
    assert looked(journal.flush) is False
    assert [path.name for path in other.parent.iterdir()] == ["file"]
    assert other.read_text() == "somebody's"


@pytest.mark.parametrize("what", PLANTED)
def test_a_later_start_is_seen_whatever_it_is(room: Path, what: str) -> None:
    """It would have stepped over what is there: two would go on."""
    plant(room / "journal.2.jsonl", what)
    assert looked(Fence(str(room), 1).check) is True


@pytest.mark.parametrize("what", PLANTED)
def test_a_manifest_that_is_none(room: Path, what: str) -> None:
    plant(room / "a1.manifest.json", what, json.dumps({"job": "j", "job_dir": "/", "slots": 1}))
    assert looked(lambda: manifest.load(str(room / "a1.0"))) in (NotPlain, json.JSONDecodeError, RecursionError)


@pytest.mark.parametrize("what", PLANTED)
def test_what_the_sharing_service_said(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    control = tmp_path / "bin" / "nvidia-cuda-mps-control"
    control.parent.mkdir()
    control.write_text("#!/bin/sh\nexit 3\n")
    control.chmod(0o755)
    monkeypatch.setenv("PATH", str(control.parent), prepend=os.pathsep)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mps = Mps()
    assert mps.start() is None
    try:
        assert mps._daemon is not None
        mps._daemon.wait(120)
        log = Path(mps.environment["CUDA_MPS_LOG_DIRECTORY"]) / "out.log"
        log.unlink()
        plant(log, what, "the secret of another")
        said = looked(mps.trouble)
        assert said.startswith("nvidia-cuda-mps-control ended: ")
        assert "secret" not in said
        assert len(said) < 10_000
    finally:
        mps.stop()


@pytest.mark.parametrize("above", ["attempts/2", "attempts", "."])
def test_nothing_is_prepared_where_a_link_leads(tmp_path: Path, above: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "attempts" / "2").mkdir(parents=True)
    for path in (elsewhere, elsewhere / "attempts", elsewhere / "attempts" / "2"):
        (path / "params.json").write_text("somebody's")
    (tmp_path / "job" / "code").mkdir(parents=True)
    link = tmp_path / "job" / "results" / "j" / "j-1" / above
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(elsewhere)
    with pytest.raises(NotPlain):
        Preparer(str(tmp_path / "job"), "j").prepare(
            QueuedAttempt("j-1", 2, {"task": "j-1", "attempt": 2, "resume": True})
        )
    assert [path.read_text() for path in elsewhere.rglob("params.json")] == ["somebody's"] * 3
    assert not list(elsewhere.rglob("work"))


@pytest.mark.parametrize("what", PLANTED)
def test_what_slurm_leaves_in_the_folder_of_an_allocation(room: Path, what: str) -> None:
    plant(room / "slurm_id", what, "12")
    assert len(looked(lambda: backend._text(room / "slurm_id"))) in (0, 1000)


@pytest.mark.parametrize("what", PLANTED)
def test_what_a_part_of_a_map_has_done(room: Path, what: str) -> None:
    other = plant(room / "done.jsonl", what, '{"done": 1}\n')
    numbers = looked(lambda: map_driver.Done(str(room)).numbers)
    assert numbers == set() if what in ("huge", "deep") else numbers is OSError
    assert other.read_text() == '{"done": 1}\n'
    assert not (other.parent / "nowhere").exists()


def test_a_file_is_put_in_its_place_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.json"
    path.parent.mkdir()
    for text in (b"one", b"two"):
        write_plain(str(path), text, below=str(tmp_path))
        assert path.read_bytes() == text
    assert [one.name for one in path.parent.iterdir()] == ["b.json"]
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match=r"b\.json"):
        write_plain(str(path), b"three", below=str(tmp_path))
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(NotPlain):
        write_plain(str(tmp_path / "link" / "c"), b"", below=str(tmp_path))


def test_a_runner_ends_though_a_pipe_is_in_place_of_its_manifest(folder: Folder) -> None:
    folder.allocate()
    folder.manifest().unlink()
    os.mkfifo(folder.manifest())
    command = [sys.executable, "-I", "-S", str(folder._pyz), str(folder.root / "allocations" / "a1.0")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 1
    assert "not a plain file" in done.stderr
