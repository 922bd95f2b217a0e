"""The contract of every backend. A new backend gets a rig and subclasses of the classes here.

`BackendContract`, `BatchContract` and `RestartContract` are for all backends; `QueueContract` is for those whose size a
test can choose.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.backends import processes
from paddock.backends.base import Backend
from paddock.models import FOLDER, AllocationChange, Device
from paddock.rules import placement
from tests.backends.rig import ENDED, PENDING, RUNNING, Rig, ended, states

SLEEPER = ["/bin/sleep", "300"]
LEAVES_A_CHILD = "(setsid sh -c 'echo $$ > left; exec sleep 300' &) ; while [ ! -s left ]; do sleep 0.01; done"


class BackendContract:
    @pytest.fixture
    def rig(self, tmp_path: Path) -> Iterator[Rig]:
        raise NotImplementedError

    @pytest.fixture
    def backend(self, rig: Rig) -> Backend:
        return rig.open()

    def test_runs_the_command_in_its_folder_and_says_when_it_has_ended(self, rig: Rig, backend: Backend) -> None:
        one = rig.one(backend, rig.shell("a1", "pwd; echo oops >&2; touch here"))
        status = rig.wait_end(backend, one)
        assert (status.state, status.cause, status.by_hand) == (ENDED, None, False)
        assert status.node in rig.node_names()
        assert (rig.of("a1") / "here").exists()
        assert rig.printed("a1") == f"{rig.of('a1')}\noops\n"

    def test_the_exit_code_of_a_runner_is_no_business_of_the_backend(self, rig: Rig, backend: Backend) -> None:
        one = rig.one(backend, rig.shell("a1", "exit 3"))
        status = rig.wait_end(backend, one)
        assert (status.state, status.cause, status.by_hand) == (ENDED, None, False)

    def test_submit_is_idempotent_on_the_key(self, rig: Rig, backend: Backend) -> None:
        batch = rig.shell("a1", "echo x >> ran; sleep 0.2")
        ids = {rig.one(backend, batch) for _ in range(3)}
        assert len(ids) == 1
        rig.wait_end(backend, *ids)
        assert {rig.one(backend, batch)} == ids
        assert states(backend, *ids) == [ENDED]
        assert (rig.of("a1") / "ran").read_text() == "x\n"

    def test_what_is_not_known_is_absent(self, rig: Rig, backend: Backend) -> None:
        one = rig.one(backend, rig.batch("a1", SLEEPER))
        assert set(backend.poll([*rig.unknown, one])) == {one}
        assert backend.poll([]) == {}

    def test_the_records_tell_of_ends_only(self, rig: Rig, backend: Backend) -> None:
        """Of what is not known, of what runs, and of what has ended: never that something else is the matter."""
        ended_one = rig.one(backend, rig.shell("a1", "true"))
        running = rig.one(backend, rig.batch("a2", SLEEPER))
        rig.wait_end(backend, ended_one)
        rig.wait_state(backend, running, RUNNING)
        assert backend.trace([]) == {}
        found = backend.trace([*rig.unknown, ended_one, running])
        assert set(found) <= {ended_one}
        assert {status.state for status in found.values()} <= {ENDED}

    def test_an_end_is_kept_until_it_was_told(self, rig: Rig, backend: Backend) -> None:
        """The caller learns the id of an allocation after others were polled: its end must not be lost meanwhile."""
        one = rig.one(backend, rig.shell("a1", "true"))
        for _ in range(5):
            backend.poll([])
            time.sleep(0.02)
        rig.wait_end(backend, one)

    def test_ended_only_when_nothing_of_it_runs(self, rig: Rig, backend: Backend) -> None:
        one = rig.one(backend, rig.shell("a1", LEAVES_A_CHILD))
        left = int(rig.wait_file(rig.of("a1") / "left"))
        rig.wait_end(backend, one)
        assert processes.started(left) is None

    def test_leftovers_of_a_killed_runner_are_ended_with_it(self, rig: Rig, backend: Backend) -> None:
        child = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.setsid(); "
        child += "open('child', 'w').write(str(os.getpid())); time.sleep(300)"
        code = f"import os, subprocess, sys; p = subprocess.Popen([sys.executable, '-I', '-S', '-c', {child!r}]); "
        code += "open('runner', 'w').write(str(os.getpid())); p.wait()"
        one = rig.one(backend, rig.batch("a1", [sys.executable, "-I", "-S", "-c", code]))
        runner, left = (int(rig.wait_file(rig.of("a1") / name)) for name in ("runner", "child"))
        rig.wait_state(backend, one, RUNNING)
        os.kill(runner, signal.SIGKILL)
        rig.wait_end(backend, one)
        assert processes.started(left) is None

    def test_processes_of_others_are_left_alone(self, rig: Rig, backend: Backend) -> None:
        first = rig.one(backend, rig.shell("a1", "sleep 0.1"))
        second = rig.one(backend, rig.batch("a10", SLEEPER))
        rig.wait_end(backend, first)
        rig.wait_state(backend, second, RUNNING)
        time.sleep(rig.settling)
        assert states(backend, second) == [RUNNING]

    def test_a_command_that_cannot_be_started_holds_up_nothing(self, rig: Rig, backend: Backend) -> None:
        one = rig.one(backend, rig.batch("a1", [str(rig.folder / "no such program")]))
        status = rig.wait_end(backend, one)
        told = f"{status.reason} {rig.printed('a1') if (rig.of('a1') / 'out.log').exists() else ''}"
        assert "no such program" in told
        after = rig.one(backend, rig.shell("a2", "true"))
        assert rig.wait_end(backend, after).cause is None

    def test_cancel_of_a_running_one(self, rig: Rig, backend: Backend) -> None:
        text = "trap 'echo told > told; exit 0' TERM; touch up; while :; do sleep 0.05; done"
        one = rig.one(backend, rig.shell("a1", text))
        rig.eventually((rig.of("a1") / "up").exists)
        backend.cancel([one])
        rig.wait_end(backend, one)
        assert (rig.of("a1") / "told").exists()  # it was asked, not killed

    def test_cancel_of_a_waiting_one_never_runs_it(self, rig: Rig, backend: Backend) -> None:
        _, go = rig.fill(backend)
        waits, other = rig.submit(backend, rig.shell("a2", "touch ran", count=2))
        assert states(backend, waits, other) == [PENDING, PENDING]
        backend.cancel([waits])
        rig.eventually(lambda: ended(backend, [waits]))
        go()
        rig.wait_end(backend, other)
        assert [(rig.of("a2", n) / "ran").exists() for n in (0, 1)] == [False, True]

    def test_only_waiting_ones_can_be_cancelled(self, rig: Rig, backend: Backend) -> None:
        running, go = rig.fill(backend)
        waits, other = rig.submit(backend, rig.shell("a2", "touch ran", count=2))
        backend.cancel([running[0], waits, *rig.unknown], waiting_only=True)
        rig.eventually(lambda: ended(backend, [waits]))
        assert states(backend, running[0], other) == [RUNNING, PENDING]
        go()
        rig.wait_end(backend, other)
        assert rig.wait_end(backend, running[0]).cause is None
        assert [(rig.of("a2", n) / "ran").exists() for n in (0, 1)] == [False, True]

    def test_cancel_of_ended_and_unknown_ones_is_nothing(self, rig: Rig, backend: Backend) -> None:
        one = rig.one(backend, rig.shell("a1", "true"))
        rig.wait_end(backend, one)
        backend.cancel([one, *rig.unknown])
        backend.cancel([])
        assert states(backend, one) == [ENDED]

    def test_the_nodes_are_those_of_this_backend(self, rig: Rig, backend: Backend) -> None:
        nodes = backend.nodes()
        assert {node.name for node in nodes} == rig.node_names()
        assert {node.backend for node in nodes} == {backend.name}
        assert all(node.cpu_slots >= 1 and 0 <= node.slots_used <= node.slots for node in nodes)
        assert placement.width(rig.resources(0, 1), nodes) >= 1


class BatchContract:
    """Many in one call, what is asked before, and what is changed after."""

    def test_a_batch_of_several_each_in_its_folder(self, rig: Rig, backend: Backend) -> None:
        batch = rig.batch("a1", ["/bin/sh", "-c", 'pwd > cwd; echo "$1" > seen', "sh", FOLDER], count=3)
        ids = rig.submit(backend, batch)
        assert len(set(ids)) == len(ids)
        assert 1 <= len(ids) <= 3  # a backend may take fewer; the others will never be
        rig.eventually(lambda: states(backend, *ids) == [ENDED] * len(ids))
        for number in range(3):
            path = batch.folder_of(number)
            seen = [(Path(path) / name).read_text() for name in ("cwd", "seen") if (Path(path) / name).exists()]
            assert seen == ([f"{path}\n"] * 2 if number < len(ids) else [])

    def test_idempotent_for_all_of_it_also_after_a_restart(self, rig: Rig, backend: Backend) -> None:
        batch = rig.shell("a1", "echo x >> ran; while [ ! -e ../go ]; do sleep 0.02; done", count=3)
        ids = rig.submit(backend, batch)
        assert rig.submit(backend, batch) == ids
        again = rig.open()
        assert rig.submit(again, batch) == ids
        (rig.folder / "go").touch()
        rig.eventually(lambda: states(again, *ids) == [ENDED] * len(ids))
        assert rig.submit(rig.open(), batch) == ids
        time.sleep(rig.settling)
        assert [(rig.of("a1", n) / "ran").read_text() for n in range(len(ids))] == ["x\n"] * len(ids)

    def test_two_batches_do_not_mix(self, rig: Rig, backend: Backend) -> None:
        first = rig.submit(backend, rig.shell("a1", "true", count=2))
        second = rig.submit(backend, rig.shell("a10", "true", count=2))
        assert not set(first) & set(second)

    def test_one_of_a_batch_can_be_cancelled(self, rig: Rig, backend: Backend) -> None:
        first, second = rig.submit(backend, rig.batch("a1", SLEEPER, count=2))
        rig.eventually(lambda: states(backend, first, second) == [RUNNING] * 2)
        backend.cancel([first])
        rig.wait_end(backend, first)
        time.sleep(rig.settling)
        assert states(backend, second) == [RUNNING]

    def test_a_held_one_does_not_start_until_it_is_released(self, rig: Rig, backend: Backend) -> None:
        others, go = rig.fill(backend)
        one = rig.one(backend, rig.shell("a1", "touch ran"))
        rig.wait_state(backend, one, PENDING)
        backend.change([one], AllocationChange(held=True))
        go()
        rig.eventually(lambda: ended(backend, others))
        time.sleep(rig.settling)
        assert states(backend, one) == [PENDING]
        again = rig.open()  # a restart does not let it go
        time.sleep(rig.settling)
        assert states(again, one) == [PENDING]
        assert not (rig.of("a1") / "ran").exists()
        again.change([one], AllocationChange(held=False))
        rig.wait_end(again, one)
        assert (rig.of("a1") / "ran").exists()

    def test_holding_does_not_end_what_runs(self, rig: Rig, backend: Backend) -> None:
        one = rig.one(backend, rig.shell("a1", "touch up; while [ ! -e go ]; do sleep 0.02; done; touch done"))
        rig.eventually((rig.of("a1") / "up").exists)
        rig.wait_state(backend, one, RUNNING)
        try:
            backend.change([one], AllocationChange(held=True))
        finally:
            (rig.of("a1") / "go").touch()
        rig.wait_end(backend, one)
        assert (rig.of("a1") / "done").exists()

    def test_a_change_of_nothing_or_of_ended_ones_is_nothing(self, rig: Rig, backend: Backend) -> None:
        one = rig.one(backend, rig.shell("a1", "true"))
        rig.wait_end(backend, one)
        backend.change([], AllocationChange(held=True))
        backend.change([one], AllocationChange())
        backend.change([one], AllocationChange(held=True, nice=5, time_limit=3600))
        assert states(backend, one) == [ENDED]

    def test_what_it_would_say_of_a_request(self, rig: Rig, backend: Backend) -> None:
        batch = rig.shell("a1", "touch ran", count=2)
        check = backend.check(batch)
        assert check.accepted
        assert isinstance(check.message, str)
        text = backend.script(batch)
        assert text is None or batch.key in text
        time.sleep(rig.settling)
        assert not list(rig.folder.glob("*/ran"))  # asking has not submitted it


class QueueContract:
    """For backends whose size we decide on."""

    def test_first_come_first_served(self, rig: Rig) -> None:
        backend = rig.open(slots=1)
        log = rig.folder / "order"
        names = ("c", "a", "b", "a10")
        text = "while [ ! -e ../go ]; do sleep 0.02; done; echo {} >> {}"
        ids = [rig.one(backend, rig.shell(name, text.format(name, log))) for name in names]
        assert states(backend, *ids) == [RUNNING, PENDING, PENDING, PENDING]
        (rig.folder / "go").touch()
        rig.eventually(lambda: ended(backend, ids))
        assert log.read_text().split() == ["c", "a", "b", "a10"]

    def test_a_batch_comes_in_the_order_of_its_numbers(self, rig: Rig) -> None:
        backend = rig.open(slots=1)
        text = f'basename "$PWD" >> {rig.folder}/order'
        ids = rig.submit(backend, rig.shell("a", text, count=12)) + rig.submit(backend, rig.shell("b", text))
        rig.eventually(lambda: ended(backend, ids))
        assert (rig.folder / "order").read_text().split() == [*(f"a.{n}" for n in range(12)), "b.0"]

    def test_a_wide_one_is_not_overtaken_for_ever(self, rig: Rig) -> None:
        backend = rig.open(slots=2)
        first = rig.one(backend, rig.shell("a1", "while [ ! -e go ]; do sleep 0.02; done"))
        wide = rig.one(backend, rig.batch("a2", SLEEPER, cpus=2))
        small = rig.one(backend, rig.batch("a3", SLEEPER))
        assert states(backend, first, wide, small) == [RUNNING, PENDING, PENDING]
        (rig.of("a1") / "go").touch()
        rig.wait_end(backend, first)
        assert states(backend, wide, small) == [RUNNING, PENDING]

    def test_a_held_one_holds_up_nobody(self, rig: Rig) -> None:
        backend = rig.open(slots=1)
        first, held, after = rig.submit(backend, rig.shell("a1", "touch ran", count=3))
        backend.change([held], AllocationChange(held=True))
        rig.eventually(lambda: ended(backend, [first, after]))
        assert states(backend, held) == [PENDING]

    def test_one_that_waits_for_a_gpu_does_not_hold_up_one_that_needs_none(self, rig: Rig) -> None:
        backend = rig.open(slots=1, gpus=["0"])
        ids = [rig.one(backend, rig.batch(f"a{i}", SLEEPER, gpus=gpus)) for i, gpus in enumerate((1, 1, 0, 0))]
        assert states(backend, *ids) == [RUNNING, PENDING, RUNNING, PENDING]

    def test_what_waits_says_why(self, rig: Rig) -> None:
        backend = rig.open(slots=3, gpus=["0"])
        shapes = {"a1": (1, 1), "a2": (1, 1), "a3": (0, 2), "a4": (0, 2), "a5": (0, 1), "a6": (2, 1)}
        ids = [
            rig.one(backend, rig.batch(name, SLEEPER, gpus=gpus, cpus=cpus)) for name, (gpus, cpus) in shapes.items()
        ]
        found = backend.poll(ids)
        assert [(found[one].reason, found[one].never) for one in ids] == [
            (None, False),
            ("the GPU of this node is in use", False),
            (None, False),
            ("needs 2 CPU slots, and 1 of 3 on this node is free", False),
            ("comes after one that needs more CPU slots than are free", False),
            ("needs 2 GPUs, and this node has 1", True),
        ]
        backend.cancel(ids[3:4])
        backend.change(ids[1:2], AllocationChange(held=True))
        after = rig.one(backend, rig.batch("a7", SLEEPER))
        found = backend.poll([*ids, after])
        assert found[ids[4]].reason is None, "it runs"
        assert found[ids[1]].reason == "held: release it to let it start"
        assert found[after].reason == "all 3 CPU slots of this node are in use"

    def test_a_wide_one_takes_its_places(self, rig: Rig) -> None:
        backend = rig.open(slots=3)
        wide = rig.batch("a1", SLEEPER)
        wide = wide.model_copy(update={"resources": wide.resources.model_copy(update={"cpus": 2})})
        first, second = rig.one(backend, wide), rig.one(backend, rig.batch("a2", SLEEPER, cpus=2))
        assert states(backend, first, second) == [RUNNING, PENDING]

    def test_each_has_a_gpu_of_its_own(self, rig: Rig) -> None:
        backend = rig.open(gpus=["0", "1"])
        lock = f"{rig.folder}/gpu-$CUDA_VISIBLE_DEVICES"
        text = f'echo "$CUDA_VISIBLE_DEVICES" > gpu; mkdir "{lock}" || touch clash; sleep 0.1; rmdir "{lock}"'
        ids = rig.submit(backend, rig.shell("a", text, gpus=1, count=5))
        rig.eventually(lambda: ended(backend, ids))
        assert not list(rig.folder.glob("*/clash"))
        given = [(rig.of("a", n) / "gpu").read_text().strip() for n in range(5)]
        assert set(given) == {"0", "1"}

    def test_two_gpus_and_none(self, rig: Rig) -> None:
        backend = rig.open(gpus=["GPU-aa", "GPU-bb", "GPU-cc"])
        text = 'echo "gpus=${CUDA_VISIBLE_DEVICES-unset}" > gpus'
        rig.wait_end(backend, rig.one(backend, rig.shell("a1", text, gpus=2)))
        rig.wait_end(backend, rig.one(backend, rig.shell("a2", text)))
        assert (rig.of("a1") / "gpus").read_text() == "gpus=GPU-aa,GPU-bb\n"
        assert (rig.of("a2") / "gpus").read_text() == "gpus=\n"

    def test_nodes_show_what_is_used(self, rig: Rig) -> None:
        backend = rig.open(slots=3, gpus=["0", "1"])

        def used() -> dict[tuple[str, str], list[str]]:
            [node] = backend.nodes()
            assert node.slots_used == sum(bool(d.used_by) for d in node.devices if d.kind == "gpu")
            return {(device.kind, device.id): device.used_by for device in node.devices}

        [node] = backend.nodes()
        assert (node.slots, node.slots_used, node.cpu_slots, node.backend) == (2, 0, 3, backend.name)
        assert [d.kind for d in node.devices] == ["gpu", "gpu", "cpu", "cpu", "cpu"]
        assert all(isinstance(device, Device) for device in node.devices)
        g = rig.batch("g", SLEEPER, gpus=1)
        c = rig.batch("c", SLEEPER, cpus=2)
        ids = [rig.one(backend, one) for one in (g, c, rig.batch("waits", SLEEPER, gpus=2))]
        assert used() == {
            ("gpu", "0"): g.keys,
            ("gpu", "1"): [],
            ("cpu", "0"): c.keys,
            ("cpu", "1"): c.keys,
            ("cpu", "2"): [],
        }
        backend.cancel(ids)
        rig.eventually(lambda: ended(backend, ids))
        assert not any(used().values())

    def test_without_gpus_the_slots_are_those_of_the_cpu(self, rig: Rig) -> None:
        [node] = rig.open(slots=3).nodes()
        assert (node.slots, node.cpu_slots, [device.kind for device in node.devices]) == (3, 3, ["cpu"] * 3)


class RestartContract:
    """The server is killed and started again; what it had asked for goes on."""

    def test_running_stays_running_and_waiting_stays_waiting(self, rig: Rig) -> None:
        before = rig.open()
        running, go = rig.fill(before)
        waits = rig.one(before, rig.shell("a2", "echo x >> ran"))
        rig.wait_state(before, waits, PENDING)
        after = rig.open()
        assert states(after, *running, waits) == [RUNNING] * len(running) + [PENDING]
        assert sum(node.slots_used for node in after.nodes()) >= 1
        go()
        rig.wait_end(after, waits)
        rig.eventually(lambda: states(after, *running, waits) == [ENDED] * (len(running) + 1))
        assert (rig.of("a2") / "ran").read_text() == "x\n"

    def test_an_end_meanwhile_is_seen(self, rig: Rig) -> None:
        before = rig.open()
        one = rig.one(before, rig.shell("a1", "echo $$ > pid"))
        pid = int(rig.wait_file(rig.of("a1") / "pid"))
        rig.eventually(lambda: processes.started(pid) is None)
        rig.wait_end(rig.open(), one)

    def test_an_end_that_was_seen_stays(self, rig: Rig) -> None:
        before = rig.open()
        one = rig.one(before, rig.batch("a1", ["/no/such/program"]))
        status = rig.wait_end(before, one)
        assert rig.open().poll([one]) == {one: status}

    def test_submit_again_after_it(self, rig: Rig) -> None:
        batch = rig.shell("a1", "echo x >> ran; sleep 0.2")
        rig.one(rig.open(), batch)
        after = rig.open()
        rig.wait_end(after, rig.one(after, batch))
        assert (rig.of("a1") / "ran").read_text() == "x\n"

    def test_a_running_one_can_be_cancelled(self, rig: Rig) -> None:
        before = rig.open()
        one = rig.one(before, rig.batch("a1", SLEEPER))
        rig.wait_state(before, one, RUNNING)
        after = rig.open()
        after.cancel([one])
        rig.wait_end(after, one)
