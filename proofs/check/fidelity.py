"""Is a statement the claim's own? The untraced body is run on plain NumPy, and compared with the statement's reading.

Two recordings share one door and its mistakes. The untraced body shares nothing with it: its loops go turn by turn, its
questions are answered by numbers, its counters count.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.masks import Mask

from ..doors.caught import not_raised
from ..exact.instance import is_for, shapes
from ..exact.meter import Meter, TooLong
from ..language.claim import Claim
from ..language.sizes import Sizes, by_name
from ..readings.derivative import prepared
from ..readings.floats import Floats, Moved, relations
from ..readings.functions import smooth
from ..readings.metered import Counting, Metered
from ..readings.program import compiled, functions
from ..readings.reading import Reading
from ..readings.run import of
from ..statement import making, nodes
from ..statement.conditions import DOMAINS, is_whole
from ..statement.errors import IllFormed
from ..statement.statement import Statement, every_node, inputs_of
from .sizes_beyond import GROWING, beside, beside_small, nearby
from .source import Source
from .untraced import untraced
from .ways import Ran, Unseen, another_way, noting

CHOICES = 12
"""At most so many choices of sizes are tried."""
GROWN = (4, 5, 7, 11)
"""What each size is in turn while the others are least."""
ALONE, ALIKE = 4, 3
"""How many choices are tried with one size grown, and with all sizes alike."""
SPELLED = 40
"""Numbers in the code up to this one are tried, for all sizes and for each."""
LARGEST = 9
"""How far the sizes that are drawn lie beyond the least."""
FAR = 120_000
"""The operations of the statement that sizes far out may take, all together."""
ONE_CHOICE, AT_NUMBERS = 4, 2
"""How often the body is run where there is one choice of sizes, and where it is recorded at one."""
RUN_OVER = (ArithmeticError, MemoryError, RecursionError)
"""What the machine's numbers and memory raise far out; all else that is raised there is the body's own."""
MODERATE = 1e30
"""Where a statement's numbers are below this, the machine's do not explain that its body raises, or has no value."""
MOVES = 8
"""How often results are moved where both sides differ: what moves most stands for what rounding may do.

Of a triangular system of 50 rows three samples fall short of it.
"""
DIGITS = 2**20
"""Inputs are multiples of 1/DIGITS: floats add them without rounding, so that what is equal compares equal."""
SMALL = 2
"""How far sizes are above the least where what programs need besides is tried."""
VOLUME = 400
"""Choices whose sizes have a greater product are left out, unless all but one of them are least."""


class Rounding(NamedTuple):
    """What a format of floats loses."""

    lost: float
    """How far floats may be apart, in an array's largest entry: far above what sums of a few hundred terms lose."""
    moved: float
    """How far results are moved, relatively: by a few of their last digits."""


WIDE = Rounding(2.0**-32, 2.0**-44)
NARROW = {"float32": Rounding(2.0**-11, 2.0**-15), "float16": Rounding(2.0**-4, 2.0**-6)}
"""Where a program computes in narrower formats: it gives arrays of the coarsest of them."""


def disagreement(claim: Claim, statement: Statement, programs: Sequence[Any] = ()) -> str | None:
    """Where the statement and the claim's untraced body differ, in words; None if they agree where both have values.

    Args:
        claim: the claim.
        statement: what was recorded of it.
        programs: those that it called there, which need not be traced again.
    """
    why = broken(statement)
    if why:
        return why
    comparison = _Comparison(claim, statement)
    at_numbers: Ran = set()
    every = [dict(statement.at)] * AT_NUMBERS if statement.at else choices(claim)
    for turn, sizes in enumerate(every if len(every) > 1 else every * ONE_CHOICE):
        around = noting(at_numbers) if turn == 1 else nullcontext()
        try:
            why = comparison.at(sizes, signed=turn % 2 == 1, around=around)
            if turn == 1:
                why = another_way(claim, statement, at_numbers, programs) or why
        except Unseen as error:
            return str(error)
        if why is not None:
            return why
    return comparison.far_out(tried=every) or comparison.unseen()


class _Comparison:
    """The untraced body and the statement's reading, at sizes and at numbers that are drawn for the inputs."""

    def __init__(self, claim: Claim, statement: Statement) -> None:
        bounded = [one for one in statement.hypotheses if one.bounds]
        bounds = tuple(bound for one in bounded for bound in one.bounds)
        self.claim, self.texts = claim, [one.text for one in bounded]
        self.statement = replace(statement, relations=(*statement.relations, *bounds))
        self.read = _as_nodes(self.statement) if statement.at else _program(self.statement)
        self.partial = not set(DOMAINS.values()).isdisjoint(statement.assumed)
        """Whether the body may have no value where the statement, in which less is left, has."""
        self.rng = np.random.default_rng(random.Random(claim.id).randrange(2**32))
        self.compared: set[int] = set()
        """The statements of which both sides had a value somewhere."""

    def at(
        self,
        sizes: Sizes,
        signed: bool = True,
        around: AbstractContextManager[None] | None = None,
        meter: Meter | None = None,
    ) -> str | None:
        """Where the two differ at these sizes, in words.

        Raises:
            TooLong: if the meter has fewer operations left than the statement takes; the body is not run then.
        """
        signs = (1, -1) if signed else (1,)
        lengths = shapes(self.claim, sizes)
        if meter is not None:
            meter.spend(sum(map(prod, lengths.values())))
        inputs = {
            n: self.rng.integers(DIGITS // 4, DIGITS, dims) / DIGITS * self.rng.choice(signs, dims)
            for n, dims in lengths.items()
        }
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found, other = _attempted(lambda: self.read(sizes, inputs, meter))
            with around or nullcontext():
                own, error = _attempted(lambda: [*untraced(self.claim, sizes, inputs, self.texts)])
        far = meter is not None
        undefined = far or self.partial
        if error is not None and (other is not None or not_raised(error) in self.statement.assumed):
            return None
        unexplained = isinstance(error, ArithmeticError) and _is_moderate(found)
        if far and isinstance(error or other, RUN_OVER) and not unexplained:
            return None
        where = f" at {by_name(sizes)}" if sizes else ""
        if error is not None:
            return f"the body does not run{where}, where its statement has a value: {error}"
        if other is not None:
            return f"the statement has no value{where}, where the body has: {other}"
        differing = _differing(own, found, undefined)
        if differing:
            moved = self._moved(sizes, inputs, found, own)
            if not _differing(own, found, undefined, moved):
                return None  # what rounding explains
            return f"{differing}{where}"
        both = zip(found, own, strict=True)
        self.compared.update(
            k for k, sides in enumerate(both) if all(map(_has_value, sum(sides, ())))
        )
        return None

    def _moved(
        self, sizes: Sizes, inputs: Mapping[str, np.ndarray], found: Pairs, own: Pairs
    ) -> list[Any]:
        """How far each side moves where all results move by a few of a float's last digits.

        What is ill-conditioned, such as a long triangular system, loses others as well.
        """
        farthest: list[Any] = [(0.0, 0.0)] * len(found)
        far = max((_rounding(side).moved for sides in own for side in sides), default=WIDE.moved)
        for _ in range(MOVES):
            reading = Moved(sizes, inputs, self.rng, far)
            with np.errstate(all="ignore"):
                again, error = _attempted(
                    lambda reading=reading: [
                        (a, b) for _, a, b in of(self.statement.relations, reading)
                    ]
                )
                if error is not None:
                    return farthest
                farthest = [
                    tuple(
                        np.maximum(most, abs(_array(a) - _array(b)))
                        for most, a, b in zip(*one, strict=True)
                    )
                    for one in zip(farthest, found, again, strict=True)
                ]
        return farthest

    def far_out(self, tried: Sequence[Sizes]) -> str | None:
        """The same with each size in turn far out, as far as operations go, while the others are small.

        A step that counts its turns may do at the fiftieth what it did not do at the first. Where floats
        run over, or whole numbers may, nothing is compared.
        """
        if self.statement.at or any(map(_runs_over, every_node(self.statement.nodes))):
            return None
        source = Source(self.claim.functions)
        rng = random.Random(source.seed)
        for name, values in self.claim.ranges.items():
            meter = Meter(FAR // len(self.claim.ranges))
            drawn = (rng.randint(*ends) for ends in GROWING if ends[0] > SPELLED)
            for n in sorted({*nearby(source.numbers), *drawn}):
                small = beside_small(self.claim.ranges, name, n, rng)
                sizes = dict(zip(self.claim.ranges, small, strict=True))
                if not is_for(self.claim, sizes):
                    sizes = beside(self.claim, name, n)
                if n <= max(values) + LARGEST or sizes in tried or not is_for(self.claim, sizes):
                    continue
                try:
                    why = self.at(sizes, meter=meter)
                except TooLong:
                    break
                if why is not None:
                    return why
        return None

    def unseen(self) -> str | None:
        """A statement that had no value anywhere, in words."""
        unseen = sorted(set(range(len(self.statement.relations))) - self.compared)
        return f"statement {unseen[0] + 1} has no value at any size tried" if unseen else None


def broken(statement: Statement) -> str:
    """What has to hold for the nodes to be those of programs and does not, at small sizes; "" if nothing is seen.

    The statement is none of the claim's then, whatever the body computes.
    """
    sizes = {one.name: one.least + SMALL for one in statement.sizes}
    rng, length = np.random.default_rng(0), Reading(np, sizes, {}).whole
    inputs = {}
    for one in inputs_of(statement.owed):
        dims = tuple(map(length, one.lengths))
        inputs[one.name] = (
            rng.integers(0, 2, dims) if one.format.is_whole else rng.uniform(0.25, 1, dims)
        )
    with np.errstate(all="ignore"):
        reading = Floats(sizes, inputs)
        for one in statement.owed:
            if not one.each and not _near(reading(one.left), reading(one.right), False):
                return f"{''.join(map(str, one.label))}, which is not so"
    return ""


Read = Callable[[Sizes, Mapping[str, np.ndarray], Meter | None], list[tuple[Any, Any]]]


def _as_nodes(statement: Statement) -> Read:
    def run(sizes: Sizes, inputs: Mapping[str, np.ndarray], meter: Meter | None) -> Any:
        if meter is not None:  # its operations are not counted
            raise TooLong
        return [(a, b) for _, a, b in relations(statement, sizes, inputs)]

    return run


def _program(statement: Statement) -> Read:
    """The statement as its printed program computes it; as nodes are read where it has a gradient of no formula."""
    try:
        body = compiled(prepared(statement), Metered)
    except IllFormed:
        return _as_nodes(statement)
    own = () if statement.at else tuple(one.name for one in statement.sizes)
    unknown = functions(statement.relations)
    stand_ins = {name: smooth(name, one.laws) for name, one in unknown.items()}

    def run(sizes: Sizes, inputs: Mapping[str, np.ndarray], meter: Meter | None) -> Any:
        body.__globals__["np"] = Counting(meter)
        given = {name: sizes[name] for name in own}
        return [(a, b) for _, a, b in body(**given, **inputs, **stand_ins)]

    return run


def choices(claim: Claim) -> list[dict[str, int]]:
    """Sizes of the evidence, numbers that stand in the code, each size grown by itself, and some that are drawn."""
    least = {name: min(values) for name, values in claim.ranges.items()}
    if not least:
        return [{}]
    every = claim.every_size
    source = Source(claim.functions)
    rng = random.Random(source.seed)
    spelled = [n for n in nearby(source.numbers) if max(least.values()) + 3 < n <= SPELLED]
    alone = [{**least, name: n} for n in (*GROWN, *spelled) for name in least if n > least[name]]
    alike = [dict.fromkeys(least, n) for n in (4, *spelled)]
    drawn = [
        {name: rng.randint(low, low + LARGEST) for name, low in least.items()}
        for _ in range(CHOICES)
    ]
    few = [*_few(rng, alike, ALIKE), *_few(rng, alone, ALONE)]
    found = [*every[:2], *every[-1:], *few, *drawn]
    kept: list[dict[str, int]] = []
    for one in found:
        if len(kept) < CHOICES and one not in kept and _affordable(one, least):
            kept += [one] if is_for(claim, one) else []
    return kept


def _few(rng: random.Random, every: list[dict[str, int]], count: int) -> list[dict[str, int]]:
    """Some of many, in their order."""
    kept = sorted(rng.sample(range(len(every)), min(count, len(every))))
    return [every[k] for k in kept]


def _affordable(sizes: Sizes, least: Sizes) -> bool:
    grown = sum(sizes[name] > least[name] for name in sizes)
    return grown < 2 or prod(sizes.values()) <= VOLUME


def _attempted(run: Callable[[], list[Any]]) -> tuple[list[Any], Exception | None]:
    try:
        return run(), None
    except Exception as error:  # a claim's body is foreign code
        return [], error


def _runs_over(node: nodes.Node) -> bool:
    """Whether its entries may be whole numbers that grow as powers: NumPy has 64 bits for them."""
    match node:
        case nodes.Map():
            base, *exponents = node.arguments
            return (
                node.function == "power"
                and is_whole(base)
                and not isinstance(making.constant(exponents[0]), int)
            )
        case nodes.Fold():
            return node.operation == "product" and is_whole(node.of)
        case nodes.Loop():
            return not any(isinstance(one, nodes.Input) for one in every_node([node]))
    return False


Pairs = Sequence[tuple[Any, Any]]


def _differing(own: Pairs, read: Pairs, undefined: bool, moved: Sequence[Any] | None = None) -> str:
    """Where the two differ, by more than rounding loses and inputs' rounding moves; "" if they do not."""
    if len(own) != len(read):
        return f"the body makes {len(own)} statements, and what was recorded {len(read)}"
    for k, (one, other) in enumerate(zip(own, read, strict=True), start=1):
        lost = (0.0, 0.0) if moved is None else moved[k - 1]
        for side, a, b, most in zip(("left", "right"), one, other, lost, strict=True):
            if not _near(a, b, undefined, most):
                return f"the {side} side of statement {k} is not what the body computes"
    return ""


def _rounding(side: Any) -> Rounding:
    return NARROW.get(str(getattr(side, "dtype", "")), WIDE)


def _array(one: Any) -> np.ndarray:
    return np.asarray(one.held if isinstance(one, Mask) else one, float)


def _is_moderate(found: Any) -> bool:
    """Whether all that a statement reads is far from the ends of floats."""
    return all(bool(np.all(np.abs(_array(side)) < MODERATE)) for both in found for side in both)


def _has_value(side: Any) -> bool:
    """Whether some entry is a number, unless there are none."""
    array = _array(side)
    return bool(np.isfinite(array).any()) or not array.size


def _near(own: Any, read: Any, partial: bool, moved: Any = 0.0) -> bool:
    """Whether the two agree; `partial` says that the body may have no value in some entries."""
    a, b = _array(own), _array(read)
    if a.shape != b.shape:
        return False
    undefined = ~np.isfinite(b)  # where the statement's own conditions do not hold
    if partial or (_rounding(own) is not WIDE and not _is_moderate([[b]])):  # float32 runs over
        undefined |= ~np.isfinite(a)
    with np.errstate(all="ignore"):
        largest = np.max(np.abs(a[~undefined]), initial=1)
        return bool(np.all(undefined | (np.abs(a - b) <= _rounding(own).lost * largest + moved)))
