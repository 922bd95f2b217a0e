"""Turn models, or views of them, into text for a terminal of 80 columns."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.table import Table
from rich.text import Text

from paddock import models
from paddock.models import units
from paddock.models.space_text import text_of_choices, text_of_conditions, text_of_range
from paddock.models.states import AllocationState, TaskState

GAP, NARROWEST = 2, 4
STYLES = {
    TaskState.ERROR: "red",
    TaskState.RUNNING: "cyan",
    TaskState.SUBMITTED: "blue",
    TaskState.FINISHED: "green",
    TaskState.STOPPED: "yellow",
    TaskState.PRUNED: "magenta",
}


def clean(text: str) -> str:
    """Return text of other people without what a terminal would obey: escapes, and marks that turn its direction."""
    return "".join(char.encode("unicode_escape").decode() if _obeyed(char) else char for char in text)


def _obeyed(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def paragraph(text: str) -> str:
    """Clean text that may have several lines."""
    return "\n".join(clean(line) for line in text.split("\n"))


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def count(value: float | None) -> str:
    """Return an epoch or step as text: without decimals where it is whole."""
    if value is None:
        return ""
    return f"{value:.0f}" if math.isfinite(value) and float(value).is_integer() else f"{value:.4g}"


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    whole = max(round(seconds), 0)
    for size, unit, smaller, name in ((86400, "d", 3600, "h"), (3600, "h", 60, "min")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {unit} {rest} {name}" if rest else f"{whole // size} {unit}"
    return f"{whole // 60} min" if whole >= 120 else f"{whole} s"


def age(moment: datetime | None) -> str:
    if moment is None:
        return ""
    seconds = (datetime.now(UTC) - moment).total_seconds()
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(max(seconds, 0))} s"


def moment(at: datetime) -> str:
    """Return the time of day, with the day when it is not today."""
    local, today = at.astimezone(), datetime.now().astimezone()
    return f"{local:%H:%M}" if local.date() == today.date() else f"{local:%a %d %b, %H:%M}"


def waits(what: models.Waits | None, *, starts: bool = True) -> Text:
    """Return why the tasks of a job wait, and `starts`: until when; one that will not start by itself is marked."""
    if what is None:
        return Text("")
    if what.never and not what.reason.startswith("held"):
        return Text(f"stuck: {clean(what.reason)}", "red")
    return Text(clean(what.reason) + (expected(what.starts_at) if starts else ""))


def expected(starts_at: datetime | None) -> str:
    return f"; expected start {moment(starts_at)}" if starts_at else ""


def place(allocation: models.Allocation | None) -> str:
    """Return `slurm 123_4 on n1`, and why it waits or ended."""
    if allocation is None:
        return ""
    text = " ".join(part for part in (allocation.backend, allocation.backend_id) if part)
    text += f" on {allocation.node}" if allocation.node else ""
    if allocation.state in (AllocationState.PLANNED, AllocationState.PENDING):
        text += f", {allocation.reason or 'not submitted yet'}{expected(allocation.starts_at)}"
    elif allocation.state == AllocationState.ENDED:
        text += f", ended: {allocation.reason}" if allocation.reason else ", ended"
    elif allocation.leaves_at is not None:
        text += f", makes way {moment(allocation.leaves_at)}"
    return clean(text)


def resources(given: models.Resources, *, kept: bool = False) -> str:
    """Return what a job asks for: `slurm, partition gpu, 2 GPUs (a100), 4 cores, 16 GiB, time limit 4:00:00`."""
    gpus = several(given.gpus, "GPU") if given.gpus is not None else ""
    gpus = f"{given.gpus} to {several(given.most_gpus, 'GPU')}" if given.most_gpus else gpus
    gpus += ", which only people change" if kept else ""
    parts = [
        given.backend,
        given.profile and f"profile {given.profile}",
        given.slurm.partition and f"partition {given.slurm.partition}",
        several(given.nodes, "node") if given.nodes else None,
        f"{gpus} ({given.gpu_type})".strip() if given.gpu_type else gpus,
        several(given.cpus, "core") if given.cpus else None,
        given.memory and size(given.memory),
        given.time_limit and f"time limit {units.clock(given.time_limit)}",
        given.slots and f"{given.slots} tasks side by side",
        given.per_gpu
        and ("as many tasks per GPU as are fastest" if given.per_gpu == "auto" else f"{given.per_gpu} tasks per GPU"),
        given.triple
        and " x ".join(several(getattr(given.triple, f"{one}s"), one) for one in ("node", "task", "thread")),
        given.launcher and f"launcher {given.launcher}",
        *(
            f"{name} {value}"
            for name in ("account", "qos", "constraint", "nodelist", "exclude", "reservation", "nice")
            if (value := getattr(given.slurm, name)) is not None
        ),
        *given.slurm.options,
    ]
    return clean(", ".join(part for part in parts if part))


def several(amount: int, what: str) -> str:
    return f"{amount} {what}" if amount == 1 else f"{amount:,} {what}s"


def size(value: float | None) -> str:
    return "" if value is None else units.size_text(value)


def value_text(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return clean(layers_text(value))
    return clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def layers_text(layers: Sequence[dict[str, Any]]) -> str:
    """Return layers in short: `conv 32 ×2 · pool · dense 64 +1`; after + the number of a layer that is added."""
    found: list[tuple[str, int]] = []
    for layer in layers:
        members = [member for name, member in layer.items() if name != "skip" and not isinstance(member, bool)]
        kind = next((member for member in members if isinstance(member, str)), None)
        size = next((member for member in members if isinstance(member, int | float)), None)
        skip = layer.get("skip")
        text = " ".join(str(part) for part in (kind, size) if part is not None) or "layer"
        text += f" +{skip + 1}" if isinstance(skip, int) else ""
        if found and found[-1][0] == text:
            found[-1] = (text, found[-1][1] + 1)
        else:
            found.append((text, 1))
    return " · ".join(text if count == 1 else f"{text} ×{count}" for text, count in found)


def params_text(params: dict[str, Any], names: Iterable[str] | None = None) -> str:
    return " ".join(
        f"{name}={value_text(params[name])}" for name in (params if names is None else names) if name in params
    )


def space_text(given: dict[str, Any]) -> str:
    """Return the short text form of the values of a parameter, as JSON describes them."""
    if "block" in given:
        from paddock.models.space import Block, text_of

        return text_of(Block.model_validate(given))
    space: Any = SimpleNamespace(**{"when": {}} | given)
    text = text_of_range(space) if "low" in given else text_of_choices(space)
    return text + text_of_conditions(space.when)


def state_text(task: models.Task) -> Text:
    return Text("stopping" if task.stopping else str(task.state), STYLES[task.state])


def counts_text(counts: models.TaskCounts) -> Text:
    known = ((getattr(counts, state.value), state.value, style) for state, style in STYLES.items())
    return Text(", ").join(Text(f"{count} {name}", style) for count, name, style in known if count)


def total(counts: models.TaskCounts) -> int:
    return sum(getattr(counts, state) for state in STYLES)


def tasks_text(job: models.Job) -> Text:
    """Return the tasks of a job by state, how many are to come, and how many have a silent runner."""
    counted = counts_text(job.counts)
    parts = [counted] if counted else []
    if job.searching:
        parts.append(Text("more to come" if job.to_come is None else f"{job.to_come:,} to come", "dim"))
    text = Text(", ").join(parts)
    if job.configurations is not None:
        text.append(f" ({several(job.configurations, 'configuration')})", "dim")
    if job.no_word:
        text.append(f"; no word from {job.no_word.tasks:,} since {moment(job.no_word.since)}", "dim")
    return text


def no_word(task: models.Task) -> str:
    return f"no word since {moment(task.no_word_since)}" if task.no_word_since else ""


def quiet(what: models.Job | models.Task) -> str:
    """Return that a task, or the tasks of a job, have reported nothing for a while; empty if they have."""
    if what.quiet_after is None or what.reported_at is None or datetime.now(UTC) < what.quiet_after:
        return ""
    return f"nothing reported for {age(what.reported_at)}"


def left(what: models.Job | models.Task) -> str:
    """Return the time left, or why it is not known."""
    return quiet(what) or duration(what.seconds_left)


def resize(task: models.TaskDetail) -> str:
    """Return to what a task is being resized, for whom, and why; empty if it is not."""
    if not task.size_wanted:
        return ""
    has = task.attempts[-1].size if task.attempts else None
    sizes = f"{has} -> {task.size_wanted} GPUs" if has else f"to {task.size_wanted} GPUs"
    return clean(f"{sizes}, for {task.resize_by}{f': {task.resize_why}' if task.resize_why else ''}")


def band(when: models.Expected | None) -> str:
    """Return when something will be: `today 16:40 to 17:30`, or only about when, if that is unsure."""
    if when is None:
        return ""
    now = datetime.now(UTC)
    if (when.late - now).total_seconds() < 60:
        return "in less than a minute"
    early, late = max(when.early, now), when.late
    if when.unsure:
        return f"about {day_and_time(when.likely)}, unsure"
    first, last = day_and_time(early), day_and_time(late)
    if first == last:
        return first
    same_day = early.astimezone().date() == late.astimezone().date()
    return f"{first} to {f'{late.astimezone():%H:%M}' if same_day else last}"


def day_and_time(at: datetime) -> str:
    """Return `today 16:40`, `tomorrow 9:05` or `Fri 20 Nov 16:40`."""
    local, today = at.astimezone(), datetime.now().astimezone().date()
    days = (local.date() - today).days
    return f"{'today' if days == 0 else 'tomorrow' if days == 1 else f'{local:%a %d %b}'} {local:%H:%M}"


def epoch(task: models.Task) -> str:
    """Return how far a task is: `4/10` epochs done; where their number is not known, the last as the script counts."""
    return count(task.epoch) if task.epochs_done is None else f"{count(task.epochs_done)}/{task.epochs}"


def search(report: models.SearchReport) -> str:
    """Return `tpe, 12 of 50 trials done`, and why no further ones come or when they end."""
    done = sum(TaskState(trial.state).ended for trial in report.history)
    of = f" of {report.trials:,}" if report.trials is not None else ""
    parts = [f"{report.method}, {done:,}{of} trials done"]
    if report.searching and report.ends_at:
        parts.append(f"begins none after {moment(report.ends_at)}")
    if report.ended_why and not report.searching:
        parts.append(report.ended_why)
    return clean("; ".join(parts))


def saved(report: models.SearchReport) -> str:
    """Return what early stopping did: `saved 61 % of the epochs, about 2 h 10 min`."""
    found = report.saved
    if found.steps <= 0:
        return "has stopped nothing"
    text = f"saved {100 * found.share:.0f} % of the epochs"
    return f"{text}, about {duration(found.seconds)}" if found.seconds >= 1 else text


def measured(value: float | None, spread: float | None) -> str:
    """Return a value with its spread: `0.031 ± 0.002`."""
    return number(value) if value is None or spread is None else f"{number(value)} ± {spread:.2g}"


def owner(job: models.Job) -> str:
    """Return whose job it is, and whether nobody else sees it."""
    return clean(job.owner) + (" (private)" if job.visibility == "private" else "")


def best(job: models.Job) -> str:
    """Return the best value of a job; with its spread where configurations run several times."""
    return measured(job.best_value, job.best_spread)


def failure(what: models.Failure | None) -> str:
    """Return `3 failed: CUDA out of memory`."""
    return f"{what.tasks:,} failed: {clean(what.reason)}" if what else ""


def outcome(task: models.Task) -> str:
    """Return why a task is in its state."""
    if task.cause is None and not task.reason:
        return clean("; ".join(task.warnings))
    return clean(": ".join(part for part in (task.cause, task.reason) if part))


class Listing:
    """A table without escapes. Flexible columns are cut when the terminal is narrow; optional ones need a value."""

    def __init__(
        self, *columns: str, flexible: Sequence[str] = (), right: Sequence[str] = (), optional: Sequence[str] = ()
    ) -> None:
        self._columns, self._flexible, self._right, self._optional = columns, flexible, right, optional
        self._rows: list[list[Text]] = []

    def add_row(self, *cells: str | Text) -> None:
        self._rows.append([cell if isinstance(cell, Text) else Text(clean(cell)) for cell in cells])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        every = [(name, [row[at] for row in self._rows]) for at, name in enumerate(self._columns)]
        columns = [(name, cells) for name, cells in every if name not in self._optional or any(cells)]
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
        for (name, _), width in zip(columns, self._widths(columns, options.max_width), strict=True):
            justify: JustifyMethod = "right" if name in self._right else "left"
            table.add_column(Text(name), width=width, no_wrap=True, overflow="ellipsis", justify=justify)
        for row in zip(*(cells for _, cells in columns), strict=True):
            table.add_row(*row)
        yield table

    def _widths(self, columns: list[tuple[str, list[Text]]], room: int) -> list[int]:
        wanted = [max(cell_len(name), *(cell.cell_len for cell in cells), 0) for name, cells in columns]
        flexible = [at for at, (name, _) in enumerate(columns) if name in self._flexible]
        for _ in range(sum(wanted) + GAP * (len(wanted) - 1) - room):
            widest = max(flexible, key=wanted.__getitem__, default=None)
            if widest is not None and wanted[widest] > NARROWEST:
                wanted[widest] -= 1
        return wanted


def fields(pairs: Iterable[tuple[str, str | Text]]) -> Table:
    """Return a table with names on the left and wrapped values on the right; empty values are left out."""
    made = Table.grid(padding=(0, 2))
    made.add_column(no_wrap=True, style="bold")
    made.add_column(overflow="fold")
    for name, value in pairs:
        if value:
            made.add_row(name, value)
    return made
