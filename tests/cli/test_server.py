"""Test down, tunnel, and a server that takes over from another, without Slurm."""

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from paddock.cli import in_slurm
from paddock.client.client import Client
from paddock.client.connection import HANDOVER_SECONDS
from paddock.errors import InvalidInput, ServerUnreachable
from paddock.home import server_file
from paddock.home.server_file import ServerAddress
from paddock.models import Resources
from paddock.paths import Home
from paddock.server import slurm_server
from paddock.settings import Settings, SlurmSettings
from tests.support.server import wait_for
from tests.support.up import Cli
from tests.support.warm import Warm


@contextmanager
def _up(cli: Cli, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = Warm(
        ["up", "--port", "0", *arguments],
        env=cli.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            yield process
        finally:
            process.terminate()


def _served_by(cli: Cli, process: subprocess.Popen[bytes]) -> ServerAddress:
    def found() -> ServerAddress | None:
        there = server_file.read(Home(cli.home))
        return there if there and there.pid == process.pid else None

    about: ServerAddress = wait_for(found, what="the server's address")
    return about


def test_down_ends_the_server(alone: Cli) -> None:
    with _up(alone) as process:
        about = _served_by(alone, process)
        assert (about.host, about.slurm) == (socket.gethostname(), None)
        assert alone.quick("down", "--json").json == {"ended": [f"process {process.pid}"]}
        assert process.wait(120) == 0
    done = alone.quick("down", code=4)
    assert done.err == f"error: No Paddock server runs on {alone.home}: there is nothing to end.\n"


def test_down_does_not_end_what_is_no_server(alone: Cli) -> None:
    alone.home.mkdir()
    with subprocess.Popen(["sleep", "60"]) as other:
        about = ServerAddress(url="http://127.0.0.1:1", pid=other.pid, host=socket.gethostname(), port=1)
        about.write(Home(alone.home))
        assert "No Paddock server runs" in alone.quick("down", code=4).err
        assert other.poll() is None
        other.kill()
    replace(about, host="elsewhere").write(Home(alone.home))
    assert "runs on elsewhere" in alone.quick("down", code=5).err


def test_tunnel(cli: Cli, alone: Cli) -> None:
    port = json.loads((cli.home / "server.json").read_text())["port"]
    done = cli.quick("tunnel")
    assert done.out.startswith(f"ssh -N -L {port}:127.0.0.1:{port} ")
    assert done.out.endswith(f"@{socket.gethostname()}\n")
    assert f"http://localhost:{port}/?token=" in done.err
    facts = cli.quick("tunnel", "--port", "8080", "--json").json
    assert facts["tunnel"].startswith(f"ssh -N -L 8080:127.0.0.1:{port} ")
    assert facts["page"].startswith("http://localhost:8080/?token=")
    assert "paddock up --in-slurm" in alone.quick("tunnel", code=4).err


def test_the_tunnel_goes_to_the_node() -> None:
    about = ServerAddress(url="http://n7:54322", host="n7", port=54322, slurm="12", node="n7")
    assert about.tunnel("me", "login1") == "ssh -N -L 54322:n7:54322 me@login1"


def test_a_successor_takes_over_and_no_request_fails(alone: Cli) -> None:
    with _up(alone) as first:
        before = _served_by(alone, first)
        with Client(home=alone.home) as client:
            job = client.submit(alone.script(), params={"sleep": 3}, resources={"gpus": 0}).id
            assert "already runs" in alone("up", code=5).err
            assert first.poll() is None
            with _up(alone, "--succeed") as second:
                end = time.monotonic() + 60
                while server_file.read(Home(alone.home)) in (before, None) and time.monotonic() < end:
                    client.detail(job)
                assert first.wait(120) == 0
                assert first.stderr is not None
                assert b"takes over: this server ends" in first.stderr.read()
                assert _served_by(alone, second).pid == second.pid
                assert not server_file.handover(Home(alone.home)).exists()
                assert client.job(job).wait(120).detail.counts.finished == 1


def test_a_successor_without_a_server_just_starts(alone: Cli) -> None:
    home = Home(alone.home)
    home.create()
    ServerAddress(url="http://127.0.0.1:1", pid=1, port=1).write(home)  # of one that was killed
    with _up(alone, "--succeed") as process:
        _served_by(alone, process)


def test_an_announcement_that_nobody_follows_up_is_removed(alone: Cli) -> None:
    home = Home(alone.home)
    home.create()
    server_file.announce_handover(home)
    with _up(alone) as process:
        _served_by(alone, process)
        wait_for(lambda: not server_file.handover(home).exists())
        time.sleep(1.5)
        assert process.poll() is None


def test_requests_wait_for_a_successor_only(alone: Cli) -> None:
    home = Home(alone.home)
    home.create()
    began = time.monotonic()
    with Client(home=alone.home) as client, pytest.raises(ServerUnreachable):
        client.version()
    assert time.monotonic() - began < HANDOVER_SECONDS / 2


def test_a_server_that_ends_while_it_is_asked(alone: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeat requests that only read while a successor takes over; others may have been carried out already."""
    home = Home(alone.home)
    home.create()
    home.ensure_token()
    monkeypatch.setattr("paddock.client.connection.HANDOVER_SECONDS", 1.0)
    monkeypatch.setattr("paddock.client.connection.Connection._prove", lambda *_: None)  # the connection is cut later
    taken: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as listening, Client(home=alone.home) as client:

        def cut() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    connection.close()
                    taken.append(port)

        port = listening.getsockname()[1]
        threading.Thread(target=cut, daemon=True).start()
        ServerAddress(url=f"http://127.0.0.1:{port}", pid=1, port=port).write(home)
        server_file.announce_handover(home)
        with pytest.raises(ServerUnreachable):
            client.version()
        assert len(taken) > 1
        taken.clear()
        with pytest.raises(ServerUnreachable):
            client.stop("abc")
        assert len(taken) == 1
        listening.shutdown(socket.SHUT_RDWR)


# --- in Slurm: what is submitted ------------------------------------------------------------------------------------


def _hosting(**resources: Any) -> slurm_server.SlurmServerPlan:
    return slurm_server.SlurmServerPlan(
        cluster="slurm", python="/opt/my env/python", port=54322, resources=Resources.model_validate(resources)
    )


def test_the_script_of_the_server(tmp_path: Path) -> None:
    home = Home(tmp_path / "100% mine")
    script = _hosting().script(home, succeed=False)
    assert script.startswith("#!/bin/bash\n")
    assert "\nexec '/opt/my env/python' -m paddock --home " in script
    assert f"'{home.root}' up --host 0.0.0.0 --port 54322 --hosted slurm\n" in script
    assert _hosting().script(home, succeed=True) == script.rstrip() + " --succeed\n"
    options = _hosting(partition="cpu", time_limit="7-0").options(home)
    assert f"--output={tmp_path}/100%% mine/server.log" in options
    assert {"--job-name=paddock-server", "--partition=cpu", "--time=7-00:00:00", "--signal=B:USR1@600"} <= set(options)
    assert "--signal=B:USR1@300" in _hosting(time_limit="15m").options(home)
    assert not [option for option in options if "None" in option]


def test_the_cluster_of_the_server(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert slurm_server.host(Settings(home=tmp_path), home).cluster == "slurm"
    two = Settings(home=tmp_path, backends={"a": SlurmSettings(), "b": SlurmSettings()})
    assert slurm_server.host(two, home, "b").cluster == "b"
    assert slurm_server.host(two.model_copy(update={"backend": "a"}), home).cluster == "a"
    with pytest.raises(InvalidInput, match=r"\(a, b\)"):
        slurm_server.host(two, home)
    with pytest.raises(InvalidInput, match="no Slurm cluster 'c'"):
        slurm_server.host(two, home, "c")


def test_wrong_ways_to_start_in_slurm(alone: Cli, tmp_path: Path) -> None:
    assert "--partition only works with --in-slurm" in alone.quick("up", "--partition", "cpu", code=2).err
    assert "--time only works with --in-slurm" in alone.quick("up", "--time", "4h", code=2).err
    assert "4 of what?" in alone.quick("up", "--in-slurm", "--time", "4", code=2).err
    assert "--host" in alone.quick("up", "--in-slurm", "--host", "x", code=2).err
    nowhere = {name: str(tmp_path) for name in ("PATH", "SLURM_CONF")}
    assert "are Slurm's commands installed on this node?" in alone.quick("up", "--in-slurm", code=5, **nowhere).err
    assert not alone.home.exists() or not os.listdir(alone.home)


def test_what_plain_http_means_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    in_slurm._announce(home, ServerAddress(url="http://n17:54322", port=54322, slurm="77", node="n17"), True)
    assert "plain HTTP" in capsys.readouterr().err
    in_slurm._announce(home, ServerAddress(url="http://127.0.0.1:54322", port=54322), True)
    assert capsys.readouterr().err == ""


# --- nobody answers, or somebody else ---------------------------------------------------------------------------------


def test_after_a_server_in_slurm_the_advice_is_to_start_it_there(alone: Cli) -> None:
    home = Home(alone.home)
    home.create()
    assert "start one with `paddock up`, or" in alone.quick("ls", code=4).err
    server_file.hosted(home).write_text("{}")
    assert "start one with `paddock up --in-slurm`, or" in alone.quick("ls", code=4).err
    dead = ServerAddress(url="http://127.0.0.1:9", pid=os.getpid(), slurm="77", node="n3")
    dead.write(home)
    assert "start one with `paddock up --in-slurm`." in alone.quick("ls", code=4).err
    said = alone.quick("doctor", "--quick", "--json", code=None).out
    assert "it ran as Slurm job 77 on n3 and does not answer" in said
    assert "`paddock up --in-slurm` starts it again" in said
    replace(dead, slurm=None).write(home)
    assert "start one with `paddock up`." in alone.quick("ls", code=4).err


def test_a_home_of_another_user_is_told_in_one_sentence(alone: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(home: Home) -> ServerAddress | None:
        raise PermissionError(13, "Permission denied", str(home.server))

    monkeypatch.setattr(server_file, "read", denied)
    said = alone.quick("ls", code=4).err
    assert said.startswith(f"error: Permission denied: {alone.home}")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("command", [["ls"], ["show", "k3v"], ["nodes"], ["follow", "k3v"]])
def test_an_answer_that_is_not_paddocks_is_told_in_one_sentence(alone: Cli, command: list[str]) -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>Jupyter</html>")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        said = alone.quick("--url", f"http://127.0.0.1:{other.server_port}", *command, code=None).err
        other.shutdown()
    assert said.startswith("error: ")
    assert len(said.splitlines()) == 1, said
