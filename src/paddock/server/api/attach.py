"""The route that says where a task can be attached to."""

import os
import pwd
import sys

from fastapi import APIRouter

from paddock.errors import Conflict
from paddock.models import AttachPoint, TaskState
from paddock.server.api.permissions import TaskId
from paddock.server.api.server import At
from paddock.server.store import allocations, tasks
from paddock.settings import HostsSettings

router = APIRouter()


@router.get("/{task}/attach")
def where_to_attach(task: TaskId, at: At) -> AttachPoint:
    """Return where a running task is: its node, its process, and how the node is reached.

    It is for its owner only. Nothing of the task's environment is in it: whoever attaches reads that on the node, with
    the rights that they have there.
    """
    context = at.engine.context
    with at.db.read() as c:
        found = tasks.get(c, tasks.existing(c, task), context.silent, context.waits)
        attempt = tasks.attempts_of(c, found.id)[-1]
        allocation = allocations.of_task(c, found.job, attempt.allocation)
        spec = context.facts(c, [found.job])[found.job].spec
    node = (allocation and allocation.node) or attempt.node
    if found.state is not TaskState.RUNNING or attempt.pid is None or allocation is None or node is None:
        waits = ": it waits" if found.state is TaskState.SUBMITTED else f": it is {found.state.value}"
        raise Conflict(f"Task {found.id} does not run{waits}. One can only attach to a task that runs.")
    settings = at.settings.every_backend[allocation.backend]
    user = at.outposts.of(found.job).user
    far = isinstance(settings, HostsSettings)
    return AttachPoint(
        task=found.id,
        attempt=attempt.number,
        pid=attempt.pid,
        node=node if far else attempt.node or node,
        backend=allocation.backend,
        kind=settings.kind,
        account=user or pwd.getpwuid(os.getuid()).pw_name,
        sign_in=far and user is not None,
        scheduler_id=allocation.backend_id if settings.kind == "slurm" else None,
        pod=allocation.backend_id if settings.kind == "kubernetes" else None,
        python=settings.python or sys.executable,
        terminal=spec.terminal,
    )
