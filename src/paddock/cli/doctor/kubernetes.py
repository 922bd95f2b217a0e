"""The checks of Kubernetes clusters: the rights, the storage, the nodes, and a tiny pod that sees the home."""

import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from paddock.backends.kubernetes import pods
from paddock.backends.kubernetes.backend import KubernetesBackend, account
from paddock.backends.kubernetes.commands import complaint
from paddock.cli.doctor.finding import Finding, Scope, error, guarded, ok, warn, worst
from paddock.errors import BackendError
from paddock.models import AllocationBatch, AllocationState, AllocationStatus, Resources
from paddock.paths import Home
from paddock.settings import KubernetesSettings, Settings

RIGHTS = ("create", "list", "delete", "patch")
SEE_RIGHTS = "apply docs/kubernetes-rights.yaml with the names of your namespace and account"
TINY = "import os, sys; print('%d.%d' % sys.version_info[:2], os.getuid())"
PACE_SECONDS = 0.5


def run_all(settings: Settings | None, home: Home, asked: Scope) -> list[Finding]:
    """Return what was found of each cluster."""
    clusters = settings.pod_clusters if settings is not None else {}
    found: list[Finding] = []
    for name, one in clusters.items():
        if asked.backend in (None, name):
            found += _cluster(name, one, home, asked)
    return found


def _cluster(name: str, settings: KubernetesSettings, home: Home, asked: Scope) -> list[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        site = _Site(KubernetesBackend(name, Path(folder), settings, home.root), settings, home, asked)
        rights = guarded(f"{name}: rights", lambda: _answered(site.rights))
        if rights.status == "error":  # all else would fail for the same reason
            return [rights]
        checks: dict[str, Callable[[], Finding]] = {"storage": site.storage, "nodes": site.nodes}
        if not asked.quick:
            checks["tiny pod"] = site.tiny_pod
        return [rights, *(guarded(f"{name}: {what}", lambda c=check: _answered(c)) for what, check in checks.items())]  # type: ignore[misc]


def _answered(check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except BackendError as fault:
        return error(fault.message, "try `kubectl get pods` as the server's user, with the context of the settings")


class _Site:
    def __init__(self, backend: KubernetesBackend, settings: KubernetesSettings, home: Home, asked: Scope) -> None:
        self._backend, self._settings, self._home, self._asked = backend, settings, home, asked

    def rights(self) -> Finding:
        lacking = []
        for verb in RIGHTS:
            result = self._backend.kubectl.try_run("auth", "can-i", verb, "pods")
            if result.code and not result.out.startswith("no"):
                raise complaint(result.err)
            lacking += [verb] if result.code else []
        if lacking:
            return error(f"the account may not {', '.join(lacking)} pods", SEE_RIGHTS)
        return ok("kubectl answers, and pods may be created, listed, deleted and changed")

    def storage(self) -> Finding:
        found = []
        if not pods.shows_home(self._settings, account(self._home.root)):
            fix = "name storage in `volumes` of the backend that contains it, at the path that it has here"
            found.append(error(f"pods do not see Paddock's home {self._home.root}", fix))
        for one in self._settings.volumes:
            if one.claim is not None:
                found += self._claim(one.claim, one.read_only)
        return worst("pods see Paddock's home", found)

    def _claim(self, name: str, read_only: bool) -> list[Finding]:
        answer = self._backend.kubectl.read("get", "persistentvolumeclaim", name)
        spec, status = _map(_map(answer).get("spec")), _map(_map(answer).get("status"))
        modes = spec.get("accessModes")
        wanted = {"ReadWriteMany", "ReadOnlyMany"} if read_only else {"ReadWriteMany"}
        found = []
        if status.get("phase") != "Bound":
            found.append(error(f"the claim {name} is not bound", f"kubectl describe persistentvolumeclaim {name}"))
        if not wanted & set(modes if isinstance(modes, list) else []):
            fix = "use storage that several nodes can mount at a time (NFS, CephFS, Lustre)"
            found.append(warn(f"the claim {name} is not ReadWriteMany: pods on several nodes may wait for it", fix))
        return found

    def nodes(self) -> Finding:
        nodes = self._backend.nodes()
        usable = [node for node in nodes if node.usable]
        gpus = sum(one.kind == "gpu" for node in usable for one in node.devices)
        if not usable:
            reason = next((node.reason for node in nodes if node.reason), "there are none")
            return error(f"no node takes pods: {reason}", "look at `node_selector` and `tolerations` of the backend")
        return ok(f"{len(usable)} of {len(nodes)} take pods, with {gpus} GPUs")

    def tiny_pod(self) -> Finding:
        """Run a pod as a job would have it: it writes into the home, as the server's user."""
        if not (image := self._settings.job_resources.container or self._asked.container):
            return warn("not tried: there is no image", "set `image` of the backend, or give --container")
        name = f"doctor-{secrets.token_hex(4)}"
        folder = self._home.root / name
        resources = Resources(gpus=self._asked.gpus, cpus=1, container=self._asked.container or image)
        batch = AllocationBatch(
            key=name,
            name=f"paddock-{name}",
            folder=str(folder),
            runner=[self._settings.python, "-c", TINY],
            resources=resources.model_copy(update={"time_limit": 600}),
        )
        here = Path(batch.folder_of(0))
        here.mkdir(parents=True)
        try:
            return self._judge(batch, here)
        finally:
            self._backend.cancel([pods.name_of(batch, 0)])
            self._backend.poll([])  # what has ended is deleted, too
            shutil.rmtree(here, ignore_errors=True)

    def _judge(self, batch: AllocationBatch, here: Path) -> Finding:
        [one] = self._backend.submit(batch)
        end, status = time.monotonic() + self._asked.wait, AllocationStatus(state=AllocationState.PENDING)
        self._asked.note(f"a tiny pod was asked for: {one}")
        while status.state is not AllocationState.ENDED and time.monotonic() < end:
            time.sleep(PACE_SECONDS)
            status = self._backend.poll([one]).get(one, status)
            if status.never:
                break
        if status.state is not AllocationState.ENDED:
            why = status.reason or "it runs"
            return error(f"it has not ended within {self._asked.wait:g} s: {why}", "wait for longer with --wait")
        log = here / "out.log"
        said = log.read_text(errors="replace")[:1000].strip() if log.exists() else ""
        if not said:
            why = status.reason or "it wrote nothing into Paddock's home"
            return error(f"it ran, but {why}", "the home must be the same storage in pods and here, and writable there")
        version, _, uid = said.partition(" ")
        if not uid.isdigit():
            return error(f"its Python failed: {said[-300:]}", "set `python` of the backend to one of the image")
        return ok(f"ran on {status.node}, Python {version}, and wrote into Paddock's home")


def _map(given: object) -> Mapping[str, Any]:
    return given if isinstance(given, dict) else {}
