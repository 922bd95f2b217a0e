"""A program nvidia-smi for machines without a GPU: it reports the GPUs in a file of tests/runner/scripted.py."""

from pathlib import Path

from tests.runner.scripted import GB, ScriptedGpus

_PROGRAM = """\
#!/usr/bin/python3 -IS
import json, sys

def started(pid):
    try:
        with open("/proc/%s/stat" % pid) as file:
            return int(file.read().rpartition(")")[2].split()[19])
    except OSError:
        return 0

with open({file!r}) as file:
    gpus = json.load(file)["cards"]
wanted = sys.argv[1]
for number, gpu in enumerate(gpus):
    of = {{pid: one for pid, one in gpu["of"].items() if one["start"] == started(pid)}}
    used = sum(one["memory"] for one in of.values())
    load = min(1.0, sum(one["load"] for one in of.values()))
    if wanted.startswith("--query-gpu=index,uuid,name,memory.total"):
        row = [number, gpu["id"], gpu["name"], gpu["total"] // 2**20]
        if "memory.used" in wanted:
            row += [used // 2**20, round(load * 100), 40 + number, 100.5, "[N/A]"]
        print(", ".join(map(str, row)))
    elif wanted.startswith("--query-compute-apps="):
        for pid, one in of.items():
            print("%s, %s, %d" % (gpu["id"], pid, one["memory"] // 2**20))
"""


def install_nvidia_smi(folder: Path, count: int, mark: str = "", total: int = 10 * GB) -> ScriptedGpus:
    """Write the program into a folder that is to be first in PATH. `mark` makes ids differ from those of others.

    Everybody may use the GPUs: tasks of other users write to their file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "gpus.json"
    gpus = ScriptedGpus(file)
    gpus.make(count, total)
    file.write_text(file.read_text().replace("GPU-", f"GPU-{mark}"))
    file.chmod(0o666)
    program = folder / "nvidia-smi"
    program.write_text(_PROGRAM.format(file=str(file)))
    program.chmod(0o755)
    return gpus
