"""Test that a follower that fails disturbs nothing else."""

from typing import Any

from paddock.runner.sources.guarded_follower import GuardedFollower


class Broken:
    def poll(self, long: bool = False) -> list[dict[str, Any]]:
        raise UnicodeError("odd file")

    def close(self, well: bool = False) -> list[dict[str, Any]]:
        return [{"e": "metric", "step": 1, "v": {"loss": 2.0}}]


def make() -> Any:
    return Broken()


def test_a_failure_is_reported_once_and_it_goes_on() -> None:
    watch = GuardedFollower(make)
    [warning] = watch.poll()
    assert warning["e"] == "warning"
    assert "odd file" in warning["text"]
    assert watch.poll() == []
    assert watch.close() == [{"e": "metric", "step": 1, "v": {"loss": 2.0}}]


def test_no_follower_at_all() -> None:
    def fail() -> Any:
        raise OSError("no")

    watch = GuardedFollower(fail)
    assert [r["e"] for r in watch.poll()] == ["warning"]
    assert watch.close() == []
