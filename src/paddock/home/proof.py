"""Prove that one knows the token without sending it."""

import hashlib
import hmac
import re

_NONCE = re.compile(r"[0-9a-f]{32,128}")


def of(token: str, text: str) -> str:
    return hmac.new(token.encode(), f"paddock {text}".encode(), "sha256").hexdigest()


def usable(nonce: str) -> bool:
    return _NONCE.fullmatch(nonce) is not None


def digest(token: str) -> str:
    """Return what the server keeps of a person's token."""
    return hashlib.sha256(token.encode()).hexdigest()
