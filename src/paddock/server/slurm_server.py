"""The server as a Slurm job: how it is submitted, found, replaced and cancelled.

Every Slurm job ends at its time limit. Before that, Slurm sends SIGUSR1; the server then submits its successor and
continues. Once the successor runs, it takes over: see `paddock.server.serve`.
"""

import logging
import shlex
import signal
import sys
import threading
import time
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from paddock.backends.slurm import parse
from paddock.backends.slurm.commands import Commands
from paddock.backends.slurm.parse import QueueRow
from paddock.errors import BackendError, InvalidInput
from paddock.home import server_file
from paddock.models import Resources
from paddock.models.units import clock, words
from paddock.paths import Home, write_once
from paddock.settings import Settings, SlurmSettings

NAME = "paddock-server"
LONGEST_SECONDS = 7 * 86_400
CPUS, MEMORY = 2, 4 * 1024**3
WARN_SECONDS = 600
AGAIN_SECONDS = 15.0
_FORMAT = f"{parse.QUEUE_FORMAT}|%Z"  # the name comes last in it; the working folder distinguishes servers
log = logging.getLogger("paddock.hosting")


class SlurmServerPlan(BaseModel):
    """How the server was submitted. Its successors are submitted in the same way."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    cluster: str
    python: str
    port: int
    resources: Resources

    @property
    def limit(self) -> int:
        return self.resources.time_limit or LONGEST_SECONDS

    def script(self, home: Home, *, succeed: bool) -> str:
        argv = [self.python, "-m", "paddock", "--home", str(home.root), "up"]
        argv += ["--host", "0.0.0.0", "--port", str(self.port), "--hosted", self.cluster]  # noqa: S104
        command = shlex.join(argv + (["--succeed"] if succeed else []))
        return f"#!/bin/bash\ntrap '' USR1  # until the server itself listens to it\nexec {command}\n"

    def options(self, home: Home) -> list[str]:
        asked = self.resources
        warn = min(WARN_SECONDS, self.limit // 3)
        given: list[tuple[str, object]] = [
            ("job-name", NAME),
            ("chdir", home.root),
            ("output", str(home.root / "server.log").replace("%", "%%")),
            ("open-mode", "append"),
            ("partition", asked.slurm.partition),
            ("account", asked.slurm.account),
            ("qos", asked.slurm.qos),
            ("nodes", 1),
            ("ntasks", 1),
            ("cpus-per-task", asked.cpus or CPUS),
            ("mem", f"{-(-(asked.memory or MEMORY) // 1024**2)}M"),
            ("time", clock(-(-self.limit // 60) * 60)),
            ("signal", f"B:USR1@{warn}"),
        ]
        # After a node failure or a preemption, Slurm starts it again.
        return [*(f"--{name}={value}" for name, value in given if value is not None), "--requeue"]


class SlurmServer:
    """The Slurm jobs of the server of one home."""

    def __init__(self, home: Home, cluster: str, settings: SlurmSettings) -> None:
        self.home = home
        self.cluster = cluster
        self.commands = Commands(settings)
        self._settings = settings

    def plan(self, asked: Resources, port: int) -> SlurmServerPlan:
        """Return the plan, with the partition's longest time by default. Raises InvalidInput if it is exceeded."""
        partition = asked.slurm.partition
        longest = self._longest(partition)
        if asked.time_limit and longest and asked.time_limit > longest:
            where = f"partition {partition}" if partition else "the default partition"
            raise InvalidInput.at("resources.time_limit", f"{where} allows at most {words(longest)}", "--time")
        limit = asked.time_limit or min(longest or LONGEST_SECONDS, LONGEST_SECONDS)
        slurm = asked.slurm.model_copy(
            update={"account": asked.slurm.account or self._settings.resources.slurm.account}
        )
        resources = asked.model_copy(update={"time_limit": limit, "slurm": slurm})
        return SlurmServerPlan(cluster=self.cluster, python=sys.executable, port=port, resources=resources)

    def _longest(self, partition: str | None) -> int | None:
        rows = parse.partitions(self.commands.run("scontrol", "show", "partitions", "--oneliner"))
        wanted = set((partition or "").split(",")) - {""}
        limits = [row.max_time for row in rows if (row.name in wanted if wanted else row.default)]
        return min((limit for limit in limits if limit is not None), default=None)

    def start(self, asked: SlurmServerPlan) -> str:
        """Submit the first server and return the id of its Slurm job."""
        self.home.create()
        (self.home.root / "server.log").touch(mode=0o600)
        write_once(server_file.hosted(self.home), asked.model_dump_json(indent=1), mode=0o600)
        return self._submit(asked, succeed=False)

    def succeed(self) -> str:
        """Submit a successor in the same way as the first server, and return the id of its Slurm job."""
        return self._submit(read(self.home), succeed=True)

    def _submit(self, asked: SlurmServerPlan, *, succeed: bool) -> str:
        text = asked.script(self.home, succeed=succeed)
        out = self.commands.run("sbatch", "--parsable", *asked.options(self.home), text=text)
        found = parse.job_id(out)
        if found is None:
            raise BackendError(f"`sbatch` gave no id: {out.strip()!r}")
        return found

    def jobs(self) -> list[QueueRow]:
        """Return the servers that wait or run."""
        rows = parse.queue(self.commands.run("squeue", "-h", "--me", "-n", NAME, "-o", _FORMAT))
        return [row for row in rows if row.name == f"{NAME}|{self.home.root}" and row.state != "COMPLETING"]

    def end(self, ids: Sequence[str]) -> None:
        """End a server with SIGINT first, so that it cleans up."""
        self.commands.try_run("scancel", "--batch", "--signal=TERM", *ids)

    def cancel(self, ids: Sequence[str]) -> None:
        self.commands.run("scancel", *ids)


def read(home: Home) -> SlurmServerPlan:
    """Return the stored plan. Raises OSError or ValueError if no server was ever submitted."""
    return SlurmServerPlan.model_validate_json(server_file.hosted(home).read_text())


def host(settings: Settings, home: Home, cluster: str | None = None) -> SlurmServer:
    """Return the server's Slurm jobs on `cluster`; default: the backend for jobs, or the only cluster."""
    name = cluster or (settings.backend if settings.backend != "local" else None)
    if name is None:
        names = sorted(settings.clusters)
        if len(names) > 1:
            raise InvalidInput(f"There are several clusters: choose one with --backend ({', '.join(names)}).")
        name = names[0] if names else "slurm"
    found = settings.clusters.get(name) or (SlurmSettings() if name == "slurm" else None)
    if found is None:
        known = ", ".join(sorted({"slurm", *settings.clusters}))
        raise InvalidInput(f"There is no Slurm cluster {name!r} in the settings; there are: {known}.")
    return SlurmServer(home, name, found)


class Handover:
    """Submits the successor when Slurm signals that the time limit is near."""

    def __init__(self, here: SlurmServer, mine: str | None) -> None:
        self._host = here
        self._mine = mine
        self._asking: threading.Thread | None = None

    def arm(self) -> None:
        signal.signal(signal.SIGUSR1, self._signalled)

    def _signalled(self, *_: object) -> None:
        if self._asking is None or not self._asking.is_alive():
            self._asking = threading.Thread(target=self._ask, name="successor", daemon=True)
            self._asking.start()

    def _ask(self) -> None:
        while True:
            try:
                known = [row.id for row in self._host.jobs() if row.id != self._mine]
                found = known[0] if known else self._host.succeed()
                log.info("this server's time limit is near; Slurm job %s will take over", found)
                return
            except (BackendError, OSError, ValueError) as error:
                log.warning("the successor could not be submitted (%s); trying again in %g s", error, AGAIN_SECONDS)
                time.sleep(AGAIN_SECONDS)
