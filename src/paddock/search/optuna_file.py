"""Write a job as a study of Optuna, in a file that optuna-dashboard opens.

This loads Optuna: import it only when it is needed.

A configuration becomes a trial; where it has several tasks, values and curves are their means. The last and the best
value of every metric are user attributes (`last.loss`). Blocks lose their nesting: `layers.count`, `layers.0.width`.
"""

import json
import logging
import os
import shutil
import sqlite3
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.exceptions import ExperimentalWarning
from optuna.storages import RDBStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState
from pydantic import JsonValue

from paddock.errors import Conflict, InvalidInput, NotFound
from paddock.models import Curve, Goal, JobDetail, Params, SearchReport, Task, TaskState, TrialReport
from paddock.models.space import Block, Choices, Leaf, Range, is_number, same
from paddock.search.dimensions import Spaces, dimensions_of

_STATES = {
    TaskState.SUBMITTED: TrialState.WAITING,
    TaskState.RUNNING: TrialState.RUNNING,
    TaskState.FINISHED: TrialState.COMPLETE,
    TaskState.PRUNED: TrialState.PRUNED,
}
_DIRECTIONS = {Goal.MIN: StudyDirection.MINIMIZE, Goal.MAX: StudyDirection.MAXIMIZE}
_Flat = dict[str, JsonValue]


def write(
    path: Path, job: JobDetail, report: SearchReport, tasks: Sequence[Task], curves: Iterable[Curve], *, force: bool
) -> str:
    """Write a job as a study and return its name. Other studies in the file stay; `force` replaces one of this name."""
    name = job.name or job.id
    with _file(path) as file, _quietly():
        storage = RDBStorage(f"sqlite:///{file}")
        try:
            _make_room(storage, name, path, force=force)
            directions = [_DIRECTIONS[objective.goal] for objective in report.objectives]
            study = optuna.create_study(storage=storage, study_name=name, directions=directions)
            study.set_metric_names([objective.metric for objective in report.objectives])
            study.set_user_attr("paddock_job", job.id)
            study.add_trials(_trials(job, report, tasks, curves))
        finally:
            storage.remove_session()
            storage.engine.dispose()
    return name


def file_of(asked: tuple[JobDetail, SearchReport, Sequence[Task], Sequence[Curve]]) -> bytes:
    """Return a new file with a job as its only study."""
    with tempfile.TemporaryDirectory(prefix="paddock-") as folder:
        path = Path(folder) / "study.db"
        write(path, *asked, force=False)
        return path.read_bytes()


def _make_room(storage: RDBStorage, name: str, path: Path, *, force: bool) -> None:
    for study in storage.get_all_studies():
        if study.study_name == name:
            if not force:
                raise Conflict(f"{path} already has a study {name!r}: give --force to replace it, or another file.")
            storage.delete_study(study._study_id)


# --- the file -------------------------------------------------------------------------------------------------------


@contextmanager
def _file(path: Path) -> Iterator[Path]:
    """Return a copy to work on, which then replaces the file: it never holds half a study."""
    if not path.parent.is_dir():
        raise NotFound(f"There is no folder {path.parent}: create it, or give another file.")
    with tempfile.TemporaryDirectory(prefix="paddock-") as folder:
        copy = Path(folder) / "study.db"
        try:
            if path.exists():
                _refuse_strange(path)
                shutil.copyfile(path, copy)
            yield copy
            beside = path.with_name(f".{path.name}.{os.getpid()}")
            try:
                shutil.copyfile(copy, beside)
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written ({error.strerror}): give another file.") from None


def _refuse_strange(path: Path) -> None:
    """Refuse a file that is not a storage of Optuna."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        raise InvalidInput(f"{path} cannot be read as an SQLite file ({error}): give another file.") from None
    if tables and "studies" not in tables:
        raise InvalidInput(f"{path} is a database of another program: give another file.")


@contextmanager
def _quietly() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)
            yield
    except RuntimeError as error:  # a file of another version of Optuna; its message contains what to do
        raise InvalidInput(f"Optuna cannot open the file: {' '.join(str(error).split())}") from None
    finally:
        optuna.logging.set_verbosity(before)


# --- trials ---------------------------------------------------------------------------------------------------------


def _trials(
    job: JobDetail, report: SearchReport, tasks: Sequence[Task], curves: Iterable[Curve]
) -> Iterator[FrozenTrial]:
    by_id = {task.id: task for task in tasks}
    by_task = {curve.task: curve for curve in curves if curve.metric == report.objectives[0].metric}
    history = sorted(report.history, key=lambda trial: trial.trial)
    flats = [_spread(trial.params, job.spec.params) for trial in history]
    distributions = _distributions(job.spec.params, flats)
    for trial, flat in zip(history, flats, strict=True):
        values = _means([by_task[task] for task in trial.tasks if task in by_task])
        yield _trial(trial, flat, distributions, [by_id[task] for task in trial.tasks if task in by_id], values)


def _trial(
    trial: TrialReport,
    flat: _Flat,
    distributions: Mapping[str, BaseDistribution],
    tasks: Sequence[Task],
    curve: dict[int, float],
) -> FrozenTrial:
    values = [value for value in trial.values if value is not None]
    known = len(values) == len(trial.values) > 0
    state = _STATES.get(trial.state, TrialState.FAIL)
    if state is TrialState.COMPLETE and not known:
        state = TrialState.FAIL  # finished, but without a value of the objective
    begun = min((task.started_at or task.created_at for task in tasks), default=trial.ended_at)
    notes: dict[str, Any] = {"tasks": trial.tasks, "trial": trial.trial, "state": trial.state.value}
    notes |= {"spread": trial.spread} if trial.spread else {}
    notes |= {"values": trial.values} if values and state is TrialState.FAIL else {}
    notes |= _measured(tasks)
    return FrozenTrial(
        number=-1,  # Optuna counts itself
        trial_id=-1,
        state=state,
        value=None,
        values=values if known and state in (TrialState.COMPLETE, TrialState.PRUNED) else None,
        datetime_start=None if state is TrialState.WAITING else _local(begun),
        datetime_complete=_local(trial.ended_at or begun) if state.is_finished() else None,
        params={name: _plain(value, distributions[name]) for name, value in flat.items()},
        distributions={name: distributions[name] for name in flat},
        user_attrs=notes,
        system_attrs={},
        intermediate_values=curve,
    )


def _measured(tasks: Sequence[Task]) -> dict[str, float]:
    """Return the means of what was measured in several tasks of a trial."""
    found: dict[str, list[float]] = defaultdict(list)
    for task in tasks:
        for name, value in task.measured.items():
            if value is not None:
                found[name].append(value)
    return {name: fmean(values) for name, values in found.items()}


def _local(moment: datetime | None) -> datetime:
    """Return a moment as Optuna has it: local time without a zone."""
    return (moment or datetime.now()).astimezone().replace(tzinfo=None)


# --- curves ---------------------------------------------------------------------------------------------------------


def _means(curves: Sequence[Curve]) -> dict[int, float]:
    """Return a value per whole step: the last one of a task, and the mean over the tasks that have one."""
    found: dict[int, list[float]] = defaultdict(list)
    for curve in curves:
        points = zip(curve.steps, curve.values, strict=True)
        for step, value in {int(step): value for step, value in points if value is not None}.items():
            found[step].append(value)
    return {step: fmean(values) for step, values in sorted(found.items())}


# --- parameters -----------------------------------------------------------------------------------------------------


def _spread(config: Params, params: Spaces) -> _Flat:
    """Return a configuration without nesting. It is not checked: the space may have been another one at its start."""
    flat: _Flat = {}
    for name, value in config.items():
        if isinstance(params.get(name), Block) and isinstance(value, list):
            flat[f"{name}.count"] = len(value)
            for at, layer in enumerate(value):
                flat |= {f"{name}.{at}.{key}": one for key, one in layer.items()} if isinstance(layer, dict) else {}
        else:
            flat[name] = value
    return flat


def _distributions(params: Spaces, flats: Sequence[_Flat]) -> dict[str, BaseDistribution]:
    """Return one distribution per parameter, wide enough for all values that were tried."""
    seen: dict[str, list[JsonValue]] = defaultdict(list)
    for flat in flats:
        for name, value in flat.items():
            seen[name].append(value)
    try:
        spaces = {dimension.name: dimension.space for dimension in dimensions_of(params)}
    except InvalidInput:  # an old job whose space is refused today: the tried values are enough
        spaces = {}
    return {name: _distribution(spaces.get(name), values) for name, values in seen.items()}


def _distribution(space: Leaf | None, seen: Sequence[JsonValue]) -> BaseDistribution:
    if space is not None and _holds(space, seen):
        return _choices(space.values) if isinstance(space, Choices) else _range(space)
    ends = [] if space is None else space.values if isinstance(space, Choices) else [space.low, space.high]
    every = [*ends, *seen]
    numbers = [value for value in every if is_number(value)]
    if len(numbers) < len(every):
        return _choices(every)
    low, high = min(numbers), max(numbers)
    log = isinstance(space, Range) and space.log and low > 0
    continuous = isinstance(space, Range) and space.type == "float"
    if not continuous and all(float(number).is_integer() for number in numbers):
        return IntDistribution(int(low), int(high), log=log)
    return FloatDistribution(low, high, log=log)


def _holds(space: Leaf, values: Sequence[JsonValue]) -> bool:
    try:
        for value in values:
            space.own(value)
    except ValueError:
        return False
    return True


def _range(space: Range) -> BaseDistribution:
    count = space.count()
    high = space.high if count is None else space.value(count - 1)  # Optuna's end is one of the steps
    if space.type == "int":
        return IntDistribution(int(space.low), int(high), log=space.log, step=int(space.step or 1))
    return FloatDistribution(space.low, high, log=space.log, step=space.step)


def _choices(values: Sequence[JsonValue]) -> CategoricalDistribution:
    """Return choices: lists and objects as JSON, or all as JSON where Optuna takes two for one, such as 1 and true."""
    distinct = list({json.dumps(value): value for value in values}.values())
    plain = [_scalar(value) for value in distinct]
    if len(set(plain)) < len(distinct):
        return CategoricalDistribution([json.dumps(value) for value in distinct])
    return CategoricalDistribution(plain)


def _scalar(value: JsonValue) -> bool | int | float | str | None:
    return json.dumps(value) if isinstance(value, list | dict) else value


def _plain(value: JsonValue, distribution: BaseDistribution) -> Any:
    if not isinstance(distribution, CategoricalDistribution):
        return value
    plain = _scalar(value)
    return next((choice for choice in distribution.choices if same(choice, plain)), json.dumps(value))
