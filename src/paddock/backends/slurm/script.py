"""Write the batch script of an array of allocations. Pure: the same request gives the same text."""

import shlex
from pathlib import PurePosixPath

from paddock.models import FOLDER, AllocationBatch
from paddock.models.units import clock
from paddock.settings import SlurmSettings

MARK = "paddock"


def script(batch: AllocationBatch, settings: SlurmSettings, count: int | None = None) -> str:
    """Return the script. Names and numbers have a form that Slurm reads literally; paths are quoted."""
    asked = options(batch, settings, count)
    lines = ["#!/bin/bash", *(f"#SBATCH {option}" for option in asked), ""]
    folder = shlex.quote(batch.folder)
    lines += [
        f'folder={folder}."$SLURM_ARRAY_TASK_ID"',
        'echo "$SLURM_ARRAY_JOB_ID" > "$folder/slurm_id"  # that it has started, should its submitter not know',
        'cd "$folder" || exit 1',
    ]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in sorted(settings.variables.items())]
    lines += settings.setup
    command = ['"$folder"' if part == FOLDER else shlex.quote(part) for part in batch.runner]
    lines.append("exec " + " ".join(command))
    return "\n".join(lines) + "\n"


def options(batch: AllocationBatch, settings: SlurmSettings, count: int | None = None) -> list[str]:
    """Return the options of sbatch, in a fixed order."""
    asked, slurm = batch.resources, batch.resources.slurm
    nodes, gpus, cpus = asked.nodes or 1, asked.gpus or 0, asked.cpus or 1
    gres = "gpu:" + (f"{asked.gpu_type}:" if asked.gpu_type else "") + str(gpus)
    log = batch.folder.replace("%", "%%") + ".%a/out.log"
    given: list[tuple[str, object]] = [
        ("job-name", batch.name),
        ("comment", f"{MARK}:{batch.key}"),
        ("array", f"0-{(count or batch.count) - 1}"),
        ("partition", slurm.partition),
        ("account", slurm.account),
        ("qos", slurm.qos),
        ("nodes", nodes),
        ("ntasks-per-node", 1),
        ("cpus-per-task", cpus),
        ("gres", gres if gpus else None),
        ("mem", f"{-(-asked.memory // 1024**2)}M" if asked.memory else None),
        ("time", clock(-(-asked.time_limit // 60) * 60) if asked.time_limit else None),
        ("constraint", slurm.constraint),
        ("nodelist", slurm.nodelist),
        ("exclude", slurm.exclude),
        ("reservation", slurm.reservation),
        ("nice", slurm.nice),
        ("chdir", str(PurePosixPath(batch.folder).parent)),
        ("signal", f"B:USR1@{settings.warn_seconds}"),
        ("output", log),
        ("open-mode", "append"),
    ]
    listed = [f"--{name}={_quoted(str(value))}" for name, value in given if value is not None]
    named = {option.partition("=")[0] for option in slurm.options}
    if "--requeue" not in named:
        listed.append("--no-requeue")  # Paddock requests another allocation, and knows the cause
    return listed + [_option(option) for option in slurm.options if option != "--no-requeue"]


def _option(option: str) -> str:
    name, equals, value = option.partition("=")
    return f"{name}={_quoted(value)}" if equals else name


def _quoted(value: str) -> str:
    """Quote a value for sbatch's directives: quotes keep blanks together, a backslash escapes the next character."""
    if value and all(char.isalnum() or char in "_-./:,=+@%[]" for char in value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
