"""Start a PostgreSQL in a temporary folder, for as long as the tests run."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

MISSING = "no PostgreSQL server found (initdb, pg_ctl): install it, on Debian and Ubuntu with `apt install postgresql`"
_FAST = "-c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=40"


def binaries() -> Path | None:
    """The folder of the newest server programs."""
    found = shutil.which("initdb")
    if found and shutil.which("pg_ctl", path=str(Path(found).parent)):
        return Path(found).parent
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(folders, key=lambda folder: float(folder.parent.name), default=None)


class Cluster:
    """Listens on a socket in its folder only; nobody is asked for a password."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._folder = folder
        self._count = 0

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self._folder}"

    def start(self) -> None:
        data = self._folder / "data"
        if not data.exists():
            given = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
            self._run("initdb", "-D", data, *given)
        options = f"{_FAST} -k {self._folder}"
        self._run("pg_ctl", "-D", data, "-w", "-l", self._folder / "log", "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._folder / "data", "-w", "-m", "immediate", "stop")

    @contextmanager
    def database(self, template: str = "template0") -> Iterator[str]:
        """A database for one test; its name."""
        self._count += 1
        name = f"paddock_{self._count}"
        self._sql(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield name
        finally:
            self._sql(f"DROP DATABASE {name} WITH (FORCE)")

    def _sql(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _run(self, program: str, *arguments: str | Path) -> None:
        # PostgreSQL refuses to run as root.
        prefix = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*prefix, str(self._programs / program), *map(str, arguments)]
        # Not a pipe: the server would keep it open.
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False)
            output.seek(0)
            assert done.returncode == 0, f"{command}: {output.read().decode()}"


@contextmanager
def cluster(programs: Path) -> Iterator[Cluster]:
    # Not in pytest's folders: the user `postgres` cannot enter them, and the name of a socket must be short.
    folder = Path(tempfile.mkdtemp(prefix="paddock-pg-"))
    try:
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
        made = Cluster(programs, folder)
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
