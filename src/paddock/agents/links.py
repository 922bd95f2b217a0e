"""The agents of all persons whom the server acts for: one link per person, made when it is first needed."""

import re
import threading
from collections.abc import Sequence

from paddock.agents.link import Link
from paddock.errors import InvalidInput
from paddock.settings import TeamSettings

IDLE_SECONDS = 600.0
_NAME = re.compile(r"[a-z_][a-z0-9_.-]{0,63}")


class Links:
    """One `Link` per Unix account. Any thread may use it. A link starts its agent when it is first asked something."""

    def __init__(self, agent: Sequence[str], folder: str, *, idle_seconds: float = IDLE_SECONDS) -> None:
        """`agent` is the command line, in which {user} stands for the account; so it does in `folder`."""
        self._agent, self._folder, self._idle_seconds = list(agent), folder, idle_seconds
        self._links: dict[str, Link] = {}
        self._lock = threading.Lock()

    @classmethod
    def of(cls, settings: TeamSettings) -> "Links":
        """Return the links that the settings describe."""
        return cls(settings.agent, settings.folder)

    def get(self, user: str) -> Link:
        """Return the link to the agent of a Unix account. Nothing is started."""
        check_account(user)
        with self._lock:
            if user not in self._links:
                argv = [one.replace("{user}", user) for one in self._agent]
                folder = self._folder.replace("{user}", user)
                self._links[user] = Link(user, argv, folder, idle_seconds=self._idle_seconds)
            return self._links[user]

    @property
    def connected(self) -> int:
        """Return the number of agents that run."""
        with self._lock:
            links = list(self._links.values())
        return sum(link.connected for link in links)

    def close(self) -> None:
        """End all agents. What they have started goes on."""
        with self._lock:
            links, self._links = list(self._links.values()), {}
        for link in links:
            link.close(0.0)
        for link in links:  # they leave side by side
            link.close()


def check_account(user: str) -> None:
    """Raise InvalidInput for a name that is not that of a person's Unix account."""
    if not _NAME.fullmatch(user) or user == "root":
        raise InvalidInput.at("unix_name", f"{user!r} is not the name of a person's Unix account")
