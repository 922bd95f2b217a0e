"""Test `paddock prune`: it shows what would be deleted, asks, and deletes it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import wait_for
from tests.support.up import Cli, up


@pytest.fixture(scope="module")
def server_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Replace the server that the other files share, because these tests delete every old job."""
    with up(tmp_path_factory.mktemp("prune") / "home") as home:
        yield home


def test_from_a_look_to_the_end(cli: Cli) -> None:
    job = cli.submit("-p", "lr=0.1,0.2", "--name", "mine")
    cli.wait(job)
    assert cli.quick("prune", "--dry-run").out == "Nothing is too old to be kept.\n"
    assert cli.quick("prune", "--yes").out == "Nothing is too old to be kept.\n"

    def settled() -> str:
        """Its allocations are settled a moment after its tasks."""
        out = cli.quick("prune", "--jobs-older-than", "0s", "--dry-run").out
        return out if job in out else ""

    shown = wait_for(settled)
    assert "mine" in shown
    assert shown.splitlines()[-1].startswith("1 job (")
    assert shown.splitlines()[-1].endswith(" would be deleted")
    asked = cli.quick("prune", "--jobs-older-than", "0s", code=2)
    assert "Nothing was deleted, as there is no terminal to confirm it on: add --yes to delete 1 job (" in asked.err
    assert cli.quick("prune", "--jobs-older-than", "0s", "--json", code=2).out == ""
    assert len(cli.quick("ls", "--json").json["items"]) == 1

    journals = cli.quick("prune", "--journals-older-than", "0s", "--yes", "--json").json
    assert [(one["kind"], one["what"]) for one in journals["items"]] == [("journals", job)]
    assert not (cli.home / "jobs" / job / "claims").exists()
    assert len(cli.quick("tasks", job, "--json").json) == 2

    done = cli.quick("prune", "--jobs-older-than", "0s", "--yes")
    assert done.out.splitlines()[-1].endswith(" deleted")
    assert cli.quick("ls", "--json").json["items"] == []
    wait_for(lambda: not (cli.home / "jobs" / job).exists(), what="its folder to be gone")


@pytest.mark.parametrize("given", ["30", "soon", "-1d"])
def test_an_age_needs_its_unit(cli: Cli, given: str) -> None:
    done = cli.quick("prune", f"--attempts-older-than={given}", code=2)
    assert done.err.startswith("error: --attempts-older-than: ")
