"""The protocol of an outpost: all that the server does with the folder of one job, and with its processes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from paddock.common.folders import Size
from paddock.paths import JobFolder
from paddock.runner.sources import patterns
from paddock.server.outposts.claims import Identity

Line = dict[str, Any]


@dataclass(frozen=True)
class UnreadFiles:
    """The metric files of an attempt whose runner died, and how they are read."""

    task: str
    attempt: int
    resumed: bool
    epochs: int | None
    files: Sequence[str]
    stdout: bool


class Outpost(Protocol):
    """Where the folder of one job lies.

    What the server writes for runners, and the journals of runners, are always in the `mirror` too, which the server
    can read without asking anybody. None as an answer means: not known yet, ask again in a later round.

    A job on hosts without a common file system has a folder on each of them. `node` chooses one there; elsewhere it
    makes no difference.
    """

    dealt: bool
    """Each allocation has a queue of its own, and an attempt goes to one of them (`deal`); no: all share one list."""

    user: str | None
    """The Unix account whose processes and files the job's are; None: the server's own."""

    folder: JobFolder
    """The folder as the job's processes see it."""

    mirror: JobFolder
    """The server's own copy: what it has written, and the journals as far as they have arrived."""

    @property
    def exists(self) -> bool:
        """Return True if the mirror exists: without it, nothing of the job can begin."""
        ...

    def reached(self, node: str | None) -> bool:
        """Return True if it is known where the folder is on this node; otherwise that is being found out."""
        ...

    def on(self, node: str | None) -> JobFolder:
        """Return the folder as processes on this node see it. Raise AgentUnavailable if it was never reached."""
        ...

    def task_folder(self, task: str) -> Path:
        """Return the folder of a task as its processes see it, on the node that it ran on last."""
        ...

    def carried(self, node: str | None = None) -> bool:
        """Return True if everything that was written for runners on this node is where they find it."""
        ...

    def problem(self, node: str | None = None) -> str | None:
        """Return why the folder cannot be reached at the moment."""
        ...

    def order(self, lines: list[Line]) -> None:
        """Append to control.jsonl."""
        ...

    def publish(self, lines: list[Line]) -> None:
        """Append to tasks.jsonl."""
        ...

    def deal(self, key: str, lines: list[Line]) -> None:
        """Append to the queue of one allocation, which was planned; only where attempts are `dealt`."""
        ...

    def plan(self, names: Iterable[str], manifest: str, text: str, node: str | None = None) -> None:
        """Make the folders of allocations, and write the manifest of their batch, which has this name."""
        ...

    def runner(self, archive: Path, node: str | None = None) -> str:
        """Return the path of the runner as the job's processes see it. `archive`: as the server sees it."""
        ...

    def withdraw(self, attempts: Iterable[Identity]) -> Mapping[Identity, bool]:
        """Withdraw attempts. True: no runner has it or will have it; False: a runner has it.

        Of those that are missing it is not known yet: ask again in a later round. So a host that does not answer keeps
        back only what it was dealt.
        """
        ...

    def held(self, attempts: Iterable[Identity], after: Iterable[str]) -> Mapping[Identity, str | None] | None:
        """Return those of these attempts that runners have taken, each with its allocation, if the claim names it.

        `after` names the allocations after whose end this is asked: an older answer is not used.
        """
        ...

    def read(self, path: Path, offset: int, limit: int) -> tuple[int, int, bytes]:
        """Return the start, the size of a file below `folder`, and bytes. It may block; not in the engine's thread."""
        ...

    def unread(self, asked: UnreadFiles) -> list[dict[str, Any]]:
        """Return the metric records of an attempt, read from its files again. It may block, as `read`."""
        ...

    def search(self, logs: Sequence[Path], wanted: Sequence[str]) -> list[list[patterns.Found]]:
        """Return what patterns find in logs below `folder`. It may block, as `read`."""
        ...

    def names(self, path: Path) -> set[str]:
        """Return the names in a folder below `folder`; none if it cannot be read. It may block, as `read`."""
        ...

    def measure(self, path: Path, until: float) -> Size:
        """Return the size of something at or below `folder`. It may block until then, by time.monotonic()."""
        ...

    def drop(self, paths: Sequence[Path]) -> Path | None:
        """Remove folders below `folder`; return what can be deleted in the background. It may block, as `read`."""
        ...

    def put_away(self) -> Path:
        """Remove the files through which server and runners communicated; return a folder that can be deleted."""
        ...

    def remove(self) -> "Removed | None":
        """Remove the whole folder. None: it is being done."""
        ...


@dataclass(frozen=True)
class Removed:
    """A folder of a job that is gone from its place."""

    left: Path | None  # what can be deleted in the background
