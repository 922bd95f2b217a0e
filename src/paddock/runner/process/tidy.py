"""Removes what is of no more use when an attempt has ended: sites limit how many files a person may have.

Only what Paddock has made, and folders that are empty; the next attempt makes them again. Whatever the task has put in
place of a folder, no link is followed, and nothing that it wrote is touched.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import Dict, Mapping

from ...common import files

_MEMBER = re.compile(r"over|\d+\.(?:json|usage|end)(?:\.tmp)?")  # see layout.py


def remove_links(work: str, links: Mapping[str, str], below: str) -> None:
    """Remove the links (path in the folder -> where it leads) that still lead there, and folders left empty."""
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
    try:
        folder = files.open_folder(path, below=below)
    except OSError:
        return
    try:
        for name, target in targets.items():
            with contextlib.suppress(OSError):  # not there, or no link: the script's own
                if os.readlink(name, dir_fd=folder) == target:
                    os.unlink(name, dir_fd=folder)
    finally:
        os.close(folder)


def remove_empty(path: str, below: str) -> None:
    """Remove a folder, if it is one and nothing is in it."""
    with contextlib.suppress(OSError):
        folder = files.open_folder(os.path.dirname(path), below=below)
        try:
            os.rmdir(os.path.basename(path), dir_fd=folder)
        finally:
            os.close(folder)


def remove_members(path: str, below: str) -> None:
    """Remove what the processes of a task told each other. One that comes later finds no folder, and does not begin."""
    with contextlib.suppress(OSError):
        folder = files.open_folder(path, below=below)
        try:
            for name in filter(_MEMBER.fullmatch, os.listdir(folder)):
                os.unlink(name, dir_fd=folder)
        finally:
            os.close(folder)
    remove_empty(path, below)


def is_latest(attempt_dir: str, below: str) -> bool:
    """Whether no later attempt has begun: what is left belongs to that."""
    try:
        folder = files.open_folder(os.path.dirname(attempt_dir), below=below)
    except OSError:
        return False
    try:
        numbers = [int(name) for name in os.listdir(folder) if name.isdecimal()]
    finally:
        os.close(folder)
    return max(numbers, default=0) == int(os.path.basename(attempt_dir))
