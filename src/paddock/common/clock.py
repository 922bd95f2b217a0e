"""What time it is. A server goes by the clock of its database; a simulation gives that one of its own."""

import time


class Clock:
    def now(self) -> float:
        """Return the time on the wall, in seconds since 1970."""
        return time.time()

    def ticks(self) -> float:
        """Return seconds since some moment, for how long something takes: nobody can set this clock."""
        return time.monotonic()
