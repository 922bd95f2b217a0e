"""Removes what is older than the settings allow: once per day, and on request.

Things are renamed or marked here, and deleted in the background, so that the next server deletes what a killed one
left. This does not happen in the engine's thread, except for the journals (engine/journals.py).
"""

import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Literal

from paddock.common import folders, layout
from paddock.errors import AgentUnavailable, Conflict
from paddock.models import PruneItem, PruneKind, PruneReport, PruneRequest, PruneTotal
from paddock.models.keep import KeepPolicy
from paddock.paths import Home
from paddock.rules import keep
from paddock.rules.keep import Deletion, HomeContents, StoredAttempt, StoredFile
from paddock.runner import build
from paddock.server.engine import journals
from paddock.server.outposts.here import PUT_AWAY
from paddock.server.outposts.registry import Outposts
from paddock.server.store import jobs, keeping
from paddock.server.store.db import Database
from paddock.server.store.rows import moment

FIRST_SECONDS = 600.0  # after the start of a server, which has more important work
MEASURE_SECONDS = 20.0
ANSWER_SECONDS = 60.0  # for the engine to put journals away
MOST_ITEMS, MOST_PROBLEMS = 200, 20
_HALF_WRITTEN = re.compile(r"\..+\.\d+\.[0-9a-f]{8}|\..+\.part|[0-9a-f]{8}\.pyz.+")

log = logging.getLogger("paddock.keep")


class Keeper:
    """Removes what is too old. `put_away` and `sweep` are methods of the engine."""

    def __init__(
        self,
        db: Database,
        home: Home,
        settings: KeepPolicy,
        put_away: Callable[[str], Future[bool]],
        sweep: Callable[[Path], None],
        wake: Callable[[], None],
        outposts: Outposts,
    ) -> None:
        self._db, self._home, self._settings, self._outposts = db, home, settings, outposts
        self._put_away, self._sweep, self._wake = put_away, sweep, wake
        self._busy = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keep", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(2)  # the next server finishes what is left

    def _run(self) -> None:
        pause = FIRST_SECONDS
        while not self._over.wait(pause):
            pause = keep.DAY
            try:
                report = self.prune(PruneRequest())
                lines = [*keep.summary(report), *report.problems]
                if lines:
                    log.info("no longer kept: %s", "; ".join(lines))
            except Exception:
                log.exception("old data cannot be deleted; trying again tomorrow")

    def prune(self, asked: PruneRequest) -> PruneReport:
        """Remove what is too old, or report it. Raises Conflict while another call runs."""
        if not self._busy.acquire(blocking=False):
            raise Conflict("Another prune is running: try again in a minute.")
        try:
            now = time.time()
            settings = keep.resolved(self._settings, asked)
            found = keep.choose(self._contents(settings, now), settings, now)
            until = time.monotonic() + MEASURE_SECONDS
            measured = [(one, self._measure(one, until)) for one in found]
            problems: list[str] = []
            if not asked.dry_run:
                deleted = list(self._delete(found, problems))
                measured = [one for one, gone in zip(measured, deleted, strict=True) if gone]
                self._wake()
        finally:
            self._busy.release()
        return _report(asked.dry_run, measured, problems)

    # --- what there is --------------------------------------------------------------------------------------------

    def _contents(self, settings: KeepPolicy, now: float) -> HomeContents:
        """Return what there is, as far as the settings need it."""
        wanted = [days for days in (settings.jobs_days, settings.journals_days) if days is not None]
        newest = now - min(wanted) * keep.DAY if wanted else None
        used = now - settings.runners_days * keep.DAY if settings.runners_days is not None else None
        superseded: list[StoredAttempt] = []
        with self._db.read() as c:
            if settings.attempts_days is not None:
                newest = now  # a job that ended today may have old ones
                before = now - settings.attempts_days * keep.DAY
                superseded = list(keeping.superseded(c, before))
            ended = keeping.ended(c, newest) if newest is not None else []
            in_use = keeping.runners_in_use(c, used) if used is not None else ()
        over = {one.id for one in ended}
        return HomeContents(
            jobs=[replace(one, journals=journals.there(self._home.job(one.id).root)) for one in ended],
            attempts=list(self._present([one for one in superseded if one.job in over])),
            runners=self._runners(in_use) if used is not None else [],
            leftovers=self._leftovers(),
        )

    def _present(self, given: Iterable[StoredAttempt]) -> Iterator[StoredAttempt]:
        """Yield the attempts that have a folder, grouped by task."""
        task, names = "", set[str]()
        for one in given:
            if one.task != task:
                task, names = one.task, self._names(one)
            if str(one.number) in names:
                yield one

    def _names(self, one: StoredAttempt) -> set[str]:
        outpost = self._outposts.of(one.job)
        return outpost.names(_attempt(outpost.folder.task(one.task), one.number).parent)

    def _runners(self, in_use: Iterable[str]) -> list[StoredFile]:
        spared = {*in_use, f"{build.digest()}.pyz"}
        return [one for one in _files(self._home.runners) if one.path.suffix == ".pyz" and one.path.name not in spared]

    def _leftovers(self) -> list[StoredFile]:
        # A renamed file keeps the time of its last change: the time of the rename counts.
        found = _files(self._home.incoming, "st_ctime")
        for folder in (self._home.root, self._home.local, self._home.runners, self._home.backups):
            found += [one for one in _files(folder) if _HALF_WRITTEN.fullmatch(one.path.name)]
        return found

    def _measure(self, goes: Deletion, until: float) -> folders.Size:
        size = folders.Size()
        if goes.path is not None:
            return folders.measure(goes.path, below=goes.path.parent, until=until)
        for path in self._paths(goes):
            size.add(self._outposts.of(goes.what).measure(path, until))
        return size

    def _paths(self, goes: Deletion) -> list[Path]:
        job = self._outposts.of(goes.what).folder
        if goes.kind is PruneKind.JOB:
            return [job.root]
        if goes.kind is PruneKind.JOURNALS:
            return [job.root / name for name in PUT_AWAY]
        return [_attempt(job.task(one.task), one.number) for one in goes.attempts]

    # --- deleting --------------------------------------------------------------------------------------------------

    def _delete(self, found: list[Deletion], problems: list[str]) -> Iterator[bool]:
        asked = {one.what: self._put_away(one.what) for one in found if one.kind is PruneKind.JOURNALS}
        until = time.monotonic() + ANSWER_SECONDS
        late = 0
        for one in found:
            try:
                if one.kind is PruneKind.JOB:
                    gone = self._remove_job(one)
                elif one.kind is PruneKind.ATTEMPTS:
                    gone = self._remove_attempts(one)
                elif one.kind is PruneKind.JOURNALS:
                    gone = asked[one.what].result(max(until - time.monotonic(), 0.0))
                else:
                    gone = one.path is not None and self._remove_file(one.path)
            except (OSError, AgentUnavailable) as error:
                gone = False
                if one.kind is PruneKind.JOURNALS and not asked[one.what].done():
                    late += 1
                else:
                    problems.append(f"{one.kind.value} {one.what}: {error}")
            yield gone
        if late:
            problems.append(f"the journals of {late:,} more jobs are still being put away")

    def _remove_job(self, goes: Deletion) -> bool:
        """Remove a job as `paddock rm` does, unless it was restarted meanwhile."""
        with self._db.write() as c:
            if not keeping.ended(c, goes.since, goes.what):
                return False
            jobs.mark_removing(c, goes.what)
        return True

    def _remove_attempts(self, goes: Deletion) -> bool:
        """Remove old attempts. Nothing writes there any more: a restart moves only files of the last attempt."""
        with self._db.read() as c:
            if not keeping.over(c, goes.what):
                return False
        outpost = self._outposts.of(goes.what)
        left = outpost.drop([_attempt(outpost.folder.task(one.task), one.number) for one in goes.attempts])
        if left is not None:
            self._sweep(left)
        return True

    def _remove_file(self, path: Path) -> bool:
        if path.parent == self._home.incoming:
            self._sweep(path)
        else:
            path.unlink(missing_ok=True)
        return True


def _attempt(task: Path, number: int) -> Path:
    return Path(layout.attempt(str(task), number))


def _files(folder: Path, time_of: Literal["st_mtime", "st_ctime"] = "st_mtime") -> list[StoredFile]:
    """Return the files in a folder of the home, with one of their times; none if one of them vanishes meanwhile."""
    try:
        return [StoredFile(path, getattr(path.lstat(), time_of)) for path in sorted(folder.iterdir())]
    except OSError:
        return []


def _report(dry_run: bool, measured: list[tuple[Deletion, folders.Size]], problems: list[str]) -> PruneReport:
    items = [
        PruneItem(
            kind=one.kind,
            what=one.what,
            name=one.name,
            count=len(one.attempts) or 1,
            since=moment(one.since),
            bytes=size.bytes,
        )
        for one, size in measured
    ]
    totals = [
        PruneTotal(kind=kind, count=sum(one.count for one in some), bytes=sum(one.bytes for one in some))
        for kind in PruneKind
        if (some := [one for one in items if one.kind is kind])
    ]
    return PruneReport(
        dry_run=dry_run,
        items=sorted(items, key=lambda one: -one.bytes)[:MOST_ITEMS],
        totals=totals,
        bytes=sum(one.bytes for one in totals),
        measured=all(size.whole for _, size in measured),
        problems=problems[:MOST_PROBLEMS],
    )
