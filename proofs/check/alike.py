"""The same program at many sizes: traced with numbers, far beyond where it can be run, and compared with itself.

A program that has been read with symbols may still have distinguished them from numbers, where neither JAX nor Python
lets one notice. Then what JAX traces changes from size to size. So the program is traced along a line of sizes that a
hash of its code chooses: the operations, their order and wiring must be the same at all of them, whole numbers in them
(lengths, places) must follow a polynomial of degree 4 or less along the line, and numbers that do not change at three
sizes must not change at others. Numbers that stand in its code are tried for each size besides.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError

from ..doors.jaxpr.equations import needed, place
from ..doors.jaxpr.programs import Lowered
from ..doors.jaxpr.tracing import Given, traced
from ..language.sizes import Sizes
from ..statement.whole import Number, Position, Size, Symbol, Whole, at

STEPS, MORE = (0, 1, 2), (3, 4)
"""The places on the line from which all others follow, and others where a polynomial of degree 2 does not do."""
FAR = ((60, 900), (6_000, 12_000))
"""From where to where places on it are drawn to be compared."""
FEW = 3
"""Where a claim calls more programs, each is compared at the farthest place alone."""
FIRST, SPREAD = 11, 7
"""Sizes on the line begin at the one, or at the least that is allowed, and go in steps below the other."""
SPELLED, MOST = 4, 1_000_000
"""How many of the numbers in the code are tried for each size, and up to which number."""
ADDRESS = re.compile(r"0x[0-9a-f]+")
NUMBER = re.compile(r"\d+")
NAMES = (
    *("name", "debug_info", "ctx_mesh", "donated_invars", "in_layouts", "out_layouts"),
    *("jvp_jaxpr_fun", "jvp_jaxpr_thunk", "fwd_jaxpr_thunk", "bwd", "linear"),
    *("unroll", "_split_transpose"),
)
"""Parameters of an equation that say nothing about what it computes."""


class Token(NamedTuple):
    """A part of a program's text."""

    what: Any
    """An operation, a wire or a word; None for a number."""
    number: int | float | None
    place: str


def difference(
    programs: Sequence[Any], least: Sizes, spelled: Sequence[int], seed: int
) -> str | None:
    """Where a program is another one at some sizes than at others, in words; None if that is not seen.

    Args:
        programs: as a claim calls them; those that JAX traces are looked at.
        least: the least of each size.
        spelled: numbers in the code.
        seed: decides which sizes are looked at.
    """
    own = [one for one in programs if isinstance(one, Lowered)]
    far = FAR if len(own) <= FEW else FAR[-1:]
    for one in own:
        if getattr(one.function, "unrolls", False):  # it has other operations at numbers
            continue
        try:
            found = _difference(one, least, spelled, random.Random(seed), far)
        except (UsageError, _Untraced):
            continue  # it says itself that it does not do these sizes
        if found is not None:
            return found
    return None


class _Untraced(Exception):
    """It does not trace at sizes at which it should."""


def _difference(
    program: Lowered,
    least: Sizes,
    spelled: Sequence[int],
    rng: random.Random,
    places: Sequence[tuple[int, int]],
) -> str | None:
    line = {  # all sizes begin elsewhere
        name: (max(low, FIRST) + 2 * k, rng.randint(1, SPREAD))
        for k, (name, low) in enumerate(least.items())
    }

    def on_line(step: int) -> dict[str, int]:
        return {name: first + step * more for name, (first, more) in line.items()}

    texts = [text(program, on_line(step)) for step in STEPS]
    if any(text is None for text in texts):
        raise _Untraced
    found = [t for t in texts if t is not None]
    problem = _unlike(found[0], found[1]) or _unlike(found[0], found[2])
    if problem is not None:
        return _rendered(problem, on_line(2), on_line(0))
    for low, high in places:
        step = rng.randint(low, high)
        far = text(program, on_line(step))
        if far is None:
            continue
        problem = _unlike(found[0], far) or _beside(found, far, step)
        if problem is not None and len(found) == len(STEPS):  # a length may be a product of several
            more = [text(program, on_line(k)) for k in MORE]
            found += [t for t in more if t is not None and len(t) == len(found[0])]
            problem = _unlike(found[0], far) or _beside(found, far, step)
        if problem is not None:
            return _rendered(problem, on_line(step), on_line(0))
    for name, (first, _) in line.items():
        chosen = [n for n in spelled if first < n <= MOST][:SPELLED]
        for n in dict.fromkeys([*chosen, *_equal(program.apart, name, on_line(0))]):
            there = {**on_line(0), name: n}
            one = text(program, there)
            problem = None if one is None else _unlike(found[0], one) or _changed(found, one)
            if problem is not None:
                return _rendered(problem, there, on_line(0))
    return None


def _equal(apart: Sequence[Number], name: str, sizes: Sizes) -> Iterator[int]:
    """Where a size makes lengths equal that JAX took for unequal; sizes up to 1 are among those of the evidence."""
    for gap in apart:
        symbols = gap.symbols if isinstance(gap, Whole) else ()
        if not all(isinstance(one, Size) for one in symbols):
            continue

        def value(n: int, gap: Any = gap) -> int:
            return at(gap, lambda symbol: {**sizes, name: n}[symbol.name])  # type: ignore[union-attr]

        zero, step = value(0), value(1) - value(0)
        n = -zero // step if step else 0
        if 1 < n <= MOST and value(n) == 0:
            yield n


def text(program: Lowered, sizes: Sizes) -> list[Token] | None:
    """The program traced at these sizes; None if it refuses them."""

    def value(symbol: Symbol) -> int:
        if isinstance(symbol, Size):
            return sizes[symbol.name]
        assert isinstance(symbol, Position)  # of a loop of the claim's body: its middle
        return (number(symbol.low) + number(symbol.high) - 1) // 2

    def number(length: Number) -> int:
        return at(length, value) if isinstance(length, Whole) else length

    shapes = [tuple(map(number, one.shape)) for one in program.inputs]
    if any(n < 0 for shape in shapes for n in shape):
        return None
    given = [Given(shape, one.format) for shape, one in zip(shapes, program.inputs, strict=True)]
    for lazily in (True, False):  # unless it writes into arrays of NumPy's
        with suppress(Exception):  # a program is foreign code, and may refuse a size
            closed = traced(program.function, given, folded=True, lazily=lazily).jaxpr
            return [*_of_constants(closed.consts), *_of(closed.jaxpr)]
    return None


def _of_constants(consts: Sequence[Any]) -> Iterator[Token]:
    for one in consts:
        yield from _of_value(tuple(np.shape(one)), "a constant")
        array = np.asarray(one)
        if array.size == 1 and array.dtype.kind in "biuf":
            yield Token(None, array.item(), "a constant")


def _of(jaxpr: Any) -> Iterator[Token]:
    names: dict[Any, int] = {}

    def wire(atom: Any, where: str) -> Iterator[Token]:
        if not hasattr(atom, "val"):
            yield Token(names.setdefault(atom, len(names)), None, where)
        elif np.asarray(atom.val).dtype.kind in "iuf":
            yield Token(None, np.asarray(atom.val).item(), where)
        else:
            yield Token(repr(atom.val), None, where)

    for v in (*jaxpr.constvars, *jaxpr.invars):
        names.setdefault(v, len(names))
    for equation in needed(jaxpr):
        where = place(equation)
        yield Token(equation.primitive.name, None, where)
        for atom in equation.invars:
            yield from wire(atom, where)
        for key in sorted(equation.params):
            if key not in NAMES:
                yield from _of_value(equation.params[key], where)
        for v in equation.outvars:
            yield from wire(v, where)
            if hasattr(v.aval, "shape"):
                yield Token(str(v.aval.dtype), None, where)
                yield from _of_value(tuple(v.aval.shape), where)
    for atom in jaxpr.outvars:
        yield from wire(atom, "its results")


def _of_value(value: Any, where: str) -> Iterator[Token]:
    if hasattr(value, "eqns"):
        yield from _of(value)
    elif hasattr(value, "jaxpr"):
        yield from _of_constants(value.consts)
        yield from _of(value.jaxpr)
    elif isinstance(value, bool | str) or value is None:
        yield Token(repr(value), None, where)
    elif isinstance(value, int | float | np.number):
        yield Token(None, np.asarray(value).item(), where)
    elif isinstance(value, tuple | list):
        yield Token(len(value), None, where)
        for one in value:
            yield from _of_value(one, where)
    else:  # a description of JAX's, such as which axes a gather reads
        words = ADDRESS.sub("", repr(value))
        yield Token(NUMBER.sub("#", words), None, where)
        yield from (Token(None, int(n), where) for n in NUMBER.findall(words))


def _unlike(one: Sequence[Token], other: Sequence[Token]) -> str | None:
    """Where the two are other operations."""
    for a, b in zip(one, other, strict=False):
        if a.what != b.what:
            return f"JAX traces {_spelled(b)} for {_spelled(a)}"
    if len(one) != len(other):
        return "JAX traces more operations"
    return None


def _spelled(token: Token) -> str:
    where = f" ({token.place})" if token.place else ""
    return f"{'a number' if token.what is None else token.what}{where}"


def _beside(found: Sequence[Sequence[Token]], far: Sequence[Token], step: int) -> str | None:
    """A number that does not lie where a polynomial through the first ones leads."""
    for *near, one in zip(*found, far, strict=True):
        numbers = [t.number for t in near]
        if one.number is None:
            continue
        if all(isinstance(n, int) for n in (*numbers, one.number)):
            wanted = _continued(numbers, step)  # type: ignore[arg-type]
        elif numbers.count(numbers[0]) == len(numbers):
            wanted = numbers[0]
        else:
            continue  # a number such as 1/T: how it goes on is not known
        if wanted != one.number:
            return f"the number {one.number} stands where {wanted} follows from smaller sizes ({one.place})"
    return None


def _continued(numbers: Sequence[int], step: int) -> Fraction:
    """The polynomial through numbers at 0, 1, 2, … at another place: Newton's forward differences."""
    result, binomial, row = Fraction(0), Fraction(1), list(numbers)
    for k in range(len(numbers)):
        result += row[0] * binomial
        binomial *= Fraction(step - k, k + 1)
        row = [b - a for a, b in pairwise(row)]
    return result


def _changed(found: Sequence[Sequence[Token]], other: Sequence[Token]) -> str | None:
    """A number that is the same at the first sizes, and another here."""
    for *near, one in zip(*found, other, strict=True):
        if one.number is not None and {t.number for t in near} == {near[0].number} != {one.number}:
            return f"the number {one.number} stands where it is {near[0].number} at other sizes ({one.place})"
    return None


def _rendered(problem: str, there: Sizes, first: Sizes) -> str:
    at, other = (", ".join(f"{name} = {n}" for name, n in one.items()) for one in (there, first))
    return f"the program is another one at {at} than at {other}: {problem}"
