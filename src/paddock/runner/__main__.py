"""python -I -S runner.pyz ALLOCATION_DIR"""

from __future__ import annotations

import sys

from . import manifest
from .journal import Journal
from .loop import Runner


def main(version: str = "source") -> int:
    if len(sys.argv) != 2:
        print("usage: runner.pyz ALLOCATION_DIR", file=sys.stderr)
        return 2
    try:
        order = manifest.load(sys.argv[1])
        journal = Journal.create(sys.argv[1])
    except (OSError, ValueError, KeyError, TypeError) as error:
        print("cannot start: %s: %s" % (type(error).__name__, error), file=sys.stderr)
        return 1
    return Runner(order, journal, version).run()


if __name__ == "__main__":
    sys.exit(main())
