"""Test how Slurm's reasons are put into words."""

from typing import Any

import pytest

from paddock.backends.slurm import reasons
from paddock.backends.slurm.parse import QueueRow


def row(reason: str, **more: Any) -> QueueRow:
    about: dict[str, Any] = {"starts_at": None, "nodes": "", "priority": 5} | more
    return QueueRow(id="1_0", state="PENDING", reason=reason, partition="volta", name="paddock-x", **about)


def told(reason: str, *, gpus: bool = False, ahead: int | None = None, **more: Any) -> str:
    return reasons.waiting(row(reason, **more), gpus, ahead)


@pytest.mark.parametrize(
    ("reason", "gpus", "ahead", "text"),
    [
        ("Resources", False, None, "waits for a free place in partition volta"),
        ("Resources", True, 0, "waits for a free GPU in partition volta"),
        ("Resources", True, 1, "waits for a free GPU in partition volta: 1 job ahead"),
        ("Priority", False, None, "waits for a free place in partition volta; others come first"),
        ("Priority", False, 3, "waits for a free place in partition volta: 3 jobs ahead"),
        ("Licenses", False, 3, "waits for a licence"),
        ("ReqNodeNotAvail, UnavailableNodes:n1", False, None, "a node that it needs is down, drained or reserved"),
        ("Reservation", False, None, "waits for its reservation to begin"),
        ("", False, 5, "was just submitted"),
        ("SomethingNew", False, None, "waits: SomethingNew"),
        ("Some {strange} %s reason", False, None, "waits: Some {strange} %s reason"),
    ],
)
def test_why_it_waits(reason: str, gpus: bool, ahead: int | None, text: str) -> None:
    assert told(reason, gpus=gpus, ahead=ahead) == text


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("QOSMaxCpuPerUserLimit", "the limit of cores of its quality of service (QOS) is reached"),
        ("QOSMaxGRESPerUser", "the limit of GPUs of its quality of service (QOS) is reached"),
        ("QOSMaxJobsPerUserLimit", "the limit of running jobs of its quality of service (QOS) is reached"),
        ("QOSMaxSubmitJobPerUserLimit", "the limit of submitted jobs of its quality of service (QOS) is reached"),
        ("QOSGrpMemLimit", "the limit of memory of its quality of service (QOS) is reached"),
        ("AssocMaxJobsLimit", "the limit of running jobs of its user or account is reached"),
        ("AssocGrpCpuLimit", "the limit of cores of its user or account is reached"),
        ("AssocGrpNodeLimit", "the limit of nodes of its user or account is reached"),
        ("AssocGrpWhatever", "a limit of its user or account is reached"),
    ],
)
def test_limits_say_what_of_and_whose(reason: str, text: str) -> None:
    assert told(reason) == f"{text} ({reason})"
    assert not reasons.never(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "BadConstraints",
        "PartitionConfig",
        "PartitionTimeLimit",
        "InvalidAccount",
        "InvalidQOS",
        "JobHeldAdmin",
        "DependencyNeverSatisfied",
        "JobHoldMaxRequeue",
    ],
)
def test_what_never_starts_says_so(reason: str) -> None:
    assert reasons.never(reason)
    assert told(reason).endswith(": it will not start by itself")


def test_what_its_owner_holds_can_be_released() -> None:
    assert reasons.never("JobHeldUser")
    assert told("JobHeldUser") == "held: release it to let it start"


@pytest.mark.parametrize("reason", ["Resources", "Priority", "None", "", "Dependency", "ReqNodeNotAvail, May be", "x"])
def test_all_else_may_start(reason: str) -> None:
    assert not reasons.never(reason)


def test_when_it_is_expected_is_told_elsewhere() -> None:
    assert told("Resources", starts_at=2e9) == told("Resources")


def test_every_word_makes_a_sentence() -> None:
    for word in reasons._WORDS:
        text = told(word)
        assert "{" not in text
        assert text[0].islower() or text.startswith("Slurm")
    assert set(reasons._NEVER) <= set(reasons._WORDS)
