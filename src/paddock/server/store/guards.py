"""Replace what a database cannot store, so that one odd value does not block all that follows."""

import json
import math
import re
from typing import Any

import sqlalchemy as sa

# NUL characters and lone surrogates, as JSON writes them. Pairs of surrogates match, too, and stay as they are.
_ODD = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")

_encode = json.JSONEncoder(allow_nan=False).encode


def text(value: str) -> str:
    """Return text without NUL characters and lone surrogates."""
    if value.isascii() and "\0" not in value:
        return value
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def dumps(value: Any) -> str:
    """Return JSON that PostgreSQL accepts, too. Numbers that JSON lacks become words that `float` understands."""
    try:
        made = _encode(value)
    except ValueError:
        return _encode(_plain(value))
    return _encode(_plain(value)) if _ODD.search(made) else made


def loads(made: str) -> Any:
    """Return what `dumps` was given. Most columns are null or an empty list, so these are not parsed."""
    if made == "null":
        return None
    return [] if made == "[]" else json.loads(made)


def _plain(value: Any) -> Any:
    match value:
        case str():
            return text(value)
        case float() if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case dict():
            return {_plain(name): _plain(one) for name, one in value.items()}
        case list() | tuple():
            return [_plain(one) for one in value]
    return value


def install(engine: sa.Engine) -> None:
    """Pass every text parameter of every statement through `text`."""
    sa.event.listen(engine, "before_cursor_execute", _before, retval=True)


def _before(_c: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> tuple[str, Any]:
    return statement, [_row(one) for one in parameters] if many else _row(parameters)


def _row(given: Any) -> Any:
    """Return the parameters of one row, and the same object if there is nothing to change, as nearly always."""
    for one in given.values() if isinstance(given, dict) else given:  # a plain loop, as it runs for every row written
        if type(one) is str and not (one.isascii() and "\0" not in one):
            break
    else:
        return given
    if isinstance(given, dict):
        return {name: text(one) if isinstance(one, str) else one for name, one in given.items()}
    return tuple(text(one) if isinstance(one, str) else one for one in given)
