"""Measure /health and the server's memory while 1,000 readers of the event stream read very slowly."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import httpx2
from tests.support.server import ServerProcess

from benchmarks.measure import described, peak_megabytes, running_sweep

READERS, SESSIONS, SECONDS = 1000, 10, 30
TASKS = 8
AGAIN_SECONDS = 3.0  # a browser waits this long after a stream has ended

# Several metrics, many times per second: there is much to send to each reader.
SCRIPT = """
import time
with open("log.csv", "w") as log:
    log.write("epoch," + ",".join(f"m{n}" for n in range(20)) + "\\n")
    for epoch in range(100000):
        time.sleep(0.05)
        log.write(f"{epoch}," + ",".join([f"{1 / (epoch + 1)}"] * 20) + "\\n")
        log.flush()
"""


def main() -> None:
    with running_sweep(SCRIPT, TASKS) as server:
        _health("without readers", server, 10)
        sessions = [_signed_in(server) for _ in range(SESSIONS)]
        arguments = [sys.executable, "-m", "benchmarks.readers", server.url, *sessions]
        readers = subprocess.Popen(arguments, stdin=subprocess.PIPE)
        try:
            _health(f"while {READERS} readers connect", server, 10)
            _health(f"with {READERS} readers", server, SECONDS)
        finally:
            readers.communicate()


def _signed_in(server: ServerProcess) -> str:
    """Return the headers of a newly signed-in browser: its cookie and the key of its page."""
    answer = httpx2.post(f"{server.url}/api/v1/session", json={"token": server.token}).raise_for_status()
    return f"Cookie: {answer.headers['set-cookie'].partition(';')[0]}\r\nX-Paddock-Page: {answer.json()['page']}"


def _health(what: str, server: ServerProcess, seconds: float) -> None:
    times: list[float] = []
    client = httpx2.Client(headers={"Authorization": f"Bearer {server.token}"}, timeout=120)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        client.get(f"{server.url}/api/v1/health").raise_for_status()
        times.append(time.perf_counter() - began)
        time.sleep(0.02)
    client.close()
    print(
        f"{what}: /health {described(times)} ({len(times)}; goal: p95 under 0.5 s); "
        f"memory up to {peak_megabytes(server):.0f} MB",
        flush=True,
    )


# --- the readers, in a separate process --------------------------------------------------------------------------


async def read(url: str, sessions: list[str]) -> None:
    """Run all readers until the standard input ends."""
    counts = {"open": 0, "refused": 0, "ended": 0}
    readers = [asyncio.create_task(_reader(url, sessions[n % len(sessions)], counts)) for n in range(READERS)]
    over = asyncio.Event()
    loop = asyncio.get_running_loop()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        loop.call_soon_threadsafe(over.set)

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    await over.wait()
    print(
        f"{counts['open']} of the readers were let in at the end; "
        f"{counts['refused']} refusals, {counts['ended']} were dropped"
    )
    for one in readers:
        one.cancel()


async def _reader(url: str, session: str, counts: dict[str, int]) -> None:
    """Request the stream and take 10 bytes per second; request it again when refused or dropped."""
    parts = urlsplit(url)
    request = f"GET /api/v1/events HTTP/1.1\r\nHost: {parts.netloc}\r\n{session}\r\n\r\n".encode()
    loop = asyncio.get_running_loop()
    while True:
        with contextlib.suppress(OSError), socket.socket() as connection:
            connection.setblocking(False)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            await loop.sock_connect(connection, (parts.hostname, parts.port))
            await loop.sock_sendall(connection, request)
            head = await loop.sock_recv(connection, 100)
            if b" 200 " in head:
                counts["open"] += 1
                try:
                    while await loop.sock_recv(connection, 10):
                        await asyncio.sleep(1)
                finally:
                    counts["open"] -= 1
                    counts["ended"] += 1
            else:
                counts["refused"] += 1
        await asyncio.sleep(AGAIN_SECONDS)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(read(sys.argv[1], sys.argv[2:]))
    else:
        main()
