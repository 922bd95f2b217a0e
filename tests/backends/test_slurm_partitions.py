"""Test whether a request fits a partition."""

import pytest

from paddock.backends.slurm import parse
from paddock.backends.slurm.partitions import faults, objection
from paddock.models import Resources, SlurmResources

ROWS = parse.partitions(
    "PartitionName=gpu AllowGroups=ALL AllowAccounts=ALL Default=YES MaxNodes=2 MaxTime=1-00:00:00 State=UP\n"
    "PartitionName=tiny AllowGroups=ALL AllowAccounts=ALL Default=NO MaxNodes=UNLIMITED MaxTime=00:01:00 State=UP\n"
    "PartitionName=old AllowGroups=ALL AllowAccounts=ALL Default=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED State=DRAIN\n"
    "PartitionName=own AllowGroups=vision AllowAccounts=lab Default=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED State=UP\n"
)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({}, None),
        ({"time_limit": "1d"}, None),
        ({"time_limit": "25h"}, "partition gpu allows at most 1 d"),
        ({"partition": "tiny", "time_limit": "2h"}, "partition tiny allows at most 1 min"),
        ({"partition": "tiny"}, None),
        ({"nodes": 3}, "partition gpu allows at most 2 nodes"),
        ({"partition": "nope"}, "there is no partition nope"),
        ({"partition": "old"}, "partition old is drained"),
        ({"partition": "tiny,gpu", "time_limit": "2h"}, None),
        ({"partition": "tiny,old", "time_limit": "2h"}, "partition old is drained"),
    ],
)
def test_objection(asked: dict[str, object], text: str | None) -> None:
    found = objection(ROWS, Resources.model_validate(asked))
    assert (found.text if found else None) == text
    assert found is None or found.passes == (text == "partition old is drained")


def test_who_may_use_it() -> None:
    own = Resources(slurm=SlurmResources(partition="own"))
    assert faults(ROWS, own) == []
    assert faults(ROWS, own, groups={"vision"}, accounts={"lab"}) == []
    [fault] = faults(ROWS, own, groups={"audio"})
    assert fault.text == "partition own is only for the groups vision"
    [fault] = faults(ROWS, own, groups={"vision"}, accounts={"other"})
    assert fault.text == "partition own is only for the accounts lab"
