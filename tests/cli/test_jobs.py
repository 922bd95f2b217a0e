"""Test the commands with a real server and tiny scripts."""

import csv
import io
import json
import os
import sys
import time
from pathlib import Path

import pytest
import yaml

from paddock.models import jobfile
from tests.support.up import Cli

HOSTILE = "x'; echo \x1b[31mpwned \n [bold]$(id) {lr} \u202e\"日本"


def test_submit_says_what_to_do_next(cli: Cli) -> None:
    done = cli("submit", cli.script(), "-p", "lr=0.1,0.2", "--gpus", "0", "--name", "two")
    job = done.out.split()[0]
    assert done.out == f"{job}  two: 2 tasks submitted\n"
    assert f"paddock logs {job}-1" in done.err
    cli.wait(job)


def test_json_is_all_that_is_printed(cli: Cli) -> None:
    """Each command as a process: what a program reads from the pipe is JSON and nothing else."""
    job = cli.submit("-p", "lr=1,2")
    cli.wait(job)
    single = [
        ["ls"], ["show", job], ["show", f"{job}-1"], ["tasks", job], ["logs", f"{job}-1"], ["metrics", job],
        ["best", job], ["importance", job], ["stop", job], ["restart", job, "--yes"], ["nodes"], ["settings"],
        ["token"], ["version"], ["doctor"], ["hold", job], ["release", job], ["limits", job, "--nice", "1"], ["tunnel"],
        ["inspect", cli.script()], ["submit", cli.script(), "--gpus", "0", "--dry-run"], ["rm", job, "--yes"],
    ]  # fmt: skip
    for arguments in single:
        done = cli(*arguments, "--json")
        assert done.json is not None
        assert "error" not in done.err


def test_dry_run_submits_nothing(cli: Cli) -> None:
    before = cli.quick("ls", "--json").json["total"]
    arguments = ["submit", cli.script(), "-p", "lr=0.1,0.2", "-p", "note=a b", "--gpus", "0", "--dry-run"]
    done = cli.quick(*arguments)
    assert "--lr 0.1 --note 'a b'" in done.out
    assert "2 tasks; 1 file sent along: train.py" in done.out
    preview = cli.quick(*arguments, "--json").json
    assert preview["count"] == 2
    assert preview["commands"][1][-4:] == ["--lr", "0.2", "--note", "a b"]
    assert cli.quick("ls", "--json").json["total"] == before


def test_a_job_from_start_to_end(cli: Cli) -> None:
    job = cli.submit("-p", "lr=0.4,0.2,0.8", "-p", "note=n", "--tag", "whole", "--name", "a whole job")
    cli.wait(job)
    assert "3 finished" in cli.quick("ls", "--tag", "whole").out
    assert [one["id"] for one in cli.quick("ls", "--tag", "whole", "--json").json["items"]] == [job]

    shown = cli.quick("show", job[:7]).out
    assert "a whole job" in shown
    assert f"0.1  {job}-2" in shown
    assert cli.quick("show", job, "--json").json["best_task"] == f"{job}-2"

    table = cli.quick("tasks", job).out.splitlines()
    assert table[0].split() == ["ID", "lr", "STATE", "EPOCH", "BEST", "REASON"]
    assert table[2].split()[:3] == [f"{job}-2", "0.2", "finished"]
    assert [task["number"] for task in cli.quick("tasks", job, "--sort", "-number", "--json").json] == [3, 2, 1]
    assert cli.quick("tasks", job, "--state", "error", "--json").json == []

    best = cli.quick("best", job, "-n", "2", "--json").json
    assert [task["params"]["lr"] for task in best] == [0.2, 0.4]
    assert f"{job}-2" in cli.quick("best", job).out.splitlines()[1]

    task = cli.quick("show", f"{job}-2").out
    assert "--lr 0.2" in " ".join(task.split())  # a long command goes over several lines
    assert cli.quick("show", f"{job[:6]}-2", "--json").json["state"] == "finished"


def test_logs(cli: Cli) -> None:
    job = cli.submit("-p", "epochs=3", "-p", "note=é")
    cli.wait(job)
    whole = "note 'é'\nepoch 1/3 val_loss: 0.1000\nepoch 2/3 val_loss: 0.0500\nepoch 3/3 val_loss: 0.0333\n"
    assert cli.quick("logs", f"{job}-1").out == whole
    assert cli.quick("logs", job).out == whole
    assert cli.quick("logs", job, "--tail", "2").out == "".join(whole.splitlines(True)[-2:])
    assert cli.quick("logs", job, "--tail", "0").out == ""
    assert cli.quick("logs", job, "-f", "--tail", "1").out == "epoch 3/3 val_loss: 0.0333\n"
    assert cli.quick("logs", job, "--json").json["text"] == whole
    assert "".join(line["text"] for line in cli.quick("logs", job, "-f", "--json").lines) == whole
    cli.quick("logs", job, "--attempt", "9", code=3)
    several = cli.submit("-p", "lr=1,2")
    assert f"{several}-1" in cli.quick("logs", several, code=3).err


def test_logs_are_followed_until_the_end(cli: Cli) -> None:
    job = cli.submit("-p", "sleep=1")
    assert cli("logs", job, "-f").out.endswith("epoch 2/2 val_loss: 0.0500\n")
    assert cli("show", f"{job}-1", "--json").json["state"] == "finished"


def test_metrics(cli: Cli) -> None:
    job = cli.submit("-p", "lr=0.4,0.2")
    cli.wait(job)
    rows = list(csv.reader(io.StringIO(cli.quick("metrics", f"{job}-1").out), delimiter="\t"))
    assert rows[0] == ["step", "val_loss"]
    assert [float(row[1]) for row in rows[1:]] == [0.4, 0.2]
    rows = list(csv.reader(io.StringIO(cli.quick("metrics", job).out), delimiter="\t"))
    assert rows[0] == ["step", f"{job}-1", f"{job}-2"]
    curves = cli.quick("metrics", job, "--metric", "val_loss", "--points", "2", "--json").json
    assert [curve["values"] for curve in curves] == [[0.4, 0.2], [0.2, 0.1]]
    assert cli.quick("metrics", f"{job}-1", "-m", "nothing").err == "There are no values yet.\n"


def test_export(cli: Cli) -> None:
    job = cli.submit("-p", "lr=0.4,0.2")
    cli.wait(job)
    rows = list(csv.DictReader(io.StringIO(cli.quick("export", job).out)))
    assert [row["param.lr"] for row in rows] == ["0.4", "0.2"]
    done = cli.quick("export", job, "-o", "table.csv")
    assert done.out == ""
    assert (cli.folder / "table.csv").read_text().startswith("id,number,state")
    assert [line["params"]["lr"] for line in cli.quick("export", job, "--format", "jsonl").lines] == [0.4, 0.2]
    assert len(cli.quick("export", job, "--json").lines) == 2
    points = list(csv.DictReader(io.StringIO(cli.quick("export", job, "--curves").out)))
    assert {(point["task"], point["metric"]) for point in points} >= {(f"{job}-{n}", "val_loss") for n in (1, 2)}
    cli.quick("export", job, "-o", "nowhere/table.csv", code=3)
    cli.quick("export", job, "--format", "xml", code=2)


def test_what_has_finished_is_not_run_again_by_mistake(cli: Cli) -> None:
    job = cli.submit("-p", "lr=1,2")
    cli.wait(job)
    refused = cli.quick("restart", job, code=2)
    assert (
        "error: Nothing was restarted, as there is no terminal to confirm it on: "
        f"add --yes to run 2 finished tasks of {job} (train.py) again.\n" in refused.err
    )
    assert cli.quick("restart", job, "--failed", "--json").json == {"tasks": []}
    assert cli.quick("restart", job, "--stopped", "--json").json == {"tasks": []}
    assert cli.quick("show", job, "--json").json["counts"]["finished"] == 2
    assert cli.quick("restart", f"{job}-1", "--json").json == {"tasks": [f"{job}-1"]}, "what is named is meant"
    cli.wait(job)
    assert len(cli.quick("restart", job, "--yes", "--json").json["tasks"]) == 2
    cli.wait(job)


def test_restart_of_what_was_stopped(cli: Cli) -> None:
    job = cli.submit("-p", "sleep=60,61", "-p", "fail=0,1")
    stopped = cli.quick("stop", job, "--json").json["tasks"]
    cli.wait(job)
    assert len(stopped) == 4
    assert cli.quick("restart", job, "--failed", "--json").json == {"tasks": []}
    assert cli.quick("restart", f"{job}-1", "--stopped", "--json").json == {"tasks": [f"{job}-1"]}
    cli.quick("stop", job)
    cli.wait(job)
    assert cli.quick("restart", job, "--stopped", "--json").json == {"tasks": stopped}
    cli.quick("stop", job)
    cli.wait(job)


def test_follow_at_any_time(cli: Cli) -> None:
    job = cli.submit("-p", "lr=1,2")
    seen = cli.quick("follow", job)
    assert "2 finished" in seen.out
    again = cli.quick("follow", job)  # it has ended
    assert f"{job}-1  finished" in again.out
    assert "2 finished" in again.out
    assert [line["id"] for line in cli.quick("follow", job, "--json").lines] == [f"{job}-1", f"{job}-2", job]
    failed = cli.submit("-p", "fail=1")
    assert f"{failed}-1  error" in cli.quick("follow", failed, code=1).out
    assert "is a task" in cli.quick("follow", f"{job}-1", code=2).err
    cli.quick("follow", "nosuch", code=3)


def test_stop_and_restart(cli: Cli) -> None:
    job = cli.submit("-p", "sleep=60", "-p", "lr=1,2")
    assert cli.quick("stop", f"{job}-1", "--json").json == {"tasks": [f"{job}-1"]}
    assert "1 task" not in cli.quick("stop", job).out
    cli.wait(job)
    assert cli.quick("show", job, "--json").json["counts"]["stopped"] == 2
    assert "no task could be stopped" in cli.quick("stop", job).out
    assert cli.quick("restart", job, "--failed", "--json").json == {"tasks": []}
    assert cli.quick("restart", f"{job}-2", "--resume", "--json").json == {"tasks": [f"{job}-2"]}
    assert "has not ended" in cli.quick("restart", f"{job}-2", code=5).err
    cli.quick("stop", job)
    cli.wait(job)
    assert cli.quick("show", f"{job}-2", "--json").json["attempt"] == 2


def test_one_that_is_not_there_does_not_keep_the_others_from_it(cli: Cli) -> None:
    job = cli.submit("-p", "sleep=60")
    done = cli.quick("stop", "zzzzzz", job, "--json", code=3)
    assert done.json == {"tasks": [f"{job}-1"]}
    assert "zzzzzz" in done.err
    cli.wait(job)


def test_rm_asks_first(cli: Cli) -> None:
    job = cli.submit("-p", "sleep=60")
    folder = Path(cli.quick("show", job, "--json").json["folder"])
    done = cli.quick("rm", job, code=2)
    assert done.err.startswith("error: Nothing was removed, as there is no terminal to confirm it on: add --yes to ")
    assert "logs and checkpoints" in done.err
    assert "?" not in done.err
    assert folder.exists()
    assert cli.quick("rm", f"{job}-1", "--yes", code=2).err.startswith("error: ")
    assert cli.quick("rm", job, "--yes", "--json").json == {"removed": [job]}
    cli.quick("show", job, code=3)
    end = time.monotonic() + 120
    while folder.exists() and time.monotonic() < end:
        time.sleep(0.1)
    assert not folder.exists()


@pytest.mark.parametrize(
    "command",
    ["show", "tasks", "logs", "metrics", "best", "importance", "stop", "restart", "hold", "release", "rm", "export"],
)
@pytest.mark.parametrize("unknown", ["zzzzzzzz", "zzzzzzzz-1", "../health", "a b", "%", ""])
def test_what_is_not_there_is_3(cli: Cli, command: str, unknown: str) -> None:
    if command in ("rm", "hold", "release") and "-" in unknown:
        pytest.skip("this is done with whole jobs only")
    done = cli.quick(command, unknown, "--json", *(["--yes"] if command == "rm" else []), code=3)
    assert done.err.startswith("error: ")
    assert done.out == "" or command in ("stop", "restart", "hold", "release", "rm")


def test_an_id_that_fits_several_is_3(cli: Cli) -> None:
    jobs = [job["id"] for job in cli.quick("ls", "--json", "--limit", "500").json["items"]]
    firsts = [job[0] for job in jobs]
    while not (twice := {first for first in firsts if firsts.count(first) > 1}):
        firsts.append(cli.submit()[0])
    assert "several jobs" in cli.quick("show", twice.pop(), code=3).err


def test_a_wrong_token_is_4(cli: Cli) -> None:
    done = cli.quick("ls", code=4, PADDOCK_TOKEN="wrong")
    assert "does not accept this token" in done.err


def test_hostile_names_and_values(cli: Cli) -> None:
    job = cli.submit("--name", HOSTILE, "--description", HOSTILE, "--tag", HOSTILE, "-p", f"note='{HOSTILE[1:]}'")
    cli.wait(job)
    for command in (["ls"], ["show", job], ["tasks", job], ["show", f"{job}-1"], ["best", job]):
        out = cli.quick(*command).out
        assert "\x1b" not in out
        assert "\u202e" not in out
    detail = cli.quick("show", job, "--json").json
    assert detail["name"] == HOSTILE.strip()
    assert detail["counts"]["finished"] == 1
    assert all(len(line) <= 80 for line in cli.quick("ls").out.splitlines())
    assert repr(detail["spec"]["params"]["note"]["values"][0]) in cli.quick("logs", job).out


def test_the_spec_of_a_job_can_be_submitted_again(cli: Cli) -> None:
    job = cli.submit("-p", "lr=0.1..0.3:0.1", "--objective", "val_loss:min", "--seed", "3", "--env", "A=b c")
    text = cli.quick("show", job, "--spec").out
    assert yaml.safe_load(text)["params"]["lr"] == "0.1..0.3:0.1"
    assert jobfile.loads(text).model_dump(mode="json") == cli.quick("show", job, "--spec", "--json").json
    (cli.folder / "again.yaml").write_text(text)
    again = cli.quick("submit", "again.yaml", "--json").json
    assert again["spec"]["environment"]["variables"] == {"A": f"… as in job {again['id']}"}  # masked, and filled in
    again["spec"]["environment"]["variables"] = {"A": f"… as in job {job}"}
    assert again["spec"] == cli.quick("show", job, "--json").json["spec"]


def test_a_spec_is_submitted_from_anywhere_with_the_code_as_it_was(cli: Cli) -> None:
    job = cli.submit("-p", "lr=0.1")
    text = cli.quick("show", job, "--spec").out
    assert yaml.safe_load(text)["source"] == f"job {job}"
    elsewhere = cli.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "again.yaml").write_text(text)
    (cli.folder / "train.py").unlink()
    again = cli.quick("submit", "elsewhere/again.yaml", "--json").json
    cli.wait(again["id"])
    detail = cli.quick("show", again["id"], "--json").json
    assert detail["counts"]["finished"] == 1
    assert (detail["code"]["job"], detail["code"]["source"]) == (job, str(cli.folder / "train.py"))
    (elsewhere / "again.yaml").write_text(text.replace(f"job {job}", "job zzzzzzzz"))
    assert "zzzzzzzz" in cli.quick("submit", "elsewhere/again.yaml", code=3).err


def test_a_job_is_submitted_again_with_changes_and_files_that_are_not_text(cli: Cli) -> None:
    (cli.folder / "proj").mkdir()
    (cli.folder / "proj" / "train.py").write_text("import helper\nprint(len(open('x.bin', 'rb').read()), helper.X)\n")
    (cli.folder / "proj" / "x.bin").write_bytes(bytes(range(256)))
    (cli.folder / "proj" / "helper.py").write_text("X = 7\n")
    first = cli.quick("submit", "proj", "--gpus", "0", "--json").json["id"]
    cli.wait(first)
    (cli.folder / "proj" / "x.bin").unlink()
    (cli.folder / "helper.py").write_text("X = 8\n")
    again = cli.quick("again", first, "--name", "other", "--include", "helper.py", "--json").json
    cli.wait(again["id"])
    assert again["name"] == "other"
    assert again["code"]["files"] == 3  # nothing that running it has left
    assert "256 8" in cli.quick("logs", f"{again['id']}-1").out


def test_flags_win_over_the_job_file(cli: Cli) -> None:
    cli.script()
    (cli.folder / "job.yaml").write_text(
        "name: file\ntags: [a]\nscript: train.py\nparams: {lr: [1, 2, 3], epochs: 1}\nresources: {gpus: 0, cpus: 1}\n"
    )
    spec = cli.quick("submit", "job.yaml", "-p", "lr=7", "--name", "flag", "--cpus", "2", "--dry-run", "--json").json[
        "spec"
    ]
    assert (spec["name"], spec["tags"]) == ("flag", ["a"])
    assert spec["params"] == {"lr": {"values": [7]}, "epochs": {"values": [1]}}
    assert (spec["resources"]["gpus"], spec["resources"]["cpus"]) == (0, 2)


def test_a_folder_and_a_command(cli: Cli) -> None:
    (cli.folder / "code").mkdir()
    (cli.folder / "code" / "data file.txt").write_text("inside\n")
    command = "cat {code}/'data file.txt'; echo {x}"
    arguments = ["--command", command, "-p", f"x='{HOSTILE[1:9]}'", "--gpus", "0", "--json"]
    job = cli.quick("submit", "code", *arguments).json["id"]
    cli.wait(job)
    assert cli.quick("logs", job).out == f"inside\n{HOSTILE[1:9]}\n"


def test_names_of_files_survive(cli: Cli) -> None:
    names = ["ü/日本.txt", "a b.txt", "it's.txt", "50%.txt", "%22.txt", "semi;colon=.txt", "😀.txt"]
    for name in names:
        path = cli.folder / "code" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    cli.script(name="code/train.py")
    job = cli("submit", "code", "--gpus", "0", "--json").json
    code = Path(job["folder"]) / "code"
    assert {name: (code / name).read_text() for name in names} == {name: name for name in names}


def test_the_environment_of_the_shell_is_used(cli: Cli) -> None:
    def environment(*arguments: str, **env: str) -> dict[str, str]:
        done = cli.quick("submit", cli.script(), "--gpus", "0", "--dry-run", "--json", *arguments, code=0, **env)
        found = done.json["spec"]["environment"]
        return {name: found[name] for name in ("python", "venv", "conda") if found[name]}

    prefix = sys.prefix
    assert environment(VIRTUAL_ENV=prefix) == {"venv": prefix}
    assert environment(VIRTUAL_ENV="", CONDA_PREFIX=prefix) == {"conda": prefix}
    path = f"{prefix}/bin:{os.environ['PATH']}"
    assert environment(VIRTUAL_ENV="", CONDA_PREFIX="", PATH=path) == {"python": f"{prefix}/bin/python3"}
    assert environment("--python", sys.executable, VIRTUAL_ENV="/x") == {"python": sys.executable}
    assert "/nowhere" in cli.quick("submit", cli.script(), "--venv", "/nowhere", code=2).err


def test_ids_are_completed(cli: Cli) -> None:
    job = cli.submit()
    assert job in cli.complete(f"paddock show {job[:4]}", 2).out.split()
    assert cli.complete(f"paddock logs {job[:6]}-", 2).out.split() == [f"{job[:6]}-1"]


def test_nodes_token_and_version(cli: Cli) -> None:
    assert "slots" in cli.quick("nodes", "--json").json[0]
    assert "local" in cli.quick("nodes").out
    link = cli.quick("token").out.strip()
    assert cli.quick("token", "--json").json["link"] == link
    assert "/?token=" in link
    assert cli.quick("version", "--json").json["server"]


def test_a_second_server_on_the_same_home_is_refused(cli: Cli) -> None:
    done = cli("up", "--port", "0", code=5)
    assert "already runs" in done.err
    assert json.loads((cli.home / "server.json").read_text())["pid"]
