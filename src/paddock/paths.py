"""Where things are in Paddock's home; inside a job folder, see common/layout.py."""

import grp
import json
import logging
import os
import pwd
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paddock.common import files, layout
from paddock.errors import InvalidInput, NotAuthorised

SHORTEST_TOKEN = 24
_ANOTHER = "or choose a home of your own with --home or PADDOCK_HOME"
log = logging.getLogger("paddock.home")


def home_folder(given: str | Path | None = None) -> Path:
    return Path(given or os.environ.get("PADDOCK_HOME") or "~/.paddock").expanduser().absolute()


class Home:
    """Paddock's home folder, private to its owner."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.database = root / "paddock.db"
        self.token = root / "token"
        self.server = root / "server.json"
        self.lock = root / "server.lock"
        self.jobs = root / "jobs"
        self._jobs_text = str(self.jobs)
        self.incoming = root / "incoming"
        self.local = root / "local"
        self.runners = root / "runners"
        self.backups = root / "backups"

    def create(self) -> None:
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self.jobs, self.incoming, self.local, self.runners):
                folder.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise InvalidInput(
                f"The home {self.root} cannot be made or written ({error.strerror}: {error.filename}): "
                "choose another with --home or PADDOCK_HOME."
            ) from None

    def share_with(self, group: str) -> None:
        """Let the members of a group read the jobs' folders. Only the owner reads the token and the database."""
        number = group_number(group)
        for folder, mode in ((self.root, 0o710), (self.jobs, 0o750)):
            os.chown(folder, -1, number)
            folder.chmod(mode)

    def job(self, job: str) -> "JobFolder":
        return JobFolder(self.jobs / job, job)

    def job_text(self, job: str) -> str:
        """Return the job's folder as text, which is faster: some callers need it thousands of times per second."""
        return f"{self._jobs_text}/{job}"

    def aside(self, name: str) -> Path:
        """Return a new path for something that is to be deleted later, at the latest by the next server."""
        return self.incoming / f"{name}-{os.urandom(4).hex()}"

    def refuse_foreign(self) -> None:
        """Raise NotAuthorised if somebody else owns or can write a file that the server uses or runs."""
        refuse_foreign(self.root)
        own = [*self.root.glob("*"), *self.local.glob("*"), *self.runners.rglob("*"), *self.backups.glob("*")]
        refuse_foreign_inside(self.root, own)

    def read_token(self) -> str | None:
        try:
            return (self.token.read_text().strip() or None) if self.token.is_file() else None
        except (OSError, ValueError):
            return None

    def ensure_token(self) -> str:
        """Return the token that every request needs. The first call makes it; only its owner can read the file."""
        found = self.read_token()
        weak = _weakness(self.token, found) if found else None
        if found and weak is None:
            return found
        if weak:
            log.warning("%s %s: it is replaced; links with the old token do not work any more", self.token, weak)
        import secrets  # few commands make a token, and its import takes as long as ten other modules

        write_once(self.token, secrets.token_urlsafe(24) + "\n", mode=0o600)
        return self.ensure_token()


def _weakness(file: Path, token: str) -> str | None:
    if len(token) < SHORTEST_TOKEN:
        return f"was shorter than {SHORTEST_TOKEN} characters"
    return "could be read by others" if file.stat().st_mode & 0o077 else None


class JobFolder:
    """The job folder as the server sees it."""

    def __init__(self, root: Path, job: str) -> None:
        self.root = root
        self.job = job
        self.spec = root / layout.JOB
        self.code = root / layout.CODE
        self.tasks = root / layout.TASKS
        self.control = root / layout.CONTROL
        self.claims = root / layout.CLAIMS
        self.lib = root / layout.LIB
        self.allocations = root / layout.ALLOCATIONS

    def claim(self, task: str, attempt: int) -> Path:
        return Path(layout.claim(str(self.root), task, attempt))

    def allocation(self, key: str) -> Path:
        return Path(layout.allocation(str(self.root), key))

    def journal(self, key: str, number: int) -> Path:
        return Path(layout.journal(str(self.allocation(key)), number))

    def task(self, task: str) -> Path:
        return Path(layout.task(str(self.root), self.job, task))

    def log(self, task: str, attempt: int) -> Path:
        return Path(layout.log(layout.attempt(str(self.task(task)), attempt)))


# --- who owns a home: settings, tokens and programs of others are not used --------------------------------------------


def refuse_foreign(home: Path) -> None:
    """Raise NotAuthorised if somebody else owns the home or can write in it. It need not exist."""
    found = _look(home)
    if found is None:
        return
    if found.st_uid not in _own():
        raise NotAuthorised(
            f"{home} belongs to {_name(found.st_uid)}, and you are {_name(os.geteuid())}: "
            "choose a home of your own with --home or PADDOCK_HOME."
        )
    if found.st_mode & 0o022:
        raise NotAuthorised(f"Others can write in {home}: forbid it with `chmod go-w {home}`, {_ANOTHER}.")


def refuse_foreign_inside(home: Path, paths: Iterable[Path]) -> None:
    """Raise NotAuthorised for files and folders in the home that somebody else owns or can write.

    Write access of a group counts only if the group has access to the home.
    """
    passable = _look(home)
    bits = 0o022 if passable and passable.st_mode & 0o011 else 0o002
    for path in paths:
        found = _look(path)
        if found is None:
            continue
        if found.st_uid not in _own():
            raise NotAuthorised(
                f"{path} belongs to {_name(found.st_uid)}, and you are {_name(os.geteuid())}: check what it is, then "
                f"remove it, or make it yours with `chown {_name(os.geteuid())} {path}`."
            )
        if found.st_mode & bits:
            raise NotAuthorised(f"Others can write {path}: check that nobody changed it, then run `chmod go-w {path}`.")


def _look(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise NotAuthorised(f"{path} cannot be read ({error.strerror}): {_ANOTHER[3:]}.") from None


def _own() -> tuple[int, int]:
    """Return the users whose files are trusted: root can write everything anyway."""
    return os.geteuid(), 0


def _name(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


# --- sharing and writing ----------------------------------------------------------------------------------------------


def group_number(group: str) -> int:
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        raise InvalidInput(f"There is no group {group!r} (setting `group`).", fields={"group": "unknown"}) from None


def open_to(folder: Path, group: str) -> None:
    """Let a group read a folder and everything in it. New files in it will belong to the group, too."""
    number = group_number(group)
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            owner = path.stat().st_mode & 0o700
            os.chown(path, -1, number)
            path.chmod((0o2000 if path.is_dir() else 0) | owner | (owner & 0o500) >> 3)


def write_once(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a whole file such that readers see all of it or nothing."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def append_lines(path: Path, records: list[dict[str, Any]], below: Path | None = None, mode: int = 0o644) -> None:
    """Append JSON lines in one write. If a crash left an incomplete last line, it is closed first.

    Raise OSError if the path is not a plain file. `below`: see common/files.py; default: the file's own folder.
    """
    if records:
        text = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)
        files.append_plain(str(path), text.encode(), below=str(below or path.parent), seal=True, mode=mode)
