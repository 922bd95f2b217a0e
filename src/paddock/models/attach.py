"""Where a running task can be attached to. Clients build commands of it, so every field has a strict form."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from paddock.models.base import Model

_WORD = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"  # never an option


class AttachPoint(Model):
    """Where an attempt runs. Who attaches does it with their own rights there: the server only says where."""

    task: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+-[0-9]+$", max_length=64)]
    attempt: int = Field(ge=1)
    pid: int = Field(ge=1, description="of its first process, on its node")
    node: Annotated[str, StringConstraints(pattern=_WORD, max_length=253)]
    backend: str
    kind: Literal["local", "slurm", "hosts", "kubernetes"] = Field(
        description="the kind of its backend: how the node is reached"
    )
    account: Annotated[str, StringConstraints(pattern=_WORD, max_length=64)] = Field(
        description="the Unix account whose processes the task's are"
    )
    sign_in: bool = Field(False, description="of hosts: ssh has to sign in as this account")
    scheduler_id: Annotated[str, StringConstraints(pattern=r"^[0-9]+(_[0-9]+)?$")] | None = Field(
        None, description="of Slurm: the id of its job"
    )
    pod: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=253)] | None = Field(
        None, description="of Kubernetes: the name of its pod"
    )
    python: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_./~][^\x00\n]*$", max_length=4096)] = Field(
        description="an interpreter on the node (3.8 or newer)"
    )
    terminal: bool = Field(description="the task has a terminal of its own, as it was submitted with `terminal`")
