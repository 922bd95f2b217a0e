"""Make sure that a home has one server, also where several nodes share it through a network file system.

`server.lease` in the home names the process that serves it. That process rewrites the file every few seconds. On the
same node, the process itself shows whether it still runs. From another node, the file shows it: it must change while
one watches it, so that no clocks of two nodes are compared. `flock` alone is not enough, as some network file systems
have separate locks on each node.
"""

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from paddock.common import filesystems, processes
from paddock.errors import Conflict
from paddock.paths import Home, write_once

BEAT_SECONDS = 3.0
SILENT_SECONDS = 20.0  # if the file is unchanged for this long, its writer has ended
SETTLE_SECONDS = 2.0  # on a network file system, a claim is checked again after this long
POLL_SECONDS = 0.25
log = logging.getLogger("paddock.lease")


class Process(BaseModel):
    """A process of some node, distinguished from others with the same id."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    host: str
    kernel: str  # a boot of a node, and a namespace there: process ids are unique within it
    pid: int
    start: int | None
    slurm: str | None = None  # the id of the Slurm job that it runs in
    node: str | None = None  # Slurm's name of it
    beat: int = 0  # how often it was written

    @property
    def words(self) -> str:
        return f"Slurm job {self.slurm} on {self.node}" if self.slurm else f"process {self.pid} on {self.host}"

    @property
    def lives(self) -> bool | None:
        """Return whether it runs; None: it is a process of another node."""
        if not self.kernel or self.kernel != _kernel():
            return None
        return self.start is not None and processes.started(self.pid) == self.start


def here() -> dict[str, object]:
    """Return this process, as fields of `Process`."""
    job, node = (os.environ.get(name) for name in ("SLURM_JOB_ID", "SLURMD_NODENAME"))
    known = {"host": socket.gethostname(), "kernel": _kernel(), "pid": os.getpid(), "slurm": job, "node": node}
    return known | {"start": processes.started(os.getpid())}


@cache
def _kernel() -> str:
    """Return the id of this boot and namespace; empty if the system does not give it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


class Holder(Process):
    """The process that serves a home."""

    id: str
    url: str = ""
    at: float = 0.0


class HeartbeatWatch:
    """Decides whether a process runs from what it writes at intervals."""

    def __init__(self, silent_seconds: float = SILENT_SECONDS) -> None:
        self._silent_seconds = silent_seconds
        self._seen: Process | None = None
        self._heard = False
        self._since = 0.0

    def lives(self, found: Process | None) -> bool | None:
        """Return whether the process runs; None: not known yet, ask again."""
        if found is None:
            return False
        if found.lives is not None:
            return found.lives
        now = time.monotonic()
        if found != self._seen:
            self._heard = self._seen is not None
            self._seen, self._since = found, now
        if now - self._since >= self._silent_seconds:
            return False
        return True if self._heard else None


def path(home: Home) -> Path:
    return home.root / "server.lease"


def read(home: Home) -> Holder | None:
    """Return who serves the home, if anybody. Raises OSError if the file cannot be read."""
    try:
        return Holder.model_validate_json(path(home).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def serves_here(home: Home) -> bool:
    """Return True if a process of this node serves the home."""
    try:
        found = read(home)
    except OSError:
        return False
    return found is not None and found.lives is True


def refusal(home: Home, found: Holder | None) -> Conflict:
    where = f" at {found.url}" if found and found.url else ""
    who = f" ({found.words})" if found else ""
    return Conflict(f"A server already runs on {home.root}{where}{who}: use it, or choose another home with --home.")


def refuse_second(home: Home, silent_seconds: float = SILENT_SECONDS) -> None:
    """Raise Conflict if a server holds the home, here or on another node."""
    watch, logged = HeartbeatWatch(silent_seconds), False
    while (lives := watch.lives(found := _look(home))) is None and found:
        if not logged:
            log.info("%s served this home: waiting up to %g s to see if it still does", found.words, silent_seconds)
        logged = True
        time.sleep(POLL_SECONDS)
    if lives:
        raise refusal(home, found)


def _look(home: Home) -> Holder | None:
    try:
        return read(home)
    except OSError as error:
        raise Conflict(
            f"{path(home)} cannot be read ({error.strerror}), so it is not known whether a server uses this home: "
            "make it readable, or choose another home with --home."
        ) from None


class Lease:
    """The lease that this process holds. A thread renews it, `close` ends it."""

    def __init__(
        self, home: Home, *, beat_seconds: float = BEAT_SECONDS, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._home = home
        self._holder = Holder.model_validate(here() | {"id": secrets.token_hex(8)})
        self._beat_seconds = beat_seconds
        self._pause = pause
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._failed = False
        self._lost: Callable[[], None] | None = None
        self.taken_by: Holder | None = None
        self._thread = threading.Thread(target=self._run, name="lease", daemon=True)

    def begin(self, settle_seconds: float) -> None:
        """Write the lease. Raises Conflict if another server did so at the same time and came first."""
        self._write()
        if settle_seconds:
            self._pause(settle_seconds)
            found = _look(self._home)
            if found is not None and found.id != self._holder.id:
                raise refusal(self._home, found)
        self._thread.start()

    def add_address(self, url: str) -> None:
        """Add this server's address, for the message to those who are refused."""
        self._holder = self._holder.model_copy(update={"url": url})
        self.renew()

    def when_lost(self, act: Callable[[], None]) -> None:
        self._lost = act
        if self.taken_by:
            act()

    def renew(self) -> None:
        """Write the lease again, unless another server has it by now. After an OSError the next call tries again."""
        with self._lock:
            if self.taken_by or self._over.is_set():
                return
            try:
                found = read(self._home)
                if found is None or found.id == self._holder.id:
                    self._write()
                    self._failed = False
                    return
            except OSError as error:
                if not self._failed:
                    log.warning("%s cannot be renewed (%s); trying again", path(self._home), error)
                self._failed = True
                return
            self.taken_by = found
        log.error("%s serves this home now: this server ends", found.words)
        if self._lost:
            self._lost()

    def refuse_lost(self) -> None:
        if self.taken_by:
            where = f" at {self.taken_by.url}" if self.taken_by.url else ""
            raise Conflict(
                f"{self.taken_by.words} serves {self._home.root} now{where}, so this server has ended. "
                "It was suspended for a while, or could not reach its file system."
            )

    def close(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        try:
            found = read(self._home)
            if found and found.id == self._holder.id:
                path(self._home).unlink(missing_ok=True)
        except OSError as error:
            log.warning("%s cannot be removed: %s", path(self._home), error)

    def _run(self) -> None:
        while not self._over.wait(self._beat_seconds) and not self.taken_by:
            self.renew()

    def _write(self) -> None:
        self._holder = self._holder.model_copy(update={"beat": self._holder.beat + 1, "at": time.time()})
        write_once(path(self._home), self._holder.model_dump_json(), mode=0o600)


@contextmanager
def held(home: Home) -> Iterator[Lease]:
    """Hold the lease of a home that no other server holds."""
    made = Lease(home)
    try:
        made.begin(SETTLE_SECONDS if filesystems.on_network(home.root) else 0.0)
        yield made
    finally:
        made.close()
