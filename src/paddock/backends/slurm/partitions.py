"""Check whether partitions can run a request, for doctor and dry runs. Pure.

Slurm itself accepts many requests that can never start.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from paddock.backends.slurm.parse import PartitionRow
from paddock.models import Resources
from paddock.models.units import words


@dataclass(frozen=True)
class Fault:
    """Why a partition cannot run a request, and what to do."""

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
    """Return one fault per requested partition that cannot run it. `groups`, `accounts`: the user's, if known.

    Default: the cluster's default partition.
    """
    wanted = _named(asked) or [row.name for row in rows if row.default]
    found = (_fault(rows, name, asked, groups, accounts) for name in wanted)
    return [fault for fault in found if fault is not None]


def objection(rows: Sequence[PartitionRow], asked: Resources) -> Fault | None:
    """Return the fault if no partition can run it; first one that passes by itself."""
    found = faults(rows, asked)
    if len(found) < max(len(_named(asked)), 1):
        return None
    return next((fault for fault in found if fault.passes), found[0])


def _named(asked: Resources) -> list[str]:
    return [name for name in (asked.slurm.partition or "").split(",") if name]


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
        return Fault(f"partition {name} allows at most {most}", f"set the time limit to {most} or less")
    if row.max_nodes and (asked.nodes or 1) > row.max_nodes:
        return Fault(f"partition {name} allows at most {row.max_nodes} nodes", f"ask for {row.max_nodes} or fewer")
    if row.state != "UP":
        state = {"DRAIN": "drained"}.get(row.state, row.state.lower())
        return Fault(f"partition {name} is {state}", "choose another, or ask when it will be available", passes=True)
    return None


def _refused(row: PartitionRow, groups: AbstractSet[str] | None, accounts: AbstractSet[str] | None) -> str | None:
    """Return why this user may not use the partition, as far as it is known here."""
    allowed_groups, allowed_accounts = _allowed(row.allow_groups), _allowed(row.allow_accounts)
    if allowed_groups and groups is not None and not allowed_groups & groups:
        return f"only for the groups {', '.join(sorted(allowed_groups))}"
    if allowed_accounts and accounts and not allowed_accounts & accounts:
        return f"only for the accounts {', '.join(sorted(allowed_accounts))}"
    return None


def _allowed(text: str) -> set[str]:
    """Return the names that are allowed; empty: everybody."""
    return set() if text in ("", "ALL", "(null)") else set(text.split(","))
