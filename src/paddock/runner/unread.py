"""Read the metrics of an attempt again from its files, as its runner died before it had reported them all."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..common import layout
from .sources.follower import Follower

SECONDS, LONG_SECONDS = 5.0, 50.0


def unread(
    task_dir: str,
    attempt: int,
    files: Sequence[str],
    stdout: bool,
    resumed: bool,
    epochs: Optional[int],
    seconds: float = SECONDS,
) -> List[Dict[str, Any]]:
    """Return all metric records of an attempt, with the time of its last output.

    `seconds` of the processor: what is not read by then is left out.
    """
    folder, work = layout.attempt(task_dir, attempt), layout.work(task_dir)
    follower = Follower(task_dir, work, folder, list(files), stdout, resumed, epochs, whole=True)
    at = os.lstat(layout.log(folder)).st_mtime
    return [{**record, "attempt": attempt, "at": at} for record in follower.read_all(seconds)]


def unread_long(asked: Tuple[str, int, Sequence[str], bool, bool, Optional[int]]) -> List[Dict[str, Any]]:
    """Do the same for a log of hundreds of MB, in a process of its own. `asked`: the arguments of `unread`."""
    return unread(*asked, seconds=LONG_SECONDS)
