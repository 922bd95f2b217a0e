"""The errors that Paddock raises on purpose.

    PaddockError
    ├── InvalidInput          422  the request is not valid; `fields` names the parts
    │   ├── UnusableEnvironment  422  the job's interpreter does not start
    │   └── MissingModules    422  the job's environment lacks modules that its program imports; `force` overrides it
    ├── NotFound              404
    │   └── AmbiguousId       409  a shortened id fits several things
    ├── Conflict              409  not possible in the present state
    │   └── Refused           409  a reservation is refused; `booking` says why, and what is free
    ├── NotAuthorised         401
    ├── WrongOrigin           403  the request came from a page of another server
    ├── NotAllowed            403  the account may not do this
    ├── TooLarge              413
    ├── TooManyTries          429  too many tries to sign in, or of an address: try again later
    ├── Busy                  503  the server has too many requests at the moment: try again later
    ├── SignInUnavailable     503  the directory or provider that knows the people does not answer: try again later
    ├── BackendError          503  the scheduler refused or failed
    │   ├── BackendUnavailable   503  the scheduler does not answer: try again later
    │   └── BackendBusy       503  the scheduler accepts no more at the moment: try again later
    │       └── BackendClosed    503  the partition accepts nothing at the moment: try again later
    ├── AgentUnavailable      503  the agent of a person cannot be started, or does not answer as it should
    ├── DatabaseDamaged       500  the database has to be restored
    ├── DatabaseUnavailable   503  the database does not answer: try again later
    └── ServerUnreachable     503  (client side) no server answers

A class docstring is the default message. `code` is stable: programs should compare it.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

_BY_CODE: dict[str, type["PaddockError"]] = {}


class PaddockError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500
    retry_seconds: int | None = None  # when to try again

    def __init_subclass__(cls, *, code: str = "", status: int = 0, retry_seconds: int | None = None) -> None:
        """Set what the subclass names; the rest is inherited."""
        cls.code, cls.status = code or cls.code, status or cls.status
        cls.retry_seconds = retry_seconds or cls.retry_seconds
        _BY_CODE.setdefault(cls.code, cls)

    def __init__(
        self,
        message: str | None = None,
        *,
        fields: Mapping[str, str] | None = None,
        retry_seconds: int | None = None,
    ) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.fields = dict(fields or {})
        self.retry_seconds = retry_seconds or self.retry_seconds
        super().__init__(self.message)


class InvalidInput(PaddockError, code="invalid_input", status=422):
    """The request is not valid."""

    @classmethod
    def at(cls, field: str, message: str, about: str = "") -> Self:
        """Return the error of one field. `message` is a clause such as "there is no backend 'x'".

        `fields` contains the clause; the error's message is the clause as a sentence, after `about` if that is given:
        "This can never run: ...".
        """
        sentence = f"{about}: {message}" if about else message[:1].upper() + message[1:]
        return cls(sentence if sentence.endswith((".", "?")) else f"{sentence}.", fields={field: message})


class UnusableEnvironment(InvalidInput, code="unusable_environment"):
    """The interpreter chosen for this job does not start."""


class MissingModules(InvalidInput, code="missing_modules"):
    """The environment of this job lacks modules that its program imports."""


class NotFound(PaddockError, code="not_found", status=404):
    """There is no such object."""


class AmbiguousId(NotFound, code="ambiguous_id", status=409):
    """This shortened id is not unique: give more characters."""


class Conflict(PaddockError, code="conflict", status=409):
    """That is not possible in the present state."""


class Refused(Conflict, code="refused"):
    """This cannot be reserved."""

    booking: Any = None  # a BookingResult: the problems, and the first slots that are free


class NotAuthorised(PaddockError, code="not_authorised", status=401):
    """A valid token is needed."""


class WrongOrigin(PaddockError, code="wrong_origin", status=403):
    """Only Paddock's own page may do this with the cookie: reload it, or send the token in the header."""


class NotAllowed(PaddockError, code="not_allowed", status=403):
    """Your account may not do this: ask an admin of the team."""


class TooManyTries(PaddockError, code="too_many_tries", status=429, retry_seconds=60):
    """There were too many tries: try again later."""


class TooLarge(PaddockError, code="too_large", status=413):
    """That is more than this server accepts."""


class Busy(PaddockError, code="busy", status=503, retry_seconds=5):
    """The server has too many requests at the moment: try again later."""


class SignInUnavailable(PaddockError, code="sign_in_unavailable", status=503, retry_seconds=5):
    """The service that knows the people here does not answer: try again later, or ask an admin to look at the log."""

    def __init__(self, detail: str = "") -> None:
        """Keep `detail` for the log: everybody can try to sign in, and need not know how this server is set up."""
        super().__init__()
        self.detail = detail


class BackendError(PaddockError, code="backend_error", status=503):
    """The backend refused."""


class BackendUnavailable(BackendError, code="backend_unavailable"):
    """The backend does not answer."""


class BackendBusy(BackendError, code="backend_busy"):
    """The backend accepts no more at the moment."""


class BackendClosed(BackendBusy, code="backend_closed"):
    """The backend accepts no requests of this kind at the moment, for example because a partition is closed."""


class AgentUnavailable(PaddockError, code="agent_unavailable", status=503, retry_seconds=5):
    """The agent of this person does not answer."""


class DatabaseDamaged(PaddockError, code="database_damaged"):
    """The database is damaged."""


class DatabaseUnavailable(PaddockError, code="database_unavailable", status=503, retry_seconds=5):
    """The database does not answer: try again in a moment."""


class ServerUnreachable(PaddockError, code="server_unreachable", status=503):
    """No Paddock server answers: start one with `paddock up`."""


def by_code(code: str) -> type[PaddockError]:
    """Return the error class of a code; the base class for the codes of a newer server."""
    return _BY_CODE.get(code, PaddockError)


_KINDS = {"int": "a whole number", "float": "a number", "bool": "true or false", "string": "a text", "list": "a list"}
_KINDS |= dict.fromkeys(("dict", "model"), "a group of names with values")


def in_words(detail: Mapping[str, Any]) -> str:
    """Return what one of `ValidationError.errors()` reports, in words that are not only for programmers."""
    kind, _, fault = detail["type"].partition("_")
    if kind in _KINDS and fault in ("type", "parsing", "from_float", "attributes_type"):
        return f"it must be {_KINDS[kind]}"
    if detail["type"] == "missing":
        return "it is missing"
    return str(detail["msg"]).removeprefix("Value error, ").replace("Input should", "it must")
