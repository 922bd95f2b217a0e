"""Start a small Slurm, bring jobs into many states, and record what Slurm's commands really print.

    sudo python3 -m tests.recorded.record tests/recorded [reservations|others]

writes `tests/recorded/<version>/`: one file per output that is not empty, `index.json`, and `jobs.json` with the ids of
the jobs. It needs root, munge, slurmctld, slurmd, slurmdbd, the Slurm clients and MariaDB, and of Python only the
standard library, so that it also runs in a chroot of another distribution with another Slurm. Everything happens in
separate namespaces (processes, mounts, host name): nothing stays, and no path or name of the machine is recorded.
With `reservations` or `others`, only outputs about these are recorded again.
Without a writable cgroup v1 nothing enforces memory limits: then the job that takes too much is left out.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.recorded.small_slurm import BASE, HOST, NODES, USERS, Cluster, must, run, until

QUEUE = ["squeue", "-h", "-r", "-t", "all", "-u", "alice", "-o", "%i|%T|%r|%S|%e|%N|%P|%Q|%l|%j"]
PENDING = ["squeue", "-h", "-t", "PENDING", "-o", "%i|%P|%Q|%S"]
OTHERS_FORMAT = (
    "JobArrayID:|,UserName:|,UserID:|,State:|,Partition:|,PriorityLong:|,tres-per-node:|,tres-per-job:|,tres-per-task:|,"
    "NumNodes:|,NumTasks:|,NumCPUs:|,OverSubscribe:|,Reason:"
)
OTHERS = (
    ("--gres=gpu:1", "-w", "r1"),
    ("--array=0-9%3", "--gpus=2"),
    ("-n2", "-N2", "--gpus-per-task=1"),
    ("--gres=gpu:1", "--begin=now+1hour"),
)
FIELDS = "JobID,State,ExitCode,Start,End,NodeList,Reason"
EXACT = {"SLURM_TIME_FORMAT": "%s", "SLURM_BITSTR_LEN": "0"}
HOSTILE = """x|RUNNING|'q"uo$te; é 訓練 %s\\n  end"""


class Recorder:
    def __init__(self, root: Path, *, anew: bool) -> None:
        words = must("sinfo", "--version").split()
        self.version = words[-1]
        self.folder = root / ".".join(self.version.split(".")[:2])
        self.index: list[dict[str, object]] = []
        if anew:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            self.index = json.loads((self.folder / "index.json").read_text())
        self.folder.mkdir(parents=True, exist_ok=True)

    def take(
        self, name: str, *argv: str, user: str = "alice", env: dict[str, str] | None = None, limit: float = 60
    ) -> str:
        """Run a command and keep what it printed."""
        rc, out, err = run(*argv, user=user, env=env, limit=limit)
        entry: dict[str, object] = {"name": name, "argv": argv, "rc": rc, "version": self.version}
        if env:
            entry["env"] = env
        for stream, text in (("stdout", out), ("stderr", err)):
            entry[stream] = f"{name}.{stream}" if text else None
            if text:
                (self.folder / f"{name}.{stream}").write_text(text.replace(os.uname().release, "6.1.0"))
        self.index = [one for one in self.index if one["name"] != name] + [entry]
        return out

    def finish(self) -> None:
        self.index.sort(key=lambda entry: str(entry["name"]))
        text = json.dumps(self.index, indent=1, ensure_ascii=False)
        (self.folder / "index.json").write_text(text + "\n")


def submit(*options: str, script: str = "sleep 600", user: str = "alice") -> str:
    rc, out, err = run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", script, *options, user=user)
    if rc:
        raise SystemExit(f"sbatch {options}: {err}")
    return out.strip().split(";")[0]


def state(id: str) -> str:
    return run("squeue", "-h", "-r", "-t", "all", "-j", id, "-o", "%T")[1].strip()


def sbatch(*options: str) -> list[str]:
    return ["sbatch", "--parsable", "-o", "/dev/null", "--wrap", "sleep 600", *options]


def scenario(cluster: Cluster, recorder: Recorder) -> None:
    """Jobs in every state that can be had, and the outputs about them."""
    take = recorder.take
    jobs: dict[str, str] = {}
    jobs["timeout"] = submit("-J", "timeout", "-p", "short", "-t", "1", "-w", "r2")
    jobs["node_fail"] = submit("-J", "node_fail", "-p", "short", "-w", "r4", "--no-requeue")
    jobs["preempted"] = submit("-J", "preempted", "-p", "spare", "-w", "r3", "-c", "8")
    jobs["completed"] = submit("-J", "completed", script="true")
    jobs["failed"] = submit("-J", "failed", script="exit 7")
    jobs["killed"] = submit("-J", "killed", script="kill -9 $$")
    if cluster.cgroup:
        jobs["oom"] = submit("-J", "oom", "--mem=60", script="tail /dev/zero")
    jobs["running"] = submit("-J", "running", "-w", "r1", "--gres=gpu:fake:2", "-t", "1-02:03:00")
    jobs["array"] = submit("-J", "array", "--array=0-9%2", "-w", "r2")
    jobs["swept"] = submit("-J", "swept", "--array=0-5%2", "-w", "r1")
    until("swept", lambda: state(jobs["swept"]).count("RUNNING") == 2)
    until("running", lambda: state(jobs["running"]) == "RUNNING" and state(jobs["array"]).count("RUNNING") == 2)
    until("preempted", lambda: state(jobs["preempted"]) == "RUNNING" and state(jobs["node_fail"]) == "RUNNING")
    cluster.processes.pop("slurmd-r4").kill()
    jobs["preemptor"] = submit("-J", "preemptor", "-p", "gpu", "-w", "r3", "-c", "8", "--gres=gpu:1", script="sleep 20")
    jobs["resources"] = submit("-J", "resources", "-C", "r1", "--gres=gpu:fake:2", "--qos=high")
    jobs["priority"] = submit("-J", "priority", "-C", "r1", "--gres=gpu:fake:2")
    jobs["waiting"] = submit("-J", "waiting", "-C", "r1", "--gres=gpu:fake:2", "--array=1-7:2", user="bob")
    jobs["gaps"] = submit("-J", "gaps", "-H", "--array=" + ",".join(str(i * i) for i in range(1, 31)), user="bob")
    jobs["dependency"] = submit("-J", "dependency", "-d", f"afterok:{jobs['running']}")
    jobs["never"] = submit("-J", "never", "-d", f"afterok:{jobs['failed']}")
    jobs["held"] = submit("-J", "held", "-H")
    jobs["held_array"] = submit("-J", "held_array", "-H", "--array=1,3,5-7")
    jobs["too_long"] = submit("-J", "too_long", "-p", "short", "-t", "60")
    jobs["too_wide"] = submit("-J", "too_wide", "-p", "one", "-N", "2")
    jobs["closed"] = submit("-J", "closed", "-p", "closed")
    jobs["later"] = submit("-J", "later", "--begin=now+2hours")
    jobs["several"] = submit("-J", "several", "-p", "gpu,short", "-C", "r1", "--gres=gpu:fake:2", "-t", "5")
    jobs["few"] = submit("-J", "few", "--qos=one", "-w", "r2")
    jobs["few_more"] = submit("-J", "few_more", "--qos=one", "-w", "r2")
    jobs["hostile"] = submit("-J", HOSTILE, "-H")
    jobs["cancelled_array"] = submit("-J", "cancelled_array", "-H", "--array=0-9%2")
    jobs["ending"] = submit("-J", "ending", "-w", "r2", script="trap '' TERM; while :; do sleep 1; done")
    jobs["cancelled"] = submit("-J", "cancelled", "-w", "r2")
    until("ending", lambda: state(jobs["ending"]) == "RUNNING" and state(jobs["cancelled"]) == "RUNNING")
    until("preempted", lambda: state(jobs["preempted"]) == "PREEMPTED", 30)
    time.sleep(4)
    take("squeue-busy", *QUEUE)
    take("squeue-pending", *PENDING)
    take("squeue-pending-exact", *PENDING, env=EXACT)
    take("nodes-busy", "scontrol", "show", "nodes", "--oneliner")
    take("nodes-busy-detail", "scontrol", "-d", "show", "nodes", "--oneliner")
    for name in ("ending", "cancelled", "cancelled_array", "swept"):
        run("scancel", jobs[name], user="alice")
    run("scancel", f"{jobs['array']}_0", f"{jobs['array']}_[5-7]", user="alice")
    run("scancel", f"{jobs['held_array']}_[5-6]", user="alice")
    until("completing", lambda: state(jobs["ending"]) == "COMPLETING", 5)
    take("squeue-completing", *QUEUE)

    errors(recorder, jobs)

    must("scontrol", "update", "NodeName=r3", "State=DRAIN", "Reason=bad fan Gres=gpu:9 State=IDLE; see ticket #7")
    must("scontrol", "update", "NodeName=r3", "Comment=a note  with Reason=none")
    until("node_fail", lambda: state(jobs["node_fail"]) == "NODE_FAIL", 60)
    jobs["unavailable"] = submit("-J", "unavailable", "-p", "short", "-w", "r4")
    until("timeout", lambda: state(jobs["timeout"]) == "TIMEOUT", 150)
    time.sleep(3)
    everything = ",".join(jobs.values())
    take("squeue", *QUEUE)
    take("squeue-exact", *QUEUE, env=EXACT)
    take("sacct", "sacct", "-X", "-n", "-P", "-j", everything, "-o", FIELDS)
    take("sacct-exact", "sacct", "-X", "-n", "-P", "-j", everything, "-o", FIELDS, env=EXACT)
    take("nodes", "scontrol", "show", "nodes", "--oneliner")
    take("nodes-detail", "scontrol", "-d", "show", "nodes", "--oneliner")
    take("partitions", "scontrol", "show", "partitions", "--oneliner")
    take("config", "scontrol", "show", "config")
    take("ping", "scontrol", "ping")
    (recorder.folder / "jobs.json").write_text(json.dumps(jobs, indent=1) + "\n")


def errors(recorder: Recorder, jobs: dict[str, str]) -> None:
    """What is refused, and how."""
    take = recorder.take
    take("sbatch", *sbatch("-H"))
    take("sbatch-cluster", *sbatch("-H", "-M", "lab"))
    take("test-only", "sbatch", "--test-only", "--wrap", "true")
    take("test-only-exact", "sbatch", "--test-only", "--wrap", "true", env=EXACT)
    take("test-only-later", "sbatch", "--test-only", "-w", "r1", "--gres=gpu:fake:1", "--wrap", "true")
    take("test-only-several", "sbatch", "--test-only", "-N", "2", "-p", "gpu", "-t", "5", "--wrap", "true")
    take("test-only-partition", "sbatch", "--test-only", "-p", "nope", "--wrap", "true")
    take("test-only-gpus", "sbatch", "--test-only", "--gres=gpu:9", "--wrap", "true")
    take("test-only-time", "sbatch", "--test-only", "-p", "short", "-t", "60", "--wrap", "true")
    take("wrong-partition", *sbatch("-p", "nope"))
    take("wrong-account", *sbatch("-A", "nope"))
    take("wrong-qos", *sbatch("--qos=nope"))
    take("wrong-constraint", *sbatch("-C", "nope"))
    take("wrong-node", *sbatch("-w", "nope"))
    take("wrong-gres", *sbatch("--gres=nope:1"))
    take("wrong-gpu-type", *sbatch("--gres=gpu:nope:1"))
    take("wrong-time", *sbatch("-t", "nope"))
    take("wrong-dependency", *sbatch("-d", "afterok:999999"))
    take("wrong-array", *sbatch("--array=0-5000"))
    take("wrong-reservation", *sbatch("--reservation=nope"))
    take("wrong-option", *sbatch("--nope"))
    take("wrong-memory", *sbatch("--mem=nope"))
    take("wrong-script", "sbatch", "--parsable", "/nope.sh")
    take("too-many-gpus", *sbatch("--gres=gpu:9"))
    take("too-many-cpus", *sbatch("-N", "1", "-c", "500"))
    take("too-much-memory", *sbatch("--mem=9999999"))
    take("too-many-nodes", *sbatch("-N", "50"))
    take("time-over", *sbatch("-p", "short", "-t", "60"))
    take("nodes-over", *sbatch("-p", "one", "-N", "2"))
    take("qos-not-in-partition", *sbatch("-p", "one", "--qos=high"))
    take("partition-closed", *sbatch("-p", "closed"))
    take("qos-submit-first", *sbatch("--qos=few", "-H"))
    take("qos-submit-limit", *sbatch("--qos=few"))
    take("qos-submit-limit-array", *sbatch("--qos=few", "--array=0-3"))
    take("qos-submit-limit-test", "sbatch", "--test-only", "--qos=few", "--wrap", "true")
    take("qos-size-limit", *sbatch("--qos=tiny", "-c", "4", "-t", "5"))
    take("qos-time-limit", *sbatch("--qos=tiny", "-t", "60"))
    take("qos-gpu-limit", *sbatch("--qos=tiny", "--gres=gpu:1", "-t", "1"))
    must("sacctmgr", "-i", "modify", "user", "alice", "set", "MaxSubmitJobs=1")
    take("association-submit-limit", *sbatch())
    must("sacctmgr", "-i", "modify", "user", "alice", "set", "MaxSubmitJobs=-1")
    must("sacctmgr", "-i", "modify", "account", "lab", "set", "GrpSubmitJobs=1")
    take("account-submit-limit", *sbatch())
    must("sacctmgr", "-i", "modify", "account", "lab", "set", "GrpSubmitJobs=-1")
    take("no-association", *sbatch(), user="nobody")
    take("unknown-scontrol", "scontrol", "show", "job", "999999")
    take("unknown-squeue", "squeue", "-h", "-j", "999999", "-o", "%i")
    take("unknown-squeue-two", "squeue", "-h", "-j", f"999999,{jobs['running']}", "-o", "%i")
    take("unknown-scancel", "scancel", "999999")
    take("unknown-scancel-verbose", "scancel", "-v", "999999")
    take("unknown-hold", "scontrol", "hold", "999999")
    take("unknown-update", "scontrol", "update", "JobId=999999", "TimeLimit=5")
    take("unknown-sacct", "sacct", "-X", "-n", "-P", "-j", "999999", "-o", FIELDS)
    take("ended-scancel", "scancel", jobs["completed"])
    take("ended-update", "scontrol", "update", f"JobId={jobs['completed']}", "TimeLimit=5")
    take("foreign-scancel", "scancel", jobs["waiting"])
    take("foreign-hold", "scontrol", "hold", jobs["waiting"])
    take("bad-id-scancel", "scancel", "nope")


def enforced(cluster: Cluster, recorder: Recorder) -> None:
    """The same requests where EnforcePartLimits is ALL."""
    cluster.configure(partition_limits="ALL")
    must("scontrol", "reconfigure")
    until("reconfigured", lambda: "EnforcePartLimits       = ALL" in run("scontrol", "show", "config")[1], 20)
    take = recorder.take
    take("enforced-time-over", *sbatch("-p", "short", "-t", "60"))
    take("enforced-nodes-over", *sbatch("-p", "one", "-N", "2"))
    take("enforced-too-many-gpus", *sbatch("--gres=gpu:9"))
    take("enforced-partition-closed", *sbatch("-p", "closed"))
    take("enforced-qos-not-in-partition", *sbatch("-p", "one", "--qos=high"))
    take("enforced-test-only-time", "sbatch", "--test-only", "-p", "short", "-t", "60", "--wrap", "true")


def outages(cluster: Cluster, recorder: Recorder) -> None:
    """What the commands say while a daemon does not answer. They take their time: all at once."""
    commands = {
        "squeue": QUEUE,
        "sbatch": sbatch(),
        "test-only": ["sbatch", "--test-only", "--wrap", "true"],
        "scancel": ["scancel", "1"],
        "scontrol-nodes": ["scontrol", "show", "nodes", "--oneliner"],
        "scontrol-config": ["scontrol", "show", "config"],
        "scontrol-job": ["scontrol", "show", "job", "1"],
        "ping": ["scontrol", "ping"],
        "sacct": ["sacct", "-X", "-n", "-P", "-j", "1", "-o", FIELDS],
    }

    def all_of(prefix: str, *only: str) -> None:
        with ThreadPoolExecutor(16) as pool:
            for name in only or commands:
                pool.submit(recorder.take, f"{prefix}-{name}", *commands[name])

    os.kill(cluster.processes["slurmctld"].pid, signal.SIGSTOP)
    all_of("controller-hangs", "squeue", "sbatch", "scancel", "scontrol-nodes", "ping")
    os.kill(cluster.processes["slurmctld"].pid, signal.SIGCONT)
    until("slurmctld", lambda: run("squeue")[0] == 0)
    cluster.stop("munged")
    all_of("munge-down", "squeue", "sbatch", "sacct", "scontrol-nodes")
    cluster.munge()
    cluster.stop("slurmdbd")
    all_of("database-down", "squeue", "sbatch", "sacct")
    cluster.stop("mariadbd")
    cluster.stop("slurmctld")
    all_of("controller-down")
    recorder.take("configuration-away", "squeue", env={"SLURM_CONF": str(BASE / "etc/nope.conf")}, limit=3)
    recorder.take("configuration-none", "env", "-u", "SLURM_CONF", "squeue", limit=30)


def without_accounting(cluster: Cluster, recorder: Recorder) -> None:
    """A controller with accounting off, and one whose queue is full."""
    for name in [name for name in cluster.processes if name.startswith("slurmd-")]:
        cluster.stop(name)
    shutil.rmtree(BASE / "state")
    (BASE / "state").mkdir()
    cluster.configure(accounting=False, jobs=2)
    cluster.controller()
    for name in NODES:
        cluster.node(name)
    cluster.nodes_up()
    first = submit("-J", "only", "--gres=gpu:1", "-w", "r2")
    until("running", lambda: state(first) == "RUNNING", 20)
    take = recorder.take
    take("plain-sacct", "sacct", "-X", "-n", "-P", "-j", first, "-o", FIELDS)
    take("plain-squeue", *QUEUE)
    take("plain-config", "scontrol", "show", "config")
    take("plain-nodes", "scontrol", "show", "nodes", "--oneliner")
    take("plain-nodes-detail", "scontrol", "-d", "show", "nodes", "--oneliner")
    until("a full queue", lambda: run(*sbatch("-H"), user="alice", limit=3)[0])
    take("queue-full", *sbatch("-H"), limit=5)


def reservations(recorder: Recorder) -> None:
    """Reservations as root, who is SlurmUser here; alice is an ordinary user, and bob becomes an operator."""
    now, show = int(time.time()), ("scontrol", "show", "reservations", "-o")

    def ask(name: str, *fields: str, act: str = "create", user: str = "root") -> None:
        what = ("create", "reservation") if act == "create" else (act,)
        recorder.take(f"reservation-{name}", "scontrol", *what, *fields, user=user)

    def of(name: str, nodes: str, users: str = "alice", start: int | None = 3600) -> list[str]:
        starts = "now" if start is None else f"uts{now + start}"
        fields = [f"StartTime={starts}", f"EndTime=uts{now + 7200}", f"Nodes={nodes}", f"Users={users}"]
        return [f"ReservationName=paddock-{name}", *fields]

    recorder.take("reservations-none", *show)
    ask("created", *of("one", "r1"))
    ask("overlap", *of("two", "r[1-2]"))
    ask("wrong-user", *of("two", "r2", users="nobody-here"))
    ask("wrong-node", *of("two", "r9"))
    ask("past", *of("two", "r2", start=-3600))
    ask("denied", *of("two", "r2"), user="alice")
    must("sacctmgr", "-i", "-Q", "modify", "user", "bob", "set", "AdminLevel=Operator")
    ask("operator", *of("operated", "r4", users="alice,bob"), user="bob")
    ask("maintenance", *of("upkeep", "r1"), "Flags=MAINT,IGNORE_JOBS")
    ask("updated", "ReservationName=paddock-one", f"EndTime=uts{now + 9000}", "Users=bob", act="update")
    busy = submit("-w", "r3", "-t", "120")
    until("a busy node", lambda: state(busy) == "RUNNING")
    ask("busy", *of("two", "r3"))
    recorder.take("occupants", "squeue", "-h", "-t", "RUNNING", "-w", "r3", "-o", "%i|%u|%e|%N", env=EXACT)
    ask("now", *of("now", "r2", start=None))
    ask("begun", "ReservationName=paddock-now", f"StartTime=uts{now + 3600}", act="update")
    inside = submit("--reservation=paddock-now", "-t", "60")
    until("a job in a reservation", lambda: state(inside) == "RUNNING")
    recorder.take("reservations", *show)
    recorder.take("reservations-exact", *show, env=EXACT)
    ask("in-use", "ReservationName=paddock-now", act="delete")
    ask("out", f"JobId={inside}", "Reservation=", act="update")
    recorder.take("reservation-jobs", "squeue", "-h", "-R", "paddock-now", "-o", "%F")
    ask("deleted", "ReservationName=paddock-now", act="delete")
    ask("unknown", "ReservationName=paddock-gone", act="delete")
    must("scancel", busy, inside)
    until("free nodes", lambda: state(inside) == "CANCELLED" == state(busy))
    until("a free node", lambda: "IDLE" in run("scontrol", "show", "node", "r3", "-o")[1])
    for name, tres in (("gpu", "TRES=gres/gpu=1"), ("gpu-per-node", "TRESPerNode=gres/gpu=1")):
        ask(name, *of(name, "r3"), tres)
    recorder.take("reservations-gpus", *show, env=EXACT)


def others(recorder: Recorder) -> None:
    """Record what an ordinary user sees of the jobs of others."""
    ids = [submit("--gres=gpu:2", "-w", "r1", user="bob"), submit("--exclusive", "-N4", user="bob")]
    until("a job of bob to run", lambda: state(ids[0]) == "RUNNING")
    ids += [submit(*options, user="bob") for options in OTHERS]
    time.sleep(3)  # until the scheduler has given its reasons
    recorder.take("squeue-others", "squeue", "-h", "-t", "PENDING,RUNNING", "-O", OTHERS_FORMAT)
    must("scancel", *ids)
    until("an empty queue", lambda: not run("squeue", "-h")[1].strip())


def main(root: Path, only: str | None) -> None:
    socket.sethostname(HOST)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/mnt"], check=True)
    cluster = Cluster()
    cluster.configure()
    cluster.munge()
    cluster.database()
    cluster.accounts()
    for line in (
        "add cluster lab",
        "add account lab Description=lab Organization=lab",
        "add qos high Priority=1000",
        "add qos few MaxSubmitJobsPerUser=1",
        "add qos one MaxJobsPerUser=1",
        "add qos tiny MaxTRESPerJob=cpu=2 MaxWallDurationPerJob=10 Flags=DenyOnLimit",
        *(f"add user {user} account=lab DefaultAccount=lab" for user in (*USERS, "root")),
        "modify account lab set qos=normal,high,few,one,tiny",
    ):
        must("sacctmgr", "-i", "-Q", *line.split())
    cluster.controller()
    must("sacctmgr", "-i", "-Q", "modify", "qos", "tiny", "set", "MaxTRESPerJob=cpu=2,gres/gpu=0")
    for name in NODES:
        cluster.node(name)
    cluster.nodes_up()
    recorder = Recorder(root, anew=only is None)
    try:
        if only in (None, "others"):
            others(recorder)
        if only != "others":
            reservations(recorder)
        if only is not None:
            return
        for name in re.findall(r"ReservationName=(\S+)", must("scontrol", "show", "reservations", "-o")):
            must("scontrol", "delete", f"ReservationName={name}")
        scenario(cluster, recorder)
        enforced(cluster, recorder)
        outages(cluster, recorder)
        without_accounting(cluster, recorder)
    finally:
        recorder.finish()
    print(f"{len(recorder.index)} outputs of Slurm {recorder.version}, cgroups {'on' if cluster.cgroup else 'off'}")


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        main(Path(sys.argv[2]), next(iter(sys.argv[3:]), None))
    else:
        inside = [
            sys.executable,
            "-m",
            "tests.recorded.record",
            "--inside",
            os.path.abspath(sys.argv[1]),
            *sys.argv[2:],
        ]
        apart = ["unshare", "--uts", "--ipc", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
        # A shell as first process, for it reaps what daemons leave behind.
        os.execvp("unshare", [*apart, "bash", "-c", '"$@" & wait $!', "record", *inside])
