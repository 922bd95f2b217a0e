"""Test the commands of reservations against a real server with accounts and three GPUs."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from paddock.client.client import Client
from paddock.common import processes
from tests.support.gpu_server import GpuServer, gpu_server
from tests.support.server import PATIENCE, wait_for
from tests.support.team import ADMIN, ALICE, BOB, Team
from tests.support.up import Cli, Done
from tests.support.warm import WAITS, Warm

SHOW = "import os; print(os.environ['CUDA_VISIBLE_DEVICES'], os.environ['PADDOCK_RESERVATION'])"
HOLD = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"


@dataclass(frozen=True)
class Person:
    """An account at a shell of the machine with the GPUs."""

    cli: Cli
    env: dict[str, str]

    def __call__(self, *arguments: str, code: int = 0, **env: str) -> Done:
        return self.cli.quick(*arguments, code=code, **self.env | env)

    def apart(self, *arguments: str, waits: dict[str, float] | None = None) -> Warm:
        """The command in a process that the test may interrupt."""
        env = self.cli.environment(**self.env, **({WAITS: json.dumps(waits)} if waits else {}))
        return Warm(arguments, cwd=self.cli.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @property
    def own(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self("reservations", "--json").json
        return found


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GpuServer, Team]]:
    with gpu_server(tmp_path_factory.mktemp("gpus"), 3, owner=ADMIN) as made:
        people = Team(made.server)
        try:
            yield made, people
        finally:
            people.close()


def person(lab: tuple[GpuServer, Team], folder: Path, name: str) -> Person:
    made, people = lab
    token = people.clients[name].headers["Authorization"].removeprefix("Bearer ")
    env = {"PADDOCK_URL": made.server.url, "PADDOCK_TOKEN": token, "PATH": made.path, "TZ": "UTC"}
    return Person(Cli(folder / "nobody", folder), env)


@pytest.fixture
def host(lab: tuple[GpuServer, Team]) -> Iterator[str]:
    """The name of the host. All reservations are given back after the test."""
    made, people = lab
    yield made.devices[0]["host"]
    with Client(url=made.server.url, token=made.server.token) as client:
        for one in client.calendar.reservations():
            if one.starts_at <= datetime.now(UTC):
                client.calendar.release(one.id)
            else:
                client.calendar.cancel(one.id)
    people.clients[ALICE].patch("/me", json={"zone": ""})


@pytest.fixture
def alice(lab: tuple[GpuServer, Team], tmp_path: Path) -> Person:
    return person(lab, tmp_path, ALICE)


@pytest.fixture
def bob(lab: tuple[GpuServer, Team], tmp_path: Path) -> Person:
    return person(lab, tmp_path, BOB)


def test_what_can_be_reserved_and_who_has_it(host: str, alice: Person, bob: Person) -> None:
    shown = alice("gpus").out
    assert [line.split()[0] for line in shown.splitlines()[1:]] == [f"{host}:{n}" for n in range(3)]
    assert shown.count("free") == 3
    made = alice("reserve", f"{host}:0", "--for", "4h", "--title", "first try").out
    id = made.split()[0]
    assert f"{host}:0 from now until" in made
    assert "(UTC)" in made
    bob("reserve", f"{host}:1,2", "--from", "tomorrow 14:00", "--for", "4h")
    first, second, _ = alice("gpus").out.splitlines()[1:]
    assert "you until" in first
    assert "free until" in second
    assert "bob from" in second
    assert "alice until" in bob("gpus").out
    row = bob("gpus", "--json").json[0]
    assert (row["number"], row["reservation"]["id"], row["next"]) == (0, id, None)
    assert "14:00" in bob("reservations").out
    assert id not in bob("reservations").out
    listed = bob("reservations", "--all", COLUMNS="160").out  # late in the day, times have dates and are longer
    assert id in listed
    assert "first try" in listed
    assert f"{host}:1,2" in listed


def test_gpu_0_by_every_name(host: str, alice: Person) -> None:
    (device,) = [one for one in alice("gpus", "--json").json if one["number"] == 0]
    for text in (f"{host}:0", f"{host}:0-0", f"{host}:0,0", device["id"]):
        made = alice("reserve", text, "--for", "1h", "--json").json
        assert made["reservations"][0]["devices"] == [device["id"]], text
        alice("release", made["reservations"][0]["id"])
    whole = alice("reserve", host, "--for", "1h", "--json").json["reservations"][0]
    assert len(whole["devices"]) == 3


def test_a_refusal_shows_who_has_it_and_what_is_free(host: str, alice: Person, bob: Person) -> None:
    alice("reserve", host, "--for", "4h")
    refused = bob("reserve", f"{host}:0", "--for", "2h", code=5)
    assert refused.out == ""
    assert "alice" in refused.err.splitlines()[0]
    assert f"free: {host}:" in refused.err
    again = next(line.strip() for line in refused.err.splitlines() if "paddock reserve" in line)
    assert again.startswith(f"paddock reserve {host}:")
    begin = again.partition("--from '")[2].partition("'")[0]
    made = bob("reserve", f"{host}:0", "--from", begin, "--for", "2h", "--json").json["reservations"][0]
    assert (made["owner"], made["starts_at"][:16].replace("T", " ")) == (BOB, begin)


def test_the_first_free_time_is_found_and_taken(host: str, alice: Person, bob: Person) -> None:
    assert "from now until" in bob("free", "--gpus", "2").out
    alice("reserve", f"{host}:1-2", "--for", "4h")
    found = bob("free", "--gpus", "2", "--for", "8h", "--json").json
    assert datetime.fromisoformat(found[0]["starts_at"]) > datetime.now(UTC) + timedelta(hours=3)
    made = bob("reserve", "--gpus", "2", "--for", "8h", "--first", "--json").json["reservations"][0]
    assert (made["starts_at"], sorted(made["devices"])) == (found[0]["starts_at"], sorted(found[0]["devices"]))
    none = bob("free", "--gpus", "4", code=1)
    assert "no such time" in none.err


def test_every_week_or_none(host: str, alice: Person, bob: Person) -> None:
    now = datetime.now(UTC)
    second = (now + timedelta(days=8)).strftime("%Y-%m-%d 10:00")
    bob("reserve", f"{host}:0", "--from", second, "--for", "2h")
    begin, last = ((now + timedelta(days=days)).strftime("%Y-%m-%d") for days in (1, 16))
    series = ["reserve", f"{host}:0", "--from", f"{begin} 9:00", "--for", "4h", "--weekly-until", last]
    refused = alice(*series, code=5)
    assert "bob" in refused.err
    assert alice.own == []
    made = alice(*series, "--skip")
    assert len(made.out.splitlines()) == 2
    assert "warning:" in made.err
    assert "bob" in made.err
    one = alice.own[0]["id"]
    assert len(alice("cancel", one, "--series", "--json").json) == 2
    assert alice.own == []


def test_times_are_those_of_the_account(lab: tuple[GpuServer, Team], host: str, alice: Person) -> None:
    lab[1].clients[ALICE].patch("/me", json={"zone": "Asia/Kathmandu"})  # 5 h 45 min before UTC
    made = alice("reserve", f"{host}:0", "--from", "tomorrow 14:00", "--for", "1h")
    assert "14:00 until 15:00 (Asia/Kathmandu)" in made.out
    assert alice.own[0]["starts_at"].endswith("T08:15:00Z")
    listed = alice("reservations")
    assert "14:00" in listed.out
    assert "Asia/Kathmandu" in listed.err


def test_what_is_mine_here_and_now(lab: tuple[GpuServer, Team], host: str, alice: Person, bob: Person) -> None:
    none = alice("gpus", "--env", code=1)
    assert none.out == "CUDA_VISIBLE_DEVICES=\n"
    assert "reserved no GPU" in none.err
    alice("reserve", f"{host}:0,2", "--for", "1h", "--guest", BOB)
    alice("reserve", f"{host}:1", "--from", "tomorrow 14:00", "--for", "1h")
    assert alice("gpus", "--env").out == bob("gpus", "--env").out == "CUDA_VISIBLE_DEVICES=GPU-00000000,GPU-00000002\n"
    assert alice("gpus", "--env", "--json").json == {"CUDA_VISIBLE_DEVICES": "GPU-00000000,GPU-00000002"}
    assert person(lab, alice.cli.folder, ADMIN)("gpus", "--env", code=1).out == "CUDA_VISIBLE_DEVICES=\n"


def test_given_back(host: str, alice: Person, bob: Person) -> None:
    runs = alice("reserve", f"{host}:0", "--for", "1h").out.split()[0]
    later = alice("reserve", f"{host}:0", "--from", "tomorrow 14:00", "--for", "1h").out.split()[0]
    assert "cancel" in alice("release", later, code=5).err
    assert "release" in alice("cancel", runs, code=5).err
    bob("release", runs, code=4)
    bob("cancel", later, code=4)
    assert "released" in alice("release", runs).out
    assert later in alice("cancel", later, "--why", "the paper is out").out
    assert alice.own == []
    over = alice("reservations", "--since", "1d", "--json").json
    assert {one["id"] for one in over} >= {runs, later}
    shown = alice("reservations", "--since", "1d").out
    assert "released" in shown
    assert "cancelled" in shown
    alice("release", runs, code=5)
    mixed = alice("release", "nobody", runs, code=3)
    assert "no job and no reservation 'nobody'" in mixed.err


@pytest.mark.parametrize(
    ("arguments", "code", "reported"),
    [
        (["reserve", "nowhere:0", "--for", "1h"], 3, "There is no GPU 'nowhere:0': `paddock gpus` lists them"),
        (["reserve", "HOST:0-7", "--for", "1h"], 3, "There is no GPU HOST:3"),
        (["reserve", "HOST:2-0", "--for", "1h"], 2, "no range of GPUs"),
        (["reserve", "HOST:0", "--for", "4"], 2, "--for: 4 of what? Write 4m"),
        (["reserve", "HOST:0", "--for", "1h", "--from", "soon"], 2, "--from: 'soon' is no time: write now, 2h"),
        (["reserve", "HOST:0", "--for", "1h", "--from", "fri"], 2, "write fri 9:00"),
        (["reserve", "HOST:0", "--until", "yesterday 9:00"], 2, ""),
        (["reserve", "HOST:0", "--for", "1h", "--from", "2026-01-01 9:00"], 5, "past"),
        (["reserve", "HOST:0", "--for", "900h"], 5, "long at most"),
        (["reserve", "HOST:0", "--for", "1h", "--from", "300d"], 5, "from now"),
        (["reserve", "HOST:0", "--for", "1h", "--owner", "bob"], 4, ""),
        (["reserve", "HOST:0", "--for", "1h", "--maintenance"], 4, ""),
        (["reserve", "HOST:0", "--for", "1h", "--title", "x" * 101], 2, "title"),
        (["reserve", "HOST:0", "--for", "1h", "--guest", "nobody-like-this"], 2, "nobody-like-this"),
        (["reserve", "--gpus", "9", "--for", "1h"], 2, "not so many GPUs that fit"),
        (["reserve", "--gpus", "1", "--for", "1h", "--model", "TPU"], 2, "not so many GPUs that fit"),
        (["free", "--after", "then"], 2, "--after: 'then' is no time"),
        (["reservations", "--since", "ago"], 2, "--since: 'ago' is no time"),
        (["cancel", "ffffffff"], 3, "no reservation 'ffffffff'"),
        (["release", "k3v-1"], 2, "is a task"),
        (["run", "--gpus", "9", "--", "true"], 2, "This machine has 3 GPUs"),
    ],
)
def test_errors_say_what_to_do(host: str, alice: Person, arguments: list[str], code: int, reported: str) -> None:
    done = alice(*(one.replace("HOST", host) for one in arguments), code=code)
    assert reported.replace("HOST", host) in done.err
    assert done.out == ""


# --- run --------------------------------------------------------------------------------------------------------------


def started(held: Warm, mark: Path) -> int:
    """Wait until the program of `paddock run` runs; its process."""
    wait_for(mark.exists, what="the program")
    (program,) = processes.children(held.pid)
    return program


def test_a_program_has_gpus_while_it_lives(host: str, alice: Person) -> None:
    with alice.apart("run", "--gpus", "2", "--", sys.executable, "-c", SHOW) as done:
        out, err = done.communicate(timeout=PATIENCE)
    assert done.returncode == 0, err
    visible, id = out.decode().split()
    assert len(visible.split(",")) == 2
    assert f"{id}: {host}:" in err.decode()
    with Client(url=alice.env["PADDOCK_URL"], token=alice.env["PADDOCK_TOKEN"]) as client:
        found = client.calendar.reservation(id)
    assert found.released_at is not None
    assert (found.title, found.owner) == (Path(sys.executable).name, ALICE)
    with alice.apart("run", sys.executable, "-c", "import sys; sys.exit(7)", "--gpus") as failed:
        assert failed.wait(PATIENCE) == 7
    assert alice.own == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
def test_signals_end_the_program_and_release_its_gpus(
    host: str, alice: Person, tmp_path: Path, number: signal.Signals
) -> None:
    with alice.apart("run", "--", sys.executable, "-c", HOLD, str(tmp_path / "on")) as held:
        program = started(held, tmp_path / "on")
        assert len(alice.own) == 1
        if number is signal.SIGINT:  # a terminal sends it to both
            os.kill(program, number)
        held.send_signal(number)
        code = held.wait(PATIENCE)
    assert code in (128 + number, 1)
    assert processes.started(program) is None
    assert alice.own == []


def test_when_it_is_killed_the_program_ends_and_the_gpus_are_free_soon(
    host: str, alice: Person, tmp_path: Path
) -> None:
    with alice.apart("run", "--", sys.executable, "-c", HOLD, str(tmp_path / "on")) as held:
        program = started(held, tmp_path / "on")
        held.kill()
        held.wait(PATIENCE)
    wait_for(lambda: processes.started(program) is None, what="the end of the program")
    (left,) = alice.own
    assert datetime.fromisoformat(left["ends_at"]) < datetime.now(UTC) + timedelta(minutes=31)


def test_it_waits_until_gpus_are_free(host: str, alice: Person, bob: Person) -> None:
    taken = alice("reserve", host, "--for", "4h").out.split()[0]
    assert "is free then" in bob("run", "--no-wait", "--", "true", code=5).err
    with bob.apart("run", "--", sys.executable, "-c", SHOW, waits={"paddock.cli.run_here.WAIT_SECONDS": 0.2}) as waits:
        wait_for(lambda: bob.own, what="its place in the line")
        assert datetime.fromisoformat(bob.own[0]["starts_at"]) > datetime.now(UTC) + timedelta(hours=3)
        alice("release", taken)
        out, err = waits.communicate(timeout=PATIENCE)
    assert waits.returncode == 0, err
    assert out.startswith(b"GPU-")
    assert err.startswith(f"waiting: {host}:".encode())


def test_who_waits_for_a_program_does_not_end_it(host: str, alice: Person, bob: Person, tmp_path: Path) -> None:
    quick = {"paddock.cli.run_here.WAIT_SECONDS": 0.2}
    with alice.apart("run", "--gpus", "3", "--", sys.executable, "-c", HOLD, str(tmp_path / "on")) as held:
        started(held, tmp_path / "on")
        with bob.apart("run", "--", sys.executable, "-c", SHOW, waits=quick) as waits:
            assert waits.stderr is not None
            assert waits.stderr.readline().startswith(b"waiting: No GPU of ")
            assert bob.own == []  # after it, the program could not go on
            held.send_signal(signal.SIGTERM)
            out, err = waits.communicate(timeout=PATIENCE)
    assert waits.returncode == 0, err
    assert out.startswith(b"GPU-")


def test_who_gives_up_waiting_leaves_the_line(host: str, alice: Person, bob: Person) -> None:
    alice("reserve", host, "--for", "4h")
    with bob.apart("run", "--", "true") as waits:
        wait_for(lambda: bob.own, what="its place in the line")
        waits.send_signal(signal.SIGINT)
        assert waits.wait(PATIENCE) == 130
    assert bob.own == []


def test_it_is_made_longer_and_ends_when_it_is_released(host: str, alice: Person, tmp_path: Path) -> None:
    quick = {
        "paddock.client.lease.LEASE_SECONDS": 70,
        "paddock.client.lease.RENEW_SECONDS": 1,
        "paddock.cli.run_here.LOOK_SECONDS": 0.2,
    }
    with alice.apart("run", "--gpus", "3", "--", sys.executable, "-c", HOLD, str(tmp_path / "on"), waits=quick) as held:
        program = started(held, tmp_path / "on")
        first = alice.own[0]
        wait_for(lambda: alice.own[0]["version"] > first["version"], what="a longer reservation")
        assert alice.own[0]["ends_at"] > first["ends_at"]
        alice("release", first["id"])  # as in the page
        _, err = held.communicate(timeout=PATIENCE)
    assert held.returncode == 128 + signal.SIGTERM
    assert b"the reservation was released: the program is ended" in err
    assert processes.started(program) is None
