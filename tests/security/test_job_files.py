"""Test tasks that replace the files that the server shows."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from paddock.paths import JobFolder
from paddock.runner import map_driver
from tests.support.server import ServerProcess, running

SECRET = "what the server alone may read"
LOOKS = 60  # more than there are worker threads


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("files") / "home", local__slots=1, runner__grace_seconds=1) as server:
        yield server


@pytest.fixture(scope="module")
def job(server: ServerProcess) -> JobFolder:
    made = server.submit("print('its log')")
    server.wait(made)
    return server.home.job(made)


@pytest.fixture
def secret(server: ServerProcess) -> Path:
    path = server.home.root / "secret.txt"
    path.write_text(SECRET)
    return path


def _link(path: Path, secret: Path) -> None:
    path.symlink_to(secret)


def _hard_link(path: Path, secret: Path) -> None:
    os.link(secret, path)


def _fifo(path: Path, _: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path, _: Path) -> None:
    path.mkdir()


def _device(path: Path, _: Path) -> None:
    path.symlink_to("/dev/zero")


def _linked_folder(path: Path, secret: Path) -> None:
    """The folder above it leads elsewhere."""
    elsewhere = secret.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    (elsewhere / path.name).write_text(SECRET)
    shutil.rmtree(path.parent)
    path.parent.symlink_to(elsewhere)


PLANTED = [_link, _hard_link, _fifo, _folder, _device, _linked_folder]
Plant = Callable[[Path, Path], None]


def _put(plant: Plant, path: Path, secret: Path) -> None:
    if path.parent.is_symlink():
        path.parent.unlink()
    elif path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    plant(path, secret)


@pytest.mark.parametrize("plant", PLANTED)
def test_a_log_that_is_none_is_not_shown(server: ServerProcess, job: JobFolder, secret: Path, plant: Plant) -> None:
    task = f"{job.job}-1"
    _put(plant, job.log(task, 1), secret)
    for path in (f"/tasks/{task}/log", f"/tasks/{task}/log/follow"):
        answer = server.client.get(path)
        assert answer.status_code == 404, answer.text
        assert "not a plain file" in answer.text or "second name" in answer.text
        assert SECRET not in answer.text
    assert server.get(f"/tasks/{task}")["log_bytes"] == 0


def test_looks_at_a_pipe_use_up_no_worker(server: ServerProcess, job: JobFolder, secret: Path) -> None:
    task = f"{job.job}-1"
    _put(_fifo, job.log(task, 1), secret)
    seen: list[int] = []

    def look() -> None:
        headers = {"Authorization": f"Bearer {server.token}"}
        seen.append(httpx2.get(f"{server.url}/api/v1/tasks/{task}/log", headers=headers, timeout=60).status_code)

    threads = [threading.Thread(target=look) for _ in range(LOOKS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert seen == [404] * LOOKS
    assert server.get("/jobs")["total"]


@pytest.mark.parametrize("plant", PLANTED)
def test_files_of_a_snapshot_that_are_none_are_left_out(
    server: ServerProcess, job: JobFolder, secret: Path, plant: Plant
) -> None:
    _put(plant, job.code / "more" / "train2.py", secret)
    (job.code / os.fsdecode(b"\xff.py")).write_text("x")
    found = server.get(f"/jobs/{job.job}/files")
    assert found == {"train.py": "print('its log')"}


@pytest.mark.parametrize("plant", PLANTED)
@pytest.mark.parametrize("name", [map_driver.PLAN, map_driver.PARTS])
def test_parts_of_a_map_that_are_none_are_left_out(
    server: ServerProcess, job: JobFolder, secret: Path, plant: Plant, name: str
) -> None:
    folder = job.code / map_driver.FOLDER
    if folder.is_symlink():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / map_driver.PLAN).write_text('{"folder": "/data"}')
    (folder / map_driver.PARTS).write_text('[["/data/a", null]]\n')
    assert server.get(f"/jobs/{job.job}/parts") == [{"part": 1, "files": 1, "input": "a", "output": None}]
    _put(plant, folder / name, secret)
    assert server.get(f"/jobs/{job.job}/parts") == []


JUNK = [b"{", b"[]", b"[[]]", b"5", b"null", b'[["a"]]', b"[[1, 2]]", b'{"a": 1}', b'"ab"', b"\xff\xfe", b"[" * 100_000]
JUNK += [b'[["\\ud800", null]]', b'[["a\\u0000", ["b"]]]', b"[" + b"9" * 5000 + b"]", b"NaN"]


def test_junk_in_a_map_is_no_error(server: ServerProcess, job: JobFolder) -> None:
    folder = job.code / map_driver.FOLDER
    if folder.is_symlink():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)  # another test may have left anything there
    folder.mkdir()
    plan, parts = folder / map_driver.PLAN, folder / map_driver.PARTS
    plan.write_text('{"folder": "/data"}')
    for junk in JUNK:
        parts.write_bytes(b'[["/data/a", null]]\n' + junk + b'\n\n[["/data/b", "/out/b"]]\n')
        found = server.get(f"/jobs/{job.job}/parts")
        assert [(one["part"], one["input"]) for one in found if one["input"]] == [(1, "a"), (4, "b")], junk
    for junk in [*JUNK, b'{"folder": 5}', b'{"folder": null}']:
        plan.write_bytes(junk)
        assert server.get(f"/jobs/{job.job}/parts") == []


# Puts a pipe in place of a file of its attempt, and ends as it is told to.
PIPE = """
import os, signal, time
path = os.path.join(os.path.dirname(os.environ["PADDOCK_REPORT"]), {name!r})
if os.path.exists(path):
    os.unlink(path)
os.mkfifo(path)
{end}
"""


def test_a_pipe_that_a_killed_runner_left_holds_up_nobody(server: ServerProcess) -> None:
    for name in ("out.log", "report.jsonl"):
        end = "os.kill(os.getppid(), signal.SIGKILL); time.sleep(600)"
        [task] = server.wait(server.submit(PIPE.format(name=name, end=end), retries={"lost": 0}))
        assert (task["state"], task["cause"]) == ("error", "lost")
    assert [task["state"] for task in server.wait(server.submit("print(1)"))] == ["finished"]
    assert server.stop() == 0
    server.start()


@pytest.mark.parametrize("name", ["out.log", "report.jsonl"])
def test_a_pipe_among_its_files_holds_up_no_runner(server: ServerProcess, name: str) -> None:
    job = server.submit(PIPE.format(name=name, end="time.sleep(1); raise SystemExit(3)"))
    [task] = server.wait(job)
    assert (task["state"], task["cause"]) == ("error", "user_error")
    assert any("not a plain file" in text for text in server.task(job)["warnings"])
