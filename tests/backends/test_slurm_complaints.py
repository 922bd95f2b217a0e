"""Test how error messages of Slurm's commands are understood, with recorded output of three versions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.backends.slurm.complaints import Trouble, diagnose, message
from tests.support.recorded import VERSIONS, Recorded

FAILED = "sbatch: error: Batch job submission failed:"
POLICY = (
    "sbatch: error: Batch job submission failed: "
    "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
)
TROUBLES = {
    Trouble.UNREACHABLE: ["controller-down", "controller-hangs", "munge-down", "database-down", "configuration"],
    Trouble.LIMIT: ["qos-submit-limit", "association-submit-limit", "account-submit-limit", "queue-full"],
    Trouble.REFUSED: ["wrong", "too", "qos", "enforced", "no-association", "foreign", "test-only", "partition-closed"],
    Trouble.UNKNOWN_JOB: ["unknown", "ended", "bad-id"],
    Trouble.ARRAY: ["wrong-array"],
    Trouble.DISABLED: ["plain-sacct"],
}


@pytest.fixture(params=VERSIONS)
def recorded(request: pytest.FixtureRequest) -> Recorded:
    return Recorded(request.param)


def test_diagnose(recorded: Recorded) -> None:
    """Every failed command of the recording; by the longest beginning of its name."""
    meant = {start: trouble for trouble, starts in TROUBLES.items() for start in starts}
    failed = [name for name in recorded.index if recorded.rc(name) and not name.endswith("-ping")]
    of_reservations = [name for name in failed if name.startswith("reservation-")]  # their words are shown as they are
    assert of_reservations
    assert {diagnose(recorded.err(name)) for name in of_reservations} <= {Trouble.REFUSED, Trouble.OTHER}
    failed = [name for name in failed if name not in of_reservations]
    assert len(failed) > 40
    found = {name: diagnose(recorded.err(name)) for name in failed}
    expected = {name: meant[max((s for s in meant if name.startswith(s)), key=len)] for name in failed}
    assert found == expected


def test_what_must_fail_failed(recorded: Recorded) -> None:
    for name in ("wrong-partition", "wrong-account", "wrong-qos", "too-many-gpus", "enforced-time-over", "plain-sacct",
                 "qos-submit-limit", "association-submit-limit", "qos-size-limit", "controller-down-squeue",
                 "database-down-sacct", "unknown-scontrol", "unknown-squeue"):  # fmt: skip
        assert recorded.rc(name), name
    assert "is DOWN" in recorded.out("controller-down-ping"), "its message is in the output"
    assert recorded.rc("time-over") == 0, "accepted where EnforcePartLimits is NO; it pends for ever"
    assert recorded.rc("unknown-sacct") == 0 and not recorded.out("unknown-sacct")


@pytest.mark.parametrize(
    ("stderr", "trouble"),
    [
        ("squeue: error: slurm_receive_msg: Zero Bytes were transmitted or received", Trouble.UNREACHABLE),
        ("slurm_load_jobs error: Socket timed out on send/recv operation", Trouble.UNREACHABLE),
        ("sbatch: error: Batch job submission failed: Slurm backup controller in standby mode", Trouble.UNREACHABLE),
        ("sacct: error: slurm_persist_conn_open: Something happened with the receiving", Trouble.UNREACHABLE),
        ("sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying", Trouble.LIMIT),
        ("sbatch: error: Slurm job queue full, sleeping and retrying", Trouble.LIMIT),
        (POLICY, Trouble.LIMIT),
        (f"sbatch: error: QOSMaxSubmitJobPerUserLimit\n{POLICY}", Trouble.LIMIT),
        (f"sbatch: error: QOSMaxGRESPerUser\n{POLICY}", Trouble.REFUSED),
        (f"sbatch: error: MaxGRESPerAccount\n{POLICY}", Trouble.REFUSED),
        ("scancel: error: Kill job error on job id 7: Job/step already completing or completed", Trouble.UNKNOWN_JOB),
        (f"{FAILED} Required partition not available (inactive or drain)", Trouble.CLOSED),
        ("allocation failure: Required partition not available (inactive or drain)", Trouble.CLOSED),
        (f"{FAILED} Required node not available (down, drained or reserved)", Trouble.CLOSED),
        (f"{FAILED} Requested node configuration is not available", Trouble.REFUSED),
        (f"{FAILED} Invalid job array specification", Trouble.ARRAY),
        ("sbatch: error: Batch job submission failed: Unspecified error", Trouble.REFUSED),
        ("", Trouble.OTHER),
        ("Segmentation fault", Trouble.OTHER),
    ],
)
def test_diagnose_known_wordings(stderr: str, trouble: Trouble) -> None:
    assert diagnose(stderr) is trouble


def test_message() -> None:
    text = "sbatch: error: invalid partition specified: nope\nsbatch: error: Batch job submission failed: Invalid\n"
    assert message(text) == "invalid partition specified: nope\nBatch job submission failed: Invalid"


@given(st.text())
def test_nothing_is_fatal(text: str) -> None:
    assert diagnose(text) in Trouble
