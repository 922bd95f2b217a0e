"""The runner's signals: they set flags, and wake its loop."""

from __future__ import annotations

import os
import select
import signal
from typing import Any


class Signals:
    def __init__(self) -> None:
        self.terminate = False
        self.warn = False
        self._reader, writer = os.pipe()
        for fd in (self._reader, writer):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_terminate)
        signal.signal(signal.SIGUSR1, self._on_warn)
        # Handled, not ignored: tasks would inherit that they are ignored.
        for number in (signal.SIGCHLD, signal.SIGHUP):
            signal.signal(number, lambda *_: None)

    def wait(self, seconds: float) -> None:
        """Wait for up to this many seconds, or until a signal comes or has come before the call."""
        ready, _, _ = select.select([self._reader], [], [], seconds)
        if ready:
            os.read(self._reader, 4096)

    def _on_terminate(self, *_: Any) -> None:
        self.terminate = True

    def _on_warn(self, *_: Any) -> None:
        self.warn = True
