"""Carries between the mirrors in the server's home and the folders of jobs in the home of one person on one machine.

It has a thread of its own, as an agent may not answer. Everything that it carries can be carried again: what the server
has written goes to where the far file ends, and journals are taken from where the mirror ends. So nothing is kept here
that a crash could lose.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from paddock.agents.link import Link
from paddock.agents.places import below_root
from paddock.common import files, layout
from paddock.errors import AgentUnavailable
from paddock.paths import Home, JobFolder, write_once
from paddock.runner import build

RETRY_SECONDS = 1.0
MOST_VISITORS, VISIT_SECONDS = 4, 2.0  # requests that may wait for one agent, and how long the next one waits
PART = 1_000_000
MOST_JOURNALS = 1_000_000_000  # bytes of all journals of one job
LOG_BYTES = 10_000  # the end of a runner's own output, which says why it did not start
MARK = "put-away"  # in the mirror: the far files through which server and runners communicated are to be removed
TEXTS = (layout.CONTROL, layout.TASKS)  # runners read orders before they take tasks

log = logging.getLogger("paddock.outposts")
T = TypeVar("T")


@dataclass
class _Ask:
    call: Callable[[], object]
    done: bool = False
    value: object = None
    error: Exception | None = None


@dataclass
class _Load:
    """What is known of one job; all of it is found out again by the next server."""

    folder: str  # absolute, in the person's home
    own: Collection[str] | None = None  # what of `allocations` is for this host; None: there is no other host
    written: int = 1  # counts what the server has written; an earlier one may have
    carried: int = 0  # all of it up to here is there
    needed: bool = False  # there are runners, or will be
    laid: bool = False  # the code is there
    sizes: dict[str, int] = field(default_factory=dict)  # of the far files
    planned: set[str] = field(default_factory=set)  # folders and manifests of allocations that are there
    problem: str | None = None

    @property
    def due(self) -> bool:
        return self.needed and self.carried < self.written


class Courier:
    """The courier of one person on one machine. Any thread may call it; `wake` is called in its thread with news."""

    def __init__(
        self, home: Home, user: str | None, link: Link, wake: Callable[[], None], host: str | None = None
    ) -> None:
        """`host`: a machine that ssh reaches; None: this one. `user` None: the account that ssh signs in as there."""
        self.user, self.host = user, host
        self.name = " on ".join(one for one in (user, host) if one)
        self.mark = MARK if host is None else f"{MARK}@{host}"
        self.link = link
        self._home, self._wake = home, wake
        self._state = threading.Condition()  # of everything below
        self._loads: dict[str, _Load] = {}
        self._asks: dict[Hashable, _Ask] = {}
        self._queue: deque[_Ask] = deque()
        self._wanted: dict[str, tuple[str, str]] = {}  # far journal -> job, and its name in the job's folder
        self._watched: dict[str, tuple[str, str]] = {}
        self._taken: dict[str, int] = {}  # job -> bytes of its journals
        self._problem: str | None = None
        self._not_before = 0.0
        self._closed = False
        self._thread: threading.Thread | None = None
        self._mirroring = threading.Lock()
        self._visitors = threading.BoundedSemaphore(MOST_VISITORS)

    def close(self) -> None:
        with self._state:
            self._closed = True
            self._state.notify_all()
        if self._thread is not None:
            self._thread.join(5)

    # --- what the engine asks for -------------------------------------------------------------------------------------

    def ask(self, key: Hashable, call: Callable[[], T]) -> T | None:
        """Return what `call` returned in the courier's thread, or raise what it raised; None: it has not run yet.

        The answer is given once; the next call with this key begins anew.
        """
        with self._state:
            asked = self._asks.get(key)
            if asked is None:
                asked = self._asks[key] = _Ask(call)
                self._queue.append(asked)
                self._begin()
            if not asked.done:
                return None
            del self._asks[key]
        if asked.error is not None:
            raise asked.error
        return asked.value  # type: ignore[return-value]

    def add(self, job: str, folder: str, own: Collection[str] | None = None) -> None:
        """Make a job known whose folder lies there. `own`: the names in `allocations` that are for this host."""
        with self._state:
            self._loads.setdefault(job, _Load(folder, own))

    def forget(self, job: str) -> None:
        with self._state:
            self._loads.pop(job, None)
            self._taken.pop(job, None)

    def wrote(self, job: str) -> None:
        """Note that the mirror of a job has news for its runners."""
        with self._state:
            if job in self._loads:
                self._loads[job].written += 1
                self._loads[job].needed = True
                self._begin()

    def carried(self, job: str) -> bool:
        """Return True if everything that was written for a job is in its folder; otherwise it is carried now."""
        with self._state:
            load = self._loads[job]
            if not load.needed:
                load.needed = True
                self._begin()
            return not load.due

    def problem(self, job: str) -> str | None:
        """Return why the folder of a job cannot be reached at the moment."""
        with self._state:
            load = self._loads.get(job)
            down = self.link.problem
            down = down and f"The agent of {self.name} does not work: {down}."
            return self._problem or down or (load.problem if load else None)

    def full(self, job: str) -> bool:
        """Return True if the journals of a job are larger than what is taken."""
        return self.taken(job) > MOST_JOURNALS

    def taken(self, job: str) -> int:
        """Return how many bytes of the journals of a job were taken from here."""
        return self._taken.get(job, 0)

    def follow(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        """Take up what is written to exactly these journals: path -> job, and the name in the job's folder."""
        with self._state:
            if wanted != self._wanted:
                self._wanted = dict(wanted)
                self._begin()

    def _begin(self) -> None:
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._run, name=f"courier of {self.name}", daemon=True)
            self._thread.start()
        self._state.notify_all()

    @contextmanager
    def visit(self) -> Iterator[Link]:
        """Ask the agent in the thread of a request. Only a few may wait: an agent that hangs must not take them all."""
        if not self._visitors.acquire(timeout=VISIT_SECONDS):
            raise AgentUnavailable(f"The agent of {self.name} does not work: others wait for its answers already.")
        try:
            yield self.link
        finally:
            self._visitors.release()

    # --- in its thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._state:
                while not self._closed and (pause := self._pause()) != 0:
                    self._state.wait(pause)
                if self._closed:
                    return
                asked = self._queue.popleft() if self._queue else None
                due = [job for job, load in self._loads.items() if load.due]
            if asked is not None:
                self._answer(asked)
                continue
            self._attend(due)

    def _pause(self) -> float | None:
        """Return how long there is nothing to do; None: until somebody asks."""
        if self._queue:
            return 0
        due = self._wanted != self._watched or any(load.due for load in self._loads.values())
        return max(self._not_before - time.monotonic(), 0) if due else None

    def _answer(self, asked: _Ask) -> None:
        try:
            asked.value = asked.call()
            with self._state:
                self._problem = None
        except Exception as error:
            asked.error = error
            self._met(error)
        asked.done = True
        self._wake()

    def _met(self, error: Exception) -> None:
        if isinstance(error, AgentUnavailable):
            with self._state:
                self._problem = error.message
                self._not_before = time.monotonic() + RETRY_SECONDS
        elif not isinstance(error, OSError):
            log.error("the courier of %s failed", self.name, exc_info=error)

    def _attend(self, due: list[str]) -> None:
        """Carry what was written, and watch what is wanted."""
        try:
            for job in due:
                self._carry(job)
            self._watch()
            with self._state:
                self._problem = None
        except AgentUnavailable as error:
            self._met(error)
        self._wake()

    def path(self, job: str, *names: str) -> str:
        """Return the path of a job's file as the agent knows it. Not in the engine's thread."""
        return self.below(self._loads[job].folder, *names)

    def below(self, folder: str, *names: str) -> str:
        """Return a path in a folder of the person as the agent knows it: relative to its own."""
        return "/".join([below_root(self.link, folder), *names])

    # --- to the person ------------------------------------------------------------------------------------------------

    def _carry(self, job: str) -> None:
        with self._state:
            load = self._loads.get(job)
            if load is None:
                return
            written = load.written
        try:
            self._deliver(job, load)
            problem = None
        except AgentUnavailable:
            raise
        except Exception as error:
            problem = f"its folder {load.folder} cannot be written as {self.name}: {error}"
            if not isinstance(error, OSError):
                log.exception("%s: %s", job, problem)
        with self._state:
            load.problem = problem
            if problem is None:
                load.carried = written
            else:
                self._not_before = time.monotonic() + RETRY_SECONDS

    def _deliver(self, job: str, load: _Load) -> None:
        """Bring the far copy up to the mirror. What is there already is not written again."""
        mirror = self._home.job(job)
        if (mirror.root / self.mark).exists():
            for name in (layout.TASKS, layout.ALLOCATIONS, layout.CLAIMS):  # see engine/journals.py
                self.remove(self.path(job, name))
            self.link.mkdir(self.path(job, layout.ALLOCATIONS), self.path(job, layout.CLAIMS))
            load.sizes = {name: size for name, size in load.sizes.items() if name == layout.CONTROL}
            load.planned.clear()
            (mirror.root / self.mark).unlink()
        if load.own is not None and not load.laid:
            self.lay_down(job)
            load.laid = True
        self._deliver_plans(job, load, mirror)
        for name in TEXTS:
            self._append(job, load, mirror, name)
        if load.own is not None:
            for key in sorted(load.planned):
                self._append(job, load, mirror, f"{layout.ALLOCATIONS}/{key}/{layout.TASKS}")

    def lay_down(self, job: str) -> None:
        """Copy the code of a job, and what belongs to it, unless all of it is there. Not in the engine's thread."""
        root, mirror = self.path(job), self._home.job(job)
        with suppress(FileNotFoundError):
            self.link.stat(f"{root}/{layout.JOB}")  # it comes last
            return
        found = [one for inner in (mirror.code, mirror.lib) for one in (inner, *sorted(inner.rglob("*")))]
        inside = {one: f"{root}/{one.relative_to(mirror.root).as_posix()}" for one in found}
        empty = [f"{root}/{name}" for name in (layout.CLAIMS, layout.ALLOCATIONS, layout.RESULTS)]
        self.link.mkdir(root, *empty, *(inside[one] for one in found if one.is_dir()))
        for one in [*found, mirror.spec]:
            if one.is_file():
                path = inside.get(one, f"{root}/{layout.JOB}")
                self.link.put(path, one.read_bytes(), executable=bool(one.stat().st_mode & 0o100))

    def _deliver_plans(self, job: str, load: _Load, mirror: JobFolder) -> None:
        """Make the folders of allocations, and write the manifests of their batches."""
        with suppress(FileNotFoundError):
            here = [one for one in sorted(mirror.allocations.iterdir()) if load.own is None or one.name in load.own]
            fresh = [one for one in here if one.name not in load.planned]
            made = [self.path(job, layout.ALLOCATIONS, one.name) for one in fresh if one.is_dir()]
            if load.own is not None:
                made += [f"{one}/{layout.CLAIMS}" for one in made]
            if made:
                self._deliver_runner(load.folder)
                self.link.mkdir(*made)
            for one in fresh:
                if one.name.endswith(".manifest.json"):
                    data = files.read_plain(str(one), PART, below=str(mirror.root))
                    self.link.put(self.path(job, layout.ALLOCATIONS, one.name), data)
            load.planned.update(one.name for one in fresh)

    def _deliver_runner(self, folder: str) -> None:
        """Write the runner of this version, unless it is there."""
        path = self.below(runner_path(folder, f"{build.digest()}.pyz"))
        program = build.archive()
        try:
            known = self.link.stat(path).size
        except FileNotFoundError:
            known = -1
        if known != len(program):
            self.link.mkdir(path.rpartition("/")[0])
            self.link.put(path, program)

    def _append(self, job: str, load: _Load, mirror: JobFolder, name: str) -> None:
        path = mirror.root / name
        try:
            whole = path.stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return
        size = load.sizes.get(name, -1)
        while size < whole:
            at = max(size, 0)
            data = files.read_plain(str(path), PART, offset=at, below=str(mirror.root))
            size = load.sizes[name] = self.link.append(self.path(job, name), at, data)
            if size <= at and data:
                raise OSError(f"{name} became shorter there")

    def remove(self, path: str) -> None:
        """Delete a far file or folder. Not in the engine's thread."""
        with suppress(FileNotFoundError):
            while not self._closed and not self.link.remove(path):
                pass

    # --- from the person ----------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        with self._state:
            wanted, watched = self._wanted, self._watched
        gone = [path for path in watched if path not in wanted]
        fresh = {path: whose for path, whose in wanted.items() if path not in watched}
        if gone:
            self.link.forget([self.below(path) for path in gone])
        if fresh:
            known = {self.below(path): whose for path, whose in fresh.items()}
            sizes = {path: self._size(*whose) for path, whose in known.items()}

            def grown(path: str, offset: int, data: bytes) -> None:
                self._take(*known[path], offset, data)  # the engine reads it in its next round

            def failed(path: str, error: OSError) -> None:
                log.warning("%s of %s cannot be read any more: %s", path, self.name, error)

            self.link.watch(sizes, grown, failed)
        with self._state:
            self._watched = dict(wanted)

    def _size(self, job: str, name: str) -> int:
        try:
            return (self._home.job(job).root / name).stat().st_size
        except FileNotFoundError:
            return 0

    def _take(self, job: str, name: str, offset: int, data: bytes) -> None:
        """Append what is new of a journal to the mirror. Bytes that came before are left out."""
        path = self._home.job(job).root / name
        with self._mirroring:
            if job not in self._taken:
                self._taken[job] = self._mirrored(job)
            if self.full(job):
                return
            try:
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            except FileNotFoundError:
                return  # the job was removed, or its journals were put away
            try:
                fresh = memoryview(data)[max(os.fstat(descriptor).st_size - offset, 0) :]
                self._taken[job] += len(fresh)
                while fresh:
                    fresh = fresh[os.write(descriptor, fresh) :]
            finally:
                os.close(descriptor)

    def _mirrored(self, job: str) -> int:
        """Return how many bytes of journals an earlier server has taken from here."""
        with self._state:
            own = self._loads[job].own if job in self._loads else ()
        journals = self._home.job(job).allocations.glob("*/journal.*")
        return sum(one.stat().st_size for one in journals if own is None or one.parent.name in own)

    def catch_up(self, job: str, key: str) -> float:
        """Take up the journals of an ended allocation to their ends; return when that began, by time.monotonic()."""
        began = time.monotonic()
        allocation = f"{layout.ALLOCATIONS}/{key}"
        number = 1
        while not self.full(job) and self._catch_up(job, layout.journal(allocation, number)):
            number += 1
        with suppress(OSError):
            end = self.link.read(self.path(job, allocation, "out.log"), -LOG_BYTES, LOG_BYTES).data
            write_once(self._home.job(job).root / allocation / "out.log", end.decode(errors="replace"), mode=0o600)
        return began

    def _catch_up(self, job: str, name: str) -> bool:
        """Take up one journal to the end that it has now. Returns False if there is none."""
        at, whole = self._size(job, name), None
        while whole is None or at < whole:
            try:
                part = self.link.read(self.path(job, name), at, PART)
            except FileNotFoundError:
                return False
            except OSError as error:  # no plain file any more: nothing can be read from it
                log.warning("%s of job %s cannot be read as %s: %s", name, job, self.name, error)
                return True
            whole = part.size if whole is None else whole
            if not part.data:
                return True
            self._take(job, name, part.start, part.data)
            at = part.start + len(part.data)
        return True


def runner_path(folder: str, name: str) -> str:
    """Return where the runner of a version lies, in the home of the person who has this job folder."""
    return os.path.join(os.path.dirname(os.path.dirname(folder)), "runners", name)  # noqa: PTH118, PTH120
