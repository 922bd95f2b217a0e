"""Violations: processes on GPUs where they ought not to be, and what was done about them."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from paddock.models.accounts import AccountName
from paddock.models.base import Model, Text
from paddock.models.reservations import DeviceId

ViolationKind = Literal["reserved", "unreserved", "rule"]
StepAct = Literal["terminal", "page", "mail", "admins", "hook", "term", "kill"]


class ViolationStep(Model):
    """One thing that was done about a violation, or was tried."""

    at: datetime
    act: StepAct
    ok: bool
    detail: str = ""


class Violation(Model):
    id: int
    kind: ViolationKind = Field(description="reserved by somebody else; reserved by nobody (strict); against a rule")
    device: str
    device_name: str = Field("", description="what people call it: gpu1:0")
    host: str
    pid: int
    command: str | None = None
    unix_name: str | None = Field(None, description="the owner of the process; null: unknown, and never ended")
    account: str | None = Field(None, description="whose Unix account that is")
    reservation: str | None = None
    owner: str | None = Field(None, description="of the reservation")
    first_seen: datetime
    last_seen: datetime
    ended_at: datetime | None = None
    outcome: Literal["left", "ended", "exempt", "over"] | None = Field(
        None, description="it left by itself, was ended, was exempted, or the reservation is over; null: it goes on"
    )
    end_by: str | None = Field(None, description="who wants it to be ended now")
    steps: list[ViolationStep] = Field(default_factory=list)


class ViolationPage(Model):
    items: list[Violation]
    open: int = Field(description="number of all that go on")
    more: bool = False


class ViolationExemption(Model):
    """From now until then, this is no violation."""

    until: AwareDatetime
    why: Annotated[Text, StringConstraints(max_length=500)] = ""
    everywhere: bool = Field(False, description="everything of the same person, not only on this device")


class ExemptionRequest(Model):
    """Processes that are no violation: of an account, of a command, on a device; all that is given must hold."""

    account: AccountName | None = Field(None, description="an account, or a Unix name")
    command: Annotated[Text, StringConstraints(min_length=1, max_length=200)] | None = Field(
        None, description="how the command begins"
    )
    device: DeviceId | None = None
    until: AwareDatetime
    why: Annotated[Text, StringConstraints(max_length=500)] = ""

    @model_validator(mode="after")
    def _not_everything(self) -> Self:
        if self.account is None and self.command is None and self.device is None:
            raise ValueError("give an account, a command or a device")
        return self


class Exemption(ExemptionRequest):
    id: str
    by: str
    created_at: datetime
