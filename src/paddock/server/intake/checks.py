"""Refuse a submission whose values are valid one by one, but do not fit together or cannot run.

Each check raises InvalidInput with the field at fault. `placement.refuse_impossible` (what no node can run) and
`search.resolved` (which options a method takes) are further checks, called from the same places.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import PurePosixPath

from pydantic import JsonValue

from paddock.common.containers import POD
from paddock.errors import InvalidInput
from paddock.models import Convention, JobSpec, Launcher, Method, Node, Resources, ScriptParam, ScriptReport, Traits
from paddock.models.resources import HostsResources
from paddock.models.space import Block, Choices, Range, Space, key_of, shortened
from paddock.program import commands, packages, shebang
from paddock.program.inspection import given
from paddock.rules import placement
from paddock.rules.access import AccessVerdict
from paddock.runner import map_driver
from paddock.server.intake import snapshot

MIN_POPULATION = 4


def script_or_command(spec: JobSpec, files: Mapping[str, bytes]) -> JobSpec:
    """Return the spec with exactly one of script and command; a lone file is the script."""
    if spec.command is not None and spec.script is not None:
        raise InvalidInput.at("command", "give a script or a command, not both")
    if spec.command is not None:
        if not spec.command.strip():
            raise InvalidInput.at("command", "the command is empty")
        return spec
    script = spec.script
    if spec.module is not None:
        script = packages.script_of(spec.module, files)
        if script is None or spec.script not in (None, script):
            where = f"{spec.module.replace('.', '/')}.py"
            raise InvalidInput.at("module", f"there is no file {where} among the files: submit the folder above it")
    if script is None and len(files) == 1:
        script = next(iter(files))
    if script is None:
        raise InvalidInput.at("script", "name the file that is the script" if files else "give a script or a command")
    path = str(snapshot.safe_path(script))
    if path not in files:
        near = ", ".join(sorted(name for name in files if name.endswith(".py"))[:5])
        message = f"the script {path!r} is not among the files" + (f"; there are: {near}" if near else "")
        raise InvalidInput.at("script", message)
    return spec.model_copy(update={"script": path})


def startable(script: str, report: ScriptReport) -> None:
    """Refuse a script of which neither the first line nor the suffix names the program that starts it."""
    if not shebang.is_known(script, report.shebang):
        message = "nothing names the program that starts it: begin it with a line such as #!/usr/bin/env bash"
        raise InvalidInput.at("script", f"{message}, or give a command")


def workdir(spec: JobSpec) -> None:
    if spec.workdir is not None and not PurePosixPath(spec.workdir).is_absolute():
        raise InvalidInput.at("workdir", "give an absolute path: each task is started elsewhere")


def search(spec: JobSpec) -> None:
    """Refuse a search without the metric that it needs, and what population-based training cannot do."""
    learns = spec.search.method not in (Method.GRID, Method.RANDOM, Method.SOBOL)
    if (learns or spec.stop_early.method != "none") and not spec.objective.metric:
        message = "a search that learns, or that stops tasks early, needs a metric such as val_loss"
        raise InvalidInput.at("objective", message)
    if spec.search.method is not Method.PBT:
        return
    if spec.stop_early.method != "none":
        raise InvalidInput.at("stop_early.method", "pbt replaces poor tasks itself: leave early stopping out")
    if spec.search.trials is not None and spec.search.trials < MIN_POPULATION:
        message = f"a population has {MIN_POPULATION} or more: the worst quarter follows the best"
        raise InvalidInput.at("search.trials", message)


def unknown(spec: JobSpec, report: ScriptReport) -> None:
    """Refuse parameters that nothing in the script takes. `--convention env` is the way to insist."""
    faults = given.unknown_names(report, list(spec.params))
    if not faults:
        return
    shown = list(faults.values())[: given.MAX_UNKNOWN]
    more = f" Nor does it take {len(faults) - len(shown):,} others that are given." if len(faults) > len(shown) else ""
    raise InvalidInput(
        f"{' '.join(shown)}{more} {given.listed(report)} To pass parameters as environment variables all the same, set "
        "the convention to env (--convention env).",
        fields={f"params.{name}": message for name, message in faults.items()},
    )


def values(spec: JobSpec, report: ScriptReport) -> None:
    """Refuse values that the script itself would refuse, and a parameter that it requires and is not given."""
    known = commands.Known(report)
    faults = {}
    got = set()
    for name, space in spec.params.items():
        param = known.get(name)
        # The type of a default in a file binds nobody: 0 may become 0.1.
        free = param is None or param.place is not None or report.convention is Convention.OVERRIDES
        file = param.place.file if param is not None and param.place else ""
        if spec.workdir and file and not file.endswith(".py") and file not in report.config:
            faults[f"params.{name}"] = f"the script finds {file} in its working folder: leave the working folder out"
        message = _misfit(param.model_copy(update={"type": None}) if free else param, space) if param else None
        if message:
            faults[f"params.{name}"] = message
        if param:
            got.add(param.name)
    for param in report.params:
        demanding = report.convention in (Convention.FLAGS, Convention.OVERRIDES)
        if param.required and param.name not in got and demanding:
            faults[f"params.{param.name}"] = "the script requires it"
    if faults:
        listed = "; ".join(f"{name.removeprefix('params.')}: {message}" for name, message in faults.items())
        raise InvalidInput(f"The parameters do not fit the script: {listed}.", fields=faults)


def _misfit(param: ScriptParam, space: Space) -> str | None:
    if param.required and space.when:
        return "the script requires it: it cannot have a condition"
    if isinstance(space, Block):
        scalar = param.type in ("int", "float", "bool") or bool(param.choices)
        return "the script does not take a list here" if scalar else None
    values: list[JsonValue] = space.values if isinstance(space, Choices) else [space.low]
    if isinstance(space, Range) and param.type == "int" and space.type != "int":
        return "the script takes an integer: give a range with integer ends"
    choices = {*map(key_of, param.choices or ()), *map(str, param.choices or ())}
    for value in values:
        if choices and key_of(value) not in choices and str(value) not in choices:
            return f"{shortened(repr(value))} is none of {shortened(', '.join(map(str, param.choices or ())), 2000)}"
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if param.type in ("int", "float") and value is not None and not number:
            return f"the script takes a number, not {shortened(repr(value))}"
        if param.type == "int" and isinstance(value, float) and isinstance(space, Choices):
            return f"the script takes an integer, not {shortened(repr(value))}"
    return None


def launcher(resources: Resources) -> None:
    """Refuse tasks over several nodes without a launcher, and slots that such tasks cannot share."""
    if (resources.nodes or 1) > 1 and resources.launcher is None:
        message = f"a task over several nodes needs a launcher: {', '.join(Launcher)}"
        raise InvalidInput.at("resources.launcher", message)
    if (resources.slots or 1) > 1 and ((resources.nodes or 1) > 1 or resources.launcher is Launcher.SRUN):
        message = "tasks that have several nodes, or that srun starts, cannot share an allocation: leave slots out"
        raise InvalidInput.at("resources.slots", message)


def on_one_host(spec: JobSpec, files: Collection[str], nodes: Sequence[Node], traits: Traits) -> JobSpec:
    """Return the spec, limited to the only host that there is. Refuse what needs the files of other tasks on several.

    Only where nodes have no common file system.
    """
    needs = (
        "a population, whose members go on from each other's checkpoints,"
        if spec.search.method is Method.PBT
        else "a reduce, which reads what all tasks have written,"
        if spec.reduce is not None
        else "a map, whose files are on one machine,"
        if f"{map_driver.FOLDER}/{map_driver.PLAN}" in files
        else ""
    )
    hosts = spec.resources.hosts.names or {node.name for node in nodes}
    if not traits.dealt or not needs:
        return spec
    if len(hosts) == 1:
        only = HostsResources(only=sorted(hosts))
        return spec.model_copy(update={"resources": spec.resources.model_copy(update={"hosts": only})})
    example = sorted(hosts)[0] if hosts else "gpu1"
    message = f"{needs} needs hosts with a shared home, or one host: name it, such as --host {example}"
    raise InvalidInput.at("resources.hosts.only", message)


def terminal(spec: JobSpec) -> None:
    """Refuse a terminal for tasks of several processes, which would all read from it."""
    if spec.terminal and ((spec.resources.nodes or 1) > 1 or spec.resources.launcher is not None):
        raise InvalidInput.at("terminal", "a terminal is for tasks of one process: leave out the launcher and nodes")


def container(spec: JobSpec) -> list[str]:
    """Refuse an image with a path that only the submitter knows; return warnings about what has no effect in it."""
    image = spec.resources.container.image if spec.resources.container else ""
    if image.startswith((".", "~")):
        raise InvalidInput.at("resources.container.image", f"write an absolute path in place of {image}")
    more = spec.resources.container and (spec.resources.container.options or spec.resources.container.mounts)
    pod = spec.resources.container is not None and spec.resources.container.engine == POD
    notes = ["the options and mounts of the container have no effect in a pod"] if pod and more else []
    own = next((value for name in ("venv", "conda") if image and (value := getattr(spec.environment, name))), None)
    return [*notes, *([f"{own} is not used: the image {image} brings its own Python"] if own else [])]


def pod_image(resources: Resources, backend: str, kind: str) -> None:
    """Refuse a job for Kubernetes without an image that a pod can have, and such an image elsewhere."""
    given = resources.container
    if kind != "kubernetes":
        if given is not None and given.engine == POD:
            raise InvalidInput.at("resources.container.engine", f"backend {backend} is not Kubernetes: it has no pods")
        return
    if given is None:
        message = f"backend {backend} is Kubernetes, which needs an image: give --container, or `image` in its settings"
        raise InvalidInput.at("resources.container", message)
    if given.image.startswith(("/", ".", "~")):
        message = f"a pod needs the name of an image in a registry, not a file such as {given.image}"
        raise InvalidInput.at("resources.container.image", message)


def reduce(spec: JobSpec) -> None:
    """Refuse a reduce command that is empty or cannot be built."""
    if spec.reduce is not None:
        if not spec.reduce.strip():
            raise InvalidInput.at("reduce", "the reduce command is empty")
        commands.build_reduce(spec, job="JOB", task="JOB-1", code_dir="code")


def partitions(resources: Resources, nodes: Sequence[Node], judge: Callable[[frozenset[str]], AccessVerdict]) -> None:
    """Refuse a job for Slurm that its owner may not run there now: Slurm starts it whenever it likes.

    Of several partitions each must be allowed. Where none is named, Slurm takes its default, which may be any of them.
    """
    named = [name for name in (resources.slurm.partition or "").split(",") if name]
    known = named or sorted({name for node in nodes for name in node.partitions})
    verdicts = {name: judge(frozenset({name} if name else ())) for name in known or [""]}
    refused = {name: verdict for name, verdict in verdicts.items() if not verdict.allowed}
    if not refused:
        return
    name, verdict = next(iter(refused.items()))
    where = f"you may not run jobs on partition {name} now" if name else "you may not run jobs here now"
    free = [one for one in known if one not in refused]
    hint = f" Name a partition: {', '.join(free)}." if free and not named else ""
    raise InvalidInput.at("resources.slurm.partition", f"{where}: {verdict.why}{hint}")


def other_kind(given: Resources, backend: str, kind: str) -> list[str]:
    """Return a warning if a job for a backend of this kind gives options that only other kinds know.

    It is no error: the same job file is to run on all of them.
    """
    found = []
    names = [name for name, value in given.slurm if value not in (None, [])]
    if kind != "slurm" and names:
        verb = "has" if len(names) == 1 else "have"
        found.append(f"{', '.join(names)} {verb} no effect: backend {backend} is not Slurm")
    if kind != "hosts" and given.hosts.only:
        found.append(f"hosts.only has no effect: backend {backend} is not one of hosts")
    return found


def without_effect(resources: Resources, nodes: Sequence[Node], traits: Traits) -> list[str]:
    """Return a warning for each field that changes nothing on these nodes."""
    if resources.per_gpu is None or resources.gpus is not None or not nodes or placement.gpus_of(resources, nodes):
        return []
    where = f"in partition {resources.slurm.partition}" if resources.slurm.partition and traits.queued else "here"
    return [f"per_gpu has no effect: there are no GPUs {where}, and each task gets cores of its own"]


def sizes(resources: Resources, nodes: Sequence[Node], traits: Traits) -> None:
    """Refuse a range of GPUs whose end can never run here."""
    most = placement.sized(resources, resources.most_gpus, nodes, traits)
    if (most.nodes or 1) > 1 and resources.launcher is None:
        here = placement.gpus_of_a_node(resources, nodes)
        message = f"a task with more than the {here} GPUs of a node runs on several, and needs a launcher: "
        raise InvalidInput.at("resources.launcher", message + ", ".join(Launcher))
    if resources.most_gpus is not None and nodes:
        whole_nodes(most, nodes, traits, "resources.gpus")
    placement.refuse_impossible(most, nodes, traits)


def keep_size(spec: JobSpec) -> None:
    """Refuse to keep the sizes of tasks that have one anyway."""
    if spec.elastic.keep_size and spec.resources.most_gpus is None:
        message = "its tasks have one number of GPUs: leave keep_size out, or give a range, such as gpus: 1..4"
        raise InvalidInput.at("elastic.keep_size", message)


def whole_nodes(resources: Resources, nodes: Sequence[Node], traits: Traits, field: str) -> None:
    """Refuse more GPUs than a node has, if they are not those of whole nodes."""
    here, asked = placement.gpus_of_a_node(resources, nodes), resources.gpus or 0
    if traits.multi_node and 0 < here < asked:
        why = f"nodes have up to {here}, and a task on several has all GPUs of each"
        raise InvalidInput.at(field, f"{asked} GPUs are not possible: {why}. Write a multiple of {here}")


def resize(resources: Resources, gpus: int, *, resumes: bool) -> None:
    """Refuse a number of GPUs that the tasks of a job cannot go on with. `resumes`: they go on from checkpoints."""
    least, most = resources.gpus, resources.most_gpus
    if least is None or most is None:
        raise InvalidInput.at(
            "gpus", "the GPUs of its tasks cannot change: submit the job with a range, such as --gpus 1..4"
        )
    if not least <= gpus <= most:
        raise InvalidInput.at("gpus", f"{gpus} is not possible: the job allows {least} to {most}")
    if not resumes:
        why = "its script does not use PADDOCK_CHECKPOINT_DIR, so the task would begin anew"
        raise InvalidInput.at("gpus", f"{why}: if it goes on by itself from what it has saved, submit with --yield")
