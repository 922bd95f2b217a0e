"""The server itself: scripts, nodes, health, version."""

import time

from fastapi import APIRouter

from paddock import samples
from paddock.api.server import At
from paddock.inspection import inspect_source
from paddock.models import Health, InspectRequest, Node, Sample, ScriptReport, Version
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
        running = tasks.running_in(c, keys)
    return [_with_tasks(node, running) for node in nodes]


def _with_tasks(node: Node, running: dict[str, list[str]]) -> Node:
    devices = [
        device.model_copy(update={"tasks": [task for key in device.used_by for task in running.get(key, [])]})
        for device in node.devices
    ]
    return node.model_copy(update={"devices": devices})


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
