"""Show the files of a map in place of the numbers of its parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from paddock.client.client import Client

if TYPE_CHECKING:
    from paddock.models import JobDetail, MapPart, Task

Parts: TypeAlias = "dict[int, MapPart]"


def parts(client: Client, job: JobDetail) -> Parts:
    return {one.part: one for one in client.parts(job.id)} if job.mapped else {}


def named(tasks: Iterable[Task], known: Parts) -> list[Task]:
    """Return the tasks with files as their parameters."""
    return [task.model_copy(update={"params": params(one)}) if (one := of(task, known)) else task for task in tasks]


def of(task: Task, known: Parts) -> MapPart | None:
    part = task.params.get("part")
    return known.get(part) if isinstance(part, int) else None


def params(one: MapPart) -> dict[str, str]:
    """Return the first file, and how many more there are: `in/a.jpg (+49)`."""
    more = f" (+{one.files - 1:,})" if one.files > 1 else ""
    return {name: text + more for name, text in (("input", one.input), ("output", one.output)) if text is not None}
