"""Metrics in a line of text such as `Epoch 3/20 | loss: 0.12 | acc: 91.2%`, `iter 250: loss 2.43` or `{'loss': 0.5}`.

Conservative: a line counts only if it contains nothing but an epoch or step, names with numbers, durations, separators
and a few known words. A sentence that happens to contain a number is no metric, nor is a printed setting. Where a mean
follows in parentheses, as in `Loss 6.9 (7.0)`, the mean is taken: one batch shows little.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from . import names
from .axis import EPOCHS, STEPS, number
from .jsonl import flatten

# Megatron counts "nan iterations".
_NUMBER = r"[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|(?:[nN][aA][nN](?! iterations)|[iI]nf(?:inity)?|INF)\b)"
_CLOCK = r"\d+(?::\d\d)+(?:\.\d+)?"
_UNITS = (
    r"(?:us|µs|ms|s|[Ss]ecs?|seconds?|mins?|minutes?|m|h|hours?|days?|[KMG]i?B?"
    r"|\w{1,8}/(?:s|sec|step|it|iter|batch|epoch|sample))"
)
_END = r"(?=[\s,;|\]\[(){}'\"]|:?(?:\s|$)|\.(?:\s|$))"
_WORD = r"[A-Za-z_#][\w./@%-]{0,60}(?:'s|\([\w()]{0,20}\))?"
# All that counts as one item of a line. Its groups are unpacked in `_Reader.read`.
_ITEM = re.compile(
    r"[\s,;|\[\](){}•·–—━─'\">:-]*(?:"
    r"(%(word)s(?: +(?:%(word)s|\([\w ]{1,20}\))){0,4}?)(['\"]?\s*[:=]\s*|\s+|(?=\[))(['\"\[]{0,2})\s*"
    r"(?:%(clock)s|(%(number)s)(?:\s*(?:/|of)\s*(%(number)s)(?:/\d+)?)?"
    r"(?:(\s?%%)|(\s?%(units)s(?![\w/])|[A-Za-zµ]{1,7}(?:/[A-Za-z]+)?(?!\w)))?"
    r"(?:\s*(?:±|\+/?-)\s*%(number)s)?(?:\s*\(\s*(%(number)s)\s*(%%)?\s*\))?)%(end)s"
    r"|([A-Za-z_][\w.]*=[^\s,;=]+)"
    r"|(\d+)\s*/\s*(\d+)(?:\s*\(\s*\d+(?:\.\d+)?\s*%%\s*\))?(\s?%(units)s)?%(end)s"
    r"|(?:%(clock)s(?:/%(clock)s)?|\d+(?:\.\d+)?\s?(?:%%|%(units)s|/s)|[-+]\d+\.\d+z)%(end)s"
    r"|([A-Za-z][\w./-]*))" % {"word": _WORD, "clock": _CLOCK, "number": _NUMBER, "units": _UNITS, "end": _END}
)
_REST = re.compile(r"[\s,;|\[\](){}•·–—━─'\">:.*-]*$")
_LEADS = frozenset("[0123456789TtVvEe")
_LEAD = re.compile(  # [1,  2000] of the CIFAR tutorial, [3/25][10/1583], [10] of XGBoost, 10: of CatBoost
    r"\[\s*(\d+)\s*,\s*(\d+)\s*\](?=\s)|\[(\d+)/(\d+)\]\s*\[(\d+)/(\d+)\]|\[(\d+)\](?=\s)|(\d+):(?=\s)"
)
_PHASE_EPOCH = re.compile(
    r"(train|test|val|valid|eval)\w*\s*:?\s+(\d+)(?:/(\d+))?(?:\s*\(\s*\d+%\s*\))?\s*(?=\[)", re.IGNORECASE
)
_AT = re.compile(
    r"(?P<name>[A-Za-z_][\w .-]{0,40}?)\s*(?:\([^()]{1,40}\)\s*)?\b(?:at|after|over|for|in)\s+"
    r"(?P<kind>epoch|step|iteration|iter|batch)\s*(?P<at>\d+)?\s*[:=]\s*(?P<number>%s)$" % _NUMBER,
    re.IGNORECASE,
)
_SCALAR = re.compile(r"(?:np\.\w+|numpy\.\w+|tensor|array)\(\s*(%s)[^()]{0,60}\)" % _NUMBER)
_PYTHON = re.compile(r"\b(nan|inf|True|False|None)\b")
_JSON = {"nan": "NaN", "inf": "Infinity", "True": "true", "False": "false", "None": "null"}

_TIME = r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?:Z|\s?[+-]\d\d:?\d\d)?"
_DATE = r"(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/]\d\d(?:[-/]\d{4})?)"
_LEVEL = r"(?:TRACE|DEBUG|INFO|SUCCESS|NOTICE|WARN(?:ING)?)"
_PREFIX = re.compile(  # what the logging module and similar ones put before a message
    r"(?:\[[^\[\]]{0,40}?%(time)s[^\[\]]{0,60}\]|[(<]?(?:%(date)s[ T_,-]\s?)?%(time)s[)>]?"
    r"|%(level)s:[\w.]+:|[\[(<]?%(level)s(?:\|[\w.]+:\d+)?[\])>]?(?!\w)|[IWEF]\d{4} %(time)s\s+\d+ [\w./-]+:\d+\]"
    r"|\[[Rr]ank ?:?\d+\]|\[default\d+\]|\((?:[\w.]+ )?pid=\d+[^()]{0,40}\))[\s:|>-]*"
    % {"time": _TIME, "date": _DATE, "level": _LEVEL}
)
_FILE = re.compile(r"\[?[\w./-]{1,60}\.py:\d+(?::\w+)?\]?[\s:|>-]*")
_LOGGER = re.compile(r"(?:\[([A-Za-z_][\w.]*)\]|([\w.<>]+)(?::[\w.<>]+)*\s*(?:[|:-]|>>)(?=\s))[\s:|>-]*(?![\s\d.+-])")
_BAR = re.compile(
    r"(?P<before>.*?)(?:\d+%\|[^|]*\|)\s*(?P<n>\d+)/(?P<m>\d+) \[[^,\]]*(?:,\s*[^,\]]*(?:, (?P<after>.*))?)?\]?$"
)
BAR = re.compile(rb"\d%\|")


class LineValues(NamedTuple):
    """What a line contains; `epoch` and `step` if it has them."""

    values: dict[str, float]
    epoch: float | None = None
    step: float | None = None
    total: int | None = None  # epochs in all
    of: int | None = None  # steps per epoch, if the line counts them as in 10/500
    phase: str = ""
    progress: bool = False  # the step is the progress within the phase, such as of a test set
    heading: bool = False  # nothing but a phase


def parse(line: str) -> LineValues | None:
    text = _without_prefix(line.strip())
    if "%|" in text:
        return _bar(text)
    if text[:1] == "{" and text[-1:] == "}":  # a printed dict, as by the Hugging Face Trainer
        found = _object(text)
        if found:
            return _row(found)
    return _Reader().read(text) or _at(text)


def _without_prefix(text: str) -> str:
    logged = False
    for _ in range(6):  # time, level, name and place, in any order
        found = _PREFIX.match(text) or (_FILE.match(text) if ".py:" in text else None)
        if found:
            logged = True
        elif logged:
            found = _LOGGER.match(text)
            if found and names.phase_of(found[1] or found[2]):
                break
        if not found:
            break
        text = text[found.end() :]
    return text.lstrip("=-*#> \t")


def _bar(text: str) -> LineValues | None:
    """Read a progress bar of tqdm: the epoch and the phase stand before it, the metrics in most cases after it."""
    found = _BAR.match(text)
    if not found:
        return None
    before = found["before"].strip().rstrip(":")
    place = _Reader(strict=False)
    told = place.read(before)
    after = _Reader(strict=False)
    after.phase = after.carried = place.phase
    after.read(found["after"] or "")
    values = {**(told.values if told else {}), **after.kept()}
    step, of = int(found["n"]), int(found["m"])
    return LineValues(values, place.epoch, step, place.total, of, place.phase, True) if values else None


def _object(text: str) -> dict[str, Any] | None:
    if "(" in text:
        text = _SCALAR.sub(r"\1", text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            found = json.loads(_PYTHON.sub(lambda one: _JSON[one[1]], text.replace("'", '"')))
        except (ValueError, RecursionError):
            return None
    return found if isinstance(found, dict) else None


def _row(found: dict[str, Any]) -> LineValues | None:
    told = {name: number(value) for name, value in found.items() if isinstance(value, str)}
    row = flatten({**found, **{name: value for name, value in told.items() if value is not None}})
    folded = {name.lower(): value for name, value in row.items()}
    epoch = next((folded[name] for name in EPOCHS if name in folded), None)
    step = next((folded[name] for name in STEPS if name in folded), None)
    values = {name: value for name, value in row.items() if not names.is_reserved(name)}
    if epoch is None and step is None:
        values = {name: value for name, value in values.items() if not names.is_setting(name)}
        nested = any("/" in name for name in values)
        if not any(value % 1 for value in values.values()) or (nested and not any(map(names.is_result, values))):
            return None
    return LineValues(values, epoch, step) if values else None


def _at(text: str) -> LineValues | None:
    """Read `Loss at step 100: 0.25`."""
    found = _AT.match(text) if " step" in text or " epoch" in text or " iter" in text or " batch" in text else None
    if not found:
        return None
    name = names.classify(found["name"])
    if name.kind != names.METRIC or not name.known:
        return None
    values = {names.with_phase(name.phase, name.name): float(found["number"])}
    place = float(found["at"]) if found["at"] else None
    return LineValues(values, place, None) if found["kind"].lower() == "epoch" else LineValues(values, None, place)


class _Reader:
    """Reads one line item by item. Without `strict`, what is not understood is passed by, as in the text of a bar."""

    epoch: float | None = None
    step: float | None = None
    total: int | None = None
    of: int | None = None
    progress = False
    phase = ""  # the last one of the line
    carried = ""  # the one that holds for names without their own
    _first = ""  # a phase that is part of the first name, as in `train Loss: 0.5 Acc: 0.7`
    _mixed = False  # names have several phases
    _plain = True  # required of a line without an epoch or step
    _fraction = False

    def __init__(self, strict: bool = True) -> None:
        self.strict = strict
        self._values: dict[tuple[str, str], float] = {}  # by phase and name

    def read(self, text: str) -> LineValues | None:
        at = self._lead(text) if text[:1] in _LEADS else 0
        match, classify = _ITEM.match, names.classify
        while at < len(text):
            found = match(text, at)
            if not found:
                if _REST.match(text, at):
                    break
                if self.strict:
                    return None
                at += 1
                continue
            at = found.end()
            raw, op, opened, value, of, percent, unit, mean, share, extra, n, m, rate, word = found.groups()
            if raw is None:
                if not self._other(n, m, rate, word, extra):
                    return None
                continue
            name = classify(raw)
            bare = ":" not in op and "=" not in op
            if name.kind == names.METRIC:
                if "[" in opened and of and names.phase_of(raw):  # Test: [10/196]
                    self._enter(names.phase_of(raw))
                    self.step, self.of, self.progress = float(value), int(float(of)), True
                elif value is None or unit:
                    if bare and self.strict and not name.known and not all(map(names.is_filler, raw.split())):
                        return None
                elif bare and self.strict and not name.known and not name.setting:
                    return None
                else:
                    digits = value.isdigit()
                    # host:80 is an address, and a line of whole numbers is a count.
                    self._plain = self._plain and name.plain and ("=" in op or op[-1:] == " " or not digits)
                    self._fraction = self._fraction or not digits or percent is not None or share is not None
                    self._keep(name, _value(value, of, mean, share) if of or mean else float(value))
            elif name.kind == names.DROP:
                self._plain = self._plain and name.plain
            elif name.kind == names.BAD:
                if self.strict:
                    return None
            elif value is not None and not unit and not self._count(name, value, of):
                return None
        return self._result()

    def _lead(self, text: str) -> int:
        lead = _LEAD.match(text)
        if lead:
            a, b, c, d, e, f, g, h = lead.groups()
            self.epoch = float(a or c) if a or c else None
            self.step = float(b or e or g or h)
            self.total, self.of = int(d) if d else None, int(f) if f else None
            return lead.end()
        lead = _PHASE_EPOCH.match(text)
        if lead:
            self._enter(names.phase_of(lead[1]))
            self.epoch, self.total = float(lead[2]), int(lead[3]) if lead[3] else None
        return lead.end() if lead else 0

    def _other(self, n: str | None, m: str | None, rate: str | None, word: str | None, extra: str | None) -> bool:
        """Take an item without a name and number. Returns False if it makes the line prose."""
        if word is not None:
            phase = names.phase_of(word)
            if phase:
                self._enter(phase)
            return bool(phase) or not self.strict or names.is_filler(word)
        if n is not None and m is not None and self.step is None and not rate:
            self.step, self.of, self.progress = float(n), int(m), True
        self._plain = self._plain and extra is None
        return True

    def _count(self, name: names.Name, value: str, of: str | None) -> bool:
        at = float(value)
        if not 0 <= at < float("inf"):
            return False
        if name.phase:
            self._enter(name.phase)
        total = int(of) if of and of.isdigit() and len(of) < 10 else None
        if name.kind == names.EPOCH:
            self.epoch, self.total = at, total or self.total
        else:
            self.step, self.of, self.progress = at, total, bool(total and name.phase)
        return True

    def _enter(self, phase: str) -> None:
        self.phase = self.carried = phase

    def _keep(self, name: names.Name, value: float) -> None:
        phase = name.phase
        if phase:
            self._mixed = self._mixed or bool(self.phase and self.phase != phase)
            if not self._values and self.epoch is None and self.step is None:
                self._first = phase
            self.phase = phase
        key = phase or self.carried, name.name
        self._values[(key[0], name.full) if key in self._values else key] = value

    def kept(self) -> dict[str, float]:
        first = "" if self._mixed else self._first
        return {
            names.with_phase(phase or first, name) if phase or first else name: value
            for (phase, name), value in self._values.items()
        }

    def _result(self) -> LineValues | None:
        values = self.kept()
        if self.epoch is None and self.step is None:
            values = {name: value for name, value in values.items() if not names.is_setting(name)}
            if not values:
                heading = bool(self.phase) and not self._values
                return LineValues({}, phase=self.phase, heading=True) if heading and self.strict else None
            if self.strict and not (self._plain and self._fraction):
                return None
        return LineValues(values, self.epoch, self.step, self.total, self.of, self.phase, self.progress)


def _value(text: str, of: str | None, mean: str | None, share: str | None) -> float:
    """Return 98.32 for `9832/10000 (98%)`, and the mean of `6.9 (7.0)`; the 10 of `0.69 (10)` is none."""
    if of and of.isdigit() and text.isdigit() and int(of):
        return int(text) / int(of) * (100 if share else 1)
    if mean and not share and (text.isdigit() or not mean.isdigit()):
        return float(mean)
    return float(text)
