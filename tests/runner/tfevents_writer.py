"""Write TensorBoard event files, byte for byte as TensorFlow and PyTorch do; shares no code with the reader."""

from __future__ import annotations

import struct

VERSION = b"brain.Event:2"
FLOAT, DOUBLE, INT32, INT64, HALF, BFLOAT16 = 1, 2, 3, 9, 19, 14


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def mask(crc: int) -> int:
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", mask(crc32c(length))) + data + struct.pack("<I", mask(crc32c(data)))


def varint(n: int) -> bytes:
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def integer(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def block(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def event(step: int, *fields: bytes, at: float = 1.7e9) -> bytes:
    body = varint(1 << 3 | 1) + struct.pack("<d", at)
    return body + (integer(2, step) if step else b"") + b"".join(fields)


def first() -> bytes:
    return record(event(0, block(3, VERSION)))


def simple(step: int, **tags: float) -> bytes:
    """As torch.utils.tensorboard writes scalars."""
    values = [block(1, block(1, tag.encode()) + varint(2 << 3 | 5) + struct.pack("<f", v)) for tag, v in tags.items()]
    return record(event(step, block(5, b"".join(values))))


def tensor(dtype: int, body: bytes, dims: tuple[int, ...] = ()) -> bytes:
    shape = b"".join(block(2, integer(1, dim)) for dim in dims)
    return integer(1, dtype) + block(2, shape) + body


def plugin(name: bytes) -> bytes:
    return block(9, block(1, block(1, name)))


def keras(step: int, tag: str, value: float) -> bytes:
    """As tf.summary.scalar writes them."""
    return as_tensor(step, tag, tensor(FLOAT, block(4, struct.pack("<f", value))))


def as_tensor(step: int, tag: str, content: bytes, kind: bytes = b"scalars") -> bytes:
    return record(event(step, block(5, block(1, block(1, tag.encode()) + plugin(kind) + block(8, content)))))
