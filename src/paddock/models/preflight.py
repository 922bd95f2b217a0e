"""What is known before a job is queued: modules that its environment lacks, files that it does not bring."""

from typing import Literal

from pydantic import Field

from paddock.models.base import Model


class Needed(Model):
    """A module that a program imports."""

    name: str
    where: str = Field(description="the first place that imports it, such as `train.py, line 3`")
    certain: bool = Field(description="false: it is imported in a function or under a condition only")


class NamedFile(Model):
    """A file or folder that a program names, and that is not among those that were submitted."""

    path: str = Field(description="as the program names it")
    where: str = Field(description="the first place that names it, such as `train.py, line 3`")
    read: bool = Field(description="the program reads it there; false: that is not clear")


class FoundEnvironment(Model):
    """A Python environment on the node of the server, or a module of the cluster that can be loaded."""

    kind: Literal["venv", "conda", "python", "module"]
    name: str = Field(description="its name for people")
    place: str = Field(description="its folder or interpreter; of a module, what `module load` takes")
    python: str | None = Field(None, description="the version of its Python, where that is known")
    packages: list[str] = Field(default_factory=list, description="well-known packages in it, such as `torch 2.4.1`")


class Preflight(Model):
    """What can be said about a submission before it is queued."""

    interpreter: str | None = Field(None, description="the Python that was asked for the modules; null: none was")
    python: str | None = Field(None, description="its version")
    missing: list[Needed] = Field(default_factory=list, description="modules that this Python does not find")
    files: list[NamedFile] = Field(default_factory=list, description="files that are named and not submitted")
    better: list[FoundEnvironment] = Field(
        default_factory=list, description="environments that have all modules that are missing"
    )
    unchecked: str | None = Field(None, description="why the modules were not looked for")
    held: str | None = Field(None, description="why the job is only accepted with `force`")
