"""Test the real engine on pretended clusters: what it does, and that the clock jumps."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from paddock.backends.simulated import QUEUED
from paddock.backends.simulated_runners import Course
from paddock.models import Cause, Device, JobSpec, Node, TaskState, Traits
from paddock.runner.mailbox import QueuedAttempt
from paddock.server.intake import submission
from paddock.server.simulation.drive import ClusterSize, Simulation, inward
from paddock.server.store import jobs, tasks
from paddock.server.store.tables import jobs as job_rows
from paddock.server.store.tables import profiles
from paddock.settings import NotifySettings, Settings, TeamSettings

BEGAN = 1_800_000_000.0
BARE = Traits()


def node(name: str, gpus: int = 2) -> Node:
    devices = [Device(id=str(number), kind="gpu", name="made") for number in range(gpus)]
    return Node(name=name, backend="", cpus=8, slots=gpus, cpu_slots=8, devices=devices)


class Play:
    """A simulation of one backend, and how it is asked for things."""

    def __init__(
        self, root: Path, traits: Traits, seconds: Callable[[QueuedAttempt, int], float], nodes: Sequence[Node]
    ) -> None:
        self.epochs = 10

        def course(_job: str, attempt: QueuedAttempt, gpus: int) -> Course:
            return Course(0.0, [seconds(attempt, gpus) / self.epochs] * self.epochs)

        settings = Settings(home=root, backend="made")
        self.nodes = nodes
        sizes = {"made": ClusterSize(self.nodes, traits)}
        self.simulation = Simulation(root, sizes, course, settings, BEGAN)
        self.traits = traits
        self.ids: list[str] = []

    def submit(self, at: float = 0.0, owner: str = "ada", **spec: Any) -> None:
        made = JobSpec.model_validate({"command": "train {lr}", **spec})

        def now() -> None:
            plan = submission.plan(made, {}, self.simulation.settings, self.nodes, self.traits)
            self.ids.append(self.simulation.submit(plan, owner))

        self.simulation.at(BEGAN + at, now)

    def sizes(self, number: int = 0) -> list[tuple[float, int | None]]:
        """The attempts of the first task of a job: when each began, 0 if it did not, and its unusual number of GPUs."""
        with self.simulation.db.read() as c:
            [task] = tasks.page(c, self.ids[number]).items
            found = tasks.attempts_of(c, task.id)
        return [(one.started_at.timestamp() - BEGAN if one.started_at else 0.0, one.size) for one in found]

    def pauses(self, number: int = 0) -> list[float]:
        """How long the first task of a job did not run between two attempts."""
        with self.simulation.db.read() as c:
            found = tasks.attempts_of(c, f"{self.ids[number]}-1")
        return [one.pause_seconds for one in found if one.pause_seconds is not None]

    def ended(self, number: int = 0) -> list[tuple[TaskState, float]]:
        """Each task of a job: how and when it ended."""
        with self.simulation.db.read() as c:
            found = []
            for task in tasks.page(c, self.ids[number]).items:
                last = tasks.attempts_of(c, task.id)[-1]
                found.append((task.state, last.ended_at.timestamp() - BEGAN if last.ended_at else -1.0))
        return found


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Callable[..., Play]]:
    made: list[Play] = []

    def open_(
        traits: Traits,
        seconds: Callable[[QueuedAttempt, int], float] = lambda *_: 1000.0,
        nodes: Sequence[Node] = (node("n1"),),
    ) -> Play:
        made.append(Play(tmp_path / "home", traits, seconds, nodes))
        return made[-1]

    yield open_
    for one in made:
        one.simulation.close()


@pytest.mark.parametrize("traits", [BARE, QUEUED], ids=["bare", "queued"])
def test_a_sweep_takes_as_long_as_its_tasks_one_after_the_other(play: Callable[..., Play], traits: Traits) -> None:
    one = play(traits)
    one.submit(params={"lr": [1, 2, 3, 4, 5, 6]}, resources={"gpus": 1})
    assert one.simulation.run()
    ends = one.ended()
    assert [state for state, _ in ends] == [TaskState.FINISHED] * 6
    assert sorted(round(at, -1) for _, at in ends) == [1000, 1000, 2000, 2000, 3000, 3000]
    assert one.simulation.rounds < 400  # six hours at four rounds per second are 12,000


def test_a_day_passes_in_seconds(play: Callable[..., Play]) -> None:
    one = play(QUEUED, lambda *_: 20_000.0)
    for hour in range(4):
        one.submit(at=hour * 3600.0, params={"lr": [1, 2]}, resources={"gpus": 1})
    began = time.process_time()
    assert one.simulation.run()
    assert one.simulation.clock.at - BEGAN > 79_000
    assert time.process_time() - began < 120


def test_owners_share_what_there_is(play: Callable[..., Play]) -> None:
    """The policy is the real one: the second owner need not wait for the end of the first one's sweep."""
    one = play(BARE)
    one.submit(params={"lr": list(range(8))}, resources={"gpus": 1}, owner="ada")
    one.submit(at=10.0, params={"lr": [1, 2]}, resources={"gpus": 1}, owner="bob")
    assert one.simulation.run()
    assert max(at for _, at in one.ended(1)) < 3100 < max(at for _, at in one.ended(0))


def test_what_people_do_meanwhile_is_done_at_its_time(play: Callable[..., Play]) -> None:
    one = play(QUEUED)
    one.submit(params={"lr": [1, 2, 3]}, resources={"gpus": 1})

    def stop() -> None:
        with one.simulation.db.write() as c:
            tasks.request_stop(c, one.ids[0], [f"{one.ids[0]}-1"])

    one.simulation.at(BEGAN + 250, stop)
    assert one.simulation.run()
    [first, second, third] = one.ended()
    assert first[0] is TaskState.STOPPED
    assert 250 <= first[1] < 253
    assert [round(at, -1) for _, at in (second, third)] == [1000, 1250]


def test_what_arrives_while_much_happens_is_submitted_at_its_time(play: Callable[..., Play]) -> None:
    """Something ends every 0.4 s, so the engine goes round after round without a pause."""
    one = play(QUEUED, lambda *_: 0.4)
    one.submit(params={"lr": list(range(40))}, resources={"gpus": 1}, parallel=1)
    one.submit(at=4.2, params={"lr": [1]}, resources={"gpus": 1})
    assert one.simulation.run()
    with one.simulation.db.read() as c:
        [task] = tasks.page(c, one.ids[1]).items
    assert 4.2 <= task.created_at.timestamp() - BEGAN <= 5.0
    assert max(at for _, at in one.ended(0)) > 10, "the other one was still at it"


def test_where_sizes_are_chosen_the_engine_looks_as_often_as_it_decides(play: Callable[..., Play]) -> None:
    """A training grows soon after it has shown that it saves, not when something ends: nothing does."""
    one = play(QUEUED, lambda _, gpus: 3600.0 / gpus)
    one.submit(command="train {lr}", params={"lr": [1]}, resources={"gpus": "1..2"}, yields=True)
    assert one.simulation.run()
    with one.simulation.db.read() as c:
        first, second, *_ = tasks.attempts_of(c, f"{one.ids[0]}-1")
    assert (first.cause, second.size) == (Cause.RESIZED, 2)
    assert second.started_at is not None
    every = one.simulation.settings.elastic.sizes_seconds
    assert 360 < second.started_at.timestamp() - BEGAN < 360 + 2 * every


def test_what_never_starts_ends_the_simulation(play: Callable[..., Play]) -> None:
    one = play(QUEUED)
    one.submit(params={"lr": [1]}, resources={"gpus": 1})

    def hold() -> None:
        with one.simulation.db.write() as c:
            jobs.hold(c, one.ids[0], held=True)

    one.simulation.at(BEGAN, hold)
    assert not one.simulation.run()
    assert not one.simulation.run(seconds=10)


def test_nothing_outside_is_used(tmp_path: Path) -> None:
    given = Settings(home=tmp_path / "real", database="postgresql://somewhere/else", group="staff", backend="slurm")
    found = inward(given, tmp_path / "made", ["made"])
    assert (found.home, found.database, found.group, found.backend) == (tmp_path / "made", None, None, "made")
    assert (found.notify, found.team) == (NotifySettings(), TeamSettings())
    assert inward(given, tmp_path, ["made", "slurm"]).backend == "slurm"


def test_a_training_that_waited_begins_with_all_that_became_free(play: Callable[..., Play]) -> None:
    one = play(BARE, lambda _, gpus: 10_000.0 / gpus)
    one.submit(resources={"gpus": 2}, params={"lr": [1]})
    one.submit(at=10.0, resources={"gpus": "1..2"}, params={"lr": [1]}, yields=True)

    def learn() -> None:
        with one.simulation.db.write() as c:
            program = c.scalar(sa.select(job_rows.c.program))
            known = {"owner": "ada", "program": program, "gpu": "made", "at": 1.0}
            c.execute(sa.insert(profiles).values(timings=[[1, 1, 1.0, 2], [2, 1, 1.0, 2]], **known))

    one.simulation.at(BEGAN + 100.0, learn)
    assert one.simulation.run()
    attempts = one.sizes(1)
    assert [size for began, size in attempts if began] == [2], "it began once, with both"
    assert attempts[-1][0] < 5_000 + 60


def test_a_training_grows_over_whole_nodes_and_gives_them_back(play: Callable[..., Play]) -> None:
    one = play(QUEUED, lambda _, gpus: 40_000.0 / gpus, [node("n1"), node("n2")])
    one.submit(resources={"gpus": "1..4", "launcher": "torchrun"}, params={"lr": [1]}, yields=True)
    one.submit(at=9_000.0, resources={"gpus": 2}, params={"lr": [1]})
    assert one.simulation.run()
    sizes = [size for began, size in one.sizes(0) if began]
    assert sizes[:4] == [None, 2, 4, 2], "one node more when it is free, and back when somebody needs it"
    [(state, at)] = one.ended(1)
    assert state is TaskState.FINISHED and at < 9_000 + 20_000 + 300
    with one.simulation.db.read() as c:
        [row] = c.execute(sa.select(profiles)).all()
    assert {(gpus, nodes) for gpus, nodes, *_ in row.timings} >= {(2, 1), (4, 2)}


@pytest.mark.parametrize("gpus", ["1..4", 1])
def test_a_sweep_beside_a_large_training_gets_a_fair_part(play: Callable[..., Play], gpus: object) -> None:
    """Tasks of one GPU, of which each might have more, and a training that had all four until then."""
    whole, each = 60_000.0, 4_000.0

    def seconds(attempt: QueuedAttempt, has: int) -> float:
        return (whole if attempt.params["lr"] == 0 else each) / has

    one = play(BARE, seconds, [node("n1", 4)])
    one.epochs = 100
    one.submit(resources={"gpus": "1..4"}, params={"lr": [0]}, yields=True)
    one.submit(at=6_000.0, owner="bob", resources={"gpus": gpus}, params={"lr": list(range(1, 9))}, yields=True)
    assert one.simulation.run()
    [(state, done)] = one.ended(0)
    ends = one.ended(1)
    assert {state, *(state for state, _ in ends)} == {TaskState.FINISHED}
    sizes = [size or 1 for began, size in one.sizes(0) if began]
    assert max(sizes[:3]) == 4, "it had all of them"
    assert max(at for _, at in ends) - 6_000 < 8 * each / 2 + 1_000, "as quick as with half of them, or quicker"
    assert done < whole / 4 + 8 * each / 4 + 6_000, "it had the others, and all of them again in the end"
    assert sizes[-1] == 4
    assert max(one.pauses()) < 60, "it trained all the time, also when it made room"
