"""Test connections that stay open."""

import asyncio
import http.client
import socket
import time
from urllib.parse import urlsplit

from paddock.server import serve
from tests.support import loop
from tests.support.server import ServerProcess


def test_one_that_was_idle_is_used_again(server: ServerProcess) -> None:
    """For longer than clients and their libraries keep one: else they would lose what they ask for."""
    kept = http.client.HTTPConnection(urlsplit(server.url).netloc)
    kept.connect()
    opened = kept.sock
    for pause in (0, 7):
        time.sleep(pause)
        kept.request("GET", "/api/v1/version", headers={"Authorization": f"Bearer {server.token}"})
        with kept.getresponse() as answer:
            assert answer.status == 200
            answer.read()
        assert kept.sock is opened
    kept.close()


def test_small_parts_of_an_answer_are_sent_at_once() -> None:
    """Else the second of them waits for 40 ms: for the client to say that it has the first."""

    async def accepted() -> int:
        made: asyncio.Future[asyncio.BaseTransport] = asyncio.get_running_loop().create_future()

        class Taking(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                made.set_result(transport)

        with serve._listen("127.0.0.1", 0) as listener:
            server = await asyncio.get_running_loop().create_server(Taking, sock=listener)
            async with server:
                _, writer = await asyncio.open_connection(*listener.getsockname())
                transport = await made
                delay: int = transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
                writer.close()
                transport.close()
        return delay

    assert loop.run(accepted) != 0
