"""Every error that Paddock raises on purpose.

    PaddockError
    ├── InvalidInput          422  the request cannot be carried out as it stands; `fields` says where
    │   └── UnusableEnvironment  422  the interpreter of a job does not start
    ├── NotFound              404
    │   └── AmbiguousId       409  a shortened id fits several things
    ├── Conflict              409  not possible in the present state
    ├── NotAuthorised         401
    ├── WrongOrigin           403  a page of another server made the browser ask
    ├── TooLarge              413
    ├── Busy                  503  too much is asked of the server at this moment: try again later
    ├── BackendError          503  the scheduler refused or failed
    │   ├── BackendUnavailable   503  the scheduler does not answer: try again later
    │   └── BackendBusy       503  the scheduler takes no more for now: try again later
    │       └── BackendClosed    503  the partition takes nothing for now: try again later
    ├── DatabaseDamaged       500  the database has to be restored
    ├── DatabaseUnavailable   503  the database does not answer: try again later
    └── ServerUnreachable     503  (client side) no server answers

A class docstring is the default message; `code` is stable and is what programs should look at.
"""

from collections.abc import Mapping
from typing import ClassVar, Self


class PaddockError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500
    retry_seconds: ClassVar[int | None] = None  # when it is worth trying again

    def __init__(self, message: str | None = None, *, fields: Mapping[str, str] | None = None) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.fields = dict(fields or {})
        super().__init__(self.message)


class InvalidInput(PaddockError):
    """The request cannot be carried out as it stands."""

    code = "invalid_input"
    status = 422

    @classmethod
    def at(cls, field: str, message: str, about: str = "") -> Self:
        """Return the error of one field, given as part of a sentence: "there is no backend 'x'".

        `fields` holds it as it is. The error's message is it as a whole sentence, or the end of one that begins with
        `about`: "This can never run: ...".
        """
        sentence = f"{about}: {message}" if about else message[:1].upper() + message[1:]
        return cls(sentence if sentence.endswith((".", "?")) else f"{sentence}.", fields={field: message})


class UnusableEnvironment(InvalidInput):
    """The interpreter chosen for this job does not start."""

    code = "unusable_environment"


class NotFound(PaddockError):
    """There is no such thing."""

    code = "not_found"
    status = 404


class AmbiguousId(NotFound):
    """This shortened id fits several things: give more of it."""

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
    """Only Paddock's own page may do that with the cookie: reload it, or send the token in the header."""

    code = "wrong_origin"
    status = 403


class TooLarge(PaddockError):
    """That is more than this server accepts."""

    code = "too_large"
    status = 413


class Busy(PaddockError):
    """Too much is asked of the server at this moment: try again later."""

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
    """The backend takes no more for now."""

    code = "backend_busy"


class BackendClosed(BackendBusy):
    """What this request asks for is closed for now, such as a partition; others are taken."""

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
    """The class that a server's error code stands for; the base class for codes of a newer server."""
    return _BY_CODE.get(code, PaddockError)


def _tree(cls: type[PaddockError]) -> dict[str, type[PaddockError]]:
    found = {cls.code: cls}
    for sub in cls.__subclasses__():
        found |= _tree(sub)
    return found


_BY_CODE = _tree(PaddockError)
