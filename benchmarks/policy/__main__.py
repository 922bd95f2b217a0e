"""Measure the policy: `python -m benchmarks.policy`. No GPU and no server is needed."""

import random
import statistics
import time

from benchmarks.policy.simulator import SLURM, Cluster, Job
from paddock.models import Traits
from paddock.rules.gaps import Booking
from paddock.rules.policy import Decision, Start, plan
from paddock.rules.pool import GpuDevice, Holding, JobDemand, Need, PolicyNode, Pool

HOUR = 3600.0
SEEDS = 5


def nodes(count: int, gpus: int) -> tuple[PolicyNode, ...]:
    return tuple(PolicyNode(f"n{n}", tuple(GpuDevice(str(gpu)) for gpu in range(gpus)), 64) for n in range(count))


def first_come(pool: Pool, now: float) -> list[Decision]:
    """Let the oldest job take what it can use, then the next one: what the embedded backend did by itself."""
    taken = {(one.nodes[0], device) for one in pool.holdings for device in one.devices}
    count = {one.job: 0 for one in pool.demands}
    for one in pool.holdings:
        count[one.job] = count.get(one.job, 0) + 1
    found: list[Decision] = []
    free = [(node.name, gpu.id) for node in pool.nodes for gpu in node.gpus if (node.name, gpu.id) not in taken]
    for demand in sorted(pool.demands, key=lambda one: one.created):
        while free and count[demand.job] < demand.wanted:
            name, device = free.pop(0)
            count[demand.job] += 1
            found.append(Start(demand.job, name, (device,)))
    return found


def sweeps() -> None:
    """One person runs a large sweep; others come with small ones."""
    small: dict[str, list[float]] = {"first come": [], "policy": []}
    large: dict[str, list[float]] = {"first come": [], "policy": []}
    for seed in range(SEEDS):
        draw = random.Random(seed)
        where = nodes(2, 4)
        need = Need(frozenset(node.name for node in where), 1)
        jobs = [Job("large", "anna", need, [draw.lognormvariate(7.5, 0.8) for _ in range(200)])]
        for number in range(12):
            seconds = [draw.lognormvariate(7.0, 0.8) for _ in range(8)]
            jobs.append(Job(f"small-{number}", draw.choice(["bob", "cleo"]), need, seconds, draw.uniform(0, 8) * HOUR))
        for name, policy in (("first come", first_come), ("policy", plan)):
            cluster = Cluster(where, jobs, policy=policy)
            cluster.run()
            ends = {key: (one.done or 0.0) - one.job.arrives for key, one in cluster.states.items()}
            small[name] += [seconds for key, seconds in ends.items() if key != "large"]
            large[name].append(ends["large"])
    for name in small:
        mean, longest = statistics.mean(small[name]) / HOUR, max(small[name]) / HOUR
        print(f"{name:<12} small sweeps {mean:.1f} h on average, {longest:.1f} h at most; ", end="")
        print(f"the large one {statistics.mean(large[name]) / HOUR:.1f} h")


def shares() -> None:
    """Three people with endless work, one with twice the weight, one who comes later."""
    where = nodes(2, 4)
    need = Need(frozenset(node.name for node in where), 1)
    draw = random.Random(1)
    work = {owner: [draw.uniform(300, 1500) for _ in range(3000)] for owner in ("anna", "bob", "cleo")}
    arrives = {"anna": 0.0, "bob": 0.0, "cleo": 6 * HOUR}
    jobs = [Job(owner, owner, need, work[owner], arrives[owner]) for owner in work]
    cluster = Cluster(where, jobs, weights={"anna": 2.0})
    before: dict[str, float] = {}
    for hours in (6, 12, 24):
        cluster.run(hours * HOUR)
        since = {owner: cluster.used[owner] - before.get(owner, 0.0) for owner in work}
        whole = sum(since.values())
        print(f"until {hours:>2} h: " + ", ".join(f"{owner} {used / whole:.0%}" for owner, used in since.items()))
        before = dict(cluster.used)
    print(f"{cluster.gave_way} allocations gave way, {cluster.idle / HOUR:.2f} GPU hours idle while tasks waited")


def speed() -> None:
    """One decision with 1,000 jobs of 20 people on 100 nodes with 8 GPUs each."""
    where = nodes(100, 8)
    need = Need(frozenset(node.name for node in where), 1)
    demands = tuple(JobDemand(f"j{n}", f"o{n % 20}", need, 100, n) for n in range(1000))
    held = tuple(
        Holding(f"k{n}", f"j{n}", f"o{n % 20}", need, (f"n{n // 8}",), (str(n % 8),), ends_at=float(n))
        for n in range(800)
    )
    for name, holdings in (("all free", ()), ("all in use", held)):
        for queued in (False, True):
            pool = Pool(where, demands, holdings, traits=SLURM if queued else Traits())
            begun = time.process_time()
            plan(pool, 0.0)
            kind = "queued" if queued else "bare"
            print(f"{name}, {kind}: {(time.process_time() - begun) * 1000:.0f} ms of CPU")


def reserved() -> None:
    """One decision for 20 people on 8 nodes with 8 GPUs each, of which there are 1,600 reservations."""
    where, people, draw = nodes(8, 8), [f"o{n}" for n in range(20)], random.Random(1)
    made = []
    for node in where:
        for gpu in node.gpus:
            at = draw.uniform(-4, 4) * HOUR
            for _ in range(25):
                end = at + draw.uniform(1, 12) * HOUR
                made.append(Booking(node.name, gpu.id, at, end, draw.choice(people)))
                at = end + draw.choice([0.0, 2 * HOUR, 9 * HOUR])
    on = frozenset(node.name for node in where)
    lengths = (None, HOUR, 3 * HOUR, 10 * HOUR)
    needs = [Need(on, draw.choice([1, 1, 2, 4]), seconds=draw.choice(lengths), yields=n % 2 == 0) for n in range(200)]
    demands = tuple(JobDemand(f"j{n}", people[n % 20], needs[n], 4, n) for n in range(200))
    for jobs in (20, 60, 200):
        for name, bookings in (("without reservations", ()), (f"with {len(made)}", tuple(made))):
            pool, taken = Pool(where, demands[:jobs], bookings=bookings), []
            for _ in range(5):
                begun = time.process_time()
                decisions = plan(pool, 0.0)
                taken.append(time.process_time() - begun)
            count = sum(isinstance(one, Start) for one in decisions)
            print(f"{jobs} jobs, {name}: {min(taken) * 1000:.1f} ms of CPU, {count} allocations started")


def main() -> None:
    for part in (sweeps, shares, speed, reserved):
        print(f"\n== {(part.__doc__ or '').strip()}", flush=True)
        part()


if __name__ == "__main__":
    main()
