"""Read the GPUs of this node in a thread: a driver that hangs must not delay anybody."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Dict, List, Optional

from .node_stats import NodeStats

OLD_SECONDS = 60.0  # after which what was measured is not reported any more
AGAIN_SECONDS = 60.0  # after which a node without GPUs is asked again: its driver may have been loaded since


class GpuWatch:
    """What the driver reported last. One look at a time; those that take long are not waited for."""

    def __init__(self, find: Callable[[], NodeStats]) -> None:
        """`find` asks the driver which GPUs there are. It is called in the thread."""
        self._find = find
        self._stats: Optional[NodeStats] = None
        self._found_at = self._seen_at = 0.0
        self._seen: List[Dict[str, Any]] = []
        self._thread: Optional[threading.Thread] = None

    def look(self, seconds: float) -> bool:
        """Begin a look and wait for it up to `seconds`; one that is under way is not waited for again.

        Return True if it is over: the next call begins another.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, name="gpus", daemon=True)
            self._thread.start()
            self._thread.join(seconds)
        if self._thread.is_alive():
            return False
        self._thread = None
        return True

    def gpus(self) -> List[Dict[str, Any]]:
        """Return the GPUs as last seen; without measurements if that was long ago."""
        if time.monotonic() - self._seen_at < OLD_SECONDS:
            return self._seen
        return self._stats.gpus(measured=False) if self._stats is not None else []

    def _read(self) -> None:
        now = time.monotonic()
        if self._stats is None or (not self._seen and now - self._found_at > AGAIN_SECONDS):
            self._stats, self._found_at = self._find(), now
        self._seen, self._seen_at = self._stats.gpus(), time.monotonic()
