"""The states of tasks and allocations, and the causes of failures. Imported by commands that import no model."""

from enum import StrEnum


class TaskState(StrEnum):
    """The state of a task, which is that of its current attempt."""

    SUBMITTED = "submitted"
    RUNNING = "running"
    FINISHED = "finished"
    ERROR = "error"
    STOPPED = "stopped"
    PRUNED = "pruned"

    @property
    def ended(self) -> bool:
        return self not in (TaskState.SUBMITTED, TaskState.RUNNING)


class Cause(StrEnum):
    """Why an attempt did not finish."""

    USER_ERROR = "user_error"
    GPU_OOM = "gpu_oom"
    HOST_OOM = "host_oom"
    TIME_LIMIT = "time_limit"
    NODE_FAILURE = "node_failure"
    PREEMPTED = "preempted"
    YIELDED = "yielded"  # it made room for others
    RESIZED = "resized"  # it goes on with another number of GPUs
    LAUNCH_FAILED = "launch_failed"
    LOST = "lost"


class AllocationState(StrEnum):
    PLANNED = "planned"  # in the database; the backend may already have it
    PENDING = "pending"
    RUNNING = "running"
    ENDED = "ended"
