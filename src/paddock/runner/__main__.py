"""python -I -S runner.pyz ALLOCATION_DIR

As one process of a task that has several: --member FOLDER LAUNCHER NODES PROCESSES -- ARGV...
As the keeper of a task's terminal: --terminal SOCKET -- ARGV...
As the owner of a job, for the server: --answer NAME FILE
As the agent of a server, which speaks to it through its standard input and output: --agent FOLDER
"""

from __future__ import annotations

import sys


def main(version: str = "source") -> int:
    if sys.argv[1:2] == ["--member"]:
        from .multinode import member

        return member.main(sys.argv[2:])
    if sys.argv[1:2] == ["--terminal"]:
        from . import terminal

        return terminal.main(sys.argv[2:])
    if sys.argv[1:2] == ["--answer"]:
        from . import answer

        return answer.main(sys.argv[2:])
    if sys.argv[1:2] == ["--agent"] and len(sys.argv) == 3:
        from .agent import loop

        return loop.main(sys.argv[2])
    if len(sys.argv) != 2:
        print("usage: runner.pyz ALLOCATION_DIR", file=sys.stderr)
        return 2
    return _run(sys.argv[1], version)


def _run(allocation_dir: str, version: str) -> int:
    import os

    from . import manifest
    from .journal import Journal
    from .loop import Runner

    try:
        order = manifest.load(allocation_dir)
        if order.umask is not None:
            os.umask(order.umask & 0o777)
        journal = Journal.create(allocation_dir)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print("The runner cannot start: %s: %s" % (type(error).__name__, error), file=sys.stderr)
        return 1
    return Runner(order, journal, version).run()


if __name__ == "__main__":
    sys.exit(main())
