"""Limits on connections: anybody who reaches the port can open them.

A connection that has sent no token is anonymous. It is closed when it sends no request for a while; when there are
too many connections, the oldest anonymous one is closed. A client that reads nothing for a minute is disconnected; it
can reconnect and continue (`Last-Event-ID`).
"""

import asyncio
import logging
import os
import resource
import socket
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from paddock.home import unix_socket
from paddock.server.api.auth import PEER, WHO

IDLE_SECONDS = 20.0
STUCK_SECONDS = 60.0
MOST = 2000
DESCRIPTORS = 16_384
log = logging.getLogger("paddock.api")


def raise_limit() -> int:
    """Raise the limit on open files as far as allowed; return how many connections that permits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MOST if soft == resource.RLIM_INFINITY else max(20, min(MOST, soft // 2))


class Protocol(H11Protocol):
    """HTTP on one connection. The server sets `most` once."""

    most = MOST
    _anonymous: dict["Protocol", None] = {}  # noqa: RUF012  (of all connections; the oldest first)
    _warned_at = -60.0

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._idle: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None
        self._seen: Any = None
        self._trusted = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        connection = transport.get_extra_info("socket")
        if connection.family == socket.AF_UNIX:  # in the home, where only its owner can connect, or the door
            self.app_state = {**self.app_state, PEER: unix_socket.peer(connection)}
            self._trusted = self.app_state[PEER] in (os.geteuid(), 0)
            if self._trusted:
                return
        self._anonymous[self] = None
        if len(self.connections) > self.most:
            self._close_oldest()
        self._idle = self.loop.call_later(IDLE_SECONDS, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        self._anonymous.pop(self, None)
        for timer in (self._idle, self._stuck):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stuck is None:
            self._stuck = self.loop.call_later(STUCK_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    @property
    def trusted(self) -> bool:
        scope: Any = self.scope
        self._trusted = self._trusted or (scope is not None and WHO in scope)
        return self._trusted

    def _close_oldest(self) -> None:
        for oldest in list(self._anonymous):
            del self._anonymous[oldest]
            if not oldest.trusted:
                oldest.transport.abort()
                break
        now = time.monotonic()
        if now - Protocol._warned_at >= 60:
            Protocol._warned_at = now
            log.warning("there are more than %d connections: the oldest without a token are closed", self.most)

    def _check(self) -> None:
        if self.trusted or self.transport.is_closing():
            self._anonymous.pop(self, None)
            return
        answering = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if self.scope is self._seen and not answering:
            self.transport.abort()
            return
        self._seen = self.scope
        self._idle = self.loop.call_later(IDLE_SECONDS, self._check)
