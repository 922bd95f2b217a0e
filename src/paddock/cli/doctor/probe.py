"""Print what the frameworks of a Python environment report about GPUs, as one line of JSON.

    python probe.py GPUS SECONDS

`paddock doctor` runs this on a compute node: standard library only, and any Python from 3.8 on. Each framework is
imported in a process of its own: one that crashes or hangs takes nothing else with it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from typing import Any

MARK = "PADDOCK "
MOST_TEXT = 1000
ASKED = {
    "tensorflow": "import tensorflow as tf; count = len(tf.config.list_physical_devices('GPU')); name = tf.__version__",
    # Counting is not enough: a build for other GPUs fails at the first use.
    "torch": "import torch; count = torch.cuda.device_count(); name = torch.__version__; "
    "[torch.ones(8, device=number) * 2 for number in range(min(count, {gpus}))]",
}


def main() -> None:
    gpus, end = int(sys.argv[1]), time.monotonic() + float(sys.argv[2])
    report: dict[str, Any] = {
        "python": ".".join(map(str, sys.version_info[:3])),
        "visible": os.environ.get("CUDA_VISIBLE_DEVICES"),
        "frameworks": {
            name: _ask(code.format(gpus=gpus), max(end - time.monotonic(), 1))
            for name, code in ASKED.items()
            if importlib.util.find_spec(name) is not None
        },
    }
    sys.stdout.write("\n" + MARK + json.dumps(report) + "\n")


def _ask(code: str, seconds: float) -> dict[str, Any]:
    argv = [sys.executable, "-c", code + f"; import os; print('\\n{MARK}', name, count, flush=True); os._exit(0)"]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"no answer within {seconds:.0f} s"}
    output = done.stderr.decode(errors="replace").strip()[-MOST_TEXT:]
    answers = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith(MARK)]
    if done.returncode or not answers:
        ended = f"signal {-done.returncode}" if done.returncode < 0 else f"code {done.returncode}"
        return {"error": f"its process ended with {ended}", "output": output}
    version, count = answers[-1][len(MARK) :].split()
    return {"version": version, "gpus": int(count), "output": output}


if __name__ == "__main__":
    main()
