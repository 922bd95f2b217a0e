"""Use over REST: a real server with scripted GPUs, on one of which a process computes."""

import csv
import io
import os
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from paddock.client.client import Client
from paddock.server.store.db import Database
from tests.support.nvidia_smi import install_nvidia_smi
from tests.support.reservations import add_reservation
from tests.support.server import ServerProcess, running, wait_for
from tests.support.team import ADMIN, BOB, GUEST, Team
from tests.support.up import Cli


class UsedServer:
    """A server whose GPU 0 is used, and whose GPUs are both reserved since an hour ago."""

    def __init__(self, server: ServerProcess, devices: list[dict[str, Any]], reservation: str) -> None:
        self.server, self.devices, self.reservation = server, devices, reservation


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UsedServer]:
    folder = tmp_path_factory.mktemp("usage")
    gpus = install_nvidia_smi(folder / "bin", 2)
    program = subprocess.Popen(["sleep", "600"])
    gpus.put(0, program.pid)
    try:
        environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
        waits = {"server.engine.use.LOOK_SECONDS": 0.5, "server.engine.use.STORE_SECONDS": 0.5}
        settings = {"reservations__idle_minutes": 0.01, "owner": ADMIN}
        with running(folder / "home", environment=environment, waits=waits, **settings) as server:
            devices = wait_for(lambda: server.get("/devices"), what="the GPUs")
            db, now = Database(f"sqlite:///{folder}/home/paddock.db"), time.time()
            id = add_reservation(db, [one["id"] for one in devices], now - 3600, now + 3600, owner=ADMIN)
            db.close()
            wait_for(
                lambda: all(one["seen"] for one in server.get(f"/reservations/{id}/use")), what="the use of both GPUs"
            )
            yield UsedServer(server, devices, id)
    finally:
        program.kill()
        program.wait()


def test_use_is_shown_while_the_reservation_runs(used: UsedServer) -> None:
    first, second = (one["id"] for one in used.devices)

    def seen() -> Any:
        found = {one["device"]: one for one in used.server.get(f"/reservations/{used.reservation}/use")}
        return found if found[first]["busy"] > 0 and found[second]["release"] else None

    found = wait_for(seen, what="the use of both GPUs")
    busy, idle = found[first], found[second]
    assert busy["load_peak"] == 0.5
    assert 0 < busy["load_mean"] <= 0.5
    assert abs(busy["memory_peak"] - 10**9) < 2**20
    assert (busy["foreign"], busy["release"], busy["idle_since"]) == (0.0, False, None)
    assert (idle["busy"], idle["load_mean"], idle["first_used_at"]) == (0.0, 0.0, None)
    assert idle["idle"] == idle["seen"] > 0
    listed = used.server.get("/usage/reservations")
    assert {one["device"] for one in listed} == {first, second}


def test_reports_and_tables(used: UsedServer) -> None:
    report = wait_for(
        lambda: next((one for one in [used.server.get("/usage")] if one["rows"] and one["rows"][0]["used"]), None),
        what="what was used",
    )
    [row] = report["rows"]
    assert (row["key"], report["by"], report["mine_only"]) == (ADMIN, "account", False)
    assert row["reserved"] == pytest.approx(2.0, abs=0.2)
    assert row["efficiency"] == pytest.approx(0.5, abs=0.3)
    by_device = used.server.get("/usage", by="device")["rows"]
    assert {one["name"] for one in by_device} == {one["name"] for one in used.devices}
    [week] = used.server.get("/usage", by="week", since=_at(-7200))["rows"][-1:]
    assert week["name"].startswith("week of 20")
    table = used.server.client.get("/usage.csv", params={"by": "device"})
    assert table.headers["content-type"].startswith("text/csv")
    [head, *rows] = csv.reader(io.StringIO(table.text))
    assert head[:3] == ["device", "name", "reserved_gpu_hours"]
    assert {row[1] for row in rows} == {one["name"] for one in used.devices}


def test_the_overview_has_every_hour(used: UsedServer) -> None:
    found = used.server.get("/overview", weeks=1)
    assert found["hours"] == 168
    since = datetime.fromisoformat(found["since"])
    assert (since.weekday(), since.hour) == (0, 0)
    now = int((datetime.now(UTC) - since).total_seconds() // 3600)
    for one in found["devices"]:
        assert len(one["reserved"]) == len(one["load"]) == 168
        assert ADMIN in one["reserved"][max(now - 1, 0) : now + 2]
    assert {one["device"] for one in found["devices"]} == {one["id"] for one in used.devices}


def test_the_command_and_the_sdk(used: UsedServer, tmp_path: Path) -> None:
    server, first = used.server, used.devices[0]
    env = {"PADDOCK_URL": server.url, "PADDOCK_TOKEN": server.token}
    cli = Cli(tmp_path / "nobody", tmp_path)
    head, *rows = cli.quick("usage", "--by", "device", **env).out.splitlines()
    assert head.split() == ["DEVICE", "RESERVED", "USED", "IDLE", "EFFICIENCY"]
    assert {row.split()[0] for row in rows} == {one["name"] for one in used.devices}
    assert cli.quick("usage", "--csv", "--since", "2h", **env).out.splitlines()[1].startswith(f"{ADMIN},{ADMIN},")
    assert cli.quick("usage", "--json", "--by", "week", **env).json["by"] == "week"
    assert "Nothing was reserved" in cli.quick("usage", "--since", "70d", "--until", "60d", **env).err
    for wrong in (["--since", "soonish"], ["--csv", "--json"], ["--since", "2d", "--until", "3d"], ["--by", "planet"]):
        assert cli.quick("usage", *wrong, code=2, **env).out == ""
    with Client(url=server.url, token=server.token) as client:
        assert client.calendar.usage("week", since="2026-01-01T00:00:00Z").rows
        assert client.calendar.use(used.reservation)[0].seen > 0
        found = {one.device: one for one in client.calendar.overview(2).devices}
        assert len(found[first["id"]].load) == 336


@pytest.mark.parametrize(
    "query", [{"by": "planet"}, {"since": "yesterday"}, {"since": "2030-01-01T00Z", "until": "2029-01-01T00Z"}]
)
def test_bad_questions_are_refused(used: UsedServer, query: dict[str, str]) -> None:
    answer = used.server.client.get("/usage", params=query)
    assert answer.status_code == 422
    assert used.server.client.get("/overview", params={"weeks": 13}).status_code == 422
    assert used.server.client.get("/reservations/nothere/use").status_code == 404


def _at(seconds: float) -> str:
    return datetime.fromtimestamp(time.time() + seconds, UTC).isoformat()


def test_people_see_their_own_use_and_admins_that_of_all(used: UsedServer) -> None:
    """The last one: from here on, accounts are in use."""
    people = Team(used.server)
    try:
        bob, admin = people.clients[BOB], people.clients[ADMIN]
        report = bob.get("/usage").json()
        assert (report["rows"], report["mine_only"]) == ([], True)
        assert bob.get("/usage", params={"by": "device"}).json()["rows"] == []
        assert bob.get(f"/reservations/{used.reservation}/use").status_code == 403
        assert bob.get("/usage/reservations").json() == []
        assert len(bob.get("/usage.csv").text.splitlines()) == 1
        assert ADMIN in {row["key"] for row in admin.get("/usage").json()["rows"]}
        assert {row["key"] for row in admin.get("/usage", params={"mine": True}).json()["rows"]} == {ADMIN}
        guest = people.clients[GUEST]
        assert guest.get("/usage").status_code == 403
        assert guest.get("/overview").status_code == 200
    finally:
        people.close()
