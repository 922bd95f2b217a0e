"""The checks of Slurm clusters: reachable, partitions, accounting, and a tiny job."""

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from paddock.backends.base import WantedReservation
from paddock.backends.slurm import parse, partitions
from paddock.backends.slurm.backend import SlurmBackend
from paddock.backends.slurm.commands import Commands
from paddock.backends.slurm.complaints import message
from paddock.cli import render
from paddock.cli.doctor.finding import Finding, Scope, Status, error, guarded, guarded_all, ok, warn, worst
from paddock.errors import BackendError, InvalidInput
from paddock.models import Resources, SlurmResources
from paddock.paths import Home
from paddock.settings import HostsSettings, KubernetesSettings, LocalSettings, Settings, SlurmSettings

NEEDED = ("sbatch", "squeue", "scancel", "scontrol")
OLDEST = (20, 11)
MOST_LISTED = 12
FAR_SECONDS = 300 * 86_400.0
BUSY = "nodes are busy"  # with a job that has no time limit: the right to reserve was looked at before


@dataclass(frozen=True)
class Site:
    """One cluster; each thing is asked for once."""

    name: str
    cluster: SlurmSettings
    settings: Settings
    home: Home
    asked: Scope

    @cached_property
    def backend(self) -> SlurmBackend:
        return SlurmBackend(self.name, self.cluster)

    @property
    def commands(self) -> Commands:
        return self.backend.commands

    @property
    def requests(self) -> Iterator[tuple[str, Resources]]:
        """Return who asks for which resources of this cluster."""
        yield "the settings of the backend", self.cluster.resources
        for name, profile in sorted(self.settings.profiles.items()):
            if (profile.backend or self.settings.backend) == self.name:
                yield f"profile {name!r}", profile
        if self.asked.partition:
            yield "--partition", Resources(slurm=SlurmResources(partition=self.asked.partition))

    @cached_property
    def user(self) -> str:
        """The user whose jobs these are: behind a prefix it may be another."""
        return self.commands.run("id", "-un").strip()

    @cached_property
    def config(self) -> dict[str, str]:
        return parse.config(self.commands.run("scontrol", "show", "config"))

    @cached_property
    def partitions(self) -> list[parse.PartitionRow]:
        return parse.partitions(self.commands.run("scontrol", "show", "partitions", "-o"))

    @cached_property
    def accounts(self) -> set[str] | None:
        """The accounts of this user on this cluster; None: not known."""
        if not parse.has_accounting(self.config):
            return None
        try:
            out = self.commands.run(
                "sacctmgr", "-n", "-P", "show", "assoc", f"user={self.user}", "format=Cluster,Account"
            )
        except BackendError:
            return None
        rows = [line.split("|") for line in out.splitlines()]
        return {row[1] for row in rows if len(row) == 2 and row[0] == parse.cluster_name(self.config)}


def run_all(settings: Settings | None, home: Home, asked: Scope) -> list[Finding]:
    if settings is None:
        return [warn("not checked", "correct the settings first").named(asked.backend)] if asked.backend else []
    chosen = _chosen(settings, asked)
    if not chosen:
        return _hint() if asked.backend is None else []
    return [
        finding for name, cluster in chosen.items() for finding in _site(Site(name, cluster, settings, home, asked))
    ]


def _chosen(settings: Settings, asked: Scope) -> dict[str, SlurmSettings]:
    clusters = settings.clusters
    if asked.backend is None:
        return dict(sorted(clusters.items()))
    every = settings.every_backend
    found = every.get(asked.backend) or (SlurmSettings() if asked.backend == "slurm" else None)
    if isinstance(found, LocalSettings | HostsSettings | KubernetesSettings):
        return {}
    if found is None:
        known = ", ".join(dict.fromkeys(["local", "slurm", *sorted(every)]))
        raise InvalidInput(f"There is no backend {asked.backend!r}; there are: {known}.", fields={"backend": known})
    return {asked.backend: found}


def _hint() -> list[Finding]:
    """Report that Slurm is here, though nobody has asked for it."""
    if shutil.which("sbatch") is None:
        return []
    hint = "its commands are here; `paddock up --backend slurm` uses it, and `paddock doctor --backend slurm` tests it"
    return [ok(hint).named("slurm")]


def _site(site: Site) -> list[Finding]:
    """Check what all else needs first: if that fails, the rest is left out."""
    from paddock.cli.doctor import job

    found: list[Finding] = []
    for name, check in (("commands", _commands), ("controller", _controller)):
        found.append(_asking(site, name, check))
        if found[-1].status is Status.ERROR:
            return found
    found += [_asking(site, "partitions", _partitions), _asking(site, "accounting", _accounting)]
    if site.cluster.reservations != "off":
        found.append(_asking(site, "reservations", _reservations))
    if site.asked.quick:
        return [*found, _asking(site, "submission", job.trial)]
    of_job = guarded_all("job", lambda: job.run(site))
    return [*found, *(one.named(f"{site.name}: {one.name}") for one in of_job)]


def _asking(site: Site, name: str, check: Callable[[Site], Finding]) -> Finding:
    def made() -> Finding:
        try:
            return check(site)
        except BackendError as fault:
            return error(fault.message, "look at the output of `scontrol ping`, and check the settings of the backend")

    return guarded(f"{site.name}: {name}", made)


# --- reachable ------------------------------------------------------------------------------------------------------


def _commands(site: Site) -> Finding:
    answer = site.commands.try_run(
        "sh", "-c", f"for one in {' '.join(NEEDED)}; do command -v $one >/dev/null || echo $one; done"
    )
    if answer.code:
        return error(
            f"{' '.join(site.cluster.prefix) or 'a shell'} does not work: {message(answer.err) or answer.code}",
            "correct `prefix` in the settings of the backend",
        )
    if absent := answer.out.split():
        fix = "run Paddock on a login node, or set `prefix` to reach one, such as ['ssh', 'login1']; or extend PATH"
        if site.cluster.prefix:
            fix = "put them on the PATH of the node or user that `prefix` names"
        return error(f"not found: {', '.join(absent)}", fix)
    version = site.commands.run("sbatch", "--version").strip()
    found = re.search(r"(\d+)\.(\d+)", version)
    if found and (int(found[1]), int(found[2])) < OLDEST:
        return error(f"{version} is too old", "Slurm 20.11 or newer is needed")
    return ok(version)


def _controller(site: Site) -> Finding:
    answer = site.commands.try_run("scontrol", "ping")
    lines = [line.strip() for line in answer.out.splitlines() if line.strip()]
    if not any(line.endswith("UP") for line in lines):
        what = "; ".join(lines) or message(answer.err) or "it printed nothing"
        fix = "ask who runs the cluster, or correct `conf` in the settings of the backend; nothing more was checked"
        return error(f"does not answer: {what}", fix)
    site.commands.run("squeue", "-h", "-u", site.user)  # it may be the one command that gets no answer
    down = [line for line in lines if line.endswith("DOWN")]
    return warn("; ".join(lines), "report it to who runs the cluster") if down else ok(lines[0])


# --- partitions and accounting --------------------------------------------------------------------------------------


def _partitions(site: Site) -> Finding:
    rows = site.partitions
    listed = [_partition(row) for row in rows[:MOST_LISTED]] + (["..."] if len(rows) > MOST_LISTED else [])
    bad = [finding for who, wanted in site.requests for finding in _faults(site, who, wanted)]
    chosen = site.asked.partition or site.cluster.resources.slurm.partition
    if not chosen and not any(row.default for row in rows):
        bad.append(warn("none is the default: every job must name one", "set resources.slurm.partition of the backend"))
    return worst("; ".join(listed) or "none", bad)


def _partition(row: parse.PartitionRow) -> str:
    parts = [
        "default" if row.default else "",
        row.state.lower() if row.state != "UP" else "",
        render.several(row.total_nodes, "node"),
        f"at most {render.duration(row.max_time)}" if row.max_time else "no time limit",
    ]
    return f"{row.name} ({', '.join(part for part in parts if part)})"


def _faults(site: Site, who: str, wanted: Resources) -> list[Finding]:
    if not wanted.slurm.partition:
        return []
    groups = None if site.user == "root" else set(site.commands.run("id", "-Gn").split())
    found = partitions.faults(site.partitions, wanted, groups=groups, accounts=site.accounts)
    return [(error if fault.unknown else warn)(f"{who}: {fault.text}", fault.fix) for fault in found]


def _accounting(site: Site) -> Finding:
    if not parse.has_accounting(site.config):
        return _without_accounting(site)
    reached = site.commands.try_run("sacct", "-X", "-n", "-P", "-S", "now", "-o", "JobID")
    if reached.code:
        reason = message(reached.err).replace("\n", "; ") or f"sacct ended with code {reached.code}"
        fix = "ask who runs the cluster; until then, causes may remain unknown"
        return warn(f"on, but its database does not answer: {reason}", fix)
    if site.accounts is None:
        return ok("on; who may use what cannot be looked up (sacctmgr)")
    # Whatever can be enforced also enforces associations, apart from these.
    enforce = site.config.get("AccountingStorageEnforce", "none").lower()
    enforced = enforce not in ("", "none", "(null)", "nojobs", "nosteps")
    if not site.accounts:
        detail = f"on; user {site.user} is in no account of cluster {parse.cluster_name(site.config)}"
        fix = f"ask who runs the cluster: sacctmgr add user {site.user} account=..."
        return error(f"{detail}, and Slurm refuses jobs of such users", fix) if enforced else ok(detail)
    known = ", ".join(sorted(site.accounts))
    bad = [
        error(f"{who}: you are not in account {wanted.slurm.account}", f"choose one of {known}")
        for who, wanted in site.requests
        if enforced and wanted.slurm.account and wanted.slurm.account not in site.accounts
    ]
    return worst(f"on, and its database answers; user {site.user} is in {known}", bad)


def _without_accounting(site: Site) -> Finding:
    age = parse.min_job_age(site.config) or 0
    rest = max(site.cluster.rest_seconds, site.cluster.poll_seconds)
    sooner = f"set rest_seconds in the settings of the backend to {max(age / 3, 1):.0f} or less; " * (age < 2 * rest)
    return warn(
        f"off: Slurm forgets a job {render.duration(age)} after its end (MinJobAge); why an allocation ended "
        "while the server was down for longer than that cannot be known, and its tasks are taken for lost",
        f"{sooner}keep the server running, or ask who runs the cluster for accounting (slurmdbd)",
    )


# --- reservations ---------------------------------------------------------------------------------------------------


def _reservations(site: Site) -> Finding:
    """Reserve a node for a minute in a far future, and delete that again."""
    gpus = site.cluster.reservations == "gpus"
    node = next((node.name for node in site.backend.nodes() if any(one.kind == "gpu" for one in node.devices)), None)
    if node is None:
        return warn("no node has GPUs: there is nothing to reserve", "set `reservations` of the backend to off")
    starts_at = time.time() + FAR_SECONDS
    wanted = WantedReservation(f"doctor-{os.getpid()}", {node: 1 if gpus else None}, (), starts_at, starts_at + 60)
    made = site.backend.reserve([wanted], {wanted.id})[wanted.id]
    site.backend.reserve([], {wanted.id})
    if made.state == "yes" or BUSY in (made.why or ""):
        return ok(f"Slurm lets this server reserve {'single GPUs' if gpus else 'nodes'}, and delete that again")
    fix = "see 'On Slurm' in docs/reservations.md: an operator of Slurm, or `operator_prefix`"
    if gpus:
        fix += "; single GPUs need Slurm 24.11: or set `reservations` to nodes"
    return error(f"Slurm refuses to reserve {node}: {made.why}", fix)
