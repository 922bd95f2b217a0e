"""A root file system with Apptainer in it, made once and kept, for machines whose own system has no package of it.

Debian has Apptainer only in sid, whose C library is newer than that of the machine. What runs in the root sees the
machine's processes, devices, network and temporary files, and is an ordinary user: Apptainer is for those.
"""

import ctypes
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from paddock.common.containers import APPTAINER

PACKAGES = ("apptainer", "fuse-overlayfs", "libffi8", "procps", "squashfs-tools", "squashfuse")
USER = 54_000  # of nobody on this machine
NEW_NAMESPACE, MOUNT_BIND_ALL, MOUNT_PRIVATE_ALL, DETACH = 0x20000, 0x5000, 0x44000, 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
ENTER = "--enter"


class Impossible(Exception):
    """Why there can be no such root here; the text says what to do."""


def folder() -> Path:
    made_from = hashlib.sha256(f"{PACKAGES} {USER}".encode()).hexdigest()[:12]
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser().absolute() / "paddock" / f"apptainer-{made_from}"


def make() -> Path:
    """Return the folder of the root, which is made if it is not there."""
    root = folder()
    if os.geteuid() != 0:
        raise Impossible("to make a root with Apptainer, run this as root; or install Apptainer")
    if shutil.which("mmdebstrap") is None:
        raise Impossible("there is neither Apptainer nor mmdebstrap: install one of them")
    root.parent.mkdir(parents=True, exist_ok=True)
    with root.with_name(root.name + ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (root / "etc" / "complete").exists():
            return root
        shutil.rmtree(root, ignore_errors=True)
        print(f"making {root} (about a minute, once)", file=sys.stderr, flush=True)
        # The lists of an archive that is a copy of an earlier day have expired.
        options = ["--variant=minbase", '--aptopt=Acquire::Check-Valid-Until "false"', "--quiet"]
        done = subprocess.run(
            ["mmdebstrap", *options, f"--include={','.join(PACKAGES)}", "sid", str(root), *_mirrors()],
            stdout=sys.stderr,
            check=False,
        )
        if done.returncode:
            raise Impossible("mmdebstrap has failed, see above: it needs a mirror of Debian with sid")
        with (root / "etc" / "passwd").open("a") as accounts:
            accounts.write(f"tester:x:{USER}:{USER}::/home/tester:/bin/sh\n")
        with (root / "etc" / "group").open("a") as groups:
            groups.write(f"tester:x:{USER}:\n")
        (root / "home" / "tester").mkdir()
        os.chown(root / "home" / "tester", USER, USER)
        for name in ("hosts", "localtime", "resolv.conf"):  # Apptainer shows them in its images
            (root / "etc" / name).touch()
        (root / "root").chmod(0o755)
        os.mknod(root / "fuse", 0o020666, os.makedev(10, 229))
        (root / "fuse").chmod(0o666)  # as usual: on some machines only root may
        (root / "etc" / "complete").touch()
    return root


def entering(engine: str, argv: list[str]) -> list[str]:
    """Return a command that runs another one where the engine is: in the root, if this machine has no Apptainer."""
    if engine != APPTAINER or shutil.which("apptainer") is not None:
        return argv
    return [sys.executable, "-m", "tests.containers", ENTER, *argv]


def _mirrors() -> list[str]:
    given = os.environ.get("PADDOCK_DEBIAN_MIRROR")
    return [given] if given else []


def enter(root: Path, see: list[Path], argv: list[str], env: dict[str, str], cgroup: Path | None = None) -> NoReturn:
    """Become a program in the root, as an ordinary user. `see`: folders of this machine that it has, too."""
    libc = ctypes.CDLL(None, use_errno=True)
    if cgroup is not None:  # the user may put processes into it
        os.chown(cgroup / "cgroup.procs", USER, USER)

    def checked(code: int, what: str) -> None:
        if code:
            raise Impossible(f"{what}: {os.strerror(ctypes.get_errno())}")

    def mount(source: str, target: str, flags: int) -> None:
        checked(libc.mount(source.encode(), target.encode(), None, flags, None), f"cannot mount {source}")

    checked(libc.unshare(NEW_NAMESPACE), "cannot have mounts of its own")
    mount("none", "/", MOUNT_PRIVATE_ALL)
    mount(str(root), str(root), MOUNT_BIND_ALL)
    for one in [Path("/proc"), Path("/sys"), Path("/dev"), Path("/tmp"), *see]:
        inside = root / str(one).lstrip("/")
        inside.mkdir(parents=True, exist_ok=True)
        mount(str(one), str(inside), MOUNT_BIND_ALL)
    if (root / "dev" / "fuse").exists():
        mount(str(root / "fuse"), str(root / "dev" / "fuse"), MOUNT_BIND_ALL)
    # Not chroot: a process in one may not make the namespaces that Apptainer needs.
    os.chdir(root)
    checked(libc.syscall(PIVOT_ROOT[os.uname().machine], b".", b"."), "cannot enter the root")
    checked(libc.umount2(b".", DETACH), "cannot leave the old root")
    os.chdir(see[0])
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)
    os.execve(argv[0], argv, env)
