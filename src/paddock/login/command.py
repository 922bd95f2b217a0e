"""Start a program that checks a password, and read what it answers: not for long, and not much."""

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from paddock.login.identity import unavailable

MAX_BYTES = 1_000_000
MAX_INPUT = 60_000  # a pipe takes this much before anybody reads it


class CommandResult(NamedTuple):
    """How a program ended, and what it wrote."""

    code: int
    out: bytes
    errors: str


def ask(
    argv: Sequence[str],
    *,
    seconds: float,
    text: bytes = b"",
    secret: tuple[str, bytes] | None = None,
    variables: Mapping[str, str] | None = None,
) -> CommandResult:
    """Run a program with `text` as its standard input.

    `secret` is an option that names a file, and what the program is to read from it: it is in a pipe, on no disk.
    Of the server's environment it gets the path only, and `variables`.
    Raise SignInUnavailable if the program does not start, takes longer than `seconds`, or answers too much.
    """
    deadline = time.monotonic() + seconds
    with contextlib.ExitStack() as stack:
        given = stack.enter_context(_filled(text))
        hidden = stack.enter_context(_filled(secret[1] if secret else b""))
        option = [secret[0], f"/dev/fd/{hidden}"] if secret else []
        try:
            process = subprocess.Popen(
                [argv[0], *option, *argv[1:]],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(hidden,) if secret else (),
                cwd="/",
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", **(variables or {})},
            )
        except OSError as error:
            raise unavailable(f"{argv[0]} cannot be started: {error.strerror}.") from None
    try:
        out, errors = _output(process, deadline)
        code = process.wait(max(deadline - time.monotonic(), 0.0))
    except (TimeoutError, subprocess.TimeoutExpired):
        raise unavailable(f"{argv[0]} did not answer within {seconds:g} s.") from None
    finally:
        _end(process)
    return CommandResult(code, out, errors.decode(errors="replace").strip())


@contextlib.contextmanager
def _filled(content: bytes) -> Iterator[int]:
    """Yield the end of a pipe that `content` can be read from."""
    if len(content) > MAX_INPUT:
        raise ValueError("more than a pipe takes")
    read, write = os.pipe()
    try:
        with os.fdopen(write, "wb") as file:
            file.write(content)
        yield read
    finally:
        os.close(read)


def _output(process: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, bytes]:
    """Return what the program writes until it closes both pipes, at most MAX_BYTES to each."""
    written = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        for pipe, so_far in zip((process.stdout, process.stderr), written, strict=True):
            if pipe is not None:
                selector.register(pipe, selectors.EVENT_READ, so_far)
        while selector.get_map():
            ready = selector.select(max(deadline - time.monotonic(), 0.0))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                chunk = os.read(key.fd, 65_536)
                key.data.extend(chunk)
                if not chunk:
                    selector.unregister(key.fileobj)
                if len(key.data) > MAX_BYTES:
                    raise unavailable("The program that checks passwords answered too much.")
    return bytes(written[0]), bytes(written[1])


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program. One that runs as root ends by itself: its own alarm does it."""
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    if process.poll() is None:
        with contextlib.suppress(PermissionError):
            process.kill()
            process.wait()
