"""What `paddock doctor` is asked to check, and what a check reports."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import BaseModel

from paddock.models import Container, Environment


@dataclass(frozen=True)
class Scope:
    """Which clusters are checked, and how. Without a backend: all of the settings."""

    backend: str | None = None
    quick: bool = False
    environment: Environment = field(default_factory=Environment)
    container: Container | None = None
    partition: str | None = None
    gpus: int = 0
    wait: float = 120.0
    note: Callable[[str], None] = lambda _: None


class Status(StrEnum):
    OK = "ok"
    WARN = "warn"
    ERROR = "error"


class Finding(BaseModel):
    name: str
    status: Status = Status.OK
    detail: str = ""
    fix: str = ""

    def named(self, name: str) -> "Finding":
        return self.model_copy(update={"name": name})


def ok(detail: str) -> Finding:
    return Finding(name="", detail=detail)


def warn(detail: str, fix: str) -> Finding:
    return Finding(name="", status=Status.WARN, detail=detail, fix=fix)


def error(detail: str, fix: str) -> Finding:
    return Finding(name="", status=Status.ERROR, detail=detail, fix=fix)


def guarded(name: str, check: Callable[[], Finding]) -> Finding:
    return guarded_all(name, lambda: [check().named(name)])[0]


def guarded_all(name: str, check: Callable[[], list[Finding]]) -> list[Finding]:
    try:
        return check()
    except Exception as fault:  # one check that fails must not end the others
        return [error(f"the check itself failed: {type(fault).__name__}: {fault}", "report this as a bug").named(name)]


def worst(good: str, found: list[Finding]) -> Finding:
    """Join several findings into one: what is good, then what is not."""
    bad = [one for one in found if one.status is not Status.OK]
    if not bad:
        return ok(good)
    status = Status.ERROR if any(one.status is Status.ERROR for one in bad) else Status.WARN
    details = "\n".join([*([good] if good else []), *(one.detail for one in bad)])
    return Finding(name="", status=status, detail=details, fix="; ".join(dict.fromkeys(one.fix for one in bad)))
