"""How busy this node is, sent every few seconds for as long as the server wants it."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Optional

from ...common.gpu_watch import GpuWatch
from ...common.node_stats import NodeStats

SHORTEST_SECONDS = 0.2
FIRST_SECONDS = 20.0  # that the first answer of the driver is waited for: it may have to be loaded
PATIENT_SECONDS = 3.0  # that a later one is
CHECK_SECONDS = 0.05

Send = Callable[[Dict[str, Any], bytes], None]


class MachineReports:
    """Reports of this node. Nothing is measured before the server has asked for it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._every = 0.0  # seconds; 0: nobody wants reports
        self._due_at = 0.0
        self._begun_at: Optional[float] = None  # the driver has been asked
        self._node: Optional[NodeStats] = None
        self._gpus = GpuWatch(_find)
        self._answered = False

    def set(self, every: float, now: float) -> None:
        """Send a report now, and then one every so many seconds; 0: none any more."""
        self._every = max(every, SHORTEST_SECONDS) if every > 0 else 0.0
        self._due_at = now
        if self._node is None:
            self._node = NodeStats()

    def next_in(self, now: float) -> Optional[float]:
        """Return the seconds until there is something to do; None if nobody wants reports."""
        if not self._every:
            return None
        return CHECK_SECONDS if self._begun_at is not None else max(self._due_at - now, 0.0)

    def look(self, now: float) -> None:
        """Send a report if it is time for one. A driver that is slow delays it a little, and nothing else."""
        if not self._every or self._node is None or now < self._due_at:
            return
        begun = self._begun_at = self._begun_at if self._begun_at is not None else now
        over = self._gpus.look(0.01)  # most drivers answer sooner
        if not over and now - begun < (PATIENT_SECONDS if self._answered else FIRST_SECONDS):
            return
        self._answered = True
        self._begun_at = None
        self._due_at = max(self._due_at + self._every, now)
        sample = self._node.sample()
        sample["cards"] = self._gpus.gpus()
        self._send({"event": "machine"}, json.dumps(sample).encode("ascii"))


def _find() -> NodeStats:
    """Return the statistics of all GPUs, whatever this process may use."""
    from ...common.gpus import find_driver  # loaded only where it is needed

    driver = find_driver()
    return NodeStats(driver, driver.gpus())
