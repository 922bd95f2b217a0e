"""Claims on the engine's side: withdraws attempts, and finds out which runners have the others.

The engine ends no attempt that a runner could still take: it is withdrawn here first, whatever the reason for its end.
An attempt that a runner has taken in between is not ended, but waited for.
"""

from collections.abc import Iterable
from pathlib import Path

from paddock.common import claims, files, layout
from paddock.paths import JobFolder

Identity = tuple[str, int]  # a task and the number of its attempt


def withdraw(folder: JobFolder, attempts: Iterable[Identity]) -> set[Identity]:
    """Withdraw attempts. Returns those that no runner has or will have; runners have the others.

    To be called also for unpublished attempts: a server that was killed may have written their lines without knowing.
    """
    wanted = set(attempts)
    if not wanted or not folder.root.exists():
        return wanted  # without its folder nothing of a job can begin
    folder.claims.mkdir(exist_ok=True)
    with files.in_folder(str(folder.claims), below=str(folder.root)) as inside:
        return {one for one in wanted if claims.withdraw_in(inside, _name(one))}


def held(folder: JobFolder, attempts: Iterable[Identity]) -> dict[Identity, str | None]:
    """Return those of these attempts that runners have taken, each with its allocation, if the claim names it."""
    wanted = {_name(one): one for one in attempts}
    if not wanted or not folder.claims.exists():
        return {}
    with files.in_folder(str(folder.claims), below=str(folder.root)) as inside:
        return {wanted[name]: key for name, key in claims.held_in(inside, wanted).items()}


def _name(one: Identity) -> str:
    return Path(layout.claim("", *one)).name
