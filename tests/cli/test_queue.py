"""Test the commands queue and why, and how it is said when something will be."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from paddock.cli import render
from paddock.cli.queue import explained
from paddock.models import Expected, TaskState, Waits
from tests.support.up import Cli


def band(minutes: tuple[float, float, float], *, unsure: bool = False, day: datetime | None = None) -> Expected:
    begin = day or datetime.now().astimezone().replace(hour=12, minute=0, second=0, microsecond=0) + timedelta(days=3)
    early, likely, late = (begin + timedelta(minutes=one) for one in minutes)
    return Expected(early=early, likely=likely, late=late, unsure=unsure)


def test_how_a_band_is_said() -> None:
    day = f"{datetime.now().astimezone() + timedelta(days=3):%a %d %b}"
    assert render.band(None) == ""
    assert render.band(band((0, 10, 50))) == f"{day} 12:00 to 12:50"
    assert render.band(band((0, 0, 0.5))) == f"{day} 12:00"
    assert render.band(band((0, 10, 500), unsure=True)) == f"about {day} 12:10, unsure"
    assert " to " in render.band(band((0, 60, 24 * 60)))
    assert render.band(band((0, 0, 0.5), day=datetime.now(UTC))) == "in less than a minute"
    tomorrow = datetime.now().astimezone().replace(hour=9, minute=5) + timedelta(days=1)
    assert render.day_and_time(tomorrow) == "tomorrow 09:05"


def test_queue_and_why(cli: Cli) -> None:
    job = cli.submit("-p", "lr=1,2")
    cli.wait(job)
    said = cli.quick("why", f"{job}-1").out
    assert said.startswith(f"{job}-1 finished today ")
    held = cli.submit("-p", "lr=1,2", "-p", "sleep=1000")
    try:
        cli.quick("hold", held)
        [listed] = [one for one in cli.quick("queue", "--json").json["items"] if one["id"] == held]
        assert listed["held"]
        assert listed["running"] + listed["waiting"] == 2
        assert held in cli.quick("queue", "--tasks").out
        assert all(len(line) <= 80 for line in cli.quick("queue").out.splitlines())
    finally:
        cli.quick("stop", held)
        cli.wait(held)
    assert "was stopped" in cli.quick("why", f"{held}-2").out
    assert cli.quick("why", f"{held}-99", code=3).out == ""


TASK: dict[str, Any] = {"id": "k3v-1", "stopping": False, "attempt": 1, "node": "n1", "cause": None, "reason": None}
TASK |= {"attempts": [], "size_wanted": None, "sized_by": None, "resize_by": None, "resize_why": None, "size_why": None}
TASK |= {"warnings": [], "waits": None, "expected_start": None, "expected_end": None, "no_word_since": None}
TASK |= {"quiet_after": None, "reported_at": None, "started_at": None, "ended_at": None, "epochs_done": None}


class Shown:
    """A task with some of its fields."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(TASK | fields)


NOW = datetime.now().astimezone()
BAND = band((0, 10, 50))


@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({"state": TaskState.SUBMITTED}, ["waits for its turn. When it starts is not known yet."]),
        (
            {"state": TaskState.SUBMITTED, "waits": Waits(reason="the node is full"), "expected_start": BAND},
            ["k3v-1 waits: the node is full. It should start ", "12:00 to 12:50."],
        ),
        ({"state": TaskState.SUBMITTED, "stopping": True}, ["being stopped"]),
        ({"state": TaskState.SUBMITTED, "expected_start": BAND, "expected_end": BAND}, [", and end ", "12:50."]),
        ({"state": TaskState.RUNNING, "started_at": NOW, "expected_end": BAND}, ["runs since today", "on n1", "end "]),
        ({"state": TaskState.RUNNING, "started_at": NOW}, ["When it ends is not known: no other task has ended."]),
        ({"state": TaskState.RUNNING, "epochs_done": 3.0}, ["it takes longer than expected"]),
        ({"state": TaskState.RUNNING, "no_word_since": NOW}, ["No word since "]),
        (
            {"state": TaskState.ERROR, "cause": "gpu_oom", "reason": "out of memory", "attempt": 3},
            ["k3v-1 failed: gpu_oom: out of memory. It was tried 3 times."],
        ),
        ({"state": TaskState.PRUNED, "reason": "others are better"}, ["was stopped early: others are better."]),
        (
            {"state": TaskState.FINISHED, "started_at": NOW - timedelta(hours=1), "ended_at": NOW},
            ["finished today", "after 1 h."],
        ),
    ],
)
def test_why_in_a_sentence_or_two(fields: dict[str, Any], parts: list[str]) -> None:
    said = explained(Shown(**fields))  # type: ignore[arg-type]
    for part in parts:
        assert part in said


def test_how_many_gpus_and_why() -> None:
    attempts = [Shown(size=1), Shown(size=2)]
    why = {"size_why": "resized from 1 to 2 GPUs by the policy: 3 GPUs are free"}
    said = explained(Shown(state=TaskState.RUNNING, attempts=attempts, **why))  # type: ignore[arg-type]
    assert "It has 2 GPUs: resized from 1 to 2 GPUs by the policy: 3 GPUs are free." in said
    said = explained(Shown(state=TaskState.RUNNING, attempts=attempts))  # type: ignore[arg-type]
    assert said.startswith("k3v-1 runs on n1. It has 2 GPUs. ")
    going = {"size_wanted": 1, "resize_by": "the policy", "resize_why": "makes room for job k4v"}
    said = explained(Shown(state=TaskState.RUNNING, attempts=attempts, **going))  # type: ignore[arg-type]
    assert "It is being resized: 2 -> 1 GPUs, for the policy: makes room for job k4v." in said
