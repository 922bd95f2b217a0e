"""Where things lie behind an agent."""

from paddock.agents.link import Link
from paddock.errors import AgentUnavailable


def below_root(link: Link, path: str) -> str:
    """Return an absolute path of the person as the agent knows it: relative to its root folder."""
    about = link.hello()
    if not path.startswith(f"{about.root}/"):
        raise AgentUnavailable(
            f"The agent of {about.user} works in {about.root}, and the job is in {path}: set team.folder back."
        )
    return path[len(about.root) + 1 :]
