"""What is read of a JAX program, and what JAX computes: both at random sizes and numbers."""

import functools
import random
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from scanproof.proofs.doors.jaxpr.programs import leaves, lowered
from scanproof.proofs.doors.program import program as readable
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.exact.polynomials import RationalField
from scanproof.proofs.exact.scalar import NotPolynomial
from scanproof.proofs.interpret.evaluate import (
    EXACT,
    FUNCTIONS,
    Evaluator,
    at_index,
    function_value,
)
from scanproof.proofs.interpret.questions import Unreadable
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.readings.problem import NoProblem, problem
from scanproof.proofs.search.proving import proving
from scanproof.proofs.statement.errors import IllFormed
from scanproof.proofs.statement.nodes import Input
from scanproof.proofs.statement.statement import Statement, relation
from scanproof.proofs.statement.whole import Size, whole

from .terms import FalseAccept

Dims = tuple[Any, ...]
SIZES = ("T", "f")
INPUTS: dict[str, Dims] = {
    "A": ("T", "f"),
    "B": ("T", "f"),
    "M": ("f", "f"),
    "u": ("T",),
    "v": ("f",),
    "L": ("T+1", "f"),
}
TRIED = ((1, 1), (1, 2), (2, 1), (3, 2))
"""Sizes at which programs are compared: few, since JAX compiles each of its functions for each of them."""
ROUNDING = 2.0**-40
"""Of float64's results, relative to the largest number on the way: a few thousand operations lose far less."""


def agreed(
    function: Any, name: Any, rng: random.Random, rounds: int = 2, compiled: bool = False
) -> str:
    """What became of a program on the inputs in the order of their names: "same", or why it is not read.

    Args:
        function: of the inputs.
        name: what is said of it where it is wrong.
        rng: draws sizes and numbers.
        rounds: at how many of them it is compared.
        compiled: whether JAX compiles it as a whole, or its functions one by one, which are soon known for all sizes.

    Raises:
        FalseAccept: if reading and JAX disagree somewhere.
    """
    names = sorted(INPUTS)
    with proving() as own:
        symbols = {n: Size(n, 1) for n in SIZES}
        table = {**{n: whole(one) for n, one in symbols.items()}, "T+1": whole(symbols["T"]) + 1}
        inputs = [Input(n, tuple(table[d] for d in INPUTS[n])) for n in names]
        try:
            ((_, node),) = leaves(lowered(function, inputs).outputs)
            said = (relation("equal", node, node),)
            read = problem(Statement("any", tuple(symbols.values()), tuple(inputs), said), own)
        except (Refused, IllFormed, NoProblem, Unreadable, KernelError) as error:
            return f"not read: {_short(error)}"
        (found, _), sizes = read.equations[0], read.sizes
        for _ in range(rounds):
            at = dict(zip(SIZES, rng.choice(TRIED), strict=True))
            full = {**at, "T+1": at["T"] + 1}
            values = {n: _integers(rng, [full[d] for d in INPUTS[n]]) for n in names}
            with jax.enable_x64(True), jax.disable_jit(not compiled):
                run_it = jax.jit(function) if compiled else function
                arrays = [jnp.asarray(values[n], dtype=float) for n in names]
                expected = np.asarray(run_it(*arrays)).astype(float)
            numbers = {sizes[n].terms[0][0]: v for n, v in at.items()}
            shape = tuple(at_index(d, numbers) for d in found.dims)
            if shape != expected.shape:
                raise FalseAccept(f"{name}: shape {shape}, JAX has {expected.shape} at {at}")
            evaluator = Evaluator(functools.partial(_entry, values), own)
            scale = max(1.0, float(np.abs(expected).max(initial=0)))
            for place in np.ndindex(*shape):
                spot = {
                    **numbers,
                    **{e.terms[0][0]: i for e, i in zip(found.at, place, strict=True)},
                }
                value = float(evaluator.value(found.term, spot))
                if not abs(value - expected[place]) <= ROUNDING * scale:
                    raise FalseAccept(
                        f"{name}: {value} is read, JAX has {expected[place]} at {at}, {place}"
                    )
            _exactly(function, [values[n] for n in names], expected, name)
    return "same"


def _exactly(function: Any, arrays: list[np.ndarray], expected: np.ndarray, name: Any) -> None:
    """The exact computation at the same numbers, too."""
    read = readable(function)
    try:
        found = exactly(RationalField(), lambda xp, *given: read(*given), *arrays)
    except (NotPolynomial, Refused):  # it has functions without exact values
        return
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    for place in np.ndindex(*expected.shape):
        if not abs(float(Fraction(found[place])) - expected[place]) <= ROUNDING * scale:
            raise FalseAccept(f"{name}: {found[place]} exactly, JAX has {expected[place]}, {place}")


def _entry(values: dict[str, np.ndarray], name: str, spot: tuple[Any, ...]) -> Any:
    """An entry, or a function's value.

    What nothing must depend on is anything: entries outside of an array, and a maximum that is subtracted.
    """
    if name in FUNCTIONS or name in EXACT or name == "abs":
        return Fraction(function_value(name, spot[0]))
    if "maximum" in name:
        return Fraction(7 + len(name) + int(name[-1]) + sum(spot), 3)
    array = values[name]
    inside = all(0 <= i < d for i, d in zip(spot, array.shape, strict=True))
    return Fraction(int(array[spot])) if inside else Fraction(5)


def _integers(rng: random.Random, shape: list[int]) -> np.ndarray:
    return np.array([rng.randint(-3, 3) for _ in range(int(np.prod(shape)))]).reshape(shape)


def _short(error: Exception) -> str:
    return str(error).split("(")[0].split(",")[0].strip()[:60]
