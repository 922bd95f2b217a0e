"""Test that `paddock doctor` finds what is wrong, and reports how to fix it."""

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from paddock.cli.doctor import job
from paddock.common.filesystems import is_network, kind_of
from tests.support.up import Cli, Done


def findings(done: Any) -> dict[str, Any]:
    return {finding["name"]: finding for finding in done.json}


def test_all_is_well(cli: Cli) -> None:
    done = cli("doctor", "--json")
    assert {finding["status"] for finding in done.json} == {"ok"}
    assert set(findings(done)) - {"slurm"} == {
        "settings", "home", "disk", "space", "token", "database", "runner", "gpus", "server", "certificate",
    }  # fmt: skip
    assert "runner" in cli("doctor").out
    assert cli("doctor", "--quiet").out.strip() == ""


def test_before_the_first_start(alone: Cli) -> None:
    found = findings(alone("doctor", "--json"))
    assert found["server"]["status"] == "warn"
    assert found["server"]["fix"] == "paddock up"
    assert not alone.home.exists()


def test_what_is_wrong_is_found(alone: Cli) -> None:
    alone.home.mkdir(mode=0o755)
    alone.home.chmod(0o755)
    (alone.home / "token").write_text("x")
    (alone.home / "token").chmod(0o644)
    (alone.home / "paddock.db").write_text("this is no database, whatever its name may say")
    (alone.home / "server.json").write_text('{"url": "http://127.0.0.1:1", "pid": 999999999, "version": "0"}')
    (alone.home / "settings.toml").write_text("[local]\npython = '/nowhere/python'\n")
    found = findings(alone("doctor", "--json", code=1))
    assert {name: one["status"] for name, one in found.items() if one["status"] != "ok"} == {
        "home": "warn",
        "token": "error",
        "database": "error",
        "runner": "error",
        "server": "warn",
    }
    assert found["token"]["fix"].startswith("chmod 600")
    assert all(one["fix"] for one in found.values() if one["status"] != "ok")
    assert "chmod 600" in " ".join(alone("doctor", code=1).out.split())


def test_wrong_settings_do_not_stop_the_other_checks(alone: Cli) -> None:
    alone.home.mkdir(mode=0o700)
    (alone.home / "settings.toml").write_text("nonsense = 1\n")
    found = findings(alone("doctor", "--json", code=1))
    assert found["settings"]["status"] == "error"
    assert found["runner"]["status"] == "ok"


def test_a_wrong_token_is_found(cli: Cli) -> None:
    found = findings(cli("doctor", "--json", code=1, PADDOCK_TOKEN="wrong"))
    assert found["server"]["status"] == "error"


def test_the_file_system_of_a_path(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"a / ext4 rw 0 0\nb {tmp_path} nfs4 rw 0 0\nshort\n")
    assert kind_of(tmp_path / "x", mounts) == "nfs4"
    assert kind_of(Path("/"), mounts) == "ext4"
    assert kind_of(Path("/"), tmp_path / "nope") is None
    assert [is_network(kind) for kind in ("nfs4", "lustre", "fuse.sshfs", "ext4", None)] == [True] * 3 + [False] * 2


# --- Slurm, played by scripts ---------------------------------------------------------------------------------------

CONFIG = """Configuration data as of 2026-11-15T05:53:47
AccountingStorageEnforce = associations,limits,qos
AccountingStorageType   = accounting_storage/slurmdbd
ClusterName             = lab
MaxArraySize            = 1001
MaxJobCount             = 10000
MinJobAge               = 300 sec
SLURM_VERSION           = 22.05.8
"""
PARTITIONS = (
    "PartitionName=gpu AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL Default=YES DefaultTime=01:00:00 "
    "MaxNodes=UNLIMITED MaxTime=1-00:00:00 Nodes=n1 State=UP TotalCPUs=8 TotalNodes=1\n"
    "PartitionName=closed AllowGroups=wheel-of-others AllowAccounts=theirs AllowQos=ALL Default=NO DefaultTime=NONE "
    "MaxNodes=UNLIMITED MaxTime=UNLIMITED Nodes=n1 State=UP TotalCPUs=8 TotalNodes=1\n"
    "PartitionName=old AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL Default=NO DefaultTime=NONE "
    "MaxNodes=UNLIMITED MaxTime=UNLIMITED Nodes=n1 State=DOWN TotalCPUs=8 TotalNodes=1\n"
)
PROGRAMS = {
    "sbatch": """
        case "$1" in
          --version) echo "slurm-wlm $(cat version)" ;;
          --test-only) echo "sbatch: Job 7 to start at 2026-11-15T06:00:00 using 1 processors on nodes n1 in gpu" >&2 ;;
          *) cat > script; echo 7
             [ -e idle ] && exit
             SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_JOB_ID=7 SLURMD_NODENAME=n1 setsid bash script > /dev/null 2>&1 & ;;
        esac""",
    "squeue": """
        [ -e script ] || exit 0
        case "$*" in *PENDING*) exit 0 ;; esac
        name=$(sed -n 's/^#SBATCH --job-name=//p' script)
        echo "7_0|$(cat state)|N/A|N/A|n1|gpu|10|2:00|$name" """,
    "scancel": 'echo "$*" > cancelled',
    "scontrol": """
        case "$*" in
          ping) cat ping; grep -q UP ping ;;
          *"show config"*) cat config ;;
          *"show partitions"*) cat partitions ;;
        esac""",
    "sacct": "[ ! -e unreachable ] || { cat unreachable >&2; exit 1; }",
    "sacctmgr": "cat associations",
}


class Fake:
    """Slurm's commands as scripts that print what lies in a folder; `sbatch` runs the job at once, right here."""

    def __init__(self, cli: Cli) -> None:
        self.cli = cli
        self.folder = cli.folder / "fake"
        (self.folder / "bin").mkdir(parents=True)
        for name, body in PROGRAMS.items():
            self.program(name, f"cd {self.folder}\n{body}")
        self.put(
            version="22.05.8",
            ping="Slurmctld(primary) at head is UP",
            config=CONFIG,
            partitions=PARTITIONS,
            state="RUNNING|None",
            associations="lab|lab",
        )

    def program(self, name: str, body: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def put(self, **files: str) -> None:
        for name, text in files.items():
            (self.folder / name).write_text(text + ("" if text.endswith("\n") else "\n"))

    def settings(self, text: str) -> None:
        self.cli.home.mkdir(mode=0o700, exist_ok=True)
        (self.cli.home / "settings.toml").write_text(text)

    def __call__(self, *arguments: str, code: int = 0, **env: str) -> dict[str, Any]:
        """What is said of the cluster, by its name."""
        done = self.doctor(*arguments, code=code, **env)
        return {name.partition(": ")[2]: one for name, one in findings(done).items() if ": " in name}

    def doctor(self, *arguments: str, code: int | None = 0, **env: str) -> Done:
        path = f"{self.folder / 'bin'}:/usr/bin:/bin"
        return self.cli.quick("doctor", "--json", *arguments, code=code, PATH=path, **env)


@pytest.fixture
def fake(alone: Cli) -> Fake:
    return Fake(alone)


def bad(found: dict[str, Any]) -> dict[str, str]:
    return {name: one["status"] for name, one in found.items() if one["status"] != "ok"}


def test_a_cluster_in_order(fake: Fake) -> None:
    done = fake.doctor("--backend", "slurm", "--python", sys.executable)
    found = {name.partition(": ")[2]: one for name, one in findings(done).items() if ": " in name}
    assert bad(found) == {}, found
    assert list(found) == [
        "commands", "controller", "partitions", "accounting", "job", "home", "clock", "runner", "environment",
    ]  # fmt: skip
    assert "gpu (default, 1 node, at most 1 d" in found["partitions"]["detail"]
    assert "is in lab" in found["accounting"]["detail"]
    assert "n1 sees" in found["home"]["detail"]
    assert f"Python {sys.version.split()[0]}" in found["runner"]["detail"]
    assert "the tiny job runs on n1" in done.err
    assert (fake.folder / "cancelled").read_text() == "7_0\n"
    assert not fake.cli.home.exists(), "what is made for the job is removed"
    script = (fake.folder / "script").read_text()
    assert "#SBATCH --time=0:02:00" in script and "#SBATCH --cpus-per-task=1" in script and "gres" not in script


def test_quick_submits_nothing(fake: Fake) -> None:
    found = fake("--backend", "slurm", "--quick")
    assert bad(found) == {}
    assert "submission" in found and "job" not in found
    assert not (fake.folder / "script").exists()


def test_slurm_is_pointed_out_when_it_is_there(fake: Fake, alone: Cli) -> None:
    assert "paddock up --backend slurm" in findings(fake.doctor())["slurm"]["detail"]
    assert "slurm" not in findings(fake.doctor("--backend", "local"))
    (fake.folder / "bin" / "sbatch").unlink()
    empty = alone.folder / "empty"
    empty.mkdir()
    assert "slurm" not in findings(alone.quick("doctor", "--json", PATH=str(empty)))
    found = findings(alone.quick("doctor", "--json", "--backend", "slurm", PATH=str(empty), code=1))
    assert found["slurm: commands"]["status"] == "error"
    assert "slurm: controller" not in found


def test_wrong_flags(fake: Fake) -> None:
    assert "There is no backend 'volta'" in fake.doctor("--backend", "volta", code=2).err
    assert "not both" in fake.doctor("--venv", "a", "--conda", "b", code=2).err
    fake.settings("nonsense = 1\n")
    assert findings(fake.doctor("--backend", "slurm", code=1))["slurm"]["fix"] == "correct the settings first"


@pytest.mark.parametrize(
    ("version", "missing", "status", "said"),
    [
        ("19.05.2", "", "error", "too old"),
        ("20.02.7", "", "error", "too old"),
        ("20.11.0", "", "ok", "20.11.0"),
        ("25.05.1", "", "ok", "25.05.1"),
        ("22.05.8", "scancel", "error", "not found: scancel"),
    ],
)
def test_the_commands(fake: Fake, version: str, missing: str, status: str, said: str) -> None:
    fake.put(version=version)
    prefix = ["env", f"PATH={fake.folder}/bin:{fake.folder}/tools"]
    if missing:  # the real ones may be on this machine
        (fake.folder / "tools").mkdir()
        for tool in ("sh", "env", "cat", "id", "sed", "grep", "bash"):
            (fake.folder / "tools" / tool).symlink_to(shutil.which(tool) or tool)
        (fake.folder / "bin" / missing).unlink()
        fake.settings(f"[backends.slurm]\nprefix = {prefix!r}\n")
    found = fake("--backend", "slurm", "--quick", code=1 if status == "error" else 0)["commands"]
    assert found["status"] == status
    assert said in found["detail"]


def test_a_prefix_that_does_not_work(fake: Fake) -> None:
    fake.settings("[backends.far]\nprefix = ['/nowhere/ssh']\n[backends.near]\nprefix = ['false']\n")
    done = findings(fake.doctor(code=1))
    assert "/nowhere/ssh" in done["far: commands"]["detail"]
    assert "prefix" in done["near: commands"]["fix"]


def test_a_controller_that_is_down(fake: Fake) -> None:
    fake.put(ping="Slurmctld(primary) at head is DOWN")
    found = fake("--backend", "slurm", code=1)
    assert list(found) == ["commands", "controller"]
    assert "head is DOWN" in found["controller"]["detail"]
    fake.put(ping="Slurmctld(primary) at head is DOWN\nSlurmctld(backup) at other is UP")
    assert fake("--backend", "slurm", "--quick")["controller"]["status"] == "warn"


def test_what_settings_and_profiles_ask_for(fake: Fake) -> None:
    fake.settings(
        "[backends.volta.resources]\npartition = 'gone,old'\naccount = 'other'\n"
        "[profiles.big]\nbackend = 'volta'\npartition = 'closed'\ngpus = 4\ngpu_type = 'a100'\n"
        "[profiles.long]\nbackend = 'volta'\npartition = 'gpu'\ntime_limit = '2d'\n"
        "[profiles.here]\nbackend = 'local'\npartition = 'nonsense'\n"
    )
    found = fake("--quick", code=1)
    assert bad(found) == {"partitions": "error", "accounting": "error"}
    said = found["partitions"]["detail"]
    assert "the settings of the backend: there is no partition gone" in said
    assert "partition old is down" in said
    assert "profile 'big': partition closed is only for the " in said
    assert "profile 'long': partition gpu allows at most 1 d" in said
    assert "nonsense" not in said
    assert "not in account other" in found["accounting"]["detail"]


def test_no_default_partition(fake: Fake) -> None:
    fake.put(partitions=PARTITIONS.replace("Default=YES", "Default=NO"))
    assert "none is the default" in fake("--backend", "slurm", "--quick")["partitions"]["detail"]
    assert fake("--backend", "slurm", "--quick", "--partition", "gpu")["partitions"]["status"] == "ok"


def test_accounting_that_is_not_in_order(fake: Fake) -> None:
    fake.put(associations="")
    found = fake("--backend", "slurm", "--quick", code=1)["accounting"]
    assert "refuses jobs" in found["detail"] and "sacctmgr add user" in found["fix"]
    fake.put(unreachable="sacct: error: slurm_persist_conn_open_without_init: failed to open: Connection refused")
    assert "its database does not answer" in fake("--backend", "slurm", "--quick")["accounting"]["detail"]
    fake.put(config=CONFIG.replace("/slurmdbd", "/none").replace("300 sec", "4 sec"))
    found = fake("--backend", "slurm", "--quick")
    assert bad(found) == {"accounting": "warn"}
    assert "off: Slurm forgets a job 4 s after" in found["accounting"]["detail"]
    assert "rest_seconds" in found["accounting"]["fix"]


# --- the tiny job ---------------------------------------------------------------------------------------------------


def test_a_job_that_waits_is_cancelled_and_its_reason_told(fake: Fake) -> None:
    fake.put(idle="", state="PENDING|Resources")
    done = fake.doctor("--backend", "slurm", "--wait", "1")
    found = findings(done)["slurm: job"]
    assert found["status"] == "warn"
    assert "had not started after 1 s, and was cancelled: waits for a free place in partition gpu" in found["detail"]
    assert "--wait 2" in found["fix"]
    assert "a tiny job waits in the queue: waits for a free place in partition gpu" in done.err
    assert (fake.folder / "cancelled").exists()


def test_a_job_that_can_never_start(fake: Fake) -> None:
    fake.put(idle="", state="PENDING|BadConstraints")
    found = fake("--backend", "slurm", code=1)["job"]
    assert "no node can ever give what it asks for" in found["detail"]


def test_a_job_that_is_refused(fake: Fake) -> None:
    message = "sbatch: error: Batch job submission failed: Invalid qos specification"
    fake.program("sbatch", f'[ "$1" = --version ] && echo slurm 22.05.8 || {{ echo "{message}" >&2; exit 1; }}')
    assert "Invalid qos specification" in fake("--backend", "slurm", code=1)["job"]["detail"]
    assert "Invalid qos specification" in fake("--backend", "slurm", "--quick", code=1)["submission"]["detail"]


@pytest.mark.parametrize("state", ["RUNNING|None", "FAILED|None"])
def test_a_home_that_the_node_does_not_see(fake: Fake, monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    monkeypatch.setattr(job, "SIGHT_SECONDS", 0.5)
    fake.put(idle="", state=state)
    found = fake("--backend", "slurm", code=1)["job"]
    assert "ran on n1, and nothing that it wrote in " in found["detail"]
    assert "PADDOCK_HOME" in found["fix"]


def test_set_up_lines_that_fail(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "SIGHT_SECONDS", 0.5)
    fake.put(state="FAILED|None")
    fake.settings("[backends.volta]\nsetup = ['exit 3']\n")
    found = fake(code=1)["job"]
    assert "did not get past its set-up" in found["detail"]


def test_a_clock_that_differs(fake: Fake) -> None:
    fake.program("date", 'echo "$(($(/bin/date +%s) - 1000)).5"')
    found = fake("--backend", "slurm", code=1)
    assert "behind the one here" in found["clock"]["detail"] and found["clock"]["status"] == "error"


@pytest.mark.parametrize(
    ("there", "status", "said"),
    [
        (100.5, "ok", "agrees with the node's to 1.00 s"),
        (102.5, "ok", "1.5 s ahead"),
        (104.0, "warn", "3.0 s ahead"),
        (95.0, "warn", "5.0 s behind"),
        (165.0, "error", "64.0 s ahead"),
    ],
)
def test_only_a_certain_difference_of_clocks_counts(there: float, status: str, said: str) -> None:
    found = job.clock(100.0, there, 101.0)
    assert (found.status, said in found.detail) == (status, True), found


def test_a_job_that_was_cut_off() -> None:
    why = "its allocation reached its time limit"
    assert why in job.runner("python3", None, why).detail
    assert why in job.probed(None, why, 0)[0].detail
    assert job.probed("PADDOCK {}\ncode 0\n", "", 0)[0].status == "error"


def test_interpreters_that_do_not_work_on_the_node(fake: Fake) -> None:
    fake.program("python-old", 'case "$*" in *version*) echo 3.7.1 ;; *) exit 1 ;; esac')
    fake.program("python-broken", "echo 'bad interpreter' >&2; exit 126")
    old, broken = (fake.folder / "bin" / name for name in ("python-old", "python-broken"))
    fake.settings(f"[backends.volta]\npython = '{old}'\n")
    found = fake("--python", str(broken), code=1)
    assert bad(found) == {"runner": "error", "environment": "error"}
    assert "does not start on the node" in found["runner"]["detail"] and "3.7.1" in found["runner"]["detail"]
    assert "does not work on the node: bad interpreter" in found["environment"]["detail"]
    fake.settings(f"[backends.volta]\npython = '{broken}'\n")
    found = fake("--venv", "nowhere", code=1)
    assert "does not start on the node" in found["runner"]["detail"]
    assert "has no bin/python" in found["environment"]["detail"]


def test_the_environment_is_chosen_as_submit_does(fake: Fake) -> None:
    for name in ("of-settings", "of-flag"):
        fake.program(name, f'echo \'PADDOCK {{"python": "{name}"}}\'')
    venv = fake.folder / "venv" / "bin"
    venv.mkdir(parents=True)
    (venv / "python").symlink_to(fake.folder / "bin" / "of-shell")
    fake.program("of-shell", 'echo "PADDOCK {\\"python\\": \\"of-shell in $VIRTUAL_ENV\\"}"')

    def chosen(*arguments: str) -> str:
        detail: str = fake("--backend", "slurm", *arguments, VIRTUAL_ENV=str(venv.parent))["environment"]["detail"]
        return detail

    assert f"of-shell in {venv.parent}" in chosen()
    fake.settings(f"python = '{fake.folder}/bin/of-settings'\n")
    assert "of-settings" in chosen()
    assert "of-flag" in chosen("--python", "of-flag")
