"""The login methods that the settings name."""

from paddock.login.identity import PasswordMethod
from paddock.login.ldap import LdapLogin
from paddock.login.oidc import SingleSignOn
from paddock.login.pam import PamLogin
from paddock.settings import Settings


def password_methods(settings: Settings) -> list[PasswordMethod]:
    """Return the methods beside Paddock's own passwords that take a name and a password, in the order to ask them."""
    login, found = settings.login, list[PasswordMethod]()
    if login.pam:
        found.append(PamLogin(login.pam, settings.team.warden))
    if login.ldap:
        found.append(LdapLogin(login.ldap))
    return found


def providers(settings: Settings) -> dict[str, SingleSignOn]:
    """Return the single sign-on providers by name."""
    return {name: SingleSignOn(name, found) for name, found in settings.login.oidc.items()}
