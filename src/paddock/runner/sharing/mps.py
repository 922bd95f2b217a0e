"""NVIDIA's Multi-Process Service (MPS): kernels of several processes run on a GPU at the same time, not in turns.

There is one control daemon per allocation, with its own folder and its own process group. The server that it starts for
the first client is in the same group, so that ending the group ends both, even by the guard after a crash. Processes
that do not find the daemon use the GPU without it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from typing import Callable, Dict, Mapping, Optional, Tuple

from ...common import processes
from ...common.files import read_plain

CONTROL = "nvidia-cuda-mps-control"
_PLACES = ("/usr/bin", "/usr/local/nvidia/bin", "/opt/nvidia/bin")
_QUIT_SECONDS = 5.0
_LAST = 4096  # bytes of its output


class Mps:
    def __init__(self, environ: Optional[Mapping[str, str]] = None, allowed: bool = True) -> None:
        self.folder: Optional[str] = None  # of its sockets and logs
        self._daemon: Optional[subprocess.Popen[bytes]] = None
        self._problem: Optional[str] = None if allowed else "MPS is switched off in the settings"
        # A site that runs MPS itself sets this variable; tasks inherit it.
        self._tried = not allowed or bool((environ or {}).get("CUDA_MPS_PIPE_DIRECTORY"))

    def share(self, objection: Callable[[], Optional[str]]) -> Tuple[str, Optional[str]]:
        """Return how tasks share a GPU: `mps`, or in `turns` and why. The first call starts MPS."""
        if not self._tried:
            self._tried = True
            self._problem = objection() or self.start()
        self._problem = self._problem or self.trouble()
        return ("mps", None) if self._problem is None else ("turns", self._problem)

    @property
    def pid(self) -> Optional[int]:
        return self._daemon.pid if self._daemon is not None else None

    def start(self) -> Optional[str]:
        """Start the daemon. Return None, or why tasks share the GPUs in turns."""
        program = shutil.which(CONTROL, path=os.pathsep.join([os.environ.get("PATH", ""), *_PLACES]))
        if program is None:
            return "%s is not installed" % CONTROL
        # Not in the job folder: the path of a socket has to be short, and on this node.
        self.folder = tempfile.mkdtemp(prefix="paddock-mps-")
        try:
            with open(os.path.join(self.folder, "out.log"), "xb") as out:
                self._daemon = subprocess.Popen(
                    [program, "-f"],
                    env={**os.environ, **self.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    start_new_session=True,
                )
        except OSError as error:
            self.stop()
            return "%s cannot be started: %s" % (CONTROL, error.strerror or error)
        return None

    @property
    def environment(self) -> Dict[str, str]:
        """The variables for processes that share GPUs."""
        if self.folder is None:
            return {}
        return {"CUDA_MPS_PIPE_DIRECTORY": self.folder, "CUDA_MPS_LOG_DIRECTORY": self.folder}

    def trouble(self) -> Optional[str]:
        """Return the last line of the daemon, if it has ended by itself."""
        if self._daemon is None or self._daemon.poll() is None:
            return None
        try:
            log = os.path.join(self.folder or "", "out.log")  # tasks can write in this folder
            lines = read_plain(log, _LAST, offset=-_LAST).decode("utf-8", "replace").strip().splitlines()
        except OSError:
            lines = []
        return "%s ended: %s" % (CONTROL, lines[-1] if lines else "exit code %s" % self._daemon.returncode)

    def stop(self) -> None:
        """End the daemon, when no task is left: first with SIGTERM, then with SIGKILL."""
        if self._daemon is not None and self._daemon.poll() is None:
            processes.signal_group(self._daemon.pid, 15)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._daemon.wait(_QUIT_SECONDS)
            processes.signal_group(self._daemon.pid, 9)
            self._daemon.wait()
        self._daemon = None
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None
