"""Test submissions with stand-ins for Slurm's commands, which print and refuse what real sites did."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from paddock.backends.slurm import parse
from paddock.backends.slurm.backend import SlurmBackend
from paddock.errors import BackendClosed, BackendError
from paddock.models import FOLDER, AllocationBatch, Resources, SlurmResources
from paddock.settings import SlurmSettings

Make = Callable[[str, str], None]
QUEUE = "{id}|PENDING|None|N/A|N/A||gpu|1|60:00|paddock-a1|N/A"


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def made(name: str, lines: str) -> None:
        path = folder / name
        path.write_text(f"#!/bin/bash\necho {name} >> {tmp_path}/calls\n{lines}\n")
        path.chmod(0o755)

    made("squeue", "")
    made("scontrol", "echo 'MaxArraySize            = 1001'")
    return made


@pytest.fixture
def batch(tmp_path: Path) -> AllocationBatch:
    resources = Resources(slurm=SlurmResources(partition="volta"))
    return AllocationBatch(
        key="a1", count=8, name="paddock-a1", folder=str(tmp_path / "a1"), runner=["true", FOLDER], resources=resources
    )


@pytest.fixture
def backend() -> SlurmBackend:
    return SlurmBackend("lab", SlurmSettings())


def calls(tmp_path: Path, name: str) -> int:
    return (tmp_path / "calls").read_text().split().count(name)


@pytest.mark.parametrize("printed", ["Balance: 12 h\n77;lab\nGood luck", "Submitted batch job 77", "  77"])
def test_a_wrapper_of_sbatch_that_prints_more(
    make: Make, backend: SlurmBackend, batch: AllocationBatch, printed: str
) -> None:
    make("sbatch", f"echo '{printed}'")
    assert backend.submit(batch) == [f"77_{n}" for n in range(8)]
    assert Path(f"{batch.folder}.id").read_text() == "77 8"


def test_one_that_prints_no_id_is_found_by_its_name(
    make: Make, backend: SlurmBackend, batch: AllocationBatch, tmp_path: Path
) -> None:
    make("sbatch", "echo 'Thank you'")
    rows = "\n".join(QUEUE.format(id=f"78_{n}") for n in range(8))
    make("squeue", f"cat <<'END'\n{rows}\nEND")
    assert backend.submit(batch) == [f"78_{n}" for n in range(8)]
    assert calls(tmp_path, "sbatch") == 1


def test_one_that_submits_nothing_is_told(make: Make, backend: SlurmBackend, batch: AllocationBatch) -> None:
    make("sbatch", "echo 'Closed on Sundays'")
    with pytest.raises(BackendError, match="Closed on Sundays"):
        backend.submit(batch)


@pytest.mark.parametrize("broken", ["", "Welcome to the cluster 8", "7x 8", "\0\0\0", "77 8 9"])
def test_a_broken_file_of_the_id_heals(
    make: Make, backend: SlurmBackend, batch: AllocationBatch, tmp_path: Path, broken: str
) -> None:
    make("sbatch", "echo 99")
    Path(f"{batch.folder}.asked").touch()
    Path(f"{batch.folder}.id").write_text(broken)
    rows = "\n".join(QUEUE.format(id=f"78_{n}") for n in range(8))
    make("squeue", f"cat <<'END'\n{rows}\nEND")
    assert backend.submit(batch) == [f"78_{n}" for n in range(8)]
    assert Path(f"{batch.folder}.id").read_text() == "78 8"
    assert calls(tmp_path, "sbatch") == 0


def test_a_smaller_array_size_is_asked_for_again(
    make: Make, backend: SlurmBackend, batch: AllocationBatch, tmp_path: Path
) -> None:
    assert backend._most() == 1000
    make("scontrol", "echo 'MaxArraySize            = 4'")
    refusal = "sbatch: error: Batch job submission failed: Invalid job array specification"
    make("sbatch", f"if grep -q -- '--array=0-[3-9]'; then echo '{refusal}' >&2; exit 1; fi; echo 77")
    assert backend.submit(batch) == ["77_0", "77_1", "77_2"]
    make("sbatch", f"echo '{refusal}' >&2; exit 1")
    with pytest.raises(BackendError, match="Invalid job array"):
        backend.submit(batch.model_copy(update={"key": "a2", "folder": str(tmp_path / "a2")}))


def test_a_closed_partition_is_waited_for(make: Make, backend: SlurmBackend, batch: AllocationBatch) -> None:
    said = "Batch job submission failed: Required partition not available (inactive or drain)"
    make("sbatch", f"echo 'sbatch: error: {said}' >&2; exit 1")
    with pytest.raises(BackendClosed, match=r"waits until partition volta accepts jobs again \(.*inactive or drain"):
        backend.submit(batch)


@pytest.mark.parametrize("state", ["PENDING", "RUNNING"])
def test_what_its_owner_holds_is_told(make: Make, backend: SlurmBackend, state: str) -> None:
    """Also of one that runs: it would wait for ever if it were put back into the queue."""
    held, free = (QUEUE.format(id=f"7_{n}").replace("PENDING", state) for n in range(2))
    rows = f"{held.replace('|None|', '|JobHeldUser|')}\n{free}"
    make("squeue", f"cat <<'END'\n{rows}\nEND")
    assert {one: status.held for one, status in backend.poll(["7_0", "7_1"]).items()} == {"7_0": True, "7_1": False}


def test_all_nodes_of_an_allocation_are_told(make: Make, backend: SlurmBackend) -> None:
    rows = [
        QUEUE.format(id=f"7_{n}").replace("PENDING", "RUNNING").replace("||gpu|", f"|{nodes}|gpu|")
        for n, nodes in enumerate(("n[1-3]", "n5"))
    ]
    make("squeue", "cat <<'END'\n" + "\n".join(rows) + "\nEND")
    found = backend.poll(["7_0", "7_1"])
    assert (found["7_0"].node, found["7_0"].others) == ("n1", ("n2", "n3"))
    assert (found["7_1"].node, found["7_1"].others) == ("n5", ())


class TestLookAhead:
    """What waits of all users may be 50,000 lines, which the controller has to write."""

    OWN = "7_0|PENDING|Priority|N/A|N/A||{partition}|5|60:00|paddock-a1|N/A"

    @pytest.fixture
    def looks(self, make: Make, tmp_path: Path) -> Callable[[str], list[str]]:
        """Return the partitions of which it was asked what waits, for one that waits itself in `partition`."""

        def found(partition: str) -> list[str]:
            own = self.OWN.format(partition=partition)
            others = "8|gpu|9|N/A\n9|gpu|4|N/A\n10_[0-3]|volta|9|N/A"
            lines = f'if [ "$3" = PENDING ]; then echo "$5" >> {tmp_path}/looks; echo -e "{others}"; exit; fi\n'
            make("squeue", f"{lines}echo '{own}'")
            path = tmp_path / "looks"
            return path.read_text().split() if path.exists() else []

        return found

    @pytest.mark.parametrize(("step", "interval"), [(0.1, 30.0), (2.0, 60.0)])
    def test_it_is_limited_to_its_partitions_and_less_frequent_if_it_is_slow(
        self, looks: Callable[[str], list[str]], step: float, interval: float
    ) -> None:
        now = 1000.0

        def clock() -> float:
            """Each look takes this long."""
            nonlocal now
            now += step
            return now

        backend = SlurmBackend("lab", SlurmSettings(), clock)
        looks("gpu")
        assert "1 job ahead" in (backend.poll(["7_0"])["7_0"].reason or "")
        now += interval - step - 1.0
        backend.poll(["7_0"])
        assert looks("gpu,volta") == ["gpu"]
        assert "5 jobs ahead" in (backend.poll(["7_0"])["7_0"].reason or "")
        assert looks("gpu") == ["gpu", "gpu,volta"]
        now += interval
        backend.poll(["7_0"])
        assert looks("gpu") == ["gpu", "gpu,volta", "gpu"]

    def test_many_with_the_same_priority_are_counted_once(
        self, looks: Callable[[str], list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looks("gpu")
        backend = SlurmBackend("lab", SlurmSettings())
        counted: list[str] = []
        plain = parse.ahead

        def ahead(rows: Iterable[parse.PendingRow], partition: str, priority: int) -> int:
            counted.append(partition)
            return plain(rows, partition, priority)

        monkeypatch.setattr(parse, "ahead", ahead)
        for _ in range(5):
            assert "1 job ahead" in (backend.poll(["7_0"])["7_0"].reason or "")
        assert counted == ["gpu"]
