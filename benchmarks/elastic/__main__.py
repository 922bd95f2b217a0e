"""Compare policies of sizes: `python -m benchmarks.elastic [--seeds 20] [--load 1.0] [--tables FOLDER]`.

`--constants SLOW=0.2 LEFT_MORE=7200` tries other constants of rules/sizes.py.
With `--slurm` thirty jobs of real PyTorch run on a real Slurm, and are compared with the same ones simulated.
With `--level 2` the real engine runs the workloads, and is compared with the simulation of the same queue.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.elastic import engine
from benchmarks.elastic.policies import IN_ORDER, ON_ONE_NODE, POLICIES
from benchmarks.elastic.simulator import Running, run
from benchmarks.elastic.tables import Kind, made, read
from benchmarks.elastic.workload import workload
from paddock.rules import sizes as rules
from paddock.rules.sizes import ElasticTraining, decide, possible_sizes


def figures(ended: Sequence[Running]) -> tuple[float, float, float, float]:
    """Return mean, median and 99th percentile of the seconds from arrival to end, and the mean number of restarts."""
    seconds = [(one.ends or 0.0) - one.plan.arrives for one in ended]
    p50, p99 = np.percentile(seconds, [50, 99])
    return float(np.mean(seconds)), float(p50), float(p99), float(np.mean([one.restarts for one in ended]))


def compare(kinds: list[Kind], seeds: Sequence[int], load: float, names: Sequence[str]) -> None:
    """Print what each policy comes to for each seed, and how ours does against others on the same workloads."""
    found: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in names}
    print(f"load {load:g}: mean / 99th percentile of completion in seconds", flush=True)
    print("seed  " + "".join(f"{name:>18}" for name in names))
    for seed in seeds:
        plans = workload(kinds, seed, load)
        for name in names:
            found[name].append(figures(run(plans, POLICIES[name], seed)))
        cells = [f"{found[name][-1][0]:.0f} / {found[name][-1][2]:.0f}" for name in names]
        print(f"{seed:<6}" + "".join(f"{cell:>18}" for cell in cells), flush=True)
    for name in names:
        mean, p50, p99, restarts = np.mean(found[name], axis=0)
        print(f"{name:<14} mean {mean:.0f} s, median {p50:.0f} s, p99 {p99:.0f} s, {restarts:.1f} restarts per job")
    for other in names:
        if other != "ours" and "ours" in found:
            for column, what in ((0, "mean"), (2, "p99")):
                print(f"ours / {other}, {what}: {ratios(found['ours'], found[other], column)}")


def level_2(kinds: list[Kind], seeds: Sequence[int], load: float, sizes: bool) -> None:
    """Print how far the real engine is from the simulation."""
    what = "trainings of one to four GPUs" if sizes else "rigid jobs, in order"
    print(f"load {load:g}: mean time to completion of {what}", flush=True)
    for seed in seeds:
        plans = workload(kinds, seed, load)
        policy = ON_ONE_NODE if sizes else IN_ORDER
        others = {one.plan.id: (one.ends or 0.0) - one.plan.arrives for one in run(plans, policy, seed)}
        print(f"seed {seed}: {engine.compare(engine.run(plans, sizes), others)}", flush=True)


def ratios(ours: Sequence[tuple[float, ...]], others: Sequence[tuple[float, ...]], column: int) -> str:
    """Describe the ratios, which are paired by seed."""
    found = np.array([mine[column] / its[column] for mine, its in zip(ours, others, strict=True)])
    low, high = np.percentile(found, [10, 90])
    error = found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else 0.0
    below = f"below 1 in {(found < 1).sum()} of {len(found)}"
    return f"{found.mean():.3f} +- {error:.3f} (10 to 90 %: {low:.2f} to {high:.2f}; {below})"


def speed() -> None:
    """Print how long a decision takes for 200 trainings on 64 nodes of 8 GPUs."""
    random = np.random.default_rng(1)
    nodes = {f"n{number:02}": 8 for number in range(64)}
    sizes = possible_sizes(nodes)
    taken: dict[str, list[float]] = {"all wait": [], "all run": []}
    for _ in range(10):
        losses = random.uniform(0.0, 0.3, 200)
        made_up = [
            ElasticTraining(
                f"t{n}", {size: size / (1 + loss * (size - 1)) for size in sizes}, -float(random.uniform(0, 2e4))
            )
            for n, loss in enumerate(losses)
        ]
        places: dict[str, tuple[tuple[str, int], ...]] = {}
        for name in taken:
            again = [
                ElasticTraining(one.id, one.speed, one.arrived, places.get(one.id, ()), float(random.lognormal(8, 1.5)))
                for one in made_up
            ]
            begun = time.process_time()
            places = decide(again, nodes, 60.0)
            taken[name].append((time.process_time() - begun) * 1000)
    for name, some in taken.items():
        print(f"200 trainings on 512 GPUs, {name}: median {np.median(some):.0f} ms of CPU, at most {max(some):.0f} ms")


def _constant(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    if not isinstance(getattr(rules, name, None), float):
        raise argparse.ArgumentTypeError(f"rules/sizes.py has no constant {name} that is a number")
    return name, float(value)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.elastic")
    parser.add_argument("--level", type=int, choices=(1, 2), default=1, help="2: the real engine, made clock")
    parser.add_argument("--sizes", action="store_true", help="level 2: the engine chooses sizes of one to four GPUs")
    parser.add_argument("--seeds", type=int, default=20, help="how many workloads")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--load", type=float, nargs="+", default=[1.0], help="1: 160 jobs in 8 hours on 64 GPUs")
    parser.add_argument("--tables", type=Path, help="a folder of tables of the published simulator")
    parser.add_argument("--policies", nargs="+", choices=list(POLICIES), default=list(POLICIES))
    parser.add_argument("--constants", type=_constant, nargs="+", default=[], help="NAME=VALUE of rules/sizes.py")
    parser.add_argument(
        "--slurm",
        nargs="*",
        metavar="POLICY",
        help="small jobs of real PyTorch on a real Slurm, as root: first, fair, short, fixed, sizes (all when none)",
    )
    parser.add_argument("--python", help="with --slurm: a Python that has PyTorch")
    asked = parser.parse_args()
    for name, value in asked.constants:
        setattr(rules, name, value)
    if asked.slurm is not None:
        from benchmarks.elastic import on_slurm  # it needs what the tests on Slurm need

        on_slurm.compare(asked.slurm or on_slurm.NAMES, asked.first, asked.python)
        return
    kinds = read(asked.tables) if asked.tables else made()
    seeds = range(asked.first, asked.first + asked.seeds)
    if asked.level == 1:
        speed()
    for load in asked.load:
        print()
        if asked.level == 2:
            level_2(kinds, seeds, load, asked.sizes)
        else:
            compare(kinds, seeds, load, asked.policies)


if __name__ == "__main__":
    main()
