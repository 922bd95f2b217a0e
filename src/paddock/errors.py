"""The errors that Paddock raises on purpose.

    PaddockError
    ├── InvalidInput          422  the request is not valid; `fields` names the parts
    │   └── UnusableEnvironment  422  the job's interpreter does not start
    ├── NotFound              404
    │   └── AmbiguousId       409  a shortened id fits several things
    ├── Conflict              409  not possible in the present state
    ├── NotAuthorised         401
    ├── WrongOrigin           403  the request came from a page of another server
    ├── TooLarge              413
    ├── Busy                  503  the server has too many requests at the moment: try again later
    ├── BackendError          503  the scheduler refused or failed
    │   ├── BackendUnavailable   503  the scheduler does not answer: try again later
    │   └── BackendBusy       503  the scheduler accepts no more at the moment: try again later
    │       └── BackendClosed    503  the partition accepts nothing at the moment: try again later
    ├── DatabaseDamaged       500  the database has to be restored
    ├── DatabaseUnavailable   503  the database does not answer: try again later
    └── ServerUnreachable     503  (client side) no server answers

A class docstring is the default message. `code` is stable: programs should compare it.
"""

from collections.abc import Mapping
from typing import ClassVar, Self


class PaddockError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500
    retry_seconds: ClassVar[int | None] = None  # when to try again

    def __init__(self, message: str | None = None, *, fields: Mapping[str, str] | None = None) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.fields = dict(fields or {})
        super().__init__(self.message)


class InvalidInput(PaddockError):
    """The request is not valid."""

    code = "invalid_input"
    status = 422

    @classmethod
    def at(cls, field: str, message: str, about: str = "") -> Self:
        """Return the error of one field. `message` is a clause such as "there is no backend 'x'".

        `fields` contains the clause; the error's message is the clause as a sentence, after `about` if that is given:
        "This can never run: ...".
        """
        sentence = f"{about}: {message}" if about else message[:1].upper() + message[1:]
        return cls(sentence if sentence.endswith((".", "?")) else f"{sentence}.", fields={field: message})


class UnusableEnvironment(InvalidInput):
    """The interpreter chosen for this job does not start."""

    code = "unusable_environment"


class NotFound(PaddockError):
    """There is no such object."""

    code = "not_found"
    status = 404


class AmbiguousId(NotFound):
    """This shortened id is not unique: give more characters."""

    code = "ambiguous_id"
    status = 409


class Conflict(PaddockError):
    """That is not possible in the present state."""

    code = "conflict"
    status = 409


class NotAuthorised(PaddockError):
    """A valid token is needed."""

    code = "not_authorised"
    status = 401


class WrongOrigin(PaddockError):
    """Only Paddock's own page may do this with the cookie: reload it, or send the token in the header."""

    code = "wrong_origin"
    status = 403


class TooLarge(PaddockError):
    """That is more than this server accepts."""

    code = "too_large"
    status = 413


class Busy(PaddockError):
    """The server has too many requests at the moment: try again later."""

    code = "busy"
    status = 503
    retry_seconds = 5


class BackendError(PaddockError):
    """The backend refused."""

    code = "backend_error"
    status = 503


class BackendUnavailable(BackendError):
    """The backend does not answer."""

    code = "backend_unavailable"


class BackendBusy(BackendError):
    """The backend accepts no more at the moment."""

    code = "backend_busy"


class BackendClosed(BackendBusy):
    """The backend accepts no requests of this kind at the moment, for example because a partition is closed."""

    code = "backend_closed"


class DatabaseDamaged(PaddockError):
    """The database is damaged."""

    code = "database_damaged"


class DatabaseUnavailable(PaddockError):
    """The database does not answer: try again in a moment."""

    code = "database_unavailable"
    status = 503
    retry_seconds = 5


class ServerUnreachable(PaddockError):
    """No Paddock server answers: start one with `paddock up`."""

    code = "server_unreachable"
    status = 503


def by_code(code: str) -> type[PaddockError]:
    """Return the error class of a code; the base class for the codes of a newer server."""
    return _BY_CODE.get(code, PaddockError)


def _tree(cls: type[PaddockError]) -> dict[str, type[PaddockError]]:
    found = {cls.code: cls}
    for sub in cls.__subclasses__():
        found |= _tree(sub)
    return found


_BY_CODE = _tree(PaddockError)
