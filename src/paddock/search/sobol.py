"""Points that fill a space evenly: Sobol's sequence, scrambled as Owen does, so that every seed has another one.

The n-th point depends on the seed and n alone. Direction numbers: Joe and Kuo, 2008 (new-joe-kuo-6).
"""

from collections.abc import Container
from functools import cache

from paddock.search.axes import PointSampler, complete, dice, key, unseen
from paddock.search.base import Configuration

_BITS = 32
_MASK = (1 << _BITS) - 1
# "polynomial:numbers" per axis: a primitive polynomial and the first direction numbers. The first axis needs none.
_DIRECTIONS = """
3:1 7:1,3 11:1,3,1 13:1,1,1 19:1,1,3,3 25:1,3,5,13 37:1,1,5,5,17 41:1,1,5,5,5 47:1,1,7,11,19 55:1,1,5,1,1
59:1,1,1,3,11 61:1,3,5,5,31 67:1,3,3,9,7,49 91:1,1,1,15,21,21 97:1,3,1,13,27,49 103:1,1,1,15,7,5 109:1,3,1,15,13,25
115:1,1,5,5,19,61 131:1,3,7,11,23,15,103 137:1,3,7,13,13,15,69 143:1,1,3,13,7,35,63 145:1,3,5,9,1,25,53
157:1,3,1,13,9,35,107 167:1,3,1,5,27,61,31 171:1,1,5,11,19,41,61 185:1,3,5,3,3,13,69 191:1,1,7,13,1,19,1
193:1,3,7,5,13,19,59 203:1,1,3,9,25,29,41 211:1,3,5,13,23,1,55 213:1,3,7,3,13,59,17 229:1,3,1,3,5,53,69
239:1,1,5,5,23,33,13 241:1,1,7,7,1,61,123 247:1,1,7,9,13,61,49 253:1,3,3,5,3,55,33 285:1,3,1,15,31,13,49,245
299:1,3,5,15,31,59,63,97 301:1,3,1,11,11,11,77,249 333:1,3,1,11,27,43,71,9 351:1,1,7,15,21,11,81,45
355:1,3,7,3,25,31,65,79 357:1,3,1,1,19,11,3,205 361:1,1,5,9,19,21,29,157 369:1,3,7,11,1,33,89,185
391:1,3,3,3,15,9,79,71 397:1,3,7,11,15,39,119,27
"""
_TABLE = [
    (int(polynomial), [int(number) for number in numbers.split(",")])
    for polynomial, numbers in (entry.split(":") for entry in _DIRECTIONS.split())
]


def coordinate(index: int, axis: int, seed: int) -> float:
    """Return the coordinate (0 <= c < 1) of a point on this axis. Axes beyond the table are drawn at random."""
    if axis > len(_TABLE):
        return dice(seed, "sobol", index, axis).random()
    bits = 0
    for bit, direction in enumerate(_directions(axis)):
        if index >> bit & 1:
            bits ^= direction
    return _scrambled(bits, _salt(seed, axis)) / (1 << _BITS)


@cache
def _directions(axis: int) -> tuple[int, ...]:
    if axis == 0:
        return tuple(1 << (_BITS - 1 - bit) for bit in range(_BITS))
    polynomial, first = _TABLE[axis - 1]
    degree = len(first)
    found = [number << (_BITS - 1 - bit) for bit, number in enumerate(first)]
    for bit in range(degree, _BITS):
        number = found[bit - degree] ^ (found[bit - degree] >> degree)
        for term in range(1, degree):
            if polynomial >> (degree - term) & 1:
                number ^= found[bit - term]
        found.append(number)
    return tuple(found)


@cache
def _salt(seed: int, axis: int) -> int:
    return dice(seed, "salt", axis).getrandbits(_BITS)


def _scrambled(bits: int, salt: int) -> int:
    """Flip each bit or not, depending on the bits above it (the hash of Laine and Karras)."""
    number = (_reversed(bits) + salt) & _MASK
    for factor in (0x6C50B47C, 0xB82F1E52, 0xC7AFE638, 0x8D22F6E6):
        number ^= (number * factor) & _MASK
    return _reversed(number)


def _reversed(bits: int) -> int:
    return int(f"{bits:0{_BITS}b}"[::-1], 2)


class Sobol(PointSampler):
    def point(self, number: int, seen: Container[str]) -> Configuration | None:
        wish = {
            name: axis.at(coordinate(number, place, self._seed))
            for place, (name, axis) in enumerate(self._axes.items())
        }
        chance = dice(self._seed, "unseen", number)
        config = complete(self._axes, wish, chance)
        return config if key(config) not in seen else unseen(self._axes, seen, chance)
