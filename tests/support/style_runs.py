"""Run a script of each style as a sweep of two, and look at what it got."""

import json

from tests.support.server import ServerProcess
from tests.support.styles import Style


def check(server: ServerProcess, style: Style, **spec: object) -> None:
    given = {"script": style.script, "params": style.params, **spec}
    job = server.post("/jobs", {"spec": given, "files": style.files}, 201)["id"]
    report = server.get(f"/jobs/{job}")["script"]
    assert report["convention"] == style.convention
    found = [param["name"] for param in report["params"]]
    assert [name for name in style.names if name not in found] == []
    tasks = server.wait(job)
    logs = [server.log_of(job, number) for number in (1, 2)]
    assert [task["state"] for task in tasks] == ["finished"] * 2, (logs, tasks[0]["reason"])
    got = [[line for line in log.splitlines() if line.startswith("GOT ")][-1] for log in logs]
    values = [json.loads(line.removeprefix("GOT ")) for line in got]
    assert values == style.got
    assert json.dumps(values, sort_keys=True) == json.dumps(style.got, sort_keys=True), "types too: 1.0 is not 1"
