"""Test why a task has its number of GPUs, in words."""

from datetime import UTC, datetime
from typing import Any

import pytest

from paddock.models import Attempt, Cause, Resources, TaskState
from paddock.server.api.tasks import CHOSEN_FIRST, size_why

NOW = datetime(2026, 11, 19, tzinfo=UTC)
RANGE = Resources(gpus=1, most_gpus=4)
RESIZED = {"cause": Cause.RESIZED, "reason": "resized from 1 to 2 GPUs by the policy: 1 GPU is free"}
LOST: dict[str, Any] = {"cause": Cause.LOST, "reason": "its node went down"}


@pytest.mark.parametrize(
    ("attempts", "why"),
    [
        ([{}], None),
        ([{"size": 2}], CHOSEN_FIRST),
        ([RESIZED, {"size": 2}], RESIZED["reason"]),
        ([RESIZED, {"size": 2} | LOST, {"size": 2}], RESIZED["reason"]),
        ([{"size": 2} | LOST, {"size": 2}], CHOSEN_FIRST),
        ([LOST, {}], None),
        ([{"size": 4} | RESIZED, {"size": 2} | RESIZED, {}], RESIZED["reason"]),
    ],
)
def test_why_it_has_its_gpus(attempts: list[dict[str, Any]], why: str | None) -> None:
    made = [
        Attempt(task="k3v-1", number=number, state=TaskState.STOPPED, created_at=NOW, **one)
        for number, one in enumerate(attempts, 1)
    ]
    assert size_why(made, RANGE, None) == why
    assert size_why(made, RANGE, "ann") == "ann chose it"
    assert size_why(made, Resources(gpus=1), None) is None
