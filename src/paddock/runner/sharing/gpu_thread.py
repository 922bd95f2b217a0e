"""Ask the driver in a thread: one that hangs must not delay a runner that has to end tasks and to report."""

from __future__ import annotations

import contextlib
import threading
from queue import SimpleQueue
from typing import Any, Callable, Dict, List, Optional, TypeVar

from ...common.gpus import GpuDriver, GpuInfo, GpuReading

FIRST_SECONDS = 60.0  # a driver that nothing else uses may have to be loaded
SECONDS = 2.0

T = TypeVar("T")


class GpuThread(GpuDriver):
    """A driver that does not answer in time counts as not knowing, and is not asked again before it has answered."""

    def __init__(self, find: Callable[[], GpuDriver]) -> None:
        self._find = find
        self._questions: SimpleQueue[_Question] = SimpleQueue()
        self._last: Optional[_Question] = None
        self._sees: Optional[bool] = None
        threading.Thread(target=self._answer, name="gpus", daemon=True).start()

    @property
    def sees_processes(self) -> bool:  # type: ignore[override]
        if self._sees is None:
            self._sees = self._ask(lambda driver: driver.sees_processes, None, SECONDS)
        return bool(self._sees)

    def gpus(self) -> List[GpuInfo]:
        none: List[GpuInfo] = []
        return self._ask(lambda driver: driver.gpus(), none, FIRST_SECONDS)

    def read(self, gpu: GpuInfo) -> Optional[GpuReading]:
        return self._ask(lambda driver: driver.read(gpu), None, SECONDS)

    def processes(self, gpu: GpuInfo) -> Dict[int, Optional[int]]:
        none: Dict[int, Optional[int]] = {}
        return self._ask(lambda driver: driver.processes(gpu), none, SECONDS)

    def _ask(self, call: Callable[[GpuDriver], T], otherwise: T, seconds: float) -> T:
        if self._last is not None and not self._last.done.is_set():
            return otherwise
        self._last = question = _Question(call, otherwise)
        self._questions.put(question)
        return question.answer if question.done.wait(seconds) else otherwise

    def _answer(self) -> None:
        driver = self._find()
        while True:
            question = self._questions.get()
            with contextlib.suppress(Exception):  # then the answer is not known
                question.answer = question.call(driver)
            question.done.set()


class _Question:
    def __init__(self, call: Callable[[GpuDriver], Any], otherwise: Any) -> None:
        self.call = call
        self.answer = otherwise
        self.done = threading.Event()
