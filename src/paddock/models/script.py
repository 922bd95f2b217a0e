"""What Paddock found by reading a script."""

from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue

from paddock.models.base import Model


class Convention(StrEnum):
    """How the parameters reach the script."""

    AUTO = "auto"
    FLAGS = "flags"
    POSITIONAL = "positional"
    STFMANAGER = "stfmanager"
    ENV = "env"


class FlagStyle(StrEnum):
    """How one flag takes its value."""

    VALUE = "value"  # --name value
    EQUALS = "equals"  # --name=value (absl)
    SWITCH = "switch"  # --name, or nothing
    SWITCH_OFF = "switch_off"  # nothing, or --name (argparse's store_false)
    ON_OFF = "on_off"  # --name / --no-name


class ScriptParam(Model):
    name: str
    type: Literal["int", "float", "bool", "str", "list"] | None = None
    default: JsonValue = None
    required: bool = False
    choices: list[JsonValue] | None = None
    help: str | None = None
    flag: str | None = Field(None, description="the option string, such as --learning-rate")
    off_flag: str | None = Field(None, description="the option that switches it off, such as --no-augment")
    style: FlagStyle = FlagStyle.VALUE
    position: int | None = Field(None, description="index in sys.argv, for positional arguments")


class ScriptReport(Model):
    """What Paddock found by reading a script. The script is never run for that."""

    convention: Convention
    params: list[ScriptParam] = Field(default_factory=list)
    open_ended: bool = Field(False, description="the script may take parameters that reading it does not show")
    metrics: list[str] = Field(default_factory=list, description="metric sources that were found: csv, stdout, ...")
    warnings: list[str] = Field(default_factory=list)


class InspectRequest(Model):
    source: str = Field(max_length=5_000_000)
    filename: str = "train.py"
    params: list[str] = Field(default_factory=list, description="names of the parameters that are given, to check them")


def same_name(name: str) -> str:
    """Return the form in which names are compared: `batch-size` and `batch_size` are the same."""
    return name.lstrip("-").replace("-", "_")
