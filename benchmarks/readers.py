"""1,000 readers of the event stream that hardly read, beside a job: how fast is /health, and what does it cost?"""

import asyncio
import contextlib
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
from tests.support.server import ServerProcess, running, wait_for

READERS, SESSIONS, SECONDS = 1000, 10, 30
TASKS = 8
AGAIN_SECONDS = 3.0  # as long as a browser waits after a stream has ended

# Several metrics, many times a second: much to send to each reader.
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
    settings = {"local__slots": TASKS, "runner__grace_seconds": 0}
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", **settings) as server:
        body = {"spec": {"params": {"n": list(range(TASKS))}}, "files": {"train.py": SCRIPT}}
        job = server.post("/jobs", body, 201)["id"]
        wait_for(lambda: server.get(f"/jobs/{job}")["counts"]["running"] == TASKS)
        _health("without readers", server, 10)
        sessions = [_signed_in(server) for _ in range(SESSIONS)]
        arguments = [sys.executable, "-m", "benchmarks.readers", server.url, *sessions]
        readers = subprocess.Popen(arguments, stdin=subprocess.PIPE)
        try:
            _health(f"{READERS} readers come", server, 10)
            _health(f"{READERS} readers", server, SECONDS)
        finally:
            readers.communicate()
        server.post(f"/jobs/{job}/stop")
        server.wait(job)


def _signed_in(server: ServerProcess) -> str:
    """The headers of a browser of its own: its cookie and the key of its page."""
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
    times.sort()
    p95 = times[int(len(times) * 0.95)]
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    memory = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    print(
        f"{what}: /health median {statistics.median(times):.3f} s, p95 {p95:.3f} s, worst {times[-1]:.3f} s "
        f"({len(times)}; goal: p95 under 0.5 s); memory {memory:.0f} MB at most",
        flush=True,
    )


# --- the readers, in a process of their own --------------------------------------------------------------------------


async def read(url: str, sessions: list[str]) -> None:
    """Until the standard input ends."""
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
    """Asks for the stream and takes some bytes a second; comes again when it is refused or dropped."""
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
