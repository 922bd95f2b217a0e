"""The container image that tasks run in."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from paddock.common import containers
from paddock.models.base import Model, Text

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/@+\-]*")  # such as docker://pytorch/pytorch:2.1 or lab/torch
_OPTION = re.compile(r"-{1,2}[A-Za-z][A-Za-z0-9-]*(=.*)?")


def _image(given: str) -> str:
    if not given.startswith(("/", "./", "../", "~/")) and not _NAME.fullmatch(given):
        raise ValueError(f"{given!r} is no image: write an absolute path, or a name such as docker://pytorch/pytorch")
    return given


def _option(given: str) -> str:
    if not _OPTION.fullmatch(given):
        raise ValueError(f"{given!r} is no option: write it in one word, such as --bind=/scratch:/data")
    return given


def _folder(given: str) -> str:
    if not given.startswith("/") or ".." in given.split("/"):
        raise ValueError(f"{given!r} is no absolute path of a folder")
    if ":" in given or "," in given:
        raise ValueError(f"{given!r} contains a colon or a comma, which engines read as something else")
    return given


class Container(Model):
    """An image, and how it is run: on any backend, without root. Text form: the image alone."""

    image: Annotated[Text, StringConstraints(min_length=1, max_length=4096), AfterValidator(_image)] = Field(
        description="path of an image on the nodes (SIF or SquashFS file, or folder), or a name that the engine knows"
    )
    engine: Literal["auto", "apptainer", "charliecloud", "podman", "pod"] = Field(
        "auto",
        description="what runs it; auto: the first on the node that can run such an image; on Kubernetes always pod",
    )
    options: list[Annotated[Text, StringConstraints(max_length=1000), AfterValidator(_option)]] = Field(
        default_factory=list, max_length=50, description="further options of the engine, each in one word"
    )
    mounts: list[Annotated[Text, StringConstraints(max_length=4096), AfterValidator(_folder)]] = Field(
        default_factory=list,
        max_length=50,
        description="folders that tasks see under their own paths, such as data; the job folder is always there",
    )
    python: Annotated[Text, StringConstraints(min_length=1, max_length=4096)] = Field(
        "python3", description="the interpreter inside the image"
    )

    @property
    def to_run(self) -> containers.ContainerImage:
        return containers.ContainerImage(self.image, self.engine, tuple(self.options), tuple(self.mounts))


def _of_text(given: Any) -> Any:
    return {"image": given} if isinstance(given, str) else given


ContainerLike = Annotated[Container | None, BeforeValidator(_of_text, json_schema_input_type=Container | str | None)]
