"""Test tasks that behave in all the ways training scripts do."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.server import ServerProcess, running, wait_for
from tests.support.up import Cli

STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(600)
"""

FAMILY = """
import os, subprocess, sys, time
child = subprocess.Popen(["sleep", "601"])
away = subprocess.Popen(["sleep", "602"], start_new_session=True)
print("ready", child.pid, away.pid, flush=True)
if "stay" in os.environ.get("MODE", ""):
    time.sleep(600)
"""


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _ready(server: ServerProcess, job: str) -> list[int]:
    wait_for(lambda: "ready" in server.log_of(job), what="the task to be ready")
    return [int(word) for word in server.log_of(job).split("ready")[1].split()]


def test_stop_kills_what_ignores_sigterm(server: ServerProcess) -> None:
    job = server.submit(STUBBORN)
    _ready(server, job)
    server.post(f"/jobs/{job}/stop")
    task = server.wait(job)[0]
    assert task["state"] == "stopped"
    assert not _alive(server.task(job)["attempts"][0]["pid"])


@pytest.mark.parametrize("mode", ["stay", "leave"])
def test_nothing_is_left_of_a_task_with_children(server: ServerProcess, mode: str) -> None:
    job = server.submit(FAMILY, environment={"variables": {"MODE": mode}})
    pids = _ready(server, job)
    if mode == "stay":
        server.post(f"/jobs/{job}/stop")
    task = server.wait(job)[0]
    assert task["state"] == ("stopped" if mode == "stay" else "finished")
    assert [_alive(pid) for pid in pids] == [False, False]


def test_stop_withdraws_what_waits(server: ServerProcess, tmp_path: Path) -> None:
    script = (
        "import os, time; open(os.environ['PADDOCK_PARAM_MARK'] + os.environ['PADDOCK_TASK'], 'w'); time.sleep(600)"
    )
    marks = tmp_path / "marks"
    marks.mkdir()
    job = server.submit(script, params={"mark": f"{marks}/", "n": list(range(20))})
    wait_for(lambda: server.get(f"/jobs/{job}")["counts"]["running"] == 2)
    server.post(f"/jobs/{job}/stop", {"tasks": ["10"]})
    assert server.wait_state(job, "stopped", 10)["started_at"] is None
    server.post(f"/jobs/{job}/stop")
    tasks = server.wait(job)
    assert [task["state"] for task in tasks] == ["stopped"] * 20
    assert len(list(marks.iterdir())) == 2
    time.sleep(1)
    assert len(list(marks.iterdir())) == 2


def test_a_million_lines_and_junk(server: ServerProcess) -> None:
    script = (
        "import os, sys\n"
        "for i in range(1000000): sys.stdout.write(f'line {i}\\n')\n"
        "sys.stdout.flush()\n"
        "sys.stdout.buffer.write(os.urandom(300000) + b'\\nval_loss: 0.25\\n')\n"
    )
    job = server.submit(script)
    task = server.wait(job)[0]
    assert (task["state"], task["reason"]) == ("finished", None)
    detail = server.task(job)
    assert detail["log_bytes"] > 12_000_000
    answer = server.client.get(f"/tasks/{job}-1/log", params={"offset": -16})
    assert answer.content == b"\nval_loss: 0.25\n"
    assert int(answer.headers["x-log-size"]) == detail["log_bytes"]
    assert task["best_value"] == 0.25


def test_full_disk_is_the_reason(server: ServerProcess) -> None:
    job = server.submit("with open('/dev/full', 'w') as file: file.write('x' * 100000)")
    task = server.wait(job)[0]
    assert (task["state"], task["cause"]) == ("error", "user_error")
    assert task["reason"] == "OSError: [Errno 28] No space left on device"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_job_folder_on_a_full_disk(tmp_path: Path) -> None:
    """The task fails for want of space; its end is told once there is some, and the next task runs."""
    home = tmp_path / "small"
    home.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", str(home)], check=False).returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        with running(home, local__slots=1) as server:
            script = (
                "import time, sys\n"
                "print('begin', flush=True)\n"
                "with open('filler', 'wb', 0) as file:\n"
                "    try:\n"
                "        while True: file.write(b'x' * 65536)\n"
                "    except OSError: pass\n"
                "raise OSError('no space')\n"
            )
            job = server.submit(script)
            wait_for(lambda: _full(home), what="the disk to be full")
            time.sleep(1)
            (server.home.job(job).task(f"{job}-1") / "work" / "filler").unlink()
            task = server.wait(job)[0]
            assert (task["state"], task["reason"]) == ("error", "OSError: no space")
            again = server.submit("print('ok')")
            assert server.wait(again)[0]["state"] == "finished"
            assert server.get("/health")["ok"]
    finally:
        subprocess.run(["umount", str(home)], check=True)


def _full(folder: Path) -> bool:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize < 65536


def test_restart_plain_and_resumed(server: ServerProcess) -> None:
    script = (
        "import os, sys\n"
        "path = os.path.join(os.environ['PADDOCK_CHECKPOINT_DIR'], 'epoch')\n"
        "first = int(open(path).read()) if os.path.exists(path) else 0\n"
        "new = not os.path.exists('log.csv')\n"
        "with open('log.csv', 'a') as log:\n"
        "    if new: log.write('epoch,val_loss\\n')\n"
        "    for epoch in range(first, first + 3):\n"
        "        log.write(f'{epoch},{10 - epoch}\\n')\n"
        "        open(path, 'w').write(str(epoch + 1))\n"
        "sys.exit(1 if first == 0 else 0)\n"
    )
    job = server.submit(script)
    task = server.wait(job)[0]
    assert (task["state"], task["best_value"], task["epoch"]) == ("error", 8, 2)

    assert server.post(f"/jobs/{job}/restart", {"failed": True, "resume": True})["tasks"] == [f"{job}-1"]
    task = server.wait(job)[0]
    assert (task["state"], task["attempt"], task["best_value"], task["epoch"]) == ("finished", 2, 5, 5)
    assert server.get(f"/tasks/{job}-1/metrics", metric="val_loss")[0]["steps"] == [0, 1, 2, 3, 4, 5]

    assert server.post(f"/tasks/{job}-1/restart")["tasks"] == [f"{job}-1"]
    task = server.wait(job)[0]
    assert (task["state"], task["attempt"], task["best_value"], task["epoch"]) == ("error", 3, 8, 2)
    assert server.get(f"/tasks/{job}-1/metrics", metric="val_loss")[0]["steps"] == [0, 1, 2]
    first = server.get(f"/tasks/{job}-1/metrics", metric="val_loss", attempt=2)[0]
    assert first["steps"] == [3, 4, 5]
    assert server.post(f"/jobs/{job}/restart", {"failed": True})["tasks"] == [f"{job}-1"]
    server.wait(job)


def test_edits_after_submission_do_not_reach_waiting_tasks(server: ServerProcess, tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "train.py").write_text("import helper, time; print(helper.WORD); time.sleep(0.3)")
    (folder / "helper.py").write_text("WORD = 'before'")
    cli = Cli(server.home.root, tmp_path)
    done = cli.quick(
        "submit", str(folder), "-p", "n=1,2,3,4", "--convention", "env", "--json", "--python", sys.executable
    )
    (folder / "helper.py").write_text("WORD = 'after'")
    job = server.get("/jobs")["items"][0]["id"]
    assert job in done.out
    server.wait(job)
    assert [server.log_of(job, n).strip() for n in (1, 2, 3, 4)] == ["before"] * 4


NASTY = [
    "two words",
    'it\'s "quoted"',
    "line\nbreak\ttab",
    "ünïcödé → ✓ 日本",
    '; rm -rf "$HOME/nothing" #',
    "$(touch pwned) `touch pwned` ${HOME}",
    "-leading --dashes",
    "*?[a-z]{1,2}~",
    "back\\slash \\n %s %(x)s {x}",
    "<b>html</b>&amp;",
]
ECHO = """
import argparse, json, os
parser = argparse.ArgumentParser()
parser.add_argument("--text")
args = parser.parse_args()
params = json.load(open(os.environ["PADDOCK_PARAMS"]))
json.dump([args.text, params["text"], os.environ["PADDOCK_PARAM_TEXT"], os.environ["EXTRA"]], open("seen.json", "w"))
"""


@pytest.mark.parametrize("way", ["flags", "template", "setup"])
def test_hostile_values_are_data_everywhere(server: ServerProcess, way: str) -> None:
    import json

    spec: dict[str, object] = {"name": NASTY[4], "description": NASTY[5], "tags": [NASTY[1]]}
    environment: dict[str, object] = {"variables": {"EXTRA": NASTY[5]}}
    if way == "template":
        spec |= {"script": None, "command": f"{sys.executable} {{code}}/train.py --text={{text}}"}
    if way == "setup":
        environment["setup"] = ["export FOO='a b'", "cd ."]
    job = server.submit(ECHO, params={"text": NASTY}, environment=environment, **spec)
    tasks = server.wait(job)
    assert [task["state"] for task in tasks] == ["finished"] * len(NASTY), [task["reason"] for task in tasks]
    for task in tasks:
        work = server.home.job(job).task(task["id"]) / "work"
        value = task["params"]["text"]
        assert json.loads((work / "seen.json").read_text()) == [value, value, value, NASTY[5]]
        assert not (work / "pwned").exists()
    shown = server.get(f"/jobs/{job}")
    assert (shown["name"], shown["description"], shown["tags"]) == (NASTY[4], NASTY[5], [NASTY[1]])


def test_home_with_a_hostile_path(tmp_path: Path) -> None:
    home = tmp_path / 'it\'s a "home"; $(touch pwned) ü'
    with running(home, local__slots=1) as server:
        job = server.submit(ECHO, params={"text": "x y"}, environment={"variables": {"EXTRA": "e"}})
        assert server.wait(job)[0]["state"] == "finished"
    assert not (tmp_path / "pwned").exists()


def test_command_of_another_language(server: ServerProcess) -> None:
    command = "for i in 1 2 3; do echo \"epoch: $i val_loss: $(awk -v lr={lr} -v i=$i 'BEGIN {print lr * i}')\"; done"
    body = {"spec": {"command": command, "params": {"lr": "2,3"}}}
    job = server.post("/jobs", body, 201)["id"]
    tasks = server.wait(job)
    assert [(task["state"], task["best_value"], task["epoch"]) for task in tasks] == [
        ("finished", 2, 3),
        ("finished", 3, 3),
    ]


def test_report_reaches_environments_without_paddock(server: ServerProcess) -> None:
    script = "import paddock\nfor i in range(4): paddock.report(epoch=i, val_loss=4 - i)\n"
    bare = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
    job = server.submit(script, environment={"python": bare})
    task = server.wait(job)[0]
    assert (task["state"], task["best_value"], task["best_epoch"]) == ("finished", 1, 3), task["reason"]


def test_remove_while_running(server: ServerProcess) -> None:
    job = server.submit("print('ready', flush=True); import time; time.sleep(600)")
    _ready(server, job)
    pid = server.task(job)["attempts"][0]["pid"]
    assert server.client.delete(f"/jobs/{job}").status_code == 204
    assert server.client.get(f"/jobs/{job}").status_code == 404
    wait_for(lambda: not server.home.job(job).root.exists() and not _alive(pid), what="folder and process to go")
    assert server.get("/health")["ok"]


def test_unusable_environment_is_refused_at_submission(server: ServerProcess) -> None:
    answer = server.client.post(
        "/jobs",
        json={"spec": {"environment": {"setup": ["no-such-command-here"]}}, "files": {"train.py": "print(1)"}},
    )
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "unusable_environment"
    assert "no-such-command-here" in answer.json()["error"]["message"]
    assert server.get("/jobs")["total"] == 0
    assert list(server.home.jobs.iterdir()) == []
