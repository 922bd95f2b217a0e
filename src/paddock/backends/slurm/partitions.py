"""Whether partitions give what is asked for. Pure: for doctor, and for a dry run. Slurm itself takes much that then
waits for ever."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from paddock.backends.slurm.parse import PartitionRow
from paddock.models import Resources
from paddock.models.units import words


@dataclass(frozen=True)
class Fault:
    """What stands in the way, and what to do about it."""

    text: str
    fix: str
    passes: bool = False  # by itself, sooner or later
    unknown: bool = False  # there is no such partition


def faults(
    rows: Sequence[PartitionRow],
    asked: Resources,
    *,
    groups: AbstractSet[str] | None = None,
    accounts: AbstractSet[str] | None = None,
) -> list[Fault]:
    """One for each partition that is asked for and does not do. `groups`, `accounts`: the user's, where they are known.

    Without a partition, the default one is meant.
    """
    wanted = [name for name in (asked.partition or "").split(",") if name] or [row.name for row in rows if row.default]
    found = (_fault(rows, name, asked, groups, accounts) for name in wanted)
    return [fault for fault in found if fault is not None]


def objection(rows: Sequence[PartitionRow], asked: Resources) -> Fault | None:
    """Why none of the partitions will do: one that does is enough. One that will do later goes before the others."""
    found = faults(rows, asked)
    count = max(len([name for name in (asked.partition or "").split(",") if name]), 1)
    if len(found) < count:
        return None
    return next((fault for fault in found if fault.passes), found[0])


def _fault(
    rows: Sequence[PartitionRow],
    name: str,
    asked: Resources,
    groups: AbstractSet[str] | None,
    accounts: AbstractSet[str] | None,
) -> Fault | None:
    row = next((row for row in rows if row.name == name), None)
    if row is None:
        listed = ", ".join(row.name for row in rows)
        return Fault(f"there is no partition {name}", f"choose one of {listed}", unknown=True)
    if refused := _refused(row, groups, accounts):
        return Fault(f"partition {name} is {refused}", "choose another, or ask for access")
    if asked.time_limit and row.max_time and asked.time_limit > row.max_time:
        most = words(row.max_time)
        return Fault(f"partition {name} gives at most {most}", f"set the time limit to {most} or less")
    if row.max_nodes and (asked.nodes or 1) > row.max_nodes:
        return Fault(f"partition {name} gives at most {row.max_nodes} nodes", f"ask for {row.max_nodes} or fewer")
    if row.state != "UP":
        state = {"DRAIN": "drained"}.get(row.state, row.state.lower())
        return Fault(f"partition {name} is {state}", "choose another, or ask when it is back", passes=True)
    return None


def _refused(row: PartitionRow, groups: AbstractSet[str] | None, accounts: AbstractSet[str] | None) -> str | None:
    """Why this user may not use it, as far as can be seen from here."""
    allowed_groups, allowed_accounts = _allowed(row.allow_groups), _allowed(row.allow_accounts)
    if allowed_groups and groups is not None and not allowed_groups & groups:
        return f"only for the groups {', '.join(sorted(allowed_groups))}"
    if allowed_accounts and accounts and not allowed_accounts & accounts:
        return f"only for the accounts {', '.join(sorted(allowed_accounts))}"
    return None


def _allowed(text: str) -> set[str]:
    """Empty: everybody."""
    return set() if text in ("", "ALL", "(null)") else set(text.split(","))
