"""Access rules, and the people whom they are about."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from paddock.errors import Conflict, NotFound
from paddock.models import Role
from paddock.models.access import AccessRule, AccessRuleRequest
from paddock.models.events import CalendarChanged
from paddock.rules.access import AccessPerson, in_words
from paddock.server.store import devices, events, team
from paddock.server.store.kept import fetch_kept
from paddock.server.store.rows import moment
from paddock.server.store.tables import members, rules, users

MOST = 500
_SERVER = "server"  # who has the server's own token, and no account

_RULES = sa.select(rules.c.id, rules.c.name, rules.c.data, rules.c.active, rules.c.by, rules.c.changed_at).order_by(
    rules.c.name, rules.c.id
)
_ROLES = sa.select(users.c.name, users.c.role)
_MEMBERS = sa.select(members.c.group + "/" + members.c.user, members.c.group, members.c.user)


def listed(c: sa.Connection) -> list[AccessRule]:
    """Return all rules by name, without their sentences. Kept in memory: any round may ask."""
    return fetch_kept(c, _rule, _RULES)


def worded(c: sa.Connection) -> list[AccessRule]:
    """Return all rules by name with their sentences, which have the names of devices."""
    found = listed(c)
    named = devices.by_ids(c, {id for one in found for id in one.what.devices})
    names = {id: one.name for id, one in named.items()}
    return [one.model_copy(update={"sentence": in_words(one, names)}) for one in found]


def _rule(id: str, name: str, data: dict[str, Any], active: bool, by: str, changed_at: float) -> AccessRule:
    about = {"id": id, "name": name, "active": active, "by": by, "changed_at": moment(changed_at)}
    return AccessRule.model_validate(data | about)


def get(c: sa.Connection, id: str) -> AccessRule:
    """Return a rule with its sentence; raise NotFound if there is none with this id."""
    for one in worded(c):
        if one.id == id:
            return one
    raise NotFound(f"There is no rule {id!r}: `paddock rules ls` lists those that exist.")


def add(c: sa.Connection, what: AccessRuleRequest, by: str, now: float) -> str:
    """Store a new rule and return its id. Raise Conflict if there are too many."""
    if (c.scalar(sa.select(sa.func.count()).select_from(rules)) or 0) >= MOST:
        raise Conflict(f"There are {MOST} rules already: remove one first.")
    id = secrets.token_hex(4)
    c.execute(sa.insert(rules).values(id=id, **_values(what, by, now)))
    _announce(c)
    return id


def change(c: sa.Connection, id: str, what: AccessRuleRequest, by: str, now: float) -> None:
    """Replace a rule; raise NotFound if there is none with this id."""
    get(c, id)
    c.execute(sa.update(rules).where(rules.c.id == id).values(**_values(what, by, now)))
    _announce(c)


def remove(c: sa.Connection, id: str) -> None:
    """Delete a rule; raise NotFound if there is none with this id."""
    get(c, id)
    c.execute(sa.delete(rules).where(rules.c.id == id))
    _announce(c)


def _values(what: AccessRuleRequest, by: str, now: float) -> dict[str, Any]:
    data = what.model_dump(mode="json", exclude={"name", "active"}, exclude_defaults=True)
    return {"name": what.name, "data": data, "active": what.active, "by": by, "changed_at": now}


def _announce(c: sa.Connection) -> None:
    events.write_for_all(c, CalendarChanged(what=["rules"]))


@dataclass(frozen=True)
class _Member:
    key: str
    group: str
    user: str


class People:
    """Everybody as rules and quotas know them. Somebody without an account is in no group."""

    def __init__(self, team: bool, known: Mapping[str, AccessPerson]) -> None:
        self._team, self._known = team, known

    def __getitem__(self, name: str) -> AccessPerson:
        """Return a person. While accounts are not in use, nobody is bound."""
        if not self._team or name == _SERVER:
            return AccessPerson(name, admin=True)
        return self._known.get(name) or AccessPerson(name)


def people(c: sa.Connection) -> People:
    """Return everybody, with groups and roles as they are now. Kept in memory: any round may ask."""
    of: dict[str, set[str]] = {}
    for one in fetch_kept(c, _Member, _MEMBERS):
        of.setdefault(one.user, set()).add(one.group)
    known = {
        name: AccessPerson(name, frozenset(of.get(name, ())), role == Role.ADMIN)
        for name, role in fetch_kept(c, lambda name, role: (name, role), _ROLES)
    }
    return People(team.is_on(c), known)
