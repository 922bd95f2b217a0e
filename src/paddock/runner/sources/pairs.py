"""Metrics in a line of text such as `Epoch 3/20 | loss: 0.12 | acc: 91.2%`.

Conservative: a line counts only if it contains nothing but an epoch or step, `name: number` pairs, durations and
separators. A sentence that happens to contain a number is no metric, nor is a printed setting.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_END = r"(?=[\s,;|\]\)}]|$)"
_NUMBER = r"[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|(?:nan|inf(?:inity)?)\b)"
_UNIT = r"[A-Za-zµ]{1,7}(?:/[A-Za-z]+)?"
_PREFIX = re.compile(  # what the logging module and similar ones put before a message
    r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[ T_])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?[\s:|-]+"
    r"|(?:INFO|DEBUG):[\w.]+:\s*|\[?(?:INFO|DEBUG)\b\]?[\s:|-]+"
)
_SEPARATOR = re.compile(r"[\s,;|\[\](){}•·–—-]+")
_MARKER = re.compile(
    r"(?P<kind>global[_ ]?step|epoch|step|iteration|iter|batch)\b\s*[:=#]?\s*\[?\s*(?P<at>\d+(?:\.\d+)?)"
    r"(?:\s*(?:/|of)\s*(?P<of>\d+))?\s*\]?(?::(?=\s|$)|(?=[\s,;|\]\)}]|$))",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"(?P<name>[A-Za-z_][\w./@-]*(?: [A-Za-z_][\w./-]*){0,2})\s*[:=](?P<gap>\s*)(?P<number>%s)"
    r"(?:(?P<percent>\s?%%)|(?P<unit>%s))?%s" % (_NUMBER, _UNIT, _END),
    re.IGNORECASE,
)
_DURATION = re.compile(
    r"(?:(?:eta|time|elapsed|took|duration|remaining)\s*[:=]?\s*)?"
    r"(?:\d+(?::\d\d)+(?:\.\d+)?|\d+(?:\.\d+)?\s?(?:us|µs|ms|s|secs?|seconds?|mins?|minutes?|m|h|hours?)(?:/\w+)?"
    r"|\d+(?:\.\d+)?\s?(?:it|steps?|samples?|images?|img)/s(?:ec)?)%s" % _END,
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Za-z]+")

_COUNTERS = ("epoch", "epochs", "step", "steps", "iter", "iters", "iteration", "iterations", "batch", "batches")
_CLOCKS = ("eta", "time", "elapsed", "took", "duration", "remaining", "runtime", "seconds", "minutes")
_FACTS = ("total", "total_params", "trainable_params", "params", "parameters", "seed", "size", "batch_size", "version")
_PROCESS = ("port", "pid", "rank", "line", "exit", "code", "status", "workers")
_PLACES = ("host", "localhost", "device", "gpu", "gpus")
RESERVED = frozenset(_COUNTERS + _CLOCKS + _FACTS + _PROCESS + _PLACES)  # never a metric
_RATES = ("lr", "learning_rate", "dropout", "momentum", "weight_decay", "decay", "threshold", "patience", "warmup")
_GREEK = ("gamma", "alpha", "beta", "beta1", "beta2", "eps", "epsilon", "tau", "temperature", "test_size", "val_size")
_SETTINGS = frozenset(_RATES + _GREEK)  # printed once at the start; a metric only with an epoch or a step
_EXCEPTION = re.compile(r"(?:Error|Exception|Exit|Warning|Interrupt)$")


class LineValues(NamedTuple):
    """What a line contains; `epoch` and `step` if it has them."""

    values: dict[str, float]
    epoch: float | None
    step: float | None
    total: int | None


def parse(line: str) -> LineValues | None:
    text = line.strip()
    if text.startswith("{") and text.endswith("}"):  # a printed dict, as by the Hugging Face Trainer
        text = re.sub(r"['\"]", "", text)
    for _ in range(3):  # time, level and name, in any order
        text = _PREFIX.sub("", text, count=1) if _PREFIX.match(text) else text
    return _items(text)


def _items(text: str) -> LineValues | None:
    values: dict[str, float] = {}
    places: dict[str, float] = {}
    total = None
    plain = True  # required of a line without an epoch or step
    fraction = False
    at = 0
    while at < len(text):
        found = _SEPARATOR.match(text, at)
        if not found:
            found = _MARKER.match(text, at)
            if found:
                kind = "epoch" if found["kind"].lower() == "epoch" else "step"
                places[kind] = float(found["at"])
                total = int(found["of"]) if kind == "epoch" and found["of"] else total
        if not found:
            found = _PAIR.match(text, at)
            if found:
                if _EXCEPTION.search(found["name"]):
                    return None
                plain = plain and " " not in found["name"] and _spaced(found)
                fraction = fraction or bool(found["percent"]) or not found["number"].isdigit()
                _keep(values, found)
        if not found:
            found = _DURATION.match(text, at)
        if not found:
            return None
        at = found.end()
    if not places:
        values = {name: value for name, value in values.items() if name.lower() not in _SETTINGS}
        if not plain or not fraction:
            return None
    return LineValues(values, places.get("epoch"), places.get("step"), total) if values else None


def _spaced(pair: re.Match[str]) -> bool:
    """Return False for what may be an address, such as `host:80`; `loss:0.12` is none."""
    return bool(pair["gap"]) or "=" in pair[0] or not pair["number"].isdigit()


def _keep(values: dict[str, float], pair: re.Match[str]) -> None:
    words = _WORDS.findall(pair["name"].lower())
    name = pair["name"].replace(" ", "_")
    if pair["unit"] or name.lower() in RESERVED or not words or (" " in pair["name"] and words[-1] in RESERVED):
        return
    values[name] = float(pair["number"])
