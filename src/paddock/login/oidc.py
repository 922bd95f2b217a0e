"""Single sign-on: OpenID Connect with the code flow, PKCE (S256) and a nonce."""

import base64
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError, UnsupportedAlgorithmError
from joserfc.jwk import JWKRegistry, Key, KeySet
from joserfc.jws import JWSRegistry

from paddock.errors import NotAuthorised, SignInUnavailable
from paddock.login.identity import Identity, log, printable, unavailable, valid_name, valid_names
from paddock.login.provider_http import ProviderHttp
from paddock.models import SignInSource
from paddock.settings import OidcSettings

PENDING_SECONDS = 600.0
METADATA_SECONDS = 3600.0  # how long what a provider publishes about itself is kept
RETRY_SECONDS = 10.0  # everybody can ask us to ask a provider: one that does not answer must not occupy all threads
LEEWAY_SECONDS = 60  # how far its clock may be from ours
MAX_CODE, MAX_TOKEN, MAX_SUBJECT, MAX_KEYS = 8_000, 64_000, 255, 100
# Signed with a key that only the provider has: no shared secrets, and never `none`.
ALGORITHMS = [f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)] + ["EdDSA", "Ed25519"]
KINDS = {"RSA", "EC", "OKP"}
BEGIN_AGAIN = "This sign-in was not begun in this browser, or it took too long: begin again."
REFUSED = "The sign-in provider's answer is not valid: begin again, and tell an admin if that does not help."


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """What the server keeps while somebody is at the provider. It is good for one return: remove it before `finish`."""

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


@dataclass(frozen=True)
class ProviderMetadata:
    """What a provider publishes about itself."""

    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    posts_secret: bool  # it takes the client's secret in the body only
    sends_issuer: bool
    read_at: float


class SignatureRules(JWSRegistry):
    """Only ALGORITHMS; joserfc would warn of EdDSA, whose newer name providers do not use yet."""

    def get_alg(self, name: str) -> Any:
        if name not in ALGORITHMS:
            raise UnsupportedAlgorithmError(f"Algorithm {name!r} is not allowed")
        return self.algorithms[name]


_SIGNATURES = SignatureRules(strict_check_header=False)  # headers that nobody marked as critical are ignored


def hash_of(state: str) -> str:
    """Return under which hash a state is kept."""
    return hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()


class SingleSignOn:
    """One provider. `begin` and `finish` ask it over HTTP, with time-outs."""

    def __init__(self, name: str, settings: OidcSettings, clock: Callable[[], float] = time.time) -> None:
        self.name, self._settings, self._clock = name, settings, clock
        self._http = ProviderHttp(settings.ca_certificate)
        self._metadata: ProviderMetadata | None = None
        self._keys: KeySet | None = None
        self._failed_at = 0.0
        self._reading = threading.Lock()

    def begin(self, back: str) -> Departure:
        """Return where to send a browser that is to come back to the address `back`."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": back,
            "scope": " ".join(dict.fromkeys(["openid", *self._settings.scopes])),
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        parts = urlsplit(self._about().authorization_endpoint)
        url = urlunsplit(parts._replace(query=urlencode([*parse_qsl(parts.query), *query.items()]), fragment=""))
        return Departure(url, state, PendingLogin(hash_of(state), nonce, verifier, self._clock() + PENDING_SECONDS))

    def finish(self, query: Mapping[str, str], *, state: str, pending: PendingLogin, back: str) -> Identity:
        """Return who came back with `query` (of the callback's address); `state` is what the browser's cookie has.

        Raise NotAuthorised for whoever is not who began, SignInUnavailable if the provider does not answer.
        """
        ours = hmac.compare_digest(hash_of(state), pending.hash)
        returned = hmac.compare_digest(hash_of(query.get("state", "")), pending.hash)
        if not ours or not returned or self._clock() >= pending.expires_at:
            raise NotAuthorised(BEGIN_AGAIN)
        about = self._about()
        if query.get("iss") != self._settings.issuer and ("iss" in query or about.sends_issuer):
            raise NotAuthorised(REFUSED)
        if "error" in query:
            raise NotAuthorised(f"The sign-in provider did not let you in ({printable(query['error'], 60)}).")
        code = query.get("code", "")
        if not 0 < len(code) <= MAX_CODE:
            raise NotAuthorised(REFUSED)
        answer = self._exchange(about, code, pending.verifier, back)
        claims = self._verified(about, answer.get("id_token"), pending.nonce)
        return self._identity({**self._userinfo(about, answer.get("access_token"), claims), **claims})

    def probe(self) -> str:
        """Return what the provider publishes; raise SignInUnavailable if people cannot sign in."""
        about = self._about()
        self._secret()
        return f"{self._settings.issuer} answers; {len(self._read_keys(about).keys)} keys"

    # --- asking the provider ------------------------------------------------------------------------------------------

    def _about(self) -> ProviderMetadata:
        """Return what the provider publishes about itself, read again from time to time."""
        with self._reading:  # one asks, the others wait for the answer
            known, now = self._metadata, self._clock()
            if known is not None and 0 <= now - known.read_at < METADATA_SECONDS:
                return known
            if 0 <= now - self._failed_at < RETRY_SECONDS:
                raise SignInUnavailable(f"the provider {self.name} did not answer a moment ago")
            self._failed_at = now
            self._metadata, self._keys = self._discover(now), None
            self._failed_at = 0.0
            return self._metadata

    def _discover(self, now: float) -> ProviderMetadata:
        issuer = self._settings.issuer
        found = self._http.get(issuer.rstrip("/") + "/.well-known/openid-configuration")
        if found.get("issuer") != issuer:
            raise unavailable(f"login.oidc.{self.name}.issuer must be {found.get('issuer')!r}, as the provider has it")
        methods = found.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        return ProviderMetadata(
            authorization_endpoint=self._endpoint(found, "authorization_endpoint"),
            token_endpoint=self._endpoint(found, "token_endpoint"),
            jwks_uri=self._endpoint(found, "jwks_uri"),
            userinfo_endpoint=self._endpoint(found, "userinfo_endpoint") if "userinfo_endpoint" in found else None,
            posts_secret=isinstance(methods, list) and "client_secret_basic" not in methods,
            sends_issuer=found.get("authorization_response_iss_parameter_supported") is True,
            read_at=now,
        )

    def _endpoint(self, found: Mapping[str, Any], name: str) -> str:
        """Return an address that the provider names; where its own is https, all are."""
        url, scheme = found.get(name), urlsplit(self._settings.issuer).scheme
        if not isinstance(url, str) or not url.startswith(("https://", f"{scheme}://")):
            raise unavailable(f"the provider {self.name} publishes no usable {name}")
        return url

    def _exchange(self, about: ProviderMetadata, code: str, verifier: str, back: str) -> dict[str, Any]:
        """Return the tokens for a code."""
        client, secret = self._settings.client_id, self._secret()
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": verifier}
        authorization = None
        if secret is None or about.posts_secret:
            form["client_id"] = client
        if secret is not None and about.posts_secret:
            form["client_secret"] = secret
        elif secret is not None:
            pair = f"{quote(client, safe='')}:{quote(secret, safe='')}".encode()
            authorization = f"Basic {base64.b64encode(pair).decode()}"
        answer = self._http.post(about.token_endpoint, form, authorization)
        if answer.get("error") == "invalid_grant":  # used before, too old, or begun by somebody else
            raise NotAuthorised(BEGIN_AGAIN)
        if "error" in answer:
            raise unavailable(f"the provider {self.name} gives no token: {printable(answer['error'])}")
        return answer

    def _secret(self) -> str | None:
        path = self._settings.client_secret_file
        try:
            return path.read_text().strip() if path else None
        except (OSError, ValueError) as error:
            raise unavailable(f"login.oidc.{self.name}.client_secret_file cannot be read: {error}") from None

    def _userinfo(self, about: ProviderMetadata, token: object, claims: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the provider knows of the person besides what is in the token, if something is missing there."""
        s = self._settings
        wanted = [name for name in (s.name_claim, s.unix_claim, s.groups_claim, "name", "email") if name]
        missing = any(_claim(claims, name) is None for name in wanted)
        if not missing or about.userinfo_endpoint is None or not isinstance(token, str):
            return {}
        found = self._http.get(about.userinfo_endpoint, f"Bearer {token}")
        return found if found.get("sub") == claims["sub"] else {}

    # --- what it answers ----------------------------------------------------------------------------------------------

    def _verified(self, about: ProviderMetadata, token: object, nonce: str) -> dict[str, Any]:
        """Return the claims of an ID token that this provider signed for us, now, for this sign-in."""
        client = self._settings.client_id
        if not isinstance(token, str) or len(token) > MAX_TOKEN:
            raise NotAuthorised(REFUSED)
        rules = jwt.JWTClaimsRegistry(
            now=int(self._clock()),
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": self._settings.issuer},
            aud={"essential": True, "value": client},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
            sub={"essential": True},
        )
        try:
            claims = self._decoded(about, token)
            rules.validate(claims)
        except (JoseError, ValueError, TypeError, RecursionError) as error:
            raise _refused(f"{type(error).__name__}: {error}") from None
        if isinstance(claims["nonce"], list) or len(claims["sub"]) > MAX_SUBJECT:
            raise _refused("nonce or sub")
        others = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", None if others else client) != client:
            raise _refused("the token was made for another application")
        return claims

    def _decoded(self, about: ProviderMetadata, token: str) -> dict[str, Any]:
        """Return the claims of a token with a valid signature. An unknown key may be a new one: they are read again."""
        if self._keys is not None:
            try:
                return jwt.decode(token, self._keys, registry=_SIGNATURES).claims
            except InvalidKeyIdError:
                pass
        self._keys = keys = self._read_keys(about)
        return jwt.decode(token, keys, registry=_SIGNATURES).claims

    def _read_keys(self, about: ProviderMetadata) -> KeySet:
        listed = self._http.get(about.jwks_uri).get("keys")
        keys: list[Key] = []
        for one in listed[:MAX_KEYS] if isinstance(listed, list) else []:
            if isinstance(one, dict) and one.get("kty") in KINDS and one.get("use", "sig") == "sig":
                try:
                    keys.append(JWKRegistry.import_key(one))
                except (JoseError, ValueError, TypeError, KeyError):  # of a kind that we do not know
                    continue
        if not keys:
            raise unavailable(f"the provider {self.name} publishes no keys")
        return KeySet(keys)

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        s = self._settings
        groups = _claim(claims, s.groups_claim)
        listed = groups if isinstance(groups, list) else [groups]
        return Identity(
            source=SignInSource.OIDC,
            subject=f"{s.issuer}#{claims['sub']}",  # an issuer contains no #
            name=self._name(claims),
            full_name=printable(claims.get("name")),
            email=_email(claims),
            unix_name=valid_name(_claim(claims, s.unix_claim)) or None,
            groups=valid_names(one.removeprefix("/") for one in listed if isinstance(one, str)),
        )

    def _name(self, claims: Mapping[str, Any]) -> str:
        """Return the name for an account; of an e-mail address the part before our own domain."""
        s = self._settings
        given = _claim(claims, s.name_claim)
        if not isinstance(given, str) or (s.name_claim == "email" and claims.get("email_verified") is not True):
            return ""
        given = given.lower()
        return valid_name(given.removesuffix(f"@{s.domain.lower()}") if s.domain else given)


def _refused(why: str) -> NotAuthorised:
    log.warning("a token of a sign-in provider is not valid: %s", printable(why))
    return NotAuthorised(REFUSED)


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """Return a claim; `realm_access.roles` is the claim `roles` in the claim `realm_access`."""
    if not name or name in claims:
        return claims.get(name)
    outer, dot, inner = name.partition(".")
    within = claims.get(outer)
    return _claim(within, inner) if dot and isinstance(within, Mapping) else None


def _email(claims: Mapping[str, Any]) -> str:
    given = printable(claims.get("email"))
    return given if given.count("@") == 1 and " " not in given and claims.get("email_verified") is not False else ""
