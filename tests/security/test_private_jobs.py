"""Test that a private job does not exist for others: by no route, list, stream, name or number."""

import time
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest

from tests.server.api.test_streams import Stream
from tests.support.server import ServerProcess, wait_for
from tests.support.team import ADMIN, ALICE, BOB, GUEST, Team, team

QUICK = """
open("note.txt", "w").write("a file of alice")
print("val_loss: 0.25", flush=True)
print("the log of alice", flush=True)
"""
LONG = "import time\nprint('begun', flush=True)\ntime.sleep(600)"
SECRET = "very-secret-name"
TAG = "tag-of-nobody-else"
NOBODY = "zzzzzzzz"  # the id of no job


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("private") / "home", local__slots=2, runner__grace_seconds=1) as made:
        yield made


def submit(client: httpx2.Client, source: str = QUICK, **spec: Any) -> str:
    body = {"spec": {"script": "train.py", **spec}, "files": {"train.py": source}}
    answer = client.post("/jobs", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def ended(client: httpx2.Client, job: str) -> str:
    wait_for(lambda: client.get(f"/jobs/{job}").json()["ended"], what=f"the end of {job}")
    return job


@pytest.fixture(scope="module")
def hidden(people: Team) -> str:
    """A private job of alice that has ended."""
    alice = people.clients[ALICE]
    job = submit(alice, name=SECRET, tags=[TAG], visibility="private", environment={"variables": {"KEY": "k"}})
    return ended(alice, job)


@pytest.fixture(scope="module")
def shown(people: Team) -> str:
    """A job of alice that the team sees, and that has ended."""
    alice = people.clients[ALICE]
    return ended(alice, submit(alice, name="open", environment={"variables": {"KEY": "k"}}))


def said(answer: httpx2.Response, job: str) -> tuple[int, str]:
    """What was answered, the name of the job apart."""
    return answer.status_code, answer.text.replace(job, NOBODY)


READS = [
    "jobs/{job}", "jobs/{job}/tasks", "jobs/{job}/tasks/columns", "jobs/{job}/metrics", "jobs/{job}/metrics/names",
    "jobs/{job}/export", "jobs/{job}/export?what=curves", "jobs/{job}/export?format=optuna", "jobs/{job}/search",
    "jobs/{job}/objective", "jobs/{job}/files", "jobs/{job}/parts", "jobs/{job}/code",
    "jobs/{job}/code/preview?path=train.py", "jobs/{job}/code/download", "events?job={job}", "tasks/{job}-1",
    "tasks/{job}-1/attempts", "tasks/{job}-1/metrics", "tasks/{job}-1/log", "tasks/{job}-1/log?offset=-10&limit=5",
    "tasks/{job}-1/log/follow", "tasks/{job}-1/files", "tasks/{job}-1/files/preview?path=work/note.txt",
    "tasks/{job}-1/files/images", "tasks/{job}-1/files/download",
]  # fmt: skip


@pytest.mark.parametrize("path", READS)
def test_it_cannot_be_read(people: Team, hidden: str, path: str) -> None:
    own = people.clients[ALICE].stream("GET", path.format(job=hidden))
    with own as answer:
        assert answer.status_code == 200, "or this test would pass whatever happens"
    bob = people.clients[BOB]
    for short in (hidden, hidden[:5]):
        assert said(bob.get(path.format(job=short)), short) == said(bob.get(path.format(job=NOBODY)), NOBODY)
    assert bob.get(path.format(job=hidden)).status_code == 404
    assert people.clients[GUEST].get(path.format(job=hidden)).status_code in (403, 404)


CHANGES = [
    ("POST", "jobs/{job}/stop", None), ("POST", "jobs/{job}/restart", None), ("POST", "jobs/{job}/hold", None),
    ("POST", "jobs/{job}/release", None), ("POST", "jobs/{job}/limits", {"priority": 3}),
    ("DELETE", "jobs/{job}", None),
    ("PATCH", "jobs/{job}", {"visibility": "team"}), ("PUT", "jobs/{job}/objective", {"objectives": ["x"]}),
    ("POST", "jobs/{job}/extend", {"trials": 1}), ("POST", "tasks/{job}-1/restart", None),
    ("POST", "tasks/{job}-1/stop", None), ("PATCH", "tasks/{job}-1", {"note": "was here"}),
    ("POST", "jobs/{job}/metric-patterns", {"pattern": "a (?P<b>.)"}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), CHANGES, ids=[path for _, path, _ in CHANGES])
def test_it_cannot_be_changed(people: Team, hidden: str, method: str, path: str, body: Any) -> None:
    alice, bob = people.clients[ALICE], people.clients[BOB]
    before = alice.get(f"/jobs/{hidden}").json()
    answers = [bob.request(method, path.format(job=job), json=body) for job in (hidden, NOBODY)]
    assert said(answers[0], hidden) == said(answers[1], NOBODY)
    assert answers[0].status_code == 404
    assert people.clients[GUEST].request(method, path.format(job=hidden), json=body).status_code == 403
    assert alice.get(f"/jobs/{hidden}").json() == before


def test_it_is_in_no_list_and_counts_nowhere(people: Team, hidden: str, shown: str) -> None:
    for name, sees in ((BOB, False), (GUEST, False), (ALICE, True), (ADMIN, True), ("server", True)):
        client = people.clients[name]
        page = client.get("/jobs", params={"limit": 500}).json()
        ids = [job["id"] for job in page["items"]]
        assert (hidden in ids, shown in ids, page["total"]) == (sees, True, len(ids)), name
        for query in ({"q": SECRET}, {"tag": TAG}, {"q": hidden}, {"owner": ALICE, "q": SECRET}):
            assert client.get("/jobs", params=query).json()["total"] == int(sees)
        assert (TAG in client.get("/jobs/facets").json()["tags"]) == sees
        assert page["team"] is True


def test_an_owner_whose_jobs_are_all_private_is_no_filter(people: Team, hidden: str) -> None:
    carol = people.add("carol")
    submit(carol, visibility="private")
    assert "carol" not in people.clients[BOB].get("/jobs/facets").json()["owners"]
    assert "carol" in carol.get("/jobs/facets").json()["owners"]
    assert people.clients[BOB].get("/jobs", params={"owner": "carol"}).json()["total"] == 0


def test_a_short_id_is_not_ambiguous_for_who_sees_one_of_them(people: Team) -> None:
    """Ids are random: submit until two begin alike, one of them private."""
    alice, bob = people.clients[ALICE], people.clients[BOB]
    first: dict[str, str] = {}
    for _ in range(200):
        job = submit(alice, LONG, visibility="private" if len(first) % 2 else "team")
        alice.post(f"/jobs/{job}/hold")
        other = first.setdefault(job[0], job)
        kinds = {one: alice.get(f"/jobs/{one}").json()["visibility"] for one in (job, other)}
        if set(kinds.values()) == {"team", "private"}:
            break
    visible = next(one for one in kinds if kinds[one] == "team")
    others = [one["id"] for one in bob.get("/jobs", params={"limit": 500}).json()["items"]]
    length = next(n for n in range(1, 9) if sum(one.startswith(visible[:n]) for one in others) == 1)
    assert bob.get(f"/jobs/{visible[:length]}").json()["id"] == visible
    ambiguous = alice.get(f"/jobs/{visible[0]}")
    assert ambiguous.status_code == 409
    mine = bob.get(f"/jobs/{visible[0]}")
    hidden = next(one for one in kinds if kinds[one] == "private")
    assert hidden not in mine.text
    for one in first.values():
        alice.delete(f"/jobs/{one}")


def test_several_at_once(people: Team, hidden: str) -> None:
    bob = people.clients[BOB]
    for act in ("stop", "remove", "hold", "pin"):
        found = bob.post("/jobs/bulk", json={"jobs": [hidden, NOBODY], "act": act}).json()
        assert [one["done"] for one in found] == [False, False]
        assert found[0]["message"].replace(hidden, NOBODY) == found[1]["message"]
    assert people.clients[ALICE].get(f"/jobs/{hidden}").json()["pinned"] is False


def test_it_is_no_beginning_of_another_job(people: Team, hidden: str) -> None:
    """Warm start, files of a job, values of its variables: in a preview as in a submission."""
    bob = people.clients[BOB]

    def answers(**changes: Any) -> None:
        for path in ("/jobs/preview", "/jobs"):
            found = []
            for job in (hidden, NOBODY):
                whole = str({"spec": {"script": "train.py"}, "files": {"train.py": QUICK}} | changes)
                body = eval(whole.replace("JOB", job))
                found.append(said(bob.post(path, json=body), job))
            assert found[0] == found[1]
            assert found[0][0] in (404, 422), found[0]

    answers(spec={"script": "train.py", "search": {"method": "random", "trials": 2, "warm_start": ["JOB"]}})
    answers(code={"job": "JOB"}, files={})
    answers(spec={"script": "train.py", "environment": {"variables": {"KEY": "… as in job JOB"}}})


def test_variables_of_a_job_that_one_sees_stay_with_its_owner(people: Team, shown: str) -> None:
    """The mask of a value names the job that has it: who submits the mask must not get the value."""
    spec = {"script": "train.py", "environment": {"variables": {"KEY": f"… as in job {shown}"}}}
    source = "import os; print(os.environ['KEY'])"
    for name in (BOB, ADMIN):
        answer = people.clients[name].post("/jobs", json={"spec": spec, "files": {"train.py": source}})
        assert answer.status_code == 422, answer.text
        assert "masked" in answer.text
    alice = people.clients[ALICE]
    job = ended(alice, submit(alice, source, environment=spec["environment"]))
    assert alice.get(f"/tasks/{job}-1/log").text.strip() == "k"


def test_a_request_about_ones_own_job_cannot_name_its_tasks(people: Team, hidden: str) -> None:
    bob = people.clients[BOB]
    own = ended(bob, submit(bob))
    for path in (f"/jobs/{own}/stop", f"/jobs/{own}/restart"):
        found = [said(bob.post(path, json={"tasks": [f"{job}-1"]}), job) for job in (hidden, NOBODY)]
        assert found[0] == found[1]
    pattern = {"pattern": "log of (?P<b>.*)"}
    found = [said(bob.post(f"/jobs/{own}/metric-patterns", json=pattern | {"task": f"{job}-1"}), job)
             for job in (hidden, NOBODY)]  # fmt: skip
    assert found[0] == found[1]
    found = [said(bob.get(f"/jobs/{own}/diff/{job}"), job) for job in (hidden, NOBODY)]
    assert found[0] == found[1]
    assert found[0][0] == 404


def follow(people: Team, name: str, **query: Any) -> Stream:
    client = people.clients[name]
    token = client.headers["Authorization"].removeprefix("Bearer ")
    return Stream(cast(ServerProcess, SimpleNamespace(url=people.url, token=token)), **query)


def heard(stream: Stream, job: str) -> bool:
    return any(data.get("job") == job for _, _, data in stream.events)


def is_in(client: httpx2.Client, path: str, job: str) -> bool:
    return job in client.get(path).text


def test_the_event_stream_tells_each_reader_only_what_they_see(people: Team) -> None:
    alice, bob = people.clients[ALICE], people.clients[BOB]
    readers = {name: follow(people, name) for name in (ALICE, BOB, GUEST, ADMIN)}
    for one in readers.values():
        wait_for(partial(getattr, one, "events"))
    start = readers[BOB].events[0][2]["position"]
    job = ended(alice, submit(alice, visibility="private"))
    turned = ended(alice, submit(alice))
    wait_for(lambda: heard(readers[BOB], turned))
    assert alice.patch(f"/jobs/{turned}", json={"visibility": "private"}).status_code == 200
    assert alice.delete(f"/jobs/{job}").status_code == 204
    wait_for(lambda: any(kind == "removed" and data["job"] == job for kind, _, data in readers[ALICE].events))
    wait_for(lambda: not people.server.home.job(job).root.exists(), what="the job to be gone from the database")
    last = submit(bob)
    for one in readers.values():
        wait_for(partial(heard, one, last))
    assert heard(readers[ADMIN], job)
    for name in (BOB, GUEST):
        assert not heard(readers[name], job)
        late = follow(people, name, last=start)  # what the team saw before it became private is gone, too
        wait_for(partial(heard, late, last))
        assert not heard(late, job)
        assert not heard(late, turned)
        late.close()
    again = follow(people, ALICE, last=start)
    wait_for(lambda: heard(again, last))
    kinds = [kind for kind, _, data in again.events if data.get("job") == job]
    assert {"job", "tasks", "removed"} <= set(kinds)
    for one in (*readers.values(), again):
        one.close()
    ended(bob, last)


def test_nodes_and_load_show_that_something_runs_not_what(people: Team) -> None:
    alice, bob = people.clients[ALICE], people.clients[BOB]
    job = submit(alice, LONG, name=SECRET, visibility="private")
    wait_for(lambda: alice.get(f"/tasks/{job}-1").json()["state"] == "running")
    for path in ("/nodes", "/load"):
        wait_for(partial(is_in, alice, path, job))
        for name in (BOB, GUEST):
            answer = people.clients[name].get(path)
            assert answer.status_code == 200
            assert job not in answer.text
            assert SECRET not in answer.text
        assert job in people.clients[ADMIN].get(path).text
    assert [one["tasks"] for one in bob.get("/load").json()["users"] if one["user"] == ALICE] == [1]
    alice.delete(f"/jobs/{job}")


def test_who_follows_a_log_gets_no_more_of_it_when_the_job_becomes_private(people: Team) -> None:
    alice, bob = people.clients[ALICE], people.clients[BOB]
    job = submit(alice, "import time\nfor n in range(6000):\n    print(n, flush=True)\n    time.sleep(0.1)")
    wait_for(lambda: alice.get(f"/tasks/{job}-1").json()["state"] == "running")
    with bob.stream("GET", f"/tasks/{job}-1/log/follow") as answer:
        lines = answer.iter_lines()
        assert next(lines) == "0"
        alice.patch(f"/jobs/{job}", json={"visibility": "private"})
        begun = time.monotonic()
        assert len(list(lines)) < 6000
        assert time.monotonic() - begun < 60
    assert alice.get(f"/tasks/{job}-1").json()["state"] == "running"
    alice.delete(f"/jobs/{job}")


def test_saved_views_are_of_one_person(people: Team) -> None:
    alice, bob = people.clients[ALICE], people.clients[BOB]
    assert alice.put("/views", json={"name": "mine", "q": SECRET}).status_code == 200
    assert bob.get("/views").json() == []
    assert bob.delete("/views/mine").status_code == 404
    assert [one["name"] for one in alice.get("/views").json()] == ["mine"]


def test_who_submits_owns_the_job_and_nobody_submits_for_another(people: Team) -> None:
    for name in (ALICE, BOB, ADMIN, "server"):
        client = people.clients[name]
        job = submit(client)
        assert client.get(f"/jobs/{job}").json()["owner"] == name
        assert job in [one["id"] for one in client.get("/jobs", params={"mine": True}).json()["items"]]
        assert {one["owner"] for one in client.get("/jobs", params={"mine": True}).json()["items"]} == {name}
        assert client.delete(f"/jobs/{job}").status_code == 204
    assert people.clients[GUEST].post("/jobs", json={}).status_code == 403
    assert people.clients[BOB].patch(f"/jobs/{job}", json={"owner": BOB}).status_code in (404, 422)


def audited(people: Team, job: str) -> list[tuple[str, str]]:
    entries = people.clients[ADMIN].get("/audit", params={"object": job}).json()["entries"]
    return [(one["who"], one["act"]) for one in reversed(entries)]


def test_an_admin_ends_things_and_reads_but_runs_nothing_as_another(people: Team) -> None:
    alice, admin = people.clients[ALICE], people.clients[ADMIN]
    job = submit(alice, LONG, visibility="private")
    wait_for(lambda: alice.get(f"/tasks/{job}-1").json()["state"] == "running")
    assert "begun" in wait_for(lambda: admin.get(f"/tasks/{job}-1/log").text)
    assert admin.get(f"/tasks/{job}-1/log").status_code == 200
    for method, path, body in CHANGES:
        if not path.endswith(("stop", "hold", "release", "limits")) and method != "DELETE":
            answer = admin.request(method, path.format(job=job), json=body)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed"), path
            assert ALICE in answer.json()["error"]["message"]
    for act in ("hold", "release", "stop"):
        assert admin.post(f"/jobs/{job}/{act}").status_code == 200
    assert admin.post(f"/jobs/{job}/limits", json={"priority": 5}).status_code == 200
    warnings = alice.get(f"/jobs/{job}").json()["warnings"]
    assert {f"{ADMIN} {did} this job" for did in ("held", "released", "stopped")} <= set(warnings)
    assert f"{ADMIN} changed the limits of this job" in warnings
    ended(alice, job)
    assert admin.delete(f"/jobs/{job}").status_code == 204
    acts = [(ALICE, "job.submit"), (ADMIN, "job.read"), *((ADMIN, f"job.{act}") for act in ("hold", "release", "stop"))]
    assert audited(people, job) == [*acts, (ADMIN, "job.limits"), (ADMIN, "job.remove")]


def test_another_user_reads_a_job_of_the_team_and_changes_nothing(people: Team, shown: str) -> None:
    bob = people.clients[BOB]
    assert "the log of alice" in bob.get(f"/tasks/{shown}-1/log").text
    for method, path, body in CHANGES:
        answer = bob.request(method, path.format(job=shown), json=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed"), path
    assert not any(act == "job.read" for _, act in audited(people, shown))


def test_a_guest_sees_results_not_commands_or_environments(people: Team, shown: str) -> None:
    guest = people.clients[GUEST]
    job, task = guest.get(f"/jobs/{shown}").json(), guest.get(f"/tasks/{shown}-1").json()
    assert job["spec"]["environment"]["variables"] == {}
    assert (job["folder"], job["code"]["source"], job["script"]) == ("", None, None)
    assert (task["command"], task["folder"], task["log_bytes"]) == ([], "", 0)
    assert task["state"] == "finished"
    assert guest.get(f"/jobs/{shown}/metrics", params={"metric": "val_loss"}).json()[0]["values"] == [0.25]
    whole = people.clients[BOB].get(f"/tasks/{shown}-1").json()
    assert whole["command"]
    assert whole["folder"]


def test_logs_and_files_are_the_owners_alone_if_the_settings_say_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    with team(tmp_path_factory.mktemp("own") / "home", team__logs="own") as made:
        alice, bob = made.clients[ALICE], made.clients[BOB]
        job = ended(alice, submit(alice))
        for path in (f"/tasks/{job}-1/log", f"/jobs/{job}/code", f"/tasks/{job}-1/files", f"/jobs/{job}/files"):
            assert alice.get(path).status_code == made.clients[ADMIN].get(path).status_code == 200
            assert bob.get(path).status_code == 403
        assert bob.get(f"/tasks/{job}-1").json()["command"] == []
        assert bob.get(f"/jobs/{job}/metrics").status_code == 200
        body = {"spec": {"script": "train.py"}, "code": {"job": job}}
        assert bob.post("/jobs", json=body).status_code == 403
