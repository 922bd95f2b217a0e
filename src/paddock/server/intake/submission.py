"""Turn a spec and its files into a job: check, preview, accept."""

import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from paddock.errors import InvalidInput, NotFound, PaddockError
from paddock.models import CodeInfo, Interpreter, JobSpec, Node, Params, Preview, ScriptReport, TaskState, Traits
from paddock.models.resources import HostsResources
from paddock.models.spec import AUTO
from paddock.paths import Home, open_to, write_once
from paddock.program import commands, environment, notebook
from paddock.rules import access, placement
from paddock.rules.varying import varying
from paddock.runner import reporting
from paddock.search import adaptive, trials_at_once
from paddock.search.tasks import key_of, new_tasks
from paddock.server.intake import checks, defaults, masks, planning, preflight, snapshot
from paddock.server.outposts.person import JobSite
from paddock.server.outposts.registry import Outposts
from paddock.server.store import jobs, rules, trials
from paddock.server.store.db import Connection, Database
from paddock.server.store.sight import EVERYTHING, Sight
from paddock.settings import Settings

SHOWN = 1000
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # no letters that look like others


@dataclass(frozen=True)
class Submitter:
    """Who submits: which jobs they see, and may take files, results and variables from."""

    name: str
    sight: Sight = EVERYTHING
    alone: bool = True  # there are no accounts: all jobs are theirs
    workbench: environment.Workbench | None = None  # where their Python is looked for and tried; None: as the server


@dataclass(frozen=True)
class Plan:
    """A submission that can be carried out."""

    spec: JobSpec
    files: dict[str, bytes]
    script: ScriptReport | None
    interpreter: Interpreter
    configurations: list[Params]  # all, or the first ones of a search that chooses them as results come in
    warnings: list[str]

    def command(self, number: int, params: Params, job: str, code: str) -> commands.Command:
        return commands.build(
            self.spec,
            self.script,
            params,
            job=job,
            task=f"{job}-{number}",
            code_dir=code,
            interpreter=self.interpreter.argv,
        )

    @property
    def adaptive(self) -> bool:
        return adaptive(self.spec.search)

    @property
    def count(self) -> int | None:
        """Return the number of tasks; None if the time budget alone limits it."""
        trials = self.spec.search.trials if self.adaptive else len(self.configurations)
        return None if trials is None else trials * self.spec.search.repeat

    @property
    def at_once(self) -> int:
        """Return how many tasks wait or run at the same time, at most."""
        if not self.adaptive:
            return len(self.configurations) * self.spec.search.repeat
        return trials_at_once(self.spec) * self.spec.search.repeat

    def preview(self, home: Home) -> Preview:
        code = str(home.job("JOB").code)
        shown = self.configurations[:SHOWN]
        return Preview(
            spec=self.spec,
            count=self.count,
            adaptive=self.adaptive,
            columns=varying(self.configurations),
            tasks=shown,
            commands=[self.command(n, params, "JOB", code).argv for n, params in enumerate(shown, start=1)],
            script=self.script,
            warnings=self.warnings,
            backend=self.spec.resources.backend or "",
        )


def check(
    given: JobSpec,
    files: snapshot.Files,
    settings: Settings,
    db: Database,
    backends: Mapping[str, tuple[Sequence[Node], Traits]],
    by: Submitter,
) -> Plan:
    """Return what a submission would do, with all defaults filled in. Raise InvalidInput with the fields at fault.

    Submissions are checked nowhere else. `backends` contains, by name, the nodes as last seen and the traits.
    """
    resources = defaults.resolve(given.resources, settings)
    backend = resources.backend or settings.backend
    if backend not in backends:
        raise InvalidInput.at("resources.backend", f"there is no backend {backend!r}; there are: {', '.join(backends)}")

    def variables(job: str) -> dict[str, str]:
        with db.read() as c:
            found = jobs.find(c, job, by.sight)
            if not by.alone and found.owner != by.name:  # the job would show them, whatever else it may show
                raise NotFound(f"Job {found.id} is of {found.owner}.")
            return JobSpec.model_validate(jobs.get(c, found.id).spec).environment.variables

    kind = settings.every_backend[backend].kind
    if kind != "hosts":  # `other_kind` reports that it has no effect
        resources = resources.model_copy(update={"hosts": HostsResources()})
    checks.pod_image(resources, backend, kind)
    if kind == "slurm":
        checks.partitions(resources, backends[backend][0], _judge(backend, settings, db, by))
    spec = masks.filled(given.model_copy(update={"resources": resources}), variables)
    made = plan(spec, files, settings, *backends[backend], by.workbench)
    ignored = checks.other_kind(given.resources, backend, kind)
    return _with_past(replace(made, warnings=[*made.warnings, *ignored]), db, by.sight)


def _judge(
    backend: str, settings: Settings, db: Database, by: Submitter
) -> Callable[[frozenset[str]], access.AccessVerdict]:
    """Return what the rules say now about running on some partitions of a backend."""
    with db.read() as c:
        stored, person, now = rules.worded(c), rules.people(c)[by.name], db.clock.now()

    def judge(names: frozenset[str]) -> access.AccessVerdict:
        target = access.AccessTarget("", backend, "", names)
        return access.judge(stored, person, target, "run", (now, now), default=settings.team.access == "open")

    return judge


def plan(
    spec: JobSpec,
    files: snapshot.Files,
    settings: Settings,
    nodes: Sequence[Node],
    traits: Traits,
    on: environment.Workbench | None = None,
) -> Plan:
    """Check all that needs neither the database nor a process. Raise InvalidInput with the fields at fault."""
    kept = snapshot.checked(files, settings.upload)
    spec = _named(checks.script_or_command(spec, kept))
    checks.workdir(spec)
    kept, notes = planning.with_program(spec.script, kept)
    script = notebook.script_name(spec.script) if spec.script else None
    source, beside = (kept[script], planning.relevant(kept, script)) if script else (None, {})
    found = planning.plan(planning.PlanInput(spec, source, settings.max_tasks, frozenset(kept), beside))
    spec, report = found.spec, found.script
    placement.refuse_impossible(spec.resources, nodes, traits)
    checks.sizes(spec.resources, nodes, traits)
    checks.keep_size(spec)
    spec = checks.on_one_host(spec, kept, nodes, traits)
    checks.launcher(spec.resources)
    checks.terminal(spec)
    checks.reduce(spec)
    notes = [*notes, *checks.container(spec)]
    return Plan(
        spec=spec,
        files=kept,
        script=report,
        interpreter=environment.find(spec.environment, settings.python, on, spec.resources.container),
        configurations=found.configurations,
        warnings=[*notes, *(report.warnings if report else []), *checks.without_effect(spec.resources, nodes, traits)],
    )


def _with_past(made: Plan, db: Database, sight: Sight) -> Plan:
    """Look up the jobs of a warm start, and leave out what they have finished with the same code."""
    given = made.spec.search.warm_start
    if not given:
        return made
    with db.read() as c:
        past = [_past(c, text, sight) for text in given]
        digest = snapshot.digest(made.files)
        done = [run for job in past if job.digest == digest for run in trials.runs(c, job.id)]
    ids = [job.id for job in past]
    made = replace(made, spec=_same_objective(made.spec, past))
    search = made.spec.search.model_copy(update={"warm_start": ids})
    made = replace(made, spec=made.spec.model_copy(update={"search": search}))
    if made.adaptive:
        return made
    known = {key_of(run.params, made.spec.params) for run in done if run.state is TaskState.FINISHED}
    left = [params for params in made.configurations if key_of(params, made.spec.params) not in known]
    gone = len(made.configurations) - len(left)
    if not left:
        message = f"the jobs of the warm start ({', '.join(ids)}) have run all {gone} configurations with this code"
        raise InvalidInput.at("search.warm_start", f"{message}: leave them out to run them again")
    note = f"{gone} configurations are left out: the jobs of the warm start have run them with this code."
    return replace(made, configurations=left, warnings=[*made.warnings, *([note] if gone else [])])


def _past(c: Connection, text: str, sight: Sight) -> jobs.JobRow:
    try:
        return jobs.get(c, jobs.resolve(c, text, sight))
    except PaddockError as error:
        raise InvalidInput.at("search.warm_start", error.message) from None


def _same_objective(spec: JobSpec, past: Sequence[jobs.JobRow]) -> JobSpec:
    """Return the spec with the objective of past jobs if it leaves that open. Raise InvalidInput if they differ."""
    if spec.objective.metric == AUTO and past[0].metric:
        spec = spec.with_objectives(past[0].job_spec().objectives)
    for job in past:
        if job.objective() != spec.objective and (job.metric or spec.objective.metric != AUTO):
            was = f"was about {job.metric} ({job.goal})" if job.metric else "has no objective"
            message = f"job {job.id} {was}, not {spec.objective.metric}: `paddock objective {job.id} METRIC` changes it"
            raise InvalidInput.at("search.warm_start", message, "A warm start needs the same objective")
    return spec


def accept(
    made: Plan,
    code: CodeInfo,
    owner: str,
    home: Home,
    db: Database,
    settings: Settings,
    *,
    force: bool = False,
    outposts: Outposts | None = None,
    site: JobSite | None = None,
    tried: bool = True,
) -> str:
    """Write the folder, try the environment, and store the job, or leave nothing behind; return the id of the job.

    `force`: also if the environment lacks modules. `site`: where its folder is, through `outposts`; None: here.
    `tried` false: nothing is started for it, as nothing of it will really run.

    Trying the environment runs the set-up lines of the submission, so it comes after all other checks.
    """
    job = "".join(secrets.choice(_ALPHABET) for _ in range(8))
    incoming = home.incoming / job
    away = outposts.establish(job, site) if outposts and site and site.workbench else None
    try:
        _lay_down(made, incoming, masks.masked(made.spec, job) if settings.group else made.spec)
        if settings.group:
            open_to(incoming, settings.group)
        on = away.person if away else None
        interpreter, notes = made.interpreter, list[str]()
        if tried:
            interpreter, notes = preflight.tried(made, settings.check_seconds, force=force, on=on)
        if made.script and "report" in made.script.metrics and not interpreter.has_paddock:
            _lay_down_report(incoming, settings.group)
        incoming.rename(home.job(job).root)
        if away:
            away.lay_down()
    except BaseException:
        shutil.rmtree(incoming, ignore_errors=True)
        _abandon(home, job, outposts)
        raise
    where: dict[str, str | None] = {"unix_name": away.user, "folder": str(away.folder.root)} if away else {}
    where |= {"fleet": site.fleet} if site and site.fleet else {}
    new = _new_job(made, job, owner, code, interpreter, notes, db.clock.now(), where)
    try:
        with db.write() as c:
            jobs.insert(c, new)
    except BaseException:
        _abandon(home, job, outposts)
        raise
    return job


def _new_job(
    made: Plan,
    job: str,
    owner: str,
    code: CodeInfo,
    interpreter: Interpreter,
    notes: list[str],
    now: float,
    where: Mapping[str, str | None],
) -> jobs.NewJob:
    return jobs.NewJob(
        id=job,
        owner=owner,
        spec=made.spec,
        script=made.script,
        code=code.model_copy(update={"files": len(made.files), "bytes": sum(map(len, made.files.values()))}),
        interpreter=interpreter,
        tasks=[] if made.adaptive else new_tasks(made.spec, made.script, made.configurations, 1),
        warnings=[*made.warnings, *notes],
        digest=snapshot.digest(made.files),
        program=program_of(made),
        searching=made.adaptive,
        created_at=now,
        **where,
    )


def _abandon(home: Home, job: str, outposts: Outposts | None) -> None:
    """Remove what there is of a job that was not accepted."""
    shutil.rmtree(home.job(job).root, ignore_errors=True)
    away = outposts.away(job) if outposts else None
    if away and outposts:
        away.abandon()
        outposts.forget(job)


def program_of(made: Plan) -> str:
    """Return the key of packings: the hash of the script alone, or of a command with all its files."""
    script = made.spec.script
    if script is not None and script in made.files:
        return snapshot.digest({script: made.files[script]})
    return snapshot.digest({**made.files, "\0command": (made.spec.command or "").encode()})


def _lay_down(made: Plan, folder: Path, shown: JobSpec) -> None:
    folder.mkdir(mode=0o700)
    snapshot.lay_down(made.files, folder / "code")
    for name in ("claims", "allocations", "results"):
        (folder / name).mkdir()
    write_once(folder / "job.json", shown.model_dump_json(indent=1))


def _lay_down_report(folder: Path, group: str | None) -> None:
    package = folder / "lib" / "paddock"
    package.mkdir(parents=True)
    source = Path(reporting.__file__)
    for name, copied in (("__init__", source), ("reporting", source), ("elastic", source.with_name("elastic.py"))):
        shutil.copyfile(copied, package / f"{name}.py")
    if group:
        open_to(folder / "lib", group)


def _named(spec: JobSpec) -> JobSpec:
    name = spec.name or (spec.script or (spec.command or "").split()[0])[:200]
    return spec.model_copy(update={"name": name})
