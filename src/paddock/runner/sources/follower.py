"""Follow what a training script writes, and turn it into metric records. See docs/job-folder.md."""

from __future__ import annotations

import os
import time
from typing import Callable

from ...common import layout
from ...common.patterns import NO_METRIC
from .base import NAMED, REPORT, STDOUT, Source, SourceBatch
from .csv_file import CsvSource
from .finder import Finder, FoundSource
from .jsonl import JsonlSource
from .ledger import Ledger, Record
from .patterns import PatternSource
from .stdout import SOME, StdoutSource
from .tail import Mark, Tail, mark, open_file
from .tensorboard import Names, TensorBoardSource

MAX_FILES = 200
MAX_WARNINGS = 20
_SLICES = 64  # per file and round: 4 MB
_ROUND_SECONDS = 0.05  # of the processor, for all files of one task; each gets one slice in any case
# A file without news for QUIET seconds is looked at once per PAUSE: the server reads journals of running tasks every
# half second, and a point has to be in the browser within 1.5 s. One that was never written waits a tenth of its age.
_QUIET, _PAUSE, _LONGEST_PAUSE = 5.0, 1.0, 5.0
_LONG_SECONDS = 0.5  # in a round after the process has ended, until all is read
_CLOSE_SECONDS = 5.0  # of the processor: on a busy node all is read as well. The runner's other tasks wait meanwhile


class Follower:
    """Follows one attempt. Create it before the process starts: it has to know which files were there before.

    Those are followed from their present end. So a resumed attempt does not report the points of the attempt before
    again, and data files that came with the code are not read.
    """

    def __init__(
        self,
        task_dir: str,
        work_dir: str,
        attempt_dir: str,
        patterns: list[str],
        stdout: bool,
        resume: bool,
        epochs: int | None,
        whole: bool = False,
        marked: list[str] | None = None,
        objective: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`whole`: read files from their beginning, whoever wrote that. `marked`: patterns of metrics in the log."""
        self._clock = clock
        self._began = clock()
        self._resume = resume
        self._total = epochs
        self._ledger = Ledger()
        self._tags = Names()
        self._finder = Finder(task_dir, work_dir, patterns)
        self._warnings = 0
        self._crowded = False
        report = layout.report(attempt_dir)
        self._files: list[Source] = [JsonlSource(Tail(report), os.path.basename(report), REPORT)]
        self._stdout = StdoutSource(Tail(layout.log(attempt_dir)), "out.log", STDOUT) if stdout else None
        if self._stdout and objective:
            self._stdout.wanted = objective
            self._stdout.begin()
        self._log = layout.log(attempt_dir)
        self._marked: list[str] = []
        self._patterns: PatternSource | None = None
        self.mark(marked or [])
        self._known: set[str] = set()
        self._before: dict[str, Mark] = {}
        for found in [] if whole else self._finder.find(self._known):
            there = mark(found.path)
            if there:
                self._before[found.path] = there

    @property
    def behind(self) -> bool:
        """True if the last call has not read a file to its end."""
        stdout, patterns = self._stdout, self._patterns
        return any(source is not None and source.more for source in (*self._files, stdout, patterns))

    def poll(self, long: bool = False) -> list[Record]:
        """Return what is new since the last call. Never raises; costs one stat per file if nothing is new."""
        return self._round(False, time.thread_time() + (_LONG_SECONDS if long else _ROUND_SECONDS))

    def mark(self, patterns: list[str]) -> None:
        """Search the whole log for these patterns from now on, in place of those before."""
        if patterns != self._marked:
            self._marked = patterns
            self._patterns = PatternSource(Tail(self._log), "out.log", patterns) if patterns else None

    def log_cut(self, place: Callable[[int], int]) -> None:
        """Adapt to a log that was shortened: `place` gives the new offset for an old one."""
        if self._stdout:
            self._stdout.tail.move(place)
        if self._patterns:
            self._patterns.tail.move(place)

    def close(self, well: bool = False) -> list[Record]:
        """Return everything that is left, unfinished last lines too, as the process has ended; `well`: with success."""
        records = self.read_all()
        read = {one.tail.path for one in self._files if one.tail.offset}
        for pattern in self._finder.unmatched(read | set(self._before) if self._resume else read):
            text = "metrics file %s: the script wrote no such file, in its working folder or its results folder; "
            records += self._warn(text % pattern + "correct the name, or take it off the list")
        if well and self._ledger.empty and self._stdout and self._stdout.numbers >= SOME:
            records += self._warn(NO_METRIC)
        return records

    def read_all(self, seconds: float = _CLOSE_SECONDS) -> list[Record]:
        return self._round(True, time.thread_time() + seconds)

    def _round(self, final: bool, deadline: float) -> list[Record]:
        records: list[Record] = []
        if final or self._finder.due():
            records += self._find_files(final)
        for source in self._files:
            records += self._look_at(source, final, deadline)
        if self._tags.changed:
            records += self._read_tags_again(final, deadline)
        if self._stdout and not (self._ledger.muted and self._total):
            records += self._look_at(self._stdout, final, deadline)
        if self._patterns:
            records += self._look_at(self._patterns, final, deadline)
        self._files = [source for source in self._files if not source.rejected]
        return records

    def _look_at(self, source: Source, final: bool, deadline: float) -> list[Record]:
        """Follow a file if it is due, and set when it is due again."""
        now = self._clock()
        if not final and now < source.due_at:
            return []
        records = self._follow(source, final, deadline)
        if source.changed:
            source.changed, source.changed_at = False, now
        quiet = now - (source.changed_at or self._began)
        never = min(_LONGEST_PAUSE, 0.1 * quiet) if source.changed_at is None else 0.0
        source.due_at = now if quiet < _QUIET else now + max(_PAUSE, never)
        return records

    def _find_files(self, final: bool) -> list[Record]:
        for found in self._finder.find(self._known, final):
            if len(self._known) >= MAX_FILES and found.rank != NAMED:
                continue
            source = self._open(found)
            if source:
                self._known.add(found.path)
                self._files.append(source)
        self._files.sort(key=lambda source: source.rank)
        if len(self._known) >= MAX_FILES and not self._crowded:
            self._crowded = True
            return self._warn("more than %d logs; only the first are read, and those that the job names" % MAX_FILES)
        return []

    def _open(self, found: FoundSource) -> Source | None:
        tail = Tail(found.path, self._before.get(found.path))
        kind = found.kind if found.kind != "?" else sniff(found.path)
        if kind == "tensorboard":
            return TensorBoardSource(tail, found.label, self._tags)
        if kind == "jsonl":
            return JsonlSource(tail, found.label, found.rank, found.sure)
        return CsvSource(tail, found.label, found.rank, found.sure) if kind else None

    def _follow(self, source: Source, final: bool, deadline: float) -> list[Record]:
        records: list[Record] = []
        slices = 0
        more = True
        while more and (final or slices < _SLICES):
            if slices and time.thread_time() > deadline:
                return records + (self._warn("%s: too large; its end was not read" % source.label) if final else [])
            try:
                batch = source.poll(final)
            except Exception as e:  # a defect here must not end the training: warn, and do not read this file again
                source.dead, source.more = True, False
                return records + self._warn("%s: cannot be followed (%s: %s)" % (source.label, type(e).__name__, e))
            records += self._records(source, batch)
            slices += 1
            more = source.more = batch.more
        return records

    def _records(self, source: Source, batch: SourceBatch) -> list[Record]:
        records: list[Record] = []
        if batch.restarted:
            records += self._ledger.restart(source, self._resume and source.tail.path in self._before)
            if isinstance(source, TensorBoardSource):
                self._tags.changed = True  # event files share their metrics: the others have to give theirs again
        records += self._ledger.take(source, batch.points)
        if batch.total and batch.total != self._total:
            self._total = batch.total
            records.append({"e": "total", "epochs": batch.total})
        for text in batch.warnings:
            records += self._warn(text)
        return records

    def _read_tags_again(self, final: bool, deadline: float) -> list[Record]:
        records: list[Record] = []
        events = [source for source in self._files if isinstance(source, TensorBoardSource)]
        while self._tags.changed:  # this ends, as the known folders only grow
            self._tags.changed = False
            for source in events:
                source.restart()
                records += self._ledger.restart(source, False)
            for source in events:
                records += self._follow(source, final, deadline)
        return records

    def _warn(self, text: str) -> list[Record]:
        self._warnings += 1
        return [{"e": "warning", "text": text}] if self._warnings <= MAX_WARNINGS else []


def sniff(path: str) -> str:
    """Return the format of a file by its first character; empty while the file is empty."""
    try:
        with open_file(path) as f:
            first = f.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    except OSError:
        return "csv"  # whose reader reports what is wrong with it
    return "jsonl" if first == b"{" else "csv" if first else ""
