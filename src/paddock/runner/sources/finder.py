"""Find the metric logs of a task in its folders, at a bounded cost."""

from __future__ import annotations

import itertools
import os
import re
import time
from fnmatch import fnmatchcase
from typing import Callable, Iterator, NamedTuple

from .base import CSV, JSONL, NAMED, TENSORBOARD

_DEPTH = 6
_OUTSIDE_DEPTH = 3  # in the results of the job, beside the folders of its tasks
_FOLDER = 2000  # entries per folder; a folder with more contains data
_ENTRIES = 20000  # entries per search
_SKIPPED = frozenset(["attempts", "checkpoint"])
_NEVER = frozenset(["__pycache__", "node_modules", "site-packages"])
_LOG_NAME = re.compile(r"(?:metrics|training|history|results|.*log.*)\.(?:csv|tsv|jsonl|ndjson)$", re.IGNORECASE)
_MAGIC = re.compile(r"[*?\[]")
_RAPID = 5.0  # seconds after the start and after a find in which every round searches
_SLOWER = 2.0  # seconds between two searches; after a long time without a find,
_SLOWEST = 20.0  # a twentieth of that time, and up to this many
_CHEAP = 500  # entries; a search of more is repeated after one second per
_RATE = 2000  # entries
_SLOW = 0.5  # seconds; a search that took longer (a slow file server) is repeated after
_SHARE = 20  # times its duration
_OUTSIDE_PAUSE = 5.0  # seconds between two searches of the job's results, which may have an entry per task
_OUTSIDE_FILES = 50


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
        self._results = os.path.dirname(os.path.dirname(self._task_dir))
        self._mine = re.compile(r"(?<![A-Za-z0-9])%s(?!\d)" % re.escape(self._task))
        self._tasks = re.compile(r"%s-\d+$" % re.escape(self._task.rpartition("-")[0]))
        self._outside: list[str] = []
        self._outside_at = 0.0

    def due(self) -> bool:
        return self._clock() >= self._next

    def find(self, known: set[str], final: bool = False) -> list[FoundSource]:
        """Return metric logs that are not yet `known`, and set when to search next."""
        began = self._clock()
        if final or began >= self._outside_at:
            self._outside = self._find_outside()
            took = self._clock() - began
            self._outside_at = self._clock() + max(_OUTSIDE_PAUSE, 4 * _SHARE * took)
        found = [one for one in self._all() if one.path not in known]
        now = self._clock()
        if found:
            self._rapid_until = now + _RAPID  # several loggers begin at about the same time
        slowest = max(_SLOWER, min(_SLOWEST, 0.05 * (now - self._rapid_until)))
        self._pause = 0.0 if now < self._rapid_until else min(slowest, max(0.2, self._pause * 1.25))
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
        for path in [*self._walk(), *self._outside]:
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

    def _find_outside(self) -> list[str]:
        """Return files elsewhere in the job's results that carry the id of the task in their name or path."""
        found: list[str] = []
        seen = 0
        folders = [(self._results, 0, False)] if "-" in self._task else []
        while folders and seen < _ENTRIES:
            folder, depth, mine = folders.pop(0)
            try:
                with os.scandir(folder) as entries:
                    for entry in itertools.islice(entries, _ENTRIES - seen):
                        seen += 1
                        carries = mine or self._mine.search(entry.name) is not None
                        if carries and _kind(entry.name) and entry.is_file(follow_symlinks=False):
                            found.append(entry.path)
                        elif depth < _OUTSIDE_DEPTH and self._may_enter(folder, entry):
                            folders.append((entry.path, depth + 1, carries))
            except OSError:
                continue
        return sorted(found)[:_OUTSIDE_FILES]

    def _may_enter(self, folder: str, entry: os.DirEntry[str]) -> bool:
        """Return False for the folders of tasks: this one's is searched anyway, and the others are not its own."""
        name = entry.name
        task = self._tasks.match(name) and folder == os.path.dirname(self._task_dir)
        return not task and "." not in name and name not in _NEVER and entry.is_dir(follow_symlinks=False)

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
        sure = bool(_LOG_NAME.match(name)) or (self._mine.search(stem) is not None and end != ".log")
        rank = {"csv": CSV, "jsonl": JSONL, "tensorboard": TENSORBOARD}[kind]
        return FoundSource(path, self._label(path), kind, rank, sure)

    def _label(self, path: str) -> str:
        for root in (self._work_dir, self._task_dir, self._results):
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
