"""The flags of `paddock submit` for how to search."""

from enum import StrEnum
from typing import Annotated

import typer

from paddock.cli import complete
from paddock.errors import InvalidInput
from paddock.models import JobSpec, Method

HOW = "How to search"


class Stop(StrEnum):
    NONE = "none"
    MEDIAN = "median"
    ASHA = "asha"
    HYPERBAND = "hyperband"


Objectives = Annotated[
    list[str] | None,
    typer.Option(
        "--objective",
        metavar="METRIC[:min|:max]",
        help="What makes a task better. Given several times: there is no single best, but a Pareto front.",
        rich_help_panel=HOW,
    ),
]
How = Annotated[
    Method | None,
    typer.Option(
        "--search",
        help="How to choose configurations. grid: all of them; random, sobol: spread out, learning nothing; "
        "tpe: learns, and fits nearly always; gp: few trials that take long; cmaes: many trials, numbers only; "
        "evolution: many trials, architectures; nsga2: several objectives; pbt: changes parameters while training. "
        "auto: grid where only values are listed, else tpe.",
        rich_help_panel=HOW,
    ),
]
Trials = Annotated[
    int | None, typer.Option(min=1, help="How many configurations; of pbt: how many live.", rich_help_panel=HOW)
]
TimeBudget = Annotated[
    str | None,
    typer.Option(metavar="DURATION", help="Begin no further task after so long, such as 2h.", rich_help_panel=HOW),
]
Parallel = Annotated[int | None, typer.Option(min=1, help="At most so many tasks at once.", rich_help_panel=HOW)]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of the search.", rich_help_panel=HOW)]
Repeat = Annotated[
    int | None,
    typer.Option(min=1, max=100, help="Tasks for each configuration; their mean counts.", rich_help_panel=HOW),
]
WarmStart = Annotated[
    list[str] | None,
    typer.Option(
        metavar="JOB",
        help="Learn from this past job. May be given several times.",
        autocompletion=complete.jobs,
        rich_help_panel=HOW,
    ),
]
Interval = Annotated[
    float | None,
    typer.Option(metavar="STEPS", help="pbt: steps from one change to the next.", rich_help_panel=HOW),
]
StopEarly = Annotated[
    Stop | None,
    typer.Option(
        help="Stop tasks that are not promising. median: worse than half of the others; asha: one of ETA goes on "
        "past each rung; hyperband: asha with several first rungs.",
        rich_help_panel=HOW,
    ),
]
MinSteps = Annotated[
    float | None, typer.Option(metavar="STEPS", help="Stop no task before this step.", rich_help_panel=HOW)
]
MaxSteps = Annotated[
    float | None,
    typer.Option(
        metavar="STEPS", help="Steps of a task that is not stopped; found in the script.", rich_help_panel=HOW
    ),
]
Eta = Annotated[
    float | None, typer.Option(min=2, max=100, help="asha, hyperband: one of so many goes on.", rich_help_panel=HOW)
]


def refuse_loose_knobs(spec: JobSpec, **given: float | None) -> None:
    """Knobs of early stopping where there is none."""
    loose = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None]
    if loose and spec.stop_early.method == "none":
        message = f"{loose[0]} is about early stopping: give --stop-early asha, median or hyperband too"
        raise InvalidInput.at("stop_early", message)
