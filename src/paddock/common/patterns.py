"""Patterns by which people mark metrics in a log: regular expressions with named groups.

A group is a metric of that name, except `epoch` and `step`, which place the value; `name` and `value` together give a
metric whose name is in the line. The longest line that is searched has MAX_LINE characters.
"""

from __future__ import annotations

import re
from typing import Pattern

MAX_LINE = 1000
MAX_PATTERN = 500
PLACES = ("epoch", "step")
NO_METRIC = "No metric was found, but the log contains numbers: select one in the log to make it a metric"


def compiled(pattern: str) -> Pattern[str]:
    """Return the pattern, compiled. Raises ValueError with what is wrong with it."""
    if len(pattern) > MAX_PATTERN:
        raise ValueError("a pattern has up to %d characters" % MAX_PATTERN)
    try:
        found = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError("this is no regular expression: %s" % error) from None
    groups = set(found.groupindex)
    if not groups - set(PLACES):
        raise ValueError("name the number with a group, as in loss is (?P<loss>\\S+)")
    if ("name" in groups) != ("value" in groups):
        raise ValueError("give both groups, name and value, or neither")
    return found


def for_number(line: str, start: int, end: int, name: str) -> str:
    """Return a pattern for the number in line[start:end], which finds it in lines that differ only in their numbers."""
    number = r"[-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|nan|inf)"
    before = _general(line[max(0, start - 60) : start], start > 60)
    after = re.match(r"\s*[^\s\d]{0,12}", line[end:])
    ending = re.escape(after[0].rstrip()) if after and after[0].strip() else ""
    return "%s(?P<%s>%s)%s" % (before, name, number, _spaces(ending) or r"(?![\w.])")


def _general(text: str, cut: bool) -> str:
    """Return a pattern for the text before a number: other numbers there may differ, an epoch or step is a place."""
    text = text.lstrip() if not cut else text[text.find(" ") + 1 :]
    parts: list[str] = []
    seen: set[str] = set()
    last = 0
    for found in re.finditer(r"[-+]?\d+(?:[.,:/-]\d+)*", text):
        parts.append(_spaces(re.escape(text[last : found.start()])))
        word = re.search(r"(epoch|step|iter(?:ation)?)\W{0,3}$", text[: found.start()], re.IGNORECASE)
        place = "" if word is None else "epoch" if word[1].lower() == "epoch" else "step"
        if place and place not in seen and found[0].isdigit():
            seen.add(place)
            parts.append(r"(?P<%s>\d+)" % place)
        else:
            parts.append(r"[-+\d.,:/eE]+")
        last = found.end()
    return "".join(parts) + _spaces(re.escape(text[last:]))


def _spaces(escaped: str) -> str:
    return re.sub(r"(?:\\?[ \t])+", r"\\s+", escaped)
