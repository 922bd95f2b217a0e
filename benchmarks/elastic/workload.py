"""Workloads that are made with a seed: when jobs arrive, what they train, and how long."""

from dataclasses import dataclass

import numpy as np

from benchmarks.elastic.tables import NODE, NODES, SIZES, Kind

HOUR = 3600.0
HOURS = 8
JOBS = 160
SWEEPS = 5  # of eight tasks that use one GPU each, among the jobs
TASKS = 8
RATES = (1.0, 1.4, 2.2, 3.0, 2.4, 1.6, 1.2, 0.8)  # jobs per hour, in proportion: a day with a peak
MEDIAN, SPREAD = 0.45, 1.9  # GPU hours of a job on one GPU: log-normal
MOST_HOURS = 150.0


@dataclass(frozen=True)
class JobPlan:
    """A job as it arrives. `work`: samples of the first batch size; it tells `told` times as many."""

    id: str
    kind: Kind
    arrives: float
    work: float
    told: float
    elastic: bool
    gpus: int  # asked for where sizes are not chosen
    batch: float


def workload(kinds: list[Kind], seed: int, load: float = 1.0) -> list[JobPlan]:
    random = np.random.default_rng([seed, 19])
    count = round(JOBS * load)
    sweeps = round(SWEEPS * load)
    times = [_arrival(random) for _ in range(count - sweeps * TASKS)]
    plans = [_job(f"j{number:03}", kinds, at, random) for number, at in enumerate(times)]
    for sweep in range(sweeps):
        at, kind = _arrival(random), _kind(kinds, 0.5, random)
        usual = min(random.lognormal(np.log(MEDIAN), 1.0), 4.0)
        for task in range(TASKS):
            hours = usual * random.lognormal(0.0, 0.4)
            plans.append(_plan(f"s{sweep}-{task}", kind, at, hours, False, random))
    return sorted(plans, key=lambda one: (one.arrives, one.id))


def _arrival(random: np.random.Generator) -> float:
    hour = random.choice(HOURS, p=np.array(RATES) / sum(RATES))
    return float((hour + random.random()) * HOUR)


def _kind(kinds: list[Kind], hours: float, random: np.random.Generator) -> Kind:
    place = int(np.searchsorted([1, 10, 100], hours))
    common = np.array([kind.common[place] for kind in kinds])
    return kinds[random.choice(len(kinds), p=common / common.sum())]


def _job(name: str, kinds: list[Kind], at: float, random: np.random.Generator) -> JobPlan:
    hours = min(random.lognormal(np.log(MEDIAN), SPREAD), MOST_HOURS)
    return _plan(name, _kind(kinds, hours, random), at, max(hours, 0.02), True, random)


def _plan(name: str, kind: Kind, at: float, hours: float, elastic: bool, random: np.random.Generator) -> JobPlan:
    noise = kind.noise_at(0.5)
    batches = np.geomspace(kind.first, kind.most, 12)

    def best(gpus: int) -> tuple[float, float]:
        rates = [kind.goodput(gpus, batch, noise) for batch in batches]
        place = int(np.argmax(rates))
        return rates[place], float(batches[place])

    alone, batch = best(1)
    gpus = 1
    if elastic:  # as people would who know their program well: sizes at which half to four fifths of each GPU
        # count, or the largest one if all count for more
        able = [size for size in SIZES if size in (1, 2, 4, 8, 16) and size <= NODE * NODES]
        good = [size for size in able if size > 1 and best(size)[0] / alone / size >= 0.5]
        tight = [size for size in good if best(size)[0] / alone / size <= 0.8] or good[-1:]
        few = [size for size in tight if hours / size > 0.1]
        gpus = int(random.choice(few)) if few else 1
        batch = best(gpus)[1]
    told = float(random.lognormal(0.0, 0.2))
    return JobPlan(name, kind, at, hours * HOUR * alone, told, elastic, gpus, batch)
