"""Predict the GPU memory of a task from its parameters, by that of earlier tasks. Pure.

The memory of a training is a sum of terms: a constant (context, libraries), the weights (width squared times layers),
the activations (batch times width times layers). Each term is a product of powers of parameters, perhaps only for one
value of a choice (Adam keeps more than SGD). The few terms that predict best are chosen by leaving out each task in
turn and predicting it from the others. No term is negative: more is never expected to need less.
"""

from __future__ import annotations

import math
from itertools import product
from operator import mul
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

MOST_SAMPLES = 200  # tasks that are remembered per program and kind of GPU
MOST_PARAMS = 64  # of each
MOST_TEXT = 80  # letters of a name or value
LARGEST = 10**15  # of a number that counts as one

_FITTED = 64  # samples that a model is made of
_LEAST_SAMPLES = 6
_NUMBERS = 4  # numbers that are tried in terms: those that are most like the need
_CHOICES = 8  # values of choices that are tried in terms
_TERMS = 5  # of a model
_ROUNDS = 6  # in each, a term is added
_DEGREE = 4  # of a term
_PROMISING = 8  # terms of which the error is computed exactly
_SURE = 2.5  # standard deviations between the expected need and the one that is promised
_LEAST = 0.01  # standard deviation, of a need: allocators round
_WORST = 0.35  # with a larger one nothing is predicted
_BETTER = 0.85  # a further term has to reduce the error to this part of it
_CAUTION = 2.0  # how much less a model is trusted that has many terms for few samples
_BEYOND = 1.25  # times as much is promised where no known task is at least as large in each parameter
_EQUAL = 1.03  # times as much is promised as a task with the same values has needed
_RIDGE = 1e-6
_ALIKE = math.log(1.1)  # needs are alike within this

Sample = Tuple[Mapping[str, Any], int]  # parameters of a task, and the bytes that it needed


def usable(params: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the parameters that can predict a need: numbers and short texts, and not too many of them."""
    found = {}
    for name, value in params.items():
        short = isinstance(value, (bool, str)) or value is None or _is_number(value)
        if short and isinstance(name, str) and len(name) <= MOST_TEXT and len(str(value)) <= MOST_TEXT:
            found[name] = value
            if len(found) == MOST_PARAMS:
                break
    return found


def keep(samples: Iterable[Sample], most: int = MOST_SAMPLES) -> List[Sample]:
    """Return up to `most` samples, the oldest first: of equal tasks the larger need, of alike needs the newest."""
    newest: Dict[str, Sample] = {}
    for sample in samples:
        key = repr(sorted(sample[0].items()))
        before = newest.pop(key, sample)
        newest[key] = before if before[1] > sample[1] else sample
    alike: Dict[int, List[int]] = {}
    kept = list(newest.values())
    for place, (_, need) in enumerate(kept):
        alike.setdefault(int(math.log(max(need, 1)) / _ALIKE), []).append(place)
    dropped: Set[int] = set()
    while len(kept) - len(dropped) > most:
        dropped.add(max(alike.values(), key=len).pop(0))
    return [sample for place, sample in enumerate(kept) if place not in dropped]


def parse(given: Any) -> List[Sample]:
    """Read samples from a file: a list of pairs of parameters and a need. What is not valid is left out."""
    if not isinstance(given, list):
        return []
    pairs = [one for one in given[-MOST_SAMPLES:] if isinstance(one, (list, tuple)) and len(one) == 2]
    return [
        (usable(params), need)
        for params, need in pairs
        if isinstance(params, dict) and type(need) is int and 0 < need < LARGEST
    ]


class Term(NamedTuple):
    """A product of powers of parameters, for tasks with one value of a choice."""

    powers: Tuple[Tuple[str, float, int], ...] = ()  # parameter, its largest value so far, exponent
    choice: Optional[Tuple[str, str]] = None  # parameter and its value as text

    def of(self, params: Mapping[str, Any]) -> float:
        """Return its value for these parameters, which have all numbers that it uses."""
        if self.choice is not None and repr(params.get(self.choice[0])) != self.choice[1]:
            return 0.0
        result = 1.0
        for name, largest, power in self.powers:
            result *= (params[name] / largest) ** power
        return result


class NeedModel:
    """Predicts needs. `make` returns None if the samples allow no prediction."""

    def __init__(self, fit: _Fit, samples: Sequence[Sample]) -> None:
        self._fit, self._samples = fit, samples
        self._numbers, self._choices = sorted(fit.numbers), sorted(fit.choices)
        values = {name: {repr(params[name]) for params, _ in samples} for name in self._numbers + self._choices}
        # Two values of a number do not show how the need depends on it in between.
        self._known = {name: values[name] for name in values if name in self._choices or len(values[name]) < 3}
        self._least = {name: min(params[name] for params, _ in samples) for name in self._numbers}

    @classmethod
    def make(cls, samples: Iterable[Sample]) -> Optional[NeedModel]:
        """`samples` have parameters as `usable` returns them."""
        chosen = keep((sample for sample in samples if 0 < sample[1] < LARGEST), _FITTED)
        if len(chosen) < _LEAST_SAMPLES:
            return None
        columns = {term: [term.of(params) / need for params, need in chosen] for term in _candidates(chosen)}
        fits = [_Fit([Term()], columns)]
        for _ in range(_ROUNDS):
            tried = [_sound([*fits[-1].terms, term], columns) for term in _promising(fits[-1].terms, columns)]
            new = [fit for fit in tried if len(fit.terms) <= min(_TERMS, len(chosen) - 3)]
            if not new:
                break
            fits.append(min(new, key=lambda fit: fit.spread))
        # Two further terms may help together where the first of them alone does not.
        best = min(fits, key=lambda fit: fit.spread / _BETTER ** len(fit.terms))
        return cls(best, chosen) if best.spread <= _WORST and best.numbers | best.choices else None

    def need(self, params: Mapping[str, Any]) -> Optional[int]:
        """Return the bytes that are enough for such a task; None: it is unlike all that are known."""
        if any(repr(params.get(name)) not in values for name, values in self._known.items()):
            return None
        if not all(_positive(params.get(name)) for name in self._numbers):
            return None
        # What is smaller than all known tasks is expected to need as much as if it were not.
        mine = {**params, **{name: max(params[name], least) for name, least in self._least.items()}}
        found = self._fit.enough(mine)
        alike = [
            one for one in self._samples if all(repr(one[0][name]) == repr(params[name]) for name in self._choices)
        ]
        below = [need for known, need in alike if all(known[name] <= mine[name] for name in self._numbers)]
        above = [need for known, need in alike if all(known[name] >= mine[name] for name in self._numbers)]
        equal = [need for known, need in alike if all(known[name] == params[name] for name in self._numbers)]
        if equal:
            return int(max(equal) * _EQUAL)
        least = max(below, default=min(need for _, need in self._samples))
        largest = max(need for _, need in self._samples)
        if above:
            return int(max(least, min(found, min(above) * self._fit.margin, largest * _EQUAL)))
        beyond = any(all(mine[name] > known[name] for known, _ in self._samples) for name in self._numbers)
        largest = largest if beyond else 0
        return int(min(max(least, largest, found * _BEYOND), LARGEST))


class _Fit:
    """A regression of the relative error: a sample of 1 GB counts as much as one of 10 GB."""

    def __init__(self, terms: Sequence[Term], known: Mapping[Term, Sequence[float]]) -> None:
        """`known` has the values of each term per sample, each divided by the need of the sample."""
        self.terms = terms
        columns = [known[term] for term in terms]
        self._scale = [max(column) or 1.0 for column in columns]
        scaled = [[value / unit for value in column] for column, unit in zip(columns, self._scale)]  # noqa: B905
        square = [[_dot(left, right) for right in scaled] for left in scaled]
        for place, line in enumerate(square):
            line[place] += _RIDGE
        self._inverse = _inverse(square)
        self.weights = [_dot(line, [sum(column) for column in scaled]) for line in self._inverse]
        rows = list(zip(*scaled))  # noqa: B905
        errors = [(1.0 - _dot(self.weights, row)) / max(1.0 - self._leverage(row), 1e-3) for row in rows]
        self.spread = max(math.sqrt(_dot(errors, errors) / len(errors)), _LEAST)
        self._doubt = 1.0 + _CAUTION * (len(terms) - 1) / len(rows)  # the terms were chosen to fit these samples

    @property
    def numbers(self) -> Set[str]:
        return {name for term in self.terms for name, _, _ in term.powers}

    @property
    def choices(self) -> Set[str]:
        return {term.choice[0] for term in self.terms if term.choice is not None}

    @property
    def margin(self) -> float:
        """Times the expected need is enough, near the samples."""
        return 1.0 + _SURE * self._doubt * self.spread

    def enough(self, params: Mapping[str, Any]) -> float:
        """Return the expected need and what it may be more; far from the samples that is much."""
        scaled = [term.of(params) / unit for term, unit in zip(self.terms, self._scale)]  # noqa: B905
        expected = min(max(_dot(self.weights, scaled), 1.0), float(LARGEST))
        leverage = max(self._leverage([value / expected for value in scaled]), 0.0)
        return expected * (1.0 + _SURE * self._doubt * self.spread * math.sqrt(1.0 + leverage))

    def _leverage(self, row: Sequence[float]) -> float:
        return _dot(row, [_dot(line, row) for line in self._inverse])


def _sound(terms: Sequence[Term], columns: Mapping[Term, Sequence[float]]) -> _Fit:
    """Return the fit of these terms without those that would be negative."""
    while True:
        fit = _Fit(terms, columns)
        least = min(fit.weights)
        if least >= 0 or len(terms) == 1:
            return fit
        terms = [term for term, weight in zip(terms, fit.weights) if weight > least]  # noqa: B905


def _promising(chosen: Sequence[Term], columns: Mapping[Term, Sequence[float]]) -> List[Term]:
    """Return the terms that explain most of what the chosen ones leave."""
    basis: List[List[float]] = []
    left = [1.0] * len(columns[chosen[0]])
    for term in chosen:
        column = list(columns[term])
        for other in basis:
            part = _dot(column, other)
            column = [a - part * b for a, b in zip(column, other)]  # noqa: B905
        size = math.sqrt(_dot(column, column)) or 1.0
        basis.append([value / size for value in column])
        part = _dot(basis[-1], left)
        left = [a - part * b for a, b in zip(left, basis[-1])]  # noqa: B905
    gains = []
    for term, values in columns.items():
        along = _dot(values, left)
        if along > 0 and term not in chosen:
            whole = _dot(values, values)
            own = whole - sum(_dot(values, other) ** 2 for other in basis)
            if own > 1e-9 * whole:
                gains.append((along * along / own, term))
    return [term for _, term in sorted(gains, key=lambda gain: -gain[0])[:_PROMISING]]


def _candidates(samples: Sequence[Sample]) -> Iterator[Term]:
    """Return a constant, and terms of the parameters that differ between the samples and are most like their needs."""
    yield Term()
    logs = [math.log(need) for _, need in samples]
    numbers: List[Tuple[float, str, float]] = []
    choices: List[Tuple[str, str]] = []
    for name in sorted(set.intersection(*(set(params) for params, _ in samples))):
        values = [params[name] for params, _ in samples]
        texts = sorted(set(map(repr, values)))
        if all(map(_positive, values)) and len(texts) > 1:
            numbers.append((-_likeness([math.log(value) for value in values], logs), name, max(values)))
        elif 1 < len(texts) <= _CHOICES:
            choices += [(name, text) for text in texts]
    varied = [(name, largest) for _, name, largest in sorted(numbers)[:_NUMBERS]]
    for exponents in product(range(3), repeat=len(varied)):
        powers = tuple((*number, power) for number, power in zip(varied, exponents) if power)  # noqa: B905
        if 0 < sum(exponents) <= _DEGREE:
            yield Term(powers)
        if sum(exponents) < _DEGREE:
            for choice in choices[:_CHOICES]:
                yield Term(powers, choice)


def _likeness(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the correlation; a parameter of which more needs less comes last."""
    a, b = sum(left) / len(left), sum(right) / len(right)
    left, right = [x - a for x in left], [y - b for y in right]
    return _dot(left, right) / math.sqrt(max(_dot(left, left) * _dot(right, right), 1e-12))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST  # NaN is none


def _positive(value: Any) -> bool:
    return _is_number(value) and value >= 1 / LARGEST


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    found: float = sum(map(mul, left, right))
    return found


def _inverse(matrix: Sequence[Sequence[float]]) -> List[List[float]]:
    """Return the inverse of a positive definite matrix."""
    size = len(matrix)
    rows = [[*line, *(1.0 if i == j else 0.0 for j in range(size))] for i, line in enumerate(matrix)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda place: abs(rows[place][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = rows[column][column]
        rows[column] = [value / scale for value in rows[column]]
        for place in range(size):
            if place != column and rows[place][column]:
                factor = rows[place][column]
                rows[place] = [a - factor * b for a, b in zip(rows[place], rows[column])]  # noqa: B905
    return [line[size:] for line in rows]
