"""A tiny real job: what only a compute node can tell."""

import os
import secrets
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from paddock.cli import flags
from paddock.cli.doctor import node as checks_node
from paddock.cli.doctor import probe as checks_probe
from paddock.cli.doctor.finding import Finding, error, ok, warn
from paddock.cli.doctor.site import Site
from paddock.errors import BackendError, BackendUnavailable, UnusableEnvironment
from paddock.models import FOLDER, AllocationBatch, AllocationState, AllocationStatus, Environment, Interpreter
from paddock.paths import write_once
from paddock.program import environment
from paddock.runner.build import build

TIME_LIMIT = 120
PROBE_SECONDS = 100
SIGHT_SECONDS = 30.0  # until what a node writes must be seen here: caches of network file systems hold for so long

# It tells what it has seen file by file, each written whole, so that what comes later cannot spoil what came before.
_SCRIPT = """\
trap '' USR1
umask {umask:03o}
put() {{ cat > ".$1" && mv ".$1" "$1"; }}
echo "${{SLURMD_NODENAME:-$(hostname)}} $(cat ../question)" | put started
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


@dataclass
class ProbeResult:
    """What came of it."""

    node: str = ""
    waited: float = 0.0
    home: Finding | None = None
    clock: Finding | None = None
    ended: str = ""


class _Failed(Exception):
    """It did not come to what it was for."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.detail)
        self.finding = finding


def trial(site: Site) -> Finding:
    """Without a job: would Slurm take one?"""
    said = site.backend.check(_batch(site, site.home.root / "doctor"))
    if not said.accepted:
        return error(f"Slurm would refuse a small job: {said.message}", _CHOOSE)
    return ok("Slurm would take a small job; none was submitted")


_CHOOSE = "choose another --partition, or correct the resources in the settings of the backend"


def run(site: Site) -> list[Finding]:
    try:
        interpreter = environment.find(_chosen(site), None)
    except UnusableEnvironment as fault:
        trouble = error(fault.message, "name another with --python, --venv or --conda").named("environment")
        return [*_run(site, None), trouble]
    return _run(site, interpreter)


def _chosen(site: Site) -> Environment:
    """What the flags name, then the settings, then as `paddock submit` does: what is active in the shell."""
    if site.asked.environment != Environment():
        return site.asked.environment
    if site.settings.python:
        return Environment(python=site.settings.python)
    return Environment.model_validate(flags.of_shell(command=False))


def _run(site: Site, interpreter: Interpreter | None) -> list[Finding]:
    try:
        with _folder(site) as folder:
            batch = _lay_down(site, folder, interpreter)
            here = Path(batch.folder_of(0))
            seen = _tried(site, batch, folder, here)
            return _findings(site, here, seen, tried=interpreter is not None)
    except _Failed as failed:
        return [failed.finding.named("job")]
    except BackendUnavailable as fault:
        return [error(fault.message, "see what `scontrol ping` says").named("job")]
    except BackendError as fault:
        return [error(f"Slurm did not take a small job: {fault.message}", _CHOOSE).named("job")]
    except OSError as fault:
        return [error(f"{site.home.root}: {fault.strerror}", "choose another home with PADDOCK_HOME").named("job")]


# --- before ---------------------------------------------------------------------------------------------------------


@contextmanager
def _folder(site: Site) -> Iterator[Path]:
    """A folder in the home for the time being; also the home, should there be none yet."""
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
    """As small as can be, where the backend's settings or the flags say."""
    small: dict[str, object] = {
        "gpus": site.asked.gpus,
        "cpus": 1,
        "nodes": 1,
        "slots": 1,
        "launcher": None,
        "time_limit": TIME_LIMIT,
    }
    if site.asked.partition:
        small["partition"] = site.asked.partition
    key = f"doctor-{secrets.token_hex(4)}"
    return AllocationBatch(
        key=key,
        name=f"paddock-{key}",  # of its own: of two with one name, the backend cancels one
        folder=str(folder / "job"),
        runner=["/bin/bash", str(folder / "tiny.sh"), FOLDER],
        resources=site.cluster.resources.model_copy(update=small),
    )


def _lay_down(site: Site, folder: Path, interpreter: Interpreter | None) -> AllocationBatch:
    batch = _batch(site, folder)
    Path(batch.folder_of(0)).mkdir()
    build(folder / "runner.pyz")
    shutil.copyfile(checks_probe.__file__, folder / "probe.py")
    probe = ""
    if interpreter:
        variables = [f"{name}={value}" for name, value in interpreter.env.items()]
        argv = ["env", *variables, *interpreter.argv, "../probe.py", str(site.asked.gpus), str(PROBE_SECONDS)]
        probe = f'{{ {shlex.join(argv)} 2>&1; echo "code $?"; }} | put probe'
    script = _SCRIPT.format(umask=0o666 & ~checks_node.MODE, runner=shlex.quote(_python(site)), probe=probe)
    (folder / "tiny.sh").write_text(script)
    (folder / "question").write_text(secrets.token_hex(16) + "\n")
    return batch


def _python(site: Site) -> str:
    """As real allocations start the runner."""
    return site.cluster.python or sys.executable


# --- while ----------------------------------------------------------------------------------------------------------


def _tried(site: Site, batch: AllocationBatch, folder: Path, here: Path) -> ProbeResult:
    ids = list(site.backend.submit(batch))
    try:
        seen = _started(site, ids, here)
        _echo(site, folder, here, seen)
        site.asked.say(f"{site.name}: the tiny job runs on {seen.node}, and tries the environment")
        _ended(site, ids, here, seen)
    finally:
        with suppress(BackendError):
            site.backend.cancel(ids)
    return seen


class _Watch:
    """Asks Slurm now and then how the job is."""

    def __init__(self, site: Site, ids: list[str]) -> None:
        self._site, self._ids = site, ids
        self._next = 0.0
        self.status: AllocationStatus | None = None
        self.since = 0.0
        self.reason = ""

    def look(self) -> AllocationStatus | None:
        """None: not asked again, or Slurm does not answer just now."""
        if time.monotonic() < self._next:
            return None
        self._next = time.monotonic() + min(self._site.cluster.poll_seconds, 2.0)
        try:
            found = self._site.backend.poll(self._ids)
        except BackendUnavailable as fault:
            self.reason = fault.message
            return None
        # A job that Slurm does not know (any more) has ended.
        now = found.get(self._ids[0]) or AllocationStatus(state=AllocationState.ENDED)
        if self.status is None or now.state is not self.status.state:
            self.since = time.monotonic()
        self.status = now
        self.reason = now.reason or ""
        return now


def _started(site: Site, ids: list[str], here: Path) -> ProbeResult:
    """Until the node has written its first file."""
    began = time.monotonic()
    watch, told = _Watch(site, ids), ""
    while (text := _read(here, "started")) is None:
        now = watch.look()
        waited = time.monotonic() - began
        if now is not None and now.state is AllocationState.PENDING:
            if now.never:
                raise _Failed(error(f"the tiny job cannot start: {watch.reason}", _CHOOSE))
            if watch.reason not in (told, "waits"):  # Slurm has given no reason yet
                told = watch.reason
                site.asked.say(f"{site.name}: a tiny job waits in the queue: {told}")
        _give_up(site, watch, here, waited)
        time.sleep(0.05)
    node, _, question = text.strip().partition(" ")
    if question != (here.parent / "question").read_text().strip():
        raise _Failed(error(f"{node} does not see what is in {here.parent}", _SHARE))
    return ProbeResult(node=node, waited=time.monotonic() - began)


_SHARE = "set PADDOCK_HOME to a folder that all nodes see under the same path"


def _give_up(site: Site, watch: _Watch, here: Path, waited: float) -> None:
    status = watch.status
    pending = status is None or status.state is AllocationState.PENDING
    if pending and waited > site.asked.wait:
        why = watch.reason or "Slurm gives no reason"
        fix = f"try again later, with --wait {2 * site.asked.wait:.0f}, or another --partition"
        raise _Failed(warn(f"the tiny job had not started after {waited:.0f} s, and was cancelled: {why}", fix))
    if status is None or pending or time.monotonic() - watch.since < SIGHT_SECONDS / (3 if _over(status) else 1):
        return
    if _read(here, "slurm_id") is not None:  # the script's first deed
        output = (_read(here, "out.log") or "").strip().splitlines()
        fix = "correct `setup` and `variables` in the settings of the backend"
        raise _Failed(
            error(f"the job's script came to no end of its set-up: {output[-1] if output else 'no word'}", fix)
        )
    where = f" on {status.node}" if status.node else ""
    why = f" ({status.reason})" if status.reason else ""
    raise _Failed(
        error(f"the tiny job ran{where}{why}, and nothing that it wrote in {here.parent} is seen here", _SHARE)
    )


def _over(status: AllocationStatus) -> bool:
    return status.state is AllocationState.ENDED


def _echo(site: Site, folder: Path, here: Path, seen: ProbeResult) -> None:
    """A file there, a file back: how long that takes, and what the time is over there meanwhile."""
    answer = secrets.token_hex(16)
    sent = time.time()
    write_once(folder / "answer", answer + "\n")
    end = time.monotonic() + 2 * SIGHT_SECONDS
    while (text := _read(here, "echo")) is None and time.monotonic() < end:
        time.sleep(0.02)
    back = time.time()
    stamp, _, said = (text or "").strip().partition(" ")
    if said != answer:
        detail = f"{seen.node} did not see within {SIGHT_SECONDS:.0f} s what was written here"
        seen.home = error(detail, "mount that file system with shorter attribute caching (actimeo), or use another")
        return
    owner = int(site.commands.run("id", "-u"))
    seen.home = checks_node.home(site.home.root, here / "echo", owner, seen.node, back - sent)
    with suppress(ValueError):
        seen.clock = checks_node.clock(sent, float(stamp), back)


def _ended(site: Site, ids: list[str], here: Path, seen: ProbeResult) -> None:
    end = time.monotonic() + TIME_LIMIT + SIGHT_SECONDS
    watch = _Watch(site, ids)
    while _read(here, "done") is None and time.monotonic() < end:
        status = watch.look()
        if status is not None and _over(status):
            seen.ended = status.reason or "it ended"
            end = min(end, time.monotonic() + SIGHT_SECONDS / 3)
        time.sleep(0.1)


def _read(folder: Path, name: str) -> str | None:
    """Looks into the folder first: a network file system then asks its server."""
    try:
        if name in os.listdir(folder):  # noqa: PTH208 - names are all that is wanted
            return (folder / name).read_text(errors="replace")
    except OSError:
        pass
    return None


# --- after ----------------------------------------------------------------------------------------------------------


def _findings(site: Site, here: Path, seen: ProbeResult, *, tried: bool) -> list[Finding]:
    found = [ok(f"a tiny job ran on {seen.node}, {seen.waited:.1f} s after it was submitted").named("job")]
    found += [seen.home.named("home")] if seen.home else []
    found += [seen.clock.named("clock")] if seen.clock else []
    found.append(checks_node.runner(_python(site), _read(here, "runner"), seen.ended).named("runner"))
    return [*found, *(checks_node.environment(_read(here, "probe"), seen.ended, site.asked.gpus) if tried else [])]
