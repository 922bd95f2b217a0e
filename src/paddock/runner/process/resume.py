"""What an attempt finds of the attempts before it: the files. docs/job-folder.md describes it under "Resumed attempts".

A resumed attempt finds everything as it was. A plain restart finds empty folders: results and working folder are put
aside, the checkpoint is deleted. An attempt with a source begins with a copy of another task's checkpoint.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Callable, Dict, List, Mapping, Tuple

from ...common import layout
from ..mailbox import QueuedAttempt
from . import tidy

if TYPE_CHECKING:
    from .prepare import AttemptPlace

COPY_TRIES = 20
COPY_PAUSE = 0.1


def put_aside(attempt: QueuedAttempt, place: AttemptPlace, links: Mapping[str, str], job_dir: str) -> None:
    """Move away what earlier attempts left, unless the attempt is resumed."""
    if attempt.resume or attempt.number == 1:
        return
    names = [name for name in entries(place.task_dir) if name not in ("checkpoint", "attempts")]
    if names:
        kept = layout.kept(layout.attempt(place.task_dir, attempt.number - 1))
        os.makedirs(kept, exist_ok=True)
        for name in names:
            os.rename(os.path.join(place.task_dir, name), os.path.join(kept, name))
        # Two levels further down our links would lead somewhere else.
        tidy.remove_links(layout.work(kept), links, job_dir)
        tidy.remove_empty(kept, job_dir)
    _empty(place.checkpoint)


def copy_checkpoint(source: str, target: str, pause: Callable[[float], None] = time.sleep) -> None:
    """Put a copy of another task's checkpoint in place of this one's.

    The other task goes on training, and may be writing: a copy during which something changed is made again.
    """
    import shutil  # it loads much, and everything that is loaded makes every start of a process slower

    if not os.path.lexists(source) and os.path.isdir(os.path.dirname(source)):
        _empty(target)  # the other task has no checkpoint so far: empty folders are removed
        return
    copy = target + ".new"
    for left in range(COPY_TRIES - 1, -1, -1):
        shutil.rmtree(copy, ignore_errors=True)
        before = _stamps(source)
        try:
            shutil.copytree(source, copy, symlinks=True)
            if _stamps(source) == before:
                break
        except (OSError, shutil.Error):
            if not left:
                raise
        pause(COPY_PAUSE)
    _empty(target)
    for name in os.listdir(copy):
        os.rename(os.path.join(copy, name), os.path.join(target, name))
    os.rmdir(copy)


def entries(folder: str) -> List[str]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def _empty(folder: str) -> None:
    # A script may have replaced the folder by a link to a bigger disk: what is there is not ours to delete.
    if os.path.islink(folder):
        os.unlink(folder)
    for name in entries(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            import shutil

            shutil.rmtree(path)
        else:
            os.unlink(path)


def _stamps(folder: str) -> Dict[str, Tuple[int, int]]:
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(path, name))
                found[os.path.join(path, name)] = (status.st_mtime_ns, status.st_size)
    return found
