"""Test the objective in the engine: chosen from what is reported, changed by a person, and missing."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from paddock.common.patterns import NO_METRIC
from paddock.errors import InvalidInput
from paddock.models import Goal, JobDetail, Objective, ObjectiveChoice, ObjectiveRequest
from paddock.models import TaskState as S
from paddock.paths import Home
from paddock.server.intake import objective
from paddock.server.store import events, jobs, tasks, trials
from paddock.server.store import objectives as stored
from paddock.settings import Settings
from tests.server.engine.engine_rig import JOB, rigged
from tests.server.engine.test_engine_search import SPACE, SearchRig
from tests.server.store.given import told


class ObjectiveRig(SearchRig):
    def point(self, number: int, step: float, epoch: float | None = None, **values: float) -> None:
        self.clock = getattr(self, "clock", 2e9) + 1
        line = {"e": "metric", "task": f"{JOB}-{number}", "attempt": 1, "step": step, "v": values}
        self.say(self.keys()[0], {**line, "at": self.clock, **({} if epoch is None else {"epoch": epoch})})
        self.settle(1)

    def change(self, *wanted: str, **more: Any) -> None:
        objective.change(self.db, JOB, ObjectiveRequest(objective=list(wanted), **more))
        self.settle()

    def chosen(self) -> tuple[str, str]:
        detail = self.detail()
        return detail.objective.metric, detail.objective.goal.value

    def bests(self) -> list[float | None]:
        return [task.best_value for task in self.tasks()]


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectiveRig]:
    with rigged(ObjectiveRig, home, settings, monkeypatch) as made:
        yield made


def started(rig: ObjectiveRig, count: int = 2, waiting: int = 0, **spec: Any) -> JobDetail:
    """A job with this many tasks that run, and some that wait."""
    rig.job(tasks=count + waiting, **spec)
    rig.settle()
    for number in range(1, count + 1):
        rig.begin(number)
    return rig.detail()


class TestAuto:
    def test_it_is_not_chosen_before_a_task_reports_something(self, rig: ObjectiveRig) -> None:
        detail = started(rig)
        assert (detail.objective.metric, detail.spec.objective.metric) == ("", "auto")
        assert detail.objective_choice.why == "not chosen yet: no task has reported a metric"
        assert (detail.objective_choice.by, detail.objective_choice.final) == ("auto", False)

    def test_a_better_metric_replaces_the_training_loss_with_all_that_follows(self, rig: ObjectiveRig) -> None:
        started(rig)
        rig.point(1, 1, loss=0.9)
        rig.point(2, 1, loss=0.7)
        assert (rig.chosen(), rig.bests()) == (("loss", "min"), [0.9, 0.7])
        assert "it may change" in rig.detail().objective_choice.why
        rig.point(1, 1, val_acc=0.5)
        rig.point(1, 2, loss=0.6, val_acc=0.4)
        detail = rig.detail()
        assert rig.chosen() == ("val_acc", "max")
        assert rig.bests() == [0.5, None]
        assert (detail.best_task, detail.best_value, detail.sparkline) == (f"{JOB}-1", 0.5, [0.5, 0.4])
        assert detail.spec.objective.metric == "auto", "submitted again, it is chosen again"

    def test_a_task_that_ends_with_its_first_point_has_its_best_value_in_the_same_event(
        self, rig: ObjectiveRig
    ) -> None:
        started(rig)
        about = {"task": f"{JOB}-1", "attempt": 1}
        lines = [
            {"e": "metric", "step": step, "epoch": step / 10, "v": {"foo": 1, "val_acc": step}} for step in (10, 20)
        ]
        rig.say(rig.keys()[0], *({**line, **about} for line in lines))
        rig.say(rig.keys()[0], {"e": "ended", "exit": 0, "signal": None, "by": None, **about})
        with rig.db.read() as c:
            before = events.bounds(c)[1]
        rig.settle(1)
        with rig.db.read() as c:
            [task] = [task for event in told(c, before) for task in event.data.get("tasks") or []]
        assert (task["state"], task["best_value"], task["best_epoch"]) == ("finished", 20, 2)
        assert rig.detail().objective_choice.final

    def test_a_validation_loss_is_final(self, rig: ObjectiveRig) -> None:
        started(rig)
        rig.point(1, 1, loss=0.9, val_loss=0.8)
        choice = rig.detail().objective_choice
        assert (choice.final, choice.why) == (True, "the validation loss, chosen from what the tasks report")

    def test_it_is_final_after_the_first_task_has_finished(self, rig: ObjectiveRig) -> None:
        started(rig)
        rig.point(1, 1, loss=0.9)
        rig.end(1)
        assert rig.detail().objective_choice.final
        rig.point(2, 1, val_loss=0.2)
        assert rig.chosen() == ("loss", "min")

    def test_names_that_reveal_nothing_are_listed(self, rig: ObjectiveRig) -> None:
        started(rig)
        rig.point(1, 1, foo=1.0, bar=2.0)
        detail = rig.detail()
        assert detail.objective.metric == ""
        assert detail.objective_choice.why == "not chosen: no name reveals what is better (bar, foo)"

    def test_a_restart_of_the_server_goes_on_with_the_names_from_before(self, rig: ObjectiveRig) -> None:
        started(rig)
        rig.point(1, 1, loss=0.9)
        rig.reopen()
        rig.point(1, 2, acc=0.3)
        assert rig.chosen() == ("acc", "max")
        rig.reopen()
        rig.settle()
        assert rig.chosen() == ("acc", "max")

    def test_a_named_objective_stays(self, rig: ObjectiveRig) -> None:
        started(rig, objective="loss")
        rig.point(1, 1, loss=0.9, val_loss=0.8)
        assert (rig.chosen(), rig.bests()) == (("loss", "min"), [0.9, None])
        assert (rig.detail().objective_choice.by, rig.detail().objective_choice.why) == ("spec", "as submitted")


class TestChange:
    def test_best_values_follow_from_the_stored_points(self, rig: ObjectiveRig) -> None:
        started(rig, objective="loss")
        for step, loss, acc in ((1, 0.9, 0.2), (2, 0.5, 0.8), (3, 0.7, 0.6)):
            rig.point(1, step, loss=loss, val_acc=acc)
        rig.point(2, 1, loss=0.6, val_acc=0.7)
        rig.end(1)
        rig.change("val_acc")
        detail, first = rig.detail(), rig.tasks()[0]
        assert rig.chosen() == ("val_acc", "max")
        assert (first.best_value, first.best_epoch, first.last_value) == (0.8, 2, 0.6)
        assert (detail.best_task, detail.sparkline) == (f"{JOB}-1", [0.2, 0.8, 0.6])
        assert (detail.spec.objective.metric, detail.objective_choice.by) == ("val_acc", "person")
        rig.point(2, 2, loss=0.1, val_acc=0.9)
        assert (rig.bests(), rig.detail().best_task) == ([0.8, 0.9], f"{JOB}-2"), "what comes later counts by it, too"
        rig.change("loss")
        assert (rig.chosen(), rig.bests()) == (("loss", "min"), [0.5, 0.1])

    def test_the_same_as_if_it_had_been_chosen_at_first(self, rig: ObjectiveRig) -> None:
        """Resumed attempts, values that are no numbers, and steps that are no epochs."""
        rig.job(tasks=1, objective="b")
        rig.settle()
        rig.begin(1)
        for step, value in ((0, float("nan")), (100, 3.0), (200, 2.0), (300, 4.0)):
            rig.point(1, step, epoch=step // 100, a=step, b=value)
        wanted = rig.tasks()[0]
        rig.change("a:max")
        assert (rig.tasks()[0].best_value, rig.tasks()[0].best_epoch) == (300, 3)
        rig.change("b")
        found = rig.tasks()[0]
        for name in ("best_value", "best_epoch", "best_at", "last_value"):
            assert getattr(found, name) == getattr(wanted, name), name

    def test_what_moved_since_the_points_were_read_is_computed_again(self, rig: ObjectiveRig) -> None:
        started(rig, 4)
        for number in (1, 2):
            rig.point(number, 1, loss=0.9, acc=number / 10)
            rig.end(number)
        wanted = [Objective(metric="acc", goal=Goal.MAX)]
        with rig.db.read() as c:
            ended = stored.figures_of_ended(c, JOB, wanted)
        rig.point(3, 1, loss=0.5, acc=0.3)
        rig.end(3)
        rig.point(4, 1, loss=0.5, acc=0.4)
        with rig.db.write() as c:
            tasks.restart(c, JOB, [f"{JOB}-1"], failed=False, resume=False)
            stored.change(c, JOB, wanted, ObjectiveChoice(by="person"), ended=ended)
        assert rig.bests() == [None, 0.2, 0.3, 0.4]

    def test_several_objectives(self, rig: ObjectiveRig) -> None:
        started(rig, objective="loss")
        rig.point(1, 1, loss=0.9, acc=0.2)
        rig.point(2, 1, loss=0.5, acc=0.1)
        rig.change("loss", "acc", "seconds")
        assert [task.values for task in rig.tasks()] == [[0.9, 0.2, None], [0.5, 0.1, None]]
        rig.end(1)
        assert rig.tasks()[0].values[2] is not None
        rig.change("acc", "seconds")
        assert [task.values[0] for task in rig.tasks()] == [0.2, 0.1]
        assert rig.tasks()[0].values[1] is not None, "the time that it took, from its attempt"
        rig.change("acc")
        assert [task.values for task in rig.tasks()] == [[], []]

    def test_auto_again(self, rig: ObjectiveRig) -> None:
        started(rig, objective="loss")
        rig.point(1, 1, loss=0.9, val_loss=0.3)
        rig.change("auto")
        assert (rig.chosen(), rig.bests()) == (("val_loss", "min"), [0.3, None])
        assert (rig.detail().spec.objective.metric, rig.detail().objective_choice.final) == ("auto", True)

    def test_what_no_task_reports_is_refused_with_the_metrics_that_there_are(self, rig: ObjectiveRig) -> None:
        started(rig, objective="loss")
        rig.change("val_los")  # nothing is reported yet: it may come
        rig.point(1, 1, loss=0.9, valid_loss=0.3)
        with pytest.raises(
            InvalidInput, match=r"No task has reported val_loss\. Did you mean valid_loss\? There are: loss"
        ):
            rig.change("val_loss")
        rig.change("val_loss", insist=True)
        assert rig.chosen() == ("val_loss", "min")

    def test_a_method_with_one_objective_refuses_several(self, rig: ObjectiveRig) -> None:
        rig.search(
            search={"method": "cmaes", "trials": 5}, objective="loss", params={"lr": "0.1..0.9", "b": "0.1..0.9"}
        )
        with pytest.raises(InvalidInput, match="one objective only"):
            rig.change("loss", "acc", insist=True)
        with pytest.raises(InvalidInput, match="needs a metric"):
            rig.change("")

    def test_a_search_learns_from_the_new_objective(self, rig: ObjectiveRig) -> None:
        rig.search(search={"method": "tpe", "trials": 4}, parallel=1, objective="loss")
        rig.settle()
        rig.finish(1, 0.5, loss=0.9)
        rig.change("val_loss")
        with rig.db.read() as c:
            assert [run.values for run in trials.runs(c, JOB)][:1] == [(0.5,)]
        rig.finish(2, 0.4, loss=0.9)
        assert rig.bests()[:2] == [0.5, 0.4]

    def test_early_stopping_goes_by_the_new_objective(self, rig: ObjectiveRig) -> None:
        started(rig, 3, stop_early={"method": "asha", "min_steps": 1, "eta": 2}, objective="loss")
        rig.point(1, 1, loss=0.1, val_loss=0.9)
        rig.point(2, 1, loss=0.2, val_loss=0.1)
        assert [line["task"] for line in rig.control() if line["op"] == "prune"] == [f"{JOB}-2"]
        rig.change("val_loss")
        rig.point(3, 1, loss=0.01, val_loss=0.95)
        assert f"{JOB}-3" in [line.get("task") for line in rig.control() if line["op"] == "prune"]


def finish_with(rig: ObjectiveRig, numbers: Sequence[int], **values: float) -> None:
    for number in numbers:
        rig.begin(number)
        for step in (1, 2, 3):
            rig.point(number, step, **values)
        rig.end(number)


def notices(rig: ObjectiveRig) -> list[str]:
    return [text for text in rig.detail().warnings if text != "mind the gap"]


class TestMissing:
    def test_a_search_is_held_and_goes_on_with_another_objective(self, rig: ObjectiveRig) -> None:
        rig.search(search={"method": "tpe", "trials": 12}, parallel=1, objective="val_loss")
        rig.settle()
        finish_with(rig, (1, 2), valid_loss=0.5, loss=0.6)
        detail = rig.detail()
        assert (detail.held, detail.counts.total) == (True, 2)
        [notice] = [text for text in detail.warnings if text.startswith("Held: ")]
        assert notice.startswith("Held: no task has reported val_loss. There are: loss, valid_loss. Choose one")
        assert detail.objective_choice.notice == notice
        rig.settle()
        assert len(rig.tasks()) == 2, "it waits"
        rig.change("valid_loss")
        detail = rig.detail()
        assert (detail.held, detail.counts.total) == (False, 3)
        assert not [text for text in detail.warnings if text.startswith("Held: ")]
        finish_with(rig, (3, 4, 5), valid_loss=0.5)
        assert (rig.detail().held, len(rig.tasks())) == (False, 6)

    def test_a_person_who_releases_it_is_not_asked_again(self, rig: ObjectiveRig) -> None:
        rig.search(search={"method": "tpe", "trials": 12}, parallel=1, objective="val_loss")
        rig.settle()
        finish_with(rig, (1, 2), loss=0.6)
        with rig.db.write() as c:
            jobs.hold(c, JOB, held=False)
        rig.settle()
        finish_with(rig, (3, 4), loss=0.6)
        detail = rig.detail()
        assert (detail.held, detail.counts.total) == (False, 5)
        assert not [text for text in detail.warnings if text.startswith("Held: ")]

    def test_a_hold_by_a_person_stays(self, rig: ObjectiveRig) -> None:
        rig.search(search={"method": "tpe", "trials": 12}, parallel=1, objective="loss")
        rig.settle()
        finish_with(rig, (1,), loss=0.6, acc=0.5)
        with rig.db.write() as c:
            jobs.hold(c, JOB)
        rig.change("acc")
        assert rig.detail().held

    def test_early_stopping_does_not_wait_for_the_end(self, rig: ObjectiveRig) -> None:
        started(rig, 3, 1, stop_early={"method": "asha", "min_steps": 2}, objective="val_loss")
        for number in (1, 2, 3):
            rig.point(number, 1, loss=0.5)
        assert not rig.detail().held, "it may come"
        for number in (1, 2, 3):
            rig.point(number, 2, loss=0.5)
        assert rig.detail().held
        assert [task.state for task in rig.tasks()][:3] == [S.RUNNING] * 3, "tasks that run go on"

    def test_there_is_nothing_to_hold_when_all_tasks_run(self, rig: ObjectiveRig) -> None:
        started(rig, 3, stop_early={"method": "asha", "min_steps": 2}, objective="val_loss")
        for number in (1, 2, 3):
            rig.point(number, 2, loss=0.5)
        assert not rig.detail().held

    def test_the_hold_ends_when_the_objective_comes_after_all(self, rig: ObjectiveRig) -> None:
        started(rig, 3, 1, stop_early={"method": "asha", "min_steps": 2}, objective="val_loss")
        for number in (1, 2, 3):
            rig.point(number, 2, loss=0.5)
        assert rig.detail().held
        rig.point(1, 3, val_loss=0.5)
        detail = rig.detail()
        assert (detail.held, detail.objective_choice.notice) == (False, None)

    def test_tasks_that_report_nothing_at_all(self, rig: ObjectiveRig) -> None:
        rig.job(tasks=6, stop_early="median", objective="val_loss")
        rig.settle()
        for number in (1, 2, 3):
            rig.begin(number)
            rig.end(number)
        detail = rig.detail()
        assert detail.held
        assert "nor any other metric: print one" in detail.warnings[0]

    def test_auto_without_a_metric_that_can_be_the_objective(self, rig: ObjectiveRig) -> None:
        rig.search(search={"method": "tpe", "trials": 12}, parallel=1)
        rig.settle()
        finish_with(rig, (1, 2), foo=0.6)
        assert "can be the objective. There are: foo" in rig.detail().warnings[0]
        rig.change("foo:max")
        assert (rig.detail().held, rig.bests()[:2]) == (False, [0.6, 0.6])

    def test_auto_finds_one_and_nothing_is_held(self, rig: ObjectiveRig) -> None:
        rig.search(search={"method": "tpe", "trials": 12}, parallel=1)
        rig.settle()
        finish_with(rig, (1, 2, 3), valid_loss=0.6)
        assert (rig.detail().held, len(rig.tasks()), rig.chosen()) == (False, 4, ("valid_loss", "min"))

    def test_a_grid_without_early_stopping_is_not_held(self, rig: ObjectiveRig) -> None:
        rig.job(tasks=6, objective="val_loss")
        rig.settle()
        finish_with(rig, (1, 2, 3), loss=0.6)
        assert not rig.detail().held

    def test_a_population_that_reports_nothing_is_held(self, rig: ObjectiveRig) -> None:
        rig.job(tasks=6, params=SPACE, search={"method": "pbt", "trials": 6, "interval": 2}, objective="val_loss")
        rig.settle()
        for number in (1, 2, 3):
            rig.begin(number)
            rig.end(number)
        detail = rig.detail()
        assert detail.held
        assert notices(rig) == [detail.objective_choice.notice]

    def test_a_grid_shows_that_its_objective_is_missing_and_the_metrics_that_there_are(self, rig: ObjectiveRig) -> None:
        started(rig, 3, objective="val_loss")
        rig.point(1, 1, valid_loss=0.5, loss=0.6)
        assert notices(rig) == [], "it may come"
        rig.end(1)
        [notice] = notices(rig)
        assert notice.startswith(
            "The objective is missing: no task has reported val_loss. There are: loss, valid_loss."
        )
        rig.point(2, 1, val_loss=0.5)
        assert notices(rig) == [], "it came"
        rig.end(3)
        assert notices(rig) == []

    def test_the_notice_goes_with_another_objective(self, rig: ObjectiveRig) -> None:
        started(rig, 2, objective="val_loss")
        rig.point(1, 1, valid_loss=0.5)
        rig.end(1)
        rig.change("valid_loss")
        assert notices(rig) == []
        rig.change("val_loss", insist=True)
        assert len(notices(rig)) == 1

    def test_values_that_are_no_numbers_are_reported_all_the_same(self, rig: ObjectiveRig) -> None:
        started(rig, 1, objective="val_loss")
        rig.point(1, 1, val_loss=math.nan)
        rig.end(1)
        assert notices(rig) == []

    def test_numbers_in_logs_without_a_metric_are_a_notice_on_the_job(self, rig: ObjectiveRig) -> None:
        started(rig, 2)
        rig.say(rig.keys()[0], {"e": "warning", "task": f"{JOB}-1", "text": NO_METRIC})
        rig.end(1)
        [notice] = notices(rig)
        assert "logs contain numbers: select one" in notice
        assert "--metric-pattern" in notice
        rig.point(2, 1, val_loss=0.5)
        assert notices(rig) == []

    def test_a_job_that_prints_nothing_has_no_notice(self, rig: ObjectiveRig) -> None:
        started(rig, 1)
        rig.end(1)
        assert notices(rig) == []

    def test_nobody_is_pruned_by_a_training_loss_that_may_be_replaced(self, rig: ObjectiveRig) -> None:
        started(rig, 2, stop_early={"method": "asha", "min_steps": 1, "eta": 2})
        rig.point(1, 1, loss=0.1)
        rig.point(2, 1, loss=0.9)
        assert [line for line in rig.control() if line["op"] == "prune"] == []
        rig.point(1, 1, val_loss=0.9)
        rig.point(2, 1, val_loss=0.95)
        assert [line["task"] for line in rig.control() if line["op"] == "prune"] == [f"{JOB}-2"]


def test_a_warm_start_follows_the_objective(rig: ObjectiveRig) -> None:
    """The values of a past job that has another objective now come from its points."""
    rig.search(search={"method": "tpe", "trials": 2}, parallel=1, objective="loss")
    rig.settle()
    rig.finish(1, 0.5, loss=0.9)
    rig.finish(2, 0.4, loss=0.8)
    with rig.db.read() as c:
        facts = rig.engine.context.facts(c, [JOB])[JOB]
        assert [run.values for run in rig.engine._search._past(c, facts, JOB)] == [(0.9,), (0.8,)]
    rig.change("val_loss")
    with rig.db.read() as c:
        assert [run.values for run in rig.engine._search._past(c, facts, JOB)] == [(0.9,), (0.8,)]
        assert [one.best for one in tasks.outlines(c, JOB)] == [0.5, 0.4]
