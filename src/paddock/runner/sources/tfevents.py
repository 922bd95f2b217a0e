"""Read TensorBoard's event files without TensorFlow: TFRecord framing and the protobuf messages of scalars.

The field numbers are those of tensorflow/core/util/event.proto and tensorflow/core/framework/{summary,tensor}.proto.
"""

from __future__ import annotations

import struct
from typing import Iterator, NamedTuple, TypeVar, Union

MAX_RECORD = 256 * 1024  # graphs and histograms are larger, scalars never
_CRC_LIMIT = 4096  # bytes; the checksum is slow in Python, so it is computed only for records of scalars
_POLYNOMIAL = 0x82F63B78


class Corrupt(ValueError):
    """The file is damaged, or not an event file."""


class Scalar(NamedTuple):
    tag: str
    step: int
    value: float


def _table() -> list[int]:
    table = []
    for i in range(256):
        for _ in range(8):
            i = (i >> 1) ^ (_POLYNOMIAL if i & 1 else 0)
        table.append(i)
    return table


_CRC = _table()


def masked_crc(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


class Records:
    """Divides slices into records, each with its offset in the file. Large records are skipped."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._start = 0
        self._skip = 0

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        self._data += data
        while self._drop_skipped() and len(self._data) >= 12:
            length, crc = struct.unpack_from("<QI", self._data)
            if masked_crc(bytes(self._data[:8])) != crc:
                raise Corrupt("a record's length is damaged")
            whole = 12 + length + 4
            if length > MAX_RECORD:
                self._skip = whole
                continue
            if len(self._data) < whole:
                return
            record = bytes(self._data[12 : 12 + length])
            (crc,) = struct.unpack_from("<I", self._data, 12 + length)
            if length <= _CRC_LIMIT and masked_crc(record) != crc:
                raise Corrupt("a record is damaged")
            yield self._start, record
            del self._data[:whole]
            self._start += whole

    def _drop_skipped(self) -> bool:
        gone = min(self._skip, len(self._data))
        del self._data[:gone]
        self._start += gone
        self._skip -= gone
        return not self._skip


Field = Union[int, bytes]
T = TypeVar("T", int, bytes)


def fields(data: bytes) -> Iterator[tuple[int, Field]]:
    """Yield (number, value) of each field of a message; fixed-size values as their bytes."""
    at, end = 0, len(data)
    while at < end:
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if kind == 2:
            size, at = _varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise Corrupt("a message is damaged")
        if at + size > end:
            raise Corrupt("a message is cut short")
        yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Corrupt("a number is damaged")


def signed(value: int) -> int:
    """Return the value of an int64, which is written as if it were unsigned."""
    return value - (1 << 64) if value >> 63 & 1 else value


def scalars(event: bytes) -> list[Scalar]:
    step, summaries = 0, []
    for number, value in fields(event):
        if number == 2 and isinstance(value, int):
            step = signed(value)
        elif number == 5 and isinstance(value, bytes):
            summaries.append(value)
    found = []
    for summary in summaries:
        for number, one in fields(summary):
            if number == 1 and isinstance(one, bytes):
                tag, scalar = _value(one)
                if scalar is not None:
                    found.append(Scalar(tag, step, scalar))
    return found


def _value(message: bytes) -> tuple[str, float | None]:
    """Return tag and number of a Summary.Value; None if it has no number."""
    tag, scalar, tensor, plugin = "", None, None, b"scalars"
    for number, value in fields(message):
        if not isinstance(value, bytes):
            continue
        if number == 1:
            tag = value.decode("utf-8", "replace")
        elif number == 2 and len(value) == 4:
            (scalar,) = struct.unpack("<f", value)
        elif number == 8:
            tensor = value
        elif number == 9:
            plugin = _first(_first(value, bytes), bytes) or plugin
    if scalar is None and tensor is not None and plugin == b"scalars":
        scalar = _tensor(tensor)
    return tag, scalar


def _first(message: bytes, kind: type[T]) -> T:
    """Return the first field of a message that has number 1 and this type; 0 or empty if there is none."""
    return next((value for number, value in fields(message) if number == 1 and isinstance(value, kind)), kind())


# dtype -> (format in tensor_content, the field for typed values)
_TYPES = {
    1: ("<f", 5), 2: ("<d", 6), 3: ("<i", 7), 4: ("<B", 7), 5: ("<h", 7), 6: ("<b", 7), 9: ("<q", 10),
    10: ("<?", 11), 14: ("", 13), 17: ("<H", 7), 19: ("<e", 13), 22: ("<I", 16), 23: ("<Q", 17),
}  # fmt: skip


def _tensor(message: bytes) -> float | None:
    """Return the number in a TensorProto that has exactly one."""
    dtype, content = 0, b""
    typed: dict[int, Field] = {}
    for number, value in fields(message):
        if number == 1 and isinstance(value, int):
            dtype = value
        elif number == 2 and isinstance(value, bytes) and _size(value) != 1:
            return None
        elif number == 4 and isinstance(value, bytes):
            content = value
        else:
            typed.setdefault(number, value)
    form, field = _TYPES.get(dtype, ("", 0))
    if form and len(content) == struct.calcsize(form):
        return float(struct.unpack(form, content)[0])
    if dtype == 14 and len(content) == 2:  # bfloat16: the upper half of a float32
        return float(struct.unpack("<f", b"\0\0" + content)[0])
    return _typed(dtype, typed[field]) if field in typed else None


def _size(shape: bytes) -> int:
    size = 1
    for number, dimension in fields(shape):
        if number == 2 and isinstance(dimension, bytes):
            size *= _first(dimension, int)
    return size


def _typed(dtype: int, value: Field) -> float | None:
    """Return a value of float_val, int_val and so on, packed or not."""
    if isinstance(value, bytes):
        if dtype in (1, 2):
            form = "<f" if dtype == 1 else "<d"
            return float(struct.unpack(form, value)[0]) if len(value) == struct.calcsize(form) else None
        value = _varint(value, 0)[0]
    if dtype == 19:
        return float(struct.unpack("<e", struct.pack("<H", value & 0xFFFF))[0])
    if dtype == 14:
        return float(struct.unpack("<f", struct.pack("<I", (value & 0xFFFF) << 16))[0])
    return float(value if dtype in (22, 23) else signed(value))
