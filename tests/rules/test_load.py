"""Test the load of nodes: from measurements to what is shown over time, and the advice."""

from typing import Any

import pytest

from paddock.models import Device, GpuProcess, Node, Resources, Seat, SignedInPerson, Traits
from paddock.models.load import GpuSample, Hint, NodeSample
from paddock.rules import load as monitoring
from paddock.rules import load_history as history
from paddock.rules.advice import advice
from paddock.rules.running import Running, gpus_of, place

BARE = Traits()
GIB = 2**30
H200 = 139 * GIB
LOOK = NodeSample(cores=16, busy=4.0, load=5.0, memory=100, free=40)


def node(gpus: int = 1, **fields: Any) -> Node:
    devices = [Device(id=str(n), kind="gpu", memory=H200) for n in range(gpus)]
    known = {"name": "n1", "backend": "b", "cpus": 64, "slots": 1, "cpu_slots": 64, "devices": devices}
    return Node(**{**known, **fields})


def card(number: int, **fields: Any) -> GpuSample:
    return GpuSample(**{"id": f"GPU-{number}", "number": number, "memory": H200, **fields})


def task(number: int = 1, gpu: int | None = 0, **fields: Any) -> Running:
    known: dict[str, Any] = {
        "task": f"job-{number}",
        "job": "job",
        "name": "sweep",
        "user": "ann",
        "resources": Resources(),
        "seconds": 600.0,
        "node": "n1",
        "device": None if gpu is None else f"gpu {gpu}",
    }
    return Running(**{**known, **fields})


def hints(*running: Running, on: Node | None = None, traits: Traits = BARE) -> list[Hint]:
    nodes = place([on or node()], running)
    return advice(running, nodes, gpus_of(nodes), {"b": traits})


class TestLooks:
    def test_figures_go_to_the_devices_that_the_backend_knows(self) -> None:
        process = GpuProcess(pid=7, owner="ann", memory=5)
        cards = [card(0, place="1", used=5, load=0.5, processes=[process])]
        seen = monitoring.with_measurements(node(2), LOOK.model_copy(update={"cards": cards}))
        assert [(d.id, d.uuid, d.load, d.memory_used, d.busy) for d in seen.devices] == [
            ("0", None, None, None, False),
            ("1", "GPU-0", 0.5, 5, True),
        ]
        assert (seen.cpus_busy, seen.memory_used, seen.load) == (4.0, 60, 5.0)

    def test_warmth_power_and_people_are_shown_and_stay_when_a_runner_does_not_know_them(self) -> None:
        cards = [card(0, load=0.5, temperature=61, power=312.5, power_limit=700)]
        people = [SignedInPerson(user="ann", terminal="pts/3", since=5.0)]
        seen = monitoring.with_measurements(
            node(1), LOOK.model_copy(update={"cards": cards, "processes": 400, "people": people})
        )
        [device] = seen.devices
        assert (device.temperature, device.power, device.power_limit) == (61, 312.5, 700)
        assert (seen.processes, seen.people) == (400, people)
        later = monitoring.with_measurements(seen, LOOK)
        assert (later.processes, later.people) == (400, people)

    def test_gpus_that_it_does_not_know_of_come_last(self) -> None:
        mig = [card(0, id="MIG-a"), card(0, id="MIG-b")]
        seen = monitoring.with_measurements(node(0), LOOK.model_copy(update={"cards": mig}))
        assert [(d.id, d.uuid) for d in seen.devices] == [("0", "MIG-a"), ("MIG-b", "MIG-b")]
        elsewhere = [card(0, place="9")]
        assert not monitoring.with_measurements(node(0), LOOK.model_copy(update={"cards": elsewhere})).devices

    @pytest.mark.parametrize(
        "junk", [{}, {"cores": "x"}, {"cores": 1, "busy": float("nan")}, {"cores": 1, "cards": [{"id": 1}]}]
    )
    def test_junk_is_no_look(self, junk: dict[str, Any]) -> None:
        with pytest.raises(ValueError):
            NodeSample.model_validate(junk)


class TestPlaces:
    def test_by_allocation_or_by_what_the_task_said(self) -> None:
        devices = [Device(id="0", kind="gpu", used_by=["a.0"]), Device(id="1", kind="gpu")]
        tasks = [task(1, allocation="a.0", device=None), task(2, gpu=1), task(3, gpu=1, node="n2")]
        [placed] = place([node(devices=devices)], tasks)
        assert [device.tasks for device in placed.devices] == [["job-1"], ["job-2"]]
        assert placed.tasks == ["job-1", "job-2"]

    def test_seats_say_which_gpus_of_the_allocation(self) -> None:
        devices = [Device(id=str(n), kind="gpu", uuid=f"GPU-{n}", used_by=["a.0"]) for n in range(2)]
        tasks = [task(n, allocation="a.0", seat=Seat(gpus=[f"GPU-{n % 2}"])) for n in (1, 2, 3)]
        strange = task(4, allocation="a.0", seat=Seat(gpus=["GPU-nobody-knows"]))
        [placed] = place([node(devices=devices)], [*tasks, strange])
        assert [device.tasks for device in placed.devices] == [["job-2", "job-4"], ["job-1", "job-3", "job-4"]]

    def test_numbers_within_an_allocation_are_not_those_of_the_node(self) -> None:
        devices = [Device(id=str(n), kind="gpu", uuid=f"GPU-{n}") for n in range(4)]
        [placed] = place([node(devices=devices)], [task(1, gpu=0, seat=Seat(gpus=["GPU-2"]))])
        assert [device.tasks for device in placed.devices] == [[], [], ["job-1"], []]

    def test_processes_of_tasks_that_are_not_ours(self) -> None:
        processes = [GpuProcess(pid=1, task="job-1"), GpuProcess(pid=2, task="other-1")]
        [placed] = place([node(devices=[Device(id="0", kind="gpu", processes=processes)])], [task(1)])
        assert [process.task for process in placed.devices[0].processes] == ["job-1", None]

    def test_processes_of_other_people_are_known_by_their_session(self) -> None:
        """As the monitor of a host may not read their environment."""
        processes = [
            GpuProcess(pid=8, owner="ann", session=7),
            GpuProcess(pid=9, owner="bob", session=7),
            GpuProcess(pid=10, owner="bob", session=5, task="other-1"),
            GpuProcess(pid=11, owner="ann"),
        ]
        devices = [Device(id="0", kind="gpu", processes=processes)]
        mine = task(1, pid=7, unix_name="ann")
        [placed] = place([node(devices=devices)], [mine, task(2, pid=5, node="n2"), task(3)])
        assert [process.task for process in placed.devices[0].processes] == ["job-1", None, None, None]
        [placed] = place([node(devices=devices)], [task(1, pid=7)])
        assert [process.task for process in placed.devices[0].processes] == ["job-1", "job-1", None, None], "all as one"

    def test_what_users_and_jobs_use(self) -> None:
        tasks = [
            task(1, gpu=0, cores=1.5, memory=10, gpu_memory=100),
            task(2, gpu=0, cores=0.5, memory=20, gpu_memory=50),
            task(3, gpu=1, job="other", user="bob"),
        ]
        nodes = place([node(2)], tasks)
        gpus = gpus_of(nodes)
        ann, bob = monitoring.users(tasks, gpus)
        assert (ann.user, ann.tasks, ann.cores, ann.memory, ann.gpus, ann.gpu_memory) == ("ann", 2, 2.0, 30, 1, 150)
        assert (bob.user, bob.tasks, bob.gpus) == ("bob", 1, 1)
        assert [(job.job, job.tasks) for job in monitoring.jobs(tasks, nodes, gpus, {"b": BARE})] == [
            ("job", 2),
            ("other", 1),
        ]


class TestHistory:
    def test_a_sample(self) -> None:
        assert history.sample(node(0)) is None
        assert history.sample(node(0, cpus_used=16, memory=100, memory_free=30)) == {"load": 0.25, "memory": 70}
        card = Device(id="0", kind="gpu", load=0.5, memory_used=7, temperature=61, power=312.5)
        measured = node(devices=[card, Device(id="1", kind="gpu")], cpus_busy=96, cpus_used=1, processes=400)
        assert history.sample(measured) == {
            "load": 1.0,
            "memory": None,
            "processes": 400,
            "gpus": {"0": [0.5, 7, 61, 312.5, 0]},
        }

    def test_series_of_the_node_and_of_each_gpu(self) -> None:
        samples: list[tuple[float, history.Sample]] = [
            (1.0, {"load": 0.5, "memory": 10}),  # by an earlier version
            (2.0, {"load": None, "memory": 20, "processes": 7, "gpus": {"10": [0.1, 1], "9": [None, 2, 60, None, 1]}}),
        ]
        whole, nine, ten = history.series("b", "n", samples, 300)
        assert (whole.device, whole.times, whole.load, whole.memory) == (None, [1.0, 2.0], [0.5, None], [10, 20])
        assert (whole.processes, whole.temperature, whole.power) == ([None, 7], [], [])
        assert (nine.device, nine.times, nine.load, nine.memory) == ("9", [2.0], [None], [2])
        assert (nine.temperature, nine.power, nine.processes) == ([60], [], [1])
        assert (ten.device, ten.load, ten.temperature, ten.processes) == ("10", [0.1], [], [])

    def test_a_long_time_in_few_points(self) -> None:
        samples: list[tuple[float, history.Sample]] = [
            (float(at), {"load": at % 2, "memory": 5.0 if at == 700 else 1.0}) for at in range(1000)
        ]
        [whole] = history.series("b", "n", samples, 100)
        assert len(whole.times) == 100
        assert whole.times == sorted(whole.times)
        assert all(value is not None and 0.4 < value < 0.6 for value in whole.load), "a mean"
        assert whole.memory.count(5.0) == 1, "a peak is not lost"

    def test_all_at_one_moment_or_unknown(self) -> None:
        samples: list[tuple[float, history.Sample]] = [(float(at // 9), {}) for at in range(27)]
        [whole] = history.series("b", "n", samples, 2)
        assert (len(whole.times), whole.load, whole.memory) == (2, [None, None], [None, None])
        [at_once] = history.series("b", "n", [(5.0, {"load": 0.5, "memory": 1})] * 9, 2)
        assert (at_once.times, at_once.load) == ([5.0], [0.5])

    def test_what_is_not_known_of_some_moments_spoils_no_mean(self) -> None:
        gpus = [{"0": [0.5, 7, 61, 300.0, 1]}, {"0": [None, None, None, 100.0, 3]}, {}, {"1": [0.1, 2]}]
        samples = [(float(at), {"load": None, "memory": at, "gpus": some}) for at, some in enumerate(gpus)]
        whole, first, second = history.series("b", "n", samples, 1)
        assert (whole.load, whole.memory, whole.processes) == ([None], [3], [])
        assert (first.load, first.memory, first.temperature, first.power) == ([0.5], [7], [61], [200.0])
        assert (first.processes, second.load, second.power) == ([3], [0.1], [])
        joined = history.joined([kept for _, kept in samples])
        assert joined == {
            "load": None,
            "memory": 3,
            "gpus": {"0": [0.5, 7, 61, 200.0, 3], "1": [0.1, 2, None, None, None]},
        }
        assert history.joined([{"load": 0.2, "memory": 1, "processes": 5}, {"load": 0.4, "memory": None}]) == {
            "load": 0.3,
            "memory": 1,
            "processes": 5,
        }


class TestAdvice:
    def test_tasks_that_could_share_a_gpu(self) -> None:
        running = [task(n, gpu=n, gpu_load=0.14, gpu_memory=1.2 * GIB) for n in (0, 1)]
        [hint] = hints(*running, on=node(2))
        assert (hint.kind, hint.per_gpu) == ("share_gpu", 6)
        assert hint.text == "uses 14 % of the GPU and 1.2 of 139 GiB: could run 6 tasks per GPU (--per-gpu 6 or auto)"

    @pytest.mark.parametrize(
        ("fields", "count"),
        [
            ({"gpu_load": 0.01, "gpu_memory": 30 * GIB}, 3),  # by its memory
            ({"gpu_load": 0.01, "gpu_memory": 5 * GIB, "peak_gpu_memory": 60 * GIB}, None),
            ({"gpu_load": 0.6, "gpu_memory": GIB}, None),
            ({"gpu_load": 0.1, "gpu_memory": GIB, "cores": 30.0}, 2),  # by the cores of the node
            ({"gpu_load": 0.1, "gpu_memory": GIB, "cores": 60.0}, None),
            ({"gpu_load": 0.1, "gpu_memory": GIB, "resources": Resources(per_gpu=2)}, None),
            ({"gpu_load": 0.1, "gpu_memory": GIB, "seconds": 30.0}, None),
            ({"gpu_load": None, "gpu_memory": GIB}, None),
            ({"gpu_load": 0.1, "gpu_memory": GIB, "gpu": None}, None),
        ],
    )
    def test_only_so_many_and_only_where_it_is_known(self, fields: dict[str, Any], count: int | None) -> None:
        found = [hint.per_gpu for hint in hints(task(**fields)) if hint.kind == "share_gpu"]
        assert found == ([] if count is None else [count])

    def test_not_when_somebody_else_is_there(self) -> None:
        busy = task(gpu_load=0.1, gpu_memory=GIB)
        assert not hints(busy, task(2, gpu_load=0.1, gpu_memory=GIB)), "two of ours"
        own = GpuProcess(pid=1, owner="ann", task="job-1")
        for process, count in ((GpuProcess(pid=2, owner="bob"), 0), (GpuProcess(pid=3), 1)):
            device = Device(id="0", kind="gpu", memory=H200, processes=[own, process])
            assert len(hints(busy, on=node(devices=[device]))) == count

    def test_near_its_gpu_memory(self) -> None:
        full = node(devices=[Device(id="0", kind="gpu", memory=H200, memory_used=135 * GIB)])
        [hint] = hints(task(gpu_load=0.1, gpu_memory=134 * GIB), on=full)
        assert hint.kind == "near_gpu_memory"
        assert hint.text.startswith("GPU 0 of n1 has 135 of 139 GiB in use (97 %)")

    def test_near_its_memory(self) -> None:
        asks: dict[str, Any] = {"resources": Resources(memory="16G"), "gpu": None}
        [hint] = hints(task(memory=15.5 * GIB, **asks), traits=Traits(counts_memory=True))
        assert hint.kind == "near_memory"
        assert hint.text.startswith("uses 15.5 of 16 GiB that a task asked for (97 %)")
        assert not hints(task(memory=10 * GIB, **asks), traits=Traits(counts_memory=True))
        assert not hints(task(memory=15.5 * GIB, **asks)), "nobody limits it there"
        [hint] = hints(task(gpu=None), on=node(memory=64 * GIB, memory_used=62 * GIB))
        assert hint.text.startswith("n1 has 2 of 64 GiB of memory left")

    def test_cores_that_it_does_not_use(self) -> None:
        asks: dict[str, Any] = {"resources": Resources(cpus=16), "gpu": None}
        [hint] = hints(task(cores=1.3, **asks), task(2, cores=0.2, **asks))
        assert (hint.kind, hint.text) == ("idle_cores", "asks for 16 cores per task and uses 1.3: --cpus 2 would do")
        assert not hints(task(cores=7.0, **asks))
        assert not hints(task(**asks)), "not measured"
        assert not hints(task(cores=0.1, gpu=None, resources=Resources(cpus=2)))

    def test_a_gpu_that_was_never_used(self) -> None:
        idle: dict[str, Any] = {"gpu_load": 0.0, "gpu_memory": 0.0}
        [hint] = hints(task(seconds=300, **idle))
        assert hint.kind == "idle_gpu"
        assert hint.text.startswith("has a GPU and has not used it in 5 min")
        [hint] = hints(task(1, gpu=0, **idle), task(2, gpu=1, gpu_load=0.9, gpu_memory=GIB), on=node(2))
        assert hint.text.startswith("1 of 2 tasks have a GPU and have not used it in 10 min")
        assert not hints(task(seconds=100, **idle)), "it may still read its data"
        before = hints(task(gpu_load=0.0, peak_gpu_memory=GIB, gpu_memory=0.0))
        assert [hint.kind for hint in before] == ["share_gpu"], "it has used it before"
        assert not hints(task()), "nobody has looked"

    def test_where_nobody_tells_of_processes_the_gpu_itself_does(self) -> None:
        for used, count in ((GIB, 1), (60 * GIB, 0)):
            device = Device(id="0", kind="gpu", memory=H200, memory_used=used)
            found = [h for h in hints(task(gpu_load=0.0), on=node(devices=[device])) if h.kind == "idle_gpu"]
            assert len(found) == count
