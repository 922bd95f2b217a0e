"""The flags of `paddock submit` for what a task gets."""

from typing import Annotated

import typer

from paddock.cli import complete
from paddock.models import Launcher

RESOURCES = "Resources"

Backend = Annotated[
    str | None, typer.Option(help="Name of the backend; the server's default else.", rich_help_panel=RESOURCES)
]
Profile = Annotated[
    str | None, typer.Option(help="Name of a profile in the server's settings.", rich_help_panel=RESOURCES)
]
Partition = Annotated[
    str | None,
    typer.Option(
        help="Slurm partition, or several with commas.",
        autocompletion=complete.partitions,
        rich_help_panel=RESOURCES,
    ),
]
Gpus = Annotated[
    float | None,
    typer.Option(
        "--gpus",
        "--gpus-per-task",
        min=0,
        metavar="N",
        help="GPUs a task (on each node); 0.25 is --per-gpu 4.",
        rich_help_panel=RESOURCES,
    ),
]
GpuType = Annotated[str | None, typer.Option(help="Kind of GPU, as the cluster calls it.", rich_help_panel=RESOURCES)]
Cpus = Annotated[int | None, typer.Option(min=1, help="CPU cores a task (on each node).", rich_help_panel=RESOURCES)]
Memory = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Memory a task (on each node), such as 16G.", rich_help_panel=RESOURCES),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="DURATION",
        help="Time limit of an allocation, such as 4h, 90m or 1-12:00:00. Tasks cut off go on in the next.",
        rich_help_panel=RESOURCES,
    ),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        "--nodes", "--nodes-per-task", min=1, help="Nodes of one task; needs --launcher.", rich_help_panel=RESOURCES
    ),
]
How = Annotated[
    Launcher | None, typer.Option("--launcher", help="How a task's processes start.", rich_help_panel=RESOURCES)
]
Slots = Annotated[
    int | None, typer.Option(min=1, help="Tasks side by side in one allocation.", rich_help_panel=RESOURCES)
]
PerGpu = Annotated[
    str | None,
    typer.Option(
        metavar="N|auto",
        help="Tasks that share a GPU, as far as its memory goes; auto finds out how many pay.",
        rich_help_panel=RESOURCES,
    ),
]
Triples = Annotated[
    str | None,
    typer.Option(
        "--triple",
        metavar="NODES,TASKS,THREADS",
        help="Nodes, tasks at a time on each, threads of each task, such as 2,8,4.",
        rich_help_panel=RESOURCES,
    ),
]
Account = Annotated[str | None, typer.Option(help="Slurm account to charge.", rich_help_panel=RESOURCES)]
Qos = Annotated[str | None, typer.Option(help="Slurm quality of service.", rich_help_panel=RESOURCES)]
Constraint = Annotated[
    str | None, typer.Option(help="Features that nodes must have, such as 'a100&ib'.", rich_help_panel=RESOURCES)
]
Nodelist = Annotated[
    str | None, typer.Option(metavar="NODES", help="Only on these, such as n[1-4].", rich_help_panel=RESOURCES)
]
Exclude = Annotated[str | None, typer.Option(metavar="NODES", help="Not on these.", rich_help_panel=RESOURCES)]
Reservation = Annotated[str | None, typer.Option(help="Slurm reservation to use.", rich_help_panel=RESOURCES)]
Nice = Annotated[
    int | None, typer.Option(min=0, help="How much priority to give up for others.", rich_help_panel=RESOURCES)
]
Sbatch = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OPTION",
        help="Another option of sbatch: --sbatch=--exclusive. May be given several times.",
        rich_help_panel=RESOURCES,
    ),
]
