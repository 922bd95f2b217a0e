"""Claims on the side of the server: withdraw an attempt, or find out which runner has it."""

from __future__ import annotations

import os
import stat
from typing import Dict, Iterable, Optional

from . import layout

MAX_KEY = 200


def withdraw_in(claims: int, name: str) -> bool:
    """Withdraw one attempt in an open folder of claims. Return False if a runner has it."""
    try:
        os.symlink(layout.WITHDRAWN, name, dir_fd=claims)
    except FileExistsError:  # the engine's, from before a crash; or a runner's
        return stat.S_ISLNK(os.stat(name, dir_fd=claims, follow_symlinks=False).st_mode)
    return True


def held_in(claims: int, names: Iterable[str]) -> Dict[str, Optional[str]]:
    """Return those of these claims that runners have taken, each with its allocation, if the claim names it."""
    wanted = set(names)
    with os.scandir(claims) as entries:
        taken = [entry.name for entry in entries if entry.name in wanted and not entry.is_symlink()]
    return {name: _holder(claims, name) for name in taken}


def _holder(claims: int, name: str) -> Optional[str]:
    """Return the allocation that a claim names. Folders of older runners and interrupted claims name none."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=claims)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return os.read(descriptor, MAX_KEY).decode(errors="replace").strip() or None
    finally:
        os.close(descriptor)
