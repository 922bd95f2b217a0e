"""The routes of the server itself: scripts, backends, health, version."""

import time
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query

from paddock.models.cluster import BackendInfo, Health, Version
from paddock.models.jobs import Sample
from paddock.models.keep import PruneReport, PruneRequest
from paddock.models.preflight import FoundEnvironment
from paddock.models.resources import Resources
from paddock.models.script import InspectRequest, ScriptReport
from paddock.program import environments
from paddock.program.inspection import inspect_source
from paddock.server import samples
from paddock.server.api.caller import By
from paddock.server.api.server import At
from paddock.server.store.rows import moment
from paddock.version import __version__

router = APIRouter(tags=["server"])

LATE_SECONDS = 30.0
MAX_PROBLEM = 500


@router.post("/scripts/inspect")
def inspect_script(what: InspectRequest) -> ScriptReport:
    """Return what a script contains: its parameters, how it takes them, its metrics, warnings. It is never run."""
    return inspect_source(what.source, what.filename, what.params, what.files)


@router.get("/backends")
def list_backends(at: At) -> list[BackendInfo]:
    """Return where jobs can run, and the state of each backend."""
    return at.engine.backend_infos()


@router.get("/environments")
def list_environments(
    near: Annotated[
        str | None, Query(max_length=4000, description="a folder: those in it and above it come first")
    ] = None,
) -> list[FoundEnvironment]:
    """Return the Python environments on the node of the server, and modules that `module load` offers there."""
    return environments.find(Path(near) if near else None)


@router.get("/profiles")
def list_profiles(at: At) -> dict[str, Resources]:
    """Return the named resource profiles of the server's settings."""
    return at.settings.profiles


@router.get("/samples")
def list_samples() -> list[Sample]:
    """Return sweeps to try out, ready to be submitted."""
    return samples.load()


@router.get("/health")
async def health(at: At) -> Health:
    """Return how the server is. Answers even while all worker threads are busy or the database is away."""
    engine = at.engine
    problems = [f"backend {name}: {state}" for name, state in engine.backends.items() if state != "ok"]
    if engine.problem:
        problems.append(f"the engine's last round failed: {engine.problem}")
    if engine.beat is not None and time.time() - engine.beat > LATE_SECONDS:
        problems.append(f"the engine has not finished a round for {time.time() - engine.beat:.0f} s")
    problems += at.watch.problems
    return Health(
        ok=not problems,
        engine_beat=moment(engine.beat),
        database="sqlite" if at.db.sqlite else "postgresql",
        backends=engine.backends,
        problems=[problem[:MAX_PROBLEM] for problem in problems],
        set_aside=len(engine.set_aside),
    )


@router.post("/prune")
def prune(at: At, by: By, what: PruneRequest | None = None) -> PruneReport:
    """Delete what is older than the settings `keep` or the request allow; or only report what would be deleted.

    Nothing of jobs that have not ended is deleted. The answer comes when all is marked as deleted; files and rows are
    deleted after it.
    """
    what = what or PruneRequest()
    if not what.dry_run:
        at.did(by, "server.prune", "")
    return at.engine.keeper.prune(what)


@router.get("/version")
def version() -> Version:
    """Return the version of the server."""
    return Version(version=__version__)
