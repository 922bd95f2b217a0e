"""A rig of hosts for the contract of backends: real sshd on loopback ports, all of them this machine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from paddock.agents.host_links import HostLinks
from paddock.backends.base import Backend
from paddock.backends.hosts.backend import HostsBackend
from paddock.models import AllocationBatch, Place
from paddock.models.hosts import ListedHost
from paddock.settings import HostsSettings, TeamSettings
from tests.backends.rig import PENDING, Rig, states
from tests.support.nvidia_smi import install_nvidia_smi
from tests.support.sshd import SshRig

LOOK = 0.5  # seconds


@dataclass
class Roster:
    """The hosts that there are, for as long as a test says so."""

    hosts: dict[str, ListedHost]
    back: list[str] = field(default_factory=list)

    def listed(self) -> Sequence[ListedHost]:
        return list(self.hosts.values())

    def found(self, host: str) -> None:
        self.back.append(host)
        self.hosts[host] = ListedHost(host)


class HostsRig(Rig):
    """Allocations lie below the folder of the test, which the hosts see: they are this machine."""

    patience = 180.0

    def __init__(self, folder: Path, ssh: SshRig, *, hosts: Sequence[str] = ("gpu1",), user: str | None = None) -> None:
        super().__init__(folder)
        self.ssh, self.user = ssh, user
        self.roster = Roster({name: ListedHost(name) for name in hosts})
        self.settings = HostsSettings(
            ssh=ssh.ssh, folder=str(folder), look_seconds=LOOK, python="/usr/bin/python3", shared_home=True
        )
        self.team = TeamSettings(folder=str(folder))
        self.links: list[HostLinks] = []
        self.chosen: dict[str, list[Place]] = {}

    def make(self, slots: int, gpus: list[str]) -> HostsBackend:
        for name in self.ssh.names:
            install_nvidia_smi(self.ssh.folder / name / "bin", len(gpus), mark=f"{name}-")
        made = self.begin(slots)
        self.eventually(lambda: all(one.state == "up" for one in made.hosts()))
        return made

    def begin(self, slots: int = 3) -> HostsBackend:
        """Return a backend that has not heard from its hosts yet."""
        settings = self.settings.model_copy(update={"slots": slots})
        self.links.append(HostLinks(settings, self.team, self.folder, answer_seconds=8.0, server=None))
        return HostsBackend("lab", self.folder / "queue", settings, self.links[-1], self.roster)

    def node_names(self) -> set[str]:
        return set(self.roster.hosts)

    def open(self, slots: int = 3, gpus: Sequence[str] = ()) -> Backend:
        return super().open(slots, gpus)

    def submit(self, backend: Backend, batch: AllocationBatch) -> list[str]:
        """Submit to free devices, as the engine would, unless the test has chosen others; the same ones each time.

        Returns when they have started: here that takes a moment.
        """
        first = next(iter(self.roster.hosts))
        if batch.key not in self.chosen:
            kind, each = ("gpu", batch.resources.gpus) if batch.resources.gpus else ("cpu", batch.resources.cpus or 1)
            [node] = [one for one in backend.nodes() if one.name == first]
            free = [d.id for d in node.devices if d.kind == kind and not d.used_by]
            parts = [free[n * each : (n + 1) * each] for n in range(min(batch.count, len(free) // each))]
            self.chosen[batch.key] = [Place(node=first, devices=one) for one in parts]
        if "places" not in batch.model_fields_set:
            batch = batch.model_copy(update={"places": self.chosen[batch.key]})
        here = [Place(node=first if one.node == "here" else one.node, devices=one.devices) for one in batch.places]
        ids = super().submit(backend, batch.model_copy(update={"places": here, "user": self.user}))
        self.eventually(lambda: PENDING not in states(backend, *ids))
        return ids

    def close(self) -> None:
        try:
            super().close()
        finally:
            for backend in self.opened:
                backend.close()
            for links in self.links:
                links.close()
