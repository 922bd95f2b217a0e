"""Start a small Slurm with its own accounting, and run commands in it, with nothing but the standard library.

`record.py` uses it, inside its own namespaces.
"""

import os
import pwd
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

BASE = Path("/mnt/slurm")  # a tmpfs of the recorder's own
HOST = "head"
PORT = 18800
NODES = ["r1", "r2", "r3", "r4"]
USERS = ["alice", "bob"]

ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "SLURM_CONF": str(BASE / "etc/slurm.conf"),
    "TZ": "UTC",
    "LANG": "C.UTF-8",
}


def run(*argv: str, user: str = "root", env: dict[str, str] | None = None, limit: float = 60) -> tuple[int, str, str]:
    """A command's status, output and messages; 124 if it took too long."""
    who = pwd.getpwnam(user)
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT | (env or {}),
        user=who.pw_uid,
        group=who.pw_gid,
        extra_groups=[],
        cwd="/",
    )
    try:
        out, err = process.communicate(timeout=limit)
        return process.returncode, out.decode(), err.decode()
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return 124, out.decode(), err.decode()


def must(*argv: str) -> str:
    rc, out, err = run(*argv)
    if rc:
        raise SystemExit(f"{argv}: {rc}\n{out}{err}")
    return out


def until(what: str, check: Callable[[], object], limit: float = 60) -> bool:
    end = time.monotonic() + limit
    while not check():
        if time.monotonic() > end:
            print(f"gave up waiting: {what}", file=sys.stderr)
            return False
        time.sleep(0.1)
    return True


class Cluster:
    """munged, MariaDB, slurmdbd, slurmctld and a few slurmd."""

    def __init__(self) -> None:
        for folder in ("etc", "run", "log", "state", "spool", "db", "dev"):
            (BASE / folder).mkdir(parents=True)
        (BASE / "etc/munge.key").write_bytes(os.urandom(1024))
        (BASE / "etc/munge.key").chmod(0o400)
        for name in USERS:
            try:
                pwd.getpwnam(name)
            except KeyError:
                subprocess.run(["useradd", "-M", "-s", "/bin/sh", name], check=True)
        for node in NODES[:3]:
            for i in range(2):
                (BASE / "dev" / node).mkdir(exist_ok=True)
                os.mknod(BASE / "dev" / node / f"nvidia{i}", 0o020666, os.makedev(195, i))
        self.cgroup = all(
            os.access(f"/sys/fs/cgroup/{name}/cgroup.procs", os.W_OK) for name in ("memory", "devices", "freezer")
        )
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def configure(self, accounting: bool = True, partition_limits: str = "NO", jobs: int = 10000) -> None:
        gres, nodes = [], []
        kinds = {
            "r1": ["fake", "gpu:fake:2,shard:8"],
            "r2": ["", "gpu:2"],
            "r3": ["a100_3g.20gb", "gpu:a100_3g.20gb:2"],
        }
        for i, node in enumerate(NODES):
            line = f"NodeName={node} NodeHostname={HOST} NodeAddr=127.0.0.1 Port={PORT + 101 + i}"
            line += " CPUs=8 RealMemory=16000"
            if node in kinds:
                kind, text = kinds[node]
                typed = f" Type={kind}" if kind else ""
                gres.append(f"NodeName={node} Name=gpu{typed} File={BASE}/dev/{node}/nvidia[0-1]")
                if "shard" in text:
                    gres.append(f"NodeName={node} Name=shard Count=8")
                line += f" Gres={text} Feature=fast,{node}"
            nodes.append(line)
        (BASE / "etc/gres.conf").write_text("\n".join(gres) + "\n")
        (BASE / "etc/cgroup.conf").write_text(
            "CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\nConstrainRAMSpace=yes\n"
            if self.cgroup
            else "CgroupPlugin=disabled\n"
        )
        storage = (
            f"AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\n"
            f"AccountingStoragePort={PORT + 19}\nAccountingStoragePass={BASE}/run/munge.sock\n"
            f"AccountingStorageTRES=gres/gpu,gres/shard\nAccountingStorageEnforce=associations,limits,qos\n"
            if accounting
            else "AccountingStorageType=accounting_storage/none\n"
        )
        allowed = "AllowAccounts=lab AllowQos=few" if accounting else ""
        (BASE / "etc/slurm.conf").write_text(f"""ClusterName=lab
SlurmctldHost={HOST}(127.0.0.1)
SlurmctldPort={PORT + 17}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={BASE}/run/munge.sock,cred_expire=5
StateSaveLocation={BASE}/state
SlurmdSpoolDir={BASE}/spool/%n
SlurmctldPidFile={BASE}/run/slurmctld.pid
SlurmdPidFile={BASE}/run/slurmd.%n.pid
SlurmctldLogFile={BASE}/log/slurmctld.log
SlurmdLogFile={BASE}/log/slurmd.%n.log
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/{"cgroup" if self.cgroup else "linuxproc"}
TaskPlugin=task/{"cgroup" if self.cgroup else "none"}
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=2
{storage}PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightQOS=5000
PriorityWeightPartition=1000
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
EnforcePartLimits={partition_limits}
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500
GresTypes=gpu,shard
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0,bf_interval=1
KillWait=4
CompleteWait=0
MinJobAge=900
SlurmctldTimeout=30
SlurmdTimeout=10
MessageTimeout=5
ReturnToService=2
MaxArraySize=1001
MaxJobCount={jobs}
{chr(10).join(nodes)}
PartitionName=gpu Nodes=r[1-3] Default=YES MaxTime=INFINITE DefaultTime=60 PriorityTier=2 PreemptMode=OFF
PartitionName=short Nodes=ALL MaxTime=10 DefaultTime=5 PriorityTier=2 PreemptMode=OFF
PartitionName=spare Nodes=ALL MaxTime=2-00:00:00 PriorityTier=1 PreemptMode=CANCEL
PartitionName=one Nodes=r1 MaxNodes=1 MaxTime=1-12:00:00 PriorityTier=2 PreemptMode=OFF {allowed}
PartitionName=closed Nodes=r2 State=DOWN PriorityTier=2 PreemptMode=OFF
""")
        (BASE / "etc/slurmdbd.conf").write_text(f"""AuthType=auth/munge
AuthInfo=socket={BASE}/run/munge.sock,cred_expire=5
DbdHost={HOST}
DbdAddr=127.0.0.1
DbdPort={PORT + 19}
SlurmUser=root
LogFile={BASE}/log/slurmdbd.log
PidFile={BASE}/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct_db
""")
        (BASE / "etc/slurmdbd.conf").chmod(0o600)

    def daemon(self, name: str, *argv: str, env: dict[str, str] | None = None) -> None:
        with open(BASE / "log" / f"{name}.out", "ab") as log:
            self.processes[name] = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=ENVIRONMENT | (env or {}), cwd="/"
            )

    def stop(self, name: str) -> None:
        process = self.processes.pop(name)
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def munge(self) -> None:
        self.daemon(
            "munged", "munged", "--foreground", f"--key-file={BASE}/etc/munge.key", f"--socket={BASE}/run/munge.sock",
            f"--pid-file={BASE}/run/munged.pid", f"--log-file={BASE}/log/munged.log",
            f"--seed-file={BASE}/run/munge.seed",
        )  # fmt: skip
        until("munged", lambda: run("munge", "-n", f"--socket={BASE}/run/munge.sock")[0] == 0, 10)

    def database(self) -> None:
        data, sock = BASE / "db", BASE / "run/mysql.sock"
        must(
            "mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={data}", "--skip-test-db",
            "--auth-root-authentication-method=normal", "--innodb-log-file-size=16M",
        )  # fmt: skip
        (BASE / "etc/init.sql").write_text(
            "CREATE DATABASE IF NOT EXISTS slurm_acct_db;\n"
            "CREATE USER IF NOT EXISTS 'slurm'@'localhost' IDENTIFIED BY 'slurm';\n"
            "GRANT ALL ON slurm_acct_db.* TO 'slurm'@'localhost';\n"
        )
        self.daemon(
            "mariadbd", "mariadbd", "--no-defaults", "--user=root", f"--datadir={data}", f"--socket={sock}",
            "--skip-networking", f"--pid-file={BASE}/run/mysqld.pid", f"--init-file={BASE}/etc/init.sql",
            "--innodb-buffer-pool-size=256M", "--innodb-log-file-size=16M", "--innodb-lock-wait-timeout=900",
            "--max-allowed-packet=64M", "--loose-innodb-snapshot-isolation=OFF", "--skip-log-bin",
        )  # fmt: skip
        login = ["mariadb", "--no-defaults", "--protocol=socket", "-S", str(sock), "-uslurm", "-pslurm"]
        until("MariaDB", lambda: run(*login, "slurm_acct_db", "-e", "select 1")[0] == 0)

    def accounts(self) -> None:
        self.daemon("slurmdbd", "slurmdbd", "-D", env={"MYSQL_UNIX_PORT": str(BASE / "run/mysql.sock")})
        until("slurmdbd", lambda: run("sacctmgr", "-n", "list", "cluster")[0] == 0)

    def controller(self) -> None:
        self.daemon("slurmctld", "slurmctld", "-D")
        until("slurmctld", lambda: "is UP" in run("scontrol", "ping")[1])

    def node(self, name: str) -> None:
        self.daemon(f"slurmd-{name}", "slurmd", "-D", "-N", name)

    def nodes_up(self) -> None:
        idle = ["sinfo", "-h", "-N", "-p", "short", "-t", "idle,mix,alloc", "-o", "%N"]
        until("nodes", lambda: len(set(run(*idle)[1].split())) == len(NODES))
