"""Declare the options that fill fields of a job once; each command takes those that it needs."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import reduce
from typing import Annotated, Any, Literal

import typer

from paddock.cli import complete, flags
from paddock.models.choices import Convention, Giving, Launcher, Method

Command = Callable[..., None]


@dataclass(frozen=True)
class JobOption:
    """One option: its name, its type, its help, and the field that it fills."""

    name: str
    kind: Any
    help: str
    names: tuple[str, ...]  # on the command line; made of `name` when empty
    fills: str  # such as `resources.gpus`
    panel: str | None
    default: Any = None
    read: Callable[[Any], Any] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)  # of typer.Option

    @property
    def parameter(self) -> inspect.Parameter:
        text = f"{self.help} May be given several times." if self.kind == list[str] else self.help
        option = typer.Option(*self.names, help=text, rich_help_panel=self.panel, **self.more)
        kind = self.kind if self.default is not None else self.kind | None
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=self.default, annotation=Annotated[kind, option]
        )

    def value(self, given: Any) -> Any:
        if self.read is not None:
            return self.read(given)
        return given.value if isinstance(given, Enum) else given


Options = tuple[JobOption, ...]


def row(
    name: str,
    kind: Any,
    help: str,
    *names: str,
    fills: str = "",
    default: Any = None,
    read: Callable[[Any], Any] | None = None,
    **more: Any,
) -> JobOption:
    """Return a row of a table; `fills` is the whole path of a field, where it is not the table's and the name."""
    return JobOption(name, kind, help, names, fills, None, default, read, more)


def table(panel: str, prefix: str, *rows: JobOption) -> Options:
    """Return options that are shown under one heading, and fill fields of one part of a job."""
    return tuple(replace(one, panel=panel, fills=one.fills or prefix + one.name) for one in rows)


WHAT = table(
    "What to run",
    "",
    row(
        "param",
        list[str],
        "One value, a list (0.1,0.01) or a range (1e-4..1e-1:log, 32..256:32).",
        "--param",
        "-p",
        fills="params",
        read=flags.params,
        metavar="NAME=VALUES",
        autocompletion=complete.params,
    ),
    row("name", str, "Name of the job."),
    row("description", str, "Description of the job."),
    row("tag", list[str], "Tag of the job.", fills="tags"),
    row(
        "private",
        bool,
        "Let only yourself and admins see the job, where people have accounts.",
        "--private",
        fills="visibility",
        default=False,
        read=lambda given: "private" if given else None,
    ),
    row(
        "notify",
        str,
        "Of what to tell you by mail and at your addresses, in place of what you chose for all jobs; with commas.",
        read=flags.notify,
        metavar="ended,failed,attention|all|none",
    ),
    row("script", str, "Script to run, if SOURCE is a folder."),
    row("module", str, "Module to run as `python -m` does, in place of a script.", metavar="PACKAGE.MODULE"),
    row("command", str, "Shell command with {parameter} fields, in place of a script."),
    row(
        "workdir",
        str,
        "Folder to run in, in place of a folder for each task; `there` is the folder of the script.",
        metavar="FOLDER|there",
    ),
    row(
        "reduce",
        str,
        "Shell command to run once when all tasks have finished; {results} is the folder with their results.",
        metavar="COMMAND",
    ),
    row("convention", Convention, "How the script takes parameters."),
    row(
        "terminal",
        bool,
        "Run each task on a terminal, for breakpoint() and input(): `paddock attach TASK` connects you with it.",
        "--terminal",
        default=False,
        read=lambda given: True if given else None,
    ),
    row(
        "yields",
        bool,
        "Tasks go on from where they were when they have to make way for a reservation, or begin anew. By itself: "
        "they do if the script uses PADDOCK_CHECKPOINT_DIR.",
        "--yield/--no-yield",
    ),
)
SEARCH = table(
    "How to search",
    "search.",
    row(
        "objective",
        list[str],
        "Metric to optimise; several of them give a Pareto front. auto: chosen from what the tasks report.",
        fills="objective",
        metavar="METRIC[:min|:max]",
    ),
    row(
        "search",
        Method,
        "How to choose configurations. grid: all of them; random, sobol: spread out, learning nothing; "
        "tpe: learns, and fits nearly always; gp: few trials that take long; cmaes: many trials, numbers only; "
        "evolution: many trials, architectures; nsga2: several objectives; pbt: changes parameters while training. "
        "auto: grid where only values are listed, else tpe.",
        fills="search.method",
    ),
    row("trials", int, "Number of configurations to try; for pbt, the size of the population.", min=1),
    row("time_budget", str, "Start no further task after this time, such as 2h.", metavar="DURATION"),
    row("parallel", int, "Run at most this many tasks at once.", fills="parallel", min=1),
    row("priority", int, "Place among your jobs; the highest goes first.", fills="priority", min=-100, max=100),
    row(
        "give_way",
        Giving,
        "When its allocations leave for others who wait: after their tasks, or now, in the middle of tasks that have a "
        "checkpoint.",
        fills="elastic.give_way",
    ),
    row(
        "keep",
        int,
        "It keeps this many allocations when other users of a cluster wait.",
        fills="elastic.keep",
        min=0,
    ),
    row(
        "keep_size",
        bool,
        "Its tasks begin with the fewest GPUs of their range, and only people resize them (`paddock resize`).",
        "--keep-size",
        fills="elastic.keep_size",
        default=False,
        read=lambda given: True if given else None,
    ),
    row("seed", int, "Seed of the search.", min=0),
    row("repeat", int, "Tasks per configuration; their mean counts.", min=1, max=100),
    row("warm_start", list[str], "Learn from this past job.", metavar="JOB", autocompletion=complete.jobs),
    row("interval", float, "pbt: steps between two changes.", metavar="STEPS"),
)
STOP_EARLY = table(
    "How to search",
    "stop_early.",
    row(
        "stop_early",
        Literal["none", "median", "asha", "hyperband"],
        "Stop tasks that are not promising. median: those worse than half of the others; asha: at each rung, one "
        "of ETA goes on; hyperband: asha with several first rungs.",
        fills="stop_early.method",
    ),
    row("min_steps", float, "Stop no task before this step.", metavar="STEPS"),
    row(
        "max_steps", float, "Steps of a task that is not stopped; read from the script when not given.", metavar="STEPS"
    ),
    row("eta", float, "asha, hyperband: one task of this many goes on.", min=2, max=100),
)
RESOURCES = table(
    "Resources",
    "resources.",
    row("backend", str, "Name of the backend; the server's default when not given."),
    row("profile", str, "Name of a profile in the server's settings."),
    row(
        "gpus",
        str,
        "GPUs per task (on each node); 0.25 is the same as --per-gpu 4; 1..4: as many as are worth it while it runs.",
        "--gpus",
        "--gpus-per-task",
        read=flags.gpus,
        metavar="N|LEAST..MOST",
    ),
    row("gpu_type", str, "Kind of GPU, as the cluster calls it."),
    row("cpus", int, "CPU cores per task (on each node).", min=1),
    row("memory", str, "Memory per task (on each node), such as 16G.", metavar="SIZE"),
    row(
        "time",
        str,
        "Time limit of an allocation, such as 4h, 90m or 1-12:00:00. Tasks that it ends go on in the next one.",
        fills="resources.time_limit",
        metavar="DURATION",
    ),
    row("nodes", int, "Nodes per task; needs --launcher.", "--nodes", "--nodes-per-task", min=1),
    row("launcher", Launcher, "How the processes of a task are started."),
    row(
        "container",
        str,
        "Image to run in: a file or folder that the nodes see, or a name such as docker://pytorch/pytorch.",
        fills="resources.container.image",
        read=flags.image,
        metavar="IMAGE",
    ),
    row(
        "mount",
        list[str],
        "Folder that tasks in the image see, such as that of the data.",
        fills="resources.container.mounts",
        read=flags.paths,
        metavar="FOLDER",
    ),
    row("slots", int, "Tasks that run side by side in one allocation.", min=1),
    row(
        "per_gpu",
        str,
        "Tasks that share a GPU, as far as its memory allows; auto finds out how many are fastest.",
        metavar="N|auto",
    ),
    row(
        "triple",
        str,
        "Nodes, tasks at once per node, and threads per task, such as 2,8,4.",
        metavar="NODES,TASKS,THREADS",
    ),
)
HOSTS = table(
    "Resources of hosts",
    "resources.hosts.",
    row(
        "host",
        list[str],
        "Run only on this host, such as gpu1 or gpu[3-8]; give it again for others.",
        fills="resources.hosts.only",
        metavar="HOST",
    ),
)
SLURM = table(
    "Resources of Slurm",
    "resources.slurm.",
    row("partition", str, "Slurm partition, or several with commas.", autocompletion=complete.partitions),
    row("account", str, "Slurm account to charge."),
    row("qos", str, "Slurm quality of service."),
    row("constraint", str, "Features that nodes must have, such as 'a100&ib'."),
    row("nodelist", str, "Use only these nodes, such as n[1-4].", metavar="NODES"),
    row("exclude", str, "Do not use these nodes.", metavar="NODES"),
    row("reservation", str, "Slurm reservation to use."),
    row("nice", int, "How much priority to give up in favour of other jobs.", min=0),
    row(
        "sbatch",
        list[str],
        "Further option of sbatch, such as --sbatch=--exclusive.",
        fills="resources.slurm.options",
        metavar="OPTION",
    ),
)
ENVIRONMENT = table(
    "Environment, metrics, retries",
    "environment.",
    row("python", str, "Interpreter to run with.", read=flags.python),
    row("venv", str, "Virtual environment to run in.", read=flags.path),
    row("conda", str, "Conda environment to run in.", read=flags.path_or_name),
    row("setup", list[str], "Shell line to run before each task, such as 'module load cuda'."),
    row(
        "env",
        list[str],
        "Environment variable of the tasks.",
        fills="environment.variables",
        read=flags.variables,
        metavar="NAME=VALUE",
    ),
    row("metrics_file", list[str], "Pattern of files to read metrics from.", fills="metrics.files"),
    row(
        "metric_pattern",
        list[str],
        "Regular expression for a printed line: each named group is a metric, as in 'is (?P<loss>\\S+)'; the groups "
        "epoch and step place it.",
        fills="metrics.patterns",
        metavar="REGEX",
    ),
    row(
        "no_stdout_metrics",
        bool,
        "Do not read metrics from what tasks print.",
        "--no-stdout-metrics",
        fills="metrics.stdout",
        default=False,
        read=lambda given: False if given else None,
    ),
    row(
        "retry",
        list[str],
        "Number of retries after a cause, such as lost=3.",
        fills="retries",
        read=flags.retries,
        metavar="CAUSE=N",
    ),
    row("grace", float, "Seconds between SIGTERM and SIGKILL when a task is stopped.", fills="grace_seconds", min=0),
)
SUBMIT = WHAT + SEARCH + STOP_EARLY + RESOURCES + HOSTS + SLURM + ENVIRONMENT


def pick(names: str, panel: str | None = None, **helps: str) -> Options:
    """Return some options of `submit` for another command, under another heading, with these help texts."""
    known = {one.name: one for one in SUBMIT}
    return tuple(replace(known[name], panel=panel, help=helps.get(name, known[name].help)) for name in names.split())


def takes(options: Iterable[JobOption]) -> Callable[[Command], Command]:
    """Give a command these options: to its parameters of the same names, and the others to its `**given`.

    The help shows the others before the parameters that come after a `*`.
    """

    def decorated(command: Command) -> Command:
        rest = {one.name: one.parameter for one in options}
        own = list(inspect.signature(command).parameters.values())
        first = [rest.pop(one.name, one) for one in own if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        last = [rest.pop(one.name, one) for one in own if one.kind is inspect.Parameter.KEYWORD_ONLY]
        made = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*first, *rest.values(), *last)]
        command.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
        return command

    return decorated


def changes(options: Iterable[JobOption], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that options fill: `{"search": {"seed": 3}}`; an option that was not given fills none."""
    made: dict[str, Any] = {}
    for one in options:
        value = one.value(given[one.name])
        if value is None or value == [] or value == {}:
            continue
        *parts, name = one.fills.split(".")
        reduce(lambda table, part: table.setdefault(part, {}), parts, made)[name] = value
    return made
