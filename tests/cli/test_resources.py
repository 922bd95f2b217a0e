"""Test options for resources, the request to the backend, hold, release and limits."""

import json
import time

import pytest

from paddock.cli import render, submit
from paddock.client.client import Client
from paddock.models import Check, HostsResources, JobSpec, Preview, Resources, SlurmResources, Waits, jobfile
from tests.support.server import wait_for
from tests.support.up import Cli

FLAGS = {
    "--backend": ("local", "backend", "local"),
    "--gpus-per-task": ("0", "gpus", 0),
    "--cpus": ("2", "cpus", 2),
    "--memory": ("1.5G", "memory", 3 * 1024**3 // 2),
    "--time": ("1-12:00:00", "time_limit", 129_600),
    "--nodes-per-task": ("1", "nodes", 1),
    "--launcher": ("torchrun", "launcher", "torchrun"),
    "--slots": ("1", "slots", 1),
    "--container": ("docker://a/b", "container", {"image": "docker://a/b"}),
    "--account": ("lab", "account", "lab"),
    "--qos": ("high", "qos", "high"),
    "--constraint": ("a100&ib", "constraint", "a100&ib"),
    "--nodelist": ("n[1-4],m1", "nodelist", "n[1-4],m1"),
    "--exclude": ("n2", "exclude", "n2"),
    "--reservation": ("course", "reservation", "course"),
    "--nice": ("100", "nice", 100),
    "--sbatch": ("--exclusive", "options", ["--exclusive"]),
}


def test_every_resource_has_a_flag(cli: Cli) -> None:
    arguments = [f"{flag}={given}" for flag, (given, _, _) in FLAGS.items()]
    found = cli.quick("submit", cli.script(), *arguments, "--dry-run", "--json").json["spec"]["resources"]
    found |= found.pop("slurm")
    found["container"] = {"image": found["container"]["image"]}
    assert {name: found[name] for _, name, _ in FLAGS.values()} == {name: value for _, name, value in FLAGS.values()}
    shown = cli.quick("submit", "--help", COLUMNS="140").out
    sections = {"slurm", "hosts"}
    for name in {*Resources.model_fields, *SlurmResources.model_fields, *HostsResources.model_fields} - sections:
        flag = {"time_limit": "time", "options": "sbatch", "only": "host", "most_gpus": "gpus"}.get(name, name).replace(
            "_", "-"
        )
        assert f"--{flag}" in shown
    assert "Resources" in shown


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("--memory=16", "resources.memory: '16' is no size"),
        ("--memory=lots", "write it with its unit, such as 16G"),
        ("--time=30", "resources.time_limit: 30 of what? Write 30m"),
        ("--time=5s", "resources.time_limit: it must be at least 1m"),
        ("--partition=a b", "resources.slurm.partition: 'a b' "),
        ("--sbatch=exclusive", "resources.slurm.options.0: 'exclusive' "),
        ("--sbatch=--array=0-3", "--array is set by Paddock"),
        ("--sbatch=--mem=3G", "use the field memory"),
        ("--launcher=mpi", "'mpi' is not one of"),
        ("--gpus=-1", "--gpus"),
        ("--gpus=1.5", "gpus: 1.5 is not possible: write a whole number, or a part of one such as 0.25"),
        ("--per-gpu=0", "resources.per_gpu: write a number from 1 to 256, or auto, not '0'"),
        ("--per-gpu=some", "resources.per_gpu: write a number from 1 to 256, or auto, not 'some'"),
        ("--triple=2,2", "resources.triple: write NODES,TASKS_PER_NODE,THREADS_PER_TASK"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(alone: Cli, flag: str, said: str) -> None:
    done = alone.quick("submit", alone.script(), flag, code=2)
    assert said in done.err
    assert "Value error" not in done.err
    assert sum(not line.startswith("  see") for line in done.err.splitlines()) == 1


def test_an_unknown_profile_names_those_that_there_are(cli: Cli) -> None:
    assert "no profile 'big'" in cli.quick("submit", cli.script(), "--profile", "big", code=2).err


@pytest.mark.parametrize("name", ["job.yaml", "job.toml"])
def test_measures_are_text_in_a_job_file(cli: Cli, name: str) -> None:
    cli.script()
    texts = {
        "job.yaml": "script: train.py\nresources: {memory: 16G, time_limit: 1:30:00, gpus: 0}\n",
        "job.toml": 'script = "train.py"\n[resources]\nmemory = "16G"\ntime_limit = "90m"\ngpus = 0\n',
    }
    (cli.folder / name).write_text(texts[name])
    found = cli.quick("submit", name, "--time", "2h", "--dry-run", "--json").json["spec"]["resources"]
    assert (found["memory"], found["time_limit"], found["gpus"]) == (16 * 1024**3, 7200, 0)
    found = cli.quick("submit", name, "--dry-run", "--json").json["spec"]["resources"]
    assert found["time_limit"] == 5400


@pytest.mark.parametrize("memory", ["16G", "1.5G", "500M", 1024**2 + 1])
@pytest.mark.parametrize("limit", ["90s", "4h", "3d", 61])
def test_measures_are_written_as_people_write_them(memory: str | int, limit: str | int) -> None:
    spec = JobSpec.model_validate({"command": "true", "resources": {"memory": memory, "time_limit": limit}})
    text = jobfile.dump(spec)
    assert jobfile.loads(text) == spec
    if memory == "16G":
        assert "memory: 16G" in text


# --- what the backend would be asked for ----------------------------------------------------------------------------


def _preview(check: Check | None) -> Preview:
    return Preview(
        spec=JobSpec(),
        count=1,
        columns=[],
        tasks=[{}],
        commands=[["true"]],
        backend="slurm",
        allocations=1,
        batch_script="#!/bin/bash\n#SBATCH --array=0-0\n",
        check=check,
    )


def test_a_dry_run_shows_the_very_script(capsys: pytest.CaptureFixture[str]) -> None:
    submit.print_request(_preview(Check(accepted=True)))
    out = capsys.readouterr().out
    assert "slurm would be asked for 1 allocation:" in out
    assert "\n#!/bin/bash\n#SBATCH --array=0-0\n" in out
    assert out.endswith("slurm would accept it\n")


def test_a_dry_run_says_why_it_would_be_refused(capsys: pytest.CaptureFixture[str]) -> None:
    submit.print_request(_preview(Check(accepted=False, message="allocation failure\nInvalid qos")))
    assert capsys.readouterr().out.endswith("slurm would refuse it: allocation failure; Invalid qos\n")


def test_a_dry_run_on_this_machine_has_no_script(cli: Cli) -> None:
    done = cli.quick("submit", cli.script(), "--gpus", "0", "--dry-run")
    assert "SBATCH" not in done.out
    assert "would" not in done.out
    assert cli.quick("submit", cli.script(), "--gpus", "0", "--dry-run", "--json").json["check"]["accepted"]


# --- held, limited --------------------------------------------------------------------------------------------------


def test_a_held_job_begins_nothing_until_it_is_released(cli: Cli) -> None:
    first = cli.submit("-p", "sleep=60", "-p", "lr=1,2,3,4,5,6")
    job = cli.submit("--name", "held one")
    assert f"paddock release {job}" in cli.quick("hold", job).out
    assert cli.quick("show", job, "--json").json["held"]
    shown = cli.quick("ls").out
    assert "WHY" in shown
    assert "held" in next(line for line in shown.splitlines() if line.startswith(job))
    assert f"paddock release {job}" in cli.quick("show", job, COLUMNS="120").out
    assert "held" in cli.quick("tasks", job).err
    cli.quick("stop", first)
    cli.wait(first)
    time.sleep(1)
    assert cli.quick("show", job, "--json").json["counts"]["submitted"] == 1
    assert cli.quick("release", job).out == f"{job} released\n"
    cli.wait(job)
    assert cli.quick("show", job, "--json").json["counts"]["finished"] == 1


def test_limits(cli: Cli) -> None:
    job = cli.submit()
    done = cli.quick("limits", job, "--time", "4h", "--nice", "100")
    assert done.out == f"{job} time limit 4h, nice 100\n"
    assert "paddock show" in done.err
    resources = cli.quick("show", job, "--json").json["spec"]["resources"]
    assert (resources["time_limit"], resources["slurm"]["nice"]) == (14_400, 100)
    assert cli.quick("limits", job, "--time", "1h", "--json").json[0]["id"] == job
    assert "--time" in cli.quick("limits", job, code=2).err
    assert cli.quick("limits", job, "--priority", "-5", "--json").json[0]["priority"] == -5
    assert "4 of what?" in cli.quick("limits", job, "--time", "4", code=2).err
    assert "is a task" in cli.quick("hold", f"{job}-1", code=2).err
    assert json.loads(cli.quick("hold", "zzzzzz", job, "--json", code=3).out)[0]["held"]
    cli.quick("release", job)
    cli.wait(job)


def test_the_sdk_holds_releases_and_limits(cli: Cli) -> None:
    with Client(home=cli.home) as client:
        job = client.job(cli.submit("-p", "sleep=1"))
        assert job.hold().detail.held
        assert not job.release().detail.held
        assert job.limits(time_limit="2h", nice=3).detail.spec.resources.time_limit == 7200
        assert job.wait(120).detail.ended


# --- how it looks ---------------------------------------------------------------------------------------------------


def test_what_never_starts_is_marked() -> None:
    assert render.waits(Waits(reason="its account is not valid", never=True)).plain == "stuck: its account is not valid"
    assert render.waits(Waits(reason="held: release it", never=True)).plain == "held: release it"
    assert render.waits(Waits(reason="waits for a free GPU")).plain == "waits for a free GPU"
    assert render.waits(None).plain == ""


def test_resources_in_one_line() -> None:
    given = Resources.model_validate(
        {"backend": "slurm", "partition": "gpu", "gpus": 2, "gpu_type": "a100", "memory": "16G", "time_limit": "4h"}
    )
    assert render.resources(given) == "slurm, partition gpu, 2 GPUs (a100), 16 GiB, time limit 4:00:00"
    assert render.resources(Resources()) == ""


def test_a_waiting_task_says_why_and_its_job_shows_its_priority(cli: Cli) -> None:
    given = ["--gpus", "0", "-p", "sleep=60", "-p", "lr=0.1,0.2", "--parallel", "1", "--priority", "7"]
    job = cli("submit", cli.script(), *given).out.split()[0]
    try:
        wait_for(lambda: cli.quick("show", job, "--json").json["waits"], what="why it waits")
        why = "up to 1 of its tasks run at a time, as requested"
        assert why in " ".join(cli.quick("show", f"{job}-2").out.split())
        shown = " ".join(cli.quick("show", job).out.split())
        assert "Priority 7" in shown
        assert why in shown
    finally:
        cli.quick("stop", job)
