"""Accounting on a Slurm cluster: is it there, is this user in it, and which limits follow."""

from collections.abc import Iterator

from paddock.backends.slurm import parse
from paddock.backends.slurm.complaints import Trouble, diagnose, message
from paddock.cli import render
from paddock.cli.doctor.finding import Finding, error, ok, warn, worst
from paddock.cli.doctor.site import Row, Site
from paddock.models import units

_KINDS = {"cpu": "cores", "node": "nodes", "gres/gpu": "GPUs", "mem": "memory", "billing": "billing units"}
_WORDS = {
    "MaxJobs": "{} jobs running at a time",
    "MaxSubmit": "{} jobs submitted at a time",
    "MaxTRES": "{} in one job",
    "MaxWall": "{} for one job",
    "GrpTRES": "{} in all",
    "GrpJobs": "{} jobs running in all",
    "MaxJobsPU": "{} jobs of a user running at a time",
    "MaxSubmitPU": "{} jobs of a user submitted at a time",
    "MaxTRESPU": "{} for a user",
}


def accounting(site: Site) -> Finding:
    if not site.accounting:
        seconds = parse.min_job_age(site.config) or 0
        return warn(
            f"off: Slurm forgets a job {render.duration(seconds)} after its end (MinJobAge); why an allocation ended "
            "while the server was down for longer than that cannot be known, and its tasks are taken for lost",
            "keep the server running, or ask who runs the cluster for accounting (slurmdbd)",
        )
    reached = site.commands.try_run("sacct", "-X", "-n", "-P", "-S", "now", "-o", "JobID")
    if reached.code:
        trouble = diagnose(reached.err)
        said = message(reached.err).replace("\n", "; ") or f"sacct ended with code {reached.code}"
        what = "its database (slurmdbd) does not answer" if trouble is Trouble.UNREACHABLE else "sacct does not work"
        return warn(f"on, but {what}: {said}", "ask who runs the cluster; until then, causes may remain unknown")
    return _association(site)


def _association(site: Site) -> Finding:
    if site.associations is None:
        return ok("on; who may use what cannot be looked up (sacctmgr)")
    enforced = _enforced(site)
    if not site.associations:
        told = f"on; user {site.user} is in no account of cluster {parse.cluster_name(site.config)}"
        fix = f"ask who runs the cluster: sacctmgr add user {site.user} account=..."
        return error(f"{told}, and Slurm refuses jobs of such users", fix) if enforced else ok(told)
    accounts = ", ".join(sorted(site.accounts or ()))
    default = f", by default {site.default_account}" if site.default_account else ""
    told = f"on, and its database answers; user {site.user} is in {accounts}{default}"
    return worst(told, list(_unknown_accounts(site)) if enforced else [])


def _enforced(site: Site) -> bool:
    """All that can be enforced but `none` implies associations."""
    return site.config.get("AccountingStorageEnforce", "none").lower() not in (
        "",
        "none",
        "(null)",
        "nojobs",
        "nosteps",
    )


def _unknown_accounts(site: Site) -> Iterator[Finding]:
    known = site.accounts or set()
    for who, wish in site.wishes:
        if wish.account and wish.account not in known:
            yield error(f"{who}: you are not in account {wish.account}", f"choose one of {', '.join(sorted(known))}")


def limits(site: Site) -> Finding:
    config = site.config
    largest, count, age = parse.max_array_size(config), parse.max_job_count(config), parse.min_job_age(config)
    told = [
        f"at most {max((largest or 0) - 1, 0):,} allocations in one submission (MaxArraySize)",
        f"{count or 0:,} jobs of all users (MaxJobCount)",
        f"ended jobs are remembered for {render.duration(age or 0)} (MinJobAge)",
        *_told("you in account", "Account", site.associations or []),
        *_told("account", "Account", site.account_limits),
        *_told("QOS", "Name", site.qualities),
    ]
    return worst("; ".join(told), list(_bad(site, largest, age)))


def _bad(site: Site, largest: int | None, age: int | None) -> Iterator[Finding]:
    if largest is not None and largest < 2:
        yield error("arrays of jobs are switched off, and Paddock needs them", "ask for a MaxArraySize of 1001 or more")
    rest = max(site.cluster.rest_seconds, site.cluster.poll_seconds)
    if not site.accounting and age is not None and age < 2 * rest:
        yield warn(
            f"without accounting, a MinJobAge of {age} s is short: ends may be missed, asked for every {rest:g} s",
            f"set rest_seconds in the settings of the backend to {max(age / 3, 1):.0f} or less",
        )


def _told(whose: str, key: str, rows: list[Row]) -> Iterator[str]:
    """`you in account lab: at most 5 jobs submitted at a time`; nothing for who has no limit."""
    for row in rows:
        found = [_WORDS[name].format(_amount(name, row[name])) for name in _WORDS if row.get(name)]
        if found:
            yield f"{whose} {row[key]}: at most {', '.join(found)}"


def _amount(name: str, text: str) -> str:
    span = parse.seconds(text) if name == "MaxWall" else None
    return tres(text) if span is None else units.words(span)


def tres(text: str) -> str:
    """`cpu=8,gres/gpu=2` as `8 cores and 2 GPUs`."""
    if "=" not in text:
        return text
    parts = []
    for item in text.split(","):
        kind, _, amount = item.partition("=")
        base, _, special = kind.partition(":")
        parts.append(f"{amount} {_KINDS.get(base, base)}" + (f" of type {special}" if special else ""))
    return " and ".join(parts)
