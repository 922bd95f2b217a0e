"""The check of a container image: with what it runs here, and what its Python and its frameworks report."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from paddock.cli.doctor import probe
from paddock.cli.doctor.finding import Finding, error, ok
from paddock.cli.doctor.job import probed
from paddock.common import containers
from paddock.models import Container

SECONDS = 120


def check(container: Container) -> list[Finding]:
    """Run the Python of an image on this machine, as a task would be run."""
    with tempfile.TemporaryDirectory(prefix="paddock-doctor-") as folder:
        shutil.copyfile(probe.__file__, Path(folder, "probe.py"))
        env = {name: value for name, value in os.environ.items() if name not in containers.OF_THE_NODE}
        given = container.to_run
        try:
            engine, program = containers.find(given)
            before = containers.wrapped(given, [folder], folder, env, {})
        except containers.Unavailable as why:
            return [error(str(why), "run doctor on a machine that has both").named("image")]
        argv = [*before, container.python, f"{folder}/probe.py", "0", str(SECONDS - 20)]
        try:
            done = subprocess.run(
                argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as fault:
            return [error(f"{program} did not run it: {fault}", f"try it by hand: {' '.join(argv)}").named("image")]
    output = (done.stdout + done.stderr).decode(errors="replace")
    found = ok(f"{container.image} runs here with {engine} ({program})").named("image")
    seen = probed(f"{output}\ncode {done.returncode}", "", 0, container)
    return [found, *seen] if done.returncode == 0 else seen
