"""A real Slurm of several nodes on this machine, for tests. Needs root, but neither systemd nor containers.

Every daemon runs in the foreground as a child of this process, with all its files in one folder. The nodes are several
`slurmd` with a port each and hardware that they only pretend to have. Where cgroups (version 1) may be written, limits
of memory and of GPUs are real. A process that ends without `stop()` takes its cluster with it: see leftovers.py.
"""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.slurm import leftovers
from tests.slurm.configuration import ACCOUNTS, USERS, Configuration

PROGRAMS = {"munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
FOR_ACCOUNTING = {"slurmdbd": "slurmdbd", "mariadbd": "mariadb-server-core", "mariadb": "mariadb-client-core"}
PATIENCE = 180.0
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


def missing(*, accounting: bool = True) -> list[str]:
    """Return the Debian packages that a cluster needs and that are not installed."""
    programs = PROGRAMS | (FOR_ACCOUNTING if accounting else {})
    packages = [package for program, package in programs.items() if shutil.which(program, path=PATH) is None]
    if accounting and not any(Path("/usr/lib").glob("*/slurm*/accounting_storage_mysql.so")):
        packages.append("slurm-wlm-mysql-plugin")
    return packages


class Cluster(Configuration):
    """A configuration and its daemons: `munged`, `mariadbd`, `slurmdbd`, `slurmctld` and `slurmd:<node>`.

    A cluster that is stopped, and started again in the same folder, keeps its queue and its accounting. What runs on
    the nodes has the priority `nice`.
    """

    def __init__(self, folder: Path, *, nice: int = 0, **configuration: Any) -> None:
        super().__init__(folder, **configuration)
        self.nice = nice
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._watcher: subprocess.Popen[bytes] | None = None

    # ---- life

    def __enter__(self) -> "Cluster":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> "Cluster":
        taken = leftovers.served(self.nodes)
        assert not taken, f"{', '.join(taken)} belong to another Slurm on this machine: take another prefix"
        self._watcher = subprocess.Popen(
            [sys.executable, "-I", leftovers.__file__, str(self.folder), *self.nodes],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            fresh = not self.conf.exists()
            self.write_files()
            for user in USERS:
                _add_user(user)
            self.start_daemon("munged")
            if self.accounting:
                if fresh:
                    self._make_database()
                self.start_daemon("mariadbd")
                self._until(self._database_answers, PATIENCE, "MariaDB")
                self.start_daemon("slurmdbd")
                self._until(lambda: _open(self.port + 1), PATIENCE, "slurmdbd")
                if fresh:
                    self._make_accounts()
            self._until((self.folder / "run" / "munge.sock").exists, PATIENCE, "munged")
            self.start_daemon("slurmctld")
            self._until(self.ping, PATIENCE, "slurmctld")  # a node that finds none tries again only after a second
            for node in self.nodes:
                self.start_daemon(f"slurmd:{node}")
            self.wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End every daemon, step and process of a job. The files stay."""
        daemons = [f"slurmd:{node}" for node in self.nodes]
        for name in daemons:  # all at once: of a hundred nodes, each takes a while
            if name in self._running:
                self._running[name].terminate()
        for name in daemons:
            self.stop_daemon(name)
        leftovers.end(self.folder, self.nodes)
        for name in ("slurmctld", "slurmdbd", "mariadbd", "munged"):
            self.stop_daemon(name)
        leftovers.end(self.folder, self.nodes, with_daemons=True)
        leftovers.remove_cgroups(self.nodes)
        if self._watcher is not None:
            self._watcher.kill()
            self._watcher.communicate()
            self._watcher = None

    def start_daemon(self, name: str) -> None:
        """Start a daemon, unless it runs. Does not wait until it answers: see `wait_ready`."""
        if self._alive(name):
            return
        kind, _, node = name.partition(":")
        run, etc, log = (self.folder / part for part in ("run", "etc", "log"))
        argv = {
            "munged": [
                *("--foreground", "--force", f"--key-file={etc / 'munge.key'}", f"--socket={run / 'munge.sock'}"),
                *(f"--pid-file={run / 'munged.pid'}", f"--log-file={log / 'munged.log'}"),
                *(f"--seed-file={run / 'munge.seed'}", "--num-threads=4"),
            ],
            "mariadbd": [
                *self.database_options(),
                *("--skip-networking", "--innodb-lock-wait-timeout=900", "--max-allowed-packet=64M"),
                *(f"--socket={run / 'mysql.sock'}", f"--pid-file={run / 'mysqld.pid'}"),
                f"--init-file={etc / 'db.sql'}",
            ],
            "slurmdbd": ["-D"],
            "slurmctld": ["-D", "-f", str(self.conf)],
            "slurmd": ["-D", "-f", str(self.conf), "-N", node],
        }[kind]
        environment = self._environment() | {
            leftovers.CLUSTER_MARK: str(self.folder),
            "MYSQL_UNIX_PORT": str(run / "mysql.sock"),
        }
        environment |= {leftovers.NODE_MARK: node} if node else {}
        before = ["nice", "-n", str(self.nice)] if node else []
        with open(log / f"{name.replace(':', '-')}.out", "ab") as output:
            self._running[name] = subprocess.Popen(
                [*before, str(shutil.which(kind, path=PATH)), *argv],
                env=environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def stop_daemon(self, name: str, seconds: float = 10) -> None:
        """End a daemon as an administrator would: it saves its state."""
        process = self._running.pop(name, None)
        if process is None:
            return
        process.terminate()  # a child not waited for keeps its number: this cannot hit another process
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def remember(self, seconds: int) -> None:
        """Keep ended jobs in the queue for this many seconds from now on. Starts slurmctld again."""
        self.min_job_age = seconds
        self.write_files()
        self.stop_daemon("slurmctld")
        self.start_daemon("slurmctld")
        self.wait_ready()

    def kill(self, name: str, with_jobs: bool = False) -> None:
        """End a daemon as a crash would. `with_jobs`, for a node: also all that runs on it, as a power cut would."""
        process = self._running.pop(name, None)
        if process is not None:
            process.kill()
            process.wait()
        if with_jobs:
            node = name.partition(":")[2]
            assert node in self.nodes, f"only a node has jobs, not {name}"
            leftovers.end(self.folder, [node])

    def ping(self) -> bool:
        """Return True if slurmctld answers."""
        return " UP" in self.run("scontrol", "ping", check=False, timeout=10)

    def wait_ready(self, seconds: float = PATIENCE) -> None:
        """Wait until slurmctld answers and every node can take jobs."""
        self._until(lambda: self._alive("slurmctld") and self.ping(), seconds, "slurmctld")
        usable = {"idle", "mixed", "allocated", "completing"}
        self._until(lambda: set(self.node_states().values()) <= usable, seconds, "the nodes")
        if self.accounting:
            self._until(lambda: _open(self.port + 1), seconds, "slurmdbd")

    def wait_saved(self) -> None:
        """Wait until slurmctld has saved its queue, which it does every 5 s: a crash loses what came later."""
        now, file = time.time(), self.folder / "state" / "job_state"
        self._until(
            lambda: time.time() > now + 6 or (file.exists() and file.stat().st_mtime > now), 10, "a saved queue"
        )

    def clear(self, seconds: float = PATIENCE) -> None:
        """Restore an empty queue and idle nodes, whatever a test has done."""
        for name in self._daemons():
            self.start_daemon(name)
        self._until(self.ping, seconds, "slurmctld")
        for line in self.run("sinfo", "-h", "-o", "%R %a").splitlines():
            partition, availability = line.split()
            if availability != "up":
                self.run("scontrol", "update", f"PartitionName={partition}", "State=UP")
        for line in self.run("scontrol", "show", "reservations", "-o").splitlines():
            if line.startswith("ReservationName="):  # a test that left one to Slurm does not wait for its end
                self.run("scontrol", "update", line.split()[0], "EndTime=now", check=False)
                self.run("scontrol", "delete", line.split()[0], check=False)
        self._until(self._cleared, seconds, "an empty queue and idle nodes")

    # ---- use

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables with which a command finds this cluster."""
        return {"SLURM_CONF": str(self.conf)}

    def run(self, *argv: str, user: str | None = None, check: bool = True, timeout: float = 30) -> str:
        """Return what a command prints, without its last newline. A failure has `returncode`, `stdout` and `stderr`."""
        environment = self._environment()
        as_user: dict[str, Any] = {}
        if user is not None:
            entry = pwd.getpwnam(user)
            environment |= {"HOME": entry.pw_dir, "USER": user, "LOGNAME": user}
            groups = os.getgrouplist(user, entry.pw_gid)
            as_user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": groups, "cwd": entry.pw_dir}
        done: subprocess.CompletedProcess[str] = subprocess.run(
            argv,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
            timeout=timeout,
            **as_user,
        )
        if check and done.returncode != 0:
            error = subprocess.CalledProcessError(done.returncode, argv, done.stdout, done.stderr)
            error.add_note(done.stdout + done.stderr)
            raise error
        return done.stdout.removesuffix("\n")

    def submit(self, script: str, *options: str, user: str | None = None) -> str:
        """Submit lines of shell and return the job's id. Without `--output`, what the job prints is dropped."""
        return self.run("sbatch", "--parsable", "--output=/dev/null", *options, f"--wrap={script}", user=user)

    def job_state(self, job: str) -> str:
        """Return `PENDING`, `RUNNING`, `COMPLETED`, ...; empty if slurmctld does not know the job (any more)."""
        return self.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T", check=False)

    def wait_job(self, job: str, *states: str, seconds: float = PATIENCE) -> str:
        """Wait until a job is in one of these states, and return which."""
        state = ""

        def reached() -> bool:
            nonlocal state
            state = self.job_state(job)
            return state in states

        try:
            self._until(reached, seconds, f"job {job} being {' or '.join(states)}")
        except AssertionError as error:
            for about in (("job", job), ("node",)):
                error.add_note(self.run("scontrol", "show", *about, check=False))
            raise
        return state

    def node_states(self) -> dict[str, str]:
        """Return the state of each node, as sinfo writes it in full; `*` at the end: the node does not respond."""
        words = self.run("sinfo", "-h", "-N", "-p", "gpu", "-o", "%N %T", timeout=10).split()
        return dict(zip(words[::2], words[1::2], strict=True))

    # ---- parts

    def _daemons(self) -> list[str]:
        database = ["mariadbd", "slurmdbd"] if self.accounting else []
        return ["munged", *database, "slurmctld", *(f"slurmd:{node}" for node in self.nodes)]

    def _alive(self, name: str) -> bool:
        return name in self._running and self._running[name].poll() is None

    def _environment(self) -> dict[str, str]:
        ours = {
            name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "SBATCH_", "SQUEUE_"))
        }
        return ours | self.environment | {"PATH": PATH}

    def _until(self, condition: Callable[[], object], seconds: float, what: str) -> None:
        begun = time.monotonic()
        while True:
            with contextlib.suppress(subprocess.SubprocessError):  # a command that finds no daemon yet
                if condition():
                    return
            dead = [name for name in self._running if not self._alive(name)]
            waited = time.monotonic() - begun
            if dead or waited > seconds:
                reason = f"{', '.join(dead)} ended" if dead else f"not within {seconds} s"
                raise AssertionError(f"waiting for {what}: {reason}\n{self._last_words()}")
            time.sleep(min(0.05 + waited / 20, 0.3))  # each look starts a program

    def _last_words(self) -> str:
        files = sorted((self.folder / "log").glob("*.out"))
        return "\n".join(f"== {file.name}\n{file.read_text(errors='replace')[-2000:]}" for file in files)

    def _cleared(self) -> bool:
        jobs = sorted(set(self.run("squeue", "-h", "-o", "%A", timeout=10).split()))
        if jobs:
            self.run("scancel", *jobs, check=False, timeout=10)
        states = self.node_states()
        for node, state in states.items():
            if state.startswith(("down", "drain", "fail")):
                self.run("scontrol", "update", f"NodeName={node}", "State=RESUME", check=False, timeout=10)
        return not jobs and set(states.values()) == {"idle"}

    def _make_database(self) -> None:
        self.run(
            *("mariadb-install-db", *self.database_options()),
            *("--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"),
            timeout=PATIENCE,
        )

    def _database_answers(self) -> bool:
        client = ("mariadb", "--no-defaults", f"--socket={self.folder}/run/mysql.sock", "-uslurm", "-pslurm", "slurm")
        return self.run(*client, "-e", "select 1") != ""

    def _make_accounts(self) -> None:
        for line in ACCOUNTS:
            self.run("sacctmgr", "-i", "-Q", *line.split())


# ---- small things


def _open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _add_user(name: str) -> None:
    """Add a user. Tries for a while: another process may be changing /etc/passwd."""
    end = time.monotonic() + 20
    while True:
        with contextlib.suppress(KeyError):
            pwd.getpwnam(name)
            return
        program = shutil.which("useradd", path=PATH) or "useradd"
        done = subprocess.run([program, "-m", name], capture_output=True, check=False, text=True)
        assert done.returncode == 0 or time.monotonic() < end, f"cannot add the user {name}: {done.stderr}"
        time.sleep(0.1)
