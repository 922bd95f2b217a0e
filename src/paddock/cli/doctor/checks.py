"""The checks of `paddock doctor` that need no Slurm. If one fails, the others still run."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from paddock import __version__, settings
from paddock.cli.doctor.finding import Finding, Scope, error, guarded, guarded_all, ok, warn
from paddock.client.client import Client
from paddock.common import filesystems
from paddock.errors import DatabaseDamaged, NotAuthorised, PaddockError, ServerUnreachable
from paddock.home import server_file, tls
from paddock.models.units import size_of
from paddock.paths import Home, home_folder
from paddock.settings import Settings

LOW_BYTES, VERY_LOW_BYTES = 5 * 1024**3, 200 * 1024**2


@dataclass(frozen=True)
class CheckContext:
    home: Home
    given_home: str | None
    url: str | None
    settings: Settings | None


def run_all(home: str | None, url: str | None, asked: Scope) -> list[Finding]:
    from paddock.cli.doctor import hosts, image, kubernetes, slurm

    loaded, first = _settings(home)
    subject = CheckContext(Home(home_folder(home)), home, url, loaded)
    steps = (_home, _disk, _space, _token, _database, _runner, _gpus, _server, _certificate)
    found = [guarded(check.__name__.lstrip("_"), partial(check, subject)) for check in steps]
    others = [*hosts.run_all(loaded, subject.home, url, asked), *kubernetes.run_all(loaded, subject.home, asked)]
    if asked.container is not None:
        found += guarded_all("image", partial(image.check, asked.container))
    return [first, *found, *others, *slurm.run_all(loaded, subject.home, asked)]


def _settings(home: str | None) -> tuple[Settings | None, Finding]:
    file = settings.settings_file(home)
    try:
        found = settings.load(home)
    except PaddockError as fault:
        return None, error(fault.message, f"correct {file} or the variable").named("settings")
    where = file if file.exists() else "all defaults, as there is no settings.toml"
    return found, ok(f"valid; {where}").named("settings")


# --- the home folder ------------------------------------------------------------------------------------------------


def _existing(path: Path) -> Path:
    return next(one for one in (path, *path.parents) if one.exists())


def _home(subject: CheckContext) -> Finding:
    root = subject.home.root
    near = _existing(root)
    if not near.is_dir():
        return error(f"{near} is not a folder", "choose another home with --home or PADDOCK_HOME")
    if not os.access(near, os.W_OK | os.X_OK):
        return error(f"{near} cannot be written", "change its owner, or choose another home with PADDOCK_HOME")
    if near != root:
        return ok(f"{root} will be made at the first start")
    if root.stat().st_uid != os.getuid():
        return warn(f"{root} belongs to another user", "choose a home of your own with PADDOCK_HOME")
    if root.stat().st_mode & 0o077:
        return warn(f"{root} can be entered by others", f"chmod 700 {root}")
    return ok(f"{root} is writable and private")


def _disk(subject: CheckContext) -> Finding:
    disk = shutil.disk_usage(_existing(subject.home.root))
    free, text = disk.free, f"{size_of(disk.free, disk.total)} free"
    fix = (
        "delete old jobs with `paddock prune --jobs-older-than 90d` or `paddock rm`, or move the home to a larger disk"
    )
    if free < VERY_LOW_BYTES:
        return error(text, fix)
    return warn(text, fix) if free < LOW_BYTES else ok(text)


def _space(subject: CheckContext) -> Finding:
    from paddock.cli.doctor import space

    return space.space(subject.home)


def _token(subject: CheckContext) -> Finding:
    file = subject.home.token
    if not file.exists():
        return ok("will be made at the first start")
    if file.stat().st_mode & 0o077:
        return error(f"{file} can be read by others", f"chmod 600 {file}; or delete it, and start the server again")
    if not subject.home.read_token():
        return error(f"{file} is empty", "delete it, and start the server again")
    return ok("only its owner can read it")


def _database(subject: CheckContext) -> Finding:
    from paddock.server.store.db import Database

    if subject.settings is None:
        return warn("not checked", "correct the settings first")
    if subject.settings.database is None and not subject.home.database.exists():
        return ok("will be made at the first start")
    db = Database(subject.settings.database or f"sqlite:///{subject.home.database}")
    try:
        now, head = db.revisions()
    except DatabaseDamaged as fault:
        return error("is damaged", fault.message)
    except Exception as fault:  # drivers raise errors of their own
        return error(
            f"cannot be read: {str(fault).splitlines()[0]}", "check the setting `database` and the server's log"
        )
    finally:
        db.close()
    kind = "SQLite" if db.sqlite else "PostgreSQL"
    if now != head:
        return warn(f"{kind}, at revision {now}, but this version needs {head}", "`paddock up` brings it up to date")
    if db.sqlite and filesystems.is_network(on := filesystems.kind_of(subject.home.root)):
        return warn(
            f"SQLite on a network file system ({on}), where its locks may fail",
            "run only one server, or set `database` to a PostgreSQL URL",
        )
    return ok(f"{kind}, at revision {now}; {_copies(subject.home) if db.file else 'back it up with pg_dump'}")


def _copies(home: Home) -> str:
    from paddock.server.store import backups

    known = backups.listed(home.backups)
    age = (time.time() - known[-1].stat().st_mtime) / 3600 if known else 0
    return f"newest backup {age:.0f} h old" if known else "no backup yet: one is made every day while the server runs"


# --- what runs ------------------------------------------------------------------------------------------------------


def _runner(subject: CheckContext) -> Finding:
    from paddock.runner.build import build

    local = subject.settings.local.python if subject.settings else None
    python = str(Path(local or sys.executable).expanduser())
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "runner.pyz"
        build(target)
        try:
            done = subprocess.run(
                [python, "-I", "-S", str(target)], capture_output=True, text=True, timeout=30, check=False
            )
        except (OSError, subprocess.SubprocessError) as fault:
            return error(f"{python} does not start: {fault}", "set local.python to a Python of 3.8 or newer")
    if done.returncode == 2 and "usage" in done.stderr:
        return ok(f"starts with {python}")
    reason = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
    return error(f"does not start with {python}: {reason}", "set local.python to a Python of 3.8 or newer")


def _gpus(subject: CheckContext) -> Finding:
    from paddock.backends.devices import find_gpus

    found = find_gpus(subject.settings.local.gpus if subject.settings else None)
    names = ", ".join(sorted({device.name for device in found}))
    return ok(f"{len(found)}: {names}" if found else "none: tasks run on the CPU")


def _server(subject: CheckContext) -> Finding:
    with Client(url=subject.url, home=subject.given_home, timeout=5) as client:
        try:
            health, version = client.health(), client.version().version
        except NotAuthorised as fault:
            return error(fault.message, "set PADDOCK_TOKEN to the token of that server")
        except ServerUnreachable as fault:
            return _unreachable(subject, fault)
        if not health.ok:
            return error("; ".join(health.problems), "look at the output of the server")
        if health.set_aside:
            return warn(f"cannot go on with {health.set_aside} of its jobs", "`paddock show JOB` reports why")
        if version != __version__:
            return warn(f"has version {version}, but this program has {__version__}", "start the server again")
        return ok(f"version {version} at {client.url}")


def _unreachable(subject: CheckContext, fault: ServerUnreachable) -> Finding:
    start = server_file.start_command(subject.home)
    last = server_file.read(subject.home)
    if last and last.slurm:
        ended = f"it ran as Slurm job {last.slurm} on {last.node or last.host} and does not answer"
        return warn(ended, f"see `squeue -j {last.slurm}`; if it is gone, `{start}` starts it again; nothing is lost")
    return warn(fault.message, start)


def _certificate(subject: CheckContext) -> Finding:
    """Check the certificate of the server's port."""
    if subject.settings is None:
        return warn("not checked", "correct the settings first")
    try:
        if tls.context(subject.settings) is None:
            return ok("none: the server's port uses plain HTTP")
        mine, ends = tls.certificate(subject.settings), tls.ends_at(subject.settings)
    except PaddockError as fault:
        return error(fault.message, "correct the setting, or remove `tls_certificate` and `tls_key`")
    days, last = tls.days_left(ends or 0), time.strftime("%Y-%m-%d", time.localtime(ends))
    renew = "put a new one in its place, and start the server again: tasks go on"
    if days < 0:
        return error(f"ended on {last}: browsers and clients refuse it", renew)
    running = server_file.read(subject.home)
    if running and running.certificate and running.certificate != mine:
        return warn("the server still uses the one before", "start the server again: tasks go on")
    if days * 86_400 < tls.SOON_SECONDS:
        return warn(f"ends in {days} days, on {last}", renew)
    return ok(f"valid until {last}")
