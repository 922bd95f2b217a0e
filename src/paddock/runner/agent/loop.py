"""The agent's loop: requests from its standard input, answers and what grows to its standard output.

It has one thread, and one more while a driver of GPUs is asked. When its standard input ends, it leaves; what it has
started with `start` stays.
"""

from __future__ import annotations

import errno
import os
import platform
import pwd
import selectors
import socket
import sys
import time
from typing import Any, Callable, Dict, Optional, Tuple

from ...common import files, processes
from ...common.frames import BadFrame, Frames, encode
from . import commands
from .machine import MachineReports
from .takeover import Presence
from .tree import Tree
from .watching import Watching

PROTOCOL = 1
CHUNK = 262_144

Answer = Tuple[Dict[str, Any], bytes]


def main(folder: str) -> int:
    os.umask(0o077)
    try:
        root = _root(folder)
    except OSError as error:
        print("%s cannot be used as the folder of Paddock: %s" % (folder, error.strerror), file=sys.stderr)
        return 1
    agent = Agent(root)
    try:
        agent.run()
    except BadFrame as error:
        print("the server sent %s" % error, file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0  # the server is gone
    finally:
        agent.leave()
    return 0


def _root(folder: str) -> str:
    """Return the root folder, which the loader has made and checked, without links."""
    path = os.path.realpath(folder)
    if os.stat(path).st_uid != os.getuid():
        raise OSError(errno.EPERM, "it belongs to somebody else")
    return path


class Agent:
    """One agent, which speaks to one server."""

    def __init__(self, root: str) -> None:
        self._person = pwd.getpwuid(os.getuid())
        self._tree = Tree(root)
        self._watching = Watching(root, self._send)
        self._machine = MachineReports(self._send)
        self._presence: Optional[Presence] = None
        self._selector = selectors.DefaultSelector()
        self.commands = commands.RunningCommands(self._selector, self._answer)
        self._operations: Dict[str, Callable[[Dict[str, Any], bytes], Optional[Answer]]] = {
            "hello": self._hello,
            "put": self._put,
            "append": self._append,
            "mkdir": self._mkdir,
            "remove": lambda request, _: ({"done": self._tree.remove(_text(request, "path"))}, b""),
            "withdraw": self._withdraw,
            "held": self._held,
            "read": self._read,
            "entries": self._entries,
            "stat": lambda request, _: ({}, _json(self._tree.stat(_text(request, "path")))),
            "measure": self._measure,
            "watch": self._watch,
            "forget": self._forget,
            "start": self._start,
            "find": self._find,
            "alive": self._alive,
            "signal": self._signal,
            "run": self._run,
            "machine": self._report,
        }

    def leave(self) -> None:
        """Kill the commands that run, and leave no mark."""
        self.commands.kill()
        if self._presence is not None:
            self._presence.leave()

    def run(self) -> None:
        """Serve requests until the standard input ends."""
        frames = Frames()
        self._selector.register(0, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            due = (self._watching.next_in(now), self._machine.next_in(now), self.commands.next_in())
            waits = [one for one in due if one is not None]
            for key, _ in self._selector.select(min(waits) if waits else None):
                if key.data is not None:
                    self.commands.serve(*key.data)
                    continue
                got = os.read(0, CHUNK)
                if not got:
                    return
                for header, data in frames.feed(got):
                    self._handle(header, data)
            now = time.monotonic()
            self.commands.check(now)
            self._watching.look(now)
            self._machine.look(now)

    def _handle(self, request: Dict[str, Any], data: bytes) -> None:
        number = request.get("id", 0)
        try:
            answer = self._operations[request["op"]](request, data)
        except OSError as error:
            kind = "not plain" if isinstance(error, files.NotPlain) else "system"
            code = error.errno or errno.EIO
            told = {
                "error": error.strerror or str(error),
                "errno": code,
                "kind": kind,
                "path": str(error.filename or ""),
            }
            answer = (told, b"")
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            answer = ({"error": "%s: %s" % (type(error).__name__, error), "kind": "request"}, b"")
        if answer is not None:
            self._answer(number, *answer)

    def _answer(self, number: int, header: Dict[str, Any], data: bytes) -> None:
        try:
            self._send({**header, "id": number}, data)
        except BadFrame as error:
            self._send({"id": number, "error": str(error), "errno": errno.EFBIG, "kind": "system"}, b"")

    def _send(self, header: Dict[str, Any], data: bytes) -> None:
        view = memoryview(encode(header, data))
        while view:
            view = view[os.write(1, view) :]

    def _environment(self, request: Dict[str, Any]) -> Dict[str, str]:
        """Return the person's own environment, without anything of the server or of sudo, and what was requested."""
        base = {
            "HOME": self._person.pw_dir,
            "USER": self._person.pw_name,
            "LOGNAME": self._person.pw_name,
            "SHELL": self._person.pw_shell or "/bin/sh",
            "LANG": os.environ.get("LANG", "C.UTF-8"),
            "PATH": os.environ.get("PATH", os.defpath),
        }
        return {**base, **{str(name): str(value) for name, value in request["env"].items()}}

    # --- operations ---------------------------------------------------------------------------------------------------

    def _hello(self, request: Dict[str, Any], _: bytes) -> Answer:
        if request["protocol"] != PROTOCOL:
            raise ValueError("the server speaks protocol %s" % request["protocol"])
        if request.get("server") is not None:
            self._presence = Presence(self._tree, _text(request, "server"))
            self._presence.take()
        boot = processes.read("/proc/sys/kernel/random/boot_id").decode().strip()
        about = {"user": self._person.pw_name, "uid": os.getuid(), "host": socket.gethostname(), "boot": boot}
        about.update(root=self._tree.root, home=self._person.pw_dir, python=sys.executable)
        about.update(program=os.path.abspath(sys.argv[0]), version=platform.python_version())
        return about, b""

    def _put(self, request: Dict[str, Any], data: bytes) -> Answer:
        executable = bool(request["executable"])
        self._tree.put(_text(request, "path"), _number(request, "at"), _number(request, "whole"), executable, data)
        return {}, b""

    def _append(self, request: Dict[str, Any], data: bytes) -> Answer:
        return {"size": self._tree.append(_text(request, "path"), _number(request, "at"), data)}, b""

    def _mkdir(self, request: Dict[str, Any], _: bytes) -> Answer:
        for path in request["paths"]:
            self._tree.mkdir(path)
        return {}, b""

    def _withdraw(self, request: Dict[str, Any], _: bytes) -> Answer:
        return {"names": self._tree.withdraw(_text(request, "folder"), request["names"])}, b""

    def _held(self, request: Dict[str, Any], _: bytes) -> Answer:
        return {"held": self._tree.held(_text(request, "folder"), request["names"])}, b""

    def _read(self, request: Dict[str, Any], _: bytes) -> Answer:
        start, size, data = self._tree.read(_text(request, "path"), int(request["at"]), _number(request, "most"))
        return {"start": start, "size": size}, data

    def _entries(self, request: Dict[str, Any], _: bytes) -> Answer:
        path, offset, limit = _text(request, "path"), _number(request, "offset"), _number(request, "limit")
        total, more, entries = self._tree.entries(path, offset, limit)
        return {"total": total, "more": more}, _json(entries)

    def _measure(self, request: Dict[str, Any], _: bytes) -> Answer:
        size = self._tree.measure(_text(request, "path"), float(request["seconds"]))
        return {"bytes": size.bytes, "files": size.files, "whole": size.whole}, b""

    def _watch(self, request: Dict[str, Any], _: bytes) -> Answer:
        now = time.monotonic()
        for key, path, offset in request["files"]:
            try:
                self._tree.whole(path)
                self._watching.add(int(key), path, int(offset), now)
            except files.NotPlain as error:
                self._watching.fail(int(key), path, error)
        return {}, b""

    def _forget(self, request: Dict[str, Any], _: bytes) -> Answer:
        for key in request["keys"]:
            self._watching.forget(key)
        return {}, b""

    def _report(self, request: Dict[str, Any], _: bytes) -> Answer:
        self._machine.set(float(request["every"]), time.monotonic())
        return {}, b""

    def _start(self, request: Dict[str, Any], _: bytes) -> Answer:
        root = self._tree.root
        log = self._tree.whole(_text(request, "log"))
        with files.in_folder(self._tree.whole(_text(request, "cwd"), or_root=True), below=root) as cwd:
            descriptor = files.open_plain(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, below=root, mode=0o600)
            try:
                os.set_blocking(descriptor, True)
                return commands.start(request["argv"], self._environment(request), cwd, descriptor), b""
            finally:
                os.close(descriptor)

    def _find(self, request: Dict[str, Any], _: bytes) -> Answer:
        return {"processes": commands.find(_text(request, "variable"), _text(request, "value"))}, b""

    def _alive(self, request: Dict[str, Any], _: bytes) -> Answer:
        return {"alive": [processes.started(int(pid)) == start for pid, start in request["processes"]]}, b""

    def _signal(self, request: Dict[str, Any], _: bytes) -> Answer:
        number = _number(request, "signal")
        return {"sent": commands.send_signal(_number(request, "pid"), _number(request, "start"), number)}, b""

    def _run(self, request: Dict[str, Any], data: bytes) -> None:
        cwd = self._person.pw_dir if os.path.isdir(self._person.pw_dir) else "/"
        if request["cwd"] is not None:
            cwd = self._tree.whole(_text(request, "cwd"), or_root=True)
            with files.in_folder(cwd, below=self._tree.root):
                pass
        request["env"] = self._environment(request)
        self.commands.start(request["id"], request["argv"], data, request, cwd)


def _json(value: Any) -> bytes:
    import json

    return json.dumps(value).encode("ascii")


def _text(request: Dict[str, Any], name: str) -> str:
    value = request[name]
    if not isinstance(value, str):
        raise TypeError("%s is not a text" % name)
    return value


def _number(request: Dict[str, Any], name: str) -> int:
    value = request[name]
    if type(value) is not int or value < 0:
        raise TypeError("%s is not a number" % name)
    return value
