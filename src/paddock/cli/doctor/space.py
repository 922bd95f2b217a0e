"""What takes the space of the home. This looks at every file, for up to some seconds."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from paddock.cli.doctor.finding import Finding, ok
from paddock.common import folders, layout
from paddock.common.folders import Size
from paddock.models.units import size_text
from paddock.paths import Home
from paddock.runner import build

SECONDS = 5.0
LARGEST = 3
_JOURNALS = (layout.ALLOCATIONS, layout.CLAIMS, layout.TASKS, layout.CONTROL)
_OF_TASKS = {"checkpoint": "checkpoints", "attempts": "logs and earlier attempts"}


@dataclass
class SpaceUse:
    jobs: dict[str, Size] = field(default_factory=dict)
    parts: dict[str, Size] = field(default_factory=lambda: defaultdict(Size))  # of all jobs
    others: dict[str, Size] = field(default_factory=dict)
    left: int = 0  # jobs that were not measured for lack of time

    @property
    def whole(self) -> bool:
        return not self.left and all(size.whole for size in (*self.jobs.values(), *self.others.values()))


def space(home: Home) -> Finding:
    if not home.root.is_dir():
        return ok("nothing yet")
    found = look(home, time.monotonic() + SECONDS)
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
        lines.append("largest: " + ", ".join(f"{job} {size_text(found.jobs[job].bytes)}" for job in largest))
    return ok("\n".join(lines))


def look(home: Home, until: float) -> SpaceUse:
    """Measure all that is in a home, as far as there is time; the jobs last, newest first."""
    found = SpaceUse()
    database = [Path(f"{home.database}{name}") for name in ("", "-wal", "-shm")]
    old = [path for path in _entries(home.runners) if path.name != f"{build.digest()}.pyz"]
    for name, paths in (
        ("database", database),
        ("backups", _entries(home.backups)),
        ("old runners", old),
        ("uploads and what is being deleted", _entries(home.incoming)),
    ):
        found.others[name] = _sum(folders.measure(path, below=home.root, until=until) for path in paths)
    jobs = sorted((path for path in _entries(home.jobs) if path.is_dir()), key=lambda path: -path.lstat().st_mtime)
    for number, root in enumerate(jobs):
        if time.monotonic() > until:
            found.left = len(jobs) - number
            break
        whole = found.jobs.setdefault(root.name, Size())
        for kind, path in _pieces(root):
            size = folders.measure(path, below=root, until=until)
            found.parts[kind].add(size)
            whole.add(size)
    return found


def _pieces(root: Path) -> Iterator[tuple[str, Path]]:
    """Return what a job's folder holds, each piece with its kind."""
    for path in _entries(root):
        if path.name != layout.RESULTS:
            yield "journals" if path.name in _JOURNALS else "results and code", path
            continue
        for task in (task for job in _entries(path) for task in _entries(job)):
            yield from ((_OF_TASKS.get(piece.name, "results and code"), piece) for piece in _entries(task))


def _entries(folder: Path) -> list[Path]:
    try:
        return [] if folder.is_symlink() else list(folder.iterdir())
    except OSError:
        return []


def _sum(sizes: Iterable[Size]) -> Size:
    total = Size()
    for size in sizes:
        total.add(size)
    return total


def _listed(sizes: dict[str, Size]) -> list[str]:
    """Return the sizes as text, largest first, without those of 0 bytes."""
    known = sorted(sizes.items(), key=lambda one: -one[1].bytes)
    return [f"{name} {size_text(size.bytes)}" for name, size in known if size.bytes]
