"""Read back what each task of a map does."""

import json
import os
from pathlib import Path

from paddock.common.files import read_plain
from paddock.models import MapPart
from paddock.runner import map_driver

MAX_PLAN, MAX_PARTS = 1_000_000, 128 * 1024**2
_JUNK = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


def parts_of(code: Path) -> list[MapPart]:
    """Return what each task of a map does, from the snapshot of its job. Names are relative to the folder of the call.

    Tasks can write in the snapshot: a line that is not valid is left out.
    """
    folder = code / map_driver.FOLDER
    try:
        plan = read_plain(str(folder / map_driver.PLAN), MAX_PLAN, below=str(code))
        top = json.loads(plan)["folder"].rstrip("/") + "/"
        parts = read_plain(str(folder / map_driver.PARTS), MAX_PARTS, below=str(code))
    except (OSError, *_JUNK):
        return []
    found = (_part(number, line, top) for number, line in enumerate(parts.split(b"\n"), start=1) if line)
    return [part for part in found if part is not None]


def _part(number: int, line: bytes, top: str) -> MapPart | None:
    try:
        files = json.loads(line)
        source, target = (
            name and os.fsencode(name.removeprefix(top)).decode("utf-8", errors="replace") for name in files[0]
        )
        return MapPart(part=number, files=len(files), input=source or "", output=target)
    except _JUNK:
        return None
