"""Parse the output of Slurm's commands into rows. Pure. A line that cannot be parsed is skipped.

Times are read as seconds since 1970 (`SLURM_TIME_FORMAT=%s`), or as local time, which is Slurm's default.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import TypeVar

from paddock.backends.slurm.complaints import message

# What these parsers read: the commands' formats.
QUEUE_FORMAT = "%i|%T|%r|%S|%e|%N|%P|%Q|%l|%j"
PENDING_FORMAT = "%i|%P|%Q|%S"
OCCUPANT_FORMAT = "%i|%u|%e|%N"
ACCOUNTING_FORMAT = "JobID,State,ExitCode,Start,End,NodeList,Reason"

# Set these for every command: exact times, and lists of array elements that are never cut short with "...".
ENVIRONMENT = {"SLURM_TIME_FORMAT": "%s", "SLURM_BITSTR_LEN": "0"}

_CONDENSED = re.compile(r"(\d+)_\[([^\[\]]*\]?)")  # elements of an array; squeue may leave out the end of a list
_MOST = 5_000_000  # of elements in one range: more than any Slurm allows

Row = TypeVar("Row")


@dataclass(frozen=True)
class QueueRow:
    """One allocation of `squeue`: a job, or one element of an array."""

    id: str
    state: str
    reason: str
    starts_at: float | None
    nodes: str
    partition: str
    priority: int | None
    name: str
    gres: str = ""  # where it was asked for


@dataclass(frozen=True)
class PendingRow:
    """One line of the pending jobs of all users: a job, or `count` elements of an array."""

    id: str
    count: int
    partition: str
    priority: int | None


@dataclass(frozen=True)
class AccountingRow:
    """One allocation of `sacct`. `by`: the id of the user who cancelled it."""

    id: str
    state: str
    by: int | None
    nodes: str


@dataclass(frozen=True)
class NodeRow:
    """One node. Memory is in MB. `gpus_alloc`: None if Slurm does not report how many are in use."""

    name: str
    states: frozenset[str]
    cpus: int
    cpus_alloc: int
    memory: int
    memory_alloc: int
    memory_free: int | None
    load: float | None
    gpus: tuple[tuple[str, int], ...]
    gpus_alloc: int | None
    gpus_used: frozenset[int] | None  # their numbers; None if Slurm does not report them
    partitions: tuple[str, ...]
    features: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class PartitionRow:
    """One partition. None in a time or a number of nodes: no limit, or none given."""

    name: str
    default: bool
    state: str
    max_time: int | None
    allow_accounts: str
    allow_groups: str
    total_nodes: int
    max_nodes: int | None


@dataclass(frozen=True)
class ReservationRow:
    """One reservation. `gpus`: how many of them it takes; None: those of its nodes, whole."""

    name: str
    starts_at: float
    ends_at: float
    nodes: frozenset[str]
    users: frozenset[str]
    maintenance: bool
    active: bool
    gpus: int | None


@dataclass(frozen=True)
class OccupantRow:
    """One job that is on nodes. `ends_at`: by its time limit; None if it has none."""

    id: str
    user: str
    ends_at: float | None
    nodes: frozenset[str]


@dataclass(frozen=True)
class TestOnly:
    """The answer of `sbatch --test-only`: whether such a job is accepted, and when and where it would start."""

    __test__ = False  # not a test class, whatever its name

    accepted: bool
    starts_at: float | None
    nodes: str
    message: str


def _of_each_line(parse: Callable[[str], Iterator[Row]]) -> Callable[[str], list[Row]]:
    """Turn a parser of a line into one of a text. A line that cannot be parsed is skipped."""

    @wraps(parse)
    def parse_all(text: str) -> list[Row]:
        rows: list[Row] = []
        for line in text.splitlines():
            with suppress(ValueError, KeyError):
                rows += list(parse(line))
        return rows

    return parse_all


# Durations, times, lists


def seconds(text: str) -> int | None:
    """Return `1-02:03:04`, `02:03:04`, `10:00` or `30` (minutes) in seconds. None: no limit, or no value."""
    match = re.fullmatch(r"(?:(\d{1,9})-)?(\d{1,9})(?::(\d{1,9}))?(?::(\d{1,9}))?", text.strip())
    if not match:
        return None
    days, *clock = match.groups()
    first, second, third = (int(part or 0) for part in clock)
    if days is None and clock[2] is None:  # minutes[:seconds]; else [days-]hours[:minutes[:seconds]]
        return first * 60 + second
    return int(days or 0) * 86400 + first * 3600 + second * 60 + third


def moment(text: str) -> float | None:
    """Parse seconds since 1970, or a local time such as `2026-11-15T05:36:27`. None: `N/A`, `Unknown` and the like."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return float(text) or None
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def expand_nodes(text: str) -> list[str]:
    """Return the names in `n[1-3,7],m01`; none if it is not a list of hosts."""
    if text.strip().lower() in {"", "(null)", "n/a", "none", "none assigned"}:
        return []
    found: list[str] = []
    for item in _split(text.strip()):
        names = [""]
        for literal, inside in re.findall(r"([^\[\]]+)|\[([^\[\]]*)\]", item):
            parts = [literal] if literal else list(_padded(inside))
            names = [name + part for name in names for part in parts]
        found += [name for name in names if name]
    return found


def expand_ids(text: str) -> list[str]:
    """Return the ids of allocations in `4_[1,3-5%2]`: `4_1`, `4_3`... A plain id stays as it is."""
    if match := _CONDENSED.fullmatch(text.strip()):
        return [f"{match[1]}_{i}" for numbers in _ranges(match[2]) for i in numbers]
    return [text.strip()] if re.fullmatch(r"\d+(?:[_+]\d+)?", text.strip()) else []


def count_ids(text: str) -> int:
    """Return how many allocations an id stands for, without making a list of them."""
    match = _CONDENSED.fullmatch(text.strip())
    return sum(len(numbers) for numbers in _ranges(match[2])) if match else len(expand_ids(text))


def _ranges(text: str) -> Iterator[range]:
    """Return the ranges of `1,3-5,8-12:2%4]`; of a list that is cut off, those that are certain."""
    whole = text.endswith("]")
    parts = text.removesuffix("]").split("%")[0].split(",")
    for part in parts if whole or "%" in text else parts[:-1]:
        match = re.fullmatch(r"(\d{1,18})(?:-(\d{1,18})(?::(\d{1,18}))?)?", part.strip())
        if not match:
            continue
        numbers = range(int(match[1]), int(match[2] or match[1]) + 1, max(1, int(match[3] or 1)))
        if len(numbers) <= _MOST:
            yield numbers


def _padded(text: str) -> Iterator[str]:
    """Return the numbers of `01-03,7` as text, with their zeros."""
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,18})-(\d{1,18})", part.strip())
        if not match:
            yield part.strip()
        elif int(match[2]) - int(match[1]) < _MOST:
            yield from (f"{i:0{len(match[1])}}" for i in range(int(match[1]), int(match[2]) + 1))


def _split(text: str) -> list[str]:
    """Split at the commas that are outside brackets."""
    return [part for part in re.split(r",(?![^\[\]]*\])", text) if part]


# The queue and accounting


@_of_each_line
def queue(line: str) -> Iterator[QueueRow]:
    """Parse `squeue -h -r -t all -u USER -o QUEUE_FORMAT`."""
    ids, state, reason, start, _, nodes, partition, priority, _, name = line.split("|", 9)
    for id in expand_ids(ids):
        yield QueueRow(
            id=id,
            state=_word(state),
            reason="" if reason == "None" else reason,
            starts_at=moment(start),
            nodes=_text(nodes),
            partition=partition,
            priority=_whole(priority),
            name=name,
        )


@_of_each_line
def pending(line: str) -> Iterator[PendingRow]:
    """Parse `squeue -h -t PENDING -o PENDING_FORMAT`, of all users."""
    id, partition, priority, _ = line.split("|")
    if count := count_ids(id):
        yield PendingRow(id, count, partition, _whole(priority))


def ahead(rows: Iterable[PendingRow], partition: str, priority: int) -> int:
    """Return how many allocations wait in this partition (or in one of `a,b`) with a higher priority."""
    wanted = set(partition.split(","))
    return sum(row.count for row in rows if wanted & set(row.partition.split(",")) and (row.priority or 0) > priority)


@_of_each_line
def accounting(line: str) -> Iterator[AccountingRow]:
    """Parse `sacct -X -n -P -j IDS -o ACCOUNTING_FORMAT`."""
    ids, state, _, _, _, nodes, _ = line.split("|", 6)
    by = re.search(r" by (\d+)", state)
    for id in expand_ids(ids):
        yield AccountingRow(id, _word(state), int(by[1]) if by else None, _text(nodes))


def _word(state: str) -> str:
    """Return the base state of `CANCELLED by 1000` or `CANCELLED+`."""
    match = re.match(r"[A-Z_]+", state)
    if not match:
        raise ValueError(state)
    return match[0]


# Nodes, partitions, configuration

# What scontrol appends to a node's state.
_MARKS = {
    "*": "NOT_RESPONDING",
    "~": "POWERED_DOWN",
    "#": "POWERING_UP",
    "!": "POWER_DOWN",
    "%": "POWERING_DOWN",
    "$": "MAINTENANCE",
    "@": "REBOOT_REQUESTED",
    "^": "REBOOT_ISSUED",
    "-": "PLANNED",
}


@_of_each_line
def nodes(line: str) -> Iterator[NodeRow]:
    """Parse `scontrol show nodes --oneliner`. With `-d`, GPUs in use are known also where Slurm does not count them."""
    fields = _fields(line, "NodeName")
    gpus = tuple(_gpus(fields.get("Gres", "")))
    yield NodeRow(
        name=fields["NodeName"],
        states=_states(fields["State"]),
        cpus=_whole(fields.get("CPUEfctv", "")) or int(fields["CPUTot"]),
        cpus_alloc=_whole(fields.get("CPUAlloc", "")) or 0,
        memory=max((_whole(fields.get("RealMemory", "")) or 0) - (_whole(fields.get("MemSpecLimit", "")) or 0), 0),
        memory_alloc=_whole(fields.get("AllocMem", "")) or 0,
        memory_free=_whole(fields.get("FreeMem", "")),
        load=_real(fields.get("CPULoad", "")),
        gpus=gpus,
        gpus_alloc=_gpus_alloc(fields) if gpus else 0,
        gpus_used=_gpus_used(fields.get("GresUsed", "")),
        partitions=_list(fields.get("Partitions", "")),
        features=_list(fields.get("ActiveFeatures", "")),
        reason=_reason(line),
    )


def _states(text: str) -> frozenset[str]:
    """Return the states in `DOWN*+DRAIN`: {DOWN, NOT_RESPONDING, DRAIN}."""
    words = re.findall(r"[A-Z_]+", text)
    if not words:
        raise ValueError(text)
    return frozenset(words) | {_MARKS[mark] for mark in re.findall(r"[*~#!%$@^-]", text)}


def _gpus(gres: str) -> Iterator[tuple[str, int]]:
    """Return the types and numbers of GPUs in `gpu:a100:4(S:0-1),shard:16`."""
    for item in re.sub(r"\([^()]*\)", "", gres).split(","):
        name, *rest = item.strip().split(":")
        if name != "gpu" or not rest:
            continue
        kinds = [part for part in rest[:-1] if part != "no_consume"]
        count = _whole(rest[-1])
        if count:
            yield (kinds[0] if kinds else "", count)


def _gpus_alloc(fields: Mapping[str, str]) -> int | None:
    """Return the number of GPUs in use: from `AllocTRES` if Slurm counts GPUs there, else from `GresUsed`."""
    if "gres/gpu" in fields.get("CfgTRES", ""):
        used = dict(re.findall(r"gres/(gpu(?::[^=,]+)?)=(\d+)", fields.get("AllocTRES", "")))
        return int(used["gpu"]) if "gpu" in used else sum(int(count) for count in used.values())
    if "GresUsed" in fields:
        return sum(count for _, count in _gpus(fields["GresUsed"]))
    return None


def _gpus_used(gres: str) -> frozenset[int] | None:
    """Return the numbers of the GPUs in use, from `gpu:a100:2(IDX:0,2)`."""
    found = re.findall(r"\bgpu(?::[^,(]*)?\(IDX:([^()]*)\)", gres)
    return frozenset(number for text in found for each in _ranges(text + "]") for number in each) if found else None


def _reason(line: str) -> str:
    """Return why a node is down or drained, without the user and the time."""
    match = re.search(r"\sReason=(.*)", line)
    if not match:
        return ""
    return re.split(r" \[[^\[\]@]+@[^\[\]]+\]| (?:Comment|Extra|ResumeAfterTime)=", match[1])[0].strip()


@_of_each_line
def partitions(line: str) -> Iterator[PartitionRow]:
    """Parse `scontrol show partitions --oneliner`."""
    fields = _fields(line, "PartitionName")
    yield PartitionRow(
        name=fields["PartitionName"],
        default=fields.get("Default") == "YES",
        state=fields.get("State", ""),
        max_time=seconds(fields.get("MaxTime", "")),
        allow_accounts=fields.get("AllowAccounts", ""),
        allow_groups=fields.get("AllowGroups", ""),
        total_nodes=_whole(fields.get("TotalNodes", "")) or 0,
        max_nodes=_whole(fields.get("MaxNodes", "")),
    )


@_of_each_line
def reservations(line: str) -> Iterator[ReservationRow]:
    """Parse `scontrol show reservations --oneliner`."""
    fields = _fields(line, "ReservationName")
    starts_at, ends_at = moment(fields["StartTime"]), moment(fields["EndTime"])
    if starts_at is None or ends_at is None:
        raise ValueError(line)
    gpus = re.search(r"\bgres/gpu=(\d+)", fields.get("TRES", ""))
    yield ReservationRow(
        name=fields["ReservationName"],
        starts_at=starts_at,
        ends_at=ends_at,
        nodes=frozenset(expand_nodes(fields.get("Nodes", ""))),
        users=frozenset(_list(fields.get("Users", ""))),
        maintenance="MAINT" in _list(fields.get("Flags", "")),
        active=fields.get("State") == "ACTIVE",
        gpus=int(gpus[1]) if gpus else None,
    )


@_of_each_line
def occupants(line: str) -> Iterator[OccupantRow]:
    """Parse `squeue -h -t RUNNING -o OCCUPANT_FORMAT`."""
    id, user, end, nodes = line.split("|")
    yield OccupantRow(id, user, moment(end), frozenset(expand_nodes(nodes)))


def _fields(line: str, first: str) -> dict[str, str]:
    """Return the `Key=value` pairs of a line. Values may contain spaces. Free text comes last: first values count."""
    if not line.startswith(f"{first}="):
        raise ValueError(line)
    found: dict[str, str] = {}
    parts = re.split(r"(?:^|\s+)([A-Z][A-Za-z_]*)=", line)
    for key, value in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(key, value.strip())
    return found


def config(text: str) -> dict[str, str]:
    """Parse `scontrol show config`."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = re.match(r"(\w+)\s+= ?(.*)", line)
        if match:
            found.setdefault(match[1], match[2].strip())
    return found


def cluster_name(config: Mapping[str, str]) -> str:
    return _text(config.get("ClusterName", ""))


def min_job_age(config: Mapping[str, str]) -> int | None:
    """Return for how many seconds an ended job stays in the queue."""
    return _whole(config.get("MinJobAge", ""))


def has_accounting(config: Mapping[str, str]) -> bool:
    """Return True if `sacct` can read this AccountingStorageType."""
    kind = _text(config.get("AccountingStorageType", ""))
    return bool(kind) and kind != "accounting_storage/none"


# Submitting


def job_id(text: str) -> str | None:
    """Return the id in the output of `sbatch --parsable`: `123`, or `123;cluster`. A wrapper may print more."""
    for wording in (r"^[ \t]*(\d+)(?:;.*)?[ \t\r]*$", r"^Submitted batch job (\d+)\b"):
        match = re.search(wording, text, re.ASCII | re.MULTILINE)
        if match:
            return match[1]
    return None


def trial(stderr: str) -> TestOnly:
    """Parse the standard error of `sbatch --test-only`."""
    match = re.search(r"Job \d+ to start at (\S+) .*?on nodes (\S+)", stderr)  # 26.05 puts another word between
    if match:
        return TestOnly(True, moment(match[1]), _text(match[2]), message(stderr))
    return TestOnly(False, None, "", message(stderr))


# Small things


def _text(value: str) -> str:
    value = value.strip()
    return "" if value in {"(null)", "N/A", "n/a", "None assigned"} else value


def _list(value: str) -> tuple[str, ...]:
    return tuple(part for part in _text(value).split(",") if part)


def _whole(value: str) -> int | None:
    match = re.match(r"\s*(\d+)", value)
    return int(match[1]) if match else None


def _real(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
