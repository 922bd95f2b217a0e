"""Measure what hostile inputs cost, in CPU seconds of this process and of those that it starts."""

import os
from collections.abc import Callable

from paddock.errors import PaddockError
from paddock.models import JobSpec, space
from paddock.server.intake import planning


def _plan(spec: dict[str, object], source: str | None = None) -> None:
    given = {"script": "train.py"} if source is not None else {"command": "true"}
    made = JobSpec.model_validate(given | spec)
    planning.plan(planning.PlanInput(made, source.encode() if source is not None else None, 20_000))


def _drawn(count: int, method: str, trials: int) -> Callable[[], None]:
    params = {f"p{n}": "0..1.5" for n in range(count)}
    return lambda: _plan({"params": params, "search": {"method": method, "trials": trials}})


def _conditions() -> None:
    listed = ",".join(map(str, range(49_900, 50_000)))
    params = {"a": list(range(50_000)), **{f"p{n}": f"0..1.5 if a={listed}" for n in range(20)}}
    _plan({"params": params, "search": {"method": "random", "trials": 50}})


CASES: dict[str, Callable[[], object]] = {
    "8,000 dots": lambda: space.parse("1" + "." * 8000),
    "20,000 digits and a letter": lambda: space.parse("1" * 20_000 + "x"),
    "20 conditions of 100 values on 50,000": _conditions,
    "900 dimensions, 200 Sobol trials": _drawn(900, "sobol", 200),
    "20,000 Sobol trials": _drawn(3, "sobol", 20_000),
    "a script of 5 MB": lambda: _plan({}, "x = 1\n" * 900_000),
    "a script of 1 MB": lambda: _plan({}, "x = 1\n" * 170_000),
}


def main() -> None:
    for name, run in CASES.items():
        before = sum(os.times()[:4])
        try:
            run()
            said = "done"
        except (PaddockError, ValueError) as error:
            said = str(error)[:60]
        print(f"{sum(os.times()[:4]) - before:8.2f} s  {name}: {said}", flush=True)


if __name__ == "__main__":
    main()
