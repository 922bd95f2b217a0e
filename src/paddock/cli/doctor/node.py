"""What a tiny job found on its compute node, in words."""

import json
import re
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from paddock.cli.doctor import cuda, probe
from paddock.cli.doctor.finding import Finding, error, guarded, ok, warn, worst

SLOW_SECONDS = 5.0
CLOCK_WARN, CLOCK_ERROR = 2.0, 60.0
MODE = 0o640


def home(root: Path, file: Path, owner: int, node: str, seconds: float) -> Finding:
    """`file` was written by the node, in answer to one that was written here `seconds` before it was seen."""
    about = file.stat()
    told = f"{node} sees {root}, and a file goes there and back in {seconds:.2f} s"
    bad = []
    if about.st_uid != owner:
        bad.append(
            error(
                f"what the node writes belongs to user {about.st_uid} and not {owner}",
                "ask who runs the cluster: user numbers differ, or the file system maps them (root_squash)",
            )
        )
    if (mode := stat.S_IMODE(about.st_mode)) != MODE:
        bad.append(
            warn(
                f"a file made with mode {MODE:o} has {mode:o} here",
                "see whether the file system keeps modes (ACLs, mount options)",
            )
        )
    if seconds > SLOW_SECONDS:
        bad.append(
            warn(
                "that is slow: states and curves will be late by so much",
                "put the home on a faster file system, or mount it with shorter attribute caching (actimeo)",
            )
        )
    return worst(told, bad)


def clock(sent: float, there: float, back: float) -> Finding:
    """The node read its clock after `sent` and before `back`: what lies outside is the difference."""
    off = there - back if there > back else min(there - sent, 0.0)
    if not off:
        return ok(f"agrees with the node's to {max(back - sent, 0.01):.2f} s")
    told = f"the node's is {abs(off):.1f} s {'ahead of' if off > 0 else 'behind'} this machine's"
    fix = "ask who runs the cluster to synchronise the clocks (NTP)"
    if abs(off) > CLOCK_ERROR:
        return error(told, fix)
    return warn(told, fix) if abs(off) > CLOCK_WARN else ok(told)


def runner(python: str, said: str | None, ended: str) -> Finding:
    """By what it printed; None: it was not reached, because the job had `ended`."""
    fix = "set `python` in the settings of the backend to a Python of 3.8 or newer on the nodes"
    if said is None:
        return error(
            f"was not tried: {ended or 'the job did not come so far'}", "see the other findings, and try again"
        )
    lines = said.strip().splitlines()
    version = re.match(r"(\d+)\.(\d+)", lines[0]) if lines else None
    if version and (int(version[1]), int(version[2])) < (3, 8):
        return error(f"{python} is Python {lines[0]} on the node", fix)
    if version and lines[-1] == "code 2" and "usage" in said:
        return ok(f"starts on the node with {python} (Python {lines[0]})")
    return error(f"does not start on the node with {python}: {' '.join(lines[:-1])[-300:] or 'nothing said'}", fix)


def environment(said: str | None, ended: str, gpus: int) -> list[Finding]:
    """By what the probe printed."""
    if said is None:
        detail = "did not answer before the job's end" + (f": {ended}" if ended else "")
        fix = "its file system may be slow, or memory may have run out: see `memory` in the settings of the backend"
        return [error(detail, fix).named("environment")]
    lines = [line for line in said.splitlines() if line.startswith(probe.MARK)]
    try:
        probed = cuda.Probed.model_validate(json.loads(lines[-1].removeprefix(probe.MARK)))
    except (IndexError, ValueError):
        told = " ".join(said.strip().splitlines()[:-1])[-300:] or "nothing said"
        fix = "install the environment where the nodes see it, such as in your home folder"
        return [error(f"does not work on the node: {told}", fix).named("environment")]
    return list(_probed(probed, gpus))


def _probed(probed: cuda.Probed, gpus: int) -> Iterator[Finding]:
    none = "" if probed.frameworks else "; neither TensorFlow nor PyTorch is in it"
    yield ok(f"Python {probed.python} on the node{none}").named("environment")
    if gpus:
        yield guarded("gpus of the job", partial(cuda.devices, probed, gpus))
    for name, one in probed.frameworks.items():
        yield guarded(name, partial(cuda.framework, name, one, probed, gpus))
