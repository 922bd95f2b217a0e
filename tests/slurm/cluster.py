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

PROGRAMS = {
    "munged": "munge",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sbatch": "slurm-client",
    "slurmdbd": "slurmdbd",
    "mariadbd": "mariadb-server-core",
    "mariadb": "mariadb-client-core",
}
PATIENCE = 180.0
USERS = ("alice", "bob")
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"

LOW = ("low", "low-grace", "low-requeue")
"""The QOS that give way to `high`."""


def missing() -> list[str]:
    """The Debian packages that a cluster needs and that are not there."""
    packages = [package for program, package in PROGRAMS.items() if shutil.which(program, path=PATH) is None]
    if not any(Path("/usr/lib").glob("*/slurm*/accounting_storage_mysql.so")):
        packages.append("slurm-wlm-mysql-plugin")
    return packages


class Cluster:
    """Nodes `<prefix>1`, `<prefix>2`, ... Clusters on one machine differ in folder, prefix and ports.

    The ports are `port` (slurmctld), `port + 1` (slurmdbd) and from `port + 2` on one for each node. Stopped and
    started again in the same folder, a cluster keeps its queue and its accounting.

    Partitions: `gpu` (default) and `cpu` with all nodes, `one` with the first, `tiny` with a limit of one minute. QOS
    with accounting: `normal`, `high`, which preempts `low`, `low-grace` (10 s of grace) and `low-requeue`, and `few`
    (5 jobs a user). Without accounting, partition `high` preempts partition `low`. What runs on the nodes has the
    priority `nice`.

    Daemons are named `munged`, `mariadbd`, `slurmdbd`, `slurmctld` and `slurmd:<node>`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        prefix: str,
        port: int,
        nodes: int = 3,
        cpus: int = 8,
        memory: int = 16000,
        gpus: int = 2,
        accounting: bool = True,
        max_array_size: int = 1001,
        min_job_age: int = 300,
        nice: int = 0,
        extra: str = "",
    ) -> None:
        self.folder = folder.absolute()
        self.nodes = [f"{prefix}{number}" for number in range(1, nodes + 1)]
        self.port = port
        self.cpus, self.memory, self.gpus = cpus, memory, gpus
        self.accounting = accounting
        self.nice = nice
        self.max_array_size, self.min_job_age, self.extra = max_array_size, min_job_age, extra
        self.cgroups = leftovers.cgroups_writable()
        self.conf = self.folder / "etc" / "slurm.conf"
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._watcher: subprocess.Popen[bytes] | None = None

    # ---- life

    def __enter__(self) -> "Cluster":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> "Cluster":
        self._check_folder()
        taken = leftovers.served(self.nodes)
        assert not taken, f"{', '.join(taken)} belong to another Slurm on this machine: take another prefix"
        self._watcher = subprocess.Popen(
            [sys.executable, "-I", leftovers.__file__, str(self.folder), *self.nodes],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            fresh = not self.conf.exists()
            self._write_files()
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
        """Ends every daemon, step and process of a job. The files stay."""
        for node in self.nodes:
            self.stop_daemon(f"slurmd:{node}")
            leftovers.end(self.folder, [node])
        for name in ("slurmctld", "slurmdbd", "mariadbd", "munged"):
            self.stop_daemon(name)
        leftovers.end(self.folder, self.nodes, with_daemons=True)
        leftovers.remove_cgroups(self.nodes)
        if self._watcher is not None:
            self._watcher.kill()
            self._watcher.communicate()
            self._watcher = None

    def start_daemon(self, name: str) -> None:
        """Starts one, when it is not there. Does not wait until it answers: see `wait_ready`."""
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
                *self._database_options(),
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
        """Ends one as an administrator would: it tidies up."""
        process = self._running.pop(name, None)
        if process is None:
            return
        process.terminate()  # a child not waited for keeps its number: this cannot hit another process
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self, name: str, with_jobs: bool = False) -> None:
        """Ends a daemon as a crash would. `with_jobs`, for a node: and all that runs on it, as a power cut would."""
        process = self._running.pop(name, None)
        if process is not None:
            process.kill()
            process.wait()
        if with_jobs:
            node = name.partition(":")[2]
            assert node in self.nodes, f"only a node has jobs, not {name}"
            leftovers.end(self.folder, [node])

    def ping(self) -> bool:
        """Whether slurmctld answers."""
        return " UP" in self.run("scontrol", "ping", check=False, timeout=10)

    def wait_ready(self, seconds: float = PATIENCE) -> None:
        """Until slurmctld answers and every node can take jobs."""
        self._until(lambda: self._alive("slurmctld") and self.ping(), seconds, "slurmctld")
        usable = {"idle", "mixed", "allocated", "completing"}
        self._until(lambda: set(self.node_states().values()) <= usable, seconds, "the nodes")
        if self.accounting:
            self._until(lambda: _open(self.port + 1), seconds, "slurmdbd")

    def wait_saved(self) -> None:
        """Until slurmctld has written its queue down. It does so at most every 5 s: a crash loses what came later."""
        now, file = time.time(), self.folder / "state" / "job_state"
        self._until(
            lambda: time.time() > now + 6 or (file.exists() and file.stat().st_mtime > now), 10, "a saved queue"
        )

    def clear(self, seconds: float = PATIENCE) -> None:
        """Brings everything back to an empty queue and idle nodes, whatever a test has done."""
        for name in self._daemons():
            self.start_daemon(name)
        self._until(self.ping, seconds, "slurmctld")
        for line in self.run("sinfo", "-h", "-o", "%R %a").splitlines():
            partition, availability = line.split()
            if availability != "up":
                self.run("scontrol", "update", f"PartitionName={partition}", "State=UP")
        self._until(self._cleared, seconds, "an empty queue and idle nodes")

    # ---- use

    @property
    def environment(self) -> dict[str, str]:
        """What a command needs in its environment to speak with this cluster."""
        return {"SLURM_CONF": str(self.conf)}

    def run(self, *argv: str, user: str | None = None, check: bool = True, timeout: float = 30) -> str:
        """What a command prints, without the last line's end. A failure has `returncode`, `stdout` and `stderr`."""
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
        """The number of a new job that runs these lines of shell. Without `--output`, what it prints is thrown away."""
        return self.run("sbatch", "--parsable", "--output=/dev/null", *options, f"--wrap={script}", user=user)

    def job_state(self, job: str) -> str:
        """`PENDING`, `RUNNING`, `COMPLETED`, ...; empty when slurmctld does not know the job (any more)."""
        return self.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T", check=False)

    def wait_job(self, job: str, *states: str, seconds: float = PATIENCE) -> str:
        """Waits until a job is in one of these states, and says in which."""
        state = ""

        def reached() -> bool:
            nonlocal state
            state = self.job_state(job)
            return state in states

        self._until(reached, seconds, f"job {job} being {' or '.join(states)}")
        return state

    def node_states(self) -> dict[str, str]:
        """The state of each node in sinfo's long words; `*` at the end: does not respond."""
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

    def _check_folder(self) -> None:
        longest = self.folder / "spool" / self.nodes[-1] / f"{self.nodes[-1]}_1234567.4294967291"
        assert len(str(longest)) < 108, f"{self.folder} is too long a path: {longest} would be no valid socket"
        closed = [str(parent) for parent in self.folder.parents if not parent.stat().st_mode & 0o001]
        assert not closed, f"users cannot reach {self.folder}: {', '.join(closed)} is closed to them"

    # ---- files

    def _write_files(self) -> None:
        for part in ("", "etc", "run", "log", "state", "spool", "dev"):
            (self.folder / part).mkdir(exist_ok=True)
            (self.folder / part).chmod(0o755)
        etc = self.folder / "etc"
        if not (etc / "munge.key").exists():
            _write_secret(etc / "munge.key", os.urandom(1024))
        self.conf.write_text(self._slurm_conf())
        (etc / "gres.conf").write_text("\n".join(map(self._gres, self.nodes)) + "\n")
        if self.cgroups:
            (etc / "cgroup.conf").write_text(
                f"CgroupPlugin=cgroup/v1\nCgroupMountpoint={leftovers.CGROUPS}\nConstrainRAMSpace=yes\nConstrainSwapSpace=no\n"
                "ConstrainCores=no\nConstrainDevices=yes\n"
            )
        if self.accounting:
            _write_secret(etc / "slurmdbd.conf", self._slurmdbd_conf().encode())
            (etc / "db.sql").write_text(
                "CREATE DATABASE IF NOT EXISTS slurm;\n"
                "GRANT ALL ON slurm.* TO 'slurm'@'localhost' IDENTIFIED BY 'slurm';\n"
            )

    def _gpu_type(self, node: str) -> str:
        return "big" if len(self.nodes) >= 3 and node == self.nodes[-1] else "fake"

    def _gres(self, node: str) -> str:
        """The line of a node's GPUs. They are devices that no driver answers for; cgroups can still allow or refuse."""
        folder = self.folder / "dev" / node
        folder.mkdir(exist_ok=True)
        for number in range(self.gpus):
            device = folder / f"nvidia{number}"
            if not device.exists():
                os.mknod(device, 0o020666, os.makedev(195, number))
        if not self.gpus:
            return ""
        return f"NodeName={node} Name=gpu Type={self._gpu_type(node)} File={folder}/nvidia[0-{self.gpus - 1}]"

    def _slurm_conf(self) -> str:
        folder, host = self.folder, socket.gethostname().partition(".")[0]
        tracking = ("proctrack/cgroup", "task/cgroup") if self.cgroups else ("proctrack/linuxproc", "task/none")
        gres = {node: f"Gres=gpu:{self._gpu_type(node)}:{self.gpus}" if self.gpus else "" for node in self.nodes}
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={self.port + 2 + index} CPUs={self.cpus} "
            f"RealMemory={self.memory} {gres[node]} Feature={self._gpu_type(node)},{node} State=UNKNOWN"
            for index, node in enumerate(self.nodes)
        )
        return f"""\
ClusterName=lab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={self.port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/run/munge.sock,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
MailProg=/bin/true
MpiDefault=none
SwitchType=switch/none
ProctrackType={tracking[0]}
TaskPlugin={tracking[1]}
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=2
# Hardware that only pretends to be there.
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500
GresTypes=gpu
# As fast as it goes.
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0,bf_interval=1,default_queue_depth=2000
KillWait=2
OverTimeLimit=0
CompleteWait=0
EpilogMsgTime=0
MinJobAge={self.min_job_age}
SlurmctldTimeout=10
SlurmdTimeout=10
HealthCheckInterval=0
MessageTimeout=5
UnkillableStepTimeout=30
ReturnToService=2
MaxArraySize={self.max_array_size}
MaxJobCount=50000
{self._policy()}
{nodes}
PartitionName=DEFAULT Nodes=ALL MaxTime=INFINITE DefaultTime=60 State=UP
PartitionName=gpu Default=YES
PartitionName=cpu
PartitionName=one Nodes={self.nodes[0]}
PartitionName=tiny MaxTime=1 DefaultTime=1
{self._partitions()}
{self.extra}
"""

    def _policy(self) -> str:
        """Accounting, priority and preemption."""
        if not self.accounting:
            return (
                "AccountingStorageType=accounting_storage/none\nPreemptType=preempt/partition_prio\nPreemptMode=CANCEL"
            )
        return f"""\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={self.port + 1}
AccountingStoragePass={self.folder}/run/munge.sock
AccountingStorageTRES=gres/gpu
AccountingStorageEnforce=associations,limits,qos
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightQOS=5000
PriorityCalcPeriod=1
PreemptType=preempt/qos
PreemptMode=CANCEL"""

    def _partitions(self) -> str:
        """Those that are there for preemption only."""
        if self.accounting:
            return ""
        return "PartitionName=low PriorityTier=1 PreemptMode=CANCEL\nPartitionName=high PriorityTier=10 PreemptMode=OFF"

    # ---- accounting

    def _slurmdbd_conf(self) -> str:
        return f"""\
AuthType=auth/munge
AuthInfo=socket={self.folder}/run/munge.sock,cred_expire=5
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={self.port + 1}
SlurmUser=root
LogFile={self.folder}/log/slurmdbd.log
PidFile={self.folder}/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
"""

    def _database_options(self) -> list[str]:
        """Nothing has to survive a power cut here: what counts is speed."""
        return [
            *("--no-defaults", "--user=root", f"--datadir={self.folder / 'db'}", "--skip-log-bin"),
            *("--innodb-log-file-size=16M", "--innodb-buffer-pool-size=128M", "--innodb-doublewrite=0"),
            *("--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync", "--debug-no-sync"),
            "--loose-innodb-snapshot-isolation=OFF",  # slurmdbd does not know it and would fail
        ]

    def _make_database(self) -> None:
        self.run(
            *("mariadb-install-db", *self._database_options()),
            *("--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"),
            timeout=60,
        )

    def _database_answers(self) -> bool:
        client = ("mariadb", "--no-defaults", f"--socket={self.folder}/run/mysql.sock", "-uslurm", "-pslurm", "slurm")
        return self.run(*client, "-e", "select 1") != ""

    def _make_accounts(self) -> None:
        for line in (
            "add cluster lab",
            "add account lab Description=lab Organization=lab",
            "add qos low PreemptMode=CANCEL GraceTime=0",
            "add qos low-grace PreemptMode=CANCEL GraceTime=10",
            "add qos low-requeue PreemptMode=REQUEUE",
            f"add qos high Priority=1000 Preempt={','.join(LOW)}",
            "add qos few MaxSubmitJobsPerUser=5",
            f"modify account lab set qos=normal,high,few,{','.join(LOW)}",
            f"add user {','.join(('root', *USERS))} account=lab",
            "modify user root set DefaultAccount=lab",
        ):
            self.run("sacctmgr", "-i", "-Q", *line.split())


# ---- small things


def _open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _write_secret(path: Path, content: bytes) -> None:
    path.touch(0o600)
    path.write_bytes(content)


def _add_user(name: str) -> None:
    """Tries for a while: another process may be changing /etc/passwd."""
    end = time.monotonic() + 20
    while True:
        with contextlib.suppress(KeyError):
            pwd.getpwnam(name)
            return
        program = shutil.which("useradd", path=PATH) or "useradd"
        done = subprocess.run([program, "-m", name], capture_output=True, check=False, text=True)
        assert done.returncode == 0 or time.monotonic() < end, f"cannot add the user {name}: {done.stderr}"
        time.sleep(0.1)
