"""Cards that are a file: their memory is a counter that processes share and can exhaust; standard library only.

As a program it is the runner, with these cards: python scripted.py CARDS ALLOCATION_DIR
"""

import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

GB = 10**9


class Cards:
    """The cards as the processes of tasks see them."""

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        self._until = 0.0

    def make(self, count: int, total: int, name: str = "Scripted 10G") -> None:
        cards = [{"id": f"GPU-{number:08x}", "name": name, "total": total, "of": {}} for number in range(count)]
        Path(self._path).write_text(json.dumps({"cards": cards, "told": True}))

    def hide_processes(self) -> None:
        """As in a container whose process numbers are not the driver's."""
        with self._open() as state:
            state["told"] = False

    def strange(self, card: int, memory: int) -> None:
        """Somebody else holds so much of a card."""
        with self._open() as state:
            state["cards"][card]["of"]["1"] = {"memory": memory, "load": 0.0, "most": memory}

    @contextmanager
    def _open(self) -> Iterator[dict[str, Any]]:
        with open(self._path, "r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            state = json.load(file)
            for card in state["cards"]:
                card["of"] = {pid: one for pid, one in card["of"].items() if _alive(int(pid))}
            yield state
            file.seek(0)
            file.truncate()
            json.dump(state, file)

    def look(self) -> dict[str, Any]:
        with self._open() as state:
            return state

    def take(self, memory: int, load: float = 0.1) -> None:
        """This process takes memory of its card. When there is not enough, it ends as PyTorch would."""
        with self._open() as state:
            for card in _visible(state["cards"]):
                mine = card["of"].setdefault(str(os.getpid()), {"memory": 0, "load": load})
                used = sum(one["memory"] for one in card["of"].values())
                if used + memory > card["total"]:
                    more, held = memory / 2**30, mine["memory"] / 2**30
                    raise MemoryError(
                        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {more:.2f} GiB. GPU 0 is full. "
                        f"Including non-PyTorch memory, this process has {held:.2f} GiB memory in use."
                    )
                mine["memory"] += memory
                card["most"] = max(card.get("most", 0), used + memory)

    def company(self, seconds: float) -> None:
        """Until another process holds memory of a card, but no longer than this."""
        for _ in range(int(seconds / 0.02)):
            if sum(one["memory"] > 0 for card in self.look()["cards"] for one in card["of"].values()) > 1:
                return
            time.sleep(0.02)

    def step(self, seconds: float) -> None:
        """A step of training: longer when the card is busy with more than it can do at a time.

        What a slow machine takes between two steps is not added: cards have the next step before the last one is done.
        """
        with self._open() as state:
            busy = max(sum(one["load"] for one in card["of"].values()) for card in _visible(state["cards"]))
        now = time.monotonic()
        self._until = max(self._until or now, now - seconds) + seconds * max(1.0, busy)
        time.sleep(max(0.0, self._until - now))


def _visible(cards: list[dict[str, Any]]) -> list[dict[str, Any]]:
    given = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    wanted = [part for part in given.split(",") if part]
    return [card for number, card in enumerate(cards) if card["id"] in wanted or str(number) in wanted]


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def run(cards: str, allocation_dir: str) -> int:
    from paddock.common.gpus import Card, GpuReading, Gpus
    from paddock.runner import manifest
    from paddock.runner.journal import Journal
    from paddock.runner.loop import Runner

    class Scripted(Gpus):
        def cards(self) -> list[Card]:
            found = Cards(cards).look()["cards"]
            return [Card(one["id"], number, one["name"], one["total"]) for number, one in enumerate(found)]

        def read(self, card: Card) -> GpuReading | None:
            state = Cards(cards).look()
            one = state["cards"][card.number]
            used = sum(each["memory"] for each in one["of"].values())
            load = min(1.0, sum(each["load"] for each in one["of"].values()))
            told = {int(pid): each["memory"] for pid, each in one["of"].items()} if state["told"] else {}
            return GpuReading(used, load, told)

    return Runner(manifest.load(allocation_dir), Journal.create(allocation_dir), "scripted", Scripted()).run()


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:]))
