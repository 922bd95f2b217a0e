"""Who fails to sign in waits before the next try."""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from paddock.errors import TooManyTries

MOST = 20_000  # names and addresses that are remembered; beyond this number, the oldest are forgotten
FORGET_SECONDS = 3600.0


@dataclass(frozen=True)
class _Limit:
    free: int  # tries
    longest: float  # seconds


# Of a name from an address. One name from everywhere, and one address with every name, have more tries and shorter
# waits: the first must not lock a person out for long, and behind the second may be a whole lab.
PAIR, ONE = _Limit(5, 900.0), _Limit(30, 60.0)


@dataclass
class _Failures:
    number: int = 0
    until: float = 0.0
    at: float = 0.0


class Throttle:
    """Counts tries when they begin, so that many at the same time count as well. What succeeds is forgotten."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: OrderedDict[tuple[str, str], _Failures] = OrderedDict()

    def enter(self, name: str, address: str) -> None:
        """Count a try; raise TooManyTries if it comes too early. Call this in the event loop only."""
        now = self._clock()
        keys = self._keys(name, address)
        wait = max((found.until - now for key, _ in keys if (found := self._known.get(key))), default=0.0)
        if wait > 0:
            seconds = math.ceil(wait)
            raise TooManyTries(
                f"There were too many tries to sign in: try again in {_words(seconds)}.", retry_seconds=seconds
            )
        for key, limit in keys:
            self._count(key, limit, now)

    def succeeded(self, name: str, address: str) -> None:
        """Forget the failures of a name from an address, and take the try itself back."""
        keys = self._keys(name, address)
        self._known.pop(keys[0][0], None)
        for key, _ in keys[1:]:
            if found := self._known.get(key):
                found.number, found.until = found.number - 1, 0.0

    def _count(self, key: tuple[str, str], limit: _Limit, now: float) -> None:
        found = self._known.pop(key, None)
        if found is None or now - found.at > FORGET_SECONDS:
            found = _Failures()
        found.number, found.at = found.number + 1, now
        over = found.number - limit.free
        found.until = now + min(2.0 ** min(over, 20), limit.longest) if over >= 0 else 0.0
        self._known[key] = found
        while len(self._known) > MOST:
            self._known.popitem(last=False)

    def _keys(self, name: str, address: str) -> list[tuple[tuple[str, str], _Limit]]:
        near, name = network(address), name.strip().lower()
        return [((name, near), PAIR), ((name, ""), ONE), (("", near), ONE)]


def network(address: str) -> str:
    """Return an address, or of IPv6 the network of one household: its addresses are free."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def _words(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{math.ceil(seconds / 60)} minutes"
