"""One process of a task that has several: it finds the others, then becomes the task's program, or watches it.

python -I -S runner.pyz --member FOLDER LAUNCHER NODES PROCESSES -- ARGV...
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from typing import Any, Dict, List, NoReturn, Optional, Tuple

from ...common import files, layout
from ...common.containers import WRAP, of_rank
from .. import scheduler
from ..manifest import SRUN, TENSORFLOW, Members
from . import member_watch

WAIT_SECONDS = 120.0
_POLL_SECONDS = 0.1
_FLAGS = frozenset("bBdEiIOPqsSuvx")  # flags of Python that take no value
_TORCHRUN = ["-m", "torch.distributed.run"]
_LOOPBACK = "127.0.0.1"
LONGEST = 64 * 1024  # bytes of a report of a member


class MemberError(Exception):
    """Why this process cannot run; the text is for a person."""


class Rank:
    """Which of the members this is."""

    def __init__(self, members: Members) -> None:
        alone = members.total == 1  # then the variables of Slurm are about something else
        self.world = 0 if alone else _number("SLURM_PROCID")
        self.node = 0 if alone else _number("SLURM_NODEID")
        self.local = 0 if alone else _number("SLURM_LOCALID")


def main(arguments: List[str]) -> int:
    # srun passes the warning to all: a program that does not handle it must not die of it.
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        folder, launcher, nodes, processes, dashes = arguments[:5]
        members, argv = Members(int(nodes), int(processes), launcher), arguments[5:]
        if dashes != "--" or not argv:
            raise ValueError
    except ValueError:
        print("usage: runner.pyz --member FOLDER LAUNCHER NODES PROCESSES -- ARGV...", file=sys.stderr)
        return 2
    try:
        rank = Rank(members).world if by_srun(members) else None
        command = _in_container(_prepared(members, folder, argv), rank)
        if not by_srun(members):
            _become(command)
        return member_watch.run(folder, Rank(members).world, lambda: _child(command))
    except MemberError as error:
        print(error, file=sys.stderr)
        return 1


def _in_container(command: List[str], rank: Optional[int]) -> List[str]:
    """Return the command with what runs it in the image of its job, if there is one."""
    before = os.environ.pop(WRAP, None)
    if not before:
        return command
    wrap = json.loads(before)
    return [*(wrap if rank is None else of_rank(wrap, rank)), *command]


def by_srun(members: Members) -> bool:
    """Return True if srun starts the processes, as a step of the job."""
    return members.nodes > 1 or (members.launcher == SRUN and scheduler.in_slurm())


def _child(argv: List[str]) -> NoReturn:
    try:
        _become(argv)
    except MemberError as error:
        print(error, file=sys.stderr, flush=True)
    os._exit(1)


def _prepared(members: Members, folder: str, argv: List[str]) -> List[str]:
    """Publish this member, wait for those that it needs, set the environment; return the command to execute."""
    rank = Rank(members)
    needed = list(range(members.total)) if members.launcher == TENSORFLOW else [0]
    _publish(folder, rank.world, _address(members))
    found = _await(members, folder, needed)
    if members.launcher == TENSORFLOW:
        if members.nodes > 1:
            workers = [("[%s]:%d" if ":" in host else "%s:%d") % (host, port) for host, port in found]
            cluster = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": rank.world}}
            os.environ["TF_CONFIG"] = json.dumps(cluster)
        return argv
    host, port = found[0]
    if members.launcher == SRUN:
        os.environ.update(_ranks(members, rank, host, port))
        return argv
    options = ["--nnodes=%d" % members.nodes, "--nproc_per_node=%d" % members.processes, "--node_rank=%d" % rank.node]
    return torchrun([*options, "--master_addr=" + host, "--master_port=%d" % port], argv)


def _ranks(members: Members, rank: Rank, host: str, port: int) -> Dict[str, str]:
    return {
        "RANK": str(rank.world),
        "WORLD_SIZE": str(members.total),
        "LOCAL_RANK": str(rank.local),
        "LOCAL_WORLD_SIZE": str(members.per_node),
        "NODE_RANK": str(rank.node),
        "MASTER_ADDR": host,
        "MASTER_PORT": str(port),
    }


def torchrun(options: List[str], argv: List[str]) -> List[str]:
    """Return the task's command under torchrun: with the same Python and flags, and options that all versions know."""
    if not os.path.basename(argv[0]).startswith("python"):
        return ["torchrun", *options, "--no_python", *argv]
    flags, rest = _flags(argv[1:])
    if rest and rest[0] == "-m":
        return [argv[0], *flags, *_TORCHRUN, *options, *rest]
    if rest and rest[0].startswith("-"):
        return [argv[0], *_TORCHRUN, *options, "--no_python", *argv]
    return [argv[0], *flags, *_TORCHRUN, *options, *rest]


def _flags(arguments: List[str]) -> Tuple[List[str], List[str]]:
    """Return the flags of Python itself, and the rest."""
    place = 0
    while place < len(arguments):
        argument = arguments[place]
        if argument in ("-W", "-X"):
            place += 2
        elif argument.startswith(("-W", "-X")) or (
            len(argument) > 1 and argument[0] == "-" and _FLAGS.issuperset(argument[1:])
        ):
            place += 1
        else:
            break
    return arguments[:place], arguments[place:]


def _publish(folder: str, rank: int, address: Tuple[str, int]) -> None:
    host, port = address
    record: Dict[str, Any] = {"rank": rank, "address": host, "port": port, "node": socket.gethostname()}
    job, step = os.environ.get("SLURM_JOB_ID"), os.environ.get("SLURM_STEP_ID")
    record["step"] = "%s.%s" % (job, step) if job and step else None
    try:
        files.write_plain(layout.member(folder, rank), json.dumps(record).encode(), below=os.path.dirname(folder))
    except OSError as error:
        raise MemberError("cannot write the address of this process for the others: %s" % error) from error
    if os.path.lexists(layout.over(folder)):
        raise MemberError("this task was ended before this process began")


def _await(members: Members, folder: str, needed: List[int]) -> List[Tuple[str, int]]:
    """Return addresses and ports of these members, in their order."""
    found: Dict[int, Tuple[str, int]] = {}
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        for rank in needed:
            if rank not in found:
                _read(layout.member(folder, rank), rank, found)
        missing = [rank for rank in needed if rank not in found]
        if not missing:
            return [found[rank] for rank in needed]
        if time.monotonic() >= deadline:
            late = "rank %s of %d" % (", ".join(map(str, missing)), members.total)
            text = "the processes of this task did not find each other: %s did not report within %d seconds; "
            raise MemberError(text % (late, WAIT_SECONDS) + "check that all nodes of the job see its folder")
        time.sleep(_POLL_SECONDS)


def _read(path: str, rank: int, found: Dict[int, Tuple[str, int]]) -> None:
    # This opens the folder too, which makes a network file system ask its server for new files.
    below = os.path.dirname(os.path.dirname(path))
    try:
        record = json.loads(files.read_plain(path, LONGEST, below=below).decode("utf-8"))
        found[rank] = str(record["address"]), int(record["port"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        pass


def _address(members: Members) -> Tuple[str, int]:
    """Return an address at which the others reach this process, and a free port."""
    towards = os.environ.get("SLURM_LAUNCH_NODE_IPADDR")
    host = _own_address(towards) if towards else ""
    if not host:
        host = _LOOPBACK if members.nodes == 1 else socket.gethostname()
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        listener.bind(("", 0))
        return host, listener.getsockname()[1]


def _own_address(towards: str) -> str:
    # Nothing is sent: this only makes the system choose one of its addresses.
    try:
        with socket.socket(socket.AF_INET6 if ":" in towards else socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((towards, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return ""


def _number(name: str) -> int:
    try:
        return int(os.environ.get(name, "0"))
    except ValueError:
        return 0


def _become(argv: List[str]) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvp(argv[0], argv)
    except (OSError, ValueError) as error:
        raise MemberError("cannot start %s: %s" % (argv[0], getattr(error, "strerror", None) or error)) from error
