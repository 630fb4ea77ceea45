"""Which sizes beyond its evidence a claim is tried at: right after it, far out, and at numbers in the code."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

from ..exact.instance import is_for
from ..language.claim import Claim
from ..language.sizes import grid

Ranges = Mapping[str, Sequence[int]]
NEXT = 3
"""How many sizes right after those of the evidence are tried."""
DRAWN = ((8, 5, 40), (5, 40, 240), (1, 257, 330))
"""(how many, from, to): sizes that are drawn. Python keeps one object for each whole number up to 256, no further."""
GROWING = ((4, 8), (9, 16), (17, 40), (41, 100), (101, 240), (257, 330))
"""(from, to): in each one size is drawn while all others are least, for as long as it is affordable."""
SPELLED = 5_000
"""Numbers in the code up to this one are tried, and their neighbours."""
LARGEST = 330
"""No size that is drawn lies farther than this beyond the evidence."""
FROM_CODE = 32
"""The most numbers from the code that are tried."""
PAIRED = 12
"""Numbers in the code up to this one are tried in all combinations, for several sizes at once."""
ALIKE = 32
"""Up to this one, for all sizes alike."""
TOGETHER = 4
"""The number of choices in which all sizes are beyond small ones at once."""


def nearby(numbers: set[int]) -> list[int]:
    """Numbers that stand in the code, and their neighbours; −400 counts as 400, as in `rows[-400:]`."""
    return sorted(
        {abs(n) + k for n in numbers for k in (-1, 0, 1, 2) if 0 <= abs(n) + k <= SPELLED}
    )


def next_sizes(claim: Claim) -> dict[str, dict[str, int]]:
    """For each size the choice in which it is the next one after those of the evidence, and all others are least."""
    return {name: beside(claim, name, max(values) + 1) for name, values in claim.ranges.items()}


def beside(claim: Claim, name: str, n: int) -> dict[str, int]:
    """One size as given, the others the least of which the claim speaks."""
    small = grid({**claim.ranges, name: [n]})
    alike = ({**dict.fromkeys(claim.ranges, other), name: n} for other in (n, n + 1))
    least = {**{o: min(v) for o, v in claim.ranges.items()}, name: n}
    every = itertools.chain([least], itertools.islice(small, FROM_CODE), alike)
    return next((sizes for sizes in every if is_for(claim, sizes)), least)


def choices(
    claim: Claim, numbers: set[int], rng: random.Random
) -> Iterator[tuple[dict[str, int], str]]:
    """Mixed sizes to try, each with the name of the one that is large ("" for all): the most informative comes first.

    These are sizes right after those of the evidence, all sizes alike, and numbers that stand in the code; then those
    that are drawn. Each kind begins with small ones.
    """
    ranges = claim.ranges
    spelled_near = nearby(numbers)
    near: dict[tuple[int, ...], str] = {}
    far: dict[tuple[int, ...], str] = {}
    for name, values in ranges.items():
        most = max(values)
        for n in (
            *range(most + 1, most + 1 + NEXT),
            *[n for n in spelled_near if n > most][:FROM_CODE],
        ):
            near.setdefault(beside_small(ranges, name, n, rng), name)
        for count, low, high in DRAWN:
            for _ in range(count):
                far.setdefault(beside_small(ranges, name, most + rng.randint(low, high), rng), name)
    if len(ranges) > 1:
        every = list(ranges.values())
        spelled = [sorted({n for n in numbers if min(v) <= n <= PAIRED}) for v in every]
        pairs = sorted(itertools.product(*spelled), key=lambda one: (sum(one), one))
        beyond_all = (p for p in pairs if any(n > max(v) for n, v in zip(p, every, strict=True)))
        for pair in itertools.islice(beyond_all, FROM_CODE):  # such as the key (4, 2)
            near.setdefault(pair, "")
        least, most = max(map(min, every)), max(map(max, every))
        alike = [n for n in spelled_near if most < n <= ALIKE][:FROM_CODE]
        for n in (*range(least, most + NEXT), most + rng.randint(5, 20), *alike):  # all of them
            near.setdefault((n,) * len(every), "")
        for _ in range(TOGETHER):
            far.setdefault(tuple(max(v) + rng.randint(0, 4) for v in every), "")
    for found in (near, far):
        for values in sorted(found, key=lambda one: (sum(one), one)):
            yield dict(zip(ranges, values, strict=True)), found[values]


def beside_small(ranges: Ranges, name: str, n: int, rng: random.Random) -> tuple[int, ...]:
    """One size as given, the others small, and drawn."""
    others = {o: rng.choice(sorted({min(v), min(v) + 1, *v})) for o, v in ranges.items()}
    return tuple({**others, name: n}.values())
