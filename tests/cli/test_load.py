"""Test `paddock load`."""

import csv
import io
import signal
import socket
import subprocess

from paddock.cli.load import COLUMNS
from tests.support.server import PATIENCE, wait_for
from tests.support.up import Cli
from tests.support.warm import Warm


def test_tables(cli: Cli) -> None:
    job = cli.submit("-p", "sleep=60", "--name", "sleeper")
    try:
        wait_for(lambda: job in cli.quick("load").out, what="the task to run")
        done = cli.quick("load")
        assert {"NODE", "USER", "JOB"} <= {line.split()[0] for line in done.out.splitlines() if line}
        assert "sleeper" in done.out
        assert all(len(line) <= 80 for line in done.out.splitlines())
        report = cli.quick("load", "--json").json
        assert job in [one["job"] for one in report["jobs"]]
    finally:
        cli.quick("stop", job)


def test_one_flat_table(cli: Cli) -> None:
    rows = list(csv.DictReader(io.StringIO(cli.quick("load", "--csv").out)))
    assert list(rows[0]) == COLUMNS
    assert (rows[0]["node"], rows[0]["backend"], rows[0]["device"]) == (socket.gethostname(), "local", "")
    assert 0 <= float(rows[0]["load"]) <= 1
    assert int(rows[0]["memory_used"]) + int(rows[0]["memory_free"]) == int(rows[0]["memory"])
    assert "--csv excludes" in cli.quick("load", "--csv", "--json", code=2).err


def test_one_node(cli: Cli) -> None:
    name = socket.gethostname()
    assert [node["name"] for node in cli.quick("load", "--node", name[:2], "--json").json["nodes"]] == [name]
    assert "no node 'nowhere'" in cli.quick("load", "--node", "nowhere", code=3).err


def test_watching_goes_on_until_it_is_ended(cli: Cli) -> None:
    with Warm(["load", "--watch", "--json"], env=cli.environment(), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(PATIENCE) == 0
    assert all(line.startswith(b'{"at":') for line in lines)


def test_without_a_server(alone: Cli) -> None:
    assert "paddock up" in alone.quick("load", code=4).err
