"""Test jobs over REST: preview, submit, list, edit, stop, restart, remove, export."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import optuna
import pytest

from tests.support.server import ServerProcess, wait_for

SCRIPT = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--learning_rate", type=float, required=True)
parser.add_argument("--optimizer", choices=["sgd", "adam"], default="sgd")
parser.add_argument("--epochs", type=int, default=2)
args = parser.parse_args()
for epoch in range(args.epochs):
    print(f"epoch: {epoch} val_loss: {args.learning_rate * args.batch_size / (epoch + 1)}")
"""


def _refused(server: ServerProcess, spec: dict[str, Any], files: dict[str, str] | None = None) -> dict[str, Any]:
    """The error of a submission, which the preview must give just the same."""
    body = {"spec": spec, "files": {"train.py": SCRIPT} if files is None else files}
    answers = [server.client.post(path, json=body) for path in ("/jobs/preview", "/jobs")]
    assert [answer.status_code for answer in answers] == [answers[0].status_code] * 2
    errors: list[dict[str, Any]] = [answer.json()["error"] for answer in answers]
    assert errors[0] == errors[1]
    return errors[0] | {"status": answers[0].status_code}


def test_preview_is_what_runs(server: ServerProcess) -> None:
    spec = {"params": {"batch_size": "64,32,16", "learning_rate": "0.01,0.001"}}
    body = {"spec": spec, "files": {"train.py": SCRIPT}}
    preview = server.post("/jobs/preview", body)
    assert (preview["count"], preview["columns"]) == (6, ["batch_size", "learning_rate"])
    assert preview["tasks"][5] == {"batch_size": 16, "learning_rate": 0.001}
    assert preview["commands"][5][-4:] == ["--batch-size", "16", "--learning_rate", "0.001"]
    job = server.post("/jobs", body, 201)
    assert job["counts"]["submitted"] == 6
    tasks = server.wait(job["id"])
    assert [task["params"] for task in tasks] == preview["tasks"]
    command = server.task(job["id"], 6)["command"]
    assert command == [part.replace("/JOB/", f"/{job['id']}/") for part in preview["commands"][5]]
    assert tasks[5]["best_value"] == pytest.approx(0.008)
    assert (tasks[5]["best_epoch"], tasks[5]["progress"]) == (1, 1.0)
    shown = server.get(f"/jobs/{job['id']}")
    assert (shown["best_task"], shown["best_value"]) == (tasks[5]["id"], tasks[5]["best_value"])
    assert shown["name"] == "train.py"


def test_multipart_with_a_folder(server: ServerProcess) -> None:
    spec = {"script": "main.py", "params": {"n": "1,2"}, "convention": "env"}
    code = {"source": "somewhere", "git_commit": "abc123", "git_dirty": True}
    files = [
        ("files", ("main.py", b"from lib import helper\nprint(helper.word(), open('data/x.txt').read())\n")),
        ("files", ("lib/helper.py", b"def word(): return 'hello'\n")),
        ("files", ("lib/__init__.py", b"")),
        ("files", ("data/x.txt", "ünï".encode())),
    ]
    answer = server.client.post("/jobs", data={"spec": json.dumps(spec), "code": json.dumps(code)}, files=files)
    assert answer.status_code == 201, answer.text
    job = answer.json()
    assert (job["code"]["files"], job["code"]["git_commit"], job["code"]["git_dirty"]) == (4, "abc123", True)
    server.wait(job["id"])
    assert server.log_of(job["id"]).strip() == "hello ünï"


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"params": {}}, "params.learning_rate"),
        ({"params": {"learning_rate": "fast"}}, "params.learning_rate"),
        ({"params": {"learning_rate": 1, "optimizer": "sgd,lion"}}, "params.optimizer"),
        ({"params": {"learning_rate": 1, "batch_size": "1.5"}}, "params.batch_size"),
        ({"params": {"learning_rate": "1..0"}}, "spec.params.learning_rate"),
        ({"params": {"learning_rate": "0..1"}, "search": {"method": "grid"}}, "params.learning_rate"),
        ({"params": {"learning_rate": 1, "batch_size": "0.5..8"}}, "params.batch_size"),
        ({"params": {"learning_rate": list(range(300)), "batch_size": list(range(300))}}, "params"),
        ({"params": {"learning_rate": 1}, "script": "other.py"}, "script"),
        ({"params": {"learning_rate": 1}, "script": "train.py", "command": "true"}, "command"),
        ({"params": {"learning_rate": 1}, "resources": {"gpus": 4}}, "resources.gpus"),
        ({"params": {"learning_rate": 1}, "resources": {"cpus": 400}}, "resources.cpus"),
        ({"params": {"learning_rate": 1}, "resources": {"backend": "moon"}}, "resources.backend"),
        ({"params": {"learning_rate": 1}, "resources": {"profile": "moon"}}, "resources.profile"),
        ({"params": {"learning_rate": 1}, "resources": {"nodes": 2, "launcher": "srun"}}, "resources.nodes"),
        ({"params": {"learning_rate": 1}, "resources": {"partition": "a b"}}, "spec.resources.slurm.partition"),
        ({"params": {"learning_rate": 1}, "resources": {"time_limit": "60"}}, "spec.resources.time_limit"),
        ({"params": {"learning_rate": 1}, "resources": {"memory": "9" * 400 + "G"}}, "spec.resources.memory"),
        ({"params": {"learning_rate": 1}, "resources": {"options": ["--array=1"]}}, "spec.resources.slurm.options.0"),
        ({"params": {"learning_rate": 1}, "environment": {"python": "/no/python"}}, "environment.python"),
        ({"params": {"learning_rate": 1}, "environment": {"venv": "/x", "conda": "y"}}, "spec.environment"),
        ({"params": {"learning_rate": 1}, "objective": "loss:up"}, "spec.objective"),
        ({"params": {"learning_rate": 1}, "no_such_field": 1}, "spec.no_such_field"),
        ({"script": None, "command": "echo {nothing}"}, "command"),
        ({"params": {"bad name": 1}}, "spec.params.bad name.[key]"),
    ],
)
def test_bad_specs_name_the_field(server: ServerProcess, spec: dict[str, Any], field: str) -> None:
    before = server.get("/jobs")["total"]
    error = _refused(server, spec)
    assert error["status"] == 422
    assert field in error["fields"], error
    assert error["message"].endswith(".")
    assert server.get("/jobs")["total"] == before


@pytest.mark.parametrize(
    "path", ["../evil.py", "/etc/evil.py", "a/../../evil.py", "..", "a\\..\\..\\evil.py", "x" * 300]
)
def test_no_upload_leaves_the_job_folder(server: ServerProcess, path: str) -> None:
    files = {"train.py": SCRIPT, path: "evil"}
    error = _refused(server, {"script": "train.py", "params": {"learning_rate": 1}}, files)
    assert (error["status"], list(error["fields"])) == (422, ["files"])
    parts = [("files", ("train.py", b"print(1)")), ("files", (path, b"evil"))]
    answer = server.client.post("/jobs", data={"spec": '{"script": "train.py"}'}, files=parts)
    assert answer.status_code == 422
    assert not list(Path(server.home.root).rglob("evil.py"))
    assert not (server.home.root.parent / "evil.py").exists()


def test_file_and_folder_of_one_name(server: ServerProcess) -> None:
    files = {"train.py": SCRIPT, "a": "file", "a/b": "in folder"}
    assert "both" in _refused(server, {"script": "train.py", "params": {"learning_rate": 1}}, files)["message"]


def test_too_large_and_too_many(server: ServerProcess) -> None:
    spec = {"script": "train.py", "params": {"learning_rate": 1}}
    assert _refused(server, spec, {"train.py": SCRIPT, "big": "x" * 250_000})["status"] == 413
    assert _refused(server, spec, {"train.py": SCRIPT} | {f"f{i}": "" for i in range(30)})["status"] == 413
    huge = server.client.post("/jobs", content=b"x" * 3_000_000, headers={"Content-Type": "application/json"})
    assert huge.status_code == 413


def test_broken_bodies(server: ServerProcess) -> None:
    for content, kind in [(b"{", "application/json"), (b"\xff\xfe", "application/json"), (b"", "application/json")]:
        answer = server.client.post("/jobs", content=content, headers={"Content-Type": kind})
        assert answer.status_code == 422, answer.text
    boundary = {"Content-Type": "multipart/form-data; boundary=x"}
    for content in (b"--x", b"--x\r\n\r\n--x--", b""):
        assert server.client.post("/jobs", content=content, headers=boundary).status_code == 422
    assert server.client.post("/jobs", data={"spec": "{"}, files=[("files", ("a.py", b""))]).status_code == 422


def test_list_filters_and_edit(server: ServerProcess) -> None:
    job = server.submit("print(1)", name="Find me 100%", tags=["α", 'say "hi"'], params={"n": 1})
    server.submit("print(1)", name="Find me 1000", params={"n": 1})
    assert [item["id"] for item in server.get("/jobs", q="me 100%")["items"]] == [job]
    assert [item["id"] for item in server.get("/jobs", tag='say "hi"')["items"]] == [job]
    assert server.get("/jobs", tag="say")["total"] == 0
    page = server.get("/jobs", q="Find me", sort="name", limit=1, offset=1)
    assert (page["total"], [item["name"] for item in page["items"]]) == (2, ["Find me 1000"])
    changed = server.client.patch(f"/jobs/{job[:6]}", json={"name": "New <b>name</b>", "tags": []}).json()
    assert (changed["name"], changed["tags"], changed["spec"]["name"]) == ("New <b>name</b>", [], "New <b>name</b>")
    assert server.client.patch(f"/jobs/{job}", json={"owner": "me"}).status_code == 422


def test_ids_may_be_shortened(server: ServerProcess) -> None:
    job = server.submit("print(1)")
    assert server.get(f"/jobs/{job[:7]}")["id"] == job
    assert server.get(f"/tasks/{job[:7]}-1")["id"] == f"{job}-1"
    for wrong in ("nope", "%", "_", job + "x"):
        answer = server.client.get(f"/jobs/{wrong}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    assert server.client.get(f"/tasks/{job}-2").status_code == 404
    assert server.client.get(f"/tasks/{job}-x").status_code == 404
    first = {item["id"][0] for item in server.get("/jobs", limit=500)["items"]}
    while True:  # 32 letters: soon two jobs begin with the same
        job = server.submit("print(1)")
        if job[0] in first:
            break
        first.add(job[0])
    answer = server.client.get(f"/jobs/{job[0]}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "ambiguous_id")


def test_stop_and_restart_by_task(server: ServerProcess) -> None:
    job = server.submit("import time; time.sleep(600)", params={"n": "1,2"})
    server.wait_state(job, "running", 1)
    refused = server.client.post(f"/tasks/{job}-1/restart")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
    assert server.post(f"/tasks/{job}-1/stop") == {"tasks": [f"{job}-1"]}
    server.wait_state(job, "stopped", 1)
    assert server.post(f"/tasks/{job}-1/stop") == {"tasks": []}
    assert server.client.post(f"/jobs/{job}/stop", json={"tasks": ["99"]}).status_code == 404
    assert server.post(f"/jobs/{job}/restart", {"tasks": ["1"]})["tasks"] == [f"{job}-1"]
    server.wait_state(job, "running", 1)
    assert server.post(f"/jobs/{job}/stop")["tasks"] == [f"{job}-1", f"{job}-2"]
    assert [task["state"] for task in server.wait(job)] == ["stopped", "stopped"]


def test_export(server: ServerProcess) -> None:
    job = server.submit(SCRIPT, params={"learning_rate": "0.5,0.25", "optimizer": "sgd"})
    server.wait(job)
    rows = list(csv.DictReader(io.StringIO(server.client.get(f"/jobs/{job}/export").text)))
    assert [(row["state"], row["param.learning_rate"], row["best_value"]) for row in rows] == [
        ("finished", "0.5", "8.0"),
        ("finished", "0.25", "4.0"),
    ]
    lines = server.client.get(f"/jobs/{job}/export", params={"format": "jsonl"}).text.splitlines()
    assert [json.loads(line)["params"]["learning_rate"] for line in lines] == [0.5, 0.25]
    assert [row["best.val_loss"] for row in rows] == ["8.0", "4.0"]
    assert [json.loads(line)["measured"]["best.val_loss"] for line in lines] == [8, 4]


def test_export_of_curves_and_all_metrics(server: ServerProcess) -> None:
    job = server.submit("for i in range(3): print(f'epoch: {i} loss: {3 - i} val_acc: {0.5 * i} strange: nan')")
    server.wait(job)
    path = f"/jobs/{job}/export"
    [row] = csv.DictReader(io.StringIO(server.client.get(path).text))
    assert (row["last.loss"], row["best.loss"], row["last.val_acc"], row["best.val_acc"]) == (
        "1.0",
        "1.0",
        "1.0",
        "1.0",
    )
    points = list(csv.DictReader(io.StringIO(server.client.get(path, params={"what": "curves"}).text)))
    assert [(one["step"], one["value"]) for one in points if one["metric"] == "loss"] == [
        ("0.0", "3.0"),
        ("1.0", "2.0"),
        ("2.0", "1.0"),
    ]
    assert {one["task"] for one in points} == {f"{job}-1"}
    assert all(float(one["time"]) > 1e9 for one in points)
    answer = server.client.get(path, params={"what": "curves", "format": "jsonl"})
    assert f"{job}-curves.jsonl" in answer.headers["content-disposition"]
    curves = [json.loads(line) for line in answer.text.splitlines()]
    assert {curve["metric"]: curve["values"] for curve in curves if curve["metric"] != "strange"} == {
        "loss": [3, 2, 1],
        "val_acc": [0, 0.5, 1],
    }


def test_export_as_a_study_of_optuna(server: ServerProcess, tmp_path: Path) -> None:
    job = server.submit(SCRIPT, params={"learning_rate": "0.5,0.25", "optimizer": "sgd"}, name="mine")
    server.wait(job)
    answer = server.client.get(f"/jobs/{job}/export", params={"format": "optuna"})
    assert answer.status_code == 200, answer.text
    assert f"{job}-optuna.db" in answer.headers["content-disposition"]
    path = tmp_path / "study.db"
    path.write_bytes(answer.content)
    study = optuna.load_study(study_name="mine", storage=f"sqlite:///{path}")
    assert [(trial.params["learning_rate"], trial.value) for trial in study.trials] == [(0.5, 8.0), (0.25, 4.0)]
    assert study.metric_names == ["val_loss"]
    assert study.trials[0].intermediate_values, "its curve"


def test_curves_of_all_tasks_in_one_call(server: ServerProcess) -> None:
    source = "for i in range(3000): print(f'step: {i} val_loss: {abs(1500 - i)} other: {i}')"
    job = server.submit(source, params={"n": "1,2"})
    server.wait(job)
    curves = server.get(f"/jobs/{job}/metrics", points=100)
    assert [(curve["task"], curve["metric"], curve["total"]) for curve in curves] == [
        (f"{job}-1", "val_loss", 3000),
        (f"{job}-2", "val_loss", 3000),
    ]
    assert len(curves[0]["steps"]) <= 100
    assert min(curves[0]["values"]) == 0
    assert (curves[0]["steps"][0], curves[0]["steps"][-1]) == (0, 2999)
    assert "other" in server.get(f"/jobs/{job}/metrics/names")
    assert len(server.get(f"/tasks/{job}-1/metrics", points=10)) == len(server.task(job)["metrics"])


def test_failure_has_its_reason(server: ServerProcess) -> None:
    job = server.submit("print('start')\ndef f():\n    tensorflow.zeros(1)\nf()")
    task = server.wait(job)[0]
    assert (task["state"], task["cause"], task["exit_code"]) == ("error", "user_error", 1)
    assert task["reason"] == "NameError: name 'tensorflow' is not defined"


def test_inspect(server: ServerProcess) -> None:
    found = server.post("/scripts/inspect", {"source": SCRIPT, "params": ["batchsize"]})
    assert found["convention"] == "flags"
    assert [param["name"] for param in found["params"]] == ["batch_size", "learning_rate", "optimizer", "epochs"]
    assert found["params"][2]["choices"] == ["sgd", "adam"]
    assert any("batchsize" in warning for warning in found["warnings"])


def test_nodes_and_health(server: ServerProcess) -> None:
    node = server.get("/nodes")[0]
    assert (node["backend"], node["slots"]) == ("local", 2)
    health = wait_for(lambda: server.get("/health"))
    assert (health["ok"], health["database"], health["backends"]) == (True, "sqlite", {"local": "ok"})


def test_sample_sweep_can_be_submitted_as_it_is(server: ServerProcess) -> None:
    sample = server.get("/samples")[0]
    assert sample["name"] == "Two spirals"
    preview = server.post("/jobs/preview", sample["submission"])
    assert preview["count"] == 8
    small = sample["submission"]
    small["spec"]["params"] = {"epochs": {"values": [3]}}
    job = server.post("/jobs", small, 201)["id"]
    assert server.wait(job)[0]["state"] == "finished"
    shown = server.get("/jobs", q=job)["items"][0]
    assert len(shown["sparkline"]) == 3
    assert min(shown["sparkline"]) == shown["best_value"]


def test_facets(server: ServerProcess) -> None:
    server.submit("print(1)", tags=["zeta", "alpha"])
    found = server.get("/jobs/facets")
    assert {"alpha", "zeta"} <= set(found["tags"])
    assert found["tags"] == sorted(found["tags"])
    assert len(found["owners"]) == 1


def test_nodes_show_the_tasks_on_their_devices(server: ServerProcess) -> None:
    job = server.submit("import time; time.sleep(600)")
    server.wait_state(job, "running")

    def shown() -> bool:
        devices = [device for node in server.get("/nodes") for device in node["devices"]]
        return any(f"{job}-1" in device["tasks"] for device in devices)

    wait_for(shown, what="the task on a device")
    server.post(f"/jobs/{job}/stop")
    server.wait(job)


def test_files_of_a_job_can_be_taken_up_again(server: ServerProcess) -> None:
    files = {"train.py": "print('ü')", "lib/a.txt": "text"}
    job = server.post("/jobs", {"spec": {"script": "train.py"}, "files": files}, 201)["id"]
    assert server.get(f"/jobs/{job}/files") == files
    command = server.post("/jobs", {"spec": {"command": "true"}}, 201)["id"]
    assert server.get(f"/jobs/{command}/files") == {}


def test_a_preview_of_a_folder_says_what_is_left_out(server: ServerProcess) -> None:
    names = ["train.py", ".gitignore", "runs/", "runs/1.log", "lib/.gitignore", "lib/a.tmp", ".venv/"]
    ignore_files = {".gitignore": "/runs", "lib/.gitignore": "*.tmp"}
    found = server.post("/jobs/preview/files", {"names": names, "ignore_files": ignore_files})
    assert found == {"names": ["runs/", "runs/1.log", "lib/a.tmp", ".venv/"]}
    assert server.client.post("/jobs/preview/files", json={"names": ["a\0b"]}).status_code == 422
