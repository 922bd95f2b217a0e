"""Which ranges of GPUs a job may have."""

import pytest
from pydantic import ValidationError

from paddock.errors import InvalidInput
from paddock.models import Device, JobSpec, Node, Resources, Traits
from paddock.server.intake import checks

CLUSTER = Traits(queued=True, multi_node=True)
NODES = [
    Node(
        name=f"n{number}",
        backend="lab",
        cpus=16,
        slots=4,
        cpu_slots=16,
        devices=[Device(id=str(n), kind="gpu", name="h200") for n in range(4)],
    )
    for number in range(2)
]


def checked(traits: Traits = CLUSTER, **resources: object) -> None:
    checks.sizes(Resources.model_validate({"cpus": 1, **resources}), NODES, traits)


def test_only_sizes_that_can_change_are_kept() -> None:
    kept = {"command": "train", "elastic": {"keep_size": True}}
    checks.keep_size(JobSpec.model_validate(kept | {"resources": {"gpus": "1..4"}}))
    checks.keep_size(JobSpec.model_validate(kept | {"elastic": {"keep_size": False}}))
    with pytest.raises(InvalidInput, match="give a range"):
        checks.keep_size(JobSpec.model_validate(kept | {"resources": {"gpus": 2}}))
    with pytest.raises(ValidationError, match="keep_size"):
        JobSpec.model_validate(kept | {"elastic": {"keep_size": "perhaps"}})


def test_up_to_a_node_and_beyond() -> None:
    checked(gpus="1..4")
    checked(gpus="1..3")
    checked(gpus="1..8", launcher="torchrun")
    checked(gpus=2)


@pytest.mark.parametrize(
    ("resources", "traits", "said"),
    [
        ({"gpus": "1..8"}, CLUSTER, "more than the 4 GPUs of a node"),
        ({"gpus": "1..6", "launcher": "torchrun"}, CLUSTER, "multiple of 4"),
        ({"gpus": "1..12", "launcher": "torchrun"}, CLUSTER, "asks for 3 nodes"),
        ({"gpus": "1..8", "launcher": "torchrun"}, Traits(), "no node has more than 4"),
    ],
)
def test_what_can_never_run(resources: dict[str, object], traits: Traits, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        checked(traits, **resources)
