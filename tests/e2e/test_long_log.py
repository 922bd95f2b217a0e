"""Test a log of many megabytes: the metrics at its end are found, and the runner stays small."""

from pathlib import Path

from benchmarks import long_log

from tests.support.server import running

MEGABYTES = 20  # a slow processor reads as much in time, too; `python -m benchmarks.long_log` has 300


def test_the_end_of_a_long_log_is_read(tmp_path: Path) -> None:
    with running(tmp_path / "home", local__slots=1) as server:
        job, _, peak = long_log.follow(server, MEGABYTES)
        task = server.get(f"/tasks/{job}-1")
        assert (task["state"], task["best_value"], task["warnings"]) == ("finished", 0.125, [])
        assert task["log_bytes"] > MEGABYTES * 1_000_000
        [loss] = server.get(f"/tasks/{job}-1/metrics", metric="loss")
        assert loss["steps"][0] == 0
        assert loss["steps"][-1] > 250, "those between were read, too"
        assert 0 < peak < 60, "MB of the runner"
