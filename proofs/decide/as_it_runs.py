"""A program that was proved as it was read, run once as its framework runs it: both must give the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..exact.enclosed import BITS
from ..exact.enclosures import ArbField
from ..exact.instance import Point, constants
from ..interpret.programs.program import program
from ..interpret.programs.tracing import format_of
from ..language.claim import Claim
from ..language.libraries import jax as jax_for
from ..language.sizes import Sizes, by_name, shape
from . import mistakes, targets
from .verdict import Result

PLAINLY, ALIKE = 4, 1e-6
"""How far beyond the claim's sizes it is run without being traced, and how near its numbers have to be."""
NARROW = 0.05
"""How near two programs' numbers have to be in formats narrower than float64."""


def run_plainly(forward: Callable[..., Any], claim: Claim) -> Result | None:
    """The program run once as Python runs it, beside what JAX traces of it; None if the two give the same numbers.

    A program is proved as JAX traces it. One that distinguishes tracers from arrays is another where nothing traces it.
    What is traced is computed exactly, and compiled only where that gives other numbers, as narrow formats do.
    """
    jax = jax_for("prove")
    at = {n: max(r) + k for k, (n, r) in enumerate(claim.ranges.items(), start=PLAINLY)}
    rng = np.random.default_rng(0)
    form = format_of(forward)
    point = {name: _drawn(rng, shape(text, at)) for name, text in claim.given.items()}
    with jax.enable_x64(form.wide):
        arrays = [jax.numpy.asarray(one.astype(float), dtype=form.name) for one in point.values()]
        try:
            own = jax.tree.leaves(forward(*arrays))
        except mistakes.Errors as error:
            return Result("unknown", reason=_stops(at, error))
        if _alike(own, _exactly(forward, claim, point)):
            return None
        if _alike(own, jax.tree.leaves(jax.jit(forward)(*arrays))):
            return None
    return Result(
        "unknown",
        reason=f"at {by_name(at)} it gives other numbers when it is run without jax.jit: it tells JAX's tracers "
        "from arrays, and what was read is what JAX traces; make it the same for both",
    )


def apart_in_floats(forward: Callable[..., Any], other: Callable[..., Any], claim: Claim) -> str:
    """Where two programs that could not be compared exactly give different numbers as they run; "" if they do not."""
    jax = jax_for("prove")
    at = {n: max(r) + k for k, (n, r) in enumerate(claim.ranges.items())}
    form = format_of(forward)
    rng = np.random.default_rng(0)
    values = [_drawn(rng, shape(text, at)).astype(float) for text in claim.given.values()]
    with jax.enable_x64(form.wide):
        arrays = [jax.numpy.asarray(one, dtype=form.name) for one in values]
        try:
            ours, theirs = (
                [np.asarray(one) for one in jax.tree.leaves(side(*arrays))]
                for side in (forward, other)
            )
        except Exception:  # whatever a user's program raises is told elsewhere
            return ""
    if len(ours) != len(theirs) or _alike(ours, theirs, ALIKE if form.wide else NARROW):
        return ""
    return f"run in {form.name} at random numbers ({by_name(at)}) the two give different results"


def run_in_torch(
    function: Callable[..., Any], shapes: Mapping[str, str], claim: Claim, result: Result
) -> Result:
    """The result, if torch computes of the function what it was read as; or that torch is not there to say so."""
    if not targets.is_for_torch(function):
        return result
    jax = jax_for("prove")
    at = {n: max(r) + k for k, (n, r) in enumerate(claim.ranges.items(), start=PLAINLY)}
    rng = np.random.default_rng(0)
    arrays = [_drawn(rng, shape(text, at)).astype(float) for text in shapes.values()]
    try:
        theirs = targets.in_torch(function, arrays)
    except mistakes.Errors as error:
        return Result("unknown", reason=f"in torch itself, {_stops(at, error)}")
    if theirs is None:
        note = "torch is not installed: that its functions compute what docs/prove.md says was not tried here"
        return replace(
            result,
            evidence=[{**e, "assumes": [*e.get("assumes", ()), note]} for e in result.evidence],
        )
    with jax.enable_x64(True):
        ours = [
            np.asarray(one) for one in jax.tree.leaves(function(*map(jax.numpy.asarray, arrays)))
        ]
    if _alike(ours, theirs):
        return result
    return Result(
        "unknown",
        reason=f"at {by_name(at)} torch computes other numbers than {targets.name(function)} was read as; "
        "please report it",
    )


def _stops(at: Sizes, error: BaseException) -> str:
    return f"at {by_name(at)} it does not run ({mistakes.said(error)}), though it does at the sizes tried before"


def _drawn(rng: np.random.Generator, dims: tuple[int, ...]) -> np.ndarray:
    """Numbers that every format has exactly."""
    numbers = rng.integers(64, 193, dims)
    out = np.empty(dims, dtype=object)
    for place in np.ndindex(dims):
        out[place] = Fraction(int(numbers[place]), 128)
    return out


def _exactly(forward: Callable[..., Any], claim: Claim, point: Point) -> list[np.ndarray]:
    """What is traced of a program, in enclosures; nothing where they do not do."""
    import flint

    field = ArbField()
    try:
        with flint.ctx.workprec(BITS):
            found = leaves(program(forward)(*constants(claim, field, point).values()))
            return [np.vectorize(float, otypes=[float])(one.entries) for one in found]
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return []


def _alike(ours: Sequence[Any], theirs: Sequence[Any], near: float = ALIKE) -> bool:
    return len(ours) == len(theirs) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=near, atol=near, equal_nan=True)
        for a, b in zip(ours, theirs, strict=True)
    )


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in leaves(value[key])]
    if isinstance(value, tuple | list):
        return [leaf for one in value for leaf in leaves(one)]
    return [] if value is None else [value]
