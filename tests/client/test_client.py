"""Test the SDK with a real server."""

import json
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

import paddock
from paddock.client.events import Sent, server_sent
from paddock.client.trials import best_trials
from paddock.errors import (
    Conflict,
    InvalidInput,
    NotAuthorised,
    NotFound,
    ServerUnreachable,
    UnusableEnvironment,
)
from paddock.models import Goal, JobSpec, Method, Objective, SearchReport, StopEarly, TaskState, TrialReport
from paddock.models.space import Choices
from tests.support.server import wait_for
from tests.support.up import TINY, up


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with up(tmp_path_factory.mktemp("client") / "home") as running:
        yield running


@pytest.fixture
def client(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[paddock.Client]:
    for name in ("PADDOCK_URL", "PADDOCK_TOKEN", "PADDOCK_HOME"):
        monkeypatch.delenv(name, raising=False)
    with paddock.Client(home=home) as made:
        yield made


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(TINY)
    return path


NO_GPU = {"gpus": 0}


def test_the_line_on_the_front_page(client: paddock.Client, script: Path) -> None:
    best = client.submit(script, params={"lr": "0.4,0.2"}, resources=NO_GPU).wait(120).best()
    assert best is not None
    assert best.params == {"lr": 0.2}
    assert best.best_value == 0.1
    assert best.state is TaskState.FINISHED


def test_a_search(client: paddock.Client, script: Path) -> None:
    job = client.submit(
        script,
        params={"lr": "0.1..1", "epochs": [1, 2]},
        search={"method": "tpe", "trials": 4},
        parallel=2,
        resources=NO_GPU,
    )
    assert "more to come" in repr(job)
    job.wait(120)
    assert len(job.tasks()) == 4  # none was missed
    report = job.search_report()
    assert (report.method, report.trials, report.searching) == (Method.TPE, 4, False)
    values = [trial.values[0] for trial in job.best_trials()]
    assert values == sorted(trial.values[0] for trial in report.history)  # type: ignore[type-var]
    assert job.best_trials(1)[0].tasks == [job.detail.best_task]
    job.extend(trials=2, params={"lr": "0.1..0.2", "epochs": Choices(values=[2])}).wait(120)
    assert [task.params["epochs"] for task in job.tasks()[4:]] == [2, 2]
    with pytest.raises(InvalidInput, match="5 of what"):
        job.extend(time_budget="5")
    with pytest.raises(NotFound):
        client.search_report("zzzz")


def test_the_best_of_several_objectives_are_the_front() -> None:
    def trial(number: int, front: bool, *values: float | None) -> TrialReport:
        return TrialReport(
            trial=number, tasks=[], params={}, state=TaskState.FINISHED, values=list(values), front=front
        )

    both = [Objective(metric="acc", goal=Goal.MAX), Objective(metric="loss")]
    history = [trial(1, True, 0.5, 1), trial(2, False, 0.9, 9), trial(3, True, 0.8, 2), trial(4, False, None, 1)]
    report = SearchReport(
        method=Method.NSGA2, objectives=both, stop_early=StopEarly(), searching=False, history=history, importance={}
    )
    assert [one.trial for one in best_trials(report)] == [3, 1]
    assert [one.trial for one in best_trials(report, 1)] == [3]
    single = report.model_copy(update={"objectives": both[:1]})
    assert [one.trial for one in best_trials(single)] == [2, 3, 1]


def test_a_handle(client: paddock.Client, script: Path) -> None:
    handle = client.submit(script, params={"lr": [0.4, 0.2]}, resources=NO_GPU, name="x", tags=["sdk"])
    assert handle.detail.counts.total == 2
    assert handle.wait(120) is handle
    assert handle.id in repr(handle)
    assert [task.number for task in handle.tasks()] == [1, 2]
    assert [curve.values for curve in handle.curves()] == [[0.4, 0.2], [0.2, 0.1]]
    assert handle.restart(failed=True) == []
    assert handle.restart() == [f"{handle.id}-1", f"{handle.id}-2"]
    handle.wait(120)
    assert client.task(f"{handle.id}-1").attempt == 2
    assert [job.id for job in client.jobs(tag="sdk", q="x").items] == [handle.id]
    assert client.edit(handle.id, name="y", tags=[]).name == "y"
    assert client.metric_names(handle.id)
    handle.remove()
    with pytest.raises(NotFound):
        client.job(handle.id)


def test_waiting_can_end_before_the_job(client: paddock.Client, script: Path) -> None:
    handle = client.submit(script, params={"sleep": 60}, resources=NO_GPU)
    with pytest.raises(TimeoutError, match="it goes on"):
        handle.wait(0.5)
    assert handle.stop() == [f"{handle.id}-1"]
    assert handle.wait(120).best() is not None or handle.detail.counts.stopped == 1
    assert client.restart(f"{handle.id}-1") == [f"{handle.id}-1"]
    assert client.stop(f"{handle.id}-1") == [f"{handle.id}-1"]
    handle.wait(120)


def test_many_tasks_come_in_pages(client: paddock.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.client.client._PAGE", 3)
    handle = client.submit(command="true {x}", params={"x": list(range(8))}, resources=NO_GPU)
    assert [task.number for task in client.tasks(handle.id)] == list(range(1, 9))
    assert [task.number for task in client.tasks(handle.id, sort="-number", limit=4)] == [8, 7, 6, 5]
    handle.wait(120)


def test_preview_changes_nothing(client: paddock.Client, script: Path) -> None:
    before = client.jobs().total
    preview = client.preview(script, params={"lr": "0.1..0.3:0.1"}, resources=NO_GPU)
    assert preview.count == 3
    assert client.jobs().total == before


def test_a_spec_and_changes_to_it(client: paddock.Client, script: Path) -> None:
    spec = JobSpec.model_validate({"name": "spec", "params": {"lr": [1, 2]}, "resources": {"gpus": 0, "cpus": 1}})
    preview = client.preview(script, spec=spec, params={"lr": 3}, resources={"cpus": 2})
    assert (preview.spec.name, preview.count) == ("spec", 1)
    assert (preview.spec.resources.gpus, preview.spec.resources.cpus) == (0, 2)


def test_job_files(client: paddock.Client, script: Path) -> None:
    file = script.parent / "job.yaml"
    file.write_text("source: .\nparams: {lr: [1, 2]}\nresources: {gpus: 0}\n")
    assert client.preview(file).count == 2
    with pytest.raises(InvalidInput, match="not both"):
        client.preview(file, spec=JobSpec())


def test_logs(client: paddock.Client) -> None:
    command = "for i in 0 1 2; do echo é $i; sleep 0.3; done; printf '\\377'"
    handle = client.submit(command=command, resources=NO_GPU)
    task = f"{handle.id}-1"
    assert "".join(client.follow_log(task)) == "é 0\né 1\né 2\n\ufffd"
    assert client.log(task) == "é 0\né 1\né 2\n\ufffd"
    assert client.log(task, tail=2) == "é 2\n\ufffd"
    assert client.log(task, tail=100) == client.log(task, attempt=1)
    with pytest.raises(NotFound):
        client.log(task, attempt=5)


def test_the_tail_of_a_large_log(client: paddock.Client) -> None:
    handle = client.submit(command="seq 200000", resources=NO_GPU).wait(120)
    task = f"{handle.id}-1"
    assert client.log(task, tail=3) == "199998\n199999\n200000\n"
    lines = client.log(task, tail=100_000).splitlines()
    assert (len(lines), lines[0]) == (100_000, "100001")
    assert len(client.log(task).splitlines()) == 200_000


def test_events(client: paddock.Client, script: Path) -> None:
    handle = client.submit(script, params={"note": "\u2028\x85 line ends of Unicode"}, resources=NO_GPU).wait(120)
    first, second, third = islice(client.events(handle.id, last=0), 3)
    assert (first.kind, first.data["change"]) == ("job", "submitted")
    assert "tasks" in (second.kind, third.kind)
    assert first.id < second.id < third.id
    again = next(iter(client.events(handle.id, last=first.id)))
    assert again == second


def followed(client: paddock.Client, home: Path, job: str) -> tuple[list[str], threading.Thread]:
    """Return events until a job is removed, as a thread sees them. It is connected: it has seen one of this job."""
    seen: list[str] = []

    def follow() -> None:
        with paddock.Client(home=home) as other:
            for event in other.events():
                seen.append(f"{event.kind} {event.job}")
                if event.kind == "removed":
                    return

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    wait_for(lambda: client.edit(job, description=str(time.time())) and seen, what="that it is connected")
    return seen, thread


def test_events_as_they_come(client: paddock.Client, home: Path, script: Path) -> None:
    handle = client.submit(script, resources=NO_GPU).wait(120)
    seen, thread = followed(client, home, handle.id)
    handle.remove()
    thread.join(120)
    assert f"job {handle.id}" in seen
    assert f"removed {handle.id}" in seen


def test_the_server(client: paddock.Client, script: Path) -> None:
    assert client.health().ok
    assert client.version().version == paddock.__version__
    assert client.nodes()[0].backend == "local"
    assert [param.name for param in client.inspect(script).params][:2] == ["lr", "epochs"]
    assert client.link.startswith(client.url + "/?token=")


def test_exports(client: paddock.Client) -> None:
    handle = client.submit(command="true", params={"x": [1, 2]}, resources=NO_GPU).wait(120)
    assert client.export(handle.id).count("\n") == 3
    assert [json.loads(line)["params"] for line in client.export(handle.id, "jsonl").splitlines()] == [
        {"x": 1},
        {"x": 2},
    ]


# --- errors ---------------------------------------------------------------------------------------------------------


def test_errors_of_the_server_are_ours(client: paddock.Client, script: Path) -> None:
    with pytest.raises(NotFound, match="zzzzzz"):
        client.job("zzzzzz")
    with pytest.raises(NotFound, match="is not an id"):
        client.task("../../version")
    with pytest.raises(InvalidInput) as caught:
        client.submit(script, params={"epochs": "many"}, resources=NO_GPU)
    assert "params.epochs" in caught.value.fields
    with pytest.raises(UnusableEnvironment):
        client.submit(script, environment={"python": "/nowhere/python"})
    with pytest.raises(InvalidInput, match="write resources"):
        client.submit(script, resorces=NO_GPU)
    with pytest.raises(InvalidInput, match="nothing to run"):
        client.submit()
    with pytest.raises(InvalidInput, match="cannot be read"):
        client.inspect("nope.py")


def test_a_task_that_runs_is_not_restarted(client: paddock.Client, script: Path) -> None:
    handle = client.submit(script, params={"sleep": 60}, resources=NO_GPU)
    with pytest.raises(Conflict):
        client.restart(f"{handle.id}-1")
    handle.stop()
    handle.wait(120)


def test_no_server(tmp_path: Path) -> None:
    with paddock.Client(home=tmp_path) as client, pytest.raises(ServerUnreachable, match="paddock up"):
        client.jobs()
    (tmp_path / "server.json").write_text("{")
    with paddock.Client(home=tmp_path) as client, pytest.raises(ServerUnreachable, match="cannot be read"):
        client.jobs()
    with paddock.Client(url="http://127.0.0.1:1") as client, pytest.raises(NotAuthorised, match="paddock login"):
        client.jobs()
    with paddock.Client(url="http://127.0.0.1:1", token="any") as client:
        with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:1"):
            client.jobs()
        with pytest.raises(ServerUnreachable):
            next(client.events())


def test_a_wrong_token(home: Path) -> None:
    with paddock.Client(home=home, token="wrong") as client, pytest.raises(NotAuthorised, match="PADDOCK_TOKEN"):
        client.jobs()


def test_the_environment_says_where_the_server_is(client: paddock.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDOCK_URL", client.url + "/")
    monkeypatch.setenv("PADDOCK_TOKEN", client.link.partition("token=")[2])
    monkeypatch.setenv("PADDOCK_HOME", "/nowhere")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")  # not for a server on this machine
    with paddock.Client() as other:
        assert other.health().ok


def test_server_sent_events_are_read_as_the_standard_says() -> None:
    parts = [
        b': hello\n\nevent: a\r\nid: 7\r\ndata: {"x":',
        b' "\xe2\x80\xa8\xc2\x85"}\n',
        b"\ndata: 1\ndata:2\n\n",
        b"data: torn",
    ]
    assert list(server_sent(parts)) == [Sent("a", '{"x": "\u2028\x85"}', "7"), Sent("message", "1\n2", "7")]


def test_a_server_that_comes_back_is_followed_on(tmp_path: Path) -> None:
    """On another port, even: the address is looked up again."""
    home = tmp_path / "home"
    with up(home), paddock.Client(home=home) as client:
        first = client.submit(command="sleep 600", resources=NO_GPU)
        seen, thread = followed(client, home, first.id)
    with up(home), paddock.Client(home=home) as client:
        second = client.submit(command="true", resources=NO_GPU)
        assert client.job(first.id).wait(120).detail.counts.total == 1
        second.wait(120).remove()
        thread.join(120)
    assert f"job {second.id}" in seen
    assert f"removed {second.id}" in seen
