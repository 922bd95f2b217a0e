"""Make a virtual environment with the training frameworks, once, and print the path of its Python.

    $ python tools/train_env.py
    /home/me/.cache/paddock/train-3f2a9c1b7d20/bin/python

Its folder is $PADDOCK_TRAIN_ENV if that is set, otherwise a folder in the user's cache whose name depends on the
requirements, the Python version and the processor. Progress goes to standard error. Standard library only.
"""

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements" / "train.txt"
MARK = "paddock-train-env"  # in the environment: BUILDING, then the digest of what it was built from
BUILDING = "building"


def main() -> int:
    wanted = digest()
    env = folder(wanted)
    try:
        if not is_complete(env, wanted):
            with locked(env.with_name(env.name + ".lock")) as lock:
                # Another process may have built it while this one waited for the lock.
                if not is_complete(env, wanted):
                    discard(env)
                    build(env, wanted, lock)
    except (OSError, subprocess.CalledProcessError) as error:
        say(f"the training environment could not be made: {error}")
        return 1
    print(python_of(env))
    return 0


def digest() -> str:
    made_from = [REQUIREMENTS.read_text(), platform.python_version(), platform.machine()]
    return hashlib.sha256("\n".join(made_from).encode()).hexdigest()[:12]


def folder(wanted: str) -> Path:
    given = os.environ.get("PADDOCK_TRAIN_ENV")
    if given:
        return Path(given).expanduser().absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser().absolute() / "paddock" / f"train-{wanted}"


def python_of(env: Path) -> Path:
    return env / "bin" / "python"


def mark_of(env: Path) -> str | None:
    try:
        return (env / MARK).read_text().strip()
    except FileNotFoundError:
        return None


def is_complete(env: Path, wanted: str) -> bool:
    # The python is a link that breaks when the interpreter behind it is removed: exists() follows it.
    return mark_of(env) == wanted and python_of(env).exists()


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold the lock file. The kernel releases it when all processes that have it open are gone, however they end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another process that holds {path}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def discard(env: Path) -> None:
    """Remove an interrupted or outdated environment; refuse a folder that this script did not make."""
    if not env.exists() or not any(env.iterdir()):
        return
    if mark_of(env) is None:
        raise FileExistsError(
            f"{env} was not made by this script: remove it, or set PADDOCK_TRAIN_ENV to another folder"
        )
    # Renamed first: an interrupted removal could leave a folder without its mark.
    aside = env.with_name(f"{env.name}.old-{os.getpid()}")
    env.rename(aside)
    shutil.rmtree(aside)


def build(env: Path, wanted: str, lock: int) -> None:
    say(f"making {env} (some minutes, once)")
    env.mkdir(parents=True, exist_ok=True)
    # Built in place and marked at the end, not renamed at the end: the programs in bin/ contain their folder's path.
    (env / MARK).write_text(BUILDING)
    venv.create(env, with_pip=True, symlinks=True)
    python = str(python_of(env))
    # The children hold the lock too: if this process is killed, no other one starts while pip still writes.
    # To compile all modules takes as long as to unpack them, and few of them are used: these are compiled at the end.
    pip = [python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    used = "import numpy, tensorflow, keras, torch, torch._dynamo, torch.distributed.run"
    for command in ([*pip, "-r", str(REQUIREMENTS)], [python, "-c", used]):
        subprocess.run(command, check=True, stdout=sys.stderr, pass_fds=(lock,))
    done = env / (MARK + ".new")
    done.write_text(wanted)
    done.replace(env / MARK)


def say(text: str) -> None:
    print(f"train_env: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
