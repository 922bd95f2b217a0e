"""Test the batch script: the same request gives the same text, and values are data, never shell text.

The scripts in `golden/` are what is submitted; after an intended change write them again with
`python -m tests.backends.test_slurm_script`.
"""

import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.backends.slurm.script import options, script
from paddock.models import FOLDER, AllocationBatch, Resources
from paddock.settings import SlurmSettings

GOLDEN = Path(__file__).parent / "golden"
JOB = "k3v9x2ab"
RUNNER = ["/opt/python/bin/python3", "-I", "-S", "/home/ann/.paddock/runners/0a1b.pyz", FOLDER]


def batch(folder: str = f"/home/ann/.paddock/jobs/{JOB}/allocations/{JOB}-a1", **given: Any) -> AllocationBatch:
    about = {"key": f"{JOB}-a1", "name": f"paddock-{JOB}-a1", "runner": RUNNER} | given
    resources = Resources.model_validate(about.pop("resources", {}))
    return AllocationBatch(folder=folder, resources=resources, **about)


CASES: dict[str, tuple[AllocationBatch, SlurmSettings]] = {
    "plain": (batch(resources={"gpus": 0, "cpus": 1}), SlurmSettings()),
    "gpus": (
        batch(
            count=50,
            resources={"gpus": 2, "gpu_type": "v100", "cpus": 8, "memory": "32G", "time_limit": "1-12:00:00"}
            | {"partition": "volta,ampere", "account": "ml", "qos": "high", "nice": 100},
        ),
        SlurmSettings(warn_seconds=120),
    ),
    "nodes": (
        batch(
            count=2,
            resources={"gpus": 4, "cpus": 16, "nodes": 4, "launcher": "torchrun", "time_limit": 61}
            | {"constraint": "(volta|ampere)&ib", "nodelist": "n[01-08]", "exclude": "n03", "reservation": "course"},
        ),
        SlurmSettings(),
    ),
    "wide": (
        batch(count=3, resources={"gpus": 0, "cpus": 8, "memory": 4 * 2**20 + 4, "time_limit": "90m"}),
        SlurmSettings(),
    ),
    "setup": (
        batch(resources={"gpus": 1, "options": ["--exclusive", "--wckey=two words", "--requeue", "--mail-type=END"]}),
        SlurmSettings(
            setup=["module load cuda/12.4", 'source "$HOME/env"'],
            variables={"OMP_PROC_BIND": "true", "NOTE": "it's $HOME; `x`"},
        ),
    ),
    "strange_folder": (batch("/home/ann b/it's 100%/ü $(x)/a1", resources={"gpus": 0}), SlurmSettings()),
}


@pytest.mark.parametrize("name", CASES)
def test_scripts_are_as_they_were(name: str) -> None:
    assert script(*CASES[name]) == (GOLDEN / f"{name}.sh").read_text()


def test_no_script_is_left_that_nobody_makes() -> None:
    assert {path.stem for path in GOLDEN.glob("*.sh")} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_bash_reads_them(name: str) -> None:
    done = subprocess.run(["bash", "-n"], input=script(*CASES[name]), text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_same_request_gives_the_same_text_and_a_part_of_it_a_smaller_array() -> None:
    wide, settings = CASES["gpus"]
    assert script(wide, settings) == script(wide, settings)
    assert "--array=0-49" in script(wide, settings)
    assert script(wide, settings, 7) == script(wide, settings).replace("--array=0-49", "--array=0-6")


def test_all_directives_come_before_the_first_command() -> None:
    for one in CASES.values():
        lines = script(*one).splitlines()
        assert lines[0] == "#!/bin/bash"
        last = max(number for number, line in enumerate(lines) if line.startswith("#SBATCH"))
        assert all(line.startswith("#SBATCH --") for line in lines[1 : last + 1])
        assert lines[last + 1] == ""


@pytest.mark.parametrize(
    ("asked", "option"),
    [
        ({"memory": "1.5G"}, "--mem=1536M"),
        ({"memory": 2**20 + 1}, "--mem=2M"),  # never less than was asked for
        ({"time_limit": 61}, "--time=0:02:00"),
        ({"time_limit": "36h"}, "--time=1-12:00:00"),
        ({"gpus": 2}, "--gres=gpu:2"),
        ({"gpus": 2, "gpu_type": "v100"}, "--gres=gpu:v100:2"),
        ({"cpus": 6, "gpus": 0}, "--cpus-per-task=6"),
        ({"nice": 0}, "--nice=0"),
        ({}, "--no-requeue"),
        ({"options": ["--requeue"]}, "--requeue"),
        ({"options": ["--wckey=a b"]}, '--wckey="a b"'),
        ({"options": ["--exclusive=user"]}, "--exclusive=user"),
    ],
)
def test_options(asked: dict[str, Any], option: str) -> None:
    assert option in options(batch(resources=asked), SlurmSettings())


@pytest.mark.parametrize("name", ["gres", "mem", "time", "partition", "account", "nice", "constraint"])
def test_what_is_not_asked_for_is_left_to_the_cluster(name: str) -> None:
    assert not [one for one in options(batch(resources={"gpus": 0}), SlurmSettings()) if one.startswith(f"--{name}")]


def test_requeue_is_one_or_the_other() -> None:
    for asked, kept in (([], "--no-requeue"), (["--requeue"], "--requeue"), (["--no-requeue"], "--no-requeue")):
        found = [one for one in options(batch(resources={"options": asked}), SlurmSettings()) if "requeue" in one]
        assert found == [kept]


def slurm_words(line: str) -> list[str]:
    """As sbatch takes a directive apart, near enough: quotes hold together, a backslash takes what follows as it is."""
    return shlex.split(line.removeprefix("#SBATCH "))


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r/"), min_size=1, max_size=30))
def test_where_the_output_goes_is_one_word_whatever_the_folder_is_called(name: str) -> None:
    made = batch(f"/x/{name}")
    [line] = [line for line in script(made, SlurmSettings()).split("\n") if line.startswith("#SBATCH --output=")]
    [word] = slurm_words(line)
    assert word.removeprefix("--output=").replace("%%", "\0").replace("%a", "0").replace("\0", "%") == (
        f"{made.folder_of(0)}/out.log"
    )


FAKE = """#!/bin/bash
printf '%s\\0' "$PWD" "$@" > "$SEEN"
printf '%s' "$NOTE" > "$SEEN.note"
"""

STRANGE = [
    "plain",
    "two words",
    "it's",
    'a "quoted" one',
    "100% %a %A",
    "$HOME $(touch pwned) `touch pwned`",
    "ünïcödé → 日本",
    "back\\slash\\n",
    "semi;colon & more | less > x",
    "*?[a-z]{1,2}~",
    "-leading",
    "#hash",
    "tab\there",
    " ends with a blank ",
]


@pytest.mark.parametrize("number", [0, 7])
@pytest.mark.parametrize("name", STRANGE)
def test_paths_arrive_as_data(tmp_path: Path, name: str, number: int) -> None:
    """The script itself, run by bash as Slurm would."""
    home = tmp_path / name
    home.mkdir()
    runner = home / "the runner's"
    runner.write_text(FAKE)
    runner.chmod(0o755)
    made = batch(f"{home}/a1", count=8, runner=[str(runner), "-I", name, FOLDER])
    folder = Path(made.folder_of(number))
    folder.mkdir()
    settings = SlurmSettings(variables={"NOTE": name}, setup=["cd .", "SETUP='done'"])
    seen = tmp_path / "seen"
    environment = {"PATH": os.environ["PATH"], "SEEN": str(seen), "HOME": "/nowhere"}
    environment |= {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_ARRAY_JOB_ID": "4711"}
    done = subprocess.run(
        ["bash"], input=script(made, settings).encode(), env=environment, cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert seen.read_bytes().decode().split("\0")[:-1] == [str(folder), "-I", name, str(folder)]
    assert Path(f"{seen}.note").read_text() == name
    assert (folder / "slurm_id").read_text() == "4711\n"
    assert not list(tmp_path.rglob("pwned"))


def test_a_folder_that_is_not_there_is_the_end(tmp_path: Path) -> None:
    text = script(batch(str(tmp_path / "none"), runner=["/bin/touch", str(tmp_path / "ran")]), SlurmSettings())
    environment = {"PATH": os.environ["PATH"], "SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_JOB_ID": "1"}
    done = subprocess.run(["bash"], input=text, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 1
    assert not (tmp_path / "ran").exists()


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, case in CASES.items():
        (GOLDEN / f"{name}.sh").write_text(script(*case))
