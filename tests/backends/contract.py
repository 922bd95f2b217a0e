"""The contract of every backend. A new backend gets a rig and subclasses of the classes here.

`BackendContract`, `BatchContract` and `RestartContract` are for all backends, `QueuedContract` and `BareContract` for
one kind each.
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
from paddock.models import FOLDER, AllocationBatch, AllocationChange, Device, Place
from paddock.rules import placement
from tests.backends.rig import ENDED, PENDING, RUNNING, Rig, ended, states

SLEEPER = ["/bin/sleep", "300"]
LEAVES_A_CHILD = "(setsid sh -c 'echo $$ > left; exec sleep 300' &) ; while [ ! -s left ]; do sleep 0.01; done"


def placed(batch: AllocationBatch, *devices: list[str]) -> AllocationBatch:
    """Return the request with these places."""
    return batch.model_copy(update={"places": [Place(node="here", devices=one) for one in devices]})


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

    @pytest.mark.parametrize("large", ["memory", "cpus"])
    def test_what_its_traits_count_is_counted(self, rig: Rig, large: str) -> None:
        """Two with a GPU each, and most of the memory or all cores of a node, run side by side unless that counts."""
        backend = rig.open(gpus=["0", "1"])
        nodes, batch = backend.nodes(), rig.batch("a1", SLEEPER, gpus=1, count=2)
        partition = batch.resources.slurm.partition
        node = next(one for one in nodes if partition is None or partition in one.partitions)
        most = {"memory": (node.memory or 0) * 6 // 10, "cpus": node.cpu_slots}[large]
        asked = batch.resources.model_copy(update={"cpus": 1, large: most})
        ids = rig.submit(backend, batch.model_copy(update={"resources": asked}))
        count = min(placement.width(asked, nodes, backend.traits), 2)
        rig.eventually(lambda: states(backend, *ids).count(RUNNING) == count)
        time.sleep(rig.settling)
        assert states(backend, *ids).count(RUNNING) == count

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
        assert placement.width(rig.resources(0, 1), nodes, backend.traits) >= 1


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


class QueuedContract:
    """For backends that have a queue of their own."""

    @pytest.fixture
    def rig(self, tmp_path: Path) -> Iterator[Rig]:
        raise NotImplementedError

    @pytest.fixture
    def backend(self, rig: Rig) -> Backend:
        return rig.open()

    def test_its_traits(self, backend: Backend) -> None:
        assert backend.traits.queued

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

    def test_what_waits_starts_in_the_order_in_which_it_came(self, rig: Rig, backend: Backend) -> None:
        """Each takes the room of two, so that one runs at a time."""
        others, go = rig.fill(backend)
        names = ("c", "a", "b")
        ids = [rig.one(backend, rig.shell(name, f"echo {name} >> {rig.folder}/order", cpus=2)) for name in names]
        assert states(backend, *ids) == [PENDING] * 3
        go()
        rig.eventually(lambda: states(backend, *others, *ids) == [ENDED] * (len(others) + 3))
        assert (rig.folder / "order").read_text().split() == list(names)

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


class BareContract:
    """For backends without a queue: they start at once what they are told, where they are told."""

    def test_its_traits(self, rig: Rig) -> None:
        assert not rig.open().traits.queued

    def test_an_allocation_starts_at_once_on_the_devices_that_it_is_given(self, rig: Rig) -> None:
        backend = rig.open(slots=1, gpus=["0", "1", "2"])
        text = 'echo "gpus=${CUDA_VISIBLE_DEVICES-unset}" > gpus; while [ ! -e ../go ]; do sleep 0.02; done'
        batch = placed(rig.shell("a1", text, gpus=1, count=2), ["2"], ["0"])
        ids = rig.submit(backend, batch)
        assert states(backend, *ids) == [RUNNING, RUNNING]
        (rig.folder / "go").touch()
        rig.eventually(lambda: ended(backend, ids))
        assert [(rig.of("a1", n) / "gpus").read_text() for n in (0, 1)] == ["gpus=2\n", "gpus=0\n"]

    def test_no_device_is_given_twice(self, rig: Rig) -> None:
        backend = rig.open(slots=3)
        first = rig.one(backend, placed(rig.shell("a1", "while [ ! -e go ]; do sleep 0.02; done", cpus=2), ["0", "1"]))
        second = placed(rig.batch("a2", SLEEPER, count=3), ["2"], ["1"], ["0"])
        assert rig.submit(backend, second) == second.keys[:1], (
            "neither the one whose place is in use, nor those after it"
        )
        again = rig.open(slots=3)  # a restart gives nothing away
        assert rig.submit(again, placed(rig.batch("a3", SLEEPER), ["0"])) == []
        (rig.of("a1") / "go").touch()
        rig.wait_end(again, first)
        later = rig.one(again, placed(rig.batch("a4", SLEEPER), ["0"]))
        assert states(again, later) == [RUNNING]

    @pytest.mark.parametrize("strange", ["7", "-1"])
    def test_nor_one_that_is_not_there(self, rig: Rig, strange: str) -> None:
        backend = rig.open(slots=2, gpus=["0"])
        assert rig.submit(backend, placed(rig.batch("a1", SLEEPER), [strange])) == []
        assert rig.submit(backend, placed(rig.batch("a2", SLEEPER, gpus=1), [strange])) == []

    def test_gpus_and_cpu_slots_with_the_same_number_are_different(self, rig: Rig) -> None:
        backend = rig.open(slots=1, gpus=["0"])
        batches = placed(rig.batch("a1", SLEEPER, gpus=1), ["0"]), placed(rig.batch("a2", SLEEPER), ["0"])
        ids = [rig.one(backend, batch) for batch in batches]
        assert states(backend, *ids) == [RUNNING, RUNNING]

    def test_without_a_place_nothing_starts(self, rig: Rig) -> None:
        assert rig.submit(rig.open(), rig.batch("a1", SLEEPER).model_copy(update={"places": []})) == []

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
        ids = [rig.one(backend, one) for one in (g, c)]
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
