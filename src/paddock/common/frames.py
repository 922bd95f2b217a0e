"""Frames between the server and an agent: a line of JSON, then `n` raw bytes. Both sides limit what they accept."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, Tuple

MOST_HEADER = 1_000_000
MOST_DATA = 4_000_000

Frame = Tuple[Dict[str, Any], bytes]


class BadFrame(ValueError):
    """What arrives is not a frame, or larger than allowed."""


def encode(header: Dict[str, Any], data: bytes = b"") -> bytes:
    """Return a frame as bytes. Names that are no valid UTF-8 survive as lone surrogates."""
    line = json.dumps({**header, "n": len(data)} if data else header, separators=(",", ":")).encode("ascii") + b"\n"
    if len(line) > MOST_HEADER or len(data) > MOST_DATA:
        raise BadFrame("a frame of %d and %d bytes is too large" % (len(line), len(data)))
    return line + data


class Frames:
    """Bytes in as they arrive, frames out."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._header: Dict[str, Any] = {}
        self._wanted = -1  # bytes of data to come; -1: a header comes

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are whole now. Raise BadFrame for anything else; nothing can follow that."""
        self._buffer += data
        while True:
            if self._wanted < 0 and not self._take_header():
                return
            if len(self._buffer) < self._wanted:
                return
            body = bytes(self._buffer[: self._wanted])
            del self._buffer[: self._wanted]
            self._wanted = -1
            yield self._header, body

    def _take_header(self) -> bool:
        end = self._buffer.find(b"\n", 0, MOST_HEADER)
        if end < 0:
            if len(self._buffer) >= MOST_HEADER:
                raise BadFrame("a line without an end")
            return False
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        try:
            header = json.loads(line.decode("ascii"))
        except (ValueError, RecursionError):
            raise BadFrame("a line that is not JSON") from None
        count = header.get("n", 0) if isinstance(header, dict) else None
        if type(count) is not int or not 0 <= count <= MOST_DATA:
            raise BadFrame("a header that is not valid")
        self._header, self._wanted = header, count
        return True
