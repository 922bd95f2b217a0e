"""Outposts in the server's own home: jobs run as the server's user."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from paddock.common import files, folders, layout
from paddock.paths import Home, JobFolder, append_lines, write_once
from paddock.runner import unread
from paddock.runner.sources import patterns
from paddock.server.intake import apart
from paddock.server.outposts import claims
from paddock.server.outposts.claims import Identity
from paddock.server.outposts.outpost import Line, Removed, UnreadFiles

PUT_AWAY = (layout.TASKS, layout.ALLOCATIONS, layout.CLAIMS)  # in this order
LONG_LOG = 20_000_000  # bytes; to read more takes seconds
SEARCH_SECONDS = 300.0  # for the logs of one call


class Mirror:
    """What the server writes for runners, in its own home."""

    dealt = False
    folder: JobFolder

    def __init__(self, home: Home, job: str) -> None:
        self._home = home
        self._job = job
        self.mirror = home.job(job)

    @property
    def exists(self) -> bool:
        return self.mirror.root.exists()

    def task_folder(self, task: str) -> Path:
        return self.folder.task(task)

    def order(self, lines: list[Line]) -> None:
        append_lines(self.mirror.control, lines)

    def publish(self, lines: list[Line]) -> None:
        self._write_tasks(self.mirror.tasks, lines)

    def _write_tasks(self, path: Path, lines: list[Line]) -> None:
        if not self.mirror.control.exists():
            # A runner needs one call to read a file that exists, and several for one that may come.
            files.append_plain(str(self.mirror.control), b"", below=str(self.mirror.root))
        # The lines contain values of variables, which may be secrets: not even the group of the folder may read them.
        append_lines(path, lines, below=self.mirror.root, mode=0o600)

    def deal(self, key: str, lines: list[Line]) -> None:
        self._write_tasks(self.mirror.allocation(key) / layout.TASKS, lines)

    def plan(self, names: Iterable[str], manifest: str, text: str, node: str | None = None) -> None:
        """Make folders in the job's own folder, not where a link in place of it points."""
        folder = self.mirror
        folder.allocations.mkdir(exist_ok=True)
        with files.in_folder(str(folder.allocations), below=str(folder.root)) as inside:
            for name in names:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=inside)
        write_once(folder.allocations / manifest, text)

    def _put_away(self) -> Path:
        """Move the files away, the list of tasks first, and return their folder.

        Raises OSError if the job's folder is not a folder, or the file system refuses it.
        """
        target = self._home.aside(f"journals-{self._job}")
        with files.in_folder(str(self.mirror.root), below=str(self._home.jobs)) as folder:
            target.mkdir()
            for name in PUT_AWAY:
                with suppress(FileNotFoundError):
                    os.rename(name, target / name, src_dir_fd=folder)
                if name == layout.TASKS:
                    with suppress(OSError):  # some file systems do not support it
                        os.fsync(folder)  # it must not reappear after a power failure
        return target

    def _remove(self) -> Removed:
        """Rename the job's folder, or whatever is in its place."""
        target = self._home.aside(f"removed-{self._job}")
        try:
            self.mirror.root.rename(target)
        except FileNotFoundError:
            return Removed(None)
        return Removed(target)


class Here(Mirror):
    """The mirror is the job's folder itself."""

    user: str | None = None

    def __init__(self, home: Home, job: str) -> None:
        super().__init__(home, job)
        self.folder = self.mirror

    def reached(self, node: str | None) -> bool:
        return True

    def on(self, node: str | None) -> JobFolder:
        return self.folder

    def carried(self, node: str | None = None) -> bool:
        return True

    def problem(self, node: str | None = None) -> str | None:
        return None

    def runner(self, archive: Path, node: str | None = None) -> str:
        return str(archive)

    def withdraw(self, attempts: Iterable[Identity]) -> Mapping[Identity, bool]:
        wanted = set(attempts)
        gone = claims.withdraw(self.mirror, wanted)
        return {one: one in gone for one in wanted}

    def held(self, attempts: Iterable[Identity], after: Iterable[str]) -> Mapping[Identity, str | None]:
        return claims.held(self.mirror, attempts)

    def read(self, path: Path, offset: int, limit: int) -> tuple[int, int, bytes]:
        with open(files.open_plain(str(path), below=str(self.folder.root)), "rb") as file:
            whole = os.fstat(file.fileno()).st_size
            start = min(offset if offset >= 0 else max(whole + offset, 0), whole)
            file.seek(start)
            return start, whole, file.read(limit)

    def unread(self, asked: UnreadFiles) -> list[dict[str, Any]]:
        task_dir = str(self.folder.task(asked.task))
        given = (task_dir, asked.attempt, asked.files, asked.stdout, asked.resumed, asked.epochs)
        if self.folder.log(asked.task, asked.attempt).lstat().st_size < LONG_LOG:
            return unread.unread(*given)
        found: list[dict[str, Any]] = apart.run("paddock.runner.unread:unread_long", given, "Reading a long log")
        return found

    def search(self, logs: Sequence[Path], wanted: Sequence[str]) -> list[list[patterns.Found]]:
        found: list[list[patterns.Found]] = apart.run(
            "paddock.runner.sources.patterns:search",
            ([str(log) for log in logs], list(wanted)),
            "Searching the logs",
            SEARCH_SECONDS,
        )
        return found

    def names(self, path: Path) -> set[str]:
        try:
            with files.in_folder(str(path), below=str(self.folder.root)) as folder:
                return {entry.name for entry in os.scandir(folder)}
        except OSError:
            return set()

    def measure(self, path: Path, until: float) -> folders.Size:
        return folders.measure(path, below=self._home.jobs, until=until)

    def drop(self, paths: Sequence[Path]) -> Path:
        """Rename the folders; if that fails for one, those before it are deleted with the next server's start."""
        target = self._home.aside(f"attempts-{self._job}")
        target.mkdir()
        for number, path in enumerate(paths):
            with files.in_folder(str(path.parent), below=str(self.folder.root)) as folder:
                os.rename(path.name, target / str(number), src_dir_fd=folder)
        return target

    def put_away(self) -> Path:
        return self._put_away()

    def remove(self) -> Removed:
        return self._remove()
