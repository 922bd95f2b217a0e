"""A tiny real job: it shows what only a compute node can see."""

import json
import os
import secrets
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import BaseModel

from paddock.cli import flags
from paddock.cli.doctor import probe
from paddock.cli.doctor.finding import Finding, error, ok, warn
from paddock.cli.doctor.slurm import Site
from paddock.common import containers
from paddock.errors import BackendError, BackendUnavailable, UnusableEnvironment
from paddock.models import (
    FOLDER,
    AllocationBatch,
    AllocationState,
    AllocationStatus,
    Container,
    Environment,
    Interpreter,
)
from paddock.paths import write_once
from paddock.program import environment
from paddock.runner.build import build

TIME_LIMIT = 120
PROBE_SECONDS = 100
SIGHT_SECONDS = 30.0  # until what a node writes must be seen here: network file systems cache for up to this long
SLOW_SECONDS = 5.0
CLOCK_WARN, CLOCK_ERROR = 2.0, 60.0
_CHOOSE = "choose another --partition, or correct the resources in the settings of the backend"
_SHARE = "set PADDOCK_HOME to a folder that all nodes see under the same path"

# It reports file by file, each written whole, so that what comes later cannot spoil what came before.
_SCRIPT = """\
trap '' USR1
put() {{ cat > ".$1" && mv ".$1" "$1"; }}
echo "${{SLURMD_NODENAME:-$(hostname)}}" | put started
for turn in $(seq 300); do
  ls .. > /dev/null
  [ -s ../answer ] && break
  sleep 0.1
done
echo "$(date +%s.%N) $(cat ../answer)" | put echo
python={runner}
{{
  "$python" -I -S -c 'import sys; print(sys.version.split()[0])' && "$python" -I -S ../runner.pyz
  echo "code $?"
}} 2>&1 | put runner
{probe}
echo | put done
"""


class _Failed(Exception):
    """The tiny job did not come to what it was for."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.detail)
        self.finding = finding


def trial(site: Site) -> Finding:
    """Ask Slurm if it would take a job, without submitting one."""
    answer = site.backend.check(_batch(site, site.home.root / "doctor"))
    if not answer.accepted:
        return error(f"Slurm would refuse a small job: {answer.message}", _CHOOSE)
    return ok("Slurm would take a small job; none was submitted")


def run(site: Site) -> list[Finding]:
    interpreter, trouble = None, []
    try:
        interpreter = environment.find(_chosen(site), None, container=site.asked.container)
    except UnusableEnvironment as fault:
        trouble = [error(fault.message, "name another with --python, --venv or --conda").named("environment")]
    try:
        with _folder(site) as folder:
            return TinyJob(site, folder, interpreter).run() + trouble
    except _Failed as failed:
        found = failed.finding
    except BackendUnavailable as fault:
        found = error(fault.message, "look at the output of `scontrol ping`")
    except BackendError as fault:
        found = error(f"Slurm did not take a small job: {fault.message}", _CHOOSE)
    except OSError as fault:
        found = error(f"{site.home.root}: {fault.strerror}", "choose another home with PADDOCK_HOME")
    return [found.named("job"), *trouble]


def _chosen(site: Site) -> Environment:
    """Return what the flags name, else the settings, else what is active in the shell, as `paddock submit` does."""
    if site.asked.environment != Environment():
        return site.asked.environment
    if site.settings.python:
        return Environment(python=site.settings.python)
    return Environment.model_validate(flags.of_shell())


@contextmanager
def _folder(site: Site) -> Iterator[Path]:
    """Make a folder in the home, and the home itself if there is none; delete both at the end."""
    root = site.home.root
    made = not root.exists()
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = Path(tempfile.mkdtemp(prefix="doctor-", dir=root))
    try:
        yield folder
    finally:
        end = time.monotonic() + 5
        while folder.exists() and time.monotonic() < end:  # a job that was cancelled may still write
            shutil.rmtree(folder, ignore_errors=True)
            time.sleep(0.1 if folder.exists() else 0)
        if made:
            with suppress(OSError):
                root.rmdir()


def _batch(site: Site, folder: Path) -> AllocationBatch:
    """Return the smallest job, where the backend's settings or the options place it."""
    small: dict[str, object] = {"gpus": site.asked.gpus, "cpus": 1, "nodes": 1, "slots": 1, "launcher": None}
    small["time_limit"] = TIME_LIMIT
    if site.asked.partition:
        small["slurm"] = site.cluster.resources.slurm.model_copy(update={"partition": site.asked.partition})
    key = f"doctor-{secrets.token_hex(4)}"
    return AllocationBatch(
        key=key,
        name=f"paddock-{key}",  # of its own: of two with one name, the backend cancels one
        folder=str(folder / "job"),
        runner=["/bin/bash", str(folder / "tiny.sh"), FOLDER],
        resources=site.cluster.resources.model_copy(update=small),
    )


class TinyJob:
    """The job, and what is seen of it."""

    def __init__(self, site: Site, folder: Path, interpreter: Interpreter | None) -> None:
        self.site, self.folder, self.interpreter = site, folder, interpreter
        self.batch = _batch(site, folder)
        self.here = Path(self.batch.folder_of(0))
        self.python = site.cluster.python or sys.executable  # as real allocations start the runner
        self.ids: list[str] = []
        self.node = ""
        self.status: AllocationStatus | None = None
        self.since = 0.0  # when it came to this state
        self.reason = ""
        self._next = 0.0

    def run(self) -> list[Finding]:
        self._prepare()
        self.ids = list(self.site.backend.submit(self.batch))
        try:
            started, seen = self._started(), self._echo()
            self.site.asked.note(f"{self.site.name}: the tiny job runs on {self.node}, and tries the environment")
            self._wait_for_end()
        finally:
            with suppress(BackendError):
                self.site.backend.cancel(self.ids)
        ended = self.reason if self._over else ""
        found = [started.named("job"), *seen, runner(self.python, self._read("runner"), ended).named("runner")]
        return found + (self._probed(ended) if self.interpreter else [])

    def _probed(self, ended: str) -> list[Finding]:
        return probed(self._read("probe"), ended, self.site.asked.gpus, self.site.asked.container)

    def _prepare(self) -> None:
        self.here.mkdir()
        build(self.folder / "runner.pyz")
        shutil.copyfile(probe.__file__, self.folder / "probe.py")
        ask = ""
        if self.interpreter:
            variables = [f"{name}={value}" for name, value in self.interpreter.env.items()]
            numbers = [str(self.site.asked.gpus), str(PROBE_SECONDS)]
            argv = ["env", *variables, *self._in_image(), *self.interpreter.argv, "../probe.py", *numbers]
            ask = f'{{ {shlex.join(argv)} 2>&1; echo "code $?"; }} | put probe'
        (self.folder / "tiny.sh").write_text(_SCRIPT.format(runner=shlex.quote(self.python), probe=ask))

    def _in_image(self) -> list[str]:
        """Return what runs a command in the image that is asked for, if one is."""
        container = self.site.asked.container
        if container is None:
            return []
        env: dict[str, str] = {}
        try:
            before = containers.wrapped(container.to_run, [str(self.folder)], str(self.here), env, {})
        except containers.Unavailable as why:
            raise _Failed(error(str(why), "run doctor on a login node that has both").named("image")) from None
        unset = [f"--unset={name}" for name in containers.OF_THE_NODE]
        return ["env", *unset, *(f"{name}={value}" for name, value in env.items()), *before]

    @property
    def _over(self) -> bool:
        return self.status is not None and self.status.state is AllocationState.ENDED

    def _poll(self) -> None:
        """Ask Slurm now and then how the job is."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + min(self.site.cluster.poll_seconds, 2.0)
        try:
            found = self.site.backend.poll(self.ids)
        except BackendUnavailable as fault:
            self.reason = fault.message
            return
        # A job that Slurm does not know (any more) has ended.
        now = found.get(self.ids[0]) or AllocationStatus(state=AllocationState.ENDED)
        if self.status is None or now.state is not self.status.state:
            self.since = time.monotonic()
        self.status, self.reason = now, now.reason or ""

    def _started(self) -> Finding:
        """Wait until the node has written its first file."""
        began, noted = time.monotonic(), ""
        while (text := self._read("started")) is None:
            self._poll()
            if self.status is not None and self.status.state is AllocationState.PENDING:
                if self.status.never:
                    raise _Failed(error(f"the tiny job cannot start: {self.reason}", _CHOOSE))
                if self.reason not in (noted, "waits"):  # Slurm has given no reason yet
                    noted = self.reason
                    self.site.asked.note(f"{self.site.name}: a tiny job waits in the queue: {noted}")
            self._give_up(time.monotonic() - began)
            time.sleep(0.05)
        self.node = text.strip()
        return ok(f"a tiny job ran on {self.node}, {time.monotonic() - began:.1f} s after it was submitted")

    def _give_up(self, waited: float) -> None:
        status, wait = self.status, self.site.asked.wait
        if status is None or status.state is AllocationState.PENDING:
            if waited > wait:
                why = self.reason or "Slurm gives no reason"
                fix = f"try again later, with --wait {2 * wait:.0f}, or another --partition"
                raise _Failed(warn(f"the tiny job had not started after {waited:.0f} s, and was cancelled: {why}", fix))
            return
        if time.monotonic() - self.since < SIGHT_SECONDS / (3 if self._over else 1):
            return
        if self._read("slurm_id") is not None:  # the batch script writes it first
            output = (self._read("out.log") or "").strip().splitlines()
            fix = "correct `setup` and `variables` in the settings of the backend"
            last = output[-1] if output else "it printed nothing"
            raise _Failed(error(f"the job's script did not get past its set-up: {last}", fix))
        where = f" on {status.node}" if status.node else ""
        why = f" ({status.reason})" if status.reason else ""
        raise _Failed(
            error(f"the tiny job ran{where}{why}, and nothing that it wrote in {self.folder} is seen here", _SHARE)
        )

    def _echo(self) -> list[Finding]:
        """Send a file there and wait for one back: how long that takes, and what the time is over there meanwhile."""
        answer = secrets.token_hex(16)
        sent = time.time()
        write_once(self.folder / "answer", answer + "\n")
        end = time.monotonic() + 2 * SIGHT_SECONDS
        while (text := self._read("echo")) is None and time.monotonic() < end:
            time.sleep(0.02)
        back = time.time()
        stamp, _, echoed = (text or "").strip().partition(" ")
        if echoed != answer:
            detail = f"{self.node} did not see within {SIGHT_SECONDS:.0f} s what was written here"
            fix = "mount that file system with shorter attribute caching (actimeo), or use another"
            return [error(detail, fix).named("home")]
        seen = f"{self.node} sees {self.site.home.root}, and a file goes there and back in {back - sent:.2f} s"
        slow = "put the home on a faster file system, or mount it with shorter attribute caching (actimeo)"
        late = f"{seen}: states and curves will be late by this much"
        found = [(warn(late, slow) if back - sent > SLOW_SECONDS else ok(seen)).named("home")]
        with suppress(ValueError):
            found.append(clock(sent, float(stamp), back).named("clock"))
        return found

    def _wait_for_end(self) -> None:
        end = time.monotonic() + TIME_LIMIT + SIGHT_SECONDS
        while self._read("done") is None and time.monotonic() < end:
            self._poll()
            if self._over:
                self.reason = self.reason or "it ended"
                end = min(end, self.since + SIGHT_SECONDS / 3)
            time.sleep(0.1)

    def _read(self, name: str) -> str | None:
        """Look into the folder first: a network file system then asks its server."""
        try:
            if name in os.listdir(self.here):  # noqa: PTH208 - names are all that is wanted
                return (self.here / name).read_text(errors="replace")
        except OSError:
            pass
        return None


# --- what it found --------------------------------------------------------------------------------------------------


def clock(sent: float, there: float, back: float) -> Finding:
    """Compare clocks. The node read its own after `sent` and before `back`: what lies outside is the difference."""
    off = there - back if there > back else min(there - sent, 0.0)
    if not off:
        return ok(f"agrees with the node's to {max(back - sent, 0.01):.2f} s")
    difference = f"the node's is {abs(off):.1f} s {'ahead of' if off > 0 else 'behind'} the one here"
    fix = "ask who runs the cluster to synchronise the clocks (NTP)"
    if abs(off) <= CLOCK_WARN:
        return ok(difference)
    return (error if abs(off) > CLOCK_ERROR else warn)(difference, fix)


def runner(python: str, output: str | None, ended: str) -> Finding:
    """Judge what the runner printed; None: it was not reached, because the job had `ended`."""
    if output is None:
        return error(
            f"was not tried: {ended or 'the job did not get this far'}", "see the other findings, and try again"
        )
    lines = output.strip().splitlines()
    if len(lines) > 1 and lines[-1] == "code 2" and "usage" in output:
        return ok(f"starts on the node with {python} (Python {lines[0]})")
    fix = "set `python` in the settings of the backend to a Python of 3.8 or newer on the nodes"
    return error(f"does not start on the node with {python}: {' '.join(lines[:-1])[-300:] or 'nothing printed'}", fix)


class Framework(BaseModel):
    """What one framework reported."""

    version: str = ""
    gpus: int = 0
    error: str = ""
    output: str = ""


class Probed(BaseModel):
    """What probe.py prints."""

    python: str
    visible: str | None = None
    frameworks: dict[str, Framework] = {}


def probed(output: str | None, ended: str, gpus: int, container: Container | None = None) -> list[Finding]:
    """Judge what the probe printed, on the node or in an image."""
    if output is None:
        detail = "did not answer before the job's end" + (f": {ended}" if ended else "")
        fix = "its file system may be slow, or memory may have run out: see `memory` in the settings of the backend"
        return [error(detail, fix).named("environment")]
    where = "on the node" if container is None else f"in the image {container.image}"
    lines = [line for line in output.splitlines() if line.startswith(probe.MARK)]
    try:
        seen = Probed.model_validate(json.loads(lines[-1].removeprefix(probe.MARK)))
    except (IndexError, ValueError):
        printed = " ".join(output.strip().splitlines()[:-1])[-300:] or "nothing printed"
        fix = "install the environment where the nodes see it, such as in your home folder"
        if container is not None:
            fix = f"it must have `{container.python}`, or name its Python in a job file: `python` of the container"
        return [error(f"does not work {where}: {printed}", fix).named("environment")]
    detail = f"Python {seen.python} {where}"
    detail += "" if seen.frameworks else "; neither TensorFlow nor PyTorch is in it"
    visible = "not set" if seen.visible is None else seen.visible or "empty"
    detail += f"; CUDA_VISIBLE_DEVICES is {visible}" if gpus else ""
    return [ok(detail).named("environment"), *(framework(*one, gpus).named(one[0]) for one in seen.frameworks.items())]


def framework(name: str, one: Framework, gpus: int) -> Finding:
    """Report what a framework finds out about GPUs, with its own output."""
    by_hand = f"try it by hand on such a node: `srun --pty`, then `python -c 'import {name}'`"
    if one.error:
        return error("\n".join(part for part in (one.error, one.output) if part), by_hand)
    if one.gpus < gpus:
        detail = f"version {one.version} sees {one.gpus} of {gpus} GPUs" + (f":\n{one.output}" if one.output else "")
        return error(detail, f"install a build for the GPUs and the driver of the node, or {by_hand}")
    return ok(f"version {one.version}" + (f" sees {gpus} GPUs" if gpus > 1 else " sees 1 GPU" if gpus else ""))
