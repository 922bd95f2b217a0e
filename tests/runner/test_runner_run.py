"""Test a task from its claim to its end."""

import json
import os
import sys
import time
from pathlib import Path

from tests.runner.folder import Folder, ended, kinds, wait_for

TELL = """
import json, os, sys
print(json.dumps({"env": dict(os.environ), "argv": sys.argv[1:], "cwd": os.getcwd(),
                  "params": json.load(open(os.environ["PADDOCK_PARAMS"])), "stdin": sys.stdin.read()}))
"""
# What of it is there while it runs.
LOOK = """
checkpoint = os.listdir(os.environ["PADDOCK_CHECKPOINT_DIR"])
seen = [open("helper.txt").read(), os.readlink("helper.txt"), os.path.realpath("results"), checkpoint]
open("out.txt", "w").write(json.dumps(seen))
"""
HOSTILE = [
    "a b",
    "it's",
    'a "quote"',
    "line\nbreak\ttab\r",
    "zwölf ≤ 日本 🚀",
    "; rm -rf /",
    "$(touch pwned) `touch pwned` ${HOME}",
    "*",
    "~",
    "%s %n",
    "-rf",
    "",
    "\\",
    "\x1b[31m",
    "\udcff",
]


def test_success(folder: Folder, python: str) -> None:
    folder.python = python
    folder.python_task("t-1", TELL, params={"lr": 0.1, "name": "x"}, env={"A": "b"})
    folder.end()
    folder.allocate()
    records = folder.run(PADDOCK_DEVICE="2", FROM_RUNNER="yes")

    assert kinds(records) == ["runner", "started", "ended", "bye"]
    runner, started, end = records[0], records[1], ended(records, "t-1")
    assert runner["python"].split(".")[:2] == (["3", "8"] if "3.8" in python else list(map(str, sys.version_info[:2])))
    assert len(runner["version"]) == 8
    assert runner["device"] == started["device"] == "2"
    assert started["node"] == os.uname().nodename
    assert {k: end[k] for k in ("attempt", "exit", "signal", "by", "cause", "reason")} == {
        "attempt": 1,
        "exit": 0,
        "signal": None,
        "by": None,
        "cause": None,
        "reason": None,
    }
    assert end["peak_memory"] > 1_000_000
    assert end["cpu_seconds"] > 0
    assert abs(end["at"] - time.time()) < 60


def test_environment_and_folders(folder: Folder) -> None:
    (folder.root / "lib").mkdir()
    folder.code("helper.txt", "hello")
    (folder.root / "code" / "results").mkdir()
    folder.python_task(
        "t-1",
        TELL + LOOK + "open(f'results/{os.environ[\"PADDOCK_JOB\"]}/t-1/t-1.csv', 'w').write('x')",
        params={"lr": 0.1},
        env={"A": "b", "PYTHONPATH": "/mine"},
    )
    folder.end()
    folder.allocate()
    assert ended(folder.run(FROM_RUNNER="yes"), "t-1")["exit"] == 0

    told = json.loads(folder.log("t-1"))
    results = folder.results("t-1")
    assert told["params"] == {"lr": 0.1}
    assert told["cwd"] == str(results / "work")
    assert told["stdin"] == ""
    expected = {
        "A": "b",
        "FROM_RUNNER": "yes",
        "PADDOCK_JOB": folder.job,
        "PADDOCK_TASK": "t-1",
        "PADDOCK_ATTEMPT": "1",
        "PADDOCK_ALLOCATION": "a1.0",
        "PADDOCK_PARAMS": str(results / "attempts/1/params.json"),
        "PADDOCK_CHECKPOINT_DIR": str(results / "checkpoint"),
        "PADDOCK_REPORT": str(results / "attempts/1/report.jsonl"),
        "PADDOCK_RESULTS_DIR": str(results),
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": f"/mine:{folder.root / 'lib'}",
    }
    assert expected.items() <= told["env"].items()
    assert (results / "t-1.csv").read_text() == "x"
    read, link, all_results, checkpoint = json.loads((results / "work/out.txt").read_text())
    assert (read, link, checkpoint) == ("hello", "../../../../code/helper.txt", [])
    assert all_results == str(folder.root / "results")
    assert not (folder.root / "code/out.txt").exists()


def test_hostile_values_arrive_unchanged(folder: Folder, python: str) -> None:
    folder.python = python
    env = {f"V{i}": value for i, value in enumerate(HOSTILE)}
    params = {value: value for value in HOSTILE}
    folder.add("t-1", sys.executable, folder.code("tell.py", TELL), *HOSTILE, env=env, params=params)
    folder.end()
    folder.allocate()
    # The node's locale must not matter.
    assert ended(folder.run(LC_ALL="C"), "t-1")["exit"] == 0

    told = json.loads(folder.log("t-1"))
    assert told["argv"] == HOSTILE
    assert env.items() <= told["env"].items()
    assert told["params"] == params
    assert not list(folder.root.rglob("pwned"))


def test_failure_has_a_cause(folder: Folder) -> None:
    folder.python_task("t-1", "import sys; sys.exit('no such dataset')")
    folder.python_task("t-2", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    folder.end()
    folder.allocate()
    records = folder.run()
    assert ended(records, "t-1")["exit"] == 1
    assert ended(records, "t-1")["cause"] == "user_error"
    assert "no such dataset" in ended(records, "t-1")["reason"]
    assert ended(records, "t-2")["exit"] is None
    assert ended(records, "t-2")["signal"] == 11


def test_start_failures_are_reported_and_the_runner_goes_on(folder: Folder, tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("x")
    script = tmp_path / "script.sh"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    (folder.root / "results" / folder.job).mkdir()
    folder.results("t-8").write_text("a file where a folder has to be")
    folder.add("t-1", "/no/such/program")
    folder.add("t-2", str(plain))
    folder.add("t-3", str(script))
    folder.add("t-4", "true", "x" * 3_000_000)
    folder.add("t-5")
    folder.add("t-6", "true", "nul\0byte")
    folder.add("t-7", "true", env={"A": 1})
    folder.add("t-8", "true")
    folder.add("t-9", "true", env={"A=B": "c"})
    folder.add("t-10", "true")
    folder.end()
    folder.allocate()
    records = folder.run()

    words = {
        "t-1": "/no/such/program: No such file",
        "t-2": f"{plain}: Permission denied",
        "t-3": f"{script}: the interpreter",
        "t-4": "Argument list too long",
        "t-5": "no command",
        "t-6": "null byte",
        "t-7": "variable A",
        "t-8": str(folder.results("t-8")),
        "t-9": "environment variable name",
    }
    for task, text in words.items():
        end = ended(records, task)
        assert (end["exit"], end["cause"]) == (None, "launch_failed")
        assert text in end["reason"]
    assert ended(records, "t-10")["exit"] == 0
    assert {r["task"] for r in records if r["e"] == "started"} == {"t-10"}


def test_whatever_is_in_place_of_a_log_is_reported_and_the_runner_goes_on(folder: Folder, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text("somebody's")
    attempt = {task: folder.results(task) / "attempts" / "1" for task in ("t-1", "t-2", "t-3", "t-4", "t-5")}
    for task, place in attempt.items():
        place.mkdir(parents=True)
        folder.add(task, "echo", "here")
    os.mkfifo(attempt["t-1"] / "out.log")
    (attempt["t-2"] / "out.log").symlink_to(elsewhere)
    (attempt["t-3"] / "out.log").hardlink_to(elsewhere)
    (attempt["t-4"] / "out.log").mkdir()
    os.mkfifo(attempt["t-5"] / "params.json.tmp")
    folder.end()
    folder.allocate()
    records = folder.run()
    for task in ("t-1", "t-2", "t-3", "t-4"):
        end = ended(records, task)
        assert (end["exit"], end["cause"]) == (None, "launch_failed")
        assert str(attempt[task] / "out.log") in end["reason"]
        assert "plain file" in end["reason"] or "hard link" in end["reason"]
    assert ended(records, "t-5")["exit"] == 0
    assert folder.log("t-5") == "here\n"
    assert elsewhere.read_text() == "somebody's"


def test_slots_run_at_the_same_time(folder: Folder) -> None:
    for i in range(4):
        folder.add(f"t-{i}", "sleep", "0.5")
    folder.end()
    folder.allocate(slots=4)
    assert kinds(folder.run()) == ["runner"] + ["started"] * 4 + ["ended"] * 4 + ["bye"]


def test_output_may_be_anything(folder: Folder) -> None:
    folder.python_task(
        "t-1",
        "import os, sys\n"
        "sys.stdout.buffer.write(os.urandom(3_000_000) + b'\\x00' * 100_000 + b'\\xff' * 100_000)\n"
        "sys.stdout.write('\\n' + 'a line of some length\\n' * 1_000_000)\n",
    )
    folder.end()
    folder.allocate()
    records = folder.run()
    assert ended(records, "t-1")["exit"] == 0
    assert (folder.results("t-1") / "attempts/1/out.log").stat().st_size == 3_200_001 + 22 * 1_000_000


def test_output_is_there_while_the_task_runs(folder: Folder) -> None:
    folder.python_task("t-1", "import time; print('hello'); time.sleep(60)")
    folder.allocate()
    folder.start()
    folder.await_record("started", "t-1")
    wait_for(lambda: folder.log("t-1") == "hello\n")


def test_metrics_are_all_there_before_the_end(folder: Folder) -> None:
    folder.python_task(
        "t-1",
        "import time\n"
        "with open('log.csv', 'w') as f:\n"
        "    f.write('epoch,loss\\n0,1.5\\n')\n"
        "    f.flush(); time.sleep(0.5)\n"
        "    f.write('1,0.5')\n",
    )
    folder.end()
    folder.allocate(metrics={"files": ["log.csv"], "stdout": True})
    records = folder.run()
    points = [r for r in records if r["e"] == "metric"]
    assert [(r["task"], r["attempt"], r["step"], r["v"]) for r in points] == [
        ("t-1", 1, 0, {"loss": 1.5}),
        ("t-1", 1, 1, {"loss": 0.5}),
    ]
    assert points[0]["at"] < ended(records, "t-1")["at"] - 0.3
    assert kinds(records)[-2:] == ["ended", "bye"]


def test_usage_counts_children(folder: Folder) -> None:
    hungry = "import time; x = b'x' * 50_000_000\nwhile time.process_time() < 1.5: pass"
    folder.python_task("t-1", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hungry!r}])")
    folder.end()
    folder.allocate()
    records = folder.run()
    samples = [r for r in records if r["e"] == "usage"]
    assert len(samples) >= 3
    assert max(s["memory"] for s in samples) > 50_000_000
    assert max(s["cpu"] for s in samples) > 0.02  # of a core; the parent alone, which waits, uses none
    end = ended(records, "t-1")
    assert end["peak_memory"] >= max(s["memory"] for s in samples)
    assert end["cpu_seconds"] > 1.4


def test_throughput(folder: Folder) -> None:
    count = 100
    for i in range(count):
        folder.add(f"t-{i}", "true")
    folder.end()
    folder.allocate(poll_seconds=0.2, usage_seconds=2.0)
    begin = time.monotonic()
    records = folder.run()
    print(f"{count / (time.monotonic() - begin):.0f} tasks a second")
    assert kinds(records).count("ended") == count
