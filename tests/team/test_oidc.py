"""Test single sign-on: with a real provider, and with one that forges its answers."""

import base64
import functools
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

from paddock.errors import NotAuthorised, SignInUnavailable
from paddock.login.identity import Identity
from paddock.login.oidc import PENDING_SECONDS, Departure, PendingLogin, SingleSignOn
from paddock.models import SignInSource
from paddock.settings import OidcSettings
from tests.team.provider import provider, visit

BACK = "http://127.0.0.1:9/api/v1/session/oidc/lab/callback"
CLAIMS = {"groups_claim": "groups", "unix_claim": "unix"}


class Clock:
    """A clock that a test can set forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


# --- a real provider --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with provider(tmp_path_factory.mktemp("provider")) as made:
        yield made


@pytest.fixture
def login(issuer: str) -> SingleSignOn:
    return SingleSignOn("lab", OidcSettings(issuer=issuer, client_id="public", **CLAIMS))


def finish(login: SingleSignOn, query: dict[str, str], begun: Departure, **changed: Any) -> Identity:
    given: dict[str, Any] = {"state": begun.state, "pending": begun.pending, "back": BACK} | changed
    return login.finish(query, **given)


def test_who_comes_back_is_who_signed_in_there(login: SingleSignOn, issuer: str) -> None:
    begun = login.begin(BACK)
    found = finish(login, visit(begun.url, "user-1"), begun)
    assert found == Identity(
        source=SignInSource.OIDC,
        subject=f"{issuer}#user-1",
        name="alice",
        full_name="Alice Ärmel",
        email="alice@example.org",
        unix_name="alice",
        groups=("ml", "vision"),
    )


def test_an_address_that_is_not_confirmed_is_left_out(login: SingleSignOn) -> None:
    begun = login.begin(BACK)
    found = finish(login, visit(begun.url, "user-2"), begun)
    assert (found.name, found.email, found.unix_name, found.groups) == ("bob", "", None, ())


@pytest.mark.parametrize(("client", "algorithm"), [("basic", "ES256"), ("other", "EdDSA"), ("pss", "PS256")])
def test_a_client_with_a_secret_and_other_kinds_of_keys(
    issuer: str, client: str, algorithm: str, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret: with %\n")
    settings = OidcSettings(issuer=issuer, client_id=client, client_secret_file=secret if client == "basic" else None)
    login = SingleSignOn("lab", settings)
    begun = login.begin(BACK)
    assert finish(login, visit(begun.url, "user-1"), begun).name == "alice"


def test_a_wrong_secret_is_a_matter_for_admins(issuer: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("another one")
    login = SingleSignOn("lab", OidcSettings(issuer=issuer, client_id="basic", client_secret_file=secret))
    begun = login.begin(BACK)
    with pytest.raises(SignInUnavailable) as error:
        finish(login, visit(begun.url, "user-1"), begun)
    assert "invalid_client" in error.value.detail


def test_a_code_is_good_once(login: SingleSignOn) -> None:
    begun = login.begin(BACK)
    query = visit(begun.url, "user-1")
    finish(login, query, begun)
    with pytest.raises(NotAuthorised):
        finish(login, query, begun)


def test_a_code_of_another_sign_in_is_refused(login: SingleSignOn) -> None:
    """The provider compares the verifier, and the nonce is that of the sign-in that began."""
    mine, other = login.begin(BACK), login.begin(BACK)
    code = visit(other.url, "user-2")
    with pytest.raises(NotAuthorised):  # my cookie, somebody else's code: their verifier is not mine
        finish(login, code | {"state": mine.state}, mine)


def test_a_state_of_somebody_else_is_refused(login: SingleSignOn) -> None:
    mine, other = login.begin(BACK), login.begin(BACK)
    query = visit(other.url, "user-2")
    for state, pending in (
        (mine.state, other.pending),  # a link with somebody's code, opened in my browser
        (mine.state, mine.pending),
        (other.state, mine.pending),
        ("", other.pending),
        ("\ud800ü", other.pending),
    ):
        with pytest.raises(NotAuthorised):
            finish(login, query, other, state=state, pending=pending)
    for wrong in ({"state": ""}, {"state": mine.state}):
        with pytest.raises(NotAuthorised):
            finish(login, query | wrong, other)
    assert finish(login, query, other).name == "bob"


@pytest.mark.parametrize("what", ["nonce", "verifier"])
def test_another_nonce_or_verifier_is_refused(login: SingleSignOn, what: str) -> None:
    begun = login.begin(BACK)
    kept = {"hash": begun.pending.hash, "nonce": begun.pending.nonce, "verifier": begun.pending.verifier}
    pending = PendingLogin(**(kept | {what: "x" * 43}), expires_at=begun.pending.expires_at)
    with pytest.raises(NotAuthorised):
        finish(login, visit(begun.url, "user-1"), begun, pending=pending)


def test_a_late_return_is_refused(issuer: str) -> None:
    clock = Clock()
    login = SingleSignOn("lab", OidcSettings(issuer=issuer, client_id="public"), clock)
    begun = login.begin(BACK)
    query = visit(begun.url, "user-1")
    clock.ahead = PENDING_SECONDS
    with pytest.raises(NotAuthorised, match="begin again"):
        finish(login, query, begun)
    clock.ahead = 0
    assert finish(login, query, begun).name == "alice"


def test_another_address_to_come_back_to_is_refused(login: SingleSignOn) -> None:
    begun = login.begin(BACK)
    with pytest.raises(NotAuthorised):
        finish(login, visit(begun.url, "user-1"), begun, back="http://127.0.0.1:9/elsewhere")


@pytest.mark.parametrize(
    "changed", [{"iss": "https://evil.example"}, {"code": ""}, {"code": "x" * 100_000}, {"error": "access_denied"}]
)
def test_an_answer_of_another_provider_or_without_a_code_is_refused(
    login: SingleSignOn, changed: dict[str, str]
) -> None:
    begun = login.begin(BACK)
    with pytest.raises(NotAuthorised):
        finish(login, visit(begun.url, "user-1") | changed, begun)


def test_a_provider_that_names_itself_must_do_so(login: SingleSignOn) -> None:
    begun = login.begin(BACK)
    query = visit(begun.url, "user-1")
    assert query.pop("iss")
    with pytest.raises(NotAuthorised):
        finish(login, query, begun)


# --- a provider that forges -------------------------------------------------------------------------------------------


@functools.cache
def rsa(kid: str) -> RSAKey:
    """Return a key, which takes a while to make."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"})


class Forger:
    """Answers as a provider would, with tokens that a test makes."""

    def __init__(self) -> None:
        self.keys: list[Any] = [rsa("one")]
        self.token: Callable[[dict[str, Any]], Any] = self.signed
        self.discovery: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.asked: list[str] = []
        self.nonce = ""
        forger = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                forger.answer(self)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.http.server_port}"

    def claims(self) -> dict[str, Any]:
        now = int(time.time())
        return {
            "iss": self.issuer, "aud": "me", "sub": "7", "nonce": self.nonce, "iat": now, "exp": now + 300,
            "preferred_username": "eve", "name": "Eve", "email": "eve@example.org",
        }  # fmt: skip

    def signed(self, claims: dict[str, Any], header: dict[str, Any] | None = None, key: Any = None) -> str:
        return jwt.encode({"alg": "RS256", "kid": "one"} | (header or {}), claims, key or self.keys[0])

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        if request.command == "POST":
            request.rfile.read(int(request.headers["Content-Length"]))
        path = urlsplit(request.path).path
        self.asked.append(path)
        status, body = 200, b"{}"
        if path == "/.well-known/openid-configuration":
            known = {f"{name}_endpoint": f"{self.issuer}/{name}" for name in ("authorization", "token", "userinfo")}
            found = {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **known, **self.discovery}
            body = json.dumps({name: value for name, value in found.items() if value is not None}).encode()
        elif path == "/keys":
            body = json.dumps({"keys": [key.as_dict(private=False) for key in self.keys]}).encode()
        elif path == "/token":
            made = self.token(self.claims())
            body = made if isinstance(made, bytes) else json.dumps({"id_token": made, "access_token": "a"}).encode()
        elif path == "/userinfo":
            body = json.dumps(self.userinfo).encode()
        else:
            status = 404
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


@pytest.fixture
def forger() -> Iterator[Forger]:
    made = Forger()
    thread = threading.Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join()


def sign_in(forger: Forger, login: SingleSignOn | None = None, **settings: Any) -> Identity:
    login = login or SingleSignOn("lab", OidcSettings(issuer=forger.issuer, client_id="me", **settings))
    begun = login.begin(BACK)
    query = dict(parse_qsl(urlsplit(begun.url).query))
    forger.nonce = query["nonce"]
    return finish(login, {"code": "c", "state": query["state"]}, begun)


def test_a_token_as_it_should_be(forger: Forger) -> None:
    assert sign_in(forger).subject == f"{forger.issuer}#7"
    assert "/userinfo" not in forger.asked  # all that is wanted was in the token


def unsigned(claims: dict[str, Any]) -> str:
    return f"{_part({'alg': 'none', 'typ': 'JWT'})}.{_part(claims)}."


def with_the_public_key_as_a_secret(forger: Forger) -> Callable[[dict[str, Any]], str]:
    def made(claims: dict[str, Any]) -> str:
        text = f"{_part({'alg': 'HS256', 'kid': 'one'})}.{_part(claims)}"
        secret = forger.keys[0].as_pem(private=False)
        return f"{text}.{_coded(hmac.digest(secret, text.encode(), hashlib.sha256))}"

    return made


def _part(content: dict[str, Any]) -> str:
    return _coded(json.dumps(content).encode())


def _coded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


FORGED: dict[str, Callable[[Forger], Callable[[dict[str, Any]], Any]]] = {
    "alg none": lambda f: unsigned,
    "HS256 with the public key": with_the_public_key_as_a_secret,
    "own RSA key": lambda f: lambda c: f.signed(c, key=rsa("two")),
    "own key in the header": lambda f: _with_key_in_header,
    "wrong issuer": lambda f: lambda c: f.signed(c | {"iss": "https://accounts.example"}),
    "issuer with a slash": lambda f: lambda c: f.signed(c | {"iss": f.issuer + "/"}),
    "wrong audience": lambda f: lambda c: f.signed(c | {"aud": "another"}),
    "audience in a name": lambda f: lambda c: f.signed(c | {"aud": "me2"}),
    "several audiences": lambda f: lambda c: f.signed(c | {"aud": ["me", "another"]}),
    "several audiences, another party": lambda f: lambda c: f.signed(c | {"aud": ["me", "x"], "azp": "x"}),
    "another party": lambda f: lambda c: f.signed(c | {"azp": "another"}),
    "expired": lambda f: lambda c: f.signed(c | {"exp": int(time.time()) - 120}),
    "issued in the future": lambda f: lambda c: f.signed(c | {"iat": int(time.time()) + 600}),
    "another nonce": lambda f: lambda c: f.signed(c | {"nonce": "x"}),
    "several nonces": lambda f: lambda c: f.signed(c | {"nonce": [c["nonce"], "x"]}),
    "no subject": lambda f: lambda c: f.signed(c | {"sub": ""}),
    "a long subject": lambda f: lambda c: f.signed(c | {"sub": "x" * 256}),
    "a subject that is no text": lambda f: lambda c: f.signed(c | {"sub": ["7"]}),
    "an expiry that is no number": lambda f: lambda c: f.signed(c | {"exp": "never"}),
    "changed after it was signed": lambda f: lambda c: _changed(f.signed(c), c | {"sub": "8"}),
    "another kind of key": lambda f: lambda c: _of_another_kind(c, "ES256"),
    "no such algorithm": lambda f: lambda c: f"{_part({'alg': 'XS256', 'kid': 'one'})}.{_part(c)}.AAAA",
    "an algorithm that is no text": lambda f: lambda c: f"{_part({'alg': ['RS256'], 'kid': 'one'})}.{_part(c)}.AAAA",
    "a key that is no text": lambda f: lambda c: f"{_part({'alg': 'RS256', 'kid': ['one']})}.{_part(c)}.AAAA",
    "an unknown critical header": lambda f: lambda c: _critical(f, c),
    "claims that are no object": lambda f: lambda c: f"{_part({'alg': 'RS256', 'kid': 'one'})}.{_coded(b'[1]')}.AAAA",
    "not JSON": lambda f: lambda c: f"{_coded(b'x')}.{_coded(b'y')}.AAAA",
    "no token": lambda f: lambda c: None,
    "no text": lambda f: lambda c: ["x"],
    "nonsense": lambda f: lambda c: "a.b.c",
    "too long": lambda f: lambda c: f.signed(c | {"more": "x" * 100_000}),
    **{
        f"without {name}": lambda f, name=name: lambda c: f.signed({k: v for k, v in c.items() if k != name})  # type: ignore[misc]
        for name in ("iss", "aud", "exp", "iat", "nonce", "sub")
    },
}


def _with_key_in_header(claims: dict[str, Any]) -> str:
    key = ECKey.generate_key("P-256")
    return jwt.encode({"alg": "ES256", "jwk": key.as_dict(private=False)}, claims, key)


def _of_another_kind(claims: dict[str, Any], algorithm: str) -> str:
    return jwt.encode({"alg": algorithm, "kid": "one"}, claims, ECKey.generate_key("P-256"))


def _critical(forger: Forger, claims: dict[str, Any]) -> str:
    """Return a token with a valid signature that asks for something unknown to be understood."""
    text = f"{_part({'alg': 'RS256', 'kid': 'one', 'crit': ['x'], 'x': 1})}.{_part(claims)}"
    return f"{text}.{_coded(forger.keys[0].private_key.sign(text.encode(), PKCS1v15(), SHA256()))}"


def _changed(token: str, claims: dict[str, Any]) -> str:
    header, _, signature = token.split(".")
    return f"{header}.{_part(claims)}.{signature}"


@pytest.mark.parametrize("how", FORGED)
def test_a_forged_token_is_refused(forger: Forger, how: str) -> None:
    forger.token = FORGED[how](forger)
    with pytest.raises(NotAuthorised, match="not valid"):
        sign_in(forger)


def test_a_secret_in_the_list_of_keys_is_not_a_key(forger: Forger) -> None:
    secret = OctKey.import_key("known to everybody who reads the list", {"kid": "s"})
    forger.keys.append(secret)
    forger.token = lambda claims: jwt.encode({"alg": "HS256", "kid": "s"}, claims, secret)
    with pytest.raises(NotAuthorised):
        sign_in(forger)


def test_new_keys_are_read_once_when_one_is_unknown(forger: Forger) -> None:
    login = SingleSignOn("lab", OidcSettings(issuer=forger.issuer, client_id="me"))
    sign_in(forger, login)
    sign_in(forger, login)
    assert forger.asked.count("/keys") == forger.asked.count("/.well-known/openid-configuration") == 1
    forger.keys = [rsa("two")]
    forger.token = lambda claims: forger.signed(claims, {"kid": "two"})
    sign_in(forger, login)
    assert forger.asked.count("/keys") == 2
    forger.token = lambda claims: forger.signed(claims, {"kid": "three"})
    with pytest.raises(NotAuthorised):
        sign_in(forger, login)
    assert forger.asked.count("/keys") == 3


@pytest.mark.parametrize(
    "published",
    [
        {"issuer": "https://accounts.example"},
        {"issuer": None},
        {"token_endpoint": None},
        {"token_endpoint": 7},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": "file:///etc/passwd"},
    ],
)
def test_a_provider_that_publishes_something_else_is_not_used(forger: Forger, published: dict[str, Any]) -> None:
    forger.discovery = published
    with pytest.raises(SignInUnavailable):
        sign_in(forger)


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", b"[]", b"[" * 100_000, b"x" * 2_000_000, b'{"error": "server_error"}']
)
def test_an_answer_that_is_none_is_not_an_identity(forger: Forger, body: bytes) -> None:
    forger.token = lambda claims: body
    with pytest.raises(SignInUnavailable):
        sign_in(forger)


def test_a_redirect_of_the_provider_is_not_followed(forger: Forger) -> None:
    forger.discovery = {"token_endpoint": f"{forger.issuer}/moved"}
    with pytest.raises(SignInUnavailable):
        sign_in(forger)


def test_a_provider_can_be_tried_without_signing_in(login: SingleSignOn, forger: Forger) -> None:
    assert login.probe().endswith("answers; 3 keys")
    forger.keys = []
    with pytest.raises(SignInUnavailable):
        SingleSignOn("lab", OidcSettings(issuer=forger.issuer, client_id="me")).probe()


def test_a_provider_that_does_not_answer_is_not_asked_again_at_once(forger: Forger) -> None:
    clock = Clock()
    login = SingleSignOn("lab", OidcSettings(issuer=f"{forger.issuer}/none", client_id="me"), clock)
    for ahead, asked in ((0, 1), (0, 1), (60, 2)):
        clock.ahead = ahead
        with pytest.raises(SignInUnavailable):
            login.begin(BACK)
        assert len(forger.asked) == asked
    with pytest.raises(SignInUnavailable):
        SingleSignOn("lab", OidcSettings(issuer="http://127.0.0.1:1", client_id="me")).begin(BACK)


def test_what_is_only_at_the_userinfo_endpoint(forger: Forger) -> None:
    forger.token = lambda claims: forger.signed({k: v for k, v in claims.items() if k != "preferred_username"})
    forger.userinfo = {"sub": "7", "preferred_username": "mallory", "name": "not from here", "iss": "x"}
    found = sign_in(forger)
    assert (found.name, found.full_name, found.subject) == ("mallory", "Eve", f"{forger.issuer}#7")
    forger.userinfo["sub"] = "8"  # somebody else's
    assert sign_in(forger).name == ""


@pytest.mark.parametrize(
    ("claims", "settings", "name"),
    [
        ({"preferred_username": "Eve"}, {}, "eve"),
        ({"preferred_username": "eve\n"}, {}, ""),
        ({"preferred_username": "еve"}, {}, ""),  # with a Cyrillic letter
        ({"preferred_username": ["eve"]}, {}, ""),
        ({"preferred_username": "eve@example.org"}, {}, ""),
        ({"preferred_username": "eve@example.org"}, {"domain": "Example.org"}, "eve"),
        ({"preferred_username": "eve@evil.example"}, {"domain": "example.org"}, ""),
        ({"email_verified": True}, {"name_claim": "email", "domain": "example.org"}, "eve"),
        ({"email_verified": False}, {"name_claim": "email", "domain": "example.org"}, ""),
        ({}, {"name_claim": "email", "domain": "example.org"}, ""),
        ({"a": {"b": "deep"}}, {"name_claim": "a.b"}, "deep"),
        ({"https://x.org/name": "url"}, {"name_claim": "https://x.org/name"}, "url"),
    ],
)
def test_which_name_an_account_gets(
    forger: Forger, claims: dict[str, Any], settings: dict[str, Any], name: str
) -> None:
    forger.token = lambda own: forger.signed(own | claims)
    assert sign_in(forger, **settings).name == name


@pytest.mark.parametrize(
    ("given", "groups"),
    [(["b", "a", "/c", "/d/e", 7, "X", "b"], ("a", "b", "c")), ("a", ("a",)), (None, ()), ({"a": 1}, ())],
)
def test_groups_are_valid_names(forger: Forger, given: Any, groups: tuple[str, ...]) -> None:
    forger.token = lambda claims: forger.signed(claims | {"g": given})
    assert sign_in(forger, groups_claim="g").groups == groups


@pytest.mark.parametrize(
    "issuer",
    ["http://accounts.example", "ftp://127.0.0.1", "https://", "https://a.example/?x", "https://a.example/#x", "a b"],
)
def test_an_issuer_without_encryption_is_refused(issuer: str) -> None:
    with pytest.raises(ValueError):
        OidcSettings(issuer=issuer, client_id="me")
