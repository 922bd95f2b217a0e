"""The driver, asked in a thread: one that hangs must not hold up a runner that has tasks to end and to tell of."""

from __future__ import annotations

import contextlib
import threading
from queue import SimpleQueue
from typing import Any, Callable, Dict, List, Optional, TypeVar

from ...common.gpus import Card, GpuReading, Gpus

FIRST_SECONDS = 60.0  # a driver that nothing else uses may be loaded only now
SECONDS = 2.0

T = TypeVar("T")


class GpuThread(Gpus):
    """What does not answer in time is not known, and is not asked again before it has answered."""

    def __init__(self, find: Callable[[], Gpus]) -> None:
        self._find = find
        self._questions: SimpleQueue[_Question] = SimpleQueue()
        self._last: Optional[_Question] = None
        threading.Thread(target=self._answer, name="gpus", daemon=True).start()

    def cards(self) -> List[Card]:
        none: List[Card] = []
        return self._ask(lambda gpus: gpus.cards(), none, FIRST_SECONDS)

    def read(self, card: Card) -> Optional[GpuReading]:
        return self._ask(lambda gpus: gpus.read(card), None, SECONDS)

    def processes(self, card: Card) -> Dict[int, Optional[int]]:
        none: Dict[int, Optional[int]] = {}
        return self._ask(lambda gpus: gpus.processes(card), none, SECONDS)

    def _ask(self, call: Callable[[Gpus], T], otherwise: T, seconds: float) -> T:
        if self._last is not None and not self._last.done.is_set():
            return otherwise
        self._last = question = _Question(call, otherwise)
        self._questions.put(question)
        return question.answer if question.done.wait(seconds) else otherwise

    def _answer(self) -> None:
        gpus = self._find()
        while True:
            question = self._questions.get()
            with contextlib.suppress(Exception):  # then it is not known
                question.answer = question.call(gpus)
            question.done.set()


class _Question:
    def __init__(self, call: Callable[[Gpus], Any], otherwise: Any) -> None:
        self.call = call
        self.answer = otherwise
        self.done = threading.Event()
