"""Groups of accounts. Those of a directory have the members that it named when they last signed in."""

from collections import defaultdict

import sqlalchemy as sa

from paddock.errors import Conflict, NotFound
from paddock.models import AccountGroup
from paddock.server.store.tables import groups, members, users

LOCAL = "local"
MOST = 2_000


def listed(c: sa.Connection) -> list[AccountGroup]:
    """Return all groups by name, with their members."""
    of: dict[str, list[str]] = defaultdict(list)
    for row in c.execute(sa.select(members.c.group, members.c.user).order_by(members.c.user)):
        of[row.group].append(row.user)
    return [
        AccountGroup(**row._mapping, members=of[row.name])
        for row in c.execute(sa.select(groups).order_by(groups.c.name))
    ]


def get(c: sa.Connection, name: str) -> AccountGroup:
    for one in listed(c):
        if one.name == name:
            return one
    raise NotFound(f"There is no group {name!r}: `paddock groups ls` lists those that exist.")


def by_user(c: sa.Connection) -> dict[str, list[str]]:
    """Return the names of each account's groups."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in c.execute(sa.select(members.c.user, members.c.group).order_by(members.c.group)):
        found[row.user].append(row.group)
    return found


def add(c: sa.Connection, name: str, now: float, description: str = "", source: str = LOCAL) -> None:
    """Add a group; raise Conflict if there is one of this name."""
    if c.scalar(sa.select(groups.c.name).where(groups.c.name == name)) is not None:
        raise Conflict(f"There is a group {name!r} already.")
    if (c.scalar(sa.select(sa.func.count()).select_from(groups)) or 0) >= MOST:
        raise Conflict(f"There are {MOST} groups already: remove one first.")
    c.execute(sa.insert(groups).values(name=name, description=description, source=source, created_at=now))


def describe(c: sa.Connection, name: str, description: str) -> None:
    c.execute(sa.update(groups).where(groups.c.name == name).values(description=description))


def remove(c: sa.Connection, name: str) -> None:
    c.execute(sa.delete(members).where(members.c.group == name))
    c.execute(sa.delete(groups).where(groups.c.name == name))


def set_members(c: sa.Connection, name: str, wanted: list[str]) -> None:
    """Give a group these members; raise NotFound for names without an account."""
    known = set(c.scalars(sa.select(users.c.name).where(users.c.name.in_(wanted))))
    for one in wanted:
        if one not in known:
            raise NotFound(f"There is no account {one!r}: `paddock users ls` lists those that exist.")
    c.execute(sa.delete(members).where(members.c.group == name))
    _insert(c, [(name, user) for user in dict.fromkeys(wanted)], LOCAL)


def set_of_user(c: sa.Connection, user: str, wanted: list[str]) -> None:
    """Make an account a member of these groups. Those that a directory put it in stay.

    Raise NotFound for groups that do not exist, Conflict for those whose members come from a directory.
    """
    sources = {row.name: row.source for row in c.execute(sa.select(groups.c.name, groups.c.source))}
    c.execute(sa.delete(members).where(members.c.user == user, members.c.source == LOCAL))
    mirrored = set(c.scalars(sa.select(members.c.group).where(members.c.user == user)))
    for one in wanted:
        if one not in sources:
            raise NotFound(f"There is no group {one!r}: `paddock groups ls` lists those that exist.")
        if sources[one] != LOCAL and one not in mirrored:
            raise Conflict(f"The members of {one!r} come from {sources[one]}: change them there.")
    _insert(c, [(group, user) for group in dict.fromkeys(wanted) if group not in mirrored], LOCAL)


def join(c: sa.Connection, user: str, wanted: list[str]) -> None:
    """Make an account a member of those of these groups that exist, besides those that it is in."""
    known = set(c.scalars(sa.select(groups.c.name).where(groups.c.name.in_(wanted))))
    known -= set(c.scalars(sa.select(members.c.group).where(members.c.user == user)))
    _insert(c, [(group, user) for group in sorted(known)], LOCAL)


def mirror(c: sa.Connection, user: str, source: str, wanted: tuple[str, ...], now: float) -> None:
    """Make an account a member of the groups that a directory named, and of no other that came from there.

    Groups that were made here under the same name stay as they are: a directory gives nobody what an admin gives.
    """
    sources = {row.name: row.source for row in c.execute(sa.select(groups.c.name, groups.c.source))}
    goal = {one for one in wanted if sources.get(one, source) == source}
    new = sorted(goal - sources.keys())
    goal -= set(new[max(0, MOST - len(sources)) :])  # too many groups keep nobody from signing in
    mirrored = sa.and_(members.c.user == user, members.c.source == source)
    before = set(c.scalars(sa.select(members.c.group).where(mirrored)))
    if goal == before:
        return
    for one in sorted(goal - sources.keys()):
        add(c, one, now, source=source)
    c.execute(sa.delete(members).where(mirrored, members.c.group.not_in(goal)))
    there = set(c.scalars(sa.select(members.c.group).where(members.c.user == user)))
    _insert(c, [(group, user) for group in sorted(goal - there)], source)


def _insert(c: sa.Connection, pairs: list[tuple[str, str]], source: str) -> None:
    if pairs:
        c.execute(sa.insert(members), [{"group": group, "user": user, "source": source} for group, user in pairs])
