"""Test that tasks get the values of environment variables, and that nobody is shown them."""

import grp
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import ServerProcess, running

SECRET = "open-sesame"
SHOWS = "import os\nprint('it is', os.environ['KEY'][5:])\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Whose jobs a group can read."""
    group = grp.getgrgid(os.getgid()).gr_name
    with running(tmp_path_factory.mktemp("secrets") / "home", local__slots=1, group=group) as server:
        yield server


@pytest.fixture(scope="module")
def job(server: ServerProcess) -> str:
    made = server.submit(SHOWS, environment={"variables": {"KEY": SECRET}})
    server.wait(made)
    return made


def test_the_task_has_it_and_no_answer_does(server: ServerProcess, job: str) -> None:
    assert server.log_of(job) == "it is sesame\n"
    assert server.get(f"/jobs/{job}")["spec"]["environment"]["variables"] == {"KEY": f"… as in job {job}"}
    answers = [
        server.client.get(f"/jobs/{job}"),
        server.client.patch(f"/jobs/{job}", json={"name": "another"}),
        server.client.get(f"/tasks/{job}-1"),
        server.client.get("/jobs"),
        server.client.get(f"/jobs/{job}/search"),
    ]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    assert not any(SECRET in answer.text for answer in answers)


def test_what_a_group_can_read_does_not_have_it(server: ServerProcess, job: str) -> None:
    folder = Path(server.get(f"/jobs/{job}")["folder"])
    readable = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_mode & 0o044]
    assert folder / "job.json" in readable
    assert not any(SECRET.encode() in path.read_bytes() for path in readable)
    assert SECRET in (folder / "tasks.jsonl").read_text()


def test_what_is_shown_can_be_submitted_again(server: ServerProcess, job: str) -> None:
    spec = server.get(f"/jobs/{job}")["spec"]
    body = {"spec": spec, "files": {"train.py": SHOWS}}
    preview = server.post("/jobs/preview", body)
    assert preview["spec"]["environment"] == spec["environment"]
    again = server.post("/jobs", body, 201)["id"]
    server.wait(again)
    assert server.log_of(again) == "it is sesame\n"
    assert server.get(f"/jobs/{again}")["spec"]["environment"]["variables"] == {"KEY": f"… as in job {again}"}


@pytest.mark.parametrize("name, value", [("KEY", "…"), ("KEY", "… as in job zzzzzzzz"), ("OTHER", "… as in job {job}")])
def test_a_value_that_nobody_has_is_asked_for(server: ServerProcess, job: str, name: str, value: str) -> None:
    spec = {"script": "train.py", "environment": {"variables": {name: value.format(job=job)}}}
    error = server.post("/jobs", {"spec": spec, "files": {"train.py": SHOWS}}, 422)["error"]
    assert "give the value again" in error["message"]
    assert name in error["fields"]["environment.variables"]
