"""Remove what is not needed once an attempt has ended: sites limit how many files a user may have.

Only what Paddock made, and empty folders, which the next attempt makes again. No link is followed, whatever the task
has put in place of a folder, and nothing that it wrote is removed.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import Dict, Mapping

from ...common import files

_MEMBER = re.compile(r"over|\d+\.(?:json|usage|end)(?:\.tmp)?")  # see layout.py


def remove_links(work: str, links: Mapping[str, str], below: str) -> None:
    """Remove these links (path in the folder -> target) if they still have that target, and folders left empty."""
    by_folder: Dict[str, Dict[str, str]] = {"": {}}
    for path, target in links.items():
        folder, name = os.path.split(path)
        by_folder.setdefault(folder, {})[name] = target
        while folder:
            folder = os.path.dirname(folder)
            by_folder.setdefault(folder, {})
    for folder in sorted(by_folder, reverse=True):  # the inner ones first
        path = os.path.join(work, folder).rstrip(os.sep)
        if by_folder[folder]:
            _unlink(path, by_folder[folder], below)
        remove_empty(path, below)


def _unlink(path: str, targets: Mapping[str, str], below: str) -> None:
    with contextlib.suppress(OSError), files.in_folder(path, below=below) as folder:
        for name, target in targets.items():
            with contextlib.suppress(OSError):  # missing, or no link: written by the script
                if os.readlink(name, dir_fd=folder) == target:
                    os.unlink(name, dir_fd=folder)


def remove_empty(path: str, below: str) -> None:
    """Remove a folder if it is empty."""
    with contextlib.suppress(OSError), files.in_folder(os.path.dirname(path), below=below) as folder:
        os.rmdir(os.path.basename(path), dir_fd=folder)


def remove_members(path: str, below: str) -> None:
    """Remove the files of the members of a task. A member that starts later finds no folder, and does not begin."""
    with contextlib.suppress(OSError), files.in_folder(path, below=below) as folder:
        for name in filter(_MEMBER.fullmatch, os.listdir(folder)):
            os.unlink(name, dir_fd=folder)
    remove_empty(path, below)


def is_latest(attempt_dir: str, below: str) -> bool:
    """Return True if no later attempt has begun, which would use the same folders."""
    numbers = []
    with contextlib.suppress(OSError), files.in_folder(os.path.dirname(attempt_dir), below=below) as folder:
        numbers = [int(name) for name in os.listdir(folder) if name.isdecimal()]
    return max(numbers, default=0) == int(os.path.basename(attempt_dir))
