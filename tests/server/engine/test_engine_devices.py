"""Devices that can be reserved are found on the nodes of backends."""

from collections.abc import Sequence

import pytest

from paddock.models import Device, Node
from paddock.server.engine.devices import MISSING_SECONDS
from paddock.server.store import devices, events
from paddock.server.store.devices import DeviceRow
from tests.server.engine.engine_rig import Rig


def node(name: str = "n1", *uuids: str | None, usable: bool = True) -> Node:
    gpus = [Device(id=str(n), kind="gpu", name="H200", memory=100, uuid=one) for n, one in enumerate(uuids)]
    return Node(name=name, backend="fake", cpus=8, slots=1, cpu_slots=8, devices=gpus, usable=usable)


def look(rig: Rig, *nodes: Node, seconds: float = 0.0) -> list[DeviceRow]:
    """What is stored after a look at these nodes."""
    rig.backend.nodes = lambda: list(nodes)  # type: ignore[method-assign]
    rig.engine.context.workers["fake"].refresh_nodes()
    rig.step(rounds=1, seconds=seconds)
    with rig.db.read() as c:
        return devices.in_use(c)


def names(rows: Sequence[DeviceRow]) -> dict[str, str | None]:
    return {row.name: row.uuid for row in rows}


def test_a_gpu_that_moves_keeps_its_id_and_a_replaced_one_is_retired(rig: Rig) -> None:
    before = {row.uuid: row.id for row in look(rig, node("n1", "GPU-a", "GPU-b"), node("n2", "GPU-a"))}
    assert names(look(rig, node("n1", "GPU-a", "GPU-b"), node("n2", "GPU-c"))) == {
        "n1:0": "GPU-a",
        "n1:1": "GPU-b",
        "n2:0": "GPU-c",
    }
    moved = look(rig, node("n1", "GPU-b", "GPU-a"), node("n2", "GPU-c"))
    assert names(moved) == {"n1:0": "GPU-b", "n1:1": "GPU-a", "n2:0": "GPU-c"}
    assert {row.id for row in moved if row.uuid == "GPU-b"} == {before["GPU-b"]}
    with rig.db.read() as c:
        [gone] = [row for row in devices.every(c) if row.retired_at is not None]
    assert (gone.host, gone.uuid, gone.number) == ("n2", "GPU-a", 0)


def test_nothing_is_written_when_nothing_has_changed(rig: Rig) -> None:
    def newest() -> int:
        with rig.db.read() as c:
            return events.bounds(c)[1]

    [row] = look(rig, node("n1", "GPU-a"))
    told = newest()
    [again] = look(rig, node("n1", "GPU-a"))
    assert (again, newest()) == (row, told)
    [later] = look(rig, node("n1", "GPU-a"), seconds=2 * devices.SEEN_SECONDS)
    assert later.last_seen > row.last_seen
    assert newest() == told, "that it is still there is no news"


def test_what_is_down_or_silent_is_not_retired(rig: Rig) -> None:
    look(rig, node("n1", "GPU-a"), node("n2", "GPU-b"))
    down = node("n1", usable=False)  # its driver does not answer, either
    for _ in range(3):
        kept = look(rig, down, node("n2", "GPU-b"), seconds=MISSING_SECONDS)
        assert names(kept) == {"n1:0": "GPU-a", "n2:0": "GPU-b"}
    rig.backend.trouble["poll"] = OSError("the backend does not answer")
    rig.engine.context.workers["fake"].nodes = []
    for _ in range(3):
        rig.step(rounds=1, seconds=MISSING_SECONDS)
    with rig.db.read() as c:
        assert len(devices.in_use(c)) == 2


def test_what_stays_away_is_retired_and_is_the_same_when_it_comes_back(rig: Rig) -> None:
    first = {row.uuid: row.id for row in look(rig, node("n1", "GPU-a", "GPU-b"), node("n2", "GPU-c"))}
    assert len(look(rig, node("n1", "GPU-a"))) == 3, "for a while it may be missing"
    assert names(look(rig, node("n1", "GPU-a"), seconds=MISSING_SECONDS)) == {"n1:0": "GPU-a"}
    back = look(rig, node("n1", "GPU-a", "GPU-b"), node("n2", "GPU-c"))
    assert {row.uuid: row.id for row in back} == first


@pytest.mark.parametrize(
    ("what", "expected"), [("off", []), ("nodes", [("n1", None, 2)]), ("gpus", [("n1:0", 0, 1), ("n1:1", 1, 1)])]
)
def test_on_slurm_the_settings_say_what_is_reserved(rig: Rig, what: str, expected: list[object]) -> None:
    look(rig, node("n1", None, None), node("login"))
    given = rig.settings.model_copy(update={"backends": {"fake": _cluster(what)}})
    rig.engine.context.settings = given
    found = look(rig, node("n1", None, None), node("login"))
    found = look(rig, node("n1", None, None), node("login"), seconds=MISSING_SECONDS)
    assert [(row.name, row.number, row.gpus) for row in found] == expected


def _cluster(what: str) -> object:
    from paddock.settings import SlurmSettings

    return SlurmSettings.model_validate({"kind": "slurm", "reservations": what})
