"""HTTPS on the server's port: its certificate and key, which are checked at the start, and whom clients trust."""

import os
import ssl
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.errors import InvalidInput

if TYPE_CHECKING:
    from paddock.settings import Settings

SOON_SECONDS = 21 * 86_400


def context(settings: "Settings") -> ssl.SSLContext | None:
    """Return the server's TLS context; None: plain HTTP. Raises InvalidInput if the files cannot be used."""
    files = _files(settings)
    if files is None:
        return None
    certificate, key = files
    _readable("tls_certificate", certificate)
    _private(key)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.set_alpn_protocols(["http/1.1"])
    try:
        made.load_cert_chain(certificate, key, password=lambda: _no_passphrase(key))
    except ssl.SSLError as error:
        raise _wrong(error, certificate, key) from None
    return made


def refuse_clear_text(settings: "Settings") -> None:
    """Raise InvalidInput if people would send their passwords over a network that others can read."""
    here = settings.host in ("localhost", "::1") or settings.host.startswith("127.")
    if here or settings.insecure or _files(settings) or (settings.public_url or "").startswith("https://"):
        return
    raise InvalidInput.at(
        "host",
        f"this server has accounts and listens on {settings.host} without HTTPS, where passwords could be read on the "
        "way: set tls_certificate and tls_key; or listen on 127.0.0.1 behind a proxy that speaks HTTPS, and set "
        "public_url to its https address; or add --insecure if nobody else can read this network",
    )


def _files(settings: "Settings") -> tuple[Path, Path] | None:
    given = {"tls_certificate": settings.tls_certificate, "tls_key": settings.tls_key}
    missing = [name for name, path in given.items() if path is None]
    if len(missing) == 1:
        [there] = given.keys() - missing
        raise InvalidInput.at(missing[0], f"`{there}` is set, and `{missing[0]}` is not: set both, or none")
    found = [settings.home / path.expanduser() for path in given.values() if path is not None]
    return (found[0], found[1]) if found else None


def _readable(setting: str, path: Path) -> os.stat_result:
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise _refused(setting, f"{path} is not a file")
        with path.open("rb"):
            return found
    except OSError as error:
        raise _refused(setting, f"{path} cannot be read: {error.strerror}") from None


def _private(key: Path) -> None:
    """Raise InvalidInput if others can read the key. A group may read a key of root's, as administrators set it up."""
    found = _readable("tls_key", key)
    if found.st_uid not in (0, os.getuid()):
        raise _refused("tls_key", f"{key} belongs to another user, who can use it as well: make your own key")
    allowed = 0o040 if found.st_uid == 0 and os.getuid() != 0 else 0
    if found.st_mode & 0o077 & ~allowed:
        raise _refused("tls_key", f"others can read or write {key}: `chmod 600 {key}`, or make a new one")


def _no_passphrase(key: Path) -> str:
    raise _refused(
        "tls_key",
        f"{key} needs a passphrase, which a server cannot ask for: "
        f"`openssl pkey -in {key} -out NEW` writes it without one",
    )


def _wrong(error: ssl.SSLError, certificate: Path, key: Path) -> InvalidInput:
    if error.reason == "KEY_VALUES_MISMATCH":
        return _refused("tls_key", f"the key in {key} does not belong to the certificate in {certificate}")
    if _certificates(certificate) == []:
        return _refused("tls_certificate", f"there is no certificate (PEM) in {certificate}")
    return _refused("tls_key", f"there is no key (PEM) in {key} that fits ({error.reason or error})")


def _refused(setting: str, message: str) -> InvalidInput:
    return InvalidInput.at(setting, message, f"`{setting}`")


# --- the certificate --------------------------------------------------------------------------------------------------


def certificate(settings: "Settings") -> str | None:
    """Return the server's own certificate, the first in its file, as PEM. Clients that read it in the home trust it."""
    files = _files(settings)
    return _certificates(files[0])[0] if files else None


def _certificates(path: Path) -> list[str]:
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    parts = path.read_text(encoding="ascii", errors="replace").split(begin)[1:]
    return [f"{begin}{part.partition(end)[0]}{end}\n" for part in parts if end in part]


def ends_at(settings: "Settings") -> float | None:
    """Return when the server's certificate expires, in seconds since 1970."""
    files = _files(settings)
    if files is None:
        return None
    # Otherwise the standard library decodes only certificates that it has verified, which needs a connection.
    decoded: dict[str, Any] = ssl._ssl._test_decode_cert(str(files[0]))  # type: ignore[attr-defined]
    return ssl.cert_time_to_seconds(decoded["notAfter"])


def days_left(ends: float, now: float | None = None) -> int:
    return int((ends - (time.time() if now is None else now)) // 86_400)


# --- clients ----------------------------------------------------------------------------------------------------------


def trust(pinned: str | None) -> ssl.SSLContext:
    """Return a client's TLS context. `pinned`: trust only this certificate, which stands in the server's home.

    Its host name does not matter. Default: the certificates that this system trusts, or those in SSL_CERT_FILE.
    """
    if pinned is None:
        from httpx2 import create_ssl_context  # it finds what is trusted on many systems; its import takes long

        return create_ssl_context()
    made = ssl.create_default_context(cadata=pinned)
    # The certificate itself is trusted, and nothing else, whoever has signed it.
    made.verify_flags = (made.verify_flags | ssl.VERIFY_X509_PARTIAL_CHAIN) & ~ssl.VERIFY_X509_STRICT
    made.check_hostname = False
    return made
