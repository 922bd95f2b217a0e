"""Test `paddock map` with the command line and a real server."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paddock.client.client import Client
from tests.support.server import wait_for
from tests.support.up import Cli

SHRINK = """
import pathlib, sys, time
import helper
source, target = map(pathlib.Path, sys.argv[1:])
text = source.read_text()
while "wait" in text and not pathlib.Path("go").exists():
    target.write_text("half")
    time.sleep(0.05)
if "broken" in text and not pathlib.Path("go").exists():
    sys.exit("cannot read it")
target.write_text(helper.shrink(text))
"""
MERGE = """
import pathlib, sys
out, to = map(pathlib.Path, sys.argv[1:])
to.write_text(" ".join(sorted(path.read_text() for path in out.rglob("*.txt"))))
print("merged", to)
"""
EXAMPLE = Path(__file__).parents[2] / "examples/map_images"
COMMAND = "python3 shrink.py {input} {output}"


@pytest.fixture
def maps(cli: Cli) -> Cli:
    cli.script(SHRINK, "shrink.py")
    cli.script("def shrink(text):\n    return text.upper()\n", "helper.py")
    cli.script(MERGE, "merge.py")
    return cli


def put(cli: Cli, **texts: str) -> None:
    for name, text in texts.items():
        path = cli.folder / "in" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".txt").write_text(text)


def start(cli: Cli, *arguments: str) -> dict[str, Any]:
    done = cli.quick("map", COMMAND, "--input", "in/**/*.txt", "--output", "out/", *arguments, "--json")
    found: dict[str, Any] = done.json
    return found


def tasks(cli: Cli, job: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cli.quick("tasks", job, "--json").json
    return found


def outputs(cli: Cli) -> dict[str, str]:
    out = cli.folder / "out"
    return {str(path.relative_to(out)): path.read_text() for path in sorted(out.rglob("*")) if path.is_file()}


def test_the_whole_command(maps: Cli) -> None:
    """All files, whatever their names; then the reduce; again, there is nothing left to do."""
    put(maps, **{"a": "a", "b c__it's $(x)": "b", "-rf": "c", "d__e__f": "d"})
    arguments = ["map", COMMAND, "--input", "in/**/*.txt", "--output", "out/", "--per-task", "2"]
    reduce = ["--reduce", "python3 merge.py out/ all.txt"]
    done = maps("map", *arguments[1:], *reduce, "--name", "small", "--follow")
    job, last = done.out.split()[0], done.out.splitlines()[-1]
    assert done.out.splitlines()[0] == f"{job}  small: 2 tasks submitted"
    assert last.startswith(f"{job}  3 finished")
    assert done.err == ""
    assert outputs(maps) == {"-rf.txt": "C", "a.txt": "A", "b c/it's $(x).txt": "B", "d/e/f.txt": "D"}
    assert (maps.folder / "all.txt").read_text() == "A B C D"
    first, _, merged = tasks(maps, job)
    assert (first["params"], first["epoch"], first["progress"]) == ({"part": 1}, 2, 1.0)
    assert (merged["reduces"], merged["params"]) == (True, {})
    shown = maps.quick("show", job).out
    assert "paddock map 'python3 shrink.py {input} {output}'" in shown.replace("\n" + " " * 11, " ")
    assert "4 files" in shown
    assert not re.search("Objective|Best|PARAMETER|map.py", shown), "it is no training"
    head, one, two, last = maps.quick("tasks", job).out.splitlines()
    assert head.split() == ["ID", "input", "output", "STATE", "TOOK", "REASON"]
    assert "in/-rf.txt (+1)" in one
    assert "out/-rf.txt (+1)" in one
    assert re.search(r"finished +\d+ s", two)
    assert "reduce" in last
    told = maps.quick("show", first["id"]).out
    assert re.search(r"Input +in/-rf.txt \(\+1\) *\nOutput +out/-rf.txt \(\+1\) *\nDone +2 of 2 files", told)
    assert not re.search("Epoch|Parameters|Best", told)
    assert maps.quick("ls", "--query", job).out.splitlines()[0].split() == ["ID", "NAME", "TASKS", "AGE", "LEFT"]
    assert "merged all.txt" in maps.quick("logs", f"{job}-3").out

    again = maps.quick(*arguments)
    assert (again.out, again.err) == (
        "",
        "All 4 outputs exist, nothing is left to do: give --fresh to make them again.\n",
    )
    assert maps.quick(*arguments, "--json").json == {"files": 0, "tasks": 0, "skipped": 4}
    (maps.folder / "all.txt").unlink()
    assert "only the reduce command is left" in maps.quick(*arguments, *reduce, "--follow").err
    assert (maps.folder / "all.txt").read_text() == "A B C D"

    put(maps, new="e")
    dry = maps.quick(*arguments, *reduce, "--dry-run")
    assert dry.out.splitlines()[:3] == [
        "1 file in 1 task",
        "task 1: 1 file",
        f"  python3 shrink.py {maps.folder}/in/new.txt {maps.folder}/out/new.txt",
    ]
    assert "then: python3 merge.py out/ all.txt" in dry.out
    braces = ["awk '{{print $1}}' {input} > {output}", *arguments[2:], "--dry-run"]
    assert f"  awk '{{print $1}}' {maps.folder}/in/new.txt >" in maps.quick("map", *braces).out, "as it will run"
    assert "4 files left out, as their outputs exist" in dry.err
    assert maps.quick(*arguments, "--fresh", "--dry-run").out.startswith("5 files in 3 tasks\n")


def test_a_file_that_fails_then_resume(maps: Cli) -> None:
    put(maps, a="a", b="broken", c="c")
    files = ["--input", "in/**/*.txt", "--output", "out/", "--tasks", "1"]
    done = maps("map", COMMAND, *files, "--reduce", "python3 merge.py out/ all.txt", "--follow", code=1)
    job = done.out.split()[0]
    assert done.err == (
        "The reduce command has not run, as not all tasks have finished: "
        f"`paddock restart {job} --failed --resume` continues them.\n"
    )
    [task] = tasks(maps, job)
    assert task["state"] == "error"
    assert task["reason"] == (
        f"FilesFailed: 1 of 3 files failed; the first: {maps.folder}/in/b.txt (exit code 1: cannot read it)"
    )
    assert outputs(maps) == {"a.txt": "A", "c.txt": "C"}
    (maps.folder / "out/a.txt").write_text("not again")
    (maps.folder / "go").touch()
    maps.quick("restart", job, "--failed", "--resume")
    maps.wait(job)
    assert [task["state"] for task in tasks(maps, job)] == ["finished", "finished"]
    assert outputs(maps) == {"a.txt": "not again", "b.txt": "BROKEN", "c.txt": "C"}
    assert maps.quick("logs", f"{job}-1").out.splitlines()[0] == "2 of 3 files are done already"
    assert (maps.folder / "all.txt").read_text() == "BROKEN C not again"


def test_killed_in_the_middle(maps: Cli) -> None:
    """Nothing half is ever at its place; a stop and a restart do only what is left."""
    put(maps, a="a", b="wait", c="c")
    job = start(maps, "--tasks", "1")["id"]
    half = maps.folder / f"out/.paddock-{job}-1/b.txt"
    wait_for(half.exists, what="the second file")
    with Client(home=maps.home) as client:
        pid = client.task(f"{job}-1").attempts[-1].pid
    assert pid is not None
    os.killpg(pid, signal.SIGKILL)
    maps.wait(job)
    assert tasks(maps, job)[0]["state"] == "error"
    assert [path.name for path in (maps.folder / "out").iterdir() if path.is_file()] == ["a.txt"]
    half.unlink()
    maps.quick("restart", job, "--resume")
    wait_for(half.exists, what="the second file again")
    maps.quick("stop", job)
    maps.wait(job)
    assert outputs(maps) == {"a.txt": "A"}
    (maps.folder / "go").touch()
    maps.quick("restart", job, "--resume")
    maps.wait(job)
    assert outputs(maps) == {"a.txt": "A", "b.txt": "WAIT", "c.txt": "C"}
    assert "file 2 of 3" in maps.quick("logs", f"{job}-1").out


def test_what_cannot_be_mapped(maps: Cli) -> None:
    put(maps, a="a")
    assert "error: No file matches none/*" in maps.quick("map", COMMAND, "-i", "none/*", "-o", "out", code=2).err
    assert "field" in maps.quick("map", COMMAND + " {x}", "-i", "in", "-o", "out", code=2).err
    unquoted = maps.quick("map", COMMAND, "-i", "in/a.txt", "in/b.txt", "-o", "out", code=2).err
    assert "1 more arguments than expected, such as in/b.txt: put the pattern of --input in quotes" in unquoted
    bad = maps.quick("map", COMMAND, "-i", "in", "-o", "out", "--reduce", "ls {input}", code=2).err
    assert "{input} in the reduce command is not a known field: these are code, job, results, task" in bad


def test_from_python(maps: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    put(maps, a="a", b="b")
    monkeypatch.chdir(maps.folder)
    with Client(home=maps.home) as client:
        job = client.map("tr a-z A-Z < {input} > {output}", "in/*.txt", "out", suffix=".up", name="upper")
        assert job is not None
        assert job.wait(120).detail.counts.finished == 2
        assert job.detail.spec.resources.gpus == 0
        assert outputs(maps) == {"a.up": "A", "b.up": "B"}
        assert client.map("tr a-z A-Z < {input} > {output}", ["in/*.txt"], "out", suffix=".up") is None


def test_a_reduce_of_a_sweep(cli: Cli) -> None:
    """Its command sees the results of the others."""
    cli.script(
        "import os, pathlib, sys\nlr = sys.argv[1]\npathlib.Path(os.environ['PADDOCK_RESULTS_DIR'], 'x').write_text(lr)"
    )
    file = cli.folder / "job.yaml"
    file.write_text(
        "script: train.py\nparams: {lr: [1, 2, 3]}\nconvention: positional\nresources: {gpus: 0}\n"
        "reduce: cat {results}/*/x > sum; test -d {results}/{task}\n"
    )
    job = cli.quick("submit", str(file), "--json").json["id"]
    cli.wait(job)
    made = tasks(cli, job)
    assert [(task["state"], task["reduces"]) for task in made] == [("finished", False)] * 3 + [("finished", True)]
    folder = Path(cli.quick("show", f"{job}-4", "--json").json["folder"])
    assert (folder / "work/sum").read_text() == "123"
    assert "then: true" in cli.quick("submit", "train.py", "-p", "lr=1", "--reduce", "true", "--dry-run").out


def test_the_example(cli: Cli) -> None:
    shutil.copytree(EXAMPLE, cli.folder, dirs_exist_ok=True)
    subprocess.run([sys.executable, "make.py"], cwd=cli.folder, check=True)
    command, reduce = (f"{sys.executable} {rest}" for rest in ("shrink.py {input} {output}", "merge.py small all.npz"))
    files = ["--input", "photos/**/*.pgm", "--output", "small", "--suffix", ".npy", "--per-task", "6"]
    job = cli.quick("map", command, *files, "--reduce", reduce, "--json").json["id"]
    cli.wait(job)
    assert "12 images in all.npz" in cli.quick("logs", f"{job}-3").out
    assert (cli.folder / "small/noise/0.npy").exists()
