"""Test notices on the command line: list and read them, and choose them for one job."""

import pytest

from tests.support.server import wait_for
from tests.support.up import TINY, Cli


def test_notices_are_listed_and_read(cli: Cli) -> None:
    cli.quick("notices", "--read")
    script = cli.script(TINY)
    job = cli.quick("submit", script, "--gpus", "0", "--name", "told", "--notify", "ended,failed", "--json").json
    assert cli.quick("show", job["id"], "--json").json["spec"]["notify"] == ["ended", "failed"]
    found = wait_for(lambda: cli.quick("notices", "--json").json["items"], what="the notice")
    assert [(one["title"], one["kind"]) for one in found] == [("told has ended", "ended")]
    text = cli.quick("notices", "--read").out
    assert "told has ended" in text and "Best val_loss: 0.05" in text
    assert "no new notices" in cli.quick("notices").out
    assert "told has ended" in cli.quick("notices", "--all").out


@pytest.mark.parametrize("given", ["sometimes", "ended,sometimes", ""])
def test_a_kind_that_does_not_exist_is_refused(cli: Cli, given: str) -> None:
    refused = cli.quick("submit", cli.script(TINY), "--notify", given, code=2)
    assert "ended, failed, attention, all or none" in refused.err


@pytest.mark.parametrize(("given", "kinds"), [("none", []), ("all", ["ended", "failed", "attention"])])
def test_all_and_none_are_other_than_nothing(cli: Cli, given: str, kinds: list[str]) -> None:
    arguments = ("submit", cli.script(TINY), "--gpus", "0", "--json")
    job = cli.quick(*arguments, "--notify", given).json["id"]
    assert cli.quick("show", job, "--json").json["spec"]["notify"] == kinds
    assert cli.quick("show", cli.quick(*arguments).json["id"], "--json").json["spec"]["notify"] is None
