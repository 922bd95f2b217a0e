"""Copies of files of the snapshot in which values are changed, for scripts whose parameters are in files.

A line of tasks.jsonl contains them as `{"train.py": {"size": 812, "put": [[40, 43, "0.1"]]}}`: the size of the file in
the snapshot, and texts in place of the bytes from the first number up to the second.
"""

from __future__ import annotations

import contextlib
import os
from typing import Any, Dict, Iterable

from ...common import files, layout
from . import tidy

MAX_BYTES = 4 * 1024 * 1024
_CODE_LINK = os.path.join("..", "..", "..", "..", layout.CODE)


def link_to(name: str) -> str:
    """Return where the link to a file of the snapshot leads."""
    return os.path.join(*[".."] * name.count(os.sep), _CODE_LINK, name)


def copies(wanted: Any, job_dir: str) -> Dict[str, bytes]:
    """Return the copies by their paths in the working folder. Raises OSError if one cannot be made."""
    made = {}
    for name, edit in (wanted or {}).items():
        if os.path.isabs(name) or ".." in name.split("/"):
            raise OSError("%s is not a path inside the job's folder" % name)
        data = files.read_plain(os.path.join(job_dir, layout.CODE, name), MAX_BYTES, below=job_dir)
        if not isinstance(edit, dict) or len(data) != edit.get("size"):
            raise OSError("%s in the job's snapshot has been changed: submit the job again" % name)
        for start, end, text in sorted(edit.get("put") or [], reverse=True):
            data = data[:start] + text.encode() + data[end:]
        made[name] = data
    return made


def without(links: Dict[str, str], names: Iterable[str], job_dir: str) -> Dict[str, str]:
    """Return the links that stay beside these copies: a folder that contains one is linked by its entries instead."""
    left = dict(links)
    for name in names:
        for folder in (name[:at] for at, sign in enumerate(name) if sign == "/"):
            if left.pop(folder, None) is not None:
                for entry in os.listdir(os.path.join(job_dir, layout.CODE, folder)):
                    inner = os.path.join(folder, entry)
                    left[inner] = link_to(inner)
    for name in names:
        left.pop(name, None)
    return left


def write(work: str, made: Dict[str, bytes], below: str) -> None:
    for name, data in made.items():
        path = os.path.join(work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.write_plain(path, data, below=below)


def remove(work: str, made: Dict[str, bytes], below: str) -> None:
    """Remove copies that are still as they were made, and folders left empty; what a script has written stays."""
    for name, data in made.items():
        path = os.path.join(work, name)
        with contextlib.suppress(OSError):
            if files.read_plain(path, len(data) + 1, below=below) == data:
                with files.in_folder(os.path.dirname(path), below=below) as folder:
                    os.unlink(os.path.basename(path), dir_fd=folder)
        while os.path.dirname(path) != work:
            path = os.path.dirname(path)
            tidy.remove_empty(path, below)
