"""Random programs on arrays, run on kernel arrays and on exact ones: the same equations must hold of both.

A program is plain data, ("matmul", a, b) say; its shapes are linear expressions in N and M. Laws of matrices make
another of the same value from it: (A B)ᵀ = Bᵀ Aᵀ, attention by a scan or by a mask, a scan that a product goes through.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.arrays.array_api import outer
from scanproof.constructs.arrays.ranges import build
from scanproof.constructs.arrays.scan import scan
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.exact.polynomials import RationalField
from scanproof.proofs.interpret.array import symbol
from scanproof.proofs.interpret.namespace import Namespace, array
from scanproof.proofs.interpret.questions import Unreadable
from scanproof.proofs.interpret.size import Size
from scanproof.proofs.kernel.index import size
from scanproof.proofs.search.lemmas import show
from scanproof.proofs.search.proving import proving

from .recipes import Lin, at, entries, lin, plus
from .terms import REFUSALS, FalseAccept, index

Program = tuple[Any, ...]
Dims = tuple[Lin, ...]
N, M, ONE = lin(0, N=1), lin(0, M=1), lin(1)
SHAPES: tuple[Dims, ...] = ((N, M), (N, M), (M, M), (N, N), (M,), (N,), (plus(N, 1), M), (M, N))


# Drawing.


def program(rng: random.Random, dims: Dims, depth: int) -> Program:
    """A random program with a result of this shape."""
    if not depth or rng.random() < 0.1:
        return "array", rng.choice("AB"), dims
    kinds: list[str] = ["add", "mul", "scaled", "over", "array"]
    if len(dims) == 2:
        kinds += ["matmul", "matmul", "T"]
    else:
        kinds += ["applied", "sum"]
    if len(dims) == 2 and dims[0] == dims[1]:
        kinds += ["tril", "tril", "eye"]
    if dims[0] == N:
        kinds += ["scan", "scan", "totals", "rows"]
    if dims == (N, M):
        kinds += ["attention", "square", "evens"]
    if dims[0] == plus(N, 1):
        kinds += ["concat", "concat"]
    kind = rng.choice(kinds)

    def part(*shape: Lin) -> Program:
        return program(rng, shape, depth - 1)

    inside = rng.choice((N, M))
    parts: dict[str, Callable[[], tuple[Any, ...]]] = {
        "array": lambda: (rng.choice("AB"), dims),
        "scaled": lambda: (rng.choice((Fraction(1, 2), 2, -1)), part(*dims)),
        "over": lambda: (part(*dims), part(M)),
        "matmul": lambda: (part(dims[0], inside), part(inside, dims[1])),
        "applied": lambda: (part(dims[0], inside), part(inside)),
        "sum": lambda: (part(inside, *dims),),
        "T": lambda: (part(*dims[::-1]),),
        "eye": lambda: (dims[0],),
        "rows": lambda: (*rng.choice(((0, 1), (1, 0))), part(plus(N, 1), *dims[1:])),
        "attention": lambda: (part(N, M), part(N, M), part(N, M)),
        "evens": lambda: (rng.choice((0, 1)), part(*dims), part(*dims)),
        "concat": lambda: (part(N, *dims[1:]), program(rng, (ONE, *dims[1:]), 0)),
        "add": lambda: (part(*dims), part(*dims)),
        "mul": lambda: (part(*dims), part(*dims)),
    }
    if kind == "scan":
        gate = rng.choice((1, Fraction(1, 2), "given", "given"))
        return kind, program(rng, (N,), 0) if gate == "given" else gate, part(*dims)
    return kind, *parts.get(kind, lambda: (part(*dims),))()  # tril, totals, square


def shape(p: Program) -> Dims:
    kind, *parts = p
    if kind == "array":
        return parts[1]
    if kind == "eye":
        return parts[0], parts[0]
    if kind == "matmul":
        return shape(parts[0])[0], shape(parts[1])[1]
    if kind == "applied":
        return shape(parts[0])[:1]
    if kind == "sum":
        return shape(parts[0])[1:]
    if kind == "T":
        return shape(parts[0])[::-1]
    if kind == "rows":
        first, *others = shape(parts[2])
        return plus(first, -parts[0] - parts[1]), *others
    if kind == "concat":
        first, *others = shape(parts[0])
        return plus(first, 1), *others
    if kind == "tail":
        return ONE, *shape(parts[0])[1:]
    if kind in ("scaled", "scan"):
        return shape(parts[1])
    if kind == "evens":
        return shape(parts[1])
    return shape(parts[0])


# Running.


def run(
    p: Program, given: Callable[[str, Dims], Any], xp: Any, length: Callable[[Lin], Any]
) -> Any:
    """The program's result.

    Args:
        p: the program.
        given: the arrays that it names.
        xp: their namespace.
        length: a length as these arrays have it.
    """
    kind, *parts = p
    if kind == "array":
        return given(parts[0], parts[1])
    if kind == "eye":
        return xp.eye(length(parts[0]))
    values: list[Any] = [
        run(one, given, xp, length) if isinstance(one, tuple) and _is_program(one) else one
        for one in parts
    ]
    if kind == "totals":
        (rows,) = values
        return build(xp, length(N), lambda i: rows[: i + 1].sum(axis=0))
    if kind == "evens":
        which, *both = values
        merged = xp.reshape(xp.stack(both, axis=1), (2 * length(N), length(M)))
        return merged[which::2]
    if kind == "attention":
        start = xp.zeros((length(M), length(M)))
        return scan(_attend, None, start, tuple(values)).outputs
    if kind == "square":
        return scan(_square, None, xp.zeros(values[0].shape[1:]), values[0]).outputs
    if kind == "scan":
        gate, rows = values
        start = xp.zeros(rows.shape[1:])
        if isinstance(parts[0], tuple):
            return scan(_gated, None, start, (gate, rows)).outputs
        return scan(_decayed, Fraction(gate), start, rows).outputs
    return _RUN[kind](xp, *values)


_RUN: dict[str, Callable[..., Any]] = {
    "add": lambda xp, a, b: a + b,
    "mul": lambda xp, a, b: a * b,
    "scaled": lambda xp, by, a: a * Fraction(by).numerator / Fraction(by).denominator,
    "over": lambda xp, a, below: a / (below @ below + 1),
    "matmul": lambda xp, a, b: a @ b,
    "applied": lambda xp, a, b: a @ b,
    "T": lambda xp, a: a.T,
    "tril": lambda xp, a: xp.tril(a),
    "sum": lambda xp, a: a.sum(axis=0),
    "rows": lambda xp, begin, end, rows: rows[begin : rows.shape[0] - end],
    "tail": lambda xp, a: a[-1:],
    "concat": lambda xp, a, row: xp.concat([a, row], axis=0),
}


def _attend(_: Any, state: Any, token: Any) -> Any:
    q, k, v = token
    state = state + outer(k, v)
    return state, q @ state


def _square(_: Any, state: Any, token: Any) -> Any:
    state = state * state + token
    return state, state


def _gated(_: Any, state: Any, token: Any) -> Any:
    gate, x = token
    state = state * gate + x
    return state, state


def _decayed(rate: Fraction, state: Any, token: Any) -> Any:
    state = state * rate.numerator / rate.denominator + token
    return state, state


# Laws and changes.


def _through(p: Program, change: Callable[[Program], Program], chosen: int) -> Program | None:
    """The program with a change of one of its parts; None if it has none."""
    places = [k for k, part in enumerate(p) if k and isinstance(part, tuple) and _is_program(part)]
    if not places:
        return None
    k = places[chosen % len(places)]
    return (*p[:k], change(p[k]), *p[k + 1 :])


def _is_program(part: tuple) -> bool:
    return bool(part) and isinstance(part[0], str)


def rearranged(p: Program, rng: random.Random) -> Program:
    """A program with the same value."""
    if rng.random() < 0.5:
        deeper = _through(p, lambda part: rearranged(part, rng), rng.randrange(3))
        if deeper is not None:
            return deeper
    kind, *parts = p
    if kind == "T" and parts[0][0] == "matmul":
        return "matmul", ("T", parts[0][2]), ("T", parts[0][1])
    if kind == "T" and parts[0][0] == "T":
        return parts[0][1]
    if kind == "matmul":
        a, b = parts
        if b[0] == "add":
            return "add", (kind, a, b[1]), (kind, a, b[2])
        if a[0] == "add":
            return "add", (kind, a[1], b), (kind, a[2], b)
        if b[0] == "matmul":
            return kind, (kind, a, b[1]), b[2]
        if a[0] == "scan":
            return "scan", a[1], (kind, a[2], b)
        if a[0] == "concat":
            return "concat", (kind, a[1], b), (kind, a[2], b)
        if a[0] == "rows":
            return "rows", a[1], a[2], (kind, a[3], b)
        if a[0] == "eye":
            return b
        return "T", (kind, ("T", b), ("T", a))
    if kind == "attention":
        q, k, v = parts
        return "matmul", ("tril", ("matmul", q, ("T", k))), v
    if kind == "scan":
        gate, x = parts
        if x[0] == "add":
            return "add", (kind, gate, x[1]), (kind, gate, x[2])
        if x[0] == "scaled":
            return "scaled", x[1], (kind, gate, x[2])
        product = "matmul" if len(shape(x)) == 2 else "applied"
        return product, (kind, gate, ("eye", N)), x
    if kind == "totals":
        return rng.choice((("scan", 1, parts[0]), ("scan", 1, parts[0])))
    if kind == "tril" and parts[0][0] == "add":
        return "add", (kind, parts[0][1]), (kind, parts[0][2])
    if kind == "evens":
        return parts[1 + parts[0]]
    if kind == "sum" and parts[0][0] == "matmul":
        return "applied", ("T", parts[0][2]), (kind, parts[0][1])
    if kind == "concat" and parts[0][0] == "add":
        second = "scaled", 0, parts[1]
        return "add", (kind, parts[0][1], parts[1]), (kind, parts[0][2], second)
    if kind in ("add", "mul"):
        return kind, parts[1], parts[0]
    if kind == "scaled" and parts[1][0] == "add":
        return "add", (kind, parts[0], parts[1][1]), (kind, parts[0], parts[1][2])
    if kind == "over" and parts[0][0] == "add":
        return "add", (kind, parts[0][1], parts[1]), (kind, parts[0][2], parts[1])
    return _of_any(p, rng)


def _of_any(p: Program, rng: random.Random) -> Program:
    dims = shape(p)
    if dims[0] == plus(N, 1) and rng.random() < 0.5:
        return "concat", ("rows", 0, 1, p), ("tail", p)
    if len(dims) == 2 and rng.random() < 0.3:
        return "matmul", ("eye", dims[0]), p
    other = "array", "B", dims
    return "add", ("add", p, other), ("scaled", -1, other)


def changed(p: Program, rng: random.Random) -> Program:
    """A program of the same shape, which mostly has another value."""
    kind, *parts = p
    if rng.random() < 0.6:
        deeper = _through(p, lambda part: changed(part, rng), rng.randrange(3))
        if deeper is not None:
            return deeper
    if kind in ("T", "tril", "totals", "square") and (
        kind != "T" or len({*map(str, shape(p))}) == 1
    ):
        return parts[0]
    if kind == "rows" and parts[0] != parts[1]:
        return kind, parts[1], parts[0], parts[2]
    if kind == "scan":
        return kind, 2, parts[1]
    if kind == "evens":
        return kind, 1 - parts[0], *parts[1:]
    if kind == "array":
        return kind, "C", parts[1]
    if kind == "matmul" and len({str(d) for part in parts for d in shape(part)}) == 1:
        return kind, parts[1], parts[0]
    return "scaled", 2, p


# Asking.


def proves(a: Program, b: Program) -> bool:
    with proving():
        known = {"N": size("N", 1), "M": size("M", 1)}

        def length(e: Lin) -> Any:
            return Size(index(e, known)) if e[1] else e[0]

        def given(name: str, dims: Dims) -> Any:
            return symbol(f"{name}{len(dims)}", [index(d, known) for d in dims])

        try:
            left = array(run(a, given, Namespace(), length))
            right = array(run(b, given, Namespace(), length))
            show(left.term, right.entry(left.at))
        except (*REFUSALS, Unreadable):
            return False
        if left.dims != right.dims:
            raise AssertionError("programs of different shapes are compared")
        return True


SIZES = [(n, m) for n in (1, 2, 3, 4) for m in (1, 2, 3) if n * m < 10]


def agree(a: Program, b: Program, sizes: list[tuple[int, int]]) -> bool:
    """Whether the two have one value, in fractions."""
    for n, m in sizes:
        left, right = (_value(p, {"N": n, "M": m}) for p in (a, b))
        if left.shape != right.shape or (left != right).any():
            return False
    return True


def _value(p: Program, place: dict[str, int]) -> np.ndarray:
    def computed(xp: Any) -> Any:
        def given(name: str, dims: Dims) -> Any:
            found = np.empty([at(d, place) for d in dims], dtype=object)
            for spot in np.ndindex(found.shape):
                found[spot] = Fraction(entries(f"{name}{len(dims)}", spot))
            return xp.asarray(found)

        return run(p, given, xp, lambda e: at(e, place))

    return exactly(RationalField(), computed)


def programs(rng: random.Random, count: int) -> Counter:
    """How many equations of arrays were true or false, accepted or not.

    Raises:
        FalseAccept: if one that is false was accepted.
    """
    seen: Counter = Counter()
    for _ in range(count):
        a = b = program(rng, rng.choice(SHAPES), rng.choice((1, 2, 2, 3)))
        for _ in range(rng.choice((1, 2, 3))):
            b = rearranged(b, rng)
        b = b if rng.random() < 0.5 else changed(b, rng)
        accepted = proves(a, b)
        true = agree(a, b, SIZES if accepted else [(2, 2), (3, 2)])
        if accepted and not true:
            raise FalseAccept(f"{a}\n  = {b}")
        seen[true, accepted] += 1
    return seen
