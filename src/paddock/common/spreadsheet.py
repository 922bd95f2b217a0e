"""Cells of tables that people open in a spreadsheet."""

import json
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def cell(value: Any) -> Any:
    """Return a value that no spreadsheet executes as a formula, as it would with text that begins like one."""
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) and not _number(value) else value


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
