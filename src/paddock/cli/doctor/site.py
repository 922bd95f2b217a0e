"""A Slurm cluster as `paddock doctor` looks at it: each thing is asked for once."""

from collections.abc import Iterator
from functools import cached_property

from paddock.backends.slurm import parse
from paddock.backends.slurm.backend import SlurmBackend
from paddock.backends.slurm.commands import Commands
from paddock.cli.doctor.finding import Scope
from paddock.errors import BackendError
from paddock.models import Node, Resources
from paddock.paths import Home
from paddock.settings import Settings, SlurmSettings

_ASSOCIATION = ("Cluster", "Account", "User", "MaxJobs", "MaxSubmit", "MaxTRES", "MaxWall", "GrpTRES", "GrpJobs", "QOS")
_QOS = ("Name", "MaxJobsPU", "MaxSubmitPU", "MaxTRESPU", "MaxWall", "GrpTRES", "GrpJobs")

Row = dict[str, str]


class Site:
    def __init__(self, name: str, cluster: SlurmSettings, settings: Settings, home: Home, asked: Scope) -> None:
        self.name = name
        self.cluster = cluster
        self.settings = settings
        self.home = home
        self.asked = asked
        self.backend = SlurmBackend(name, cluster)

    @property
    def commands(self) -> Commands:
        return self.backend.commands

    @property
    def wishes(self) -> Iterator[tuple[str, Resources]]:
        """Who asks for which resources of this cluster."""
        yield "the settings of the backend", self.cluster.resources
        for name, profile in sorted(self.settings.profiles.items()):
            if (profile.backend or self.settings.backend) == self.name:
                yield f"profile {name!r}", profile
        if self.asked.partition:
            yield "--partition", Resources(partition=self.asked.partition)

    # --- what the cluster says ----------------------------------------------------------------------------------------

    @cached_property
    def user(self) -> str:
        """The user whose jobs these are: behind a prefix it may be another."""
        return self.commands.run("id", "-un").strip()

    @cached_property
    def groups(self) -> set[str]:
        return set(self.commands.run("id", "-Gn").split())

    @cached_property
    def config(self) -> dict[str, str]:
        return parse.config(self.commands.run("scontrol", "show", "config"))

    @cached_property
    def partitions(self) -> list[parse.PartitionRow]:
        return parse.partitions(self.commands.run("scontrol", "show", "partitions", "-o"))

    @cached_property
    def nodes(self) -> list[Node]:
        return list(self.backend.nodes())

    @cached_property
    def accounting(self) -> bool:
        return parse.has_accounting(self.config)

    @cached_property
    def associations(self) -> list[Row] | None:
        """This user's on this cluster. None: not known."""
        rows = self._manager(_ASSOCIATION, "assoc", f"user={self.user}")
        return None if rows is None else [row for row in rows if row["Cluster"] == parse.cluster_name(self.config)]

    @cached_property
    def account_limits(self) -> list[Row]:
        """The associations of the user's accounts as such."""
        accounts = ",".join(sorted(self.accounts or ()))
        rows = self._manager(_ASSOCIATION, "assoc", f"account={accounts}") if accounts else None
        cluster = parse.cluster_name(self.config)
        return [row for row in rows or [] if not row["User"] and row["Cluster"] == cluster]

    @cached_property
    def qualities(self) -> list[Row]:
        """The QOS that this user may choose."""
        allowed = {name for row in self.associations or [] for name in row["QOS"].split(",") if name}
        return [row for row in self._manager(_QOS, "qos") or [] if row["Name"] in allowed] if allowed else []

    @cached_property
    def accounts(self) -> set[str] | None:
        return None if self.associations is None else {row["Account"] for row in self.associations}

    @cached_property
    def default_account(self) -> str | None:
        rows = self._manager(("DefaultAccount",), "user", self.user)
        return rows[0]["DefaultAccount"] or None if rows else None

    def _manager(self, fields: tuple[str, ...], *what: str) -> list[Row] | None:
        """`sacctmgr show`. None where it is not there, or its database does not answer."""
        if not self.accounting:
            return None
        try:
            out = self.commands.run("sacctmgr", "-n", "-P", "show", *what, f"format={','.join(fields)}")
        except BackendError:
            return None
        rows = [line.split("|") for line in out.splitlines()]
        return [dict(zip(fields, row, strict=True)) for row in rows if len(row) == len(fields)]
