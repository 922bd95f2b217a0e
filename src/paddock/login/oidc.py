"""Single sign-on: OpenID Connect with the code flow, PKCE and a nonce."""

from collections.abc import Mapping
from dataclasses import dataclass

from paddock.login.identity import Identity
from paddock.settings import OidcSettings

PENDING_SECONDS = 600


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """What the server keeps while somebody is at the provider. Keep it once, and remove it before `finish`."""

    hash: str  # of the state; the state itself is only in the browser's cookie and in the addresses
    nonce: str
    verifier: str
    expires_at: float


@dataclass(frozen=True, slots=True)
class Departure:
    """Where to send the browser, the state for its cookie, and what the server keeps."""

    url: str
    state: str
    pending: PendingLogin


def hash_of(state: str) -> str:
    """Return under which hash a state is kept."""
    raise NotImplementedError


class SingleSignOn:
    """One provider. `begin` and `finish` ask it over HTTP, with time-outs."""

    def __init__(self, name: str, settings: OidcSettings) -> None:
        self.name, self._settings = name, settings

    def begin(self, back: str) -> Departure:
        """Return where to send a browser that is to come back to the address `back`."""
        raise NotImplementedError

    def finish(self, query: Mapping[str, str], *, state: str, pending: PendingLogin, back: str) -> Identity:
        """Return who came back with `query` (of the callback's address); `state` is what the browser's cookie has.

        Raise NotAuthorised for whoever is not who began, SignInUnavailable if the provider does not answer.
        """
        raise NotImplementedError
