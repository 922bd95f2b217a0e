"""Measure sharing a GPU: `python -m benchmarks.gpu_sharing [lenet] [tight] [resnet] [--quick]`.

Without names it measures all three, in about 20 minutes on an H200. `--quick` leaves out the comparisons by hand.
"""

import os
import platform
import sys
import time

from benchmarks.gpu_sharing.rig import Result, by_hand, gpu_name, through_the_runner

ALONE = 8  # one at a time, only this many tasks are measured, and the result is multiplied


def row(
    name: str, result: Result, alone: float | None = None, best: float | None = None, of: str = "the best by hand"
) -> None:
    cells = [f"{name:<44}{result.seconds:>8.1f} s", f"{result.done:>4} done", f"{result.failed:>3} failed"]
    if alone is not None:
        cells.append(f"{alone / result.seconds:>6.1f} x one at a time")
    if best is not None:
        cells.append(f"{best / result.seconds:>6.2f} x {of}")
    if result.packing:
        said = result.packing
        cells.append(f"   {said['tasks']} per GPU, limit {said['limit']}, reported speed-up {said['speedup']}")
    print(" ".join(cells), flush=True)


def one_at_a_time(script: str, args: list[str], tasks: int, of: int) -> float:
    measured = by_hand(script, args, of, 1, service=False)
    seconds = measured.seconds * tasks / of
    print(f"one at a time: {seconds:.1f} s ({of} of {tasks} measured: {measured.seconds:.1f} s)", flush=True)
    return seconds


def known(result: Result) -> dict[str, dict[str, object]]:
    """Return what the server would store for the next job."""
    said = result.packing
    tasks = said["target"] if said["limit"] == "tasks" else said["tasks"]
    return {said["gpu"]: {"tasks": tasks, "need": said["need"], "limit": said["limit"]}}


def cost(result: Result) -> None:
    share = result.cpu_seconds / max(result.task_seconds, 1e-9)
    print(
        f"  the runner itself: {result.cpu_seconds:.2f} s of a core for {result.task_seconds:.0f} s of tasks "
        f"({share:.2%} of a core per task), {result.memory / 1e6:.0f} MB",
        flush=True,
    )


def lenet(quick: bool) -> None:
    print("\n24 x LeNet-4, 5 epochs of 60,000 images, batch 64", flush=True)
    alone = best = None
    of = "the best plain triple"
    if not quick:
        alone = one_at_a_time("lenet.py", [], 24, ALONE)
        plain = {n: by_hand("lenet.py", [], 24, n, service=False) for n in (24, 12, 8)}
        for n, result in plain.items():
            row(f"plain triple, {n} at once, without MPS", result, alone)
        best = min(result.seconds for result in plain.values())
        row("by hand, 24 at once, with MPS", by_hand("lenet.py", [], 24, 24, service=True), alone, best, of)
    cold = through_the_runner("lenet.py", [], 24, "auto")
    row("Paddock, auto, from a cold start", cold, alone, best, of)
    cost(cold)
    warm = through_the_runner("lenet.py", [], 24, "auto", known(cold))
    row("Paddock, auto, with what it learned", warm, alone, best, of)
    cost(warm)


def tight(quick: bool) -> None:
    args = ["--hold", "11.2"]
    print("\nshort of memory: the same, each holding 11.2 GiB more", flush=True)
    best = None
    if not quick:
        hands = {n: by_hand("lenet.py", args, 24, n, service=True) for n in (24, 12, 11)}
        for n, result in hands.items():
            row(f"by hand, {n} at once, with MPS", result)
        best = min((one.seconds for one in hands.values() if not one.failed), default=None)
    cold = through_the_runner("lenet.py", args, 24, "auto")
    row("Paddock, auto, from a cold start", cold, None, best)
    row(
        "Paddock, auto, with what it learned", through_the_runner("lenet.py", args, 24, "auto", known(cold)), None, best
    )


def resnet(quick: bool) -> None:
    print("\n12 x ResNet-18-sized, 6 epochs of 25,600 images of 32x32, batch 256", flush=True)
    alone = None
    if not quick:
        alone = one_at_a_time("resnet.py", [], 12, 3)
        for n in (2, 4, 12):
            row(f"by hand, {n} at once, with MPS", by_hand("resnet.py", [], 12, n, service=True), alone)
        row("by hand, 4 at once, without MPS", by_hand("resnet.py", [], 12, 4, service=False), alone)
    cold = through_the_runner("resnet.py", [], 12, "auto")
    row("Paddock, auto, from a cold start", cold, alone)
    row("Paddock, auto, with what it learned", through_the_runner("resnet.py", [], 12, "auto", known(cold)), alone)


PARTS = {"lenet": lenet, "tight": tight, "resnet": resnet}


def main() -> None:
    quick = "--quick" in sys.argv
    wanted = [name for name in sys.argv[1:] if name in PARTS] or list(PARTS)
    today = time.strftime("%Y-%m-%d")
    print(f"{today}, {gpu_name()}, {os.cpu_count()} cores, Python {platform.python_version()}", flush=True)
    for name in wanted:
        PARTS[name](quick)


main()
