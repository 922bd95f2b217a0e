"""The configuration of a Slurm cluster for tests: its nodes, partitions, QOS, accounting and timers, as files."""

import os
import socket
from pathlib import Path

from tests.slurm import leftovers

USERS = ("alice", "bob")

LOW = ("low", "low-grace", "low-requeue")
"""The QOS that `high` preempts."""


ACCOUNTS = (
    "add cluster lab",
    "add account lab Description=lab Organization=lab",
    "add qos low PreemptMode=CANCEL GraceTime=0",
    "add qos low-grace PreemptMode=CANCEL GraceTime=3",
    "add qos low-requeue PreemptMode=REQUEUE",
    f"add qos high Priority=1000 Preempt={','.join(LOW)}",
    "add qos few MaxSubmitJobsPerUser=5",
    f"modify account lab set qos=normal,high,few,{','.join(LOW)}",
    f"add user {','.join(('root', *USERS))} account=lab",
    "modify user root set DefaultAccount=lab",
)
"""The commands of `sacctmgr` for a new cluster."""


class Configuration:
    """Nodes `<prefix>1`, `<prefix>2`, ... Clusters on one machine differ in folder, prefix and ports.

    The ports are `port` (slurmctld), `port + 1` (slurmdbd) and from `port + 2` on one per node.

    Partitions: `gpu` (default) and `cpu` with all nodes, `one` with the first, `tiny` with a limit of one minute. QOS
    with accounting: `normal`, `high`, which preempts `low`, `low-grace` (3 s of grace) and `low-requeue`, and `few`
    (5 jobs per user). Without accounting, partition `high` preempts partition `low`.
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
        extra: str = "",
    ) -> None:
        self.folder = folder.absolute()
        self.nodes = [f"{prefix}{number}" for number in range(1, nodes + 1)]
        self.port = port
        self.cpus, self.memory, self.gpus = cpus, memory, gpus
        self.accounting = accounting
        self._max_array_size, self.min_job_age, self._extra = max_array_size, min_job_age, extra
        self.cgroups = leftovers.cgroups_writable()
        self.conf = self.folder / "etc" / "slurm.conf"

    def write_files(self) -> None:
        self._check_folder()
        for part in ("", "etc", "run", "log", "state", "spool", "dev"):
            (self.folder / part).mkdir(exist_ok=True)
            (self.folder / part).chmod(0o755)
        etc = self.folder / "etc"
        if not (etc / "munge.key").exists():
            _write_secret(etc / "munge.key", os.urandom(1024))
        self.conf.write_text(self._slurm_conf())
        (etc / "gres.conf").write_text("\n".join(map(self._gres, self.nodes)) + "\n")
        # Without writable ones nothing uses the plugin, but that of version 2 would not begin without systemd.
        lines = ["CgroupPlugin=cgroup/v1"]
        if self.cgroups:
            lines += [f"CgroupMountpoint={leftovers.CGROUPS}", "ConstrainRAMSpace=yes", "ConstrainSwapSpace=no"]
            lines += ["ConstrainCores=no", "ConstrainDevices=yes"]
        (etc / "cgroup.conf").write_text("\n".join(lines) + "\n")
        if self.accounting:
            _write_secret(etc / "slurmdbd.conf", self._slurmdbd_conf().encode())
            (etc / "db.sql").write_text(
                "CREATE DATABASE IF NOT EXISTS slurm;\n"
                "GRANT ALL ON slurm.* TO 'slurm'@'localhost' IDENTIFIED BY 'slurm';\n"
            )

    def _gpu_type(self, node: str) -> str:
        return "big" if len(self.nodes) >= 3 and node == self.nodes[-1] else "fake"

    def _gres(self, node: str) -> str:
        """Return the line of a node's GPUs. No driver answers for them; cgroups can still allow or refuse them."""
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
JobAcctGatherType=jobacct_gather/none
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
MaxArraySize={self._max_array_size}
MaxJobCount=50000
{self._policy()}
{nodes}
PartitionName=DEFAULT Nodes=ALL MaxTime=INFINITE DefaultTime=60 State=UP
PartitionName=gpu Default=YES
PartitionName=cpu
PartitionName=one Nodes={self.nodes[0]}
PartitionName=tiny MaxTime=1 DefaultTime=1
{self._partitions()}
{self._extra}
"""

    def _policy(self) -> str:
        """Return the lines for accounting, priority and preemption."""
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
        """Return the partitions that exist for preemption only."""
        if self.accounting:
            return ""
        return "PartitionName=low PriorityTier=1 PreemptMode=CANCEL\nPartitionName=high PriorityTier=10 PreemptMode=OFF"

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

    def database_options(self) -> list[str]:
        """Return the options of MariaDB. Nothing has to survive a power cut here: speed counts."""
        return [
            *("--no-defaults", "--user=root", f"--datadir={self.folder / 'db'}", "--skip-log-bin"),
            *("--innodb-log-file-size=16M", "--innodb-buffer-pool-size=128M", "--innodb-doublewrite=0"),
            *("--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync", "--debug-no-sync"),
            f"--tmpdir={self.folder / 'run'}",  # one that starts removes the temporary tables of others in the same
            "--loose-innodb-snapshot-isolation=OFF",  # slurmdbd does not know it and would fail
        ]

    def _check_folder(self) -> None:
        longest = self.folder / "spool" / self.nodes[-1] / f"{self.nodes[-1]}_1234567.4294967291"
        assert len(str(longest)) < 108, f"{self.folder} is too long a path: {longest} would be no valid socket"
        closed = [str(parent) for parent in self.folder.parents if not parent.stat().st_mode & 0o001]
        assert not closed, f"users cannot reach {self.folder}: {', '.join(closed)} is closed to them"


def _write_secret(path: Path, content: bytes) -> None:
    path.touch(0o600)
    path.write_bytes(content)
