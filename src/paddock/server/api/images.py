"""Images: which of them a browser may show, and which of those that a task has written belong together."""

import re
import time
from collections import defaultdict
from dataclasses import dataclass

from paddock.errors import NotFound
from paddock.models.files import ImageFile, ImageList
from paddock.server.api.folders import FilePlace, OpenFile, moment, shown, walk

HEAD = 262_144  # bytes in which the size of an image must be found
MOST_BYTES = 30_000_000
MOST_PIXELS = 64_000_000  # a small file can be an image that takes all memory of a browser
MOST_ENTRIES = 150_000
DEPTH = 10
WALK_SECONDS = 8.0
_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_EARLIER = "attempts/"  # what a plain restart has put aside
_STEP = re.compile(r"(?:^|[^a-z])(?:global[_-]?step|steps?|iters?|iterations?|epochs?|ep|it)[_=-]?(\d{1,12})")
_PADDED = re.compile(r"(?<!\d)(\d{3,12})(?!\d)")
_ANY = re.compile(r"(?<![\d.])(\d{1,12})(?!\d|\.\d)")
_FRAMES = {0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF}  # of JPEG, with the size


@dataclass(frozen=True)
class Image:
    media_type: str
    width: int
    height: int


# --- what a browser may show ------------------------------------------------------------------------------------------


def recognised(head: bytes, size: int) -> Image | None:
    """Return the kind of an image by its first bytes; None for all else, and for images too large to be shown."""
    found = _recognised(head)
    if found is None or size > MOST_BYTES or not 0 < found.width * found.height <= MOST_PIXELS:
        return None
    return found


def _recognised(head: bytes) -> Image | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR":
        return Image("image/png", _big(head[16:20]), _big(head[20:24]))
    if head[:6] in (b"GIF87a", b"GIF89a"):
        return Image("image/gif", _little(head[6:8]), _little(head[8:10]))
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _webp(head)
    return _jpeg(head) if head.startswith(b"\xff\xd8\xff") else None


def _webp(head: bytes) -> Image | None:
    kind = head[12:16]
    if kind == b"VP8X":
        return Image("image/webp", 1 + _little(head[24:27]), 1 + _little(head[27:30]))
    if kind == b"VP8L":
        bits = _little(head[21:25])
        return Image("image/webp", 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    if kind == b"VP8 ":
        return Image("image/webp", _little(head[26:28]) & 0x3FFF, _little(head[28:30]) & 0x3FFF)
    return None


def _jpeg(head: bytes) -> Image | None:
    at = 2
    while at + 9 < len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker in _FRAMES:
            return Image("image/jpeg", _big(head[at + 7 : at + 9]), _big(head[at + 5 : at + 7]))
        at += 1 if marker == 0xFF else 2 + max(_big(head[at + 2 : at + 4]), 2)
    return None


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


# --- by step ----------------------------------------------------------------------------------------------------------


def step_of(path: str) -> tuple[str, int | None, bool]:
    """Return the series of an image, its step, and whether a word in the path calls the number a step.

    The number is that after a word such as step or epoch, in the name of the file or of the nearest folder. Without a
    word, it is a number of three digits in the name of the file, then its last number, then that of a folder.
    """
    parts = path.split("/")
    stem, dot, ending = parts[-1].rpartition(".")
    names = [*parts[:-1], stem]
    for pattern in (_STEP, _PADDED, _ANY):
        for place in range(len(names) - 1, -1, -1):
            found = list(pattern.finditer(names[place].lower()))
            if found:
                first, last = found[-1].span(1)
                names[place] = f"{names[place][:first]}*{names[place][last:]}"
                return "/".join(names) + dot + ending, int(found[-1][1]), pattern is _STEP
            if pattern is _PADDED:
                break  # in a folder such a number is a date or a run
    return path, None, False


def found_in(place: FilePlace, limit: int) -> ImageList:
    """Return the images below a folder: up to about `limit`, spread evenly over the steps of each series."""
    by_series: dict[str, list[tuple[int, str, bool]]] = defaultdict(list)  # step, path, whether a word calls it so
    total, more, until = 0, False, time.monotonic() + WALK_SECONDS
    for count, one in enumerate(walk(place, DEPTH)):
        if count >= MOST_ENTRIES or time.monotonic() > until:
            more = True
            break
        if one.is_file and one.name.lower().endswith(_ENDINGS) and not one.path.startswith(_EARLIER):
            series, step, sure = step_of(one.path)
            by_series[series].append((-1 if step is None else step, one.path, sure))
            total += 1
    items: list[ImageFile | None] = []
    share = max(limit // max(len(by_series), 1), 2)
    for series, members in sorted(by_series.items()):
        members.sort()
        if len(members) == 1 and not members[0][2]:  # a lone number is part of the name: resnet50.png
            items.append(_image(place, members[0][1], members[0][1], None))
            continue
        for step, path, _ in (members[at] for at in _evenly(len(members), share)):
            items.append(_image(place, path, series, step))
        if len(items) >= limit:
            break
    return ImageList(total=total, items=[one for one in items if one is not None][:limit], more=more)


def _image(place: FilePlace, path: str, series: str, step: int | None) -> ImageFile | None:
    """Return a file with the name of an image; None if it is empty, or no plain file."""
    try:
        file = OpenFile(place.inner(path))
    except NotFound:
        return None
    file.close()
    if not file.size:
        return None
    whole = f"{place.path}/" if place.path else ""
    at = moment(file.modified)
    return ImageFile(path=shown(whole + path), series=shown(whole + series), step=step, size=file.size, modified_at=at)


def _evenly(count: int, most: int) -> list[int]:
    """Return up to `most` of `count` places with equal distances, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return sorted({round(at * (count - 1) / (most - 1)) for at in range(most)})
