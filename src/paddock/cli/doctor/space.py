"""What takes the space of the home: the part of `paddock doctor` that looks at every file, for some seconds."""

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from paddock.cli.doctor.finding import Finding, ok
from paddock.common import files, folders, layout
from paddock.common.folders import Size
from paddock.models.units import size_text
from paddock.paths import Home
from paddock.rules import keep
from paddock.runner import build
from paddock.settings import Settings

SECONDS = 5.0
LARGEST = 3
JOBS_DAYS, ATTEMPTS_DAYS = 90, 30  # what is advised
MUCH_BYTES = 1024**3
NAME_BYTES, NAME_LETTERS = 1_000_000, 40
JOURNALS, LOGS, EARLIER, CHECKPOINTS, RESULTS = (
    "journals",
    "logs",
    "earlier attempts",
    "checkpoints",
    "results and code",
)
Attempt = tuple[str, int]


@dataclass
class SpaceUse:
    jobs: dict[str, Size] = field(default_factory=dict)
    parts: dict[str, Size] = field(default_factory=lambda: defaultdict(Size))  # of all jobs
    others: dict[str, Size] = field(default_factory=dict)
    old_attempts: Size = field(default_factory=Size)
    left: int = 0  # jobs that there was no time for

    @property
    def whole(self) -> bool:
        return not self.left and all(size.whole for size in (*self.jobs.values(), *self.others.values()))


@dataclass(frozen=True)
class Past:
    """What the database says is over, and long ago."""

    superseded: frozenset[Attempt] = frozenset()  # whenever they ended
    jobs: frozenset[str] = frozenset()
    attempts: frozenset[Attempt] = frozenset()


def space(home: Home, settings: Settings | None) -> Finding:
    if not home.root.is_dir():
        return ok("nothing yet")
    past = _past(home, settings)
    found = look(home, past, time.monotonic() + SECONDS)
    total = _sum([*found.others.values(), *found.jobs.values()])
    least = "" if found.whole else "at least "
    inner = ", ".join(_listed(found.parts))
    parts = _listed({"jobs": _sum(found.jobs.values()), **found.others})
    parts = [f"{one} ({inner})" if one.startswith("jobs ") and inner else one for one in parts]
    lines = [f"{least}{size_text(total.bytes)} in {total.files:,} files: {', '.join(parts)}"]
    if not found.whole:
        rest = f"; {found.left:,} of {found.left + len(found.jobs):,} jobs are not counted" if found.left else ""
        lines.append(f"not measured to the end within {SECONDS:.0f} s{rest}")
    largest = sorted(found.jobs, key=lambda job: -found.jobs[job].bytes)[:LARGEST]
    if largest:
        named = [f"{job}{_name(home, job)} {size_text(found.jobs[job].bytes)}" for job in largest]
        lines.append(f"largest: {', '.join(named)}")
    return ok("\n".join(lines)).model_copy(update={"fix": _advice(found, past)})


def _advice(found: SpaceUse, past: Past) -> str:
    jobs = _sum(size for job, size in found.jobs.items() if job in past.jobs)
    options = [
        option
        for option, size in (
            (f"--jobs-older-than {JOBS_DAYS}d", jobs),
            (f"--attempts-older-than {ATTEMPTS_DAYS}d", found.old_attempts),
        )
        if size.bytes >= MUCH_BYTES
    ]
    if not options:
        return ""
    return f"`paddock prune {' '.join(options)}` would free about {size_text(jobs.bytes + found.old_attempts.bytes)}"


def look(home: Home, past: Past, until: float) -> SpaceUse:
    """All that is there, as far as there is time; the jobs last, newest first."""
    found = SpaceUse()
    database = Size()
    for name in ("", "-wal", "-shm"):
        database.add(folders.measure(Path(f"{home.database}{name}"), below=home.root, until=until))
    found.others = {
        "database": database,
        "backups": _inside(home.backups, until),
        "old runners": _inside(home.runners, until, but=f"{build.digest()}.pyz"),
        "uploads and what is being deleted": _inside(home.incoming, until),
    }
    jobs = sorted(_folders(home.jobs), key=lambda path: -path.lstat().st_mtime)
    for number, path in enumerate(jobs):
        if time.monotonic() > until:
            found.left = len(jobs) - number
            break
        found.jobs[path.name] = _job(path, found, past, until)
    return found


def _inside(folder: Path, until: float, but: str = "") -> Size:
    return _sum(folders.measure(path, below=folder, until=until) for path in folder.glob("*") if path.name != but)


def _folders(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]
    except OSError:
        return []


def _job(root: Path, found: SpaceUse, past: Past, until: float) -> Size:
    whole = Size()
    for folder, size in _walk(root, until):
        attempt = attempt_of(folder)
        earlier = attempt is not None and attempt in past.superseded
        found.parts[EARLIER if earlier else part_of(folder)].add(size)
        if attempt is not None and attempt in past.attempts and root.name not in past.jobs:
            found.old_attempts.add(size)
        whole.add(size)
    return whole


def _walk(root: Path, until: float) -> Iterator[tuple[tuple[str, ...], Size]]:
    """Folders as their parts below the root, and what lies in each itself."""
    for path, _, names, inner in os.fwalk(root, follow_symlinks=False):
        parts = Path(path).relative_to(root).parts
        here = Size(folders.on_disk(os.fstat(inner)), 1)
        top: dict[tuple[str, ...], Size] = {}
        for name in names:
            if time.monotonic() > until:
                here.whole = False
                break
            try:
                size = Size(folders.on_disk(os.stat(name, dir_fd=inner, follow_symlinks=False)), 1)
            except OSError:
                continue
            if parts:
                here.add(size)
            else:
                top.setdefault((name,), Size()).add(size)
        yield parts, here
        yield from top.items()
        if not here.whole:
            return


def part_of(parts: tuple[str, ...]) -> str:
    """Of what in a job's folder a folder in it, or a file at its top, is part."""
    if parts and parts[0] in (layout.ALLOCATIONS, layout.CLAIMS, layout.TASKS, layout.CONTROL):
        return JOURNALS
    inside = parts[3] if len(parts) > 3 and parts[0] == layout.RESULTS else ""
    return {"checkpoint": CHECKPOINTS, "attempts": LOGS}.get(inside, RESULTS)


def attempt_of(parts: tuple[str, ...]) -> Attempt | None:
    """The attempt that a folder below results/<job>/<task>/attempts belongs to."""
    if len(parts) < 5 or parts[0] != layout.RESULTS or parts[3] != "attempts" or not parts[4].isdecimal():
        return None
    return parts[2], int(parts[4])


def _past(home: Home, settings: Settings | None) -> Past:
    """As the database says; nothing when it cannot be asked."""
    from paddock.server.store import keeping
    from paddock.server.store.db import Database

    if settings is None or (settings.database is None and not home.database.exists()):
        return Past()
    db = Database(settings.database or f"sqlite:///{home.database}")
    now = time.time()
    try:
        with db.read() as c:
            over = {one.id for one in keeping.ended(c, now)}
            jobs = frozenset(one.id for one in keeping.ended(c, now - JOBS_DAYS * keep.DAY))
            earlier = [one for one in keeping.superseded(c, now) if one.job in over]
    except Exception:  # another check says what is wrong with it
        return Past()
    finally:
        db.close()
    old = frozenset((one.task, one.number) for one in earlier if one.at <= now - ATTEMPTS_DAYS * keep.DAY)
    return Past(frozenset((one.task, one.number) for one in earlier), jobs, old)


def _name(home: Home, job: str) -> str:
    folder = home.job(job)
    try:
        spec = json.loads(files.read_plain(str(folder.spec), NAME_BYTES, below=str(folder.root)))
        name = spec["name"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return f" ({name[:NAME_LETTERS]})" if isinstance(name, str) and name else ""


def _sum(sizes: Iterable[Size]) -> Size:
    total = Size()
    for size in sizes:
        total.add(size)
    return total


def _listed(sizes: dict[str, Size]) -> list[str]:
    """Largest first; what is nothing is not told."""
    known = sorted(sizes.items(), key=lambda one: -one[1].bytes)
    return [f"{name} {size_text(size.bytes)}" for name, size in known if size.bytes]
