"""The engine with which tests of containers run: PADDOCK_TEST_ENGINE, or else Charliecloud. See tests/containers."""

import contextlib
import json
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from paddock.common.containers import APPTAINER, CHARLIECLOUD, PODMAN, PROGRAMS
from tests.support import image as images

ENGINE = os.environ.get("PADDOCK_TEST_ENGINE", CHARLIECLOUD)
INSTALLED = any(shutil.which(program) for program in PROGRAMS[ENGINE])
LIMIT = 700 << 20  # of memory, where there is one
CGROUP = "PADDOCK_TEST_CGROUP"  # a memory cgroup in which this user may put processes
_CDI = Path("/var/run/cdi/paddock-tests.json")
_MOST_PROCESSES = 20_000


@contextlib.contextmanager
def prepared(folder: Path) -> Iterator[str]:
    """Make an image for the engine in a folder, and what the engine needs for it; yield its name."""
    made = images.make(folder / "image")
    if ENGINE == APPTAINER and shutil.which("mksquashfs"):
        subprocess.run(["apptainer", "--quiet", "build", str(folder / "image.sif"), str(made)], check=True)
        yield str(folder / "image.sif")
    elif ENGINE == PODMAN:
        with _storage(folder), _gpus():
            name = "localhost/paddock-tests:latest"
            with subprocess.Popen(["tar", "-C", str(made), "-c", "."], stdout=subprocess.PIPE) as files:
                subprocess.run(["podman", "import", "--quiet", "-", name], stdin=files.stdout, check=True)
            yield name
            subprocess.run(["podman", "system", "reset", "--force"], check=False, stdout=subprocess.DEVNULL)
    else:
        yield str(made)


@contextlib.contextmanager
def _storage(folder: Path) -> Iterator[None]:
    """Give Podman a storage of its own, and limits that this machine allows."""
    storage, options = folder / "storage.conf", folder / "containers.conf"
    storage.write_text(f'[storage]\ndriver = "overlay"\ngraphroot = "{folder}/graph"\nrunroot = "{folder}/run"\n')
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    options.write_text(
        f'[containers]\ndefault_ulimits = ["nofile={files}:{files}", "nproc={_MOST_PROCESSES}:{_MOST_PROCESSES}"]\n'
        '[engine]\nruntime = "runc"\n'  # crun refuses machines with cgroups of both versions
    )
    before = dict(os.environ)
    os.environ |= {"CONTAINERS_STORAGE_CONF": str(storage), "CONTAINERS_CONF": str(options)}
    try:
        yield
    finally:
        for name in ("CONTAINERS_STORAGE_CONF", "CONTAINERS_CONF"):
            os.environ.pop(name)
            if name in before:
                os.environ[name] = before[name]


@contextlib.contextmanager
def _gpus() -> Iterator[None]:
    """Describe two GPUs as NVIDIA's tool would: a container that gets one has a variable that names it."""
    devices = [{"name": str(n), "containerEdits": {"env": [f"TEST_GPU_{n}=there"]}} for n in range(2)]
    _CDI.parent.mkdir(parents=True, exist_ok=True)
    _CDI.write_text(json.dumps({"cdiVersion": "0.3.0", "kind": "nvidia.com/gpu", "devices": devices}))
    try:
        yield
    finally:
        _CDI.unlink()


@contextlib.contextmanager
def memory_cgroup(limit: int) -> Iterator[Path | None]:
    """Yield a memory cgroup with a limit, for the processes that are put into it; None where none can be made."""
    given = os.environ.get(CGROUP)
    if given:
        yield Path(given)
        return
    made = Path(f"/sys/fs/cgroup/memory/paddock-tests-{os.getpid()}")
    try:
        made.mkdir()
        (made / "memory.limit_in_bytes").write_text(str(limit))
    except OSError:
        yield None
        return
    try:
        yield made
    finally:
        with contextlib.suppress(OSError):  # one of its processes still ends
            made.rmdir()
