"""Watched files: what is appended to them is sent. Files without news are looked at less often."""

from __future__ import annotations

import errno
import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from ...common import files

LOOK_SECONDS = 0.2
QUIET = ((60.0, 1.0), (5.0, 0.5))  # after this long without news, this long between two looks
PART = 262_144  # of one file at a time
ROUND = 1_000_000  # of all files, before requests are looked at again

Send = Callable[[Dict[str, Any], bytes], None]


class Watched:
    """A file that is watched."""

    def __init__(self, key: int, path: str, offset: int, now: float) -> None:
        self.key, self.path, self.offset = key, path, offset
        self.news_at = self.next_at = now


class OpenFolder(NamedTuple):
    """One of the folders on the way to the file that was opened last."""

    name: str
    descriptor: int


class Watching:
    """All watched files."""

    def __init__(self, root: str, send: Send) -> None:
        self._root, self._send = root, send
        self._files: Dict[int, Watched] = {}

    def add(self, key: int, path: str, offset: int, now: float) -> None:
        self._files[key] = Watched(key, path, offset, now)

    def forget(self, key: int) -> None:
        self._files.pop(key, None)

    def fail(self, key: int, path: str, error: OSError) -> None:
        """Report that a file cannot be watched."""
        self.forget(key)
        told = {"error": error.strerror or "it cannot be read", "errno": error.errno, "kind": "not plain"}
        self._send({"event": "failed", "key": key, "path": path, **told}, b"")

    def next_in(self, now: float) -> Optional[float]:
        """Return the seconds until the next look; None if nothing is watched."""
        if not self._files:
            return None
        return max(min(one.next_at for one in self._files.values()) - now, 0.0)

    def look(self, now: float) -> None:
        """Send what was appended to those files that are due. Network file systems need them to be opened anew."""
        due = [one for one in self._files.values() if one.next_at <= now]
        due.sort(key=lambda one: one.path)
        opened: List[OpenFolder] = []
        sent = 0
        try:
            for one in due:
                if sent >= ROUND:
                    return
                sent += self._look_at(one, opened, now)
        finally:
            for folder in opened:
                os.close(folder.descriptor)

    def _look_at(self, one: Watched, opened: List[OpenFolder], now: float) -> int:
        data = b""
        try:
            data = self._read(one, opened)
        except FileNotFoundError:
            pass  # it will come
        except OSError as error:
            if isinstance(error, files.NotPlain) or error.errno in (errno.ELOOP, errno.ENOTDIR):
                self.fail(one.key, one.path, error)
                return 0
        if data:
            self._send({"event": "grown", "key": one.key, "at": one.offset}, data)
            one.offset += len(data)
            one.news_at = now
        quiet = now - one.news_at
        pause = next((pause for seconds, pause in QUIET if quiet > seconds), LOOK_SECONDS)
        one.next_at = now if len(data) == PART else now + pause
        return len(data)

    def _read(self, one: Watched, opened: List[OpenFolder]) -> bytes:
        """Return the next bytes of a file. Folders that are open from the file before are used again."""
        *above, name = one.path.split("/")
        common = 0
        while common < min(len(above), len(opened)) and opened[common].name == above[common]:
            common += 1
        while len(opened) > common:
            os.close(opened.pop().descriptor)
        for part in above[common:]:
            if opened:
                descriptor = files.open_in(opened[-1].descriptor, part, inner=True)
            else:
                descriptor = files.open_folder(os.path.join(self._root, part), below=self._root)
            opened.append(OpenFolder(part, descriptor))
        if opened:
            found = files.open_in(opened[-1].descriptor, name)
        else:
            found = files.open_plain(os.path.join(self._root, name), below=self._root)
        try:
            size = os.fstat(found).st_size
            if size < one.offset:
                raise files.NotPlain(errno.ESTALE, "the file has become shorter", one.path)
            return os.pread(found, PART, one.offset) if size > one.offset else b""
        finally:
            os.close(found)
