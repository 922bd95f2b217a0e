"""Passwords that Paddock keeps itself, with argon2."""

import threading

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHash

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# Of random bytes that nobody has kept.
_NOBODYS = "$argon2id$v=19$m=19456,t=2,p=1$lry+kFpYOoaVH7JEkGAVEA$RL649hys10WPpUIfov9RVHA2COoitKaqvo+CSmqNIE4"
_places = threading.BoundedSemaphore(2)  # checks at a time: each needs memory and a core for a fifth of a second


def hashed(password: str) -> str:
    """Return what to store in place of a password."""
    with _places:
        return _hasher.hash(_bytes(password))


def matches(stored: str | None, password: str) -> bool:
    """Return True if a password is the one that was stored.

    Without a stored one, which is the case of an unknown name, that takes as long as otherwise.
    """
    with _places:
        try:
            return _hasher.verify(stored or _NOBODYS, _bytes(password)) and stored is not None
        except (Argon2Error, InvalidHash):
            return False


def outdated(stored: str) -> bool:
    """Return True if a password was stored with other parameters than those of today."""
    return _hasher.check_needs_rehash(stored)


def _bytes(password: str) -> bytes:
    return password.encode(errors="surrogatepass")
