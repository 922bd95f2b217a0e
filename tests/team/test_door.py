"""Test the door with real users of this machine: each comes in as their own account, and nobody else does."""

import json
import os
import pwd
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from paddock.errors import InvalidInput
from paddock.login import door
from tests.support.team import ALICE, Team, team
from tests.team.machine_accounts import account
from tests.team.unix_users import ROOT

ASK = """
import json, socket, sys
door, method, path, body = sys.argv[1:]
with socket.socket(socket.AF_UNIX) as one:
    one.connect(door)
    head = f"{method} {path} HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Door\\r\\nConnection: close\\r\\n"
    head += f"Content-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n"
    one.sendall((head + body).encode())
    answer = b""
    while part := one.recv(65536):
        answer += part
head, _, content = answer.partition(b"\\r\\n\\r\\n")
print(head.split()[1].decode())
print(content.decode())
"""
pytestmark = ROOT


@pytest.fixture(scope="module")
def users() -> Iterator[tuple[str, str]]:
    """A member and a stranger, who are users of this machine."""
    with ExitStack() as stack:
        member, stranger = (stack.enter_context(account(f"pdkdoor{os.getpid()}{one}")) for one in "ms")
        yield member, stranger


@pytest.fixture(scope="module")
def at(users: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Team, Path]]:
    """A team whose account `alice` has the member's Unix name, and its door."""
    folder = Path("/tmp") / f"pdkdoor{os.getpid()}"
    folder.mkdir(mode=0o755)
    try:
        with team(tmp_path_factory.mktemp("door") / "home", team__door=folder / "door.sock") as made:
            _change(made, unix_name=users[0])
            yield made, folder / "door.sock"
        assert not (folder / "door.sock").exists()
    finally:
        folder.rmdir()


def _change(made: Team, **fields: Any) -> None:
    answer = made.clients["server"].patch(f"/accounts/{ALICE}", json=fields)
    assert answer.status_code == 200, answer.text


def ask(place: Path, user: str, method: str = "GET", path: str = "/api/v1/me", body: str = "") -> tuple[int, Any]:
    """Ask through the door as a user of this machine."""
    who = pwd.getpwnam(user)
    done = subprocess.run(
        ["/usr/bin/python3", "-Ic", ASK, str(place), method, path, body],
        user=who.pw_uid, group=who.pw_gid, extra_groups=[], capture_output=True, text=True, check=True, cwd="/",
    )  # fmt: skip
    status, _, content = done.stdout.partition("\n")
    return int(status), json.loads(content)


def test_a_member_is_who_they_are(at: tuple[Team, Path], users: tuple[str, str]) -> None:
    status, me = ask(at[1], users[0])
    assert (status, me["name"], me["role"], me["via"], me["unix_name"]) == (200, ALICE, "user", "door", users[0])


def test_what_they_do_is_in_the_audit(at: tuple[Team, Path], users: tuple[str, str]) -> None:
    assert ask(at[1], users[0], "POST", "/api/v1/me/tokens", '{"name": "laptop"}')[0] == 201
    [entry] = at[0].clients["server"].get("/audit", params={"act": "token.make", "limit": 1}).json()["entries"]
    assert (entry["who"], entry["via"], entry["detail"]["name"]) == (ALICE, "door", "laptop")


def test_a_stranger_is_refused_and_told_what_to_do(at: tuple[Team, Path], users: tuple[str, str]) -> None:
    status, answer = ask(at[1], users[1])
    assert status == 401
    assert f"Your user '{users[1]}' on this machine belongs to no account" in answer["error"]["message"]
    assert ask(at[1], "root")[0] == 401
    assert ask(at[1], "nobody")[0] == 401


def test_who_is_disabled_is_refused_at_once(at: tuple[Team, Path], users: tuple[str, str]) -> None:
    _change(at[0], active=False)
    assert ask(at[1], users[0])[0] == 401
    _change(at[0], active=True)
    assert ask(at[1], users[0])[0] == 200


def test_without_accounts_the_door_is_shut(at: tuple[Team, Path], users: tuple[str, str]) -> None:
    server = at[0].clients["server"]
    server.post("/team", json={"on": False})
    try:
        status, answer = ask(at[1], users[0])
        assert (status, "one person" in answer["error"]["message"]) == (401, True)
    finally:
        server.post("/team", json={"on": True})
    assert ask(at[1], users[0])[0] == 200


def test_the_port_is_no_door(at: tuple[Team, Path]) -> None:
    answer = at[0].stranger().get("/me", headers={"Authorization": "Door"})
    assert answer.status_code == 401
    assert "only the server's socket" in answer.json()["error"]["message"].lower()


def test_others_keep_their_hands_off_the_socket(at: tuple[Team, Path], users: tuple[str, str]) -> None:
    who = pwd.getpwnam(users[1])
    done = subprocess.run(["rm", "-f", str(at[1])], user=who.pw_uid, group=who.pw_gid, capture_output=True, check=False)
    assert done.returncode != 0
    assert at[1].is_socket()


# --- the socket itself ------------------------------------------------------------------------------------------------


def _refused(path: Path) -> str:
    with pytest.raises(InvalidInput) as error, door.opened(path):
        pass
    assert error.value.fields.keys() == {"team.door"}
    return error.value.message


def test_a_folder_that_others_can_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert "pose as the server" in _refused(tmp_path / "door")
    tmp_path.chmod(0o1777)
    assert "pose as the server" in _refused(tmp_path / "door")
    tmp_path.chmod(0o755)
    os.chown(tmp_path, 12345, -1)
    assert "pose as the server" in _refused(tmp_path / "door")


def test_what_cannot_be_a_door(tmp_path: Path) -> None:
    assert "absolute" in _refused(Path("door"))
    assert "absolute" in _refused(tmp_path / ("x" * 100))
    assert "install -d" in _refused(tmp_path / "nowhere" / "door")
    (tmp_path / "door").write_text("mine")
    assert "not a socket" in _refused(tmp_path / "door")
    assert (tmp_path / "door").read_text() == "mine"


def test_a_socket_that_a_crash_left_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "door"))
    with door.opened(tmp_path / "door") as [listener]:
        assert listener.getsockname() == str(tmp_path / "door")
    assert not (tmp_path / "door").exists()
    with door.opened(None) as none:
        assert none == []
