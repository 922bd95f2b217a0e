"""Chooses the objective of jobs that leave it open (`auto`), and ends a hold when the objective appears."""

from paddock.models import Objective, ObjectiveChoice
from paddock.rules import objective as rule
from paddock.server.engine.context import Context, JobFacts
from paddock.server.store import jobs, objectives
from paddock.server.store.db import Connection
from paddock.server.store.metrics import SYSTEM

CHOOSE = "choose its objective"


class ObjectiveChooser:
    """Looks at jobs again whenever their tasks have reported something new, until the choice is final."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._read: set[str] = set()  # jobs whose earlier metrics were read
        self._begun = False

    def run(self) -> None:
        context = self._context
        if not self._begun:
            with context.db.read() as c:
                context.to_choose |= set(objectives.unchosen(c))
            self._begun = True
        for job in sorted(context.to_choose):
            if not context.boundary.rests(job, CHOOSE):
                context.to_choose.discard(job)
                with context.boundary.job(job, CHOOSE):
                    self._look_at(job)

        for job in sorted(context.unsure):
            if not context.boundary.rests(job, CHOOSE):
                context.unsure.discard(job)
                with context.boundary.job(job, CHOOSE):
                    self._note_unreported(job)

    def _note_unreported(self, job: str) -> None:
        """Show on a job that no finished task has reported its objective, or no longer if one has."""
        with self._context.db.read() as c:
            text, shown = objectives.unreported(c, job), jobs.warning(c, job, rule.UNREPORTED)
        if text != shown:
            with self._context.db.write() as c:
                jobs.change_warning(c, job, rule.UNREPORTED, text)

    def _look_at(self, job: str) -> None:
        with self._context.db.read() as c:
            facts = self._context.newest_facts(c, [job]).get(job)
            if facts is not None and not facts.choice.final:
                found, why, final = self._chosen(c, job)
        if facts is None or facts.choice.final:
            self._forget(job)
            if facts is not None and facts.choice.notice:
                with self._context.db.write() as c:
                    objectives.lift(c, job)
            return
        self._store(facts, found, why, final)

    def _store(self, facts: JobFacts, found: rule.Choice | None, why: str, final: bool) -> None:
        chosen = found.objective if found else Objective(metric="")
        choice = ObjectiveChoice(by="auto", why=why, final=final)
        if chosen == facts.objective and choice == facts.choice.model_copy(update={"held": False, "notice": None}):
            return
        ended = None
        if chosen != facts.objective:
            with self._context.db.read() as c:
                ended = objectives.figures_of_ended(c, facts.id, [chosen])
        with self._context.db.write() as c:
            if jobs.adjustments(c, [facts.id]).get(facts.id) != facts.adjusted:
                self._context.to_choose.add(facts.id)  # a person has changed it a moment ago
                return
            if chosen == facts.objective:
                kept = {"held": facts.choice.held, "notice": facts.choice.notice}
                objectives.describe(c, facts.id, choice.model_copy(update=kept))
            else:
                objectives.change(c, facts.id, [chosen], choice, ended=ended)
        self._context.forget(facts.id)
        self._context.finished.add(facts.id)  # tasks may have finished before
        if final:
            self._forget(facts.id)

    def _forget(self, job: str) -> None:
        self._context.reported.pop(job, None)
        self._read.discard(job)

    def _chosen(self, c: Connection, job: str) -> tuple[rule.Choice | None, str, bool]:
        """Return what to choose, why, and whether that is final."""
        names = self._context.reported.setdefault(job, set())
        if job not in self._read:
            names |= set(objectives.reported(c, job))
            self._read.add(job)
        mine = sorted(name for name in names if not name.startswith(SYSTEM))
        found = rule.choose(mine)
        finished, done, epochs = objectives.progress(c, job)
        final = rule.is_final(found, finished=finished, done=done, epochs=epochs)
        if found is not None:
            return found, found.why + ("" if final else "; it may change until a task has finished"), final
        if not mine:
            return None, jobs.UNCHOSEN.why, False
        return None, f"not chosen: no name reveals what is better ({rule.listed(mine)})", False
