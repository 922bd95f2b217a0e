"""Test the stored load of nodes, and the tasks that run."""

from paddock.models import TaskState
from paddock.rules.load_history import Sample
from paddock.server.store import attempts, loads, metrics
from paddock.server.store.db import Database
from tests.server.store.given import add_job, current, move

FIRST, SECOND = ("local", "vm"), ("slurm", "n1")


def fill(db: Database, *times: float, key: loads.Key = FIRST) -> None:
    with db.write() as c:
        for at in times:
            loads.insert(c, at, [(key, {"load": at, "memory": None})])


def times(db: Database, key: loads.Key = FIRST) -> list[float]:
    with db.read() as c:
        return [at for at, _ in loads.since(c, 0).get(key, [])]


def test_what_was_kept_comes_back_by_node(db: Database) -> None:
    whole: Sample = {"load": 0.5, "memory": 2**40, "gpus": {"0": [0.1, 2**35], "1": [None, None]}}
    with db.write() as c:
        loads.insert(c, 20.0, [(FIRST, whole), (SECOND, {"load": None, "memory": 1})])
        loads.insert(c, 10.0, [(FIRST, {"load": 0.25, "memory": 1})])
        loads.insert(c, 30.0, [])
    with db.read() as c:
        assert loads.since(c, 0)[FIRST] == [(10.0, {"load": 0.25, "memory": 1}), (20.0, whole)]
        assert list(loads.since(c, 15)) == [FIRST, SECOND]
        assert list(loads.since(c, 0, node="n1")) == [SECOND]
        assert list(loads.since(c, 0, backend="local")) == [FIRST]
        assert loads.since(c, 0, node="n1", backend="local") == {}
        assert loads.since(c, 0, node="n\0") == {}


def test_thinning_leaves_one_a_minute_of_each_node(db: Database) -> None:
    fill(db, 0, 15, 30, 59.9, 60, 75, 200, 215, 230)
    fill(db, 16, 31, key=SECOND)
    with db.write() as c:
        loads.thin(c, 0, 220, 60)
    assert times(db) == [0, 60, 200, 230]
    assert times(db, SECOND) == [16]
    with db.write() as c:  # from the minute on in which it stopped
        loads.thin(c, 180, 300, 60)
    assert times(db) == [0, 60, 200]
    with db.read() as c:
        assert [data["load"] for _, data in loads.since(c, 0)[FIRST]] == [26.225, 67.5, 218.75], "means"
        assert loads.oldest(c) == 0


def test_what_is_old_is_forgotten(db: Database) -> None:
    fill(db, 100, 200, 300)
    with db.write() as c:
        loads.forget(c, 200)
    assert times(db) == [200, 300]


def test_tasks_that_run(db: Database) -> None:
    first, second, third = add_job(db, tasks=3, resources={"cpus": 4, "memory": "2G"}, name="sweep")
    move(db, first, TaskState.RUNNING)
    move(db, third, TaskState.FINISHED)
    attempt = move(db, second, TaskState.RUNNING)
    with db.write() as c:
        seat = {"gpus": ["GPU-a"], "cores": [0, 1]}
        place = {"node": "n1", "device": "gpu 0", "allocation": "a.0", "seat": seat, "peak_gpu_memory": 2**35, "pid": 7}
        attempts.update_attempts(c, [{"id": attempt, **place}])
        found = loads.running(c, 1060.0)
        assert [one.task for one in found.values()] == [first, second]
        one = found[current(c, second).attempt_id]
    assert (one.job, one.name, one.user, one.seconds) == ("k3v9x2ab", "sweep", "ann", 60.0)
    assert (one.node, one.device, one.allocation, one.peak_gpu_memory) == ("n1", "gpu 0", "a.0", 2**35)
    assert (one.pid, one.unix_name) == (7, None)
    assert (one.resources.cpus, one.resources.memory) == (4, 2 * 2**30)
    assert one.seat is not None
    assert one.seat.gpus == ["GPU-a"]


def test_the_last_points_of_each(db: Database) -> None:
    first, second = add_job(db, tasks=2)
    ids = [move(db, task, TaskState.RUNNING) for task in (first, second)]
    points = [(float(n), float(n), float(n)) for n in range(200)]
    with db.write() as c:
        series = {"sys/cpu": points, "sys/memory": points[:5], "loss": points}
        metrics.Appender().append(c, {ids[0]: series, ids[1]: {"sys/cpu": points[:64]}})
        found = metrics.recent(c, ids, ["sys/cpu", "sys/memory"])
        assert metrics.recent(c, [], ["sys/cpu"]) == {}
    assert set(found[ids[0]]) == {"sys/cpu", "sys/memory"}
    assert found[ids[0]]["sys/cpu"]["step"].tolist() == [float(n) for n in range(128, 200)]
    assert found[ids[0]]["sys/memory"]["step"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert len(found[ids[1]]["sys/cpu"]) == 64
