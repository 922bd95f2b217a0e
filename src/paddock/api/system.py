"""The server itself: scripts, nodes, health, version."""

import time

from fastapi import APIRouter

from paddock import samples
from paddock.api.server import At
from paddock.inspection import inspect_source
from paddock.models import (
    BackendInfo,
    Health,
    InspectRequest,
    Node,
    Resources,
    Sample,
    ScriptReport,
    Version,
)
from paddock.store import tasks
from paddock.store.rows import moment
from paddock.version import __version__

router = APIRouter(tags=["server"])

LATE_SECONDS = 30.0


@router.post("/scripts/inspect")
def inspect_script(what: InspectRequest) -> ScriptReport:
    """What reading a script tells: its parameters, how it takes them, its metrics, warnings. It is never run."""
    return inspect_source(what.source, what.filename, what.params)


@router.get("/nodes")
def list_nodes(at: At) -> list[Node]:
    """The machines of all backends, as last seen, and the tasks on their devices."""
    nodes = at.engine.nodes()
    keys = [key for node in nodes for device in node.devices for key in device.used_by]
    with at.db.read() as c:
        by_key = tasks.running_in(c, keys)
        by_place = tasks.running_on(c)
    return [_with_tasks(node, by_key, by_place.get(node.name, {})) for node in nodes]


def _with_tasks(node: Node, by_key: dict[str, list[str]], by_device: dict[str, list[str]]) -> Node:
    """Some backends say which allocation has a device; else what the tasks themselves said of where they are."""
    devices = [
        device.model_copy(
            update={
                "tasks": [task for key in device.used_by for task in by_key.get(key, [])]
                or by_device.get(f"{device.kind} {device.id}", [])
            }
        )
        for device in node.devices
    ]
    on_node = sorted({task for listed in by_device.values() for task in listed})
    return node.model_copy(update={"devices": devices, "tasks": on_node})


@router.get("/backends")
def list_backends(at: At) -> list[BackendInfo]:
    """Where jobs can run, and how each is."""
    return at.engine.backend_infos()


@router.get("/profiles")
def list_profiles(at: At) -> dict[str, Resources]:
    """Resources with a name, from the server's settings."""
    return at.settings.profiles


@router.get("/samples")
def list_samples() -> list[Sample]:
    """Sweeps to try out; submit one as it is."""
    return samples.load()


@router.get("/health")
def health(at: At) -> Health:
    engine = at.engine
    problems = [f"backend {name}: {state}" for name, state in engine.backends.items() if state != "ok"]
    if engine.problem:
        problems.append(f"the engine's last round failed: {engine.problem}")
    if engine.beat is not None and time.time() - engine.beat > LATE_SECONDS:
        problems.append(f"the engine has not ended a round for {time.time() - engine.beat:.0f} s")
    return Health(
        ok=not problems,
        engine_beat=moment(engine.beat),
        database="sqlite" if at.db.sqlite else "postgresql",
        backends=engine.backends,
        problems=problems,
    )


@router.get("/version")
def version() -> Version:
    return Version(version=__version__)
