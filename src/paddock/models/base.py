"""The base class of all models, and the types that several of them use."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, JsonValue, StringConstraints

from paddock.models import units
from paddock.models.states import Cause as Cause
from paddock.models.states import TaskState as TaskState

Params = dict[str, JsonValue]


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
