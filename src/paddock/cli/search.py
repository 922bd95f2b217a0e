"""The commands best, objective, importance and extend: what a search found, by which metric, and more of it."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from paddock.cli import base, complete, flags, render
from paddock.cli.base import JobId, Json
from paddock.cli.options import pick, takes
from paddock.client.client import Client
from paddock.client.trials import best_trials
from paddock.errors import InvalidInput, NotFound
from paddock.rules.varying import varying

if TYPE_CHECKING:
    from paddock.models import JobDetail, SearchReport

BEST = 5
BAR = 30
AT = "AT EPOCH"  # of the best value, as the script counts


def best(
    ctx: typer.Context,
    job: JobId,
    count: Annotated[
        int | None,
        typer.Option(
            "-n", "--count", min=1, max=1000, help="Show this many; 5, or the whole Pareto front, when not given."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the best tasks of a job by its objective.

    With several objectives, show the Pareto front: the configurations that no other one beats in all objectives. With
    --repeat, show configurations, ordered by the mean of their tasks.

    Example:
        paddock best k3v -n 3
    """
    client = base.light_client(ctx)
    detail = client.detail(_whole(job))
    if detail.spec.other_objectives or detail.spec.search.repeat > 1:
        _best_trials(client, detail, count, as_json)
    else:
        _best_tasks(client, detail, count or BEST, as_json)


def _best_tasks(client: Client, job: "JobDetail", count: int, as_json: bool) -> None:
    sort = "best" if job.objective.goal == "min" else "-best"
    found = [task for task in client.tasks(job.id, sort=sort, limit=count) if task.best_value is not None]
    base.only_json(as_json, found)
    name = render.clean(job.objective.metric)
    if not found:
        base.note(_no_best(client, job))
        return
    names = varying([task.params for task in found]) or None
    made = render.Listing("ID", name, AT, "STATE", "PARAMETERS", flexible=("PARAMETERS",), right=(name, AT))
    for task in found:
        value, epoch = render.number(task.best_value), render.count(task.best_epoch)
        made.add_row(task.id, value, epoch, render.state_text(task), render.params_text(task.params, names))
    base.screen().print(made)


def _no_best(client: Client, job: "JobDetail") -> str:
    """Return why no task is the best, with the metrics that could be the objective."""
    name = render.clean(job.objective.metric)
    if not name and job.objective_choice.by != "auto":
        return f"{job.id} has no objective."
    found = [render.clean(one.metric) for one in client.objective(job.id).metrics]
    none = f"No task of {job.id} has a value of {name} yet." if name else f"{job.id}: the objective is {_why(job)}."
    if not found:
        return none
    from paddock.rules.objective import listed

    return f"{none} There are: {listed(found)}. `paddock objective {job.id} METRIC` chooses one."


def _why(job: "JobDetail") -> str:
    return render.clean(job.objective_choice.why)


def objective(
    ctx: typer.Context,
    job: JobId,
    metrics: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="METRIC[:min|:max]",
            help="The new objective, several for a Pareto front, or auto.",
            autocompletion=complete.metrics,
        ),
    ] = None,
    insist: Annotated[bool, typer.Option("--insist", help="Accept a metric that no task has reported so far.")] = False,
    as_json: Json = False,
) -> None:
    """Show the objective of a job and the metrics that there are, or change it at any time.

    Best values, ranks, importance and curves follow at once, and so do later decisions of a search. A job that is held
    because no task reports its objective goes on. Without :min or :max, the name decides: val_acc is to be large.

    Examples:
        paddock objective k3v
        paddock objective k3v valid_loss
        paddock objective k3v val_acc:max params:min
        paddock objective k3v auto
    """
    client = base.light_client(ctx)
    if not metrics:
        _show_objective(client, _whole(job), as_json)
        return
    detail = client.change_objective(_whole(job), metrics, insist=insist)
    base.only_json(as_json, detail)
    named = ", ".join(
        f"{render.clean(one.metric)} ({one.goal})"
        for one in (detail.objective, *detail.spec.other_objectives)
        if one.metric
    )
    best = f"; the best is {render.number(detail.best_value)}, {detail.best_task}" if detail.best_task else ""
    typer.echo(f"{detail.id}: the objective is {named or _why(detail)}{best}")
    base.warn(detail.warnings)


def _show_objective(client: Client, job: str, as_json: bool) -> None:
    report = client.objective(job)
    base.only_json(as_json, report)
    chosen = [one.metric for one in report.objectives if one.metric]
    named = ", ".join(f"{one.metric} ({one.goal})" for one in report.objectives if one.metric)
    screen = base.screen()
    screen.print(
        render.fields([("Objective", render.clean(named) or "none"), ("Why", render.clean(report.choice.why))])
    )
    if report.metrics:
        made = render.Listing("METRIC", "BETTER", "", flexible=("METRIC",))
        for one in report.metrics:
            better = "small" if one.goal == "min" else "large"
            made.add_row(render.clean(one.metric), better, "objective" if one.metric in chosen else "")
        screen.print()
        screen.print(made)
    base.warn([report.choice.notice] if report.choice.notice else [])


def _best_trials(client: Client, job: "JobDetail", count: int | None, as_json: bool) -> None:
    report = client.search_report(job.id)
    several = len(report.objectives) > 1
    found = best_trials(report, count or (None if several else BEST))
    base.only_json(as_json, found)
    metrics = [render.clean(objective.metric) for objective in report.objectives]
    if not found:
        base.note(f"No task of {job.id} has values of {' and '.join(metrics)} yet.")
        return
    names = varying([trial.params for trial in found]) or None
    repeated = job.spec.search.repeat > 1
    columns = ["TRIAL", *metrics, *(["TASKS"] if repeated else ["ID"]), "STATE", "PARAMETERS"]
    made = render.Listing(*columns, flexible=("PARAMETERS",), right=("TRIAL", *metrics, "TASKS"))
    for trial in found:
        spread = trial.spread or [None] * len(trial.values)
        made.add_row(
            str(trial.trial),
            *(render.measured(*pair) for pair in zip(trial.values, spread, strict=True)),
            str(trial.count) if repeated else trial.tasks[0],
            Text(str(trial.state), render.STYLES[trial.state]),
            render.params_text(trial.params, names),
        )
    base.screen().print(made)
    if several and count is None:
        base.note(f"The Pareto front: {len(found)} of {render.several(len(report.history), 'configuration')}.")


def importance(ctx: typer.Context, job: JobId, as_json: Json = False) -> None:
    """Show how much each parameter matters: its share of what makes results differ.

    Example:
        paddock importance k3v
    """
    client = base.light_client(ctx)
    report = client.search_report(_whole(job))
    base.only_json(as_json, report.importance)
    if not report.importance:
        base.note(_too_few(report))
        return
    most = max(report.importance.values()) or 1.0
    made = render.Listing("PARAMETER", "SHARE", "", flexible=("PARAMETER",), right=("SHARE",))
    for name, share in report.importance.items():
        text = "<1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"
        made.add_row(name, text, "█" * round(BAR * share / most))
    base.screen().print(made)


def _too_few(report: "SearchReport") -> str:
    names = " and ".join(render.clean(objective.metric) for objective in report.objectives)
    return (
        f"The importance is not known yet: {render.several(report.importance_from, 'trial')} finished or "
        f"were pruned with values of {names}; "
        "at least 10 are needed, with parameters and results that differ."
    )


@takes(
    pick(
        "trials time_budget param",
        trials="Try this many more configurations.",
        time_budget="Continue for this long, such as 1h.",
        param="Other values of a parameter from now on, such as a narrower range.",
    )
)
def extend(
    ctx: typer.Context,
    job: JobId,
    trials: int | None = None,
    time_budget: str | None = None,
    param: list[str] | None = None,
    as_json: Json = False,
) -> None:
    """Extend a search: more trials, more time, other values of parameters. This also continues a search that is over.

    `paddock hold` pauses a search, `paddock release` continues it.

    Examples:
        paddock extend k3v --trials 50
        paddock extend k3v --trials 20 --time-budget 1h -p lr=1e-3..1e-2:log
    """
    params = flags.params(param)
    if trials is None and time_budget is None and not params:
        raise InvalidInput(
            "There is nothing to extend: give --trials, --time-budget, -p NAME=VALUES or several of them."
        )
    client = base.client(ctx)
    before = client.detail(_whole(job))
    detail = client.extend(before.id, trials=trials, time_budget=time_budget, params=params)
    base.only_json(as_json, detail)
    typer.echo(f"{detail.id} extended: {_planned(before, detail)}")
    base.warn(warning for warning in detail.warnings if warning not in before.warnings)


def _planned(before: "JobDetail", now: "JobDetail") -> str:
    new = now.counts.total + (now.to_come or 0) - before.counts.total - (before.to_come or 0)
    if now.searching and now.to_come is None:
        return "more tasks to come"
    return f"{render.several(new, 'task')} more, {now.counts.total + (now.to_come or 0):,} in all"


def _whole(job: str) -> str:
    if base.is_task(job):
        raise NotFound(f"{job} is a task: give the job, {job.rpartition('-')[0] or 'such as k3v'}.")
    return job
