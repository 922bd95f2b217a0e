"""The login methods that the settings name."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from paddock.login.identity import PasswordMethod
from paddock.login.ldap import LdapLogin
from paddock.login.oidc import SingleSignOn
from paddock.login.pam import PamLogin
from paddock.settings import LdapSettings, OidcSettings, Settings

S = TypeVar("S", LdapSettings, OidcSettings)


def password_methods(settings: Settings) -> list[PasswordMethod]:
    """Return the methods beside Paddock's own passwords that take a name and a password, in the order to ask them."""
    login, found = settings.login, list[PasswordMethod]()
    if login.pam:
        found.append(PamLogin(login.pam, settings.team.warden))
    if login.ldap:
        found.append(LdapLogin(_located(login.ldap, settings.home)))
    return found


def providers(settings: Settings) -> dict[str, SingleSignOn]:
    """Return the single sign-on providers by name."""
    return {name: SingleSignOn(name, _located(found, settings.home)) for name, found in settings.login.oidc.items()}


def probes(settings: Settings) -> dict[str, Callable[[], str]]:
    """Return for each directory and provider how to try it: without anybody's password, raising SignInUnavailable."""
    ldap = settings.login.ldap
    found = {"directory (LDAP)": LdapLogin(_located(ldap, settings.home)).probe} if ldap else {}
    return found | {f"single sign-on ({name})": one.probe for name, one in providers(settings).items()}


def _located(settings: S, home: Path) -> S:
    """Return settings whose files are in the home unless their path is absolute."""
    paths = {name: home / value for name, value in settings if isinstance(value, Path)}
    return settings.model_copy(update=paths)
