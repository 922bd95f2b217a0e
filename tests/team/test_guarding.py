"""Intruders on a real server: real processes of real users on real ptys, on GPUs that a file describes. Root only."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from paddock.agents import warden
from paddock.agents.host_links import HostLinks
from paddock.server.engine.warden_calls import WardenCalls
from paddock.server.store.db import Database
from paddock.settings import Settings
from tests.runner.scripted import ScriptedGpus
from tests.support.nvidia_smi import install_nvidia_smi
from tests.support.reservations import add_reservation
from tests.support.server import wait_for
from tests.support.sshd import ssh_hosts
from tests.support.team import ADMIN, ALICE, BOB, Team, team
from tests.support.up import Cli
from tests.team.machine_accounts import warden_by_sudo
from tests.team.test_warden_intruders import read, running, terminal
from tests.team.unix_users import ROOT, UnixUsers, unix_users

pytestmark = ROOT
HOUR = 3600.0
STUBBORN = ["/usr/bin/python3", "-c", "import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"]


@dataclass
class Lab:
    made: Team
    users: UnixUsers
    gpus: ScriptedGpus
    db: Database
    hooked: Path

    def __post_init__(self) -> None:
        found = wait_for(lambda: [one for one in self.made.server.get("/devices") if one["uuid"]], what="the GPUs")
        self.devices = [one["id"] for one in found]

    @contextmanager
    def reserved(self, gpu: int, **given: Any) -> Iterator[str]:
        now = time.time()
        id = add_reservation(self.db, [self.devices[gpu]], now, now + HOUR, owner=ALICE, **given)
        try:
            yield id
        finally:  # by the server, which knows at once: of what another process writes, it learns seconds later
            assert self.made.clients[ALICE].post(f"/reservations/{id}/release").status_code == 200

    def open(self, who: str = ADMIN) -> list[dict[str, Any]]:
        answer = self.made.clients[who].get("/violations", params={"open": True})
        assert answer.status_code == 200, answer.text
        return list(answer.json()["items"])

    def find(self, pid: int, who: str = ADMIN) -> dict[str, Any] | None:
        items = self.made.clients[who].get("/violations").json()["items"]
        return next((one for one in items if one["pid"] == pid), None)

    def steps(self, pid: int) -> dict[str, dict[str, Any]]:
        found = self.find(pid)
        return {step["act"]: step for step in (found or {"steps": []})["steps"]}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("guard")
    gpus = install_nvidia_smi(folder / "bin", 3)
    hooked = folder / "hooked.jsonl"
    hook = ["/bin/sh", "-c", f"cat >> {hooked}; echo >> {hooked}"]
    broken = ["/bin/sh", "-c", "echo no; exit 3"]
    given = {
        "local__protect": "reserved",
        "violations__settle_seconds": 0,
        "violations__kill_seconds": 1,
        "violations__admins_minutes": 0,
        "violations__hooks": json.dumps([{"command": broken}, {"command": hook}]),
        "environment": {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"},
    }
    with ExitStack() as stack:
        users = stack.enter_context(unix_users())
        made = stack.enter_context(team(folder / "home", **given))
        for name, unix in ((ALICE, users.alice), (BOB, users.bob)):
            answer = made.clients["server"].patch(f"/accounts/{name}", json={"unix_name": unix})
            assert answer.status_code == 200, answer.text
        db = Database(f"sqlite:///{made.server.home.database}")
        stack.callback(db.close)
        yield Lab(made, users, gpus, db, hooked)


def test_the_intruder_reads_it_on_a_terminal_and_everybody_in_the_page(lab: Lab) -> None:
    with (
        lab.reserved(0),
        terminal(lab.users.bob) as shown,
        terminal(lab.users.alice) as owners,
        running(lab.users, lab.users.bob) as (process, _),
        running(lab.users, lab.users.alice) as (own, _),
    ):
        lab.gpus.put(0, process.pid)
        lab.gpus.put(0, own.pid)
        wait_for(lambda: lab.find(process.pid), what="the violation")
        told = wait_for(lambda: read(shown), what="the message")
        assert f":0 is reserved by {ALICE} until" in told and str(process.pid) in told
        assert read(owners) == "" and lab.find(own.pid) is None
        wait_for(lambda: {"terminal", "page", "admins", "hook"} <= lab.steps(process.pid).keys())
        wait_for(lambda: lab.steps(process.pid)["terminal"]["ok"], what="that it is recorded")
        for name, words in ((BOB, "reserved by alice"), (ALICE, f"A process of {BOB}"), (ADMIN, f"{BOB} uses")):
            notices = lab.made.clients[name].get("/me/notices").json()["items"]
            assert any(words in one["text"] for one in notices if one["kind"] == "violation"), (name, notices)
        hooks = [step for step in (lab.find(process.pid) or {})["steps"] if step["act"] == "hook"]
        assert {step["ok"] for step in hooks} <= {True, False}
        wait_for(lambda: lab.hooked.exists() and '"step": "terminal"' in lab.hooked.read_text())
        assert process.poll() is None  # nothing was said about ending
        process.kill()
        process.wait()
        wait_for(lambda: (lab.find(process.pid) or {}).get("outcome") == "left", what="that it left")
    assert lab.open() == []


def test_it_is_ended_and_killed_if_it_does_not_leave_and_nobody_else(lab: Lab) -> None:
    with (
        lab.reserved(0, end_intruders_minutes=0.0),
        running(lab.users, lab.users.bob, STUBBORN) as (stubborn, _),
        running(lab.users, lab.users.bob) as (beside, _),
    ):
        wait_for(lambda: _ignores_term(stubborn.pid))
        lab.gpus.put(0, stubborn.pid)
        lab.gpus.put(1, beside.pid)
        assert stubborn.wait(120) == -signal.SIGKILL
        wait_for(lambda: (lab.find(stubborn.pid) or {}).get("outcome") == "ended")
        acts = [step["act"] for step in (lab.find(stubborn.pid) or {})["steps"]]
        assert (acts.count("term"), acts.count("kill")) == (1, 1)
        assert beside.poll() is None and lab.find(beside.pid) is None


def _ignores_term(pid: int) -> bool:
    lines = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool(int(lines["SigIgn"], 16) >> (signal.SIGTERM - 1) & 1)


def test_who_may_see_and_do_what(lab: Lab, tmp_path: Path) -> None:
    clients = lab.made.clients
    with lab.reserved(0), running(lab.users, lab.users.stranger) as (process, _):
        lab.gpus.put(0, process.pid)
        found = wait_for(lambda: lab.find(process.pid))
        one = f"/violations/{found['id']}"
        assert (found["account"], found["unix_name"], found["owner"]) == (None, lab.users.stranger, ALICE)
        assert lab.find(process.pid, ALICE) and not lab.find(process.pid, BOB)  # the owner of the reservation sees it
        assert clients["gina"].get("/violations").status_code == 403
        for path, body in ((f"{one}/end", None), (f"{one}/exempt", {"until": "2100-01-01T00:00:00Z"})):
            assert clients[ALICE].post(path, json=body).status_code == 403
        assert clients[BOB].post(f"{one}/ask").status_code == 403
        wait_for(lambda: "terminal" in lab.steps(process.pid))
        assert clients[ALICE].post(f"{one}/ask").status_code == 409  # they were told just now
        for body in ({}, {"until": "2001-01-01T00:00:00Z", "account": "x"}, {"until": "2100-01-01T00:00:00Z"}):
            assert clients[ADMIN].post("/exemptions", json=body).status_code == 422, body
        made = clients[ADMIN].post(f"{one}/exempt", json={"until": "2100-01-01T00:00:00Z", "why": "agreed"}).json()
        assert (made["account"], made["device"], made["by"]) == (lab.users.stranger, lab.devices[0], ADMIN)
        wait_for(lambda: (lab.find(process.pid) or {})["outcome"] == "exempt")
        assert clients[ADMIN].post(f"{one}/end").status_code == 409  # it is over
        assert clients[ADMIN].delete(f"/exemptions/{made['id']}").status_code == 204
        again = wait_for(lab.open)[0]
        assert again["pid"] == process.pid and again["id"] != found["id"]
        assert clients[ADMIN].post(f"/violations/{again['id']}/end").status_code == 200
        assert process.wait(120) == -signal.SIGTERM
        acts = [entry["act"] for entry in clients[ADMIN].get("/audit", params={"act": "violation"}).json()["entries"]]
        assert acts == ["violation.end"]
    wait_for(lambda: not lab.open())


def test_from_the_shell(lab: Lab, tmp_path: Path) -> None:
    paddock = Cli(lab.made.server.home.root, tmp_path).quick
    with lab.reserved(1), running(lab.users, lab.users.bob) as (process, _):
        lab.gpus.put(1, process.pid)
        found = wait_for(lambda: lab.find(process.pid))
        listed = paddock("violations", "ls", COLUMNS="200").out
        assert str(process.pid) in listed and "reserved by alice" in listed
        assert paddock("violations", "ls", "--json").json["open"] == 1
        made = paddock("violations", "exempt", str(found["id"]), "--for", "4h", "--why", "agreed", "--json").json
        assert "agreed" in paddock("violations", "exemptions", COLUMNS="200").out
        wait_for(lambda: (lab.find(process.pid) or {})["outcome"] == "exempt")
        assert "removed" in paddock("violations", "exemptions", "--rm", made["id"]).out
        again = wait_for(lab.open)[0]
        assert "is being ended" in paddock("violations", "end", str(again["id"]), "--yes").out
        assert process.wait(120) == -signal.SIGTERM
        for wrong, words in (
            (["exempt"], "until when"),
            (["exempt", "--for", "4h"], "what is exempt"),
            (["exempt", "--for", "4h", "--gpu", "gpu99:7"], "no GPU"),
            (["exempt", "--for", "soon", "1"], "--for"),
            (["end", "999999", "--yes"], "no violation"),
        ):
            failed = paddock("violations", *wrong, code=None)
            assert failed.code != 0 and words in failed.err, failed


def test_by_sudo_and_not_as_root(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of a server that is an ordinary account: sudo starts the warden, and nothing else."""
    monkeypatch.setattr("paddock.server.engine.warden_calls.os.geteuid", lambda: 12345)
    with warden_by_sudo("pdk-guard") as command, terminal(lab.users.bob) as shown:
        calls = WardenCalls(Settings(team={"warden": command}), None, None)
        assert calls.write("local", "here", lab.users.bob, "hello").ok
        assert "hello" in read(shown)
        nobody = calls.write("local", "here", lab.users.stranger, "hello")
        assert (nobody.ok, nobody.detail) == (False, "they have no terminal there")
        with running(lab.users, lab.users.bob) as (process, start):
            wrong = calls.end("local", "here", lab.users.alice, process.pid, start, "KILL")
            assert not wrong.ok and "is not of" in wrong.detail
            assert not calls.end("local", "here", lab.users.bob, process.pid, start + 1, "KILL").ok
            assert process.poll() is None
            assert calls.end("local", "here", lab.users.bob, process.pid, start, "TERM").ok
            assert process.wait(120) == -signal.SIGTERM
    missing = WardenCalls(Settings(team={"warden": ["/nonexistent/warden"]}), None, None)
    found = missing.write("local", "here", lab.users.bob, "hello")
    assert not found.ok and "No such file" in found.detail


def test_on_a_host_over_ssh(lab: Lab, tmp_path: Path) -> None:
    command = ["/usr/bin/python3", "-IS", str(warden.__file__)]
    with ssh_hosts(1) as ssh, terminal(lab.users.bob) as shown, running(lab.users, lab.users.bob) as (process, start):
        hosts = {"kind": "hosts", "hosts": ["gpu1"], "ssh": ssh.ssh, "python": "/usr/bin/python3"}
        given: dict[str, Any] = {
            "backends": {"lab": hosts | {"folder": str(tmp_path / "far")}},
            "team": {"warden": command},
        }
        settings = Settings(home=tmp_path, **given)
        with closing(HostLinks(settings.fleets["lab"], settings.team, tmp_path, server=None)) as links:
            calls = WardenCalls(settings, None, {"lab": links})
            assert calls.write("lab", "gpu1", lab.users.bob, "hello").ok and "hello" in read(shown)
            assert not calls.end("lab", "gpu1", lab.users.alice, process.pid, start, "KILL").ok
            assert calls.end("lab", "gpu1", lab.users.bob, process.pid, start, "TERM").ok
            assert process.wait(120) == -signal.SIGTERM
