"""Parse what other users have and wait for. Pure. A line that cannot be parsed is skipped."""

import re
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass

from paddock.backends.slurm.parse import count_ids
from paddock.rules.giving_way import Others, Waiting

# With two colons before the bar, Slurm 22.05 prints one of them.
_FIELDS = (
    *("JobArrayID", "UserName", "UserID", "State", "Partition", "PriorityLong", "tres-per-node", "tres-per-job"),
    *("tres-per-task", "NumNodes", "NumTasks", "NumCPUs", "OverSubscribe"),
)
FORMAT = "".join(f"{name}:|," for name in _FIELDS) + "Reason:"
_WANT = {"Resources", "Priority"}  # others would not start if somebody left: a limit, a dependency, a later begin
_NEW = "None"  # after a submission, and for a moment whenever something becomes free, until the scheduler has looked
_MOST = 1_000_000  # of anything that is counted
_DIGITS = 20
_LONGEST = 100  # characters of a name


@dataclass(frozen=True)
class _Line:
    id: str
    user: str
    uid: str
    state: str
    priority: int
    reason: str
    job: Waiting  # on each node


def others(text: str, own: Collection[str]) -> Others:
    """Return what is reported of all but the users `own`, which are names or numbers."""
    found: list[tuple[tuple[bool, int, int], Waiting]] = []
    gpus, cpus = Counter[str](), Counter[str]()
    for line in text.splitlines():
        with suppress(ValueError):
            one = _parse(line)
            if one.user in own or one.uid in own:
                continue
            if one.state == "RUNNING":
                gpus[one.user] += one.job.gpus * one.job.nodes
                cpus[one.user] += one.job.cpus * one.job.nodes
            elif one.state == "PENDING" and one.reason in {*_WANT, _NEW}:
                number = int(one.id.partition("_")[0])
                found.append(((one.reason != "Resources", -one.priority, number), one.job))
    found.sort(key=lambda each: each[0])
    return Others(tuple(job for _, job in found), {user: (gpus[user], cpus[user]) for user in gpus | cpus})


def _parse(line: str) -> _Line:
    parts = line.split("|", len(_FIELDS))
    id, user, uid, state, partition, priority, of_node, of_job, of_task, nodes, tasks, cores, shared, reason = parts
    many, reason = _whole(nodes), reason.strip()
    on_job, on_task = _gpus(of_job), _gpus(of_task)
    kind, gpus = _gpus(of_node)
    gpus = max(gpus, -(-on_job[1] // many), -(-on_task[1] * _whole(tasks) // many))
    count = count_ids(id)
    limit = re.search(r"%(\d{1,9})\]?$", id)
    if not count or not user or len(user) > _LONGEST or len(id.partition("_")[0]) > _DIGITS:
        raise ValueError(line)
    job = Waiting(
        id=id.partition("_")[0],
        user=user,
        partitions=frozenset(partition.split(",")),
        gpus=gpus,
        cpus=-(-_whole(cores) // many),
        nodes=many,
        gpu_type=kind or on_job[0] or on_task[0],
        whole=shared == "NO",
        count=min(count, int(limit[1]) if limit else count),
        new=reason == _NEW,
    )
    return _Line(id, user, uid, state, int(priority) if priority.isdigit() else 0, reason, job)


def _gpus(text: str) -> tuple[str | None, int]:
    """Return the kind and number of GPUs in `gres:gpu:fake:2`, `gres/gpu=1` or `gpu`."""
    kind, count = None, 0
    for item in text.split(","):
        name, *rest = re.split(r"[:=]", re.sub(r"^gres[:/]", "", item.strip()))
        if name == "gpu":
            number = rest.pop() if rest and rest[-1].isdigit() else "1"
            kind = rest[0] if rest else kind
            count += min(int(number), _MOST)
    return kind, count


def _whole(text: str) -> int:
    match = re.match(r"\d{1,9}", text)
    if not match or not 1 <= int(match[0]) <= _MOST:
        raise ValueError(text)
    return int(match[0])
