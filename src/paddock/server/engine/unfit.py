"""Nodes on which nothing of a job can start, although they answer: an account that is missing there, a full disk."""

from collections.abc import Iterable

from paddock.rules import placement
from paddock.server.engine.backend_worker import BackendWorker
from paddock.server.engine.context import Context, JobFacts
from paddock.server.store import jobs

AVOID_SECONDS = 300.0  # after this such a node is tried again


def avoid(context: Context, facts: JobFacts, worker: BackendWorker, nodes: Iterable[str], why: str, now: float) -> bool:
    """Start nothing of a job on these nodes for a while. Returns False if there is no other node for it."""
    named = sorted(nodes)
    context.unfit |= {(facts.id, node): now + AVOID_SECONDS for node in named}
    able = [one.name for one in placement.eligible_nodes(facts.spec.resources, worker.nodes) if one.usable]
    if all((facts.id, node) in context.unfit for node in able):
        context.unfit = {one: until for one, until in context.unfit.items() if one[0] != facts.id}
        return False
    with context.db.write() as c:
        for node in named:
            text = f"Its tasks cannot start on {node}, and run elsewhere: {why}"
            jobs.change_warning(c, facts.id, f"Its tasks cannot start on {node}, ", text)
    return True
