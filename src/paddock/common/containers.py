"""How a command is run inside a container image, by an ordinary user. Used by the runner and by the check of a job."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

APPTAINER, CHARLIECLOUD, PODMAN, AUTO = "apptainer", "charliecloud", "podman", "auto"
POD = "pod"  # on Kubernetes: the task is in the image before the runner starts
PROGRAMS = {APPTAINER: ("apptainer", "singularity"), CHARLIECLOUD: ("ch-run",), PODMAN: ("podman",)}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Of the node's own environment: they name folders that are not in the image, or are others there.
OF_THE_NODE = (
    "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "LD_LIBRARY_PATH", "LD_PRELOAD",
)  # fmt: skip
WRAP = "PADDOCK_WRAP"  # for the members of a task: what they start their program with
# What engines leave running beside the program. Some pass signals on to the program, whether it handles them or not.
_HELPERS = ("starter", "starter-suid", "podman", "conmon", "catatonit", "squashfuse", "squashfuse_ll", "fuse-overlayfs")
# Apptainer sets these itself, unless it is given them under other names.
_SET_BY_APPTAINER = ("PATH", "LD_LIBRARY_PATH")
REMOVE_SECONDS = 10.0
# Charliecloud writes these for the user, over files that the image must have.
_NEEDED = ("etc/passwd", "etc/group")
_NAME = "--name="
_SHARED = ("/tmp", "/dev", "/proc", "/sys")  # what engines show of the node


class Unavailable(Exception):
    """The image cannot be used on this node; the text says why, and what to do."""


class ContainerImage(NamedTuple):
    image: str
    engine: str = AUTO
    options: Tuple[str, ...] = ()
    mounts: Tuple[str, ...] = ()


def parsed(value: Any) -> Optional[ContainerImage]:
    """Return the container of a manifest. Raise ValueError if it is not one."""
    if value is None:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("image"), str):
        raise ValueError("the manifest contains a container without an image")
    lists = [value.get("options") or [], value.get("mounts") or []]
    if any(not isinstance(one, list) or any(not isinstance(text, str) for text in one) for one in lists):
        raise ValueError("the manifest contains options of a container that are no texts")
    return ContainerImage(value["image"], str(value.get("engine") or AUTO), tuple(lists[0]), tuple(lists[1]))


def engines_for(container: ContainerImage) -> Sequence[str]:
    """Return the engines that can run such an image, the preferred one first."""
    if container.engine != AUTO:
        return (container.engine,)
    image = container.image
    if image.endswith(".sif") or "://" in image:
        return (APPTAINER,)
    if image.startswith("/"):
        return (CHARLIECLOUD, APPTAINER) if image.endswith(".sqfs") else (APPTAINER, CHARLIECLOUD)
    return PODMAN, CHARLIECLOUD


def find(container: ContainerImage) -> Tuple[str, str]:
    """Return the engine and its program on this node. Raise Unavailable if there is none, or no such image."""
    if container.image.startswith("/") and not os.path.exists(container.image):
        raise Unavailable("there is no image %s on this node" % container.image)
    if container.engine == POD:
        raise Unavailable("%s is the image of a pod, which Kubernetes runs" % container.image)
    engines = engines_for(container)
    for engine in engines:
        for name in PROGRAMS.get(engine, ()):
            program = shutil.which(name)
            if program is not None:
                return engine, program
    named = " or ".join(engines)
    raise Unavailable(
        "this node has no %s to run the image %s with: install it, or name another engine" % (named, container.image)
    )


def is_apart(container: ContainerImage) -> bool:
    """Return True if the processes of such a container are not below the process that starts it."""
    try:
        return find(container)[0] == PODMAN
    except Unavailable:
        return False


def wrapped(
    container: ContainerImage,
    folders: Sequence[str],
    cwd: str,
    env: Dict[str, str],
    given: Mapping[str, Any],
    terminal: bool = False,
) -> List[str]:
    """Return what to put in front of a command, so that it runs in the image, and change `env` for that.

    `folders` are visible there under their own paths. `given`: variables that the job itself sets, which stay. Of the
    node's own, `env` must not contain those of OF_THE_NODE. `terminal`: the command gets one.
    """
    engine, program = find(container)
    env["PADDOCK_IMAGE"] = container.image  # by this others know that the program is in a container
    env["PYTHONNOUSERSITE"] = "1"  # packages in the user's home are for the node's Python
    visible = _outermost([*folders, cwd, *container.mounts])
    if engine == APPTAINER:
        return _apptainer(program, container, visible, cwd, env, given)
    if "HOME" not in given:
        env["HOME"] = cwd  # the home itself is not there
    if engine == PODMAN:
        return _podman(program, container, visible, cwd, env, terminal)
    return _charliecloud(program, container, visible, cwd, env, given)


def is_helper(pid: int) -> bool:
    """Return True for a process of an engine, not of the program in the image."""
    try:
        return os.path.basename(os.readlink("/proc/%d/exe" % pid)) in _HELPERS
    except OSError:
        return True  # one of root, which may not be looked at


def name_of(env: Mapping[str, str]) -> str:
    """Return the name of the container of an attempt, whose environment is given, for engines that have names."""
    parts = [env.get(name, "") for name in ("PADDOCK_ALLOCATION", "PADDOCK_TASK", "PADDOCK_ATTEMPT")]
    return "-".join(["paddock", *(re.sub("[^A-Za-z0-9_.-]", "_", part) for part in parts)])


def of_rank(before: Sequence[str], rank: int) -> List[str]:
    """Return what `wrapped` has returned for one of several processes that have a container each."""
    return ["%s-%d" % (part, rank) if part.startswith(_NAME) else part for part in before]


def remove(name: str) -> None:
    """End a container of Podman by its name, and remove it: it does not end with the process that started it."""
    import subprocess

    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            ["podman", "rm", "--force", "--ignore", "--time=0", name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=REMOVE_SECONDS,
            check=False,
        )


def _apptainer(
    program: str, container: ContainerImage, folders: List[str], cwd: str, env: Dict[str, str], given: Mapping[str, Any]
) -> List[str]:
    for name in _SET_BY_APPTAINER:
        if name in given:
            env["APPTAINERENV_" + name] = env["SINGULARITYENV_" + name] = env[name]
    argv = [program, "--quiet", "exec", "--pwd", cwd]
    for folder in folders:
        argv += ["--bind", "%s:%s" % (folder, folder)]
    if env.get("CUDA_VISIBLE_DEVICES"):
        argv.append("--nv")
    elif env.get("ROCR_VISIBLE_DEVICES") or env.get("HIP_VISIBLE_DEVICES"):
        argv.append("--rocm")
    return [*argv, *container.options, container.image]


def _charliecloud(
    program: str, container: ContainerImage, folders: List[str], cwd: str, env: Dict[str, str], given: Mapping[str, Any]
) -> List[str]:
    env.setdefault("USER", str(os.getuid()))  # it does not start without
    env.pop("TMPDIR", None)  # it would be /tmp there
    wanted = [one for one in folders if not one.startswith(tuple(shared + "/" for shared in _SHARED))]
    if os.path.isdir(container.image):
        _prepare(container.image, [*_SHARED, *wanted])
    elif os.path.isfile(container.image) and not _is_squashfs(container.image):
        raise Unavailable(
            "the image %s is neither a folder nor a SquashFS file, as Charliecloud needs" % container.image
        )
    argv = [program, "--cd", cwd]
    for folder in wanted:
        argv += ["--bind", "%s:%s" % (folder, folder)]
    if "PATH" not in given:
        argv.append("--set-env=PATH=" + PATH)
    if os.path.isfile(os.path.join(container.image, "ch", "environment")):
        argv.append("--set-env")
    return [*argv, *container.options, container.image, "--"]


def _is_squashfs(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"hsqs"
    except OSError as error:
        raise Unavailable("the image %s cannot be read (%s)" % (path, error.strerror)) from None


def _prepare(image: str, folders: Sequence[str]) -> None:
    """Make sure that the folders exist in an image that is a folder: only there can something be mounted."""
    for name in _NEEDED:
        if not os.path.exists(os.path.join(image, name)):
            raise Unavailable("the image %s has no /%s, which Charliecloud needs: make an empty one" % (image, name))
    for folder in folders:
        place = image.rstrip("/")
        for part in folder.strip("/").split("/"):
            place += "/" + part
            if os.path.islink(place):  # it may lead out of the image
                raise Unavailable("%s in the image is a link: it must be a folder" % place[len(image.rstrip("/")) :])
            try:
                os.mkdir(place)
            except FileExistsError:
                continue
            except OSError as error:
                text = "the image %s has no folder %s, and it cannot be made there (%s): add it to the image"
                raise Unavailable(text % (image, folder, error.strerror)) from None


def _podman(
    program: str, container: ContainerImage, folders: List[str], cwd: str, env: Mapping[str, str], terminal: bool
) -> List[str]:
    # --init: the first process of a container ignores the signals that it does not handle.
    argv = [program, "run", "--rm", "--init", "--env-host", "--network=host", "--ipc=host", "--workdir", cwd]
    argv += ["--log-driver=none", *(["--interactive", "--tty"] if terminal else [])]
    argv += [_NAME + name_of(env)] if "PADDOCK_TASK" in env else []
    argv += ["--security-opt=label=disable", *([] if os.getuid() == 0 else ["--userns=keep-id"])]
    for folder in folders:
        argv += ["--volume", "%s:%s" % (folder, folder)]
    for gpu in filter(None, env.get("CUDA_VISIBLE_DEVICES", "").split(",")):
        argv += ["--device", "nvidia.com/gpu=" + gpu]
    return [*argv, *container.options, container.image]


def _outermost(folders: Sequence[str]) -> List[str]:
    """Return the folders that are in none of the others, each once."""
    kept: List[str] = []
    for folder in sorted({os.path.normpath(one) for one in folders if os.path.isabs(one)}):
        if folder != "/" and not any(folder.startswith(above + "/") for above in kept):
            kept.append(folder)
    return kept
