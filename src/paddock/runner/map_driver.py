"""Run a command for each file of a part: the script that a task of `paddock map` runs.

Standard library only, Python 3.8 or newer, and complete in this file: it is copied into the job, beside `plan.json`
(the command and the folder to run it in), `parts.jsonl` (one line per part: its inputs and outputs) and `parts.index`
(the offset of each line). File names are bytes here: they need not be valid text.

The command writes into a scratch folder beside the output. Only if it ends with exit code 0, its files are moved to
their place, and the file is noted as done in the checkpoint folder: a resumed task does the others.
"""

from __future__ import annotations

import argparse
import errno
import io
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
import traceback
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER, SCRIPT = ".paddock-map", ".paddock-map/map.py"  # in the snapshot
PLAN, PARTS, INDEX = "plan.json", "parts.jsonl", "parts.index"
WIDTH = 16  # digits of an offset in the index
KILLED, TERMINATED = 128 + signal.SIGKILL, 128 + signal.SIGTERM
TAIL = 4096
MOST = 64_000_000  # the most bytes that are read of a file

ending = False


class FilesFailed(Exception):
    """The command failed for some files."""


class Done:
    """The numbers of the files that are done, one per line. A line that a crash left incomplete is skipped."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, "done.jsonl")
        self.numbers: set[int] = set()
        try:
            with plain(self._path) as file:
                data = file.read(MOST)
        except FileNotFoundError:
            data = b""
        for line in data.splitlines():
            try:
                self.numbers.add(int(json.loads(line)["done"]))
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
                continue
        if data and not data.endswith(b"\n"):
            append(self._path, b"\n")

    def add(self, number: int) -> None:
        append(self._path, json.dumps({"done": number}).encode() + b"\n")
        self.numbers.add(number)


def append(path: str, data: bytes) -> None:
    with plain(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND) as file:
        file.write(data)


def plain(path: str, flags: int = os.O_RDONLY) -> io.FileIO:
    """Open a plain file: no link, and no pipe, which would block for ever."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a plain file", path)
    return io.FileIO(descriptor, "r" if flags == os.O_RDONLY else "a")


def main() -> None:
    parser = argparse.ArgumentParser(description="Run a command for each file of a part.")
    parser.add_argument("--part", type=int, required=True, help="number of the part, from 1 on")
    number = parser.parse_args().part
    with plain(os.path.join(HERE, PLAN)) as file:
        plan = json.loads(file.read(MOST))
    signal.signal(signal.SIGTERM, end_soon)
    failures = run_part(plan, read_part(HERE, number), Done(os.environ.get("PADDOCK_CHECKPOINT_DIR", ".")))
    if failures:
        try:
            raise FilesFailed("; ".join(failures[:2]))
        except FilesFailed:  # as an exception, so that Paddock shows it as the reason of the failure
            traceback.print_exc()
        sys.exit(KILLED if "exit code %d" % KILLED in "; ".join(failures[:2]) else 1)


def end_soon(*_: Any) -> None:
    """Begin no further file. The command has got the signal as well."""
    global ending
    ending = True


def read_part(folder: str, number: int) -> list[tuple[bytes, bytes | None]]:
    """Return input and output of each file."""
    with plain(os.path.join(folder, INDEX)) as file:
        file.seek((number - 1) * WIDTH)
        start = int(file.read(WIDTH))
    with io.BufferedReader(plain(os.path.join(folder, PARTS))) as parts:
        parts.seek(start)
        line = parts.readline(MOST)
    return [(encoded(source), target and encoded(target)) for source, target in json.loads(line)]


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def run_part(plan: dict[str, Any], files: list[tuple[bytes, bytes | None]], done: Done) -> list[str]:
    """Return what failed, in words: how many files, the first, ...; for a part of one file, why."""
    failed: list[str] = []
    left = [number for number in range(len(files)) if number not in done.numbers]
    if len(left) < len(files):
        say("%d of %d files are done already" % (len(files) - len(left), len(files)))
    for count, number in enumerate(left, start=len(files) - len(left) + 1):
        if ending:
            sys.exit(TERMINATED)
        source, target = files[number]
        say("file %d of %d: %s" % (count, len(files), shown(source)))
        began = time.monotonic()
        why = run_file(plan, source, target)
        if why is None:
            done.add(number)
        elif ending:
            sys.exit(TERMINATED)
        else:
            say("failed: %s" % why)
            failed.append("%s (%s)" % (shown(source), why) if len(files) > 1 else why)
        if len(files) > 1:  # a part of one file needs no report
            took = {"file_seconds": round(time.monotonic() - began, 3)} if why is None else {}
            report(step=count, of=len(files), **took, **({"failed": len(failed)} if failed else {}))
    if not failed or len(files) == 1:
        return failed
    return ["%d of %d files failed" % (len(failed), len(files)), "the first: " + failed[0], *failed[1:]]


def run_file(plan: dict[str, Any], source: bytes, target: bytes | None) -> str | None:
    """Run the command for a file; return why it failed, or None."""
    try:
        scratch = prepared(target) if target is not None else None
        start = size_of_log()
        code = subprocess.call(
            ["/bin/sh", "-c", encoded(plan["command"])],
            cwd=encoded(plan["folder"]),
            env=environment(source, scratch and os.path.join(scratch, os.path.basename(target or b""))),
        )
        why = explained(code, start) if code else None
        if target is not None and scratch is not None:
            why = why or missing(scratch, target)
            if why is None:
                put_in_place(scratch, target)
            shutil.rmtree(scratch)
    except OSError as error:
        return "%s: %s" % (error.strerror, shown(os.fsencode(error.filename)) if error.filename else "?")
    return why


def environment(source: bytes, output: bytes | None) -> dict[bytes, bytes]:
    """Return the task's environment, without the variables for reports and checkpoints, which files would share."""
    found = dict(os.environb)
    for name in (b"PADDOCK_REPORT", b"PADDOCK_CHECKPOINT_DIR"):
        found.pop(name, None)
    found[b"PADDOCK_CODE"] = os.fsencode(os.path.dirname(HERE))
    found[b"PADDOCK_INPUT"] = source
    if output is not None:
        found[b"PADDOCK_OUTPUT"] = output
    return found


def prepared(target: bytes) -> bytes:
    """Return a new folder beside the output, for the command to write into."""
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    scratch = os.path.join(folder, b".paddock-" + os.environb.get(b"PADDOCK_TASK", b"map"))
    if os.path.lexists(scratch):  # left by an attempt that was killed
        shutil.rmtree(scratch)
    os.mkdir(scratch)
    return scratch


def missing(scratch: bytes, target: bytes) -> str | None:
    made = os.listdir(scratch)
    if os.path.basename(target) in made:
        return None
    instead = "; it wrote %s: see --suffix" % shown(sorted(made)[0]) if made else ""
    return "its exit code is 0, but it did not write {output}%s" % instead


def put_in_place(scratch: bytes, target: bytes) -> None:
    """Move all that the command made to its place, the output last: where that exists, all of it does."""
    folder, name = os.path.split(target)
    for made in sorted(os.listdir(scratch), key=lambda one: one == name):
        source, place = os.path.join(scratch, made), os.path.join(folder, made)
        sync(source)
        if os.path.isdir(place) and not os.path.islink(place):  # a folder cannot be replaced in one step
            os.rename(place, source + b".before")
        os.rename(source, place)


def sync(path: bytes) -> None:
    """Write a file or folder to the disk, before it gets the name that means that it is complete."""
    for folder, _, names in os.walk(path) if os.path.isdir(path) else [(os.path.dirname(path), [], [path])]:
        for name in names:
            full = os.path.join(folder, name)
            if stat.S_ISREG(os.lstat(full).st_mode):
                descriptor = os.open(full, os.O_RDONLY)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)


def explained(code: int, start: int) -> str:
    """Return the exit code, and the last line that the command printed."""
    what = "signal %d" % -code if code < 0 else "exit code %d" % code
    line = last_line(start)
    return "%s: %s" % (what, line) if line else what


def size_of_log() -> int:
    found = os.fstat(1)
    return found.st_size if stat.S_ISREG(found.st_mode) else -1


def last_line(start: int) -> str:
    """Return the last line that was printed since then."""
    end = size_of_log()
    if start < 0 or end <= start:
        return ""
    try:
        with open("/proc/self/fd/1", "rb") as file:
            file.seek(max(start, end - TAIL))
            lines = [line.strip() for line in file.read(TAIL).splitlines()]
    except OSError:
        return ""
    return shown(next((line for line in reversed(lines) if line), b""))


def shown(name: bytes) -> str:
    """Return a name as one printable line."""
    text = name.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else ascii(text)[1:-1]


def say(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.buffer.flush()


def report(**values: float) -> None:
    path = os.environ.get("PADDOCK_REPORT")
    if path:
        append(path, json.dumps(values).encode() + b"\n")


if __name__ == "__main__":
    main()
