"""Measure sharing a GPU: `python -m benchmarks.gpu_sharing [PART ...] [--quick]`.

Parts: lenet, tight, resnet; transformers, convolutional, plain (tasks of different sizes). Without names it measures
all, in about 40 minutes on an H200. `--quick` leaves out the comparisons by hand that take longest.
"""

import os
import platform
import random
import sys
import time
from collections.abc import Callable
from functools import partial

from benchmarks.gpu_sharing.rig import Params, Result, by_hand, gpu_name, through_the_runner

HANDS = (16, 12, 8, 4)  # tasks at once by hand, where sizes differ: the best is the fastest that loses none
QUICK_HANDS = (12, 8)
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
        cells.append(f"   GPU {said['load']}, processor {said['processor']}, start {said['startup']}")
        cells.append(f"   {result.retries} tried again with more memory")
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
    learned = {"tasks": tasks, "need": said["need"], "limit": said["limit"], "samples": result.samples}
    return {said["gpu"]: learned}


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
    hand = by_hand("lenet.py", [], 24, 24, service=True)
    row("by hand, 24 at once, with MPS", hand, alone, best, of)
    busy = hand.task_cpu / (os.cpu_count() or 1)
    print(f"  they took {hand.task_cpu:.0f} s of a core: at least {busy:.1f} s on all of them", flush=True)
    if best is None:
        best, of = hand.seconds, "the best by hand"
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


def mixes() -> dict[str, list[Params]]:
    """Return three lists of tasks of different sizes, which together need more memory than one H200 has."""
    transformers = [
        {"model": "transformer", "width": width, "batch": batch, "layers": 4, "steps": steps(width, batch)}
        for width in (256, 512, 1024, 2048)
        for batch in (16, 64, 128, 256)
    ]
    convolutional = [
        {"model": "convolutional", "width": width, "batch": batch, "layers": layers, "steps": 10}
        for width in (64, 128, 256)
        for batch in (512, 2048, 4096)
        for layers in (2, 8)
    ]
    plain = [
        {"model": "plain", "width": width, "batch": 1024, "layers": layers, "optimizer": optimizer, "steps": 40}
        for width in (2048, 6144, 12288)
        for layers in (4, 8, 16)
        for optimizer in ("adam", "sgd")
    ]
    found = {"transformers": transformers, "convolutional": convolutional, "plain": plain}
    for number, tasks in enumerate(found.values()):
        random.Random(number).shuffle(tasks)
    return found


def steps(width: int, batch: int) -> int:
    """Return how many steps of a transformer take about as long, whatever its size."""
    seconds = batch * 256 * (6 * (48 * width**2 + 8192 * width) / 215e12 + 8192 * 16 / 3e12)
    return max(10, min(400, int(1.3 / seconds / 10) * 10))


def mixed(name: str, quick: bool) -> None:
    each = mixes()[name]
    print(f"\n{len(each)} nets of different sizes: {name}", flush=True)
    hands = [
        (n, by_hand("mixed.py", [], len(each), n, service=True, each=each)) for n in (QUICK_HANDS if quick else HANDS)
    ]
    for n, result in hands:
        row(f"by hand, {n} at once, with MPS", result)
    best = min((result.seconds for _, result in hands if not result.failed), default=None)
    cold = through_the_runner("mixed.py", [], len(each), "auto", each=each)
    row("Paddock, auto, from a cold start", cold, None, best)
    cost(cold)
    warm = through_the_runner("mixed.py", [], len(each), "auto", known(cold), each)
    row("Paddock, auto, with what it learned", warm, None, best)


PARTS: dict[str, Callable[[bool], None]] = {
    "lenet": lenet,
    "tight": tight,
    "resnet": resnet,
    **{name: partial(mixed, name) for name in mixes()},
}


def main() -> None:
    quick = "--quick" in sys.argv
    wanted = [name for name in sys.argv[1:] if name in PARTS] or list(PARTS)
    today = time.strftime("%Y-%m-%d")
    print(f"{today}, {gpu_name()}, {os.cpu_count()} cores, Python {platform.python_version()}", flush=True)
    for name in wanted:
        PARTS[name](quick)


main()
