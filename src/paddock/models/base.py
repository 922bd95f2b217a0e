"""The base class of all models, and the types that several of them use."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, JsonValue, StringConstraints

from paddock.models import units

Params = dict[str, JsonValue]


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
    LAUNCH_FAILED = "launch_failed"
    LOST = "lost"


class Model(BaseModel):
    """The base of all models: immutable, and unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("it contains a NUL character, which cannot be passed to a process")
    return text


Text = Annotated[str, AfterValidator(_no_nul)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), AfterValidator(_no_nul)]
ParamName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.\-]{0,99}$")]
EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
RelativePath = Annotated[str, StringConstraints(min_length=1, max_length=1000), AfterValidator(_no_nul)]

Seconds = Annotated[int, BeforeValidator(units.seconds, json_schema_input_type=int | str)]
MOST_SECONDS = 10 * 365 * 86_400
Bytes = Annotated[int, BeforeValidator(units.size, json_schema_input_type=int | str)]
