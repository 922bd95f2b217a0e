"""Test whose jobs are listed, and who sees them, on the command line."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.team import ALICE, BOB, Team, team
from tests.support.up import Cli, Done

Person = Callable[..., Done]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("owners") / "home") as made:
        yield made


def person(people: Team, name: str, folder: Path) -> Person:
    """The command line of somebody on another machine."""
    cli = Cli(folder / "nothing", folder)
    token = people.clients[name].headers["Authorization"].removeprefix("Bearer ")
    return lambda *words, code=0: cli.quick(*words, code=code, PADDOCK_URL=people.url, PADDOCK_TOKEN=token)


def test_a_job_is_private_from_the_beginning_or_later(people: Team, tmp_path: Path) -> None:
    alice, bob = person(people, ALICE, tmp_path), person(people, BOB, tmp_path)
    (tmp_path / "train.py").write_text("print('val_loss: 1')")
    job = alice("submit", "train.py", "--gpus", "0", "--private", "--name", "mine", "--json").json["id"]
    assert "There is no job" in bob("show", job, code=None).err
    assert "No job" in bob("ls", "-q", "mine").err
    listed = alice("ls").out
    assert "OWNER" in listed
    assert "alice (private)" in listed
    alice("edit", job, "--team")
    assert "alice (private)" not in alice("show", job).out
    line = next(line for line in bob("ls").out.splitlines() if job in line)
    assert line.split()[:3] == [job, ALICE, "mine"]
    assert job not in bob("ls", "--mine").out
    assert job in bob("ls", "--owner", ALICE).out
    assert job in alice("ls", "--mine").out
    refused = bob("restart", job, "--yes", code=None)
    assert refused.code != 0
    assert "only they may do this" in refused.err
    alice("edit", job, "--private")
    assert "There is no job" in bob("show", job, code=None).err
    assert alice("show", job, "--spec").out.count("visibility: private") == 1
