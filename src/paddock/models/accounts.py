"""People: accounts, groups, sessions, tokens, invitations and the audit, as the API gives and takes them."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from paddock.models.base import Model, Text

AccountName = Annotated[str, StringConstraints(pattern=r"^[a-z_][a-z0-9_.-]{0,63}$")]
GroupName = Annotated[str, StringConstraints(pattern=r"^[a-z_][a-z0-9_.-]{0,63}$")]
FullName = Annotated[Text, StringConstraints(strip_whitespace=True, max_length=200)]
Email = Annotated[Text, StringConstraints(strip_whitespace=True, max_length=200, pattern=r"^$|^[^\s@]+@[^\s@]+$")]
Zone = Annotated[Text, StringConstraints(max_length=64)]
Password = Annotated[str, StringConstraints(min_length=10, max_length=1000)]
Secret = Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class Role(StrEnum):
    """What an account may do: guests only read, users run jobs, admins manage the team."""

    GUEST = "guest"
    USER = "user"
    ADMIN = "admin"


class TokenScope(StrEnum):
    """What a token is good for: everything its account may do, reading only, or only the calendar's address."""

    ALL = "all"
    READ = "read"
    FEED = "feed"


class Visibility(StrEnum):
    """Who sees a job: everybody in the team, or only its owner (and admins)."""

    TEAM = "team"
    PRIVATE = "private"


class SignInSource(StrEnum):
    """Where an account signs in."""

    PASSWORD = "password"  # noqa: S105
    PAM = "pam"
    LDAP = "ldap"
    OIDC = "oidc"


class Account(Model):
    """A person to Paddock. The name never changes, and is never given to somebody else."""

    name: str
    full_name: str = ""
    email: str = ""
    role: Role
    unix_name: str | None = Field(None, description="the account of the machine that their tasks run as")
    source: SignInSource
    active: bool = True
    groups: list[str] = Field([])
    created_at: float
    seen_at: float | None = None


class AccountRequest(Model):
    """A new account. Without a password, the person signs in with a link from `paddock invite`."""

    name: AccountName
    full_name: FullName = ""
    email: Email = ""
    role: Role = Role.USER
    unix_name: AccountName | None = None
    source: SignInSource = SignInSource.PASSWORD
    password: Password | None = None
    groups: list[GroupName] = Field([])


class AccountPatch(Model):
    """Changes to an account by an admin; what is not given stays."""

    full_name: FullName | None = None
    email: Email | None = None
    role: Role | None = None
    unix_name: AccountName | None = None
    active: bool | None = None
    groups: list[GroupName] | None = None


class AccountGroup(Model):
    name: str
    description: str = ""
    source: str = Field("local", description="local, or where its members come from: unix, ldap, oidc")
    members: list[str] = Field([])
    created_at: float


class GroupRequest(Model):
    name: GroupName
    description: Annotated[Text, StringConstraints(max_length=2000)] = ""
    members: list[AccountName] = Field([])


class GroupPatch(Model):
    description: Annotated[Text, StringConstraints(max_length=2000)] | None = None
    members: list[AccountName] | None = None


class Provider(Model):
    """A single sign-on provider, as the sign-in page shows it."""

    name: str
    title: str


class SignInMethods(Model):
    """How one may sign in here. Everybody may ask for this."""

    team: bool = Field(description="accounts exist; otherwise the link with the token is the way in")
    passwords: bool = Field(description="a name and a password are asked for, whoever checks them")
    directories: bool = Field(False, description="passwords of this machine or of a directory are accepted, too")
    providers: list[Provider] = Field([])


class SignIn(Model):
    """Either the name and the password of an account, or the server's token."""

    name: Annotated[str, StringConstraints(max_length=200)] | None = None
    password: Annotated[str, StringConstraints(max_length=1000)] | None = None
    token: Annotated[str, StringConstraints(max_length=1000)] | None = None
    code: Secret | None = Field(
        None, description="of an invitation, for whoever a directory knows and this team not yet"
    )


class SignedIn(Model):
    """The key of the page, which it sends with every call beside the cookie."""

    page: str


class TeamState(Model):
    """Whether accounts are in use, and how to begin."""

    on: bool
    run_as: str = Field("server", description="server: all tasks run as the server's user; user: as who asked for them")
    accounts: int = 0
    join: str = Field("listed", description="who may join: listed (only who is invited or in `join_groups`) or open")
    join_groups: list[str] = Field([], description="members of these groups of a directory may join")
    setup: str | None = Field(None, description="the one-time link of the first admin, given when the team begins")
    backup: str | None = Field(None, description="where the database was copied to before the team was turned on")
    checks: list["TeamCheck"] = Field([], description="what the team needs of the machine: answered by POST team/check")


class TeamCheck(Model):
    """One thing that team mode needs."""

    name: str
    ok: bool
    detail: str = ""
    run: str | None = Field(None, description="the command line that mends it")


class TeamRequest(Model):
    on: bool


class SetupInfo(Model):
    """Whom a one-time link makes an account for."""

    name: str | None = Field(None, description="the name, if it is settled already")
    role: Role
    groups: list[str] = Field([])
    email: str = ""
    expires_at: float
    first: bool = Field(False, description="this is the first account: the team is yet to be set up")


class SetupRequest(Model):
    """The first admin, or somebody invited, takes their account."""

    code: Secret
    name: AccountName | None = None
    full_name: FullName = ""
    password: Password | None = None


class CodeRequest(Model):
    code: Secret


class Invite(Model):
    id: str
    role: Role
    groups: list[str] = Field([])
    email: str = ""
    name: str | None = Field(None, description="the account that the link is for, if that exists already")
    by: str
    created_at: float
    expires_at: float
    used_by: str | None = None
    link: str | None = Field(None, description="given once, when it is made")


class InviteRequest(Model):
    """A one-time link. With the name of an account that exists, it gives that account a new password."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None
    role: Role = Role.USER
    groups: list[GroupName] = Field([])
    email: Email = ""
    days: Annotated[float, Field(gt=0, le=90)] = 7


class Me(Model):
    """The caller: who it is, and what the page may offer."""

    name: str
    full_name: str = ""
    email: str = ""
    role: Role
    groups: list[str] = Field([])
    unix_name: str | None = None
    source: SignInSource | None = None
    zone: str = ""
    team: bool = Field(description="accounts are in use")
    via: str = Field(description="session, token, door or server")
    scope: TokenScope = TokenScope.ALL


class MePatch(Model):
    full_name: FullName | None = None
    email: Email | None = None
    zone: Zone | None = None


class PasswordChange(Model):
    old: Annotated[str, StringConstraints(max_length=1000)]
    new: Password


class BrowserSession(Model):
    """A browser that is signed in."""

    id: str
    created_at: float
    seen_at: float | None
    expires_at: float
    address: str = ""
    browser: str = ""
    current: bool = False


class PersonalToken(Model):
    id: str
    name: str
    scope: TokenScope
    created_at: float
    expires_at: float | None
    used_at: float | None = None
    revoked_at: float | None = None
    token: str | None = Field(None, description="the token itself, given once, when it is made")


class TokenRequest(Model):
    name: Annotated[Text, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
    scope: TokenScope = TokenScope.ALL
    days: Annotated[float, Field(gt=0, le=3650)] | None = Field(90, description="null: for ever, where that is allowed")


class AuditEntry(Model):
    id: int
    at: float
    who: str
    via: str
    address: str = ""
    act: str
    kind: str = Field("", description="what was acted on: job, task, account, ...")
    object: str = ""
    detail: dict[str, Any] = Field({})


class AuditPage(Model):
    entries: list[AuditEntry]
    more: bool = False
