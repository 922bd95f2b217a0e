"""As whom the jobs of a caller run."""

from paddock.errors import Conflict
from paddock.server.api.caller import Caller
from paddock.server.api.server import Server
from paddock.server.outposts.person import Person
from paddock.server.store import places


def runs_as(at: Server, by: Caller) -> str | None:
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


def workbench(at: Server, by: Caller) -> Person | None:
    """Return where the Python of a caller's jobs is looked for and tried; None: as the user of the server."""
    user = runs_as(at, by)
    return at.outposts.person(user) if user else None
