"""Test that a home has one server, and that only a living successor ends it."""

import os
import shutil
import time
from pathlib import Path

import pytest

from paddock.home import lease, server_file
from paddock.home.lease import Holder
from paddock.paths import write_once
from tests.support.server import ServerProcess, running, wait_for
from tests.support.up import Cli


@pytest.fixture
def server(tmp_path: Path) -> ServerProcess:
    return ServerProcess(tmp_path / "home")


def elsewhere(**fields: object) -> Holder:
    given = {"host": "n2", "kernel": "another boot", "pid": 1, "start": 1, "id": "other", "url": "http://n2:1"}
    return Holder.model_validate(given | fields)


def test_one_server_to_a_home(tmp_path: Path) -> None:
    with running(tmp_path / "home") as server:
        cli = Cli(tmp_path / "home", tmp_path)
        refused = cli("up", "--port", "0", code=5).err
        assert f"already runs on {server.home.root} at {server.url} (process " in refused

        # Also where the lock is the other machine's own: the lease tells.
        server.home.lock.unlink()
        assert f" at {server.url} (process " in cli("up", "--port", "0", code=5).err

        # A handover file that cannot be read, or that nobody stands behind, ends no server.
        left = server_file.handover(server.home)
        left.mkdir()
        _still_serves(server)
        left.rmdir()
        for text in ("{", '{"slurm": "7", "node": "n7", "pid": 1}'):
            left.write_text(text)
            _still_serves(server)
        dead = elsewhere(host=os.uname().nodename).model_copy(update=lease.here() | {"start": 1})
        write_once(left, dead.model_dump_json())
        wait_for(lambda: not left.exists(), 60, "the file of a dead successor to be removed")
        write_once(left, elsewhere().model_dump_json())  # written once by another machine, and never again
        _still_serves(server)
        left.unlink()

        # A server whose lease another has ends, and leaves what is the other's.
        write_once(lease.path(server.home), elsewhere().model_dump_json())
        assert server.process is not None
        assert server.process.wait(120) == 5
        assert "process 1 on n2 serves" in server.output()
        assert lease.read(server.home) == elsewhere()


def _still_serves(server: ServerProcess) -> None:
    time.sleep(1.3)  # it looks once a second
    assert server.process is not None
    assert server.process.poll() is None
    assert server.get("/version")


def test_a_successor_of_another_machine_is_obeyed_once_it_is_seen_to_wait(server: ServerProcess) -> None:
    server.start()
    assert server.process is not None
    beats = iter(range(10**6))

    def ended() -> bool:
        write_once(server_file.handover(server.home), elsewhere(beat=next(beats)).model_dump_json())
        return server.process is not None and server.process.poll() is not None

    wait_for(ended, 60, "the server to make room")
    assert server.stop() == 0
    assert "process 1 on n2 takes over: this server ends" in server.output()
    assert not lease.path(server.home).exists()
    shutil.rmtree(server.home.root)
