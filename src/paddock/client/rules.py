"""Access rules and quotas, for the SDK: `Client().rules.all()`. Changing them is for admins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from paddock import models
from paddock.client.connection import Connection, understood

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.client.calendar import Moment


class RuleCalls:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _call(self, method: str, path: str, body: models.Model | None = None, **params: Any) -> bytes:
        given = {name: value for name, value in params.items() if value not in (None, [])}
        sent = body.model_dump(mode="json") if body is not None else None
        return self._connection.request(method, path, body=sent, params=given).content

    def all(self) -> list[models.AccessRule]:
        """Return all rules; who is no admin gets those that are about them."""
        return understood(list[models.AccessRule], self._call("GET", "/rules"))

    def add(self, rule: models.AccessRuleRequest) -> models.AccessRule:
        return understood(models.AccessRule, self._call("POST", "/rules", rule))

    def replace(self, id: str, rule: models.AccessRuleRequest) -> models.AccessRule:
        return understood(models.AccessRule, self._call("PUT", _path("rules", id), rule))

    def remove(self, id: str) -> None:
        self._call("DELETE", _path("rules", id))

    def judged(
        self, device: str, act: str = "reserve", *, at: Moment | None = None, account: str | None = None
    ) -> list[models.AccessTrial]:
        """Return who may use a device (by id) at a moment, and why: everybody, or this account."""
        found = self._call("GET", "/rules/try", device=device, act=act, at=_text(at), account=account)
        return understood(list[models.AccessTrial], found)

    def hours(
        self,
        devices: Iterable[str] = (),
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        act: str = "reserve",
    ) -> list[models.AllowedHours]:
        """Return when you may use devices (by id; all of them when none is named)."""
        asked = list(devices)
        found = self._call("GET", "/rules/hours", device=asked, act=act, since=_text(since), until=_text(until))
        return understood(list[models.AllowedHours], found)

    def quotas(self) -> list[models.Quota]:
        """Return all quotas; who is no admin gets those that are about them."""
        return understood(list[models.Quota], self._call("GET", "/quotas"))

    def set_quota(self, quota: models.QuotaRequest) -> models.Quota:
        """Set a quota in place of the one for the same people."""
        return understood(models.Quota, self._call("PUT", "/quotas", quota))

    def remove_quota(self, id: str) -> None:
        self._call("DELETE", _path("quotas", id))

    def left(self, at: Moment | None = None) -> list[models.QuotaUse]:
        """Return what you have used of each limit; `at`: a moment of the week that counts."""
        return understood(list[models.QuotaUse], self._call("GET", "/me/quota", at=_text(at)))


def _path(kind: str, id: str) -> str:
    return f"/{kind}/{quote(id, safe='')}"


def _text(at: Moment | None) -> str | None:
    return at if at is None or isinstance(at, str) else at.isoformat()
