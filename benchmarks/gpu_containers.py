"""Use a real NVIDIA GPU from tasks in container images, as the runner starts them.

    PYTHONPATH=src:. python3 -m benchmarks.gpu_containers              # on a machine with a GPU; no package needed
    PYTHONPATH=src:. python3 -m benchmarks.gpu_containers --pack DIR   # elsewhere: Charliecloud with all its libraries

With Apptainer (`--nv`) and with Charliecloud, as far as they are there: in PATH, or in a folder that `--pack` has made,
which comes first in PATH then. The image is made of this machine's Python. For Charliecloud the driver's libraries
are put into it as ch-fromhost does: by copying them. Prints a line of JSON per engine; exits with 1 if one failed.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.runner.folder import Folder
from tests.support import image as images

from paddock.common import containers
from paddock.runner.build import build

LIBRARIES = ("libcuda.so*", "libnvidia-ml.so*", "libnvidia-ptxjitcompiler.so*", "libnvidia-gpucomp.so*")
TASKS = 2  # on one GPU
WRAPPER = """\
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/lib/ld.so" --library-path "$here/lib" "$here/lib/ch-run" "$@"
"""
# Memory on the GPU is filled and read back by the driver alone, without any framework.
PROGRAM = """\
import ctypes, json, os, subprocess, sys
seen = {"image": open("/etc/image").read().strip(), "visible": os.environ.get("CUDA_VISIBLE_DEVICES")}
pipe = os.environ.get("CUDA_MPS_PIPE_DIRECTORY")
seen["mps"] = None if pipe is None else os.path.isdir(pipe)
smi = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True)
seen["smi"] = smi.stdout.strip() or smi.stderr.strip()
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code:
        print(json.dumps({**seen, "error": "%s: error %d" % (name, code)}))
        sys.exit(1)
count, device, context, address = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDeviceGetCount", ctypes.byref(count))
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
size = 64 << 20
call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
call("cuMemsetD8_v2", address, ctypes.c_ubyte(7), ctypes.c_size_t(size))
back = ctypes.create_string_buffer(size)
call("cuMemcpyDtoH_v2", back, address, ctypes.c_size_t(size))
seen.update(count=count.value, right=back.raw == b"\\7" * size)
print(json.dumps(seen))
"""


def pack(folder: Path) -> None:
    """Put ch-run with its libraries and its loader into a folder, so that it runs where it is not installed."""
    program = shutil.which("ch-run")
    if program is None:
        sys.exit("there is no ch-run here: install charliecloud")
    library = folder / "lib"
    library.mkdir(parents=True, exist_ok=True)
    shutil.copy(program, library / "ch-run")
    for found in libraries(Path(program)):
        shutil.copy(found, library / ("ld.so" if found.name.startswith("ld-") else found.name))
    (folder / "ch-run").write_text(WRAPPER)
    (folder / "ch-run").chmod(0o755)


def libraries(*files: Path) -> set[Path]:
    """Return the libraries that files need."""
    listed = subprocess.run(["ldd", *files], capture_output=True, text=True, check=False).stdout
    return {Path(found) for found in re.findall(r"(/\S+) \(0x", listed)}


def engines() -> list[str]:
    """Return the engines that are here; Podman needs a description of the GPUs (CDI) by its administrator."""
    wanted = (containers.APPTAINER, containers.CHARLIECLOUD)
    return [one for one in wanted if any(shutil.which(name) for name in containers.PROGRAMS[one])]


def driver_files() -> list[Path]:
    """Return the files of the driver that programs need, as this machine finds them."""
    names = ("libcuda.so.1", "libnvidia-ml.so.1")
    code = f"import ctypes; [ctypes.CDLL(name) for name in {names}]; print(open('/proc/self/maps').read())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    places = {Path(one).parent for one in re.findall(r"(/\S*/lib(?:cuda|nvidia-ml)\.so\S*)", done.stdout)}
    found = [path for place in sorted(places) for pattern in LIBRARIES for path in sorted(place.glob(pattern))]
    smi = shutil.which("nvidia-smi")
    return [*found, *([Path(smi)] if smi else [])]


def with_driver(image: Path, files: list[Path]) -> None:
    """Copy the driver's files into an image, and what they need and the image lacks."""
    for file in files:
        to = image / "usr" / ("bin" if file.name == "nvidia-smi" else "lib")
        shutil.copy(file, to / file.name)
    for needed in libraries(*files):
        if not any(image.rglob(needed.name)):
            shutil.copy(needed, image / "usr" / "lib" / needed.name)


def tried(engine: str, folder: Path) -> dict[str, Any]:
    """Run tasks that share a GPU in an image, by a real runner; return what they saw."""
    image = images.make(folder / engine / "image")
    environment = {}
    if engine == containers.CHARLIECLOUD:
        with_driver(image, driver_files())
        environment["LD_LIBRARY_PATH"] = "/usr/lib"
    build(folder / engine / "runner.pyz")
    job = Folder(folder / engine / "job", folder / engine / "runner.pyz")
    program = job.code("program.py", PROGRAM)
    for number in range(1, TASKS + 1):
        job.add(f"t-{number}", "python3", program, env=environment)
    job.end()
    job.allocate(
        slots=TASKS, gpus={"task": 1, "per": TASKS, "mps": True}, container={"image": str(image), "engine": engine}
    )
    began = time.monotonic()
    try:
        records = job.run()
    finally:
        job.close()
    found: dict[str, Any] = {"engine": engine, "seconds": round(time.monotonic() - began, 2), "tasks": []}
    for number in range(1, TASKS + 1):
        end = next(one for one in records if one["e"] == "ended" and one["task"] == f"t-{number}")
        text = (job.log(f"t-{number}").strip() or "{}").splitlines()[-1] if end["exit"] is not None else "{}"
        seen = json.loads(text) if text.startswith("{") else {"error": text}
        found["tasks"].append({"exit": end["exit"], "reason": end["reason"], **seen})
    return found


def problems(found: dict[str, Any]) -> list[str]:
    """Return what is wrong with what the tasks of an engine saw."""
    wrong = []
    for number, task in enumerate(found["tasks"], 1):
        good = task["exit"] == 0 and task.get("right") and task.get("count") == 1
        there = task.get("image") == "of the tests" and "GPU 0" in task.get("smi", "")
        if not good or not there or task.get("mps") is False:
            wrong.append(f"{found['engine']}, task {number}: {task}")
    return wrong


def main() -> int:
    if sys.argv[1:2] == ["--pack"]:
        pack(Path(sys.argv[2]))
        return 0
    wrong = [] if engines() else ["there is neither Apptainer nor Charliecloud: see --pack"]
    with tempfile.TemporaryDirectory() as folder:
        for engine in engines():
            found = tried(engine, Path(folder))
            print(json.dumps(found), flush=True)
            wrong += problems(found)
    for one in wrong:
        print(f"wrong: {one}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
