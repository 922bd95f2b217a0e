"""Test the decision to start another task: node memory, GPUs without a driver, and after an out-of-memory error."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paddock.common.gpus import GpuDriver, GpuInfo, GpuReading
from paddock.runner.mailbox import QueuedAttempt
from paddock.runner.manifest import Manifest
from paddock.runner.process import causes, host_memory
from paddock.runner.process.host_memory import HostMemory
from paddock.runner.process.usage import ProcessUsage
from paddock.runner.sharing import end_record
from paddock.runner.sharing.admission import WAIT_SECONDS, Admission
from paddock.runner.sharing.mps import Mps

GB = 10**9


def manifest(**more: Any) -> Manifest:
    base: dict[str, Any] = {
        "job": "k3v9x2ab",
        "key": "a1.0",
        "job_dir": "/nowhere",
        "slots": 4,
        "poll_seconds": 0.2,
        "usage_seconds": 2.0,
        "grace_seconds": 10.0,
        "idle_seconds": 0.0,
        "metric_files": [],
        "metric_patterns": [],
        "metric_stdout": True,
    }
    return Manifest(**base | more)


def attempt(number: int, **line: Any) -> QueuedAttempt:
    return QueuedAttempt(f"t-{number}", 1, line)


class OneGpu(GpuDriver):
    def __init__(self) -> None:
        self.used: dict[int, int] = {}

    def gpus(self) -> list[GpuInfo]:
        return [GpuInfo("GPU-1", 0, "Card", 10 * GB)]

    def read(self, gpu: GpuInfo) -> GpuReading | None:
        return GpuReading(sum(self.used.values()), 0.2, dict(self.used))


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """So many GB of 100 are free."""

    def say(available: float) -> None:
        monkeypatch.setattr(host_memory, "read", lambda: HostMemory(100 * GB, int(available * GB)))

    say(100)
    return say


def admit(on: Admission, number: int, now: float = 0.0, **line: Any) -> bool:
    one = attempt(number, **line)
    seat = on.seat(one, now)
    if seat is not None:
        on.add(one, seat, 10**7 + number, now)
    return seat is not None


class TestHostMemory:
    def test_the_next_one_waits_until_there_is_as_much_as_the_others_needed(
        self, memory: Callable[[float], None]
    ) -> None:
        made = Admission(manifest(), GpuDriver(), {})
        assert admit(made, 1)
        made.note_usage(("t-1", 1), ProcessUsage(30 * GB, 1.0))
        memory(30)
        assert not admit(made, 2)
        memory(34)
        assert admit(made, 2)

    def test_what_those_that_run_will_still_take_is_not_given_away(self, memory: Callable[[float], None]) -> None:
        made = Admission(manifest(), GpuDriver(), {})
        assert admit(made, 1)
        made.note_usage(("t-1", 1), ProcessUsage(30 * GB, 1.0))
        memory(70)
        assert admit(made, 2), "the first one has what it needs"
        made.note_usage(("t-2", 1), ProcessUsage(5 * GB, 1.0))
        memory(55)
        assert not admit(made, 3), "the second one will take 25 GB more"

    def test_more_room_after_an_error_is_waited_for_but_not_for_ever(self, memory: Callable[[float], None]) -> None:
        made = Admission(manifest(slots=1), GpuDriver(), {})
        memory(20)
        assert not admit(made, 1, room={"host": 50 * GB})
        assert admit(made, 2, 1.0), "one that asks for nothing special goes first"
        made.remove(("t-2", 1), True, 0.0)
        assert not admit(made, 1, 2.0, room={"host": 50 * GB})
        assert admit(made, 1, 2.0 + WAIT_SECONDS, room={"host": 50 * GB})

    def test_its_runner_stays_as_long_as_it_waits(self, memory: Callable[[float], None]) -> None:
        made = Admission(manifest(slots=1), GpuDriver(), {})
        memory(20)
        assert not made.waits_for_memory(0.0)
        assert not admit(made, 1, room={"host": 50 * GB})
        assert made.waits_for_memory(WAIT_SECONDS)
        assert not made.waits_for_memory(2 * WAIT_SECONDS), "but not for ever, should it never be taken"
        assert admit(made, 1, WAIT_SECONDS, room={"host": 50 * GB})
        assert not made.waits_for_memory(WAIT_SECONDS)

    def test_what_its_runner_alone_holds_is_not_waited_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(host_memory, "read", lambda: HostMemory(GB, GB - 80_000_000))
        assert admit(Admission(manifest(), GpuDriver(), {}), 1, room={"host": 9 * GB // 10, "alone": True})

    def test_alone_in_the_whole_allocation_on_whichever_gpus(self, memory: Callable[[float], None]) -> None:
        made = Admission(manifest(task_gpus=1, per_gpu=1), GpuDriver(), {"CUDA_VISIBLE_DEVICES": "0,1"})
        assert admit(made, 1)
        assert not admit(made, 2, room={"host": GB, "alone": True}), "the other gpu would be free"
        made.remove(("t-1", 1), True, 0.0)
        assert admit(made, 2, room={"host": GB, "alone": True})
        assert not admit(made, 3), "and nobody joins it"

    def test_without_knowledge_there_is_no_reason_to_wait(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(host_memory, "read", lambda: None)
        made = Admission(manifest(), GpuDriver(), {})
        assert all(admit(made, number) for number in range(4))
        assert not admit(made, 5), "all slots are taken"

    def test_this_node(self) -> None:
        found = host_memory.read()
        assert found is not None
        assert 0 < found.available <= found.total


class TestGpus:
    def test_gpus_without_a_driver_are_shared_by_number(self) -> None:
        made = Admission(manifest(task_gpus=1, per_gpu=2), GpuDriver(), {"CUDA_VISIBLE_DEVICES": "0,1"})
        seats = []
        for number in range(4):
            seat = made.seat(attempt(number), 0.0)
            assert seat is not None
            made.add(attempt(number), seat, 10**7 + number, 0.0)
            seats.append(seat.environment["CUDA_VISIBLE_DEVICES"])
        assert seats == ["0", "1", "0", "1"]
        assert made.full

    @pytest.mark.parametrize(
        ("environ", "names"),
        [
            ({"CUDA_VISIBLE_DEVICES": "2,5"}, ["2", "5"]),
            ({"CUDA_VISIBLE_DEVICES": "0,1", "SLURM_JOB_GPUS": "2,5"}, ["2", "5"]),
            ({"CUDA_VISIBLE_DEVICES": "0,1", "SLURM_JOB_GPUS": "2,5,7"}, ["0", "1"]),
        ],
    )
    def test_gpus_are_called_what_the_scheduler_calls_them(self, environ: dict[str, str], names: list[str]) -> None:
        made = Admission(manifest(task_gpus=1, per_gpu=1), GpuDriver(), environ)
        first = made.seat(attempt(1), 0.0)
        assert first is not None
        made.add(attempt(1), first, 10**7, 0.0)
        second = made.seat(attempt(2), 0.0)
        assert second is not None
        assert [*first.names, *second.names] == names
        assert [*first.record()["gpus"], *second.record()["gpus"]] == names

    def test_the_only_gpu_of_an_allocation_is_the_one_that_the_scheduler_gave(self) -> None:
        """With cgroups an allocation counts its GPUs from 0, whichever they are."""
        environ = {"CUDA_VISIBLE_DEVICES": "0", "SLURM_JOB_GPUS": "1"}
        seat = Admission(manifest(task_gpus=1, per_gpu=1), GpuDriver(), environ).seat(attempt(1), 0.0)
        assert seat is not None
        assert seat.record()["gpus"] == ["1"]

    def test_one_that_has_to_be_alone_is_not_kept_waiting_for_ever(self) -> None:
        made = Admission(manifest(task_gpus=1, per_gpu=4, mps=False), OneGpu(), {"CUDA_VISIBLE_DEVICES": "0"})
        assert admit(made, 1, room={"gpu": GB})
        assert not admit(made, 2, 1.0, room={"alone": True})
        assert admit(made, 3, 2.0, room={"gpu": GB}), "others go first for a while"
        assert not admit(made, 4, 2.0 + WAIT_SECONDS, room={"gpu": GB}), "then the gpu is kept for it"
        made.remove(("t-1", 1), True, 0.0)
        made.remove(("t-3", 1), True, 0.0)
        assert admit(made, 2, 3.0 + WAIT_SECONDS, room={"alone": True})
        assert not admit(made, 5, 4.0 + WAIT_SECONDS, room={"gpu": GB}), "and nobody joins it"

    def test_the_speed_where_many_steps_are_reported_between_two_polls(self) -> None:
        """100 a second alone and 50 each when there are two: nothing is gained, though both tell at every look."""
        made = Admission(manifest(task_gpus=1, per_gpu=None), OneGpu(), {"CUDA_VISIBLE_DEVICES": "0"})
        assert admit(made, 1)
        steps = {1: 0, 2: 0}

        def train(tasks: tuple[int, ...], looks: range, rate: int) -> None:
            for look in looks:
                for task in tasks:
                    for _ in range(rate // 5):
                        steps[task] += 1
                        made.note_progress((f"t-{task}", 1), steps[task], look / 5)

        train((1,), range(60), 100)
        assert admit(made, 2, 12.0)
        train((1, 2), range(60, 120), 50)
        said = made.packing_record(True, 30.0)
        assert said is not None
        assert said["speedup"] == 1.0

    def test_epochs_reported_beside_steps_are_no_steps(self) -> None:
        made = Admission(manifest(task_gpus=1, per_gpu=None), OneGpu(), {"CUDA_VISIBLE_DEVICES": "0"})
        assert admit(made, 1)
        for look in range(20):
            made.note_progress(("t-1", 1), 1000 + look, float(look))
        assert admit(made, 2, 20.0)
        for look in range(20, 23):
            made.note_progress(("t-2", 1), 1000 + look, float(look))
            made.note_progress(("t-1", 1), 1, float(look))
            made.note_progress(("t-1", 1), 1000 + look, float(look))
        said = made.packing_record(True, 30.0)
        assert said is not None
        assert said["speedup"] == 2.0

    def test_tasks_get_the_memory_that_their_parameters_predict(self) -> None:
        """The largest would leave room for one beside it; small ones come in after large ones, as many as fit."""
        samples = [[{"size": size}, size * GB] for size in (1, 2, 3, 4, 5, 6, 7)]
        known = {"Card": {"need": 7 * GB, "tasks": 9, "limit": "tasks", "samples": samples}}
        made = Admission(
            manifest(slots=9, task_gpus=1, per_gpu=9, known=known), OneGpu(), {"CUDA_VISIBLE_DEVICES": "0"}
        )
        assert made.differ
        queue = [attempt(number, params={"size": size}) for number, size in enumerate((1, 5, 1, 3, 1))]
        order = []
        while True:
            chosen, seat = made.seat_largest(queue, 0.0)
            if chosen is None or seat is None:
                break
            queue.remove(chosen)
            order.append(chosen.params["size"])
            made.add(chosen, seat, 10**7 + chosen.line["params"]["size"], 0.0)
        assert order == [5, 3, 1], "and no 1 more: 3 % stay free"

    def test_a_large_task_is_not_passed_for_ever(self) -> None:
        samples = [[{"size": size}, size * GB] for size in (1, 2, 3, 4, 5, 6, 7)]
        known = {"Card": {"need": 7 * GB, "samples": samples}}
        made = Admission(
            manifest(slots=9, task_gpus=1, per_gpu=9, known=known), OneGpu(), {"CUDA_VISIBLE_DEVICES": "0"}
        )
        assert admit(made, 1, params={"size": 5})
        some = [attempt(2, params={"size": 6}), attempt(3, params={"size": 1})]
        assert made.seat_largest(some, 0.0)[0] == some[1]
        assert made.seat_largest(some, WAIT_SECONDS - 1)[0] == some[1]
        assert made.seat_largest(some, WAIT_SECONDS) == (None, None)
        made.remove(("t-1", 1), True, WAIT_SECONDS)
        assert made.seat_largest(some, WAIT_SECONDS)[0] == some[0]

    def test_samples_that_are_none_are_left_out(self) -> None:
        known = {"Card": {"need": 7 * GB, "samples": [[{"size": 1}], "x", None, [{"size": "y" * 999}, 5]]}}
        made = Admission(manifest(task_gpus=1, per_gpu=4, known=known), OneGpu(), {"CUDA_VISIBLE_DEVICES": "0"})
        assert not made.differ
        assert admit(made, 1)
        assert not admit(made, 2), "each as the largest"

    def test_others_start_before_all_of_the_first_train_if_they_fit_for_sure(self) -> None:
        class Large(OneGpu):
            def gpus(self) -> list[GpuInfo]:
                return [GpuInfo("GPU-1", 0, "Card", 150 * GB)]

        gpu = Large()
        environ = {"CUDA_VISIBLE_DEVICES": "0", "PADDOCK_CORES": "0-15"}
        made = Admission(manifest(slots=30, task_gpus=1, per_gpu=None, mps=False), gpu, environ)
        while admit(made, len(gpu.used)):
            gpu.used[10**7 + len(gpu.used)] = GB
        first = len(gpu.used)
        assert 2 <= first <= 10
        for look in range(10):
            made.observe(look / 5, True)
        assert not admit(made, 99, 2.0), "nothing is known"
        for number in range((first + 1) // 2):
            made.note_progress((f"t-{number}", 1), 1, 2.0)
        for look in range(10, 20):
            made.observe(look / 5, True)
        assert admit(made, 99, 4.0), "half of them train, and those that do not count with much more"

    def test_the_memory_of_a_task_that_starts_is_not_what_it_needs(self) -> None:
        """Its GPU is busy with the others, which report progress."""
        gpu = OneGpu()
        known = {"Card": {"need": 4 * GB}}
        made = Admission(manifest(task_gpus=1, per_gpu=4, mps=False, known=known), gpu, {"CUDA_VISIBLE_DEVICES": "0"})
        assert admit(made, 1)
        assert admit(made, 2)
        gpu.used = {10**7 + 1: 4 * GB, 10**7 + 2: GB // 2}
        for look in range(100):
            made.note_progress(("t-1", 1), look, look / 5)
            made.observe(look / 5, True)
        assert not admit(made, 3, 20.0), "the second one will take more"
        found = made.remove(("t-2", 1), False, 20.0)
        assert found is not None
        assert not found.measured

    def test_what_a_short_training_held_is_what_it_needs_unless_it_was_seen_once(self) -> None:
        """It ends before its first report is read."""
        gpu = OneGpu()
        made = Admission(manifest(task_gpus=1, per_gpu=4, mps=False), gpu, {"CUDA_VISIBLE_DEVICES": "0"})
        found = {}
        for number, used in enumerate(([1, 4, 4], [1, 4], [0, 0, 4, 1, 1])):
            assert admit(made, number)
            for look, held in enumerate(used):
                gpu.used = {10**7 + number: held * GB}
                made.observe(number + look / 5, True)
            occupant = made.remove((f"t-{number}", 1), True, number + 1.0)
            assert occupant is not None
            found[number] = occupant.measured
        assert found == {0: True, 1: False, 2: False}

    @pytest.mark.parametrize("hidden", [False, True])
    def test_parts_of_a_sum_do_not_show_what_a_task_needs(self, hidden: bool) -> None:
        class Sums(OneGpu):
            def read(self, gpu: GpuInfo) -> GpuReading | None:
                return GpuReading(sum(self.used.values()), 0.2, {} if hidden else dict(self.used))

        gpu = Sums()
        made = Admission(manifest(task_gpus=1, per_gpu=9, mps=False), gpu, {"CUDA_VISIBLE_DEVICES": "0"})
        assert admit(made, 0, params={"size": 0})
        assert admit(made, 1, params={"size": 1})
        gpu.used = {10**7 + number: (1 + number) * GB for number in range(2)}
        for look in range(20):
            for number in range(2):
                made.note_progress((f"t-{number}", 1), look, look / 5)
            made.observe(look / 5, True)
        ended = {"by": None, "cause": None, "exit": 0, "reason": None}
        occupant = made.remove(("t-1", 1), True, 4.0)
        assert occupant is not None
        assert end_record.fields(occupant, "", ended, made.mps).get("gpu_need") == (None if hidden else 2 * GB)

    def test_what_limits_the_speed_is_in_the_record(self) -> None:
        environ = {"CUDA_VISIBLE_DEVICES": "0", "PADDOCK_CORES": "0-3"}
        made = Admission(manifest(task_gpus=1, per_gpu=2, mps=False), OneGpu(), environ)
        assert admit(made, 1)
        made.note_usage(("t-1", 1), ProcessUsage(GB, 3.0))
        made.note_progress(("t-1", 1), 1, 6.0)
        made.observe(6.0, False)
        said = made.packing_record(False, 8.0)
        assert said is not None
        assert (said["load"], said["startup"]) == (0.2, 0.75)
        assert said["processor"] == pytest.approx(3.0 / made._cores.count, abs=0.01)

    def test_a_site_that_runs_mps_itself(self) -> None:
        mps = Mps({"CUDA_MPS_PIPE_DIRECTORY": "/site"})
        assert mps.share(lambda: pytest.fail("not asked")) == ("mps", None)
        assert mps.environment == {}


class TestEndRecord:
    def of(self, tmp_path: Path, text: str, ended: dict[str, Any], company: bool, **line: Any) -> dict[str, Any]:
        log = tmp_path / "out.log"
        log.write_text(text)
        gpus = OneGpu()
        made = Admission(manifest(task_gpus=1, per_gpu=2, mps=False), gpus, {"CUDA_VISIBLE_DEVICES": "0"})
        assert admit(made, 1, **line)
        if company:
            assert admit(made, 2, room={"gpu": GB} if line else None)
        gpus.used = {10**7 + 1: 2 * GB}
        occupant = made.remove(("t-1", 1), False, 0.0)
        assert occupant is not None
        occupant.peak = occupant.total_peak = 2 * GB
        base = {"by": None, "cause": "gpu_oom", "reason": "CUDA out of memory", "peak_memory": GB, "exit": 1}
        return end_record.fields(occupant, str(log), base | ended, made.mps)

    def test_more_room_then_alone_then_an_error(self, tmp_path: Path) -> None:
        text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has"
        first = self.of(tmp_path, text, {}, True)
        assert first["again"] == {"gpu": 2 * GB + 3 * 2**30, "host": None, "alone": False}
        assert "gpu_need" not in first, "it would have needed more"
        second = self.of(tmp_path, text, {}, True, room=first["again"])
        assert second["again"]["alone"]
        last = self.of(tmp_path, text, {}, False, room={"alone": True})
        assert "again" not in last
        assert "it had the GPU to itself and held 1.9 GiB, wanted 3 GiB more, of 9.3 GiB: use a" in last["reason"]

    def test_what_it_says_that_it_held_counts_where_it_was_too_fast_to_be_seen(self, tmp_path: Path) -> None:
        text = "CUDA out of memory. Tried to allocate 1.00 GiB. this process has 3.00 GiB memory in use"
        assert self.of(tmp_path, text, {}, True)["again"]["gpu"] == 4 * 2**30
        assert "held 3 GiB, wanted 1 GiB more, of 9.3 GiB:" in self.of(tmp_path, text, {}, False)["reason"]

    def test_nearly_the_whole_gpu_is_the_whole_gpu(self, tmp_path: Path) -> None:
        found = self.of(tmp_path, "CUDA out of memory. Tried to allocate 7.00 GiB", {}, True)
        assert found["again"]["alone"]

    def test_one_that_was_stopped_is_not_tried_again(self, tmp_path: Path) -> None:
        assert "again" not in self.of(tmp_path, "CUDA out of memory", {"by": "stop"}, True)

    def test_the_memory_of_the_node(self, tmp_path: Path, memory: Callable[[float], None]) -> None:
        found = self.of(tmp_path, "", {"cause": "host_oom", "reason": "killed"}, True)
        assert found["again"] == {"gpu": None, "host": int(1.3 * GB), "alone": False}
        alone = self.of(tmp_path, "", {"cause": "host_oom", "reason": "killed"}, False)
        assert (
            alone["reason"]
            == "killed; no other task was beside it, and it held 953.7 MiB of 93.1 GiB: request more memory"
        )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0", int(2.5 * 2**30)),
        ("Out of memory while trying to allocate 12884901888 bytes.", 12884901888),
        ("failed to allocate 11.20GiB (12025908428 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY", 12025908428),
        ("Tried to allocate 20.00 MiB and then Tried to allocate 1.00 GiB", 2**30),
        ("CUBLAS_STATUS_ALLOC_FAILED", None),
        ("", None),
    ],
)
def test_how_much_was_wanted(tmp_path: Path, text: str, wanted: int | None) -> None:
    (tmp_path / "log").write_text(text)
    assert causes.wanted(str(tmp_path / "log")) == wanted


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("of which 1.66 GiB is free. Including non-PyTorch memory, this process has 20.50 GiB memory in use. Of", 20.5),
        ("(GPU 0; 4.00 GiB total capacity; 3.08 GiB already allocated; 3.50 GiB reserved in total by PyTorch)", 3.5),
        ("Process 20398 has 14.52 GiB memory in use.", None),
    ],
)
def test_how_much_it_held(tmp_path: Path, text: str, held: float | None) -> None:
    (tmp_path / "log").write_text("CUDA out of memory. Tried to allocate 2.50 GiB. " + text)
    assert causes.held(str(tmp_path / "log")) == (None if held is None else int(held * 2**30))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("RuntimeError: CUDA error: an illegal memory access was encountered", True),
        ("torch.AcceleratorError: CUDA error: device-side assert triggered", True),
        ("CUDA_ERROR_MPS_CONNECTION_FAILED", True),
        ("cuBLAS: CUBLAS_STATUS_EXECUTION_FAILED", True),
        ("CUBLAS_STATUS_ALLOC_FAILED", False),
        ("CUDA_ERROR_OUT_OF_MEMORY", False),
        ("ValueError: no such file", False),
    ],
)
def test_faults_on_the_gpu(tmp_path: Path, text: str, fault: bool) -> None:
    (tmp_path / "log").write_text(f"Traceback (most recent call last):\n  File x\n{text}\n")
    assert causes.is_cuda_fault(str(tmp_path / "log")) is fault
