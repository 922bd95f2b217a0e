#!/usr/bin/python3 -IS
"""Start the agent of Paddock: the only program that sudo may start as somebody else. Python 3.8 or newer.

The server sends a line (digest and length of the agent, folder). A copy of that digest in the folder is run; if there
is none, the server is asked to send the program. So the agent is always of the server's own version, and this file
never changes. It takes no arguments and no variables.
"""

import hashlib
import json
import os
import pwd
import sys

MOST_LINE, MOST_PROGRAM = 65536, 64 << 20


def main() -> None:
    os.umask(0o077)
    line = b""
    while not line.endswith(b"\n"):  # byte by byte: what follows is for the agent
        got = os.read(0, 1)
        if not got or len(line) > MOST_LINE:
            sys.exit("no request")
        line += got
    asked = json.loads(line)
    digest, length, folder = str(asked["digest"]), int(asked["length"]), str(asked["folder"])
    if len(digest) != 64 or not digest.isalnum() or not 0 < length <= MOST_PROGRAM:
        sys.exit("the request is not valid")
    if folder.startswith("~/"):
        folder = os.path.join(pwd.getpwuid(os.getuid()).pw_dir, folder[2:])
    place = os.path.join(folder, "agent")
    path = os.path.join(place, digest + ".pyz")
    check(folder)
    os.makedirs(place, mode=0o700, exist_ok=True)
    if not kept(path, digest):
        keep(path, digest, length)
    os.write(1, b"ready\n")
    os.execv(sys.executable, [sys.executable, "-I", "-S", path, "--agent", folder])


def check(folder: str) -> None:
    """Make the folder if it does not exist; leave if it cannot be trusted."""
    if not os.path.isabs(folder):
        sys.exit(folder + " is not an absolute path")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.stat(folder)
    except OSError as error:
        sys.exit("%s cannot be used: %s" % (folder, error.strerror))
    if found.st_uid != os.getuid() or found.st_mode & 0o022:
        sys.exit(folder + " belongs to somebody else, or others may write to it: chmod go-w")


def kept(path: str, digest: str) -> bool:
    """Return True if the copy is there and has this digest."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with open(descriptor, "rb") as file:
        return hashlib.sha256(file.read(MOST_PROGRAM)).hexdigest() == digest


def keep(path: str, digest: str, length: int) -> None:
    """Ask for the program, and keep it. Older ones stay: runners that were started from them may still run."""
    os.write(1, b"send\n")
    program = b""
    while len(program) < length:
        got = os.read(0, min(length - len(program), 1 << 20))
        if not got:
            sys.exit("the program did not arrive")
        program += got
    if hashlib.sha256(program).hexdigest() != digest:
        sys.exit("another program arrived than was announced")
    temporary = "%s.%d" % (path, os.getpid())
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(program)
    os.rename(temporary, path)


if __name__ == "__main__":
    main()
