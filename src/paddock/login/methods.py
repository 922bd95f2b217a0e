"""The login methods that the settings name."""

from paddock.login.identity import PasswordMethod
from paddock.login.oidc import SingleSignOn
from paddock.settings import Settings


def password_methods(settings: Settings) -> list[PasswordMethod]:
    """Return the methods beside Paddock's own passwords that take a name and a password, in the order to ask them."""
    return []


def providers(settings: Settings) -> dict[str, SingleSignOn]:
    """Return the single sign-on providers by name."""
    return {name: SingleSignOn(name, found) for name, found in settings.login.oidc.items()}
