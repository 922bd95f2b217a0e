"""Which outpost each job has."""

from paddock.paths import Home
from paddock.server.outposts.here import Here
from paddock.server.outposts.outpost import Outpost


class Outposts:
    """The outposts of all jobs. Any thread may ask."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def of(self, job: str) -> Outpost:
        return Here(self._home, job)
