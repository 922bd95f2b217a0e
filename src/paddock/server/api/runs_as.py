"""Where the jobs of a caller run, and as whom."""

import time

from paddock.errors import Conflict
from paddock.models import Resources
from paddock.server.api.caller import Caller
from paddock.server.api.server import Server
from paddock.server.intake import defaults
from paddock.server.outposts.person import JobSite
from paddock.server.store import places

NEW_SECONDS = 8.0  # a host may take this long to answer for the first time


def site_of(at: Server, by: Caller, given: Resources) -> JobSite:
    """Return where a job with these resources would be. It may block.

    Raise Conflict if the caller has no account to run as, and AgentUnavailable if it cannot be used.
    """
    resources = defaults.resolve(given, at.settings)
    backend = resources.backend or at.settings.backend
    hosts = at.settings.fleets.get(backend)
    if hosts is None or hosts.shared_home:
        user = _runs_as(at, by)
        return JobSite(user, workbench=at.outposts.person(user) if user else None)
    user = None if hosts.as_user == "none" else _runs_as(at, by)
    found = at.outposts.person_on(backend, _candidates(at, backend, resources), user)
    return JobSite(user, backend, found.with_python(hosts.python))


def _candidates(at: Server, backend: str, resources: Resources) -> list[str]:
    """Return the hosts that a job may run on and that answered when they were last asked.

    Just after the start of a server nothing is known of them: then it waits a little.
    """
    only, until = resources.hosts.names, time.monotonic() + NEW_SECONDS
    while True:
        states = {one.name: one.state for one in at.engine.hosts() if one.backend == backend}
        wanted = [name for name in states if not only or name in only]
        found = [name for name in wanted if states[name] == "up"]
        if found or "new" not in map(states.get, wanted) or time.monotonic() > until:
            return found
        time.sleep(0.1)


def _runs_as(at: Server, by: Caller) -> str | None:
    """Return the Unix account that jobs of a caller run as; None: the server's. Raise Conflict if there is none."""
    if at.settings.team.run_as != "user" or not by.team:
        return None
    with at.db.read() as c:
        name = places.unix_name_of(c, by.name)
    if name is None:
        raise Conflict(
            f"Here jobs run as the Unix account of whoever submits them, and the account {by.name} has none: ask an "
            "administrator of this server to enter it under People."
        )
    return name
