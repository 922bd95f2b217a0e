"""Passwords of a directory, checked with OpenLDAP's own ldapsearch and ldapwhoami.

The entry of the name is searched for, as the account of `bind_dn`; then the directory is asked whether it accepts the
password for that entry.
"""

from paddock.errors import SignInUnavailable
from paddock.login.command import CommandResult, ask
from paddock.login.identity import Identity, printable, unavailable, valid_name, valid_names
from paddock.login.ldif import LdapEntry, common_name, entries, escaped
from paddock.models import SignInSource
from paddock.settings import LdapSettings

# Codes of LDAP (RFC 4511), with which the programs end.
SIZE_LIMIT_EXCEEDED, REFERRAL, NO_SUCH_OBJECT = 4, 10, 32
REFUSED = {19, 49, 50, 53}  # a limit of the account, wrong password, no rights, unwilling (an account that is locked)
MAX_NAME, MAX_PASSWORD, MAX_DN = 200, 1000, 400
MAX_GROUPS_FOUND = 500


class LdapLogin:
    """A directory."""

    def __init__(self, settings: LdapSettings) -> None:
        self._settings = settings

    def check(self, name: str, password: str) -> Identity | None:
        """Return whose name and password these are, None if nobody's or if several people could be meant."""
        # Without a password, a directory lets everybody in: as nobody.
        if not password or "\0" in password or len(password) > MAX_PASSWORD:
            return None
        if not name or len(name) > MAX_NAME or not name.isprintable():
            return None
        entry = self._find(name)
        if entry is None or not self._accepts(entry.dn, password):
            return None
        return self._identity(name, entry)

    def probe(self) -> str:
        """Return what a search finds out about the directory; raise SignInUnavailable if people cannot sign in."""
        s = self._settings
        for base in filter(None, (s.base, s.group_base)):
            self._search(base, "(objectClass=*)", ["1.1"], most=1, scope="base")
        secret = s.start_tls or s.url.startswith("ldaps:")
        return f"{s.url} answers{'' if secret else ', without encryption: passwords can be read on the way'}"

    def _find(self, name: str) -> LdapEntry | None:
        s = self._settings
        wanted = [s.name_attribute, s.full_name_attribute, s.email_attribute, s.unix_attribute, "memberOf"]
        found = self._search(s.base, s.filter.replace("{name}", escaped(name)), wanted, most=2)
        if len(found) != 1 or not found[0].dn or len(found[0].dn) > MAX_DN or "\0" in found[0].dn:
            return None
        return found[0]

    def _accepts(self, dn: str, password: str) -> bool:
        outcome = self._run("ldapwhoami", dn, password.encode("utf-8", "surrogatepass"), [])
        if outcome.code not in {0, *REFUSED}:
            raise self._trouble(outcome)
        return outcome.code == 0

    def _identity(self, name: str, entry: LdapEntry) -> Identity | None:
        s = self._settings
        names = [value.lower() for value in entry.all(s.name_attribute)]
        own = name.lower() if name.lower() in names else next(iter(names), "")
        groups = [common_name(dn).lower() for dn in entry.all("memberOf")]
        if s.group_base:
            groups += self._groups(entry.dn, own)
        return Identity(
            source=SignInSource.LDAP,
            subject=entry.dn,
            name=valid_name(own),
            full_name=printable(entry.first(s.full_name_attribute)),
            email=printable(entry.first(s.email_attribute)),
            unix_name=valid_name(entry.first(s.unix_attribute)) or None,
            groups=valid_names(groups),
        )

    def _groups(self, dn: str, name: str) -> list[str]:
        who = escaped(dn)
        by_name = f"(memberUid={escaped(name)})" if name else ""
        found = self._search(
            self._settings.group_base, f"(|(member={who})(uniqueMember={who}){by_name})", ["cn"], most=MAX_GROUPS_FOUND
        )
        return [value.lower() for entry in found for value in entry.all("cn")]

    def _search(
        self, base: str, filter_: str, attributes: list[str], *, most: int, scope: str = "sub"
    ) -> list[LdapEntry]:
        """Return up to `most` entries below `base` (`scope` base: itself)."""
        arguments = ["-LLL", "-o", "ldif-wrap=no", "-z", str(most), "-b", base, "-s", scope, "--", filter_]
        arguments += [attribute for attribute in attributes if attribute]
        outcome = self._run("ldapsearch", self._settings.bind_dn, self._bind_password(), arguments)
        if outcome.code not in (0, SIZE_LIMIT_EXCEEDED):
            raise self._trouble(outcome)
        try:
            return entries(outcome.out)
        except ValueError as error:
            raise unavailable(f"The directory's answer cannot be read: {error}.") from None

    def _bind_password(self) -> bytes | None:
        s = self._settings
        if not s.bind_dn:
            return None
        try:
            password = s.bind_password_file.read_bytes().removesuffix(b"\n") if s.bind_password_file else b""
        except OSError as error:
            raise unavailable(f"login.ldap.bind_password_file cannot be read: {error.strerror}.") from None
        if not 0 < len(password) <= MAX_PASSWORD:
            raise unavailable("login.ldap.bind_dn needs login.ldap.bind_password_file, with a password in it.")
        return password

    def _run(self, program: str, dn: str, password: bytes | None, arguments: list[str]) -> CommandResult:
        s = self._settings
        seconds = max(1, round(s.seconds))
        argv = [program, "-x", "-H", s.url, "-o", f"nettimeout={seconds}"]
        argv += ["-l", str(seconds)] if program == "ldapsearch" else []
        argv += ["-ZZ"] if s.start_tls else []
        argv += ["-D", dn] if password is not None else []
        variables = {"LDAPTLS_REQCERT": "demand", "LDAPREFERRALS": "off", "HOME": "/nonexistent"}
        if s.ca_certificate:
            variables["LDAPTLS_CACERT"] = str(s.ca_certificate)
        secret = ("-y", password) if password is not None else None
        return ask([*argv, *arguments], seconds=s.seconds, secret=secret, variables=variables)

    def _trouble(self, outcome: CommandResult) -> SignInUnavailable:
        """Return the error for what is neither yes nor no; it is for admins, and contains nothing of the person."""
        said = printable(outcome.errors.partition("\n")[0])
        hint = {
            REFERRAL: "it refers to another directory: give that one's address as login.ldap.url",
            NO_SUCH_OBJECT: "there is no such entry as login.ldap.base (or group_base)",
            49: "it does not accept login.ldap.bind_dn with the password in login.ldap.bind_password_file",
        }.get(outcome.code, said or f"code {outcome.code}")
        return unavailable(f"The directory {self._settings.url} did not answer as it should: {hint}.")
