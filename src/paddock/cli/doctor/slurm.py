"""The checks of Slurm clusters."""

import re
import shutil
import time
from collections import Counter
from collections.abc import Callable

from paddock.backends.slurm import parse, partitions
from paddock.backends.slurm.complaints import message
from paddock.cli import render
from paddock.cli.doctor import accounting, job
from paddock.cli.doctor.finding import Finding, Scope, Status, error, guarded, guarded_all, ok, warn, worst
from paddock.cli.doctor.site import Site
from paddock.errors import BackendError, BackendUnavailable, InvalidInput
from paddock.models import Resources
from paddock.paths import Home
from paddock.settings import Settings, SlurmSettings

NEEDED, HELPFUL = ("sbatch", "squeue", "scancel", "scontrol"), ("sacct", "sinfo")
OLDEST = (20, 11)
SLOW_SECONDS = 2.0
MOST_LISTED = 12


def run_all(settings: Settings | None, home: Home, asked: Scope) -> list[Finding]:
    if settings is None:
        return [warn("not looked at", "correct the settings first").named(asked.backend)] if asked.backend else []
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
    if asked.backend == "local":
        return {}
    found = clusters.get(asked.backend) or (SlurmSettings() if asked.backend == "slurm" else None)
    if found is None:
        known = ", ".join(dict.fromkeys(["local", "slurm", *sorted(clusters)]))
        raise InvalidInput(f"There is no backend {asked.backend!r}; there are: {known}.", fields={"backend": known})
    return {asked.backend: found}


def _hint() -> list[Finding]:
    """Slurm is here, and nobody has asked for it."""
    if shutil.which("sbatch") is None:
        return []
    told = "its commands are here; `paddock up --backend slurm` uses it, and `paddock doctor --backend slurm` tests it"
    return [ok(told).named("slurm")]


def _site(site: Site) -> list[Finding]:
    """From what all else needs to what it is for: what is wrong at the bottom leaves out the rest."""
    found: list[Finding] = []
    for name, check in (("commands", _commands), ("controller", _controller)):
        found.append(_asking(site, name, check))
        if found[-1].status is Status.ERROR:
            return found
    for name, check in (
        ("partitions", _partitions),
        ("nodes", _nodes),
        ("gpus", _gpus),
        ("accounting", accounting.accounting),
        ("limits", accounting.limits),
    ):
        found.append(_asking(site, name, check))
    if site.asked.quick:
        return [*found, _asking(site, "submission", job.trial)]
    of_job = guarded_all("job", lambda: job.run(site))
    return [*found, *(one.named(f"{site.name}: {one.name}") for one in of_job)]


def _asking(site: Site, name: str, check: Callable[[Site], Finding]) -> Finding:
    def made() -> Finding:
        try:
            return check(site)
        except BackendError as fault:
            return error(fault.message, "see what `scontrol ping` says, and whether the backend's settings are right")

    return guarded(f"{site.name}: {name}", made)


# --- the commands and the controller --------------------------------------------------------------------------------


def _commands(site: Site) -> Finding:
    every = " ".join((*NEEDED, *HELPFUL))
    said = site.commands.try_run("sh", "-c", f"for one in {every}; do command -v $one >/dev/null || echo $one; done")
    if said.code:
        return error(
            f"{' '.join(site.cluster.prefix) or 'a shell'} does not work: {message(said.err) or said.code}",
            "correct `prefix` in the settings of the backend",
        )
    absent = said.out.split()
    if any(name in absent for name in NEEDED):
        return error(f"not found: {', '.join(absent)}", _where(site))
    version = site.commands.run("sbatch", "--version").strip()
    found = re.search(r"(\d+)\.(\d+)", version)
    if found and (int(found[1]), int(found[2])) < OLDEST:
        return error(f"{version} is too old", "Slurm 20.11 or newer is needed")
    if absent:
        return warn(f"{version}; not found: {', '.join(absent)}", _where(site))
    return ok(version)


def _where(site: Site) -> str:
    if site.cluster.prefix:
        return "put them on the PATH of the machine or user that `prefix` names"
    return "run Paddock on a login node, or set `prefix` to reach one, such as ['ssh', 'login1']; or extend PATH"


def _controller(site: Site) -> Finding:
    said = site.commands.try_run("scontrol", "ping")
    lines = [line.strip() for line in said.out.splitlines() if line.strip()]
    if not any(line.endswith("UP") for line in lines):
        what = "; ".join(lines) or message(said.err) or "it says nothing"
        fix = "ask who runs the cluster, or correct `conf` in the settings of the backend; nothing more was looked at"
        return error(f"does not answer: {what}", fix)
    took = _squeue_seconds(site)
    told = f"{lines[0]}; squeue answered in {took:.2f} s"
    if took > SLOW_SECONDS:
        return warn(told, f"raise poll_seconds (now {site.cluster.poll_seconds:g}) in the settings of the backend")
    down = [line for line in lines if line.endswith("DOWN")]
    return warn(f"{told}; {'; '.join(down)}", "tell who runs the cluster") if down else ok(told)


def _squeue_seconds(site: Site) -> float:
    began = time.monotonic()
    try:
        site.commands.run("squeue", "-h", "-r", "-t", "all", "-u", site.user, "-o", parse.QUEUE_FORMAT)
    except BackendUnavailable as fault:
        raise BackendUnavailable(f"squeue gets no answer: {fault.message}") from None
    return time.monotonic() - began


# --- what there is --------------------------------------------------------------------------------------------------


def _partitions(site: Site) -> Finding:
    rows = site.partitions
    told = [_partition(row) for row in rows[:MOST_LISTED]] + (["..."] if len(rows) > MOST_LISTED else [])
    bad = [finding for who, wish in site.wishes for finding in _wish(site, who, wish)]
    chosen = site.asked.partition or site.cluster.resources.partition
    if not chosen and not any(row.default for row in rows):
        bad.append(warn("none is the default: every job must name one", "set resources.partition of the backend"))
    return worst("; ".join(told) or "none", bad)


def _partition(row: parse.PartitionRow) -> str:
    parts = [
        "default" if row.default else "",
        row.state.lower() if row.state != "UP" else "",
        render.several(row.total_nodes, "node"),
        f"at most {render.duration(row.max_time)}" if row.max_time else "no time limit",
    ]
    return f"{row.name} ({', '.join(part for part in parts if part)})"


def _wish(site: Site, who: str, wish: Resources) -> list[Finding]:
    if not wish.partition:
        return []
    groups = None if site.user == "root" else site.groups
    found = partitions.faults(site.partitions, wish, groups=groups, accounts=site.accounts)
    return [(error if fault.unknown else warn)(f"{who}: {fault.text}", fault.fix) for fault in found]


def _nodes(site: Site) -> Finding:
    bad = [node for node in site.nodes if not node.usable]
    usable = len(site.nodes) - len(bad)
    told = f"{usable} of {len(site.nodes)} usable"
    if not usable:
        why = ", ".join(sorted({node.reason or node.state for node in bad})) or "none is listed"
        return error(f"{told}: {why}", "ask who runs the cluster")
    listed = [f"{node.name} ({node.reason or node.state})" for node in bad[:MOST_LISTED]]
    return ok(told + (f"; not: {', '.join(listed)}" if bad else "") + ("..." if len(bad) > MOST_LISTED else ""))


def _gpus(site: Site) -> Finding:
    found = Counter(device.name for node in site.nodes for device in node.devices if device.kind == "gpu")
    told = ", ".join(f"{count} {kind}".strip() for kind, count in sorted(found.items())) or "none"
    with_some = sum(any(device.kind == "gpu" for device in node.devices) for node in site.nodes)
    bad = [_gpu_wish(found, who, wish) for who, wish in site.wishes]
    return worst(told + (f" on {render.several(with_some, 'node')}" if found else ""), bad)


def _gpu_wish(found: Counter[str], who: str, wish: Resources) -> Finding:
    if wish.gpu_type and wish.gpu_type not in found:
        kinds = ", ".join(sorted(kind for kind in found if kind)) or "no kind with a name"
        return warn(f"{who}: there are no GPUs of type {wish.gpu_type}", f"set gpu_type to one of: {kinds}")
    if wish.gpus and not found:
        return warn(f"{who}: asks for GPUs, and the cluster has none", "set gpus to 0")
    return ok("")
