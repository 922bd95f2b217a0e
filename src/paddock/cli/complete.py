"""Shell completion: ids with names, and the parameters of a script. It is quick, and silent without a server."""

import os
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import typer

from paddock.cli.render import clean

SECONDS = 1.0
Found = list[tuple[str, str]]


def _silently(find: Callable[[typer.Context, str], Iterable[tuple[str, str]]]) -> Callable[..., Found]:
    @wraps(find)
    def found(ctx: typer.Context, incomplete: str) -> Found:
        try:
            return list(find(ctx, incomplete))
        except Exception:  # whatever it is, a half-typed command line is no place to show it
            return []

    return found


@_silently
def jobs(ctx: typer.Context, incomplete: str) -> Found:
    with _client(ctx) as client:
        found = client.jobs(limit=200).items
    return [(job.id, clean(job.name)) for job in found if job.id.startswith(incomplete)]


@_silently
def targets(ctx: typer.Context, incomplete: str) -> Found:
    """Complete jobs, and tasks once a dash is typed."""
    return _tasks(ctx, incomplete) if "-" in incomplete else jobs(ctx, incomplete)


@_silently
def reservations(ctx: typer.Context, incomplete: str) -> Found:
    from datetime import UTC, datetime

    with _client(ctx) as client:
        found = client.calendar.reservations(since=datetime.now(UTC), mine=True)
    return [(one.id, clean(one.title) or f"{one.starts_at:%d %b}") for one in found if one.id.startswith(incomplete)]


def released(ctx: typer.Context, incomplete: str) -> Found:
    """Complete what `paddock release` takes."""
    return reservations(ctx, incomplete) + jobs(ctx, incomplete)


@_silently
def partitions(ctx: typer.Context, incomplete: str) -> Found:
    with _client(ctx) as client:
        names = sorted({name for node in client.nodes() for name in node.partitions})
    return [(name, "partition") for name in names if name.startswith(incomplete)]


@_silently
def metrics(ctx: typer.Context, incomplete: str) -> Found:
    """Complete the metrics that tasks of a job have reported."""
    with _client(ctx) as client:
        found = client.objective(ctx.params.get("job") or _typed_after("objective")).metrics
    return [(one.metric, f"{one.goal} is better") for one in found if one.metric.startswith(incomplete)]


@_silently
def params(ctx: typer.Context, incomplete: str) -> Found:
    """Complete `name=` of the parameters of a script, which is read here; for `extend`, of those of a job."""
    if ctx.info_name == "extend":
        return _job_params(ctx, incomplete)
    return _params(ctx.params.get("source") or _typed_source(), incomplete)


def _client(ctx: typer.Context) -> Any:
    from paddock.client.light import LightClient

    given = ctx.find_root().params
    return LightClient(url=given.get("url"), home=given.get("home"), timeout=SECONDS)


def _tasks(ctx: typer.Context, incomplete: str) -> Found:
    from paddock.cli.render import params_text

    job, _, number = incomplete.rpartition("-")
    with _client(ctx) as client:
        found = client.tasks(job, limit=500)
    # Offered as typed: the shell drops what does not begin with that.
    return [
        (f"{job}-{task.number}", f"{task.state} {params_text(task.params)}")
        for task in found
        if str(task.number).startswith(number)
    ]


def _job_params(ctx: typer.Context, incomplete: str) -> Found:
    from paddock.cli.render import space_text

    with _client(ctx) as client:
        spec = client.detail(ctx.params.get("job") or _typed_after("extend")).spec
    return [(f"{name}=", clean(space_text(one))) for name, one in spec.params.items() if name.startswith(incomplete)]


def _typed_source() -> str | None:
    """Return the source from the words of the shell: Typer has no arguments while an option waits for its value."""
    return next((word for word in _words() if word.endswith(".py") or (os.sep in word and Path(word).is_dir())), None)


def _typed_after(command: str) -> str:
    words = _words()
    return next(word for word in words[words.index(command) + 1 :] if not word.startswith("-"))


def _words() -> list[str]:
    return (os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")).split()


def _params(source: Any, incomplete: str) -> Found:
    from paddock.client.inspecting import sources
    from paddock.program.inspection import inspect_source

    if not source or "=" in incomplete:
        return []
    script = Path(str(source)).expanduser()
    if script.is_dir():
        script = next(script / name for name in ("train.py", "main.py") if (script / name).is_file())
    report = inspect_source(*sources(script))
    return [
        (f"{param.name}=", clean(param.help or (f"default {param.default}" if param.default is not None else "")))
        for param in report.params
        if param.name.startswith(incomplete)
    ]
