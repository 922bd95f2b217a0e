"""Sizes as people read them: the same in the runner, the server and the command line."""

from __future__ import annotations

import math

_UNITS = ("B", "KiB", "MiB", "GiB")


def size_text(count: float) -> str:
    """Return `16 GiB`, `1.5 GiB`, `500 MiB`: units of 1024, as drivers, frameworks and Slurm count; one decimal."""
    value, unit = float(count), 0
    while unit < len(_UNITS) - 1 and value >= 1023.95:  # otherwise written as 1024
        value, unit = value / 1024, unit + 1
    tenths = math.floor(value * 10 + 0.5)  # as the page rounds
    whole, rest = divmod(tenths, 10)
    return "%d%s %s" % (whole, ".%d" % rest if rest else "", _UNITS[unit])
