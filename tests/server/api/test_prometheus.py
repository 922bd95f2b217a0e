"""Test what Prometheus collects, and that it is behind the wall and bounded."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from paddock.models import Device, GpuProcess, Node, SignedInPerson
from paddock.server.api import prometheus
from paddock.server.api.replies import Replier
from paddock.server.api.server import Server
from paddock.server.engine.round_times import RoundTimes
from paddock.server.store.db import Database
from tests.server.store.given import add_job
from tests.support.server import ServerProcess, wait_for
from tests.support.team import ALICE, BOB, Team, team


def parsed(text: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Return the values by metric, and by the values of its labels in the order of their names."""
    families: Iterable[Metric] = text_string_to_metric_families(text)
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for one in (sample for family in families for sample in family.samples):
        found.setdefault(one.name, {})[tuple(value for _, value in sorted(one.labels.items()))] = one.value
    return found


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with team(tmp_path_factory.mktemp("team") / "home", local__slots=1) as made:
        yield made


def test_a_token_that_may_only_read_is_enough(lab: Team) -> None:
    spec = {"command": "sleep 600", "resources": {"gpus": 0}, "visibility": "private", "name": "a secret name"}
    job = lab.clients[ALICE].post("/jobs", json={"spec": spec}).json()["id"]
    reader = lab.with_token(BOB, scope="read")

    def running() -> dict[str, dict[tuple[str, ...], float]] | None:
        answer = reader.get(f"{lab.url}/metrics")
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/plain; version=")
        assert job not in answer.text, "there are many jobs, and some are private"
        assert "secret" not in answer.text
        found = parsed(answer.text)
        return found if found["paddock_tasks"].get(("running", ALICE)) else None

    found = wait_for(running, what="a task that runs")
    assert found["paddock_jobs"]["running", ALICE] == 1
    assert found["paddock_backend_up"]["local",] == 1
    assert found["paddock_engine_failing_steps"][()] == 0
    assert found["paddock_engine_round_seconds_count"][()] == found["paddock_engine_round_seconds_bucket"]["+Inf",] > 0
    assert found["process_resident_memory_bytes"][()] > 1e7
    [(where, cores)] = found["paddock_node_cores"].items()
    assert where[0] == "local"
    assert cores >= 1
    assert found["paddock_node_up"][where] == 1
    assert parsed(reader.get("/metrics").text).keys() == found.keys(), "/api/v1/metrics is the same"
    lab.clients[ALICE].post(f"/jobs/{job}/stop")


def test_nobody_else_gets_them(lab: Team) -> None:
    assert lab.stranger().get(f"{lab.url}/metrics").status_code == 401
    assert lab.with_token(ALICE, scope="feed").get(f"{lab.url}/metrics").status_code == 403
    browser = lab.browser(ALICE)
    assert browser.get(f"{lab.url}/metrics").status_code == 200
    del browser.headers["X-Paddock-Page"]  # a server on another port of the host is sent the cookie, not this
    assert browser.get(f"{lab.url}/metrics").status_code == 401


def test_alone_with_the_token_of_the_home(server: ServerProcess) -> None:
    answer = server.client.get("/metrics", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert parsed(answer.text)["paddock_info"]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    made = Database(f"sqlite:///{tmp_path / 'x.db'}")
    made.migrate()
    yield made
    made.close()


def scraped(db: Database, *nodes: Node) -> dict[str, dict[tuple[str, ...], float]]:
    times = RoundTimes()
    for seconds in (0.01, 0.3, 99.0):
        times.add(seconds)
    known = {"round_times": times, "beat": 5.0, "failing_steps": 0, "set_aside": {}, "backends": {"lab": "away"}}
    engine = SimpleNamespace(**known, nodes_now=lambda: list(nodes))
    at = SimpleNamespace(
        db=db, engine=engine, streams=SimpleNamespace(number=2), outposts=SimpleNamespace(agents={"": 1, "lab": 3})
    )
    return parsed(bytes(prometheus.scrape(cast(Server, at), Replier(gzipped=False)).body).decode())


def node(name: str = "gpu1", **fields: Any) -> Node:
    return Node(**{"name": name, "backend": "lab", "cpus": 8, "slots": 1, "cpu_slots": 8, **fields})


def test_what_is_known_of_nodes_and_gpus(db: Database) -> None:
    gpu = Device(
        id="0", kind="gpu", name='a "GPU"\n\\', uuid="GPU-a", memory=100, memory_used=60, load=0.5, temperature=61,
        power=312.5, power_limit=700, processes=[GpuProcess(pid=7)],
    )  # fmt: skip
    people = [SignedInPerson(user="ann"), SignedInPerson(user="ann", terminal="pts/2")]
    silent = node("gpu2", usable=False, state="silent")
    found = scraped(db, node(devices=[gpu], memory=10, memory_free=4, people=people), silent)
    assert found["paddock_nodes"] == {("lab", "up"): 1, ("lab", "silent"): 1}
    assert found["paddock_node_up"] == {("lab", "gpu1"): 1, ("lab", "gpu2"): 0}
    assert found["paddock_node_memory_used_bytes"] == {("lab", "gpu1"): 6}, "what is not known is not there"
    assert found["paddock_node_people"]["lab", "gpu1"] == 1
    of_gpu = ("lab", "0", "gpu1")
    assert found["paddock_gpu_info"] == {("lab", "0", 'a "GPU"\n\\', "gpu1", "GPU-a"): 1}
    for name, value in (("load_ratio", 0.5), ("temperature_celsius", 61), ("power_watts", 312.5), ("processes", 1)):
        assert found[f"paddock_gpu_{name}"] == {of_gpu: value}
    assert found["paddock_backend_up"] == {("lab",): 0}
    assert found["paddock_engine_round_seconds_bucket"]["0.01",] == 1
    assert found["paddock_engine_round_seconds_bucket"]["+Inf",] == 3
    assert found["paddock_event_streams"] == {(): 2}
    assert found["paddock_agents"] == {("",): 1, ("lab",): 3}


def test_series_are_bounded(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prometheus, "MOST_NODES", 2)
    monkeypatch.setattr(prometheus, "MOST_USERS", 1)
    add_job(db, "aaaaaaaa", tasks=3, owner="ann")
    add_job(db, "bbbbbbbb", tasks=1, owner="bob")
    add_job(db, "cccccccc", tasks=1, owner="cid")
    found = scraped(db, *(node(f"n{number}") for number in range(5)))
    assert found["paddock_nodes"] == {("lab", "up"): 5}
    assert found["paddock_nodes_left_out"] == {(): 3}
    assert len(found["paddock_node_up"]) == 2
    assert found["paddock_tasks"] == {("submitted", "ann"): 3, ("submitted", "(others)"): 2}
    assert found["paddock_jobs"] == {("waiting", "ann"): 1, ("waiting", "(others)"): 2}
