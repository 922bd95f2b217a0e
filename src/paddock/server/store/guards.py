"""What no database can hold, made such that every one can: so that one odd value does not stop all that follows."""

import json
import math
import re
from typing import Any

import sqlalchemy as sa

# Zero characters and halves of pairs, as JSON writes them; whole pairs are found as well, and stay as they are.
_ODD = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")

_encode = json.JSONEncoder(allow_nan=False).encode


def text(value: str) -> str:
    """Without zero characters and halves of surrogate pairs."""
    if value.isascii() and "\0" not in value:
        return value
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def dumps(value: Any) -> str:
    """JSON that PostgreSQL takes, too. Numbers that JSON does not have become words: `float` understands them."""
    try:
        made = _encode(value)
    except ValueError:
        return _encode(_plain(value))
    return _encode(_plain(value)) if _ODD.search(made) else made


def loads(made: str) -> Any:
    """What `dumps` made. By far most columns hold nothing, or an empty list."""
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
    """Every text that a statement carries goes through `text`."""
    sa.event.listen(engine, "before_cursor_execute", _before, retval=True)


def _before(_c: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> tuple[str, Any]:
    return statement, [_row(one) for one in parameters] if many else _row(parameters)


def _row(given: Any) -> Any:
    """A row of values, by place or by name; the same object when there is nothing to change, as nearly always."""
    for one in given.values() if isinstance(given, dict) else given:  # a plain loop: it looks at every row written
        if type(one) is str and not (one.isascii() and "\0" not in one):
            break
    else:
        return given
    if isinstance(given, dict):
        return {name: text(one) if isinstance(one, str) else one for name, one in given.items()}
    return tuple(text(one) if isinstance(one, str) else one for one in given)
