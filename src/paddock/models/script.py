"""What Paddock found by reading a script."""

from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue

from paddock.models.base import Model
from paddock.models.choices import Convention


class FlagStyle(StrEnum):
    """How one flag takes its value."""

    VALUE = "value"  # --name value
    EQUALS = "equals"  # --name=value (absl)
    SWITCH = "switch"  # --name, or nothing
    SWITCH_OFF = "switch_off"  # nothing, or --name (argparse's store_false)
    ON_OFF = "on_off"  # --name / --no-name
    LITERAL = "literal"  # --name=value, where the value is a Python literal (nanoGPT)


class ValuePlace(Model):
    """Where a value stands in a file of the snapshot: a task gets a copy of that file with its own value."""

    file: str
    start: int = Field(description="first byte")
    end: int = Field(description="first byte after it")
    lines: int = Field(0, description="line ends inside it, which stay so that later lines keep their numbers")


class ScriptParam(Model):
    name: str
    type: Literal["int", "float", "bool", "str", "list"] | None = None
    default: JsonValue = None
    required: bool = False
    choices: list[JsonValue] | None = None
    help: str | None = None
    group: str | None = Field(None, description="the heading under which the script lists it")
    flag: str | None = Field(None, description="the option string, such as --learning-rate")
    off_flag: str | None = Field(None, description="the option that switches it off, such as --no-augment")
    style: FlagStyle = FlagStyle.VALUE
    position: int | None = Field(None, description="index in sys.argv, for positional arguments")
    place: ValuePlace | None = Field(None, description="set if its value is changed in a copy of a file")


class ScriptReport(Model):
    """What Paddock found by reading a script. The script is never run for that."""

    convention: Convention
    params: list[ScriptParam] = Field(default_factory=list)
    open_ended: bool = Field(False, description="the script may take parameters that reading it does not show")
    metrics: list[str] = Field(default_factory=list, description="metric sources that were found: csv, stdout, ...")
    checkpoints: bool = Field(False, description="it, or a module of it, uses PADDOCK_CHECKPOINT_DIR")
    warnings: list[str] = Field(default_factory=list)
    words: list[str] = Field(default_factory=list, description="words before all parameters: sacred's `with`")
    syntax: Literal["hydra", "yaml", "python"] | None = Field(None, description="of the values of overrides")
    rest: Literal["assignments", "pairs"] | None = Field(
        None,
        description="how it takes what is no option of its own: NAME=VALUE after `rest_flag` (mmengine's "
        "--cfg-options), or NAME VALUE after everything else (yacs, detectron2)",
    )
    rest_flag: str | None = None
    abbreviations: bool = Field(False, description="the first letters of an option are enough, as in argparse")
    config: dict[str, str] = Field(
        default_factory=dict, description="configuration files, each with the parameter that names it"
    )
    copies: dict[str, int] = Field(
        default_factory=dict, description="files of which a task gets a copy if it changes a value, and their sizes"
    )
    shebang: list[str] = Field(default_factory=list, description="the program and the options of its #! line")
    module: str | None = Field(None, description="its name for `python -m`, if it imports relative to its package")
    python_path: list[str] = Field(
        default_factory=list, description="folders of the submission, beside its own, from which it imports modules"
    )


class InspectRequest(Model):
    source: str = Field(max_length=5_000_000)
    filename: str = "train.py"
    params: list[str] = Field(default_factory=list, description="names of the parameters that are given, to check them")
    files: dict[str, str] = Field(default_factory=dict, description="other files by path: modules and configurations")


def same_name(name: str) -> str:
    """Return the form in which names are compared: `batch-size` and `batch_size` are the same."""
    return name.lstrip("-").replace("-", "_")
