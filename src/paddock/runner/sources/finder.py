"""Find the metric logs of a task in its folders, at a bounded cost."""

from __future__ import annotations

import os
import re
import time
from fnmatch import fnmatchcase
from typing import Callable, Iterator, NamedTuple

from .base import CSV, JSONL, NAMED, TENSORBOARD

_DEPTH = 6
_FOLDER = 2000  # entries per folder; a folder with more contains data
_ENTRIES = 20000  # entries per search
_SKIPPED = frozenset(["attempts", "checkpoint"])
_NEVER = frozenset(["__pycache__", "node_modules", "site-packages"])
_LOG_NAME = re.compile(r"(?:metrics|training|history|results|.*log.*)\.(?:csv|tsv|jsonl|ndjson)$", re.IGNORECASE)
_MAGIC = re.compile(r"[*?\[]")
_RAPID = 5.0  # seconds after the start and after a find in which every round searches
_SLOWEST = 2.0
_CHEAP = 500  # entries; a search of more is repeated after one second per
_RATE = 2000  # entries
_SLOW = 0.5  # seconds; a search that took longer (a slow file server) is repeated after
_SHARE = 20  # times its duration


class FoundSource(NamedTuple):
    path: str
    label: str
    kind: str  # csv, jsonl, tensorboard, or ? if the content decides
    rank: int
    sure: bool  # a metric log by its name


class Finder:
    def __init__(
        self, task_dir: str, work_dir: str, patterns: list[str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._task_dir = os.path.abspath(task_dir)
        self._work_dir = os.path.abspath(work_dir)
        self._task = os.path.basename(self._task_dir)
        self._patterns = [(p, os.path.normpath(p).split(os.sep)) for p in patterns if p.strip()]
        named = {parts[0] for _, parts in self._patterns}
        self._skipped = _SKIPPED - named
        self._literals: dict[str, set[str]] = {p: set() for p in patterns}  # the files that they name
        self._seen = 0
        self._next = 0.0
        self._pause = 0.0
        self._rapid_until = self._clock() + _RAPID

    def due(self) -> bool:
        return self._clock() >= self._next

    def find(self, known: set[str]) -> list[FoundSource]:
        """Return metric logs that are not yet `known`, and set when to search next."""
        began = self._clock()
        found = [one for one in self._all() if one.path not in known]
        now = self._clock()
        if found:
            self._rapid_until = now + _RAPID  # several loggers begin at about the same time
        self._pause = 0.0 if now < self._rapid_until else min(_SLOWEST, max(0.2, self._pause * 1.25))
        seen = self._seen / _RATE if self._seen > _CHEAP else 0.0
        slow = _SHARE * (now - began) if now - began > _SLOW else 0.0
        self._next = now + max(self._pause, seen, slow)
        return found

    def unmatched(self, changed: set[str]) -> list[str]:
        """Return the patterns that match none of these files."""
        return [
            p
            for p, parts in self._patterns
            if not self._literals[p] & changed and not any(self._matches(parts, path) for path in changed)
        ]

    def _all(self) -> list[FoundSource]:
        self._find_literals()
        paths = {path: True for found in self._literals.values() for path in found}
        for path in self._walk():
            paths.setdefault(path, False)
        found = [one for one in (self._classify(path, named) for path, named in paths.items()) if one]
        return sorted(found, key=lambda one: (one.rank, one.path))

    def _find_literals(self) -> None:
        """Find files that are named without wildcards, anywhere in the task's folder or behind the link `results`."""
        if not self._patterns:
            return
        inside = os.path.realpath(self._task_dir) + os.sep
        for pattern, _ in self._patterns:
            if _MAGIC.search(pattern):
                continue
            for root in (self._work_dir, self._task_dir):
                real = os.path.realpath(os.path.join(root, pattern))
                if not os.path.isfile(real):
                    continue
                if real.startswith(inside):
                    self._literals[pattern].add(os.path.join(self._task_dir, real[len(inside) :]))
                elif os.path.isabs(pattern):
                    self._literals[pattern].add(real)

    def _walk(self) -> Iterator[str]:
        self._seen = 0
        folders = [(self._task_dir, 0)]
        while folders and self._seen < _ENTRIES:
            folder, depth = folders.pop(0)
            entries = _entries(folder)
            self._seen += len(entries)
            for name, is_file, is_folder in entries:
                path = os.path.join(folder, name)
                if is_file:
                    yield path
                elif is_folder and depth < _DEPTH and not (depth == 0 and name in self._skipped):
                    folders.append((path, depth + 1))

    def _classify(self, path: str, named: bool) -> FoundSource | None:
        name = os.path.basename(path)
        kind = _kind(name)
        named = named or any(self._matches(parts, path) for _, parts in self._patterns)
        if not kind and not named:
            return None
        if named:
            rank = TENSORBOARD if kind == "tensorboard" else NAMED
            return FoundSource(path, self._label(path), kind if kind and not name.endswith(".log") else "?", rank, True)
        stem, end = os.path.splitext(name)
        sure = bool(_LOG_NAME.match(name)) or (stem == self._task and end != ".log")
        rank = {"csv": CSV, "jsonl": JSONL, "tensorboard": TENSORBOARD}[kind]
        return FoundSource(path, self._label(path), kind, rank, sure)

    def _label(self, path: str) -> str:
        for root in (self._work_dir, self._task_dir):
            if path.startswith(root + os.sep):
                return path[len(root) + 1 :]
        return path

    def _matches(self, pattern: list[str], path: str) -> bool:
        """Match a pattern, which is relative to the working folder or to the results folder."""
        if pattern[0] == "":
            return _match(path.split(os.sep), pattern)
        seen = []
        for root in (self._work_dir, self._task_dir, os.path.dirname(os.path.dirname(os.path.dirname(self._task_dir)))):
            if path.startswith(root + os.sep):
                seen.append(path[len(root) + 1 :].split(os.sep))
        return any(_match(parts, pattern) for parts in seen)


def _match(parts: list[str], pattern: list[str]) -> bool:
    if not pattern or not parts:
        return not pattern and not parts
    if pattern[0] == "**":
        return _match(parts, pattern[1:]) or _match(parts[1:], pattern)
    return fnmatchcase(parts[0], pattern[0]) and _match(parts[1:], pattern[1:])


def _kind(name: str) -> str:
    if "tfevents" in name:
        return "tensorboard"
    end = os.path.splitext(name)[1].lower()
    return {".csv": "csv", ".tsv": "csv", ".log": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}.get(end, "")


def _entries(folder: str) -> list[tuple[str, bool, bool]]:
    """Return (name, file?, folder?) of each entry, sorted; none for a folder that is missing or huge.

    Links are neither: the working folder has links to the code and to the results of all tasks.
    """
    found: list[tuple[str, bool, bool]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if len(found) == _FOLDER:
                    return []
                worth = entry.name not in _NEVER and not entry.name.startswith(".")
                is_folder = worth and entry.is_dir(follow_symlinks=False)
                found.append((entry.name, entry.is_file(follow_symlinks=False), is_folder))
    except OSError:
        return []
    return sorted(found)
