"""Claims on the engine's side: withdraws attempts, and finds out which runners have the others.

The engine ends no attempt that a runner could still take: it is withdrawn here first, whatever the reason for its end.
An attempt that a runner has taken in between is not ended, but waited for.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from paddock.common import files, layout
from paddock.paths import JobFolder

Identity = tuple[str, int]  # a task and the number of its attempt
MAX_KEY = 200


def withdraw(folder: JobFolder, attempts: Iterable[Identity]) -> set[Identity]:
    """Withdraw attempts. Returns those that no runner has or will have; runners have the others.

    To be called also for unpublished attempts: a server that was killed may have written their lines without knowing.
    """
    wanted = set(attempts)
    if not wanted or not folder.root.exists():
        return wanted  # without its folder nothing of a job can begin
    folder.claims.mkdir(exist_ok=True)
    with files.in_folder(str(folder.claims), below=str(folder.root)) as claims:
        return {one for one in wanted if _withdraw(claims, _name(one))}


def held(folder: JobFolder, attempts: Iterable[Identity]) -> dict[Identity, str | None]:
    """Return those of these attempts that runners have taken, each with its allocation, if the claim names it."""
    wanted = {_name(one): one for one in attempts}
    if not wanted or not folder.claims.exists():
        return {}
    with files.in_folder(str(folder.claims), below=str(folder.root)) as claims:
        taken = [entry.name for entry in os.scandir(claims) if entry.name in wanted and not entry.is_symlink()]
        return {wanted[name]: _holder(claims, name) for name in taken}


def _name(one: Identity) -> str:
    return Path(layout.claim("", *one)).name


def _withdraw(claims: int, name: str) -> bool:
    try:
        os.symlink(layout.WITHDRAWN, name, dir_fd=claims)
    except FileExistsError:  # the engine's, from before a crash; or a runner's
        return stat.S_ISLNK(os.stat(name, dir_fd=claims, follow_symlinks=False).st_mode)
    return True


def _holder(claims: int, name: str) -> str | None:
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
