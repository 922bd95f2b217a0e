"""Test tasks that share scripted GPUs, whose memory is a counter that tasks can really exhaust."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.runner import scripted
from tests.runner.folder import Folder, Record
from tests.runner.scripted import GB, ScriptedGpus

TASK = """
import json, os, sys, time
sys.path.insert(0, {here!r})
from scripted import ScriptedGpus
memory, steps, seconds, load, later = json.loads(os.environ["WORK"])
print("seat", json.dumps({{name: os.environ.get(name) for name in {names!r}}}), sorted(os.sched_getaffinity(0)))
gpus = ScriptedGpus({gpus!r})
try:
    gpus.take(int(memory), load)
    for step in range(1, steps + 1):
        gpus.step(seconds)
        print("epoch: %d loss: %.3f" % (step, 1 / step), flush=True)
        if step == 2 and later:
            gpus.take(int(later), load)
except MemoryError as error:
    sys.exit("Traceback (most recent call last):\\n" + str(error))
"""
NAMES = (
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TF_NUM_INTEROP_THREADS",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "XLA_PYTHON_CLIENT_PREALLOCATE",
)


class Shop:
    """A job folder, scripted GPUs, and the engine's part in trying again."""

    def __init__(self, folder: Folder, path: Path) -> None:
        self.folder = folder
        self.path = path
        self.gpus = ScriptedGpus(path)
        here = str(Path(scripted.__file__).parent)
        script = folder.code("work.py", TASK.format(here=here, gpus=str(path), names=NAMES))
        self._command = (sys.executable, "-I", "-S", script)  # a start without the packages of the environment is cheap
        self._lines: dict[str, dict[str, Any]] = {}

    def add(
        self,
        number: int,
        memory: float,
        steps: int = 12,
        seconds: float = 0.1,
        load: float = 0.05,
        later: float = 0,
        **more: Any,
    ) -> None:
        work = json.dumps([memory, steps, seconds, load, later])
        line = {"env": {"WORK": work, **more.pop("env", {})}, **more}
        self._lines[f"t-{number}"] = line
        self.folder.add(f"t-{number}", *self._command, **line)

    def run(
        self,
        seconds: float = 60,
        visible: str = "0",
        cores: str = "0-15",
        enough: Callable[[list[Record]], bool] = lambda records: False,
        **manifest: Any,
    ) -> list[Record]:
        """Until all have ended for good, or the records are enough."""
        asked = {"slots": 48, "gpus": {"task": 1, "per": "auto"}, "poll_seconds": 0.1, "idle_seconds": 0.5}
        place = self.folder.allocate(**{**asked, **manifest})
        with open(place / "out.log", "ab") as out:
            runner = subprocess.Popen(
                [sys.executable, scripted.__file__, str(self.path), str(place)],
                env={**os.environ, "CUDA_VISIBLE_DEVICES": visible, "PADDOCK_CORES": cores},
                stdout=out,
                stderr=out,
            )
        seen = 0
        deadline = time.monotonic() + seconds
        try:
            while runner.poll() is None:
                assert time.monotonic() < deadline, self.folder.records()
                records = self.folder.records()
                for record in records[seen:]:
                    if record["e"] == "ended" and record.get("again"):
                        line = {**self._lines[record["task"]], "room": record["again"]}
                        number = record["attempt"] + 1
                        self.folder.add(record["task"], *self._command, attempt=number, **line)
                seen = len(records)
                if enough(records):
                    runner.terminate()
                    runner.wait(seconds)
                time.sleep(0.1)
        finally:
            runner.kill()
            runner.wait()
        assert not self.folder.complaints().strip(), self.folder.complaints()
        return self.folder.records()

    def seat(self, task: str) -> dict[str, Any]:
        text = self.folder.log(task)
        found: dict[str, Any] = json.loads(text[text.index("{") : text.index("}") + 1])
        return found


def ends(records: list[Record], task: str | None = None) -> list[str | None]:
    return [r["cause"] for r in records if r["e"] == "ended" and task in (None, r["task"])]


def most_at_once(records: list[Record]) -> int:
    now = most = 0
    for record in records:
        now += (record["e"] == "started") - (record["e"] == "ended")
        most = max(most, now)
    return most


def last_packing(records: list[Record]) -> Record:
    return [r for r in records if r["e"] == "packing"][-1]


@pytest.fixture
def shop(folder: Folder, tmp_path: Path) -> Iterator[Shop]:
    made = Shop(folder, tmp_path / "gpus.json")
    made.gpus.make(1, 10 * GB)
    yield made


class TestSeats:
    def test_dealt_round_robin_over_the_gpus(self, shop: Shop) -> None:
        shop.gpus.make(3, 10 * GB)
        for number in range(6):
            shop.add(number, GB, steps=30)
        records = shop.run(visible="0,1,2", slots=6, gpus={"task": 1, "per": 2})
        on = [shop.seat(f"t-{number}")["CUDA_VISIBLE_DEVICES"] for number in range(6)]
        assert on == [f"GPU-{gpu:08x}" for gpu in (0, 1, 2, 0, 1, 2)]
        devices = [r["device"] for r in records if r["e"] == "started"]
        assert devices == ["gpu 0", "gpu 1", "gpu 2"] * 2

    def test_several_gpus_for_each(self, shop: Shop) -> None:
        shop.gpus.make(4, 10 * GB)
        for number in range(2):
            shop.add(number, GB, steps=20)
        shop.run(visible="0,1,2,3", slots=2, gpus={"task": 2, "per": 1})
        on = [shop.seat(f"t-{number}")["CUDA_VISIBLE_DEVICES"] for number in range(2)]
        assert on == ["GPU-00000000,GPU-00000001", "GPU-00000002,GPU-00000003"]

    def test_threads_and_what_frameworks_may_take(self, shop: Shop) -> None:
        shop.add(1, GB, steps=2)
        shop.add(2, GB, steps=2, env={"OMP_NUM_THREADS": "7", "TF_FORCE_GPU_ALLOW_GROWTH": "false"})
        records = shop.run(slots=2, threads=3, gpus={"task": 1, "per": 2})
        first, second = shop.seat("t-1"), shop.seat("t-2")
        assert (first["OMP_NUM_THREADS"], first["MKL_NUM_THREADS"], first["TF_NUM_INTEROP_THREADS"]) == ("3", "3", "2")
        assert (first["TF_FORCE_GPU_ALLOW_GROWTH"], first["XLA_PYTHON_CLIENT_PREALLOCATE"]) == ("true", "false")
        assert (second["OMP_NUM_THREADS"], second["TF_FORCE_GPU_ALLOW_GROWTH"]) == ("7", "false")
        [seat, _] = [r["seat"] for r in records if r["e"] == "started"]
        assert (seat["gpus"], seat["gpu_name"], seat["threads"]) == (["GPU-00000000"], "Scripted 10G", 3)
        assert seat["sharing"] == "turns"
        assert "nvidia-cuda-mps-control" in seat["why"]

    @pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core cannot be dealt")
    def test_each_has_cores_of_its_own(self, shop: Shop) -> None:
        shop.add(1, GB)
        shop.add(2, GB)
        records = shop.run(cores="", slots=2, gpus={"task": 1, "per": 2})
        mine = [r["seat"]["cores"] for r in records if r["e"] == "started"]
        assert not set(mine[0]) & set(mine[1])
        assert sorted(mine[0] + mine[1]) == sorted(os.sched_getaffinity(0))

    def test_alone_in_its_allocation_it_has_all_of_it(self, shop: Shop) -> None:
        shop.add(1, GB, steps=2)
        records = shop.run(slots=1, gpus={"task": 1, "per": 1})
        assert shop.seat("t-1")["CUDA_VISIBLE_DEVICES"] == "0"
        assert shop.seat("t-1")["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
        assert shop.seat("t-1")["TF_FORCE_GPU_ALLOW_GROWTH"] is None
        [usage, *_] = [r for r in records if r["e"] == "usage"]
        assert usage["gpu_memory"] == GB
        [ended] = [r for r in records if r["e"] == "ended"]
        assert ended["peak_gpu_memory"] == GB


class TestAdmission:
    def test_no_more_than_fit(self, shop: Shop) -> None:
        """Three of 3 GB on a GPU of 10, whatever number was asked for."""
        for number in range(7):
            shop.add(number, 3 * GB, steps=8)
        records = shop.run(slots=7, gpus={"task": 1, "per": 7, "known": {"Scripted 10G": {"need": 3 * GB, "tasks": 7}}})
        assert ends(records) == [None] * 7
        assert most_at_once(records) == 3
        assert last_packing(records)["limit"] == "memory"

    def test_what_others_hold_is_not_given_away(self, shop: Shop) -> None:
        shop.gpus.strange(0, 6 * GB)
        for number in range(4):
            shop.add(number, 2 * GB, steps=5)
        known = {"Scripted 10G": {"need": 2 * GB, "tasks": 4}}
        records = shop.run(slots=4, gpus={"task": 1, "per": 4, "known": known})
        assert ends(records) == [None] * 4
        assert most_at_once(records) == 1
        [seat, *_] = [r["seat"] for r in records if r["e"] == "started"]
        assert "another process uses the GPU" in seat["why"]

    @pytest.mark.parametrize("told", [True, False])
    def test_nothing_known_a_few_begin_and_the_rest_when_they_are_measured(self, shop: Shop, told: bool) -> None:
        if not told:
            shop.gpus.hide_processes()
        for number in range(9):
            shop.add(number, 1.5 * GB, steps=25)
        records = shop.run(slots=9, gpus={"task": 1, "per": 9})
        assert ends(records) == [None] * 9
        assert most_at_once(records) == 6
        assert last_packing(records)["need"] == pytest.approx(1.53 * GB, rel=0.01)

    def test_out_of_memory_costs_nobody_anything(self, shop: Shop) -> None:
        """Five small ones and one that turns out to need the whole gpu."""
        for number in range(5):
            shop.add(number, GB, steps=15)
        shop.add(5, GB, steps=15, later=8 * GB)
        records = shop.run()
        assert ends(records, "t-5")[0] == "gpu_oom"
        assert ends(records, "t-5")[-1] is None
        assert [cause for number in range(5) for cause in ends(records, f"t-{number}")] == [None] * 5
        again = [r["again"] for r in records if r["e"] == "ended" and r.get("again")]
        assert again[0]["gpu"] >= 8.5 * GB
        assert shop.gpus.look()["cards"][0]["most"] <= 10 * GB

    def test_different_sizes_share_by_what_their_parameters_predict(self, shop: Shop) -> None:
        """As the largest needs 6 of 10 GB, only one would run at a time; large ones start first."""
        sizes = (1, 4, 2, 5, 1, 3)
        for number, size in enumerate(sizes):
            shop.add(number, size * GB, steps=20, params={"size": size, "lr": number / 10})
        samples = [[{"size": size, "lr": 0.5}, size * GB] for size in range(1, 7)]
        known = {"Scripted 10G": {"need": 6 * GB, "tasks": 6, "limit": "tasks", "samples": samples}}
        records = shop.run(slots=6, gpus={"task": 1, "per": "auto", "known": known})
        assert ends(records) == [None] * 6
        started = [sizes[int(r["task"][2:])] for r in records if r["e"] == "started"]
        assert started[:2] == [5, 4]
        assert most_at_once(records) >= 3
        needs = {sizes[int(r["task"][2:])]: r["gpu_need"] for r in records if r["e"] == "ended"}
        assert needs == {size: size * GB for size in sizes}

    def test_a_prediction_that_is_far_too_low_loses_no_task(self, shop: Shop) -> None:
        for number in range(3):
            shop.add(number, 6 * GB, steps=40, params={"size": 1 + number / 10})
        samples = [[{"size": size}, size * GB] for size in range(1, 7)]
        known = {"Scripted 10G": {"need": 6 * GB, "tasks": 6, "limit": "tasks", "samples": samples}}
        records = shop.run(slots=6, seconds=120, gpus={"task": 1, "per": "auto", "known": known})
        assert "gpu_oom" in ends(records)
        for number in range(3):
            assert ends(records, f"t-{number}")[-1] is None
        assert not [r for r in records if r.get("cause") == "gpu_oom" and "gpu_need" in r]

    def test_what_does_not_fit_alone_is_an_error_and_says_how_much_it_wanted(self, shop: Shop) -> None:
        shop.add(1, 2 * GB, steps=20)
        shop.add(2, 2 * GB, later=12 * GB)
        records = shop.run()
        assert ends(records, "t-1") == [None]
        causes = ends(records, "t-2")
        assert set(causes) == {"gpu_oom"}
        assert len(causes) in (2, 3)
        last = [r for r in records if r["e"] == "ended" and r["task"] == "t-2"][-1]
        assert "again" not in last
        assert "had the GPU to itself and held 1.9 GiB, wanted 11.2 GiB more, of 9.3 GiB" in last["reason"]


class TestPackingController:
    def test_from_a_few_to_as_many_as_fit_while_the_gpu_is_idle(self, shop: Shop) -> None:
        for number in range(14):
            shop.add(number, 0.8 * GB, steps=20, load=0.02)
        records = shop.run()
        started = [r["at"] for r in records if r["e"] == "started"]
        assert ends(records) == [None] * 14
        assert started[2] - started[0] > 1, "two, until something is known of them"
        said = last_packing(records)
        assert said["auto"]
        assert said["tasks"] == most_at_once(records) == 11
        assert said["limit"] == "memory"

    def test_with_what_was_learned_all_at_once(self, shop: Shop) -> None:
        for number in range(8):
            shop.add(number, 0.8 * GB, steps=10, load=0.02)
        known = {"Scripted 10G": {"tasks": 8, "need": int(0.8 * GB), "limit": "cores"}}
        records = shop.run(gpus={"task": 1, "per": "auto", "known": known})
        started = [r["at"] for r in records if r["e"] == "started"]
        assert started[7] - started[0] < 1.5
        assert last_packing(records)["known"]

    def test_where_it_does_not_pay_there_are_fewer(self, shop: Shop) -> None:
        """Each keeps the GPU busy by itself: two take twice as long. To how many it comes exactly, its own tests tell
        (test_packing_controller): on a machine that is busy with other things, what is measured here is not exact."""
        for number in range(8):
            shop.add(number, 0.5 * GB, steps=100, seconds=0.1, load=1.0)

        def judged(records: list[Record]) -> list[Record]:
            return [r for r in records if r["e"] == "packing" and r["limit"] == "gain" and r["speedup"] is not None]

        records = shop.run(180, enough=lambda records: bool(judged(records)))
        assert most_at_once(records) < 8, "not all of them"
        assert 0.6 <= judged(records)[0]["speedup"] <= 1.7


class TestWithoutGpus:
    def test_one_that_has_to_be_alone_waits_for_the_others(self, shop: Shop) -> None:
        for number in range(3):
            shop.folder.add(f"t-{number}", "sleep", "0.7", room={"alone": True} if number == 1 else None)
        records = shop.run(slots=3, gpus={"task": 0, "per": 1})
        order = [(r["e"], r["task"]) for r in records if r["e"] in ("started", "ended")]
        assert order.index(("ended", "t-2")) < order.index(("started", "t-1"))
        assert order.index(("started", "t-2")) < order.index(("ended", "t-0"))

    def test_a_runner_stays_while_one_waits_for_memory_that_others_hold(self, folder: Folder) -> None:
        folder.add("t-1", "true", room={"host": 10**16})
        folder.end()
        folder.allocate(slots=2)
        runner = folder.start()
        with pytest.raises(subprocess.TimeoutExpired):
            runner.wait(1.5)
        assert [record["e"] for record in folder.records()] == ["runner"]

    def test_gpus_without_a_driver_are_assigned_all_the_same(self, folder: Folder) -> None:
        for number in range(2):
            folder.add(f"t-{number}", "sh", "-c", "echo on $CUDA_VISIBLE_DEVICES; sleep 0.5")
        folder.end()
        folder.allocate(slots=2, gpus={"task": 1, "per": 1})
        folder.run(CUDA_VISIBLE_DEVICES="2,5")
        assert [folder.log(f"t-{number}") for number in range(2)] == ["on 2\n", "on 5\n"]
