"""Start the process of an attempt. Arguments and environment are data: no shell interprets them."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from typing import Any, Dict, List, Optional

from ...common import containers, layout
from ...common.files import open_plain
from ..mailbox import QueuedAttempt
from ..manifest import Manifest
from ..multinode import members
from .prepare import AttemptPlace


class LaunchError(Exception):
    """The attempt could not be started; the text is the reason."""


def launch(
    manifest: Manifest, attempt: QueuedAttempt, place: AttemptPlace, seat: Dict[str, str], ends_at: Optional[int] = None
) -> subprocess.Popen[bytes]:
    argv = _arguments(attempt.line.get("argv"))
    env = _environment(manifest, attempt, place, seat)
    cwd = _encode(attempt.line.get("cwd") or place.work, "the working folder")
    if not os.path.isdir(cwd):
        raise LaunchError("there is no folder %s on this node: choose another working folder" % os.fsdecode(cwd))
    if ends_at is not None:
        env[b"PADDOCK_ENDS_AT"] = b"%d" % ends_at
    if manifest.container is not None:
        argv = _in_container(manifest, attempt, argv, cwd, env, place.terminal is not None)
    if manifest.members is not None:
        os.makedirs(place.members, exist_ok=True)
        argv = members.command(manifest.members, place.members, argv, os.environ)
    if place.terminal is not None:
        from .. import terminal

        argv = terminal.command(place.terminal, argv)
    # The process writes to the file itself: its output outlives the runner, and takes no time of the runner.
    log = open_plain(place.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, below=manifest.job_dir, mode=0o666)
    try:
        os.set_blocking(log, True)
        return subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=cwd, env=env, start_new_session=True
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise LaunchError("cannot start %s: %s" % (os.fsdecode(argv[0]), _start_problem(error))) from error
    finally:
        os.close(log)


def _in_container(
    manifest: Manifest, attempt: QueuedAttempt, argv: List[bytes], cwd: bytes, env: Dict[bytes, bytes], terminal: bool
) -> List[bytes]:
    """Return the command in its image. Members of a task put that in front themselves, after their launcher."""
    assert manifest.container is not None
    texts = {os.fsdecode(name): os.fsdecode(value) for name, value in env.items()}
    folders = [manifest.job_dir, texts.get("CUDA_MPS_PIPE_DIRECTORY", ""), texts.get("CUDA_MPS_LOG_DIRECTORY", "")]
    try:
        given = attempt.line.get("env") or {}
        before = containers.wrapped(manifest.container, folders, os.fsdecode(cwd), texts, given, terminal)
    except containers.Unavailable as error:
        raise LaunchError(str(error)) from error
    env.clear()
    env.update((os.fsencode(name), os.fsencode(value)) for name, value in texts.items())
    if manifest.members is not None:
        env[containers.WRAP.encode()] = json.dumps(before).encode()
        return argv
    return [*(os.fsencode(part) for part in before), *argv]


def describe(error: Exception) -> str:
    """Return the text of an error, with the file that it is about."""
    if isinstance(error, OSError) and error.strerror:
        return "%s: %s" % (error.strerror, os.fsdecode(error.filename)) if error.filename else error.strerror
    return str(error) or type(error).__name__


def _start_problem(error: Exception) -> str:
    if not isinstance(error, OSError) or not error.strerror:
        return describe(error)
    if error.errno == errno.ENOENT and error.filename and os.path.exists(error.filename):
        return "the interpreter that its first line names does not exist"
    return error.strerror


def _arguments(value: Any) -> List[bytes]:
    if not isinstance(value, list) or not value:
        raise LaunchError("the task has no command to run")
    return [_encode(argument, "an argument of the command") for argument in value]


def _environment(
    manifest: Manifest, attempt: QueuedAttempt, place: AttemptPlace, seat: Dict[str, str]
) -> Dict[bytes, bytes]:
    env = dict(os.environb)
    for name in containers.OF_THE_NODE if manifest.container is not None else ():
        env.pop(name.encode(), None)
    for name, value in seat.items():
        # What a user has set stays, except for the variables that name the GPUs and cores of the task.
        if name.startswith(("CUDA_", "SLURM_")):
            env[os.fsencode(name)] = os.fsencode(value)
        else:
            env.setdefault(os.fsencode(name), os.fsencode(value))
    for name, value in (attempt.line.get("env") or {}).items():
        env[_encode(name, "the name of a variable")] = _encode(value, "the variable %s" % name)
    env.setdefault(b"PYTHONUNBUFFERED", b"1")
    env.setdefault(b"MPLBACKEND", b"Agg")  # plt.show() would wait for a person to close the window
    lib = os.path.join(manifest.job_dir, layout.LIB)
    roots = [_encode(root, "a folder of modules") for root in attempt.line.get("python_path") or []]
    # `lib` is at the end: the packages of the user's own environment come first.
    path = [*roots, env.get(b"PYTHONPATH"), os.fsencode(lib) if os.path.isdir(lib) else None]
    if any(path):
        env[b"PYTHONPATH"] = os.pathsep.encode().join(filter(None, path))
    ours = {
        "PADDOCK_JOB": manifest.job,
        "PADDOCK_TASK": attempt.task,
        "PADDOCK_ATTEMPT": str(attempt.number),
        "PADDOCK_ALLOCATION": manifest.key,
        "PADDOCK_GPUS": str(manifest.task_gpus),
        "PADDOCK_PARAMS": place.params,
        "PADDOCK_CHECKPOINT_DIR": place.checkpoint,
        "PADDOCK_REPORT": place.report,
        "PADDOCK_RESULTS_DIR": place.task_dir,
    }
    env.update((os.fsencode(name), os.fsencode(value)) for name, value in ours.items())
    return env


def _encode(value: Any, what: str) -> bytes:
    """Encode in UTF-8, whatever the locale of the node is."""
    if not isinstance(value, str):
        raise LaunchError("%s is not a text: %r" % (what, value))
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise LaunchError("%s cannot be encoded: %r" % (what, value)) from error
