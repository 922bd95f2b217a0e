"""Test the command plan: what is known, what is given, and how it is shown."""

from pathlib import Path

from tests.support.up import Cli


def test_plan(cli: Cli) -> None:
    Path(cli.folder, "large.yaml").write_text("command: sleep 1\nname: large\nresources: {gpus: 2}\n")
    Path(cli.folder, "small.yaml").write_text("command: sleep {s}\nname: small\nparams: {s: [1, 2, 3]}\n")
    files = ("large.yaml", "small.yaml")
    given = ("--task-time", "large.yaml=2h", "--task-time", "30m", "--nodes", "1x2")
    found = cli("plan", *files, *given, "--json").json
    assert [(one["name"], one["ended"], one["task_seconds"]) for one in found["jobs"]] == [
        ("large", 1, 7200.0),
        ("small", 3, 1800.0),
    ]
    done = cli("plan", *files, *given)
    assert "All is done after" in done.out
    assert "1 node with 2 GPUs" in done.out
    assert "GPUs in use: " in done.out
    assert "empty cluster" in done.err
    assert "is not known" in cli("plan", "small.yaml", code=2).err
    assert "write their number" in cli("plan", "small.yaml", "--nodes", "many", code=2).err
    assert "none of the jobs" in cli("plan", "small.yaml", "--task-time", "other.yaml=1h", code=2).err


def test_what_earlier_jobs_show_counts_for_more_than_what_is_given(cli: Cli) -> None:
    job = cli.submit("-p", "lr=1,2,3")
    cli.wait(job)
    found = cli("plan", cli.script(), "--task-time", "5h", "--json").json
    [one] = found["jobs"]
    assert one["known"] >= 3
    assert one["task_seconds"] < 3600
    assert found["kind"] == "cpu"
    assert one["most_slots"] >= 1
