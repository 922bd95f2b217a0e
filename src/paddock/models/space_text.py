"""Read and write values and conditions in the short text form that `space.py` describes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue

    from paddock.models.space import Choices, Range

NAME = r"[A-Za-z_][A-Za-z0-9_.\-]{0,99}"
BLOCK_KEY = '"block"'
MAX_TEXT = 1_000_000
MAX_DIGITS = 1000
MAX_CONDITIONS = 50
# Every pattern here takes time in proportion to the text: no two parts of one can take the same characters.
INT = re.compile(r"[-+]?\d+")
FLOAT = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|[-+]?(inf|nan)")
_NUMERIC = re.compile(r"[-+\d.eE]+")
_WORDS: dict[str, JsonValue] = {"true": True, "false": False, "none": None, "null": None}
_IF = re.compile(rf"\s+if\s+({NAME})\s*==?")
_AND = re.compile(rf"\s+and\s+({NAME})\s*==?")
_BEFORE_IF = re.compile(r"\s*([-+\d.eE]+)\s+if\b")
_NUMBER_BEGINS = re.compile(r"[-+]?\.?\d")


def range_of(text: str) -> tuple[str, str, str | None] | None:
    """Split `1..5:log` into its ends and what follows the colon; None if the text is not written like a range."""
    ends, colon, how = text.lstrip().partition(":")
    ends = ends if colon else ends.rstrip()
    more, _, high = ends[1:].partition("..")
    low = ends[:1] + more
    if ":" in how or not (_NUMERIC.fullmatch(low) and _NUMERIC.fullmatch(high)):
        return None
    return low, high, how if colon else None


def conditions(text: str) -> tuple[str, dict[str, list[JsonValue]]]:
    """Split `0..1 if a=1 and b=x,y` into `0..1` and {a: [1], b: [x, y]}."""
    if len(text) > MAX_TEXT:
        raise ValueError(f"its text has {len(text):,} characters, more than {MAX_TEXT:,}: give fewer values or a range")
    found = _found(_IF, text)
    if found is None:
        if _half(text):
            raise ValueError("after `if` comes a condition, NAME=VALUE: for example 0.5..0.99 if optimizer=sgd")
        return text, {}
    base = text[: found.start()]
    when: dict[str, list[JsonValue]] = {}
    while found is not None:
        name, rest = found[1], found.string[found.end() :]
        found = _found(_AND, rest)
        values = rest[: found.start()] if found else rest
        if name in when:
            raise ValueError(f"there are two conditions on {name}: write its values with commas, {name}=x,y")
        if len(when) == MAX_CONDITIONS:
            raise ValueError(f"there are more than {MAX_CONDITIONS} conditions")
        if not values.strip():
            raise ValueError(f"there is no value after {name}=")
        when[name] = [scalar(part.strip()) for part in split(values)]
    return base, when


def _found(mark: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Find an `if`, only where white space begins."""
    places = (at for at in _free(text) if text[at].isspace() and not text[at - 1 : at].isspace())
    return next((found for at in places if (found := mark.match(text, at))), None)


def _half(text: str) -> bool:
    """Return True for a range followed by an `if` without a condition."""
    found = _BEFORE_IF.match(text)
    begins = _NUMBER_BEGINS.match(found[1]) if found else None
    return bool(found and begins and found[1][begins.end() :].partition("..")[2])


def text_of_conditions(when: Mapping[str, list[JsonValue]]) -> str:
    one = (f"{name}={','.join(text_of_value(value, _AND) for value in values)}" for name, values in when.items())
    return f" if {' and '.join(one)}" if when else ""


def split(text: str) -> list[str]:
    """Split at commas that are in no quotes and no brackets."""
    ends = [at for at in _free(text) if text[at] == ","]
    parts = [text[begin:end] for begin, end in zip([0, *(at + 1 for at in ends)], [*ends, len(text)], strict=True)]
    if len(parts) > 1 and not parts[-1].strip():
        raise ValueError("there is a comma with nothing after it")
    if len(parts) > 1 and any(not part.strip() for part in parts):
        raise ValueError("there is a comma with nothing before it")
    return parts


def _free(text: str) -> Iterator[int]:
    """Yield the positions outside quotes and brackets; inside brackets, quotes are those of JSON."""
    depth, quote, escaped = 0, "", False
    before, first = "", ""  # in this part: the character before, and the first that is no space
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote and not escaped else quote
            escaped = char == "\\" and depth > 0 and not escaped
        elif char in "\"'" and (char == '"' if depth > 0 else not first or first == before == char):
            quote = char
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
        elif depth <= 0:
            yield at
            if char == ",":
                before = first = ""
                continue
        before, first = char, first or char.strip()


def scalar(text: str) -> JsonValue:
    word = text.strip()
    if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'":
        return word[1:-1].replace(word[0] * 2, word[0])
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    if INT.fullmatch(word):
        if len(word) > MAX_DIGITS:
            raise ValueError(
                f"a number has {len(word):,} digits, more than {MAX_DIGITS:,}: quote it to pass it as text"
            )
        return int(word)
    if FLOAT.fullmatch(word) and math.isfinite(float(word)):
        return float(word)
    if word[:1] in ("[", "{"):
        try:
            parsed: JsonValue = json.loads(word)
        except ValueError as error:
            raise ValueError(f"{shortened(word)!r} is not valid JSON ({error})") from None
        except RecursionError:
            raise ValueError("a value is nested too deeply") from None
        return parsed
    return text


def shortened(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[: most - 4]} ..."


def text_of_value(value: JsonValue, mark: re.Pattern[str] = _IF) -> str:
    if isinstance(value, str):
        plain = value and _split_safe(value) and scalar(value) == value and not _reads_as_more(value, mark)
        quote = "'" if '"' in value and "'" not in value else '"'
        return value if plain else f"{quote}{value.replace(quote, quote * 2)}{quote}"
    return json.dumps(value)


def text_of_range(space: Range) -> str:
    number = (lambda v: str(int(v))) if space.type == "int" else repr
    how = ":log" if space.log else "" if space.step is None else f":{number(space.step)}"
    return f"{number(space.low)}..{number(space.high)}{how}"


def text_of_choices(space: Choices) -> str:
    text = ",".join(text_of_value(value) for value in space.values)
    if len(space.values) == 1 and looks_like_block(space.values[0]):
        return text.replace(BLOCK_KEY, '"\\u0062lock"')  # the same JSON, but not read as a block
    return text


def looks_like_block(value: JsonValue) -> bool:
    return isinstance(value, dict) and isinstance(value.get("block"), dict)


def _split_safe(value: str) -> bool:
    return not any(char in value for char in ",\"'[]{}") and value == value.strip()


def _reads_as_more(value: str, mark: re.Pattern[str]) -> bool:
    """Return True if the text would be read as a range, a condition, or the second half of `==`."""
    return bool(range_of(value) or _half(value) or _found(mark, value)) or value.startswith("=")
