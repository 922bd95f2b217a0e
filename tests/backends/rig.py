"""A rig for the contract of backends: opens a backend, submits small commands, and waits for their states."""

import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from paddock.backends.base import Backend
from paddock.models import AllocationBatch, AllocationState, AllocationStatus, Resources
from paddock.rules import placement

T = TypeVar("T")
PENDING, RUNNING, ENDED = AllocationState.PENDING, AllocationState.RUNNING, AllocationState.ENDED


class Rig(ABC):
    """A place to run, and the backends that are opened on it one after the other, as by a restarted server."""

    patience = 20.0  # seconds to wait for what must happen
    settling = 0.3  # seconds to wait for what must not happen
    unknown: Sequence[str] = ("nope", "nope.0")  # ids that the backend never gave

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: list[Backend] = []
        self.ids: list[str] = []
        self._token = secrets.token_hex(8)

    # --- what differs -------------------------------------------------------------------------------------------------

    @abstractmethod
    def make(self, slots: int, gpus: list[str]) -> Backend:
        """Return a backend. One whose size a test cannot choose ignores slots and GPUs."""

    @abstractmethod
    def node_names(self) -> set[str]: ...

    def resources(self, gpus: int, cpus: int) -> Resources:
        return Resources(gpus=gpus, cpus=cpus)

    def printed(self, name: str, number: int = 0) -> str:
        """Return what a command printed, without what the backend itself wrote there."""
        return (self.of(name, number) / "out.log").read_text()

    # --- the same everywhere ------------------------------------------------------------------------------------------

    def open(self, slots: int = 2, gpus: Sequence[str] = ()) -> Backend:
        self.opened.append(self.make(slots, list(gpus)))
        return self.opened[-1]

    def of(self, name: str, number: int = 0) -> Path:
        """Return the folder of an allocation."""
        return self.folder / f"{name}.{number}"

    def batch(self, name: str, command: list[str], *, count: int = 1, gpus: int = 0, cpus: int = 1) -> AllocationBatch:
        """Return a request with a key that is unique on this machine, because other tests run at the same time."""
        key = f"{self._token}-{name}"
        made = AllocationBatch(
            key=key,
            count=count,
            name=f"paddock-{key}",
            folder=str(self.folder / name),
            runner=command,
            resources=self.resources(gpus, cpus),
        )
        for number in range(count):
            Path(made.folder_of(number)).mkdir(exist_ok=True)
        return made

    def shell(self, name: str, text: str, *, count: int = 1, gpus: int = 0, cpus: int = 1) -> AllocationBatch:
        return self.batch(name, ["/bin/sh", "-c", text], count=count, gpus=gpus, cpus=cpus)

    def submit(self, backend: Backend, batch: AllocationBatch) -> list[str]:
        ids = list(backend.submit(batch))
        self.ids += ids
        return ids

    def one(self, backend: Backend, batch: AllocationBatch) -> str:
        [given] = self.submit(backend, batch)
        return given

    def fill(self, backend: Backend) -> tuple[list[str], Callable[[], None]]:
        """Fill all slots; return the ids, and a function that ends them."""
        count = placement.width(self.resources(0, 1), backend.nodes(), backend.traits)
        batch = self.shell("fill", f"while [ ! -e {self.folder}/go ]; do sleep 0.02; done", count=count)
        ids = self.submit(backend, batch)
        self.eventually(lambda: states(backend, *ids) == [RUNNING] * count)
        return ids, (self.folder / "go").touch

    def eventually(self, answer: Callable[[], T | None]) -> T:
        """Return the first answer that is true."""
        end = time.monotonic() + self.patience
        while not (found := answer()):
            assert time.monotonic() < end, f"still {found!r} after {self.patience} s"
            time.sleep(0.02)
        return found

    def wait_end(self, backend: Backend, one: str) -> AllocationStatus:
        return self.eventually(lambda: next((s for s in backend.poll([one]).values() if s.state is ENDED), None))

    def wait_state(self, backend: Backend, one: str, state: AllocationState) -> None:
        self.eventually(lambda: states(backend, one) == [state])

    def wait_file(self, path: Path) -> str:
        return self.eventually(lambda: path.read_text().strip() if path.exists() else "")

    def close(self) -> None:
        for backend in self.opened:
            backend.cancel(self.ids)
        for backend in self.opened:
            self.eventually(lambda backend=backend: ended(backend, self.ids))  # type: ignore[misc]


def states(backend: Backend, *ids: str) -> list[AllocationState | None]:
    found = backend.poll(ids)
    return [found[one].state if one in found else None for one in ids]


def ended(backend: Backend, ids: Sequence[str]) -> bool:
    return all(state in (ENDED, None) for state in states(backend, *ids))
