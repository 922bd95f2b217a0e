"""Test the table of permissions: every operation of the OpenAPI document, asked by every kind of caller."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx2
import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import iter_route_contexts

from paddock.errors import NotAllowed
from paddock.server.api import permissions
from paddock.server.api.app import bare_app
from paddock.server.api.permissions import PERMISSIONS, Permission, Right
from tests.support.team import ADMIN, ALICE, BOB, GUEST, Team, team

READ, FEED, STRANGER, SERVER = "read token", "feed token", "stranger", "server"
SCRIPT = "print('a secret')"
PAGES = {"openapi", "_page"}  # no operations: the wall alone guards them
CONTEXTS = [one for one in iter_route_contexts(bare_app().routes) if one.name not in PAGES]


@dataclass(frozen=True)
class Operation:
    name: str
    method: str
    path: str

    @property
    def permission(self) -> Permission:
        return PERMISSIONS[self.name]


@cache
def operations() -> tuple[Operation, ...]:
    # Not when the module is imported: the document takes seconds, and each worker of pytest-xdist collects all tests.
    names = {(one.path_format, method): one.name for one in CONTEXTS for method in one.methods or ()}
    paths = bare_app().openapi()["paths"].items()
    return tuple(
        Operation(str(names[path, method.upper()]), method.upper(), path)
        for path, methods in paths
        for method in methods
    )


def test_every_operation_is_in_the_table_and_nothing_else() -> None:
    names = [one.name for one in operations()]
    assert len(names) == len(set(names)), "two functions of the same name would share an entry"
    assert set(names) == set(PERMISSIONS)


def _calls(dependant: Dependant) -> set[Any]:
    return {dependant.call}.union(*map(_calls, dependant.dependencies))


@pytest.mark.parametrize("one", CONTEXTS, ids=lambda one: one.name)
def test_every_route_is_checked_and_so_is_each_job_that_its_path_names(one: Any) -> None:
    calls = _calls(one.dependant)
    assert permissions.permit in calls
    checks = {"job": permissions._job, "other": permissions._other, "task": permissions._task}
    named = {name for name in checks if f"{{{name}}}" in one.path_format}
    assert all(checks[name] in calls for name in named)
    assert (PERMISSIONS[one.name].right is not None) == bool(named)


def test_what_is_not_in_the_table_is_refused(monkeypatch: pytest.MonkeyPatch, people: "People") -> None:
    """As a route would be that somebody adds and forgets here: the process of the server has the whole table."""
    known = dict(PERMISSIONS)
    monkeypatch.setattr(permissions, "PERMISSIONS", {name: known[name] for name in known if name != "version"})
    request: Any = type("Request", (), {"scope": {"route": type("Route", (), {"name": "version"})}})
    with pytest.raises(NotAllowed):
        permissions._permission(request)


class People:
    """All kinds of callers, and a job of alice that the team sees and one that only she sees."""

    def __init__(self, made: Team) -> None:
        self.team = made
        self.callers = {name: made.clients[name] for name in (ADMIN, ALICE, BOB, GUEST, SERVER)}
        self.callers[READ] = made.with_token(BOB, scope="read")
        self.callers[FEED] = made.with_token(ALICE, scope="feed")
        self.callers[STRANGER] = made.stranger()
        self.jobs = {kind: self._job(kind) for kind in ("team", "private")}

    def _job(self, visibility: str) -> str:
        spec = {"script": "train.py", "visibility": visibility}
        answer = self.callers[ALICE].post("/jobs", json={"spec": spec, "files": {"train.py": SCRIPT}})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    with team(tmp_path_factory.mktemp("permissions") / "home", local__slots=1) as made:
        yield People(made)


def expected(permission: Permission, caller: str, visibility: str) -> int | None:
    """Return 401, 403 or 404 if the matrix refuses this; None if it allows it. Written without the code of the table.

    `alice` owns the jobs, `bob` is another user, whose token may only read; the setting team.logs is `team`.
    """
    if permission.role is None:
        return None
    if caller == STRANGER:
        return 401
    if (caller == FEED and permission != permissions.FEED) or (caller == READ and not permission.reads):
        return 403
    ranks = {GUEST: 0, READ: 1, FEED: 1, BOB: 1, ALICE: 1, ADMIN: 2, SERVER: 2}
    if ranks[caller] < ["guest", "user", "admin"].index(permission.role):
        return 403
    if permission.right is None or caller == ALICE:
        return None
    if visibility == "private" and caller not in (ADMIN, SERVER):
        return 404
    if permission.right in (Right.SEE, Right.READ):
        return None
    return None if permission.right is Right.CONTROL and caller in (ADMIN, SERVER) else 403


# What would end the test's own accounts or jobs, if the server carried it out.
HARMFUL = {"remove_job", "switch_team", "sign_out_browser", "change_account", "prune", "revoke_token"}


def ask(client: httpx2.Client, one: Operation, job: str) -> httpx2.Response:
    """Ask with a body that no operation accepts, so that what is allowed changes nothing. Read no stream to its end."""
    path = one.path.removeprefix("/api/v1").format(
        job=job, other=job, task=f"{job}-1", name="nothing", id="nothing", provider="nothing", page="nothing"
    )
    with client.stream(one.method, path, json=None if one.method in ("GET", "DELETE") else [0]) as answer:
        if answer.status_code >= 400:
            answer.read()
        return answer


@pytest.mark.parametrize("visibility", ["team", "private"])
@pytest.mark.parametrize("caller", [STRANGER, GUEST, BOB, ALICE, ADMIN, SERVER, READ, FEED])
def test_every_operation_by_every_kind_of_caller(people: People, caller: str, visibility: str) -> None:
    wrong = []
    for one in operations():
        wanted = expected(one.permission, caller, visibility)
        if one.permission.right is None and visibility == "private":
            continue  # it names no job
        if wanted is None and one.name in HARMFUL:
            continue
        answer = ask(people.callers[caller], one, people.jobs[visibility])
        refused = answer.status_code in (401, 403) or (
            answer.status_code == 404 and one.permission.right is not None and "There is no job" in answer.text
        )
        if answer.status_code >= 500 or (refused, answer.status_code) != (
            wanted is not None,
            wanted or answer.status_code,
        ):
            wrong.append((one.name, answer.status_code, wanted))
    assert wrong == []


@pytest.mark.parametrize("caller", [GUEST, BOB, READ])
def test_a_private_job_is_answered_exactly_as_one_that_does_not_exist(people: People, caller: str) -> None:
    hidden, nothing = people.jobs["private"], "zzzzzzzz"
    for one in operations():
        if one.permission.right is None:
            continue
        answers = [ask(people.callers[caller], one, job) for job in (hidden, nothing)]
        first, second = [(answer.status_code, answer.text.replace(hidden, nothing)) for answer in answers]
        assert first == second, one.name
        assert first[0] in (403, 404)
