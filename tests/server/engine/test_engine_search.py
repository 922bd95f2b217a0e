"""Test searches in the engine, with a scripted backend and scripted runners."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from paddock.errors import Conflict, InvalidInput
from paddock.models import ExtendRequest, Params, Task
from paddock.models import TaskState as S
from paddock.paths import Home
from paddock.search import expand
from paddock.search.history import by_trial
from paddock.search.tasks import NewTask
from paddock.server.engine import limits, search
from paddock.server.engine.context import Context
from paddock.server.engine.executors import own_thread
from paddock.server.intake import extension
from paddock.server.store import jobs, tasks, trials
from paddock.settings import Settings
from tests.server.engine.engine_rig import JOB, Rig, rigged
from tests.server.store.given import add_job

SPACE = {"lr": "1e-4..1:log", "units": "8..64"}


class SearchRig(Rig):
    def search(self, job: str = JOB, params: dict[str, Any] | None = None, **spec: Any) -> None:
        """A job that begins without tasks."""
        folder = self.home.job(job)
        folder.claims.mkdir(parents=True)
        given = {"command": "echo {lr}", "resources": {"backend": "fake"}, "params": params or SPACE} | spec
        add_job(self.db, job, configurations=[], **given)
        with self.db.write() as c:
            row = jobs.launchable(c, [job])[job]
            trials.go_on(c, job, row.spec, row.search_until, searching=True)

    def settle(self, rounds: int = 4) -> None:
        """Rounds, with all advice in between."""
        for _ in range(rounds):
            self.step(1)
            self.engine._search._executor.submit(lambda: None).result(120)
        self.step(2)

    def tasks(self, job: str = JOB) -> list[Task]:
        with self.db.read() as c:
            return tasks.page(c, job).items

    def begin(self, number: int, attempt: int = 1) -> None:
        task = f"{JOB}-{number}"
        self.say(self.keys()[0], {"e": "runner"}, {"e": "started", "task": task, "attempt": attempt, "pid": number})
        self.settle(1)

    def report(self, number: int, *values: float, first: int = 1, attempt: int = 1, **more: Any) -> None:
        lines = [
            {
                "e": "metric",
                "task": f"{JOB}-{number}",
                "attempt": attempt,
                "step": step,
                "v": {"val_loss": value, **more},
            }
            for step, value in enumerate(values, start=first)
        ]
        for line in lines:  # each a moment after the one before, over all tasks
            self.clock = getattr(self, "clock", 2e9) + 1
            self.say(self.keys()[0], {**line, "at": self.clock})
        self.settle(1)

    def end(self, number: int, attempt: int = 1, **ended: Any) -> None:
        record = {"e": "ended", "exit": 0, "signal": None, "by": None} | ended
        self.say(self.keys()[0], {**record, "task": f"{JOB}-{number}", "attempt": attempt})
        self.settle(1)

    def finish(self, number: int, value: float, **more: Any) -> None:
        self.begin(number)
        self.report(number, value, **more)
        self.end(number)

    def extend(self, **more: Any) -> None:
        extension.extend(self.db, JOB, ExtendRequest(**more), self.settings)
        self.settle()


@pytest.fixture
def rig(home: Home, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SearchRig]:
    with rigged(SearchRig, home, settings, monkeypatch) as made:
        yield made


class TestSuggestions:
    def test_as_many_as_run_at_a_time_then_one_for_each_that_ends(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 5}, parallel=2)
        rig.settle()
        assert [task.id for task in rig.tasks()] == [f"{JOB}-1", f"{JOB}-2"]
        assert not any(line.get("end") for line in rig.lines())
        for number in range(1, 6):
            rig.finish(number, 0.1 * number)
        detail = rig.detail()
        assert (detail.counts.finished, detail.searching, detail.ended, detail.to_come) == (5, False, True, 0)
        assert rig.lines()[-1] == {"end": True}
        rig.settle()
        assert len(rig.tasks()) == 5

    def test_no_wider_than_the_backend(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 50})
        rig.settle()
        assert len(rig.tasks()) == rig.backend.slots
        assert (rig.detail().to_come, rig.detail().ended) == (46, False)

    def test_after_a_crash_the_same_ones_come(self, rig: SearchRig, home: Home) -> None:
        rig.search(search={"method": "tpe", "trials": 12, "seed": 3}, parallel=2)
        rig.settle()
        for number in range(1, 9):
            rig.finish(number, 1.0 / number)
            if number % 2:
                rig.reopen()
                rig.settle(1)
        found = [task.params for task in rig.tasks()]
        assert len(found) == 10
        assert len({json.dumps(params) for params in found}) == 10
        with rig.db.read() as c:
            facts = rig.engine.context.facts(c, [JOB])[JOB]
        again = search.SearchWorker(rig.engine.context, lambda: None, own_thread("search"))
        with rig.db.write() as c:  # as it was before the last of them was suggested
            c.exec_driver_sql(f"DELETE FROM tasks WHERE id = '{JOB}-10'")
        advice = again._suggest(facts, 1)
        again.close()
        assert (advice.configurations, advice.first_trial) == ([found[9]], 10)

    def test_a_held_job_gets_none_until_it_is_released(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 8}, parallel=1)
        with rig.db.write() as c:
            jobs.hold(c, JOB)
        rig.settle()
        assert rig.tasks() == []
        assert not rig.detail().ended
        with rig.db.write() as c:
            jobs.hold(c, JOB, held=False)
        rig.settle()
        assert len(rig.tasks()) == 1

    def test_what_was_suggested_before_it_was_held_is_suggested_again(self, rig: SearchRig) -> None:
        rig.search(params={"lr": "1,2"}, search={"method": "tpe", "trials": 8}, parallel=4)
        with rig.db.read() as c:
            facts = rig.engine.context.facts(c, [JOB])[JOB]
        worker = rig.engine._search
        advice = worker._suggest(facts, 4)
        assert (len(advice.configurations), advice.over) == (2, "every configuration has been tried")
        with rig.db.write() as c:
            jobs.hold(c, JOB)
        worker._carry_out(advice)
        assert (rig.tasks(), rig.detail().searching) == ([], True)
        with rig.db.write() as c:
            jobs.hold(c, JOB, held=False)
        rig.settle()
        assert (len(rig.tasks()), rig.detail().searching) == (2, False)

    def test_what_was_suggested_before_it_was_ended_is_not_added(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 8}, parallel=1)
        with rig.db.read() as c:
            facts = rig.engine.context.facts(c, [JOB])[JOB]
        advice = rig.engine._search._suggest(facts, 1)
        with rig.db.write() as c:
            trials.end(c, JOB, "stopped")
        rig.engine._search._carry_out(advice)
        assert (rig.tasks(), rig.detail().ended) == ([], True)

    def test_an_allocation_that_waits_is_kept_for_the_next_task(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 9}, parallel=3)
        rig.settle()
        rig.backend.run(f"id-{JOB}-a1.0")
        for number in range(1, 7):
            rig.finish(number, 1.0)
        assert (rig.backend.cancelled, len(rig.backend.batches)) == ([], 1)
        for number in range(7, 10):
            rig.finish(number, 1.0)
        assert sorted(rig.backend.withdrawn) == [f"id-{JOB}-a1.1", f"id-{JOB}-a1.2"]

    def test_a_small_space_ends_when_all_was_tried(self, rig: SearchRig) -> None:
        rig.search(params={"lr": "1,2,3"}, search={"method": "tpe", "trials": 50})
        rig.settle()
        for number in (1, 2, 3):
            rig.finish(number, float(number))
        detail = rig.detail()
        assert (detail.counts.finished, detail.ended) == (3, True)
        assert detail.warnings[-1] == "The search has ended: every configuration has been tried"

    def test_one_in_which_all_fail_ends(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 50}, parallel=1)
        rig.settle()
        for number in range(1, search.FAILURES + 1):
            rig.begin(number)
            rig.end(number, exit=1, cause="user_error", reason="no such file")
        detail = rig.detail()
        assert (detail.counts.error, detail.ended) == (search.FAILURES, True)
        assert "its first 10 tasks have all failed" in detail.warnings[-1]

    def test_the_time_budget(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "time_budget": "1h"}, parallel=2)
        rig.settle()
        assert (len(rig.tasks()), rig.detail().to_come) == (2, None)
        rig.begin(1)
        rig.step(seconds=3700)
        rig.settle()
        assert [task.state for task in rig.tasks()] == [S.RUNNING, S.STOPPED]
        rig.end(1)
        detail = rig.detail()
        assert (len(rig.tasks()), detail.ended, detail.counts.finished) == (2, True, 1)
        assert "The search has ended: its time budget is over" in detail.warnings

    def test_a_grid_has_a_time_budget_too(self, rig: SearchRig) -> None:
        ids = rig.job(tasks=3, search={"method": "grid", "time_budget": 60})
        rig.settle(1)
        rig.begin(1)
        rig.step(seconds=61)
        rig.settle(1)
        assert [rig.task(one).state for one in ids] == [S.RUNNING, S.STOPPED, S.STOPPED]

    def test_each_configuration_several_times(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 3, "repeat": 2, "seed": 7}, parallel=4)
        rig.settle()
        found = rig.tasks()
        assert [task.trial for task in found] == [1, 1, 2, 2]
        assert found[0].params == found[1].params != found[2].params
        seeds = {line["task"]: line["env"]["PADDOCK_SEED"] for line in rig.lines() if "task" in line}
        assert [seeds[task.id] for task in found] == ["7", "8", "7", "8"]
        for number, value in enumerate((1.0, 3.0, 5.0, 5.0), start=1):
            rig.finish(number, value)
        assert [task.trial for task in rig.tasks()] == [1, 1, 2, 2, 3, 3]
        with rig.db.read() as c:
            assert len(by_trial(trials.runs(c, JOB))) == 3


class TestExtension:
    def test_a_search_that_is_over_goes_on(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 2}, parallel=1)
        rig.settle()
        rig.finish(1, 1.0)
        rig.finish(2, 2.0)
        assert rig.detail().ended
        rig.extend(trials=1)
        assert (len(rig.tasks()), rig.detail().ended) == (3, False)
        rig.finish(3, 1.0)
        assert rig.detail().ended

    def test_while_the_engine_is_about_to_end_it(self, rig: SearchRig, monkeypatch: pytest.MonkeyPatch) -> None:
        """It knows the plan from before, and must not end the search by it."""
        rig.search(search={"method": "tpe", "trials": 2}, parallel=1)
        rig.settle()
        rig.finish(1, 1.0)
        rig.finish(2, 2.0)
        real = limits.adjust

        def extended(context: Context) -> None:
            monkeypatch.setattr(limits, "adjust", real)
            real(context)
            extension.extend(rig.db, JOB, ExtendRequest(trials=1), rig.settings)

        monkeypatch.setattr(limits, "adjust", extended)
        rig.settle()
        assert (len(rig.tasks()), rig.detail().ended) == (3, False)

    def test_what_ended_it_is_no_longer_true(self, rig: SearchRig) -> None:
        rig.search(params={"lr": "1,2"}, search={"method": "tpe", "trials": 9})
        rig.settle()
        assert "The search has ended: every configuration has been tried" in rig.detail().warnings
        rig.extend(params={"lr": "1,2,3"})
        assert len(rig.tasks()) == 3
        rig.finish(3, 1.0)
        assert rig.detail().warnings[-1] == "The search has ended: every configuration has been tried"
        assert len(rig.detail().warnings) == 2

    def test_from_now_on_within_narrower_values(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 1}, parallel=1)
        rig.settle()
        rig.finish(1, 1.0)
        rig.extend(trials=8, params={"units": "60..64", "lr": "0.5,0.6"})
        for number in range(2, 10):
            rig.finish(number, 1.0 / number)
        later = [task.params for task in rig.tasks()[1:]]
        assert len(later) == 8
        assert all(60 <= one["units"] <= 64 and one["lr"] in (0.5, 0.6) for one in later)  # type: ignore[operator]

    def test_a_grid_with_more_values(self, rig: SearchRig) -> None:
        rig.job(tasks=2, configurations=[{"lr": 1}, {"lr": 2}], params={"lr": "1,2"}, search="grid")
        rig.extend(params={"lr": "1,2,3,4"})
        assert [task.params for task in rig.tasks()] == [{"lr": n} for n in (1, 2, 3, 4)]
        assert [task.trial for task in rig.tasks()] == [1, 2, 3, 4]
        with pytest.raises(InvalidInput, match="has all these configurations"):
            rig.extend(params={"lr": "1,2"})
        with pytest.raises(InvalidInput, match="grid runs all"):
            rig.extend(trials=3)

    def test_a_random_search_of_an_earlier_version_gets_as_many_more_as_asked_for(self, rig: SearchRig) -> None:
        """That version drew other configurations with the same seed."""
        before: list[Params] = [{"lr": lr} for lr in (0.11, 0.22, 0.33)]
        rig.job(tasks=3, configurations=before, params={"lr": "0..0.5"}, search={"method": "random", "trials": 3})
        rig.extend(trials=2)
        assert [task.params for task in rig.tasks()[:3]] == before
        assert len(rig.tasks()) == 5
        rig.extend(time_budget=3600)
        assert len(rig.tasks()) == 5

    def test_what_makes_no_sense_is_refused(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 2})
        with pytest.raises(InvalidInput, match="Nothing is given"):
            rig.extend()
        with pytest.raises(InvalidInput, match="no parameter momentum"):
            rig.extend(params={"momentum": "1,2"})
        rig.search("other", search={"method": "pbt", "trials": 4})
        with pytest.raises(Conflict, match="side by side"):
            extension.extend(rig.db, "other", ExtendRequest(trials=1), rig.settings)

    def test_others_write_while_it_is_worked_out_and_what_changed_meanwhile_counts(
        self, rig: SearchRig, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rig.job(configurations=[{"lr": 1}], params={"lr": [1]})
        times = iter(range(100))

        def meanwhile(*given: Any) -> list[Params]:
            if next(times) == 0:
                with rig.db.write() as c:  # nobody is kept from it
                    trials.add(c, JOB, [NewTask({"lr": 2}, None, 2)])
            return expand(*given)

        monkeypatch.setattr(extension, "expand", meanwhile)
        extension.extend(rig.db, JOB, ExtendRequest(params={"lr": [1, 2, 3]}), rig.settings)
        assert [(task.number, task.params, task.trial) for task in rig.tasks()] == [
            (1, {"lr": 1}, 1),
            (2, {"lr": 2}, 2),
            (3, {"lr": 3}, 3),
        ]

    def test_a_job_that_always_changes_is_not_extended(self, rig: SearchRig, monkeypatch: pytest.MonkeyPatch) -> None:
        rig.job(configurations=[{"lr": 1}], params={"lr": [1]})
        numbers = iter(range(1, 1000))
        monkeypatch.setattr(trials, "version", lambda c, job: (next(numbers), 0))
        with pytest.raises(Conflict, match="added tasks each time"):
            extension.extend(rig.db, JOB, ExtendRequest(params={"lr": [1, 2]}), rig.settings)
        assert len(rig.tasks()) == 1


class TestEarlyStopping:
    def test_one_that_is_not_promising_is_pruned_once(self, rig: SearchRig) -> None:
        rig.job(tasks=3, stop_early={"method": "asha", "min_steps": 1, "max_steps": 9})
        rig.settle(1)
        for number in (1, 2, 3):
            rig.begin(number)
        rig.report(1, 0.5, 0.4)
        rig.report(2, 0.9)
        assert [line for line in rig.control() if line["op"] == "prune"] == [
            {"op": "prune", "task": f"{JOB}-2", "attempt": 1}
        ]
        rig.report(3, 0.3)
        rig.reopen()
        rig.settle()
        assert sum(line["op"] == "prune" for line in rig.control()) == 1
        rig.end(2, exit=None, signal=15, by="prune")
        assert [task.state for task in rig.tasks()] == [S.RUNNING, S.PRUNED, S.RUNNING]
        assert rig.task(f"{JOB}-2").reason == "stopped early: too far behind at step 1 (asha)"

    def test_one_that_a_person_starts_again_runs_to_its_end(self, rig: SearchRig) -> None:
        ids = rig.job(tasks=2, stop_early={"method": "asha", "min_steps": 1, "max_steps": 9})
        rig.settle(1)
        rig.begin(1)
        rig.begin(2)
        rig.report(1, 0.5)
        rig.report(2, 0.9)
        rig.end(2, exit=None, signal=15, by="prune")
        with rig.db.write() as c:
            tasks.restart(c, JOB, [ids[1]], failed=False, resume=True)
        rig.settle(1)
        rig.begin(2, attempt=2)
        rig.report(2, 0.8, first=2, attempt=2)
        rig.report(1, 0.4, first=2)
        rig.settle()
        assert sum(line["op"] == "prune" for line in rig.control()) == 1

    def test_without_the_metric_nothing_is_pruned(self, rig: SearchRig) -> None:
        rig.job(tasks=3, stop_early={"method": "asha", "min_steps": 1})
        rig.settle(1)
        rig.begin(1)
        rig.begin(2)
        rig.report(1, 0.5)
        rig.say(rig.keys()[0], {"e": "metric", "task": f"{JOB}-2", "step": 1, "v": {"loss": 9.0}})
        rig.settle()
        assert rig.control() == []

    def test_a_slot_that_is_freed_gets_the_next_configuration(self, rig: SearchRig) -> None:
        rig.search(search={"method": "tpe", "trials": 9}, parallel=2, stop_early={"method": "asha", "min_steps": 1})
        rig.settle()
        rig.begin(1)
        rig.begin(2)
        rig.report(1, 0.5)
        rig.report(2, 0.9)
        rig.end(2, exit=None, signal=15, by="prune")
        assert [task.state for task in rig.tasks()] == [S.RUNNING, S.PRUNED, S.SUBMITTED]


class TestPopulation:
    def population(self, rig: SearchRig) -> None:
        configurations = [{"lr": 0.01 * n, "units": 8 * n} for n in range(1, 5)]
        rig.job(
            tasks=4,
            configurations=configurations,
            params=SPACE,
            search={"method": "pbt", "trials": 4, "interval": 2, "seed": 1},
        )
        rig.settle(1)
        for number in range(1, 5):
            rig.begin(number)
        for number in range(1, 5):
            rig.report(number, 1.0 * number, 1.0 * number)

    def test_the_worst_goes_on_from_the_best_with_other_parameters(self, rig: SearchRig) -> None:
        self.population(rig)
        assert rig.control() == [{"op": "follow", "task": f"{JOB}-4", "attempt": 1}]
        before = rig.task(f"{JOB}-4").params
        rig.end(4, exit=None, signal=15, by="follow")
        task = rig.task(f"{JOB}-4")
        assert (task.state, task.attempt) == (S.SUBMITTED, 2)
        assert task.params != before
        [line] = [line for line in rig.lines() if line.get("attempt") == 2]
        assert (line["from"], line["resume"], line["params"]) == (f"{JOB}-1", True, task.params)
        first, second = rig.attempts(f"{JOB}-4")
        assert (first.state, first.params, first.source) == (S.PRUNED, before, None)
        assert first.reason == f"continues from {JOB}-1 at step 2"
        assert (second.source, second.source_step, second.params) == (f"{JOB}-1", 2.0, task.params)
        with rig.db.read() as c:
            [move] = trials.moves(c, JOB)
        assert (move.task, move.source, move.before, move.after) == (task.id, f"{JOB}-1", before, task.params)

    def test_at_the_same_interval_only_once(self, rig: SearchRig) -> None:
        self.population(rig)
        rig.reopen()
        rig.settle()
        rig.end(4, exit=None, signal=15, by="follow")
        rig.begin(4, attempt=2)
        rig.report(4, 9.0, first=2, attempt=2)
        assert len(rig.control()) == 1
        rig.report(4, 9.0, 9.0, first=3, attempt=2)
        for number in (1, 2, 3):
            rig.report(number, 1.0 * number, 1.0 * number, first=3)
        assert [line["attempt"] for line in rig.control()] == [1, 2]

    def test_an_order_whose_reason_was_lost_costs_nothing(self, rig: SearchRig) -> None:
        """The server died after the order was written, and before it was in the database."""
        self.population(rig)
        rig.end(3, exit=None, signal=15, by="follow")
        task = rig.task(f"{JOB}-3")
        assert (task.state, task.attempt, task.params) == (S.SUBMITTED, 2, {"lr": 0.03, "units": 24})

    def test_where_not_all_run_at_the_same_time_they_take_turns(self, rig: SearchRig) -> None:
        configurations: list[Params] = [{"lr": 0.01 * n, "units": 8 * n} for n in range(1, 5)]
        rig.job(configurations=configurations, params=SPACE, search={"method": "pbt", "trials": 4, "interval": 2})
        rig.settle(1)
        rig.begin(1)
        rig.report(1, 1.0)
        assert rig.control() == []
        rig.report(1, 1.0, first=2)
        assert rig.control() == [{"op": "follow", "task": f"{JOB}-1", "attempt": 1}]
        rig.end(1, exit=None, signal=15, by="follow")
        task = rig.task(f"{JOB}-1")
        assert (task.state, task.attempt, task.params) == (S.SUBMITTED, 2, configurations[0])
        [line] = [line for line in rig.lines() if line.get("attempt") == 2]
        assert (line["resume"], "from" in line) == (True, False)
        for number in (2, 3, 4):
            rig.begin(number)
        rig.begin(1, attempt=2)
        rig.report(1, 1.0, 1.0, first=3, attempt=2)
        assert len(rig.control()) == 1, "all of them run now"

    def test_one_that_waits_for_its_turn_is_compared_with(self, rig: SearchRig) -> None:
        self.population(rig)
        rig.end(1, by="shutdown", cause="preempted", exit=None, signal=15)
        assert rig.task(f"{JOB}-1").state is S.SUBMITTED
        rig.report(2, 2.0, 2.0, first=3)
        rig.report(3, 3.0, 3.0, first=3)
        assert rig.control()[0] == {"op": "follow", "task": f"{JOB}-4", "attempt": 1}

    def test_a_stop_is_a_stop(self, rig: SearchRig) -> None:
        self.population(rig)
        with rig.db.write() as c:
            tasks.request_stop(c, JOB, [f"{JOB}-4"])
        rig.end(4, exit=None, signal=15, by="follow")
        assert rig.task(f"{JOB}-4").state is S.STOPPED


class TestSeveralObjectives:
    def test_the_best_of_each(self, rig: SearchRig) -> None:
        rig.job(tasks=1, objective=["val_loss", "acc:max", "seconds"])
        rig.settle(1)
        rig.begin(1)
        rig.report(1, 0.5, acc=0.7)
        rig.report(1, 0.6, first=2, acc=0.8)
        rig.say(
            rig.keys()[0], {"e": "ended", "task": f"{JOB}-1", "exit": 0, "signal": None, "by": None, "at": 2e9 + 30}
        )
        rig.settle(1)
        assert rig.task(f"{JOB}-1").values == [0.5, 0.8, 30.0]

    def test_a_time_that_the_script_reports_is_that(self, rig: SearchRig) -> None:
        rig.job(tasks=1, objective=["val_loss", "seconds"])
        rig.settle(1)
        rig.begin(1)
        rig.report(1, 0.5, seconds=1000.0)
        rig.end(1)
        assert rig.task(f"{JOB}-1").values == [0.5, 1000.0]
