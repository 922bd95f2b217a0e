"""Slurm's commands as the owner of an allocation, through that person's agent, each person in a thread of their own.

An id of such an allocation names its owner: `123_4@alice`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate

from paddock.agents.answers import FarResult
from paddock.agents.links import Links
from paddock.agents.places import below_root
from paddock.errors import AgentUnavailable, BackendClosed, BackendUnavailable

WAIT_SECONDS = 10.0  # then the other requests to the scheduler go on
OWNER = "@"


def with_owner(one: str, user: str | None) -> str:
    return f"{one}{OWNER}{user}" if user else one


def by_owner(ids: Iterable[str]) -> Mapping[str | None, list[str]]:
    """Return the scheduler's own ids by the owner of the allocation; None: the server."""
    found: dict[str | None, list[str]] = defaultdict(list)
    for one in ids:
        own, _, user = one.partition(OWNER)
        found[user or None].append(own)
    return found


class Owners:
    """Runs commands and reads files as the owners of allocations."""

    def __init__(self, links: Links | None) -> None:
        self._links = links
        self._threads: dict[str, ThreadPoolExecutor] = {}
        self._running: dict[str, Future[FarResult]] = {}

    def run(
        self, user: str, argv: Sequence[str], text: str | None, seconds: float, env: Mapping[str, str]
    ) -> FarResult:
        """Run a command to its end. Raise BackendClosed if the agent does not answer: others can go on."""
        if self._links is None:
            raise BackendClosed("this server was started without agents")
        if user in self._running and not self._running[user].done():
            raise BackendClosed(f"The agent of {user} does not answer.")
        link = self._links.get(user)
        thread = self._threads.setdefault(user, ThreadPoolExecutor(1, thread_name_prefix=f"slurm of {user}"))
        stdin = (text or "").encode()
        future = self._running[user] = thread.submit(link.run, argv, stdin=stdin, seconds=seconds, env=env)
        try:
            result = future.result(WAIT_SECONDS)
        except TooLate:
            raise BackendClosed(f"The agent of {user} does not answer.") from None
        except AgentUnavailable as error:
            raise BackendClosed(error.message) from None
        except OSError as error:
            raise BackendUnavailable(f"`{argv[0]}` cannot be run as {user} ({error.strerror})") from None
        if result.code is None:
            raise BackendUnavailable(f"`{argv[0]}` did not answer {user} within {seconds:g} s")
        return result

    def text(self, user: str, path: str) -> str:
        """Return a short file of a person; nothing if there is none."""
        if self._links is None:
            return ""
        link = self._links.get(user)
        try:
            return link.read(below_root(link, path), 0, 1000).data.decode(errors="replace").strip()
        except OSError:
            return ""
        except AgentUnavailable as error:
            raise BackendClosed(error.message) from None
