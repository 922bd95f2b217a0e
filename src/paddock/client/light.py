"""Answers without their models, for commands that have to be quick: pydantic and the models take 0.4 s to import."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from paddock.client.client import Client
from paddock.client.connection import Answer, misunderstood

# Fields with these names contain JSON objects that are no models. A test compares both with the models.
MAPPINGS = frozenset(
    {"params", "before", "after", "importance", "retries", "variables", "when", "measured", "config", "copies"}
)
MOMENTS = frozenset({"at", "since", "no_word_since", "quiet_after", "early", "likely", "late"})


def is_moment(name: str) -> bool:
    return name.endswith("_at") or name in MOMENTS


class View:
    """A JSON object with its fields as attributes, of the same types as in its model, except that enums are text.

    Nothing is checked. Other methods and the properties of the model are missing.
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._fields and name not in MAPPINGS:
            raise misunderstood(f"it contains no {name}")
        value = self._fields.get(name, {})
        if value is None or (name in MAPPINGS and isinstance(value, dict)):
            return value
        return datetime.fromisoformat(value) if is_moment(name) else viewed(value)

    def model_copy(self, *, update: dict[str, Any]) -> "View":
        return View(self._fields | update)

    @property
    def plain(self) -> dict[str, Any]:
        return self._fields


def viewed(value: Any) -> Any:
    if isinstance(value, dict):
        return View(value)
    return [viewed(one) for one in value] if isinstance(value, list) else value


class LightClient(Client):
    """A Client whose methods return a `View` wherever a model is announced. It cannot submit."""

    def _understood(self, kind: Callable[[], type[Answer]], content: bytes) -> Answer:
        try:
            found: Answer = viewed(json.loads(content))
        except (ValueError, RecursionError) as error:
            raise misunderstood(str(error)) from None
        return found
